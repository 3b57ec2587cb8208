// SPDX-License-Identifier: Apache-2.0

public import DBus

/// The content of an object or item: values by key, ascending by the keys' bytes.
///
/// Keys are compared by their bytes (contract, "Model"): canonically equivalent strings, such as two spellings of é,
/// are equal in Swift, and a dictionary would lose one of two such fields.
public struct Content: Sendable, ExpressibleByDictionaryLiteral {
    /// One field.
    public typealias Element = (key: String, value: DBusValue)

    private let fields: [Element]

    /// Makes a content; of several fields with the same key the last one counts.
    public init(_ fields: some Sequence<(key: String, value: DBusValue)>) {
        var ordered: [Element] = []
        var isAscending = true
        for field in fields {
            if let last = ordered.last, !Self.precedes(last.key, field.key) { isAscending = false }
            ordered.append(field)
        }
        self.fields = isAscending ? ordered : Self.sorted(ordered)
    }

    /// Makes a content from a literal.
    public init(dictionaryLiteral elements: (String, DBusValue)...) {
        self.init(elements.map { (key: $0.0, value: $0.1) })
    }

    /// The keys in order.
    public var keys: [String] { fields.map(\.key) }

    /// The values in the order of their keys.
    public var values: [DBusValue] { fields.map(\.value) }

    /// The value of the key with exactly these bytes; nil when there is none.
    ///
    /// - Complexity: O(log count).
    public subscript(key: String) -> DBusValue? {
        let place = fields.partitionPoint { Self.precedes($0.key, key) }
        guard place < fields.count, Self.isSame(fields[place].key, key) else { return nil }
        return fields[place].value
    }

    /// The content as `a{sv}`.
    public var value: DBusValue {
        .dictionary(
            key: "s", value: "v", fields.map { DBusValue.Entry(key: .string($0.key), value: .variant($0.value)) })
    }

    private static func sorted(_ fields: [Element]) -> [Element] {
        // A stable sort, so that the last of equal keys is known.
        let order = fields.indices.sorted { a, b in
            precedes(fields[a].key, fields[b].key) || (isSame(fields[a].key, fields[b].key) && a < b)
        }
        var result: [Element] = []
        for index in order {
            if let last = result.last, isSame(last.key, fields[index].key) { result.removeLast() }
            result.append(fields[index])
        }
        return result
    }

    private static func isSame(_ a: String, _ b: String) -> Bool { a == b && a.utf8.elementsEqual(b.utf8) }

    private static func precedes(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}

extension Content: RandomAccessCollection {
    /// The first field's position.
    public var startIndex: Int { fields.startIndex }

    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }

    /// A field.
    public subscript(position: Int) -> Element { fields[position] }
}

extension Content: Equatable {
    /// Whether the bytes of their keys and their values are equal.
    public static func == (a: Content, b: Content) -> Bool {
        a.fields.elementsEqual(b.fields) { isSame($0.key, $1.key) && $0.value == $1.value }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import DBus

/// The content of an object or item: values by key, sorted by the bytes of the keys.
///
/// Keys are compared by their bytes (contract, "Model"). Swift considers canonically equivalent strings equal, such
/// as two encodings of é, so a dictionary would lose one of two such fields.
public struct Content: Sendable, ExpressibleByDictionaryLiteral {
    /// A field: its key and its value.
    public typealias Element = (key: String, value: DBusValue)

    private let fields: [Element]

    /// Creates a content. Of several fields with the same key, only the last one is kept.
    public init(_ fields: some Sequence<(key: String, value: DBusValue)>) {
        var ordered: [Element] = []
        var isAscending = true
        for field in fields {
            if let last = ordered.last, !Self.precedes(last.key, field.key) { isAscending = false }
            ordered.append(field)
        }
        self.fields = isAscending ? ordered : Self.sorted(ordered)
    }

    /// Creates a content from a dictionary literal.
    public init(dictionaryLiteral elements: (String, DBusValue)...) {
        self.init(elements.map { (key: $0.0, value: $0.1) })
    }

    /// The keys, sorted.
    public var keys: [String] { fields.map(\.key) }

    /// The values in the order of their keys.
    public var values: [DBusValue] { fields.map(\.value) }

    /// The value for a key, compared by bytes; nil if there is none.
    ///
    /// - Complexity: O(log count).
    public subscript(key: String) -> DBusValue? {
        let place = fields.partitionPoint { Self.precedes($0.key, key) }
        guard place < fields.count, Self.isSame(fields[place].key, key) else { return nil }
        return fields[place].value
    }

    /// The content as a value of type `a{sv}`.
    public var value: DBusValue {
        .dictionary(
            key: "s", value: "v", fields.map { DBusValue.Entry(key: .string($0.key), value: .variant($0.value)) })
    }

    private static func sorted(_ fields: [Element]) -> [Element] {
        // The sort is stable, so that the last of several equal keys can be kept.
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
    /// The position of the first field.
    public var startIndex: Int { fields.startIndex }

    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }

    /// The field at a position.
    public subscript(position: Int) -> Element { fields[position] }
}

extension Content: Equatable {
    /// Returns whether keys and values are equal. Keys are compared by their bytes.
    public static func == (a: Content, b: Content) -> Bool {
        a.fields.elementsEqual(b.fields) { isSame($0.key, $1.key) && $0.value == $1.value }
    }
}

extension Content: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "a{sv}" }

    /// Reads a content. Values are unwrapped from their variants.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self.init(
            try reader.array { (inside) throws(DBusError) in
                var fields: [Element] = []
                while !inside.atEnd {
                    try inside.dictionaryEntry { (entry) throws(DBusError) in
                        fields.append((key: try entry.readString(), value: try DBusValue(from: &entry).unwrapped))
                    }
                }
                return fields
            })
    }
}

extension Content: DBusEncodable {
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { value.append(to: &writer) }
}

extension MirroredObject: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(ssa{sv})" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            MirroredObject(
                id: try inside.readString(), type: try inside.readString(),
                fields: try Content(from: &inside))
        }
    }
}

/// An object of a list, as the daemon sends it.
public struct MirroredObject: Sendable, Equatable {
    /// The identifier, which is unique in the list.
    public let id: String
    /// The type, which determines the section controller; may be empty.
    public let type: String
    /// The fields.
    public let fields: Content

    /// Creates an object.
    public init(id: String, type: String, fields: Content) {
        self.id = id
        self.type = type
        self.fields = fields
    }
}

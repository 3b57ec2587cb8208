// SPDX-License-Identifier: Apache-2.0

/// The query of a derived list, which selects and sorts its objects. It is written after the `?` of a source
/// `list:NAME?…`.
@_spi(Daemon) public struct DerivedQuery: Sendable, Equatable {
    /// The text that objects must contain. Every object contains an empty text.
    public var search = TextSearch("")
    /// The type that objects must have; `nil` for any type.
    public var type: String? {
        get { objectType?.name }
        set { objectType = newValue.map { ObjectType.named($0) } }
    }
    /// The order of the objects; `nil` for the order of the base list.
    public var sort: DerivedSort?
    /// The maximum number of objects; 0 for no limit.
    public var limit = 0
    /// The type as an `ObjectType`, which can be compared by identity.
    private var objectType: ObjectType?

    /// Makes a query that every object matches, in the order of the base list.
    public init() {}

    /// Returns whether an object matches the query. The limit is ignored.
    ///
    /// - Complexity: O(size).
    public func matches(_ object: ListObject) -> Bool {
        if let objectType, !object.hasType(objectType) { return false }
        return search.matches(object)
    }

    /// Returns whether every object that matches this query also matches `other`. False if this cannot be derived
    /// from the two queries.
    func isNarrower(than other: DerivedQuery) -> Bool {
        guard other.objectType == nil || objectType === other.objectType else { return false }
        if other.search.text.isEmpty { return true }
        let (fields, others) = (search.fields, other.search.fields)
        guard others.isEmpty || !fields.isEmpty && fields.isSubset(of: others) else { return false }
        return search.text.contains(other.search.text)
    }

    /// Returns whether both queries have the same text, fields, type, order and limit.
    public static func == (lhs: DerivedQuery, rhs: DerivedQuery) -> Bool {
        lhs.search == rhs.search && lhs.objectType === rhs.objectType && lhs.sort == rhs.sort && lhs.limit == rhs.limit
    }
}

/// The sort order of a derived list, by the value of a field.
///
/// Numbers come first, by value; then texts, by code points; then all other values. Objects with equal values are
/// in the order of the base list, and so are all objects with values that are neither numbers nor texts.
@_spi(Daemon) public struct DerivedSort: Sendable, Equatable {
    /// The key of the field.
    public var field: ExactText
    /// Whether the order of numbers and texts is reversed, so that texts come before numbers. Other values still come
    /// last.
    public var isDescending: Bool

    /// Makes an order.
    public init(field: String, isDescending: Bool = false) {
        self.field = ExactText(field)
        self.isDescending = isDescending
    }
}

extension DerivedQuery {
    /// Parses the text after the `?` of a source: pairs `KEY=VALUE` separated by `&`. Fields are separated by `,`.
    /// Values are percent-encoded UTF-8.
    ///
    /// The keys are `contains`, `in`, `type`, `sort` and `limit`. An empty text makes a query that every object
    /// matches.
    /// - Throws: `invalidArguments`, naming the key at fault.
    public init(parsing argument: String) throws(ListError) {
        self.init()
        guard !argument.isEmpty else { return }
        var seen: Set<String> = []
        var (text, fields) = ("", [String]())
        for pair in argument.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let key = String(decoding: parts[0], as: UTF8.self)
            guard ["contains", "in", "type", "sort", "limit"].contains(key) else {
                throw ListError(.invalidArguments, "the argument of the source has the unknown key \(key.quoted)")
            }
            guard parts.count == 2 else { throw ListError(.invalidArguments, "the key \(key.quoted) has no value") }
            guard seen.insert(key).inserted else {
                throw ListError(.invalidArguments, "the key \(key.quoted) is given twice")
            }
            let value = parts[1]
            switch key {
            case "contains": text = try PercentEncoding.decode(value, of: key)
            case "in": fields = try Self.parseFields(value)
            case "type": type = try PercentEncoding.decode(value, of: key)
            case "sort": sort = try DerivedSort(parsing: value)
            default: limit = try Self.parseLimit(value)
            }
        }
        search = TextSearch(text, in: fields)
    }

    /// Returns the fields of the key `in`. An empty value yields no fields, which stands for all fields.
    private static func parseFields(_ value: Substring.UTF8View) throws(ListError) -> [String] {
        var fields: [String] = []
        if value.isEmpty { return fields }
        for field in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            fields.append(try PercentEncoding.decode(field, of: "in"))
        }
        return fields
    }

    private static func parseLimit(_ value: Substring.UTF8View) throws(ListError) -> Int {
        let text = String(decoding: value, as: UTF8.self)
        guard value.allSatisfy({ (0x30...0x39).contains($0) }), let limit = UInt32(text) else {
            throw ListError(
                .invalidArguments,
                "the value \(text.quoted) of the key “limit” is not a number from 0 to \(UInt32.max)")
        }
        return Int(limit)
    }
}

extension DerivedSort {
    fileprivate init(parsing value: Substring.UTF8View) throws(ListError) {
        let isDescending = value.first == UInt8(ascii: "-")
        let field = isDescending ? value.dropFirst() : value
        guard !field.isEmpty else { throw ListError(.invalidArguments, "the key “sort” names no field") }
        self.init(field: try PercentEncoding.decode(field, of: "sort"), isDescending: isDescending)
    }
}

/// Percent-encoding, in which `%` and two hexadecimal digits stand for a byte.
@_spi(Daemon) public enum PercentEncoding {
    /// Decodes percent-encoded text.
    ///
    /// - Parameter key: the key of the value, for error messages.
    /// - Throws: `invalidArguments`, naming the key, for a `%` without two hexadecimal digits after it, and for bytes
    ///   that are not UTF-8 or contain NUL.
    public static func decode(_ text: some Sequence<UInt8>, of key: String) throws(ListError) -> String {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(hexadecimalValue),
                let low = iterator.next().flatMap(hexadecimalValue)
            else {
                throw ListError(
                    .invalidArguments,
                    "the value of the key \(key.quoted) has a % without two hexadecimal digits after it")
            }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw ListError(.invalidArguments, "the value of the key \(key.quoted) is not UTF-8 or has a NUL")
        }
        return decoded
    }

    /// Percent-encodes every byte except ASCII letters, digits, and `-._~`.
    public static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimalValue(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}

/// The sort key of an object: the value of the field by which objects are sorted.
struct SortKey {
    private enum Content {
        case integer(Int64)
        /// An integer that exceeds `Int64`.
        case large(UInt64)
        case real(Double)
        /// A text, as a range of the object's storage.
        case text(ObjectStorage, Range<Int>)
        /// A value of another type, a NaN, or a missing value.
        case other
    }

    private let content: Content

    /// Reads the sort key of an object.
    ///
    /// - Complexity: O(size) without decoding.
    init(_ object: ListObject, by sort: DerivedSort) {
        let storage = object.storage
        let wanted = sort.field
        content = storage.withFields { bytes in
            var cursor = FieldsCursor(overEntriesOf: bytes)
            while let entry = cursor.nextEntry(in: bytes) {
                guard wanted.hasBytes(bytes.extracting(entry.key)) else { continue }
                if let text = entry.text(in: bytes) { return .text(storage, text) }
                var value = FieldsReader(storage: storage, value: entry)
                return SortKey.numericContent(of: value.next())
            }
            return .other
        }
    }

    private static func numericContent(of element: FieldsReader.Element?) -> Content {
        switch element {
        case .byte(let number): .integer(Int64(number))
        case .int16(let number): .integer(Int64(number))
        case .uint16(let number): .integer(Int64(number))
        case .int32(let number): .integer(Int64(number))
        case .uint32(let number): .integer(Int64(number))
        case .int64(let number): .integer(number)
        case .uint64(let number): number > Int64.max ? .large(number) : .integer(Int64(number))
        case .double(let number): number.isNaN ? .other : .real(number)
        case .boolean, .string, .objectPath, .signature, .variant, .array, .dictionaryEntry, .structure, nil: .other
        }
    }

    /// Compares two keys. Negative if this one comes first, 0 if they are equal, positive if this one comes last.
    func compare(_ other: SortKey, isDescending: Bool) -> Int {
        switch (content, other.content) {
        case (.other, .other): 0
        case (.other, _): 1
        case (_, .other): -1
        default: isDescending ? -compareAscending(other) : compareAscending(other)
        }
    }

    private func compareAscending(_ other: SortKey) -> Int {
        switch (content, other.content) {
        case (.text(let mine, let range), .text(let theirs, let otherRange)):
            return mine.withFields { bytes in
                theirs.withFields { others in bytes.extracting(range).compare(others.extracting(otherRange)) }
            }
        case (.text, _): return 1
        case (_, .text): return -1
        case (.integer(let mine), .integer(let theirs)): return Self.compareNumbers(mine, theirs)
        case (.large(let mine), .large(let theirs)): return Self.compareNumbers(mine, theirs)
        case (.real(let mine), .real(let theirs)): return Self.compareNumbers(mine, theirs)
        case (.integer, .large): return -1
        case (.large, .integer): return 1
        case (.real(let mine), _): return -other.compare(withReal: mine)
        case (_, .real(let theirs)): return compare(withReal: theirs)
        case (.other, _), (_, .other): return 0
        }
    }

    /// Compares an integer with a double exactly. A conversion to `Double` would lose digits.
    private func compare(withReal real: Double) -> Int {
        let whole: Int128
        switch content {
        case .integer(let number): whole = Int128(number)
        case .large(let number): whole = Int128(number)
        case .real, .text, .other: return 0
        }
        // No integer in a key is beyond ±2⁶⁴.
        guard real.magnitude < 0x1p65 else { return real < 0 ? 1 : -1 }
        let floor = real.rounded(.down)
        let order = Self.compareNumbers(whole, Int128(floor))
        return order == 0 && real > floor ? -1 : order
    }

    private static func compareNumbers<Number: Comparable>(_ mine: Number, _ theirs: Number) -> Int {
        mine < theirs ? -1 : mine > theirs ? 1 : 0
    }
}

extension Span where Element == UInt8 {
    /// Compares bytes: negative if this span comes first, 0 if both are equal. For UTF-8 this is the order of code
    /// points.
    func compare(_ other: Span<UInt8>) -> Int {
        for position in 0..<Swift.min(count, other.count) where self[position] != other[position] {
            return self[position] < other[position] ? -1 : 1
        }
        return count - other.count
    }
}

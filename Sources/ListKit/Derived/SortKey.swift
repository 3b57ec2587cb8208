// SPDX-License-Identifier: Apache-2.0

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

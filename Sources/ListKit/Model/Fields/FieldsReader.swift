// SPDX-License-Identifier: Apache-2.0

/// A reader of canonical bytes, one value after the other, in the manner of libdbus's message iterators.
///
/// A reader of fields returns their dictionary entries; a reader of an entry returns the key and a variant; and so on
/// inwards. A reader retains the bytes, so it may be stored and sent to other threads. It cannot trap, as the bytes
/// of `Fields` were encoded or validated before.
@_spi(Daemon) public struct FieldsReader: Sendable {
    /// A run of bytes inside the fields: the text of a string, path or signature, or the signature of a value's type.
    public struct Text: Sendable {
        let storage: ObjectStorage
        let range: Range<Int>

        /// The length of the text in bytes.
        public var count: Int { range.count }

        /// The text as a string.
        public var string: String { withBytes { String(copying: $0) } }

        /// Calls `body` with the bytes, without a NUL at the end.
        public func withBytes<Result, Failure: Error>(
            _ body: (Span<UInt8>) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try storage.withFields { bytes throws(Failure) in try body(bytes.extracting(range)) }
        }
    }

    /// One value. A container is returned as a reader of its content.
    @frozen public enum Element: Sendable {
        /// `y`
        case byte(UInt8)
        /// `b`
        case boolean(Bool)
        /// `n`
        case int16(Int16)
        /// `q`
        case uint16(UInt16)
        /// `i`
        case int32(Int32)
        /// `u`
        case uint32(UInt32)
        /// `x`
        case int64(Int64)
        /// `t`
        case uint64(UInt64)
        /// `d`
        case double(Double)
        /// `s`
        case string(Text)
        /// `o`
        case objectPath(Text)
        /// `g`
        case signature(Text)
        /// `v`: the type of the value inside, and a reader of that one value.
        case variant(type: Text, FieldsReader)
        /// `a…`: the type of an element (`{…}` for a dictionary), and a reader of the elements or entries.
        case array(element: Text, FieldsReader)
        /// An entry of the fields or of a dictionary: a reader of the key and the value.
        case dictionaryEntry(FieldsReader)
        /// `(…)`: a reader of the members.
        case structure(FieldsReader)
    }

    let storage: ObjectStorage
    /// The range of the types of the remaining values. Negative positions refer to letters in
    /// `FieldsEncoder.prelude`.
    let types: Range<Int>
    var nextType: Int
    /// Whether all values have the same type, as the elements of an array do.
    let isRepeating: Bool
    var position: Int
    let end: Int

    /// Makes a reader of the entries of fields, in the order of their keys.
    public init(_ fields: Fields) {
        self.init(
            storage: fields.storage, types: -FieldsEncoder.prelude.count..<0, isRepeating: true, position: 0,
            end: fields.storage.fieldCount)
    }

    init(storage: ObjectStorage, types: Range<Int>, isRepeating: Bool, position: Int, end: Int) {
        self.storage = storage
        self.types = types
        self.nextType = types.lowerBound
        self.isRepeating = isRepeating
        self.position = position
        self.end = end
    }

    /// Whether all values were read.
    public var isAtEnd: Bool { isRepeating ? position >= end : nextType >= types.upperBound }

    /// Returns the next value and moves past it; nil at the end.
    ///
    /// - Complexity: O(1) for basic values and arrays, O(size) for structures, variants and entries.
    public mutating func next() -> Element? {
        guard !isAtEnd else { return nil }
        var cursor = FieldsCursor(nextType: nextType, typesEnd: types.upperBound, position: position, end: end)
        let element = storage.withFields { cursor.next(in: $0, of: storage) }
        position = cursor.position
        if !isRepeating { nextType = cursor.nextType }
        return element
    }

    /// Moves past the next value without decoding it.
    mutating func skip() {
        guard !isAtEnd else { return }
        var cursor = FieldsCursor(nextType: nextType, typesEnd: types.upperBound, position: position, end: end)
        storage.withFields { cursor.skip(in: $0) }
        position = cursor.position
        if !isRepeating { nextType = cursor.nextType }
    }
}

extension FieldsReader {
    /// Returns the next value with all that it contains and moves past it; nil at the end.
    ///
    /// - Complexity: O(size of the value).
    public mutating func nextValue() -> Value? {
        switch next() {
        case .byte(let number): .byte(number)
        case .boolean(let flag): .boolean(flag)
        case .int16(let number): .int16(number)
        case .uint16(let number): .uint16(number)
        case .int32(let number): .int32(number)
        case .uint32(let number): .uint32(number)
        case .int64(let number): .int64(number)
        case .uint64(let number): .uint64(number)
        case .double(let number): .double(number)
        case .string(let text): .string(text.string)
        case .objectPath(let text): .objectPath(text.string)
        case .signature(let text): .signature(text.string)
        case .variant(_, var inside): inside.nextValue().map { .variant($0) }
        case .array(let element, let inside): FieldsReader.arrayValue(elementType: element.string, from: inside)
        case .structure(let inside): .structure(inside.remainingValues())
        case .dictionaryEntry, nil: nil
        }
    }

    /// Decodes all remaining values.
    private func remainingValues() -> [Value] {
        var reader = self
        var values: [Value] = []
        while let value = reader.nextValue() { values.append(value) }
        return values
    }

    /// Decodes the content of an array, or of a dictionary if the element type is `{…}`.
    private static func arrayValue(elementType element: String, from inside: FieldsReader) -> Value {
        guard element.utf8.first == TypeCode.dictionaryEntry.rawValue else {
            return .array(element: element, inside.remainingValues())
        }
        var reader = inside
        var entries: [Value: Value] = [:]
        while case .dictionaryEntry(let entry) = reader.next() {
            let pair = entry.remainingValues()
            if pair.count == 2 { entries[pair[0]] = pair[1] }
        }
        let key = String(element.dropFirst().prefix(1))
        return .dictionary(key: key, value: String(element.dropFirst(2).dropLast()), entries)
    }
}

/// The position of a reader in canonical bytes: where the next value and its type are.
struct FieldsCursor {
    var nextType: Int
    let typesEnd: Int
    var position: Int
    let end: Int

    /// Returns the letter of a type at a position. Negative positions are in `FieldsEncoder.prelude`, the type of the
    /// fields themselves.
    private func letter(_ position: Int, in bytes: Span<UInt8>) -> UInt8 {
        let prelude = FieldsEncoder.prelude
        if position >= 0 { return position < bytes.count ? bytes[position] : 0 }
        return position >= -prelude.count ? prelude[prelude.count + position] : 0
    }

    private func typeEnd(in bytes: Span<UInt8>) -> Int {
        TypeSignature.endOfWellFormedType(at: nextType, before: typesEnd) { letter($0, in: bytes) }
    }

    /// Reads one value and moves past it. Returns nil when the bytes are not valid.
    mutating func next(in bytes: Span<UInt8>, of storage: ObjectStorage) -> FieldsReader.Element? {
        guard let code = TypeCode(rawValue: letter(nextType, in: bytes)) else { return nil }
        switch code {
        case .byte: return readInteger(UInt8.self, in: bytes).map { .byte($0) }
        case .boolean: return readInteger(UInt8.self, in: bytes).map { .boolean($0 != 0) }
        case .int16: return readInteger(Int16.self, in: bytes).map { .int16($0) }
        case .uint16: return readInteger(UInt16.self, in: bytes).map { .uint16($0) }
        case .int32: return readInteger(Int32.self, in: bytes).map { .int32($0) }
        case .uint32: return readInteger(UInt32.self, in: bytes).map { .uint32($0) }
        case .int64: return readInteger(Int64.self, in: bytes).map { .int64($0) }
        case .uint64: return readInteger(UInt64.self, in: bytes).map { .uint64($0) }
        case .double: return readInteger(UInt64.self, in: bytes).map { .double(Double(bitPattern: $0)) }
        case .string: return readText(in: bytes, of: storage).map { .string($0) }
        case .objectPath: return readText(in: bytes, of: storage).map { .objectPath($0) }
        case .signature: return readText(in: bytes, of: storage).map { .signature($0) }
        case .array: return readArray(in: bytes, of: storage)
        case .variant: return readVariant(in: bytes, of: storage)
        case .structure: return readMembers(in: bytes, of: storage).map { .structure($0) }
        case .dictionaryEntry: return readMembers(in: bytes, of: storage).map { .dictionaryEntry($0) }
        case .structureEnd, .dictionaryEntryEnd: return nil
        }
    }

    private mutating func readInteger<Number: FixedWidthInteger>(_: Number.Type, in bytes: Span<UInt8>) -> Number? {
        let size = Number.bitWidth / 8
        guard position + size <= min(end, bytes.count) else { return nil }
        var bits: UInt64 = 0
        for offset in 0..<size { bits |= UInt64(bytes[position + offset]) << UInt64(8 * offset) }
        position += size
        nextType += 1
        return Number(truncatingIfNeeded: bits)
    }

    /// Reads a count, moves past the bytes that it counts, and returns their range; nil when the bytes are not valid.
    mutating func readCountedRange(in bytes: Span<UInt8>) -> Range<Int>? {
        var start = position
        guard let count = CanonicalEncoding.readVarint(in: bytes, at: &start, end: min(end, bytes.count)),
            count <= min(end, bytes.count) - start
        else { return nil }
        position = start + count
        return start..<position
    }

    private mutating func readText(in bytes: Span<UInt8>, of storage: ObjectStorage) -> FieldsReader.Text? {
        guard let range = readCountedRange(in: bytes) else { return nil }
        nextType += 1
        return FieldsReader.Text(storage: storage, range: range)
    }

    private mutating func readArray(in bytes: Span<UInt8>, of storage: ObjectStorage) -> FieldsReader.Element? {
        let element = nextType + 1..<max(nextType + 1, typeEnd(in: bytes))
        guard let range = readCountedRange(in: bytes) else { return nil }
        nextType = element.upperBound
        let inside = FieldsReader(
            storage: storage, types: element, isRepeating: true, position: range.lowerBound, end: range.upperBound)
        return .array(element: FieldsReader.Text(storage: storage, range: element), inside)
    }

    private mutating func readVariant(in bytes: Span<UInt8>, of storage: ObjectStorage) -> FieldsReader.Element? {
        let types = skipVariant(in: bytes)
        let inside = FieldsReader(
            storage: storage, types: types, isRepeating: false, position: types.upperBound, end: position)
        return .variant(type: FieldsReader.Text(storage: storage, range: types), inside)
    }

    private mutating func readMembers(in bytes: Span<UInt8>, of storage: ObjectStorage) -> FieldsReader? {
        let types = nextType + 1..<max(nextType + 1, typeEnd(in: bytes) - 1)
        let start = position
        skip(in: bytes)
        return FieldsReader(storage: storage, types: types, isRepeating: false, position: start, end: position)
    }

    /// Moves past one value. When the bytes are not valid, moves to the end.
    mutating func skip(in bytes: Span<UInt8>) {
        guard let code = TypeCode(rawValue: letter(nextType, in: bytes)) else { return finish() }
        switch code {
        case .string, .objectPath, .signature:
            guard readCountedRange(in: bytes) != nil else { return finish() }
            nextType += 1
        case .array:
            nextType = typeEnd(in: bytes)
            guard readCountedRange(in: bytes) != nil else { return finish() }
        case .variant: _ = skipVariant(in: bytes)
        case .structure, .dictionaryEntry:
            let after = typeEnd(in: bytes)
            nextType += 1
            while nextType < after - 1, position <= end { skip(in: bytes) }
            nextType = after
        case .structureEnd, .dictionaryEntryEnd: finish()
        default:
            position = min(end, position + (code.fixedSize ?? 0))
            nextType += 1
        }
    }

    /// Moves past a variant and returns the location of its type, after which its value begins.
    mutating func skipVariant(in bytes: Span<UInt8>) -> Range<Int> {
        let start = position
        let after = TypeSignature.endOfWellFormedType(at: start, before: end) { letter($0, in: bytes) }
        var inner = FieldsCursor(nextType: start, typesEnd: after, position: after, end: end)
        inner.skip(in: bytes)
        position = inner.position
        nextType += 1
        return start..<min(after, position)
    }

    private mutating func finish() {
        position = end
        nextType = typesEnd
    }
}

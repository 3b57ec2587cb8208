// SPDX-License-Identifier: Apache-2.0

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

// SPDX-License-Identifier: Apache-2.0

/// A check of bytes from a file, a store or another process against the rules of the canonical encoding.
struct FieldsValidator {
    private var position = 0

    /// Returns whether bytes are a canonical encoding of fields.
    static func isCanonical(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count <= CanonicalEncoding.maximumByteCount else { return false }
        var validator = FieldsValidator()
        var previous: Range<Int>?
        while validator.position < bytes.count {
            guard let key = validator.consumeText(.string, in: bytes, end: bytes.count),
                isAscending(previous, key, in: bytes),
                validator.consumeVariant(in: bytes, end: bytes.count, depth: 0)
            else { return false }
            previous = key
        }
        return true
    }

    private static func isAscending(_ previous: Range<Int>?, _ key: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        guard let previous else { return true }
        return CanonicalEncoding.compare(previous, key, in: bytes) < 0
    }

    /// Moves past a variant inside `depth` containers, and returns whether its type and its value are valid.
    private mutating func consumeVariant(in bytes: Span<UInt8>, end: Int, depth: Int) -> Bool {
        // A fast path, as most values are text.
        if position < end, bytes[position] == TypeCode.string.rawValue {
            position += 1
            return consumeText(.string, in: bytes, end: end) != nil
        }
        let limit = min(end, position + TypeSignature.maximumLength)
        guard let after = TypeSignature.endOfCompleteType(at: position, before: limit, byte: { bytes[$0] }) else {
            return false
        }
        let types = position..<after
        position = after
        return consumeValue(of: types, in: bytes, end: end, depth: depth)
    }

    /// Moves past one value of a well-formed type, and returns whether the value is valid.
    private mutating func consumeValue(of types: Range<Int>, in bytes: Span<UInt8>, end: Int, depth: Int) -> Bool {
        guard let code = TypeCode(rawValue: bytes[types.lowerBound]) else { return false }
        if !code.isBasic, depth >= CanonicalEncoding.maximumDepth { return false }
        switch code {
        case .string, .objectPath, .signature: return consumeText(code, in: bytes, end: end) != nil
        case .variant: return consumeVariant(in: bytes, end: end, depth: depth + 1)
        case .array:
            return consumeArray(of: types.lowerBound + 1..<types.upperBound, in: bytes, end: end, depth: depth + 1)
        case .structure:
            var next = types.lowerBound + 1
            while next < types.upperBound - 1 {
                let after = TypeSignature.endOfWellFormedType(at: next, before: types.upperBound - 1) { bytes[$0] }
                guard consumeValue(of: next..<after, in: bytes, end: end, depth: depth + 1) else { return false }
                next = after
            }
            return true
        case .dictionaryEntry, .dictionaryEntryEnd, .structureEnd: return false
        default: return consumeNumber(code, in: bytes, end: end) != nil
        }
    }

    /// Moves past an array or a dictionary, and returns whether it is valid.
    private mutating func consumeArray(of element: Range<Int>, in bytes: Span<UInt8>, end: Int, depth: Int) -> Bool {
        guard let count = CanonicalEncoding.readVarint(in: bytes, at: &position, end: end), count <= end - position
        else {
            return false
        }
        let stop = position + count
        if bytes[element.lowerBound] == TypeCode.dictionaryEntry.rawValue {
            return consumeEntries(of: element, in: bytes, end: stop, depth: depth)
        }
        while position < stop {
            guard consumeValue(of: element, in: bytes, end: stop, depth: depth) else { return false }
        }
        return true
    }

    /// Moves past the entries of a dictionary up to `end`, and returns whether they are valid and in ascending order.
    private mutating func consumeEntries(of types: Range<Int>, in bytes: Span<UInt8>, end: Int, depth: Int) -> Bool {
        let code = TypeCode(rawValue: bytes[types.lowerBound + 1])
        guard let code, position == end || depth < CanonicalEncoding.maximumDepth else { return false }
        let content = types.lowerBound + 2..<types.upperBound - 1
        var previous: Range<Int>?
        while position < end {
            let key =
                code.fixedSize == nil
                ? consumeText(code, in: bytes, end: end) : consumeNumber(code, in: bytes, end: end)
            guard let key, FieldsValidator.isAscending(previous, key, in: bytes),
                consumeValue(of: content, in: bytes, end: end, depth: depth + 1)
            else { return false }
            previous = key
        }
        return true
    }

    /// Moves past a text and returns the range of its bytes, without its length; nil when the text is malformed.
    private mutating func consumeText(_ code: TypeCode, in bytes: Span<UInt8>, end: Int) -> Range<Int>? {
        guard let count = CanonicalEncoding.readVarint(in: bytes, at: &position, end: end), count <= end - position
        else {
            return nil
        }
        let range = position..<position + count
        position = range.upperBound
        return TextRules.isValid(bytes.extracting(range), as: code) ? range : nil
    }

    /// Moves past a number and returns the range of its bytes. Nil when it is cut off, a boolean other than 0 and 1,
    /// or a NaN other than the canonical one.
    private mutating func consumeNumber(_ code: TypeCode, in bytes: Span<UInt8>, end: Int) -> Range<Int>? {
        guard let size = code.fixedSize, size <= end - position else { return nil }
        let range = position..<position + size
        position = range.upperBound
        if code == .boolean, bytes[range.lowerBound] > 1 { return nil }
        guard code == .double else { return range }
        var bits: UInt64 = 0
        for offset in 0..<8 { bits |= UInt64(bytes[range.lowerBound + offset]) << UInt64(8 * offset) }
        return Double(bitPattern: bits).canonicalBits == bits ? range : nil
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Checks bytes from a file, a store or another process against the rules of the canonical encoding.
struct FieldsValidator {
    private var position = 0

    /// Whether bytes are the canonical encoding of some fields.
    static func isCanonical(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count <= CanonicalEncoding.maximumByteCount else { return false }
        var validator = FieldsValidator()
        var previous: Range<Int>?
        while validator.position < bytes.count {
            guard let key = validator.text(.string, in: bytes, end: bytes.count),
                isAscending(previous, key, in: bytes),
                validator.variant(in: bytes, end: bytes.count, depth: 0)
            else { return false }
            previous = key
        }
        return true
    }

    private static func isAscending(_ previous: Range<Int>?, _ key: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        guard let previous else { return true }
        return CanonicalEncoding.compare(previous, key, in: bytes) < 0
    }

    /// A type and a value of it, inside `depth` containers.
    private mutating func variant(in bytes: Span<UInt8>, end: Int, depth: Int) -> Bool {
        // Most values are text.
        if position < end, bytes[position] == TypeCode.string.rawValue {
            position += 1
            return text(.string, in: bytes, end: end) != nil
        }
        let limit = min(end, position + TypeSignature.maximumLength)
        guard let after = TypeSignature.end(of: position, before: limit, byte: { bytes[$0] }) else { return false }
        let types = position..<after
        position = after
        return value(of: types, in: bytes, end: end, depth: depth)
    }

    /// One value of a well-formed type.
    private mutating func value(of types: Range<Int>, in bytes: Span<UInt8>, end: Int, depth: Int) -> Bool {
        guard let code = TypeCode(rawValue: bytes[types.lowerBound]) else { return false }
        if !code.isBasic, depth >= CanonicalEncoding.maximumDepth { return false }
        switch code {
        case .string, .objectPath, .signature: return text(code, in: bytes, end: end) != nil
        case .variant: return variant(in: bytes, end: end, depth: depth + 1)
        case .array: return array(of: types.lowerBound + 1..<types.upperBound, in: bytes, end: end, depth: depth + 1)
        case .structure:
            var next = types.lowerBound + 1
            while next < types.upperBound - 1 {
                let after = TypeSignature.knownEnd(of: next, before: types.upperBound - 1) { bytes[$0] }
                guard value(of: next..<after, in: bytes, end: end, depth: depth + 1) else { return false }
                next = after
            }
            return true
        case .dictionaryEntry, .dictionaryEntryEnd, .structureEnd: return false
        default: return number(code, in: bytes, end: end) != nil
        }
    }

    private mutating func array(of element: Range<Int>, in bytes: Span<UInt8>, end: Int, depth: Int) -> Bool {
        guard let count = CanonicalEncoding.varint(in: bytes, at: &position, end: end), count <= end - position else {
            return false
        }
        let stop = position + count
        if bytes[element.lowerBound] == TypeCode.dictionaryEntry.rawValue {
            return entries(of: element, in: bytes, end: stop, depth: depth)
        }
        while position < stop {
            guard value(of: element, in: bytes, end: stop, depth: depth) else { return false }
        }
        return true
    }

    private mutating func entries(of types: Range<Int>, in bytes: Span<UInt8>, end: Int, depth: Int) -> Bool {
        let code = TypeCode(rawValue: bytes[types.lowerBound + 1])
        guard let code, position == end || depth < CanonicalEncoding.maximumDepth else { return false }
        let content = types.lowerBound + 2..<types.upperBound - 1
        var previous: Range<Int>?
        while position < end {
            let key = code.fixedSize == nil ? text(code, in: bytes, end: end) : number(code, in: bytes, end: end)
            guard let key, FieldsValidator.isAscending(previous, key, in: bytes),
                value(of: content, in: bytes, end: end, depth: depth + 1)
            else { return false }
            previous = key
        }
        return true
    }

    /// The bytes of a text without its count; nil when it is malformed.
    private mutating func text(_ code: TypeCode, in bytes: Span<UInt8>, end: Int) -> Range<Int>? {
        guard let count = CanonicalEncoding.varint(in: bytes, at: &position, end: end), count <= end - position else {
            return nil
        }
        let range = position..<position + count
        position = range.upperBound
        return TextRules.isValid(bytes.extracting(range), as: code) ? range : nil
    }

    /// The bytes of a number; nil when it is cut off, no boolean, or a NaN other than the one.
    private mutating func number(_ code: TypeCode, in bytes: Span<UInt8>, end: Int) -> Range<Int>? {
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

// SPDX-License-Identifier: Apache-2.0

/// The canonical encoding of fields: each content has exactly one sequence of bytes, so that equality is `memcmp`.
///
///     fields     = entry*                          keys strictly ascending
///     entry      = text variant                    the key, then the value
///     variant    = type value                      type: the letters of one complete D-Bus type; its grammar says where it ends
///     text       = varint(count) byte*             s: UTF-8 without NUL; o: a valid path; g: a valid signature
///     array      = varint(byte count) value*       a…, except a{…}
///     dictionary = varint(byte count) (key value)* a{…}, keys strictly ascending
///     structure  = value+
///     number     = 1 (y, b), 2 (n, q), 4 (i, u) or 8 (x, t, d) bytes, little-endian
///     varint     = 7 bits a byte, lowest first, high bit = more follows; the shortest form, at most 32 bits
///
/// Nothing is aligned. A boolean is 0 or 1; every NaN is 7FF8000000000000. Keys are compared byte by byte, without their
/// counts: text by its UTF-8, numbers by their little-endian bytes. Repeated keys do not occur (of repeated keys in the input
/// the last one is kept). A value lies inside at most 32 containers, where an array, a dictionary entry, a structure and a
/// variant count one each, and the entry and the variant of the fields themselves do not count.
enum CanonicalEncoding {
    /// The maximum number of containers inside each other in the value of a field (the D-Bus contract, "Depth").
    static let maximumDepth = 32

    /// The maximum length of fields in bytes. With it every offset fits into 32 bits.
    static let maximumByteCount = Int(Int32.max)

    /// Appends a count in its shortest form.
    static func append(varint number: Int, to bytes: inout [UInt8]) {
        var rest = UInt32(truncatingIfNeeded: number)
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a count and moves `position` past it. Returns nil when the count is cut off, too large or not in its
    /// shortest form.
    static func readVarint(in bytes: Span<UInt8>, at position: inout Int, end: Int) -> Int? {
        var result = 0
        var shift = 0
        while position < end, shift <= 28 {
            let byte = bytes[position]
            position += 1
            result |= Int(byte & 0x7F) << shift
            if byte < 0x80 {
                let isShortest = byte != 0 || shift == 0
                return isShortest && result <= maximumByteCount ? result : nil
            }
            shift += 7
        }
        return nil
    }

    /// Compares two runs of bytes: negative if `first` comes first, 0 if they are equal. The first differing byte
    /// decides; if there is none, the shorter run comes first.
    static func compare(_ first: Range<Int>, _ second: Range<Int>, in bytes: Span<UInt8>) -> Int {
        var (a, b) = (first.lowerBound, second.lowerBound)
        while a < first.upperBound, b < second.upperBound {
            let difference = Int(bytes[a]) - Int(bytes[b])
            if difference != 0 { return difference }
            a += 1
            b += 1
        }
        return first.count - second.count
    }
}

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

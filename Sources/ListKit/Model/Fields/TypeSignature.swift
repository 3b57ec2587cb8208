// SPDX-License-Identifier: Apache-2.0

/// The grammar of D-Bus signatures (D-Bus specification, "Valid Signatures").
enum TypeSignature {
    /// The maximum number of letters of a signature.
    static let maximumLength = 255

    /// Returns the end of the complete type that starts at a position; nil if no complete type starts there.
    ///
    /// - Parameter byte: returns the letter at a position below `limit`.
    static func endOfCompleteType(
        at start: Int, before limit: Int, arrays: Int = 0, structures: Int = 0, byte: (Int) -> UInt8
    ) -> Int? {
        guard start < limit, let code = TypeCode(rawValue: byte(start)) else { return nil }
        switch code {
        case .array:
            guard arrays < 32 else { return nil }
            if start + 1 < limit, byte(start + 1) == TypeCode.dictionaryEntry.rawValue {
                return endOfDictionaryEntry(
                    at: start + 1, before: limit, arrays: arrays + 1, structures: structures, byte: byte)
            }
            return endOfCompleteType(
                at: start + 1, before: limit, arrays: arrays + 1, structures: structures, byte: byte)
        case .structure:
            guard structures < 32 else { return nil }
            var position = start + 1
            while position < limit, byte(position) != TypeCode.structureEnd.rawValue {
                let next = endOfCompleteType(
                    at: position, before: limit, arrays: arrays, structures: structures + 1, byte: byte)
                guard let next else { return nil }
                position = next
            }
            return position < limit && position > start + 1 ? position + 1 : nil
        case .structureEnd, .dictionaryEntry, .dictionaryEntryEnd: return nil
        default: return start + 1
        }
    }

    /// Returns the end of the dictionary entry that starts at a position; nil for a malformed entry. An entry has a
    /// basic type and a complete type, and counts as a structure for the nesting.
    private static func endOfDictionaryEntry(
        at start: Int, before limit: Int, arrays: Int, structures: Int, byte: (Int) -> UInt8
    ) -> Int? {
        guard structures < 32, start + 1 < limit, let key = TypeCode(rawValue: byte(start + 1)), key.isBasic else {
            return nil
        }
        let value = endOfCompleteType(
            at: start + 2, before: limit, arrays: arrays, structures: structures + 1, byte: byte)
        guard let value, value < limit, byte(value) == TypeCode.dictionaryEntryEnd.rawValue else { return nil }
        return value + 1
    }

    /// Returns the end of a complete type that is known to be well formed. It counts brackets instead of checking the
    /// type.
    static func endOfWellFormedType(at start: Int, before limit: Int, byte: (Int) -> UInt8) -> Int {
        var position = start
        var open = 0
        while position < limit {
            switch TypeCode(rawValue: byte(position)) {
            case .array:
                position += 1
                continue
            case .structure, .dictionaryEntry: open += 1
            case .structureEnd, .dictionaryEntryEnd: open -= 1
            default: break
            }
            position += 1
            if open <= 0 { return position }
        }
        return limit
    }

    /// Returns whether bytes are exactly one complete type.
    static func isComplete(_ bytes: Span<UInt8>) -> Bool {
        let count = bytes.count
        return count <= maximumLength && endOfCompleteType(at: 0, before: count) { bytes[$0] } == count
    }

    /// Returns whether bytes are zero or more complete types.
    static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count <= maximumLength else { return false }
        var position = 0
        while position < bytes.count {
            guard let next = endOfCompleteType(at: position, before: bytes.count, byte: { bytes[$0] }) else {
                return false
            }
            position = next
        }
        return true
    }
}

/// The letters of D-Bus signatures (D-Bus specification, "Type System"), without `h`.
@_spi(Daemon) @frozen public enum TypeCode: UInt8, Sendable, Hashable {
    /// `y`
    case byte = 0x79
    /// `b`
    case boolean = 0x62
    /// `n`
    case int16 = 0x6E
    /// `q`
    case uint16 = 0x71
    /// `i`
    case int32 = 0x69
    /// `u`
    case uint32 = 0x75
    /// `x`
    case int64 = 0x78
    /// `t`
    case uint64 = 0x74
    /// `d`
    case double = 0x64
    /// `s`
    case string = 0x73
    /// `o`
    case objectPath = 0x6F
    /// `g`
    case signature = 0x67
    /// `v`
    case variant = 0x76
    /// `a`
    case array = 0x61
    /// `(`
    case structure = 0x28
    /// `)`
    case structureEnd = 0x29
    /// `{`
    case dictionaryEntry = 0x7B
    /// `}`
    case dictionaryEntryEnd = 0x7D

    /// Whether the type is basic, that is, allowed for the keys of a dictionary.
    var isBasic: Bool {
        switch self {
        case .variant, .array, .structure, .structureEnd, .dictionaryEntry, .dictionaryEntryEnd: false
        default: true
        }
    }

    /// The encoded size of every value of the type, in bytes; nil if the size varies.
    var fixedSize: Int? {
        switch self {
        case .byte, .boolean: 1
        case .int16, .uint16: 2
        case .int32, .uint32: 4
        case .int64, .uint64, .double: 8
        default: nil
        }
    }
}

/// The rules of D-Bus for strings, object paths and signatures.
enum TextRules {
    /// Returns whether bytes are UTF-8 without NUL (D-Bus specification, `STRING`).
    static func isString(_ text: Span<UInt8>) -> Bool {
        if isPlainASCII(text) { return true }
        for position in text.indices where text[position] == 0 { return false }
        return (try? UTF8Span(validating: text)) != nil
    }

    /// Returns whether every byte is ASCII other than NUL. Reads eight bytes at a time, the last ones twice if need be.
    private static func isPlainASCII(_ text: Span<UInt8>) -> Bool {
        // Every load below is inside the bounds.
        let bytes = unsafe text.bytes
        let count = bytes.byteCount
        guard count >= 8 else {
            for position in text.indices where text[position] == 0 || text[position] > 0x7F { return false }
            return true
        }
        var position = 0
        while position < count {
            let start = min(position, count - 8)
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self)
            let hasZero = (word &- 0x0101_0101_0101_0101) & ~word
            if (word | hasZero) & 0x8080_8080_8080_8080 != 0 { return false }
            position += 8
        }
        return true
    }

    /// Returns whether bytes are an object path (D-Bus specification, "Valid Object Paths").
    static func isObjectPath(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0, text[0] == 0x2F else { return false }
        if text.count == 1 { return true }
        var previous: UInt8 = 0
        for position in text.indices {
            let byte = text[position]
            switch byte {
            case 0x2F: if previous == 0x2F { return false }
            case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: break
            default: return false
            }
            previous = byte
        }
        return previous != 0x2F
    }

    /// Returns whether bytes are valid text of type `s`, `o` or `g`. False for every other type.
    static func isValid(_ text: Span<UInt8>, as code: TypeCode) -> Bool {
        switch code {
        case .string: isString(text)
        case .objectPath: isObjectPath(text)
        case .signature: TypeSignature.isValid(text)
        default: false
        }
    }
}

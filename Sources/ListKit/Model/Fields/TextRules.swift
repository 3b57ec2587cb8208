// SPDX-License-Identifier: Apache-2.0

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

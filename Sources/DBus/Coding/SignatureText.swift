// SPDX-License-Identifier: Apache-2.0

/// Functions that scan valid signatures in place, without allocating strings.
@usableFromInline
enum SignatureText {
    /// Returns the length of the first complete type of a valid signature.
    ///
    /// - Complexity: O(length of that type)
    @usableFromInline
    static func firstTypeLength(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        var position = 0
        while position < text.count, unsafe text[position] == UInt8(ascii: "a") { position += 1 }
        var depth = 0
        while position < text.count {
            switch unsafe text[position] {
            case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { break }
        }
        return position
    }

    /// Static storage for one-byte signatures; pointers into it stay valid forever.
    nonisolated(unsafe) private static let letters: UnsafeMutablePointer<UInt8> = {
        // Owned by the process; never written again and never freed.
        let letters = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        for letter in 0..<256 { unsafe (letters + letter).initialize(to: UInt8(truncatingIfNeeded: letter)) }
        return unsafe letters
    }()

    /// Returns a one-letter type in static storage: a basic type or the variant. Returns nil for all other types.
    @usableFromInline
    static func staticText(ofOneLetterType type: Span<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        guard type.count == 1, let code = TypeCode(signatureByte: type[0]), code.isBasic || code == .variant else {
            return nil
        }
        return unsafe UnsafeBufferPointer(start: letters + Int(type[0]), count: 1)
    }
}

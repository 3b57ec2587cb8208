// SPDX-License-Identifier: Apache-2.0

/// Text that is compared by its UTF-8 bytes.
///
/// D-Bus clients compare bytes, whereas Swift strings are equal when they are canonically equivalent, such as two
/// encodings of é.
public struct ExactText: Hashable, Sendable {
    /// The text.
    public let text: String

    /// Makes text that is compared byte by byte.
    public init(_ text: String) { self.text = text }

    /// Returns whether the text's UTF-8 equals `bytes`.
    public func hasBytes(_ bytes: Span<UInt8>) -> Bool { text.withUTF8Bytes { $0.isIdenticalBytes(to: bytes) } }

    /// Returns whether both have the same UTF-8 bytes.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.text.withUTF8Bytes { bytes in rhs.text.withUTF8Bytes { bytes.isIdenticalBytes(to: $0) } }
    }

    /// Hashes the UTF-8 bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(text.withUTF8Bytes { SeededHash.hash($0) }) }
}

/// A fast hash of bytes for tables in memory, made of folded 64-bit multiplications with a secret random seed per
/// process.
///
/// Like wyhash, it reads 16 bytes in each step. Hash values differ between processes and must never be stored.
enum SeededHash {
    private static let seed: (UInt64, UInt64) = {
        var random = SystemRandomNumberGenerator()
        return (random.next() | 1, random.next() | 1)
    }()

    /// Returns the hash of bytes.
    ///
    /// - Complexity: O(count); about a nanosecond for 16 bytes.
    static func hash(_ span: Span<UInt8>) -> UInt64 {
        let (first, second) = seed
        // Every load below is within the bounds: the loop and `tail` compare with the count.
        let bytes = unsafe span.bytes
        let count = bytes.byteCount
        var state = first ^ UInt64(truncatingIfNeeded: count)
        var position = 0
        while count - position > 16 {
            let a = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            let b = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: position + 8, as: UInt64.self)
            state = fold(a ^ second, b ^ state)
            position += 16
        }
        let (a, b) = tail(of: bytes, from: position)
        return fold(fold(a ^ second, b ^ state) ^ first, second ^ UInt64(truncatingIfNeeded: count))
    }

    /// Returns the last 0 to 16 bytes as two words.
    private static func tail(of bytes: RawSpan, from position: Int) -> (UInt64, UInt64) {
        let count = bytes.byteCount
        let rest = count - position
        // Every load is within the bounds, by the comparisons with `rest`. The two loads overlap and read some bytes
        // twice, which avoids branches.
        if rest >= 8 {
            return unsafe (
                bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self),
                bytes.unsafeLoadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            )
        }
        if rest >= 4 {
            return unsafe (
                UInt64(bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt32.self)),
                UInt64(bytes.unsafeLoadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            )
        }
        var word: UInt64 = 0
        for offset in position..<count {
            word = unsafe word << 8 | UInt64(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        }
        return (word, 0)
    }

    @inline(__always)
    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
}

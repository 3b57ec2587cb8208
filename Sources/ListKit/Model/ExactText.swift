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

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
    public func hasBytes(_ bytes: Span<UInt8>) -> Bool { text.utf8Span.span.isIdenticalBytes(to: bytes) }

    /// Returns whether both have the same UTF-8 bytes.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.text.utf8Span.span.isIdenticalBytes(to: rhs.text.utf8Span.span)
    }

    /// Hashes the UTF-8 bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(SeededHash.hash(text.utf8Span.span)) }
}

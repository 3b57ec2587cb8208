// SPDX-License-Identifier: Apache-2.0

/// Text that is compared by the bytes of its UTF-8.
///
/// Clients on a bus compare bytes; Swift's strings are equal when they are canonically equivalent, such as two
/// spellings of é.
public struct ExactText: Hashable, Sendable {
    /// The text.
    public let text: String

    /// Makes text that is compared byte by byte.
    public init(_ text: String) { self.text = text }

    /// Whether its UTF-8 equals these bytes.
    public func hasBytes(_ bytes: Span<UInt8>) -> Bool { text.utf8Span.span.isIdenticalBytes(to: bytes) }

    /// Compares bytes.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.text.utf8Span.span.isIdenticalBytes(to: rhs.text.utf8Span.span)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(SeededHash.hash(text.utf8Span.span)) }
}

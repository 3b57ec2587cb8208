// SPDX-License-Identifier: Apache-2.0

/// A text to search for without regard to upper and lower case, by full Unicode case folding and without normalisation
/// (``CaseFolding``).
@_spi(Daemon) public struct FoldedText: Sendable, Equatable {
    private let search: ByteSearch
    private let isASCII: Bool

    /// Folds a text.
    ///
    /// - Complexity: O(size).
    public init(_ text: String) {
        let span = text.utf8Span.span
        let capacity = span.count * CaseFolding.mostBytesForOne
        // Room for the longest that the text can become.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            if let start = buffer.baseAddress { count = unsafe CaseFolding.fold(span, to: start) }
        }
        search = ByteSearch(bytes)
        isASCII = ByteSearch.isASCII(bytes.span)
    }

    /// Whether the text is empty.
    public var isEmpty: Bool { search.bytes.isEmpty }

    /// The folded text.
    public var text: String { String(decoding: search.bytes, as: UTF8.self) }

    /// Whether this text contains another one, so that any text with this one contains the other too.
    public func contains(_ other: FoldedText) -> Bool { other.search.isContained(in: search.bytes.span) }

    /// Whether a text contains this one; every text contains an empty one.
    ///
    /// Text of ASCII is folded in registers while it is searched; other text is folded to a buffer of its own first.
    /// - Parameter text: UTF-8.
    /// - Complexity: O(count).
    public func isContained(in text: Span<UInt8>) -> Bool {
        if isEmpty { return true }
        if ByteSearch.isASCII(text) { return isASCII && search.isContained(in: text) }
        let capacity = text.count * CaseFolding.mostBytesForOne
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
            // The buffer has the room that folding may need, and as many bytes of it are read as were written.
            guard let start = buffer.baseAddress else { return false }
            let count = unsafe CaseFolding.fold(text, to: start)
            return unsafe search.isContained(in: Span(_unsafeStart: start, count: count))
        }
    }
}

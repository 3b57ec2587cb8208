// SPDX-License-Identifier: Apache-2.0

/// A text to search for without regard to case, by full Unicode case folding and without normalisation
/// (``CaseFolding``).
@_spi(Daemon) public struct FoldedText: Sendable, Equatable {
    private let search: ByteSearch
    private let isASCII: Bool

    /// Folds a text.
    ///
    /// - Complexity: O(size).
    public init(_ text: String) {
        let span = text.utf8Span.span
        let capacity = span.count * CaseFolding.maximumGrowth
        // The capacity is the maximum length of the folded text.
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

    /// Returns whether this text contains another text. If so, any text with this text in it also contains the other.
    public func contains(_ other: FoldedText) -> Bool { other.search.isContained(in: search.bytes.span) }

    /// Returns whether a text contains this text. Every text contains the empty text.
    ///
    /// ASCII text is folded in registers during the search. Other text is first folded to a temporary buffer.
    /// - Parameter text: the UTF-8 bytes to search in.
    /// - Complexity: O(count).
    public func isContained(in text: Span<UInt8>) -> Bool {
        if isEmpty { return true }
        if ByteSearch.isASCII(text) { return isASCII && search.isContained(in: text) }
        let capacity = text.count * CaseFolding.maximumGrowth
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
            // The buffer has room for the longest folding, and only the bytes that were written are read.
            guard let start = buffer.baseAddress else { return false }
            let count = unsafe CaseFolding.fold(text, to: start)
            return unsafe search.isContained(in: Span(_unsafeStart: start, count: count))
        }
    }
}

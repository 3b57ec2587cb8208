// SPDX-License-Identifier: Apache-2.0

/// A search for objects that contain a text, in any of their text fields or only in the given fields.
///
/// Text fields are the top-level fields with a value of type `s`.
@_spi(Daemon) public struct TextSearch: Sendable, Equatable {
    /// The text to search for.
    public let text: FoldedText
    /// The keys of the fields to search in; empty for all text fields.
    public let fields: Set<ExactText>
    /// The keys in `fields` as UTF-8, sorted for a binary search.
    private let keys: [[UInt8]]

    /// Makes a search.
    ///
    /// - Parameters:
    ///   - text: the text to search for. Every object contains an empty text.
    ///   - fields: the keys of the fields to search in; empty for all text fields.
    public init(_ text: String, in fields: some Sequence<String> = []) {
        self.text = FoldedText(text)
        self.fields = Set(fields.map { ExactText($0) })
        // The sorted order makes two searches in the same fields equal.
        keys = self.fields.map { Array($0.text.utf8) }.sorted {
            $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count < $1.count
        }
    }

    /// Returns whether an object contains the text.
    ///
    /// - Complexity: O(size) without decoding.
    public func matches(_ object: ListObject) -> Bool {
        if text.isEmpty { return true }
        return object.storage.withFields { bytes in
            var cursor = FieldsCursor(overEntriesOf: bytes)
            while let entry = cursor.nextEntry(in: bytes) {
                guard let range = entry.text(in: bytes) else { continue }
                guard keys.isEmpty || isSearchedField(bytes.extracting(entry.key)) else { continue }
                if text.isContained(in: bytes.extracting(range)) { return true }
            }
            return false
        }
    }

    private func isSearchedField(_ key: Span<UInt8>) -> Bool {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = low + (high - low) / 2
            if Self.isBefore(keys[middle], key) { low = middle + 1 } else { high = middle }
        }
        guard low < keys.count else { return false }
        let candidate = keys[low]
        return key.isIdenticalBytes(to: candidate.span)
    }

    /// Returns whether a key comes first: shorter keys come first, because comparing lengths usually decides.
    private static func isBefore(_ left: [UInt8], _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return left.count < right.count }
        for index in left.indices where left[index] != right[index] { return left[index] < right[index] }
        return false
    }
}

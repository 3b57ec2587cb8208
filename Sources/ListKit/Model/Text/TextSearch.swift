// SPDX-License-Identifier: Apache-2.0

/// Searches objects for a text, in some of their text fields or in all of them.
///
/// Text fields are those of the top level whose value has type `s`.
@_spi(Daemon) public struct TextSearch: Sendable, Equatable {
    /// The text to search for.
    public let text: FoldedText
    /// The keys of the fields to search in; empty = all.
    public let fields: Set<ExactText>
    /// The same, sorted so that one of very many is found quickly.
    private let keys: [[UInt8]]

    /// Makes a search.
    ///
    /// - Parameters:
    ///   - text: the text to search for; an empty text is in every object.
    ///   - fields: the keys of the fields to search in; none = every text field.
    public init(_ text: String, in fields: some Sequence<String> = []) {
        self.text = FoldedText(text)
        self.fields = Set(fields.map { ExactText($0) })
        // Two searches in the same fields are equal.
        keys = self.fields.map { Array($0.text.utf8) }.sorted {
            $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count < $1.count
        }
    }

    /// Whether an object contains the text.
    ///
    /// - Complexity: O(size) without decoding.
    public func matches(_ object: ListObject) -> Bool {
        if text.isEmpty { return true }
        return object.storage.withFields { bytes in
            var cursor = FieldsCursor(overEntriesOf: bytes)
            while let entry = cursor.nextEntry(in: bytes) {
                guard let range = entry.text(in: bytes) else { continue }
                guard keys.isEmpty || isWanted(bytes.extracting(entry.key)) else { continue }
                if text.isContained(in: bytes.extracting(range)) { return true }
            }
            return false
        }
    }

    private func isWanted(_ key: Span<UInt8>) -> Bool {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = low + (high - low) / 2
            if Self.isBefore(keys[middle], key) { low = middle + 1 } else { high = middle }
        }
        guard low < keys.count else { return false }
        let candidate = keys[low]
        return key.isIdenticalBytes(to: candidate.span)
    }

    /// Short keys first, because mostly the lengths differ.
    private static func isBefore(_ left: [UInt8], _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return left.count < right.count }
        for index in left.indices where left[index] != right[index] { return left[index] < right[index] }
        return false
    }
}

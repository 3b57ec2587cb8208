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

/// A search for bytes in text. ASCII letters of the text are folded to lower case.
struct ByteSearch: Sendable, Equatable {
    /// The maximum length of a short pattern, for which the number of comparisons is not limited.
    private static let maximumShortPattern = 16

    /// The pattern: the bytes to search for.
    let bytes: [UInt8]
    /// For each prefix of the pattern, by the index of its last byte: the length of the longest shorter prefix that is
    /// also a suffix of the prefix, as Knuth, Morris and Pratt's algorithm needs it. Empty for a short pattern.
    private let overlaps: [Int32]

    /// - Parameter bytes: the pattern, with its case folded.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        overlaps = bytes.count > Self.maximumShortPattern ? Self.overlaps(of: bytes) : []
    }

    /// Returns whether all bytes are ASCII.
    @inline(__always)
    static func isASCII(_ text: Span<UInt8>) -> Bool {
        // Every load below is within the bounds, by the comparison with the count.
        let bytes = unsafe text.bytes
        let count = bytes.byteCount
        var position = 0
        var seen: UInt64 = 0
        while position + 8 <= count {
            seen |= unsafe bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            position += 8
        }
        while position < count {
            seen |= UInt64(text[position])
            position += 1
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }

    /// Returns whether a text, with its ASCII letters folded, contains the pattern.
    ///
    /// Candidate positions are found by the first and the last byte of the pattern, sixteen positions in one step,
    /// and then compared. After too many mismatches the rest of the text is searched by Knuth, Morris and Pratt's
    /// algorithm.
    /// - Complexity: O(count).
    func isContained(in text: Span<UInt8>) -> Bool {
        let places = text.count - bytes.count + 1
        if bytes.isEmpty { return true }
        if places <= 0 { return false }
        if places >= Block.scalarCount { return searchInBlocks(of: text, places) }
        var mismatchBudget = mismatchBudget(for: text)
        for place in 0..<places {
            if matches(in: text, at: place, &mismatchBudget) { return true }
            if mismatchBudget < 0 { return searchInOnePass(in: text, from: place) }
        }
        return false
    }

    /// A concrete type, because the operations of a generic SIMD type are done lane by lane.
    private typealias Block = SIMD16<UInt8>

    private func searchInBlocks(of text: Span<UInt8>, _ places: Int) -> Bool {
        let (first, last) = (bytes[0], bytes[bytes.count - 1])
        let (firsts, lasts) = (Block(repeating: first), Block(repeating: last))
        let (firstFold, lastFold) = (Self.caseBit(of: first), Self.caseBit(of: last))
        let width = Block.scalarCount
        var mismatchBudget = mismatchBudget(for: text)
        var place = 0
        while true {
            // At least `width` positions are left from `place` on, so both loads end inside the text.
            let atFirst = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: place, as: Block.self) | firstFold
            let end = place + bytes.count - 1
            let atLast = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: end, as: Block.self) | lastFold
            // Zero where both bytes match.
            let differences = (atFirst ^ firsts) | (atLast ^ lasts)
            // Any sixteen bytes are valid as two words.
            let words = unsafe unsafeBitCast(differences, to: SIMD2<UInt64>.self)
            if Self.hasZero(words[0]) || Self.hasZero(words[1]) {
                for lane in 0..<width
                where differences[lane] == 0 && matches(in: text, at: place + lane, &mismatchBudget) {
                    return true
                }
                if mismatchBudget < 0 { return searchInOnePass(in: text, from: place) }
            }
            if place == places - width { return false }
            place = min(place + width, places - width)
        }
    }

    /// Returns the bit that converts a letter of either case to `byte`; 0 if `byte` is not a letter.
    private static func caseBit(of byte: UInt8) -> Block {
        Block(repeating: byte &- 0x61 < 26 ? 0x20 : 0)
    }

    /// Returns whether one of the eight bytes of a word is zero.
    @inline(__always)
    private static func hasZero(_ word: UInt64) -> Bool {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0
    }

    /// Returns the number of bytes that may be compared in vain before the search changes its algorithm.
    private func mismatchBudget(for text: Span<UInt8>) -> Int { overlaps.isEmpty ? .max : 4 * text.count }

    @inline(__always)
    private func matches(in text: Span<UInt8>, at place: Int, _ mismatchBudget: inout Int) -> Bool {
        for position in bytes.indices where CaseFolding.fold(text[place + position]) != bytes[position] {
            mismatchBudget -= position
            return false
        }
        return true
    }

    /// Searches the text from a position on by Knuth, Morris and Pratt's algorithm, which reads each byte once.
    private func searchInOnePass(in text: Span<UInt8>, from place: Int) -> Bool {
        var matched = 0
        for position in place..<text.count {
            let byte = CaseFolding.fold(text[position])
            while matched > 0, bytes[matched] != byte { matched = Int(overlaps[matched - 1]) }
            if bytes[matched] == byte { matched += 1 }
            if matched == bytes.count { return true }
        }
        return false
    }

    private static func overlaps(of bytes: [UInt8]) -> [Int32] {
        var overlaps: [Int32] = [0]
        overlaps.reserveCapacity(bytes.count)
        var matched = 0
        for byte in bytes.dropFirst() {
            while matched > 0, bytes[matched] != byte { matched = Int(overlaps[matched - 1]) }
            if bytes[matched] == byte { matched += 1 }
            overlaps.append(Int32(truncatingIfNeeded: matched))
        }
        return overlaps
    }
}

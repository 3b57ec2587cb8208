// SPDX-License-Identifier: Apache-2.0

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

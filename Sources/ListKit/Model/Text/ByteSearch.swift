// SPDX-License-Identifier: Apache-2.0

/// Searches text for bytes, folding the letters of ASCII in the text to lower case.
struct ByteSearch: Sendable, Equatable {
    /// Up to so many bytes to search for, the comparisons at all places of a text are not limited.
    private static let fewBytes = 16

    /// The bytes to search for.
    let bytes: [UInt8]
    /// For each byte, the length of the longest proper prefix of the pattern that ends before it; empty for a short
    /// pattern.
    private let overlaps: [Int32]

    /// - Parameter bytes: folded.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        overlaps = bytes.count > Self.fewBytes ? Self.overlaps(of: bytes) : []
    }

    /// Whether all bytes are ASCII.
    @inline(__always)
    static func isASCII(_ text: Span<UInt8>) -> Bool {
        // Every load below is guarded by the count.
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

    /// Whether a text, with ASCII letters folded, contains the pattern.
    ///
    /// Places are found by the first and the last byte, sixteen places in one step, and compared; after too many mismatches
    /// the rest is searched by Knuth, Morris and Pratt's algorithm.
    /// - Complexity: O(count).
    func isContained(in text: Span<UInt8>) -> Bool {
        let places = text.count - bytes.count + 1
        if bytes.isEmpty { return true }
        if places <= 0 { return false }
        if places >= Block.scalarCount { return findInBlocks(of: text, places) }
        var budget = budget(for: text)
        for place in 0..<places {
            if isThere(in: text, at: place, &budget) { return true }
            if budget < 0 { return findWithoutReturning(in: text, from: place) }
        }
        return false
    }

    /// One concrete type: the operations of a generic one are done lane by lane.
    private typealias Block = SIMD16<UInt8>

    private func findInBlocks(of text: Span<UInt8>, _ places: Int) -> Bool {
        let (first, last) = (bytes[0], bytes[bytes.count - 1])
        let (firsts, lasts) = (Block(repeating: first), Block(repeating: last))
        let (firstFold, lastFold) = (Self.fold(to: first), Self.fold(to: last))
        let width = Block.scalarCount
        var budget = budget(for: text)
        var place = 0
        while true {
            // A block begins at a place that is followed by at least `width` bytes, so that it ends inside the text.
            let atFirst = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: place, as: Block.self) | firstFold
            let end = place + bytes.count - 1
            let atLast = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: end, as: Block.self) | lastFold
            // Zero where both bytes match.
            let differences = (atFirst ^ firsts) | (atLast ^ lasts)
            // Any sixteen bytes are two words.
            let words = unsafe unsafeBitCast(differences, to: SIMD2<UInt64>.self)
            if Self.hasZero(words[0]) || Self.hasZero(words[1]) {
                for lane in 0..<width where differences[lane] == 0 && isThere(in: text, at: place + lane, &budget) {
                    return true
                }
                if budget < 0 { return findWithoutReturning(in: text, from: place) }
            }
            if place == places - width { return false }
            place = min(place + width, places - width)
        }
    }

    /// The bit that converts both cases of a letter to the folded one; 0 for other bytes.
    private static func fold(to byte: UInt8) -> Block {
        Block(repeating: byte &- 0x61 < 26 ? 0x20 : 0)
    }

    /// Whether one of eight bytes is zero.
    @inline(__always)
    private static func hasZero(_ word: UInt64) -> Bool {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0
    }

    /// How many bytes of mismatches may be compared.
    private func budget(for text: Span<UInt8>) -> Int { overlaps.isEmpty ? .max : 4 * text.count }

    @inline(__always)
    private func isThere(in text: Span<UInt8>, at place: Int, _ budget: inout Int) -> Bool {
        for position in bytes.indices where CaseFolding.fold(text[place + position]) != bytes[position] {
            budget -= position
            return false
        }
        return true
    }

    /// Reads each byte of the text once, from a place on.
    private func findWithoutReturning(in text: Span<UInt8>, from place: Int) -> Bool {
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

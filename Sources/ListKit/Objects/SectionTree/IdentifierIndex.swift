// SPDX-License-Identifier: Apache-2.0

/// A hash table that maps identifiers to slots. It is divided into segments, so that growth never moves more than
/// one segment.
///
/// The table grows by linear hashing, which splits one segment at a time. Each segment is an open-addressing table
/// that is at most four fifths full. An entry takes 4 bytes: the slot in the low bits, and bits of the hash in the
/// high bits.
struct IdentifierIndex {
    /// One part of the table.
    private struct Segment {
        /// The entries, each with a slot plus one and bits of the hash; 0 if free, `removed` after a removal.
        var entries: [UInt32]
        /// The number of low bits of an entry that hold the slot.
        var slotBits: UInt32
        /// The number of entries that are not free, including removed ones.
        var used = 0
        /// The number of entries that hold a slot.
        var count = 0

        static let removed: UInt32 = 1 << 31

        init(capacity: Int, slotBits: UInt32) {
            entries = [UInt32](repeating: 0, count: max(8, capacity))
            self.slotBits = slotBits
        }
    }

    /// The average number of entries in a segment above which the table splits a segment.
    private static let segmentSize = 512

    private var segments: [Segment]
    private(set) var count = 0

    /// Creates an empty table.
    init() { segments = [Segment(capacity: 8, slotBits: 4)] }

    /// A placeholder for a table that is moved out of its owner during a change.
    static let vacant = IdentifierIndex(segments: [])

    private init(segments: [Segment]) { self.segments = segments }

    /// Creates an empty table with room for the slots from 0 to `count` - 1.
    ///
    /// - Parameter hash: returns the hash of the identifier of a slot.
    init(count: Int, hash: (Int) -> UInt64) {
        let segmentCount = max(1, count / IdentifierIndex.segmentSize)
        let slotBits = IdentifierIndex.bits(for: count)
        var sizes = [Int](repeating: 0, count: segmentCount)
        for slot in 0..<count { sizes[IdentifierIndex.segment(of: hash(slot), count: segmentCount)] += 1 }
        segments = sizes.map { Segment(capacity: $0 * 3 / 2, slotBits: slotBits) }
    }

    /// Returns the number of bits of an entry that hold a slot plus one, for slots up to the given slot and a few more.
    private static func bits(for slot: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: min(30, Int.bitWidth - (slot + slot / 4 + 2).leadingZeroBitCount))
    }

    /// Returns the segment of a hash, which is the number in the low bits of the hash.
    ///
    /// Segments that were split in the current round use one bit more.
    private static func segment(of hash: UInt64, count: Int) -> Int {
        let round = 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)
        let wide = Int(truncatingIfNeeded: hash) & (2 * round - 1)
        return wide < count ? wide : wide & (round - 1)
    }

    /// Returns the slot of an identifier; `nil` if the table does not have the identifier.
    ///
    /// - Parameter isMatch: returns whether a slot has the identifier.
    @inline(__always)
    func find(hash: UInt64, isMatch: (Int) -> Bool) -> Int? {
        let index = IdentifierIndex.segment(of: hash, count: segments.count)
        guard let position = position(in: index, hash: hash, isMatch: isMatch) else { return nil }
        return slot(of: segments[index].entries[position], bits: segments[index].slotBits)
    }

    @inline(__always)
    private func slot(of entry: UInt32, bits: UInt32) -> Int { Int(entry & ((1 << bits) - 1)) - 1 }

    /// Returns the bits of a hash that an entry stores above the slot.
    @inline(__always)
    private static func tag(_ hash: UInt64, bits: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: hash >> 16) << bits
    }

    /// Returns the position in a segment at which the search for a hash begins.
    @inline(__always)
    private static func firstPosition(_ hash: UInt64, capacity: Int) -> Int {
        Int(truncatingIfNeeded: (UInt64(UInt32(truncatingIfNeeded: hash >> 16)) &* UInt64(capacity)) >> 32)
    }

    /// Returns the position of an identifier's entry in a segment; `nil` if the segment does not have the identifier.
    private func position(in index: Int, hash: UInt64, isMatch: (Int) -> Bool) -> Int? {
        let (bits, capacity) = (segments[index].slotBits, segments[index].entries.count)
        let mask: UInt32 = (1 << bits) - 1
        let tag = IdentifierIndex.tag(hash, bits: bits)
        var position = IdentifierIndex.firstPosition(hash, capacity: capacity)
        while true {
            let entry = segments[index].entries[position]
            if entry == 0 { return nil }
            if entry & ~mask == tag, entry & mask != 0, isMatch(slot(of: entry, bits: bits)) { return position }
            position = position + 1 == capacity ? 0 : position + 1
        }
    }

    /// Inserts a slot. Its identifier must not be in the table.
    ///
    /// - Parameters:
    ///   - hash: the hash of the slot's identifier.
    ///   - hashOf: returns the hash of the identifier of any slot in the table.
    mutating func insert(_ slot: Int, hash: UInt64, hashOf: (Int) -> UInt64) {
        if count >= segments.count * IdentifierIndex.segmentSize { splitNext(hashOf) }
        let index = IdentifierIndex.segment(of: hash, count: segments.count)
        let segment = segments[index]
        let isFull = (segment.used + 1) * 5 > segment.entries.count * 4
        if isFull || slot + 1 >= 1 << segment.slotBits { rebuild(index, highest: slot, hashOf) }
        put(slot, hash: hash, in: index)
        count += 1
    }

    /// Writes a slot to the first free entry for its hash.
    private mutating func put(_ slot: Int, hash: UInt64, in index: Int) {
        let (bits, capacity) = (segments[index].slotBits, segments[index].entries.count)
        var position = IdentifierIndex.firstPosition(hash, capacity: capacity)
        while segments[index].entries[position] != 0 { position = position + 1 == capacity ? 0 : position + 1 }
        segments[index].entries[position] =
            IdentifierIndex.tag(hash, bits: bits) | UInt32(truncatingIfNeeded: slot + 1)
        segments[index].used += 1
        segments[index].count += 1
    }

    /// Replaces the slot of an identifier by another slot with the same identifier.
    ///
    /// - Parameters:
    ///   - hash: the hash of that identifier.
    ///   - hashOf: returns the hash of the identifier of any slot in the table.
    mutating func replace(_ slot: Int, with other: Int, hash: UInt64, hashOf: (Int) -> UInt64) {
        let index = IdentifierIndex.segment(of: hash, count: segments.count)
        guard var position = position(in: index, hash: hash, isMatch: { $0 == slot }) else { return }
        if other + 1 >= 1 << segments[index].slotBits {
            rebuild(index, highest: other, hashOf)
            position = self.position(in: index, hash: hash, isMatch: { $0 == slot }) ?? position
        }
        let mask: UInt32 = (1 << segments[index].slotBits) - 1
        let entry = segments[index].entries[position]
        segments[index].entries[position] = entry & ~mask | UInt32(truncatingIfNeeded: other + 1)
    }

    /// Removes a slot, whose identifier has the given hash.
    mutating func remove(_ slot: Int, hash: UInt64) {
        let index = IdentifierIndex.segment(of: hash, count: segments.count)
        guard let position = position(in: index, hash: hash, isMatch: { $0 == slot }) else { return }
        segments[index].entries[position] = Segment.removed
        segments[index].count -= 1
        count -= 1
    }

    /// Rebuilds a segment without removed entries, with room for more entries and for slots up to `highest`.
    private mutating func rebuild(_ index: Int, highest: Int, _ hashOf: (Int) -> UInt64) {
        let segment = segments[index]
        let slots = slots(in: segment)
        let bits = max(segment.slotBits, IdentifierIndex.bits(for: highest))
        segments[index] = Segment(capacity: (slots.count + 1) * 7 / 4, slotBits: bits)
        for slot in slots { put(slot, hash: hashOf(slot), in: index) }
    }

    private func slots(in segment: Segment) -> [Int] {
        let mask: UInt32 = (1 << segment.slotBits) - 1
        return segment.entries.compactMap { $0 & mask == 0 ? nil : slot(of: $0, bits: segment.slotBits) }
    }

    /// Splits the next segment in turn: adds a segment and moves a part of the entries there.
    private mutating func splitNext(_ hashOf: (Int) -> UInt64) {
        let round = 1 << (Int.bitWidth - 1 - segments.count.leadingZeroBitCount)
        let source = segments.count - round
        let slots = slots(in: segments[source])
        let bits = segments[source].slotBits
        segments[source] = Segment(capacity: (slots.count / 2 + 1) * 7 / 4, slotBits: bits)
        segments.append(Segment(capacity: (slots.count / 2 + 1) * 7 / 4, slotBits: bits))
        for slot in slots {
            let hash = hashOf(slot)
            let index = IdentifierIndex.segment(of: hash, count: segments.count)
            // One part may get more than half of the entries.
            if (segments[index].used + 1) * 5 > segments[index].entries.count * 4 {
                rebuild(index, highest: slot, hashOf)
            }
            put(slot, hash: hash, in: index)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Finds the slot of an identifier: a hash table in segments, so that growing it never touches more than one segment.
///
/// Segments are split one at a time as the table grows (linear hashing); each is an open-addressing table of its own, at most
/// four fifths full. An entry takes 4 bytes: the slot in the low bits, bits of the hash above them.
struct IdentifierIndex {
    /// One part of the table.
    private struct Segment {
        /// Slot plus one and bits of the hash; 0 is free, `removed` had a slot.
        var entries: [UInt32]
        /// How many bits of an entry are the slot.
        var slotBits: UInt32
        /// Entries that are not free.
        var used = 0
        /// Entries that hold a slot.
        var count = 0

        static let removed: UInt32 = 1 << 31

        init(capacity: Int, slotBits: UInt32) {
            entries = [UInt32](repeating: 0, count: max(8, capacity))
            self.slotBits = slotBits
        }
    }

    /// How many entries a segment has before the next one is split.
    private static let segmentSize = 512

    private var segments: [Segment]
    private(set) var count = 0

    /// Makes an empty table.
    init() { segments = [Segment(capacity: 8, slotBits: 4)] }

    /// The placeholder of a table that is being changed.
    static let vacant = IdentifierIndex(segments: [])

    private init(segments: [Segment]) { self.segments = segments }

    /// Makes an empty table with room for `count` slots numbered from 0.
    ///
    /// - Parameter hash: the hash of the identifier of a slot.
    init(count: Int, hash: (Int) -> UInt64) {
        let segmentCount = max(1, count / IdentifierIndex.segmentSize)
        let slotBits = IdentifierIndex.bits(for: count)
        var sizes = [Int](repeating: 0, count: segmentCount)
        for slot in 0..<count { sizes[IdentifierIndex.segment(of: hash(slot), count: segmentCount)] += 1 }
        segments = sizes.map { Segment(capacity: $0 * 3 / 2, slotBits: slotBits) }
    }

    /// The number of bits for slots up to a given one, plus one; a few more, for later slots.
    private static func bits(for slot: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: min(30, Int.bitWidth - (slot + slot / 4 + 2).leadingZeroBitCount))
    }

    /// The segment of a hash: its low bits, one more of them for segments that were split in this round.
    private static func segment(of hash: UInt64, count: Int) -> Int {
        let round = 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)
        let wide = Int(truncatingIfNeeded: hash) & (2 * round - 1)
        return wide < count ? wide : wide & (round - 1)
    }

    /// The slot of an identifier, nil when it is not there.
    ///
    /// - Parameter isMatch: whether the identifier of a slot is the wanted one.
    @inline(__always)
    func find(hash: UInt64, isMatch: (Int) -> Bool) -> Int? {
        let index = IdentifierIndex.segment(of: hash, count: segments.count)
        guard let position = position(in: index, hash: hash, isMatch: isMatch) else { return nil }
        return slot(of: segments[index].entries[position], bits: segments[index].slotBits)
    }

    @inline(__always)
    private func slot(of entry: UInt32, bits: UInt32) -> Int { Int(entry & ((1 << bits) - 1)) - 1 }

    @inline(__always)
    private static func tag(_ hash: UInt64, bits: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: hash >> 16) << bits
    }

    @inline(__always)
    private static func start(_ hash: UInt64, capacity: Int) -> Int {
        Int(truncatingIfNeeded: (UInt64(UInt32(truncatingIfNeeded: hash >> 16)) &* UInt64(capacity)) >> 32)
    }

    private func position(in index: Int, hash: UInt64, isMatch: (Int) -> Bool) -> Int? {
        let (bits, capacity) = (segments[index].slotBits, segments[index].entries.count)
        let mask: UInt32 = (1 << bits) - 1
        let tag = IdentifierIndex.tag(hash, bits: bits)
        var position = IdentifierIndex.start(hash, capacity: capacity)
        while true {
            let entry = segments[index].entries[position]
            if entry == 0 { return nil }
            if entry & ~mask == tag, entry & mask != 0, isMatch(slot(of: entry, bits: bits)) { return position }
            position = position + 1 == capacity ? 0 : position + 1
        }
    }

    /// Inserts a slot whose identifier is not in the table.
    ///
    /// - Parameter hashOf: the hash of any slot that is in the table.
    mutating func insert(_ slot: Int, hash: UInt64, hashOf: (Int) -> UInt64) {
        if count >= segments.count * IdentifierIndex.segmentSize { splitNext(hashOf) }
        let index = IdentifierIndex.segment(of: hash, count: segments.count)
        let segment = segments[index]
        let isFull = (segment.used + 1) * 5 > segment.entries.count * 4
        if isFull || slot + 1 >= 1 << segment.slotBits { rebuild(index, highest: slot, hashOf) }
        put(slot, hash: hash, in: index)
        count += 1
    }

    private mutating func put(_ slot: Int, hash: UInt64, in index: Int) {
        let (bits, capacity) = (segments[index].slotBits, segments[index].entries.count)
        var position = IdentifierIndex.start(hash, capacity: capacity)
        while segments[index].entries[position] != 0 { position = position + 1 == capacity ? 0 : position + 1 }
        segments[index].entries[position] =
            IdentifierIndex.tag(hash, bits: bits) | UInt32(truncatingIfNeeded: slot + 1)
        segments[index].used += 1
        segments[index].count += 1
    }

    /// Replaces the slot of an identifier.
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

    /// Removes a slot.
    mutating func remove(_ slot: Int, hash: UInt64) {
        let index = IdentifierIndex.segment(of: hash, count: segments.count)
        guard let position = position(in: index, hash: hash, isMatch: { $0 == slot }) else { return }
        segments[index].entries[position] = Segment.removed
        segments[index].count -= 1
        count -= 1
    }

    /// Builds a segment again: without removed entries, with room, and for slots up to `highest`.
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

    /// Adds a segment and moves a part of the next one in turn to it.
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
            // The parts need not be equal.
            if (segments[index].used + 1) * 5 > segments[index].entries.count * 4 {
                rebuild(index, highest: slot, hashOf)
            }
            put(slot, hash: hash, in: index)
        }
    }
}

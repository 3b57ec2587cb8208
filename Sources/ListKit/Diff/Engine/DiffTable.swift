// SPDX-License-Identifier: Apache-2.0

/// A hash table of indexes with open addressing, in buckets of 8 slots. A slot takes 5 bytes, and at most half of the
/// slots are used.
///
/// One word per bucket holds a tag for each slot: 7 bits of the hash. So whether a bucket has the wanted element is
/// nearly always decided by one load, without an unpredictable branch. A slot holds an index and the upper bits of the
/// hash. These bits exclude nearly all other elements with the same tag, without reading an element. The lower bits of
/// the hash select the bucket.
struct DiffTable: ~Copyable {
    private static let slotsPerBucket = 8
    /// The lowest bit of each byte.
    private static let lowBits: UInt64 = 0x0101_0101_0101_0101
    /// The highest bit of each byte, which is set for a used slot.
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    private let tags: FlatBuffer<UInt64>
    private let slots: FlatBuffer<UInt32>
    private let mask: Int
    /// The bits of a slot that hold the index. The other bits hold the upper bits of the hash.
    private let indexMask: UInt32

    /// Makes a table for `count` indexes below `limit`.
    init(count: Int, limit: Int, in memory: inout DiffMemory) {
        let buckets = DiffTable.bucketCount(for: count)
        mask = buckets - 1
        indexMask = UInt32(truncatingIfNeeded: 1 << (Int.bitWidth - limit.leadingZeroBitCount) - 1)
        tags = FlatBuffer(repeating: 0, count: buckets, in: &memory)
        slots = FlatBuffer(uninitializedCount: buckets * DiffTable.slotsPerBucket, in: &memory)
    }

    /// Returns the number of bytes of working memory for a table of `count` indexes.
    static func byteCount(for count: Int) -> Int {
        let perSlot = MemoryLayout<UInt32>.stride + MemoryLayout<UInt64>.stride / slotsPerBucket
        return bucketCount(for: count) * slotsPerBucket * perSlot + 2 * DiffMemory.alignment
    }

    private static func bucketCount(for count: Int) -> Int {
        var buckets = 4
        while buckets * slotsPerBucket < 2 * count { buckets *= 2 }
        return buckets
    }

    /// Inserts an index, or replaces the index of an equal element.
    ///
    /// - Returns: the replaced index; nil if no element was equal.
    @inline(__always)
    func insert(_ index: Int, hash: UInt32, isSame: (Int) -> Bool) -> Int? {
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while true {
            let word = tags[bucket]
            if let found = match(hash, in: bucket, word, isSame) {
                replace(at: found.position, with: index)
                return found.index
            }
            let free = ~word & DiffTable.highBits
            if free != 0 {
                let place = free.trailingZeroBitCount & ~7
                tags[bucket] = word | DiffTable.tag(hash) &<< UInt64(place)
                slots[bucket * DiffTable.slotsPerBucket + place / 8] =
                    hash & ~indexMask | UInt32(truncatingIfNeeded: index)
                return nil
            }
            bucket = (bucket + 1) & mask
        }
    }

    /// Returns the index of the wanted element and the position of its slot; nil if the table lacks the element.
    @inline(__always)
    func find(hash: UInt32, isSame: (Int) -> Bool) -> (position: Int, index: Int)? {
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while true {
            let word = tags[bucket]
            if let found = match(hash, in: bucket, word, isSame) { return found }
            if ~word & DiffTable.highBits != 0 { return nil }
            bucket = (bucket + 1) & mask
        }
    }

    /// Replaces the index in a slot by that of another element with the same identifier.
    @inline(__always)
    func replace(at position: Int, with index: Int) {
        slots[position] = slots[position] & ~indexMask | UInt32(truncatingIfNeeded: index)
    }

    /// Returns the tag that a bucket stores for a hash.
    @inline(__always)
    private static func tag(_ hash: UInt32) -> UInt64 { UInt64(hash >> 25) | 0x80 }

    /// Searches those slots of a bucket that have the tag of a hash.
    @inline(__always)
    private func match(
        _ hash: UInt32, in bucket: Int, _ word: UInt64, _ isSame: (Int) -> Bool
    ) -> (position: Int, index: Int)? {
        let difference = word ^ DiffTable.tag(hash) &* DiffTable.lowBits
        // `candidates` has the highest bit of each byte of `difference` that is zero, and sometimes that of a byte
        // above a zero byte, so each slot is compared too. It never has that of a free slot, because a free slot's tag
        // differs from every tag in its highest bit.
        var candidates = (difference &- DiffTable.lowBits) & ~difference & DiffTable.highBits
        while candidates != 0 {
            let position = bucket * DiffTable.slotsPerBucket + candidates.trailingZeroBitCount / 8
            let slot = slots[position]
            if slot & ~indexMask == hash & ~indexMask {
                let index = Int(slot & indexMask)
                if isSame(index) { return (position, index) }
            }
            candidates &= candidates &- 1
        }
        return nil
    }
}

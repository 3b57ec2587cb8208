/// A hash table of indexes with open addressing: 4 bytes a slot, at most half full.
///
/// A slot holds an index plus one in its low bits and the upper bits of the hash above them, so that most wrong candidates are
/// told apart without looking at an element; the lower bits of the hash choose the slot.
struct DiffTable: ~Copyable {
    private let slots: FlatBuffer<UInt32>
    private let mask: Int
    /// The bits of a slot that are an index; the others are those of the hash.
    private let indexMask: UInt32

    /// Makes a table for `count` indexes below `limit`.
    init(count: Int, limit: Int) {
        var capacity = 16
        while capacity < 2 * count { capacity *= 2 }
        mask = capacity - 1
        indexMask = UInt32(truncatingIfNeeded: 1 << (Int.bitWidth - (limit + 1).leadingZeroBitCount) - 1)
        slots = FlatBuffer(repeating: 0, count: capacity)
    }

    /// Puts an index in, or finds the one there that is the same: then that slot takes the new index over.
    ///
    /// - Returns: the index that was there.
    @inline(__always)
    func insert(_ index: Int, hash: UInt32, isSame: (Int) -> Bool) -> Int? {
        let tag = hash & ~indexMask
        var position = Int(truncatingIfNeeded: hash) & mask
        while true {
            let slot = slots[position]
            if slot == 0 {
                slots[position] = tag | UInt32(truncatingIfNeeded: index + 1)
                return nil
            }
            if slot & ~indexMask == tag {
                let other = Int(slot & indexMask) - 1
                if isSame(other) {
                    slots[position] = tag | UInt32(truncatingIfNeeded: index + 1)
                    return other
                }
            }
            position = (position + 1) & mask
        }
    }

    /// The position of the slot that holds what is asked for, and its index.
    @inline(__always)
    func find(hash: UInt32, isSame: (Int) -> Bool) -> (position: Int, index: Int)? {
        let tag = hash & ~indexMask
        var position = Int(truncatingIfNeeded: hash) & mask
        while true {
            let slot = slots[position]
            if slot == 0 { return nil }
            if slot & ~indexMask == tag {
                let index = Int(slot & indexMask) - 1
                if isSame(index) { return (position, index) }
            }
            position = (position + 1) & mask
        }
    }

    /// Lets a slot hold another index that has the same identifier.
    @inline(__always)
    func replace(at position: Int, with index: Int) {
        slots[position] = slots[position] & ~indexMask | UInt32(truncatingIfNeeded: index + 1)
    }
}

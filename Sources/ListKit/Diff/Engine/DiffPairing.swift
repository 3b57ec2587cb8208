// SPDX-License-Identifier: Apache-2.0

/// The pairs of old and new elements that are in no run.
///
/// All positions are positions in the rests of `DiffRuns`.
struct DiffPairing: ~Copyable {
    /// The value of `partner(ofNew:)` for an element without a partner.
    static let noPartner: UInt32 = .max

    /// The bit that is set in `newOfOld` for a pair that changed.
    private static let changedBit: UInt32 = 1 << 31

    private let newOfOld: FlatBuffer<UInt32>
    private let oldOfNew: FlatBuffer<UInt32>
    /// Whether any pair changed.
    private(set) var hasChanges = false

    /// Makes a pairing without pairs.
    init(oldCount: Int, newCount: Int, in memory: inout DiffMemory) {
        newOfOld = FlatBuffer(repeating: DiffPairing.noPartner, count: oldCount, in: &memory)
        oldOfNew = FlatBuffer(repeating: DiffPairing.noPartner, count: newCount, in: &memory)
    }

    /// Returns whether an old element has no partner yet.
    @inline(__always)
    func isFree(old: Int) -> Bool { newOfOld[old] == DiffPairing.noPartner }

    /// Returns the old partner of a new element, or `noPartner`.
    @inline(__always)
    func partner(ofNew new: Int) -> UInt32 { oldOfNew[new] }

    /// Pairs an old and a new element.
    @inline(__always)
    mutating func pair(old: Int, new: Int, isChanged: Bool) {
        if isChanged { hasChanges = true }
        newOfOld[old] = UInt32(truncatingIfNeeded: new) | (isChanged ? DiffPairing.changedBit : 0)
        oldOfNew[new] = UInt32(truncatingIfNeeded: old)
    }

    /// Returns whether a paired old element changed.
    @inline(__always)
    func isChanged(old: Int) -> Bool { newOfOld[old] & DiffPairing.changedBit != 0 }

    /// Marks the pair of an old element as changed.
    @inline(__always)
    mutating func markChanged(old: Int) {
        hasChanges = true
        newOfOld[old] |= DiffPairing.changedBit
    }
}

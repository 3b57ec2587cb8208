// SPDX-License-Identifier: Apache-2.0

/// The pairs among the elements of the rests.
///
/// Positions count in the rests of `DiffRuns`.
struct DiffPairing: ~Copyable {
    /// The value for an element without a partner.
    static let noPartner: UInt32 = .max

    /// Set in `newOfOld` for a pair that changed.
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

    /// Whether an element before has no partner yet.
    @inline(__always)
    func isFree(old: Int) -> Bool { newOfOld[old] == DiffPairing.noPartner }

    /// The partner of an element after, or `noPartner`.
    @inline(__always)
    func partner(ofNew new: Int) -> UInt32 { oldOfNew[new] }

    /// Pairs two elements.
    @inline(__always)
    mutating func pair(_ old: Int, _ new: Int, isChanged: Bool) {
        if isChanged { hasChanges = true }
        newOfOld[old] = UInt32(truncatingIfNeeded: new) | (isChanged ? DiffPairing.changedBit : 0)
        oldOfNew[new] = UInt32(truncatingIfNeeded: old)
    }

    /// Whether a paired element before changed.
    @inline(__always)
    func isChanged(old: Int) -> Bool { newOfOld[old] & DiffPairing.changedBit != 0 }

    /// Marks the pair of an element before as changed.
    @inline(__always)
    mutating func markChanged(old: Int) {
        hasChanges = true
        newOfOld[old] |= DiffPairing.changedBit
    }
}

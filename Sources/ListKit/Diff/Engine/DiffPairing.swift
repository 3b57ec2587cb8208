/// Which element before is which element after, in flat memory.
///
/// A pair knows whether its element changed. Indexes take 31 bits; `noPartner` marks elements that are gone or new.
struct DiffPairing: ~Copyable {
    /// Marks an element without a partner.
    static let noPartner: UInt32 = .max

    /// Set in `newOfOld` for a pair that changed.
    static let changedBit: UInt32 = 1 << 31

    /// More elements than this cannot be numbered.
    static let maximumCount = Int(UInt32.max >> 1)

    private let newOfOld: FlatBuffer<UInt32>
    private let oldOfNew: FlatBuffer<UInt32>

    /// Makes a pairing in which nobody has a partner.
    init(oldCount: Int, newCount: Int) {
        newOfOld = FlatBuffer(repeating: DiffPairing.noPartner, count: oldCount)
        oldOfNew = FlatBuffer(repeating: DiffPairing.noPartner, count: newCount)
    }

    /// The partner of an element after, or `noPartner`.
    @inline(__always)
    func partner(ofNew new: Int) -> UInt32 { oldOfNew[new] }

    /// Whether an element before has no partner yet.
    @inline(__always)
    func isFree(old: Int) -> Bool { newOfOld[old] == DiffPairing.noPartner }

    /// Makes two elements one.
    @inline(__always)
    func pair(_ old: Int, _ new: Int, isChanged: Bool) {
        let mark = isChanged ? DiffPairing.changedBit : 0
        newOfOld[old] = UInt32(truncatingIfNeeded: new) | mark
        oldOfNew[new] = UInt32(truncatingIfNeeded: old)
    }

    /// Whether an element before has a partner and changed.
    @inline(__always)
    func isChanged(old: Int) -> Bool {
        let partner = newOfOld[old]
        return partner != DiffPairing.noPartner && partner & DiffPairing.changedBit != 0
    }

    /// Marks the pair of an element before as changed.
    @inline(__always)
    func markChanged(old: Int) { newOfOld[old] |= DiffPairing.changedBit }
}

// SPDX-License-Identifier: Apache-2.0

/// Elements of any type: their hashes in flat arrays, and what to ask about elements whose hashes agree.
struct ElementDiffSource: DiffSource {
    let oldHashes: [Int]
    let newHashes: [Int]
    /// Compares an element before and one after.
    let compare: (_ old: Int, _ new: Int) -> DiffRelation
    /// Compares the identifiers of two elements before.
    let compareOld: (Int, Int) -> Bool
    /// Compares the identifiers of two elements after.
    let compareNew: (Int, Int) -> Bool

    var oldCount: Int { oldHashes.count }

    var newCount: Int { newHashes.count }

    @inline(__always)
    func oldHash(_ old: Int) -> UInt32 { UInt32(truncatingIfNeeded: oldHashes[old]) }

    @inline(__always)
    func newHash(_ new: Int) -> UInt32 { UInt32(truncatingIfNeeded: newHashes[new]) }

    @inline(__always)
    func relation(_ old: Int, _ new: Int) -> DiffRelation {
        oldHashes[old] == newHashes[new] ? compare(old, new) : .different
    }

    @inline(__always)
    func isSameOld(_ old: Int, _ other: Int) -> Bool { oldHashes[old] == oldHashes[other] && compareOld(old, other) }

    @inline(__always)
    func isSameNew(_ new: Int, _ other: Int) -> Bool { newHashes[new] == newHashes[other] && compareNew(new, other) }

    @inline(__always)
    func isLikelySame(_ old: Int, _ new: Int) -> Bool { oldHashes[old] == newHashes[new] }
}

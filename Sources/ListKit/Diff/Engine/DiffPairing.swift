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

extension DiffPairing {
    /// The number of new elements that are looked up in the table before their candidates are compared.
    private static let blockSize = 256

    /// Pairs the remaining elements of the two lists, with a hash table of the old elements.
    ///
    /// Moved elements may be anywhere in memory. Elements are looked up by their hashes alone, and the candidates of
    /// a block are then compared in one loop without unpredictable branches, so that the processor prefetches the
    /// next elements in the meantime.
    /// - Returns: false when an identifier occurs twice on one side. Then the pairs may differ from IGListKit's.
    mutating func pairUnique(
        _ source: some DiffSource, _ runs: borrowing DiffRuns, _ table: borrowing DiffTable,
        in memory: inout DiffMemory
    ) -> Bool {
        guard DiffPairing.insertOldRest(source, runs, in: table) else { return false }
        let newCount = runs.newRestCount
        let candidates = FlatBuffer<Candidate>(
            uninitializedCount: min(DiffPairing.blockSize, newCount), in: &memory)
        var (start, last) = (0, 0)
        while start < newCount {
            let end = min(start + DiffPairing.blockSize, newCount)
            var count = 0
            for position in start..<end {
                let new = Int(runs.newRest[position])
                let hash = runs.hash(new: new, source)
                if let (old, relation) = DiffPairing.partner(near: last, ofNew: new, hash: hash, source, runs) {
                    guard pairIfFree(old: old, new: position, relation) else { return false }
                    last = old
                } else if let old = table.find(hash: hash, isSame: { _ in true })?.index {
                    candidates[count] = Candidate(
                        old: UInt32(truncatingIfNeeded: old), new: UInt32(truncatingIfNeeded: position))
                    count += 1
                    last = old
                }
            }
            if count > 0, !pairCandidates(candidates, count: count, source, runs, table) { return false }
            start = end
        }
        return true
    }

    /// Inserts the old rest into the table. Returns false when an identifier occurs twice.
    private static func insertOldRest(
        _ source: some DiffSource, _ runs: borrowing DiffRuns, in table: borrowing DiffTable
    ) -> Bool {
        for position in 0..<runs.oldRestCount {
            let old = Int(runs.oldRest[position])
            let other = table.insert(position, hash: runs.hash(old: old, source)) {
                source.isSame(old: Int(runs.oldRest[$0]), asOld: old)
            }
            if other != nil { return false }
        }
        return true
    }

    /// Returns the old partner of a new element if the partner is adjacent to the old element that was found last. It
    /// often is.
    @inline(__always)
    private static func partner(
        near last: Int, ofNew new: Int, hash: UInt32, _ source: some DiffSource, _ runs: borrowing DiffRuns
    ) -> (position: Int, relation: DiffRelation)? {
        for step in 0..<2 {
            let position = step == 0 ? last + 1 : last - 1
            if position < 0 || position >= runs.oldRestCount { continue }
            let old = Int(runs.oldRest[position])
            if runs.oldHashes[old] == hash {
                let relation = source.relation(old: old, new: new)
                if relation != .different { return (position, relation) }
            }
        }
        return nil
    }

    /// Pairs the candidates whose identifiers are equal. In each other candidate only the hashes are equal, so the
    /// new element is looked up in the table again, by its identifier.
    ///
    /// - Returns: false when an old element has a partner already.
    @inline(never)
    private mutating func pairCandidates(
        _ candidates: borrowing FlatBuffer<Candidate>, count: Int, _ source: some DiffSource,
        _ runs: borrowing DiffRuns, _ table: borrowing DiffTable
    ) -> Bool {
        for index in 0..<count {
            let (candidate, new) = (candidates[index], Int(runs.newRest[Int(candidates[index].new)]))
            var old = Int(candidate.old)
            var relation = source.relation(old: Int(runs.oldRest[old]), new: new)
            if relation == .different {
                let found = table.find(hash: runs.newHashes[new]) { position in
                    relation = source.relation(old: Int(runs.oldRest[position]), new: new)
                    return relation != .different
                }
                guard let found else { continue }
                old = found.index
            }
            guard pairIfFree(old: old, new: Int(candidate.new), relation) else { return false }
        }
        return true
    }

    /// Pairs an old and a new element. Returns false when the old one has a partner already.
    @inline(__always)
    private mutating func pairIfFree(old: Int, new: Int, _ relation: DiffRelation) -> Bool {
        guard isFree(old: old) else { return false }
        pair(old: old, new: new, isChanged: relation == .changed)
        return true
    }

    /// Pairs the k-th old occurrence of an identifier with the k-th new one. Call this only without runs, so that all
    /// elements are in the rests.
    ///
    /// If one pair of an identifier changed, all its pairs count as changed (rule DF-33).
    mutating func pairRepeated(_ source: some DiffSource, in memory: inout DiffMemory) {
        let table = DiffTable(count: source.oldCount, limit: source.oldCount, in: &memory)
        var chains = DuplicateChains(count: source.oldCount)
        // The loop is descending, so that the table has the first occurrence of a repeated identifier in the end.
        for old in stride(from: source.oldCount - 1, through: 0, by: -1) {
            let later = table.insert(old, hash: source.oldHash(old)) { source.isSame(old: $0, asOld: old) }
            if let later { chains.link(old, before: later) }
        }
        var changed = [Bool](repeating: false, count: source.oldCount)
        for new in 0..<source.newCount {
            var relation = DiffRelation.different
            let found = table.find(hash: source.newHash(new)) { old in
                relation = source.relation(old: old, new: new)
                return relation != .different
            }
            guard let found, isFree(old: found.index) else { continue }
            pair(old: found.index, new: new, isChanged: false)
            if relation == .changed { changed[chains.last(of: found.index)] = true }
            if let next = chains.next(after: found.index) { table.replace(at: found.position, with: next) }
        }
        for old in 0..<source.oldCount where !isFree(old: old) && changed[chains.last(of: old)] {
            markChanged(old: old)
        }
    }
}

/// An old and a new element with the same hash, as positions in the rests.
private struct Candidate: BitwiseCopyable {
    let old: UInt32
    let new: UInt32
}

/// The occurrences of repeated identifiers in the old list, each linked to the next.
private struct DuplicateChains {
    private var nexts: [Int32]
    private var lasts: [Int32]

    init(count: Int) {
        nexts = [Int32](repeating: -1, count: count)
        lasts = [Int32](repeating: -1, count: count)
    }

    /// Links an occurrence to the next one of the same identifier.
    mutating func link(_ index: Int, before later: Int) {
        nexts[index] = Int32(truncatingIfNeeded: later)
        lasts[index] = Int32(truncatingIfNeeded: last(of: later))
    }

    /// Returns the next occurrence of the same identifier; nil at the last one.
    func next(after index: Int) -> Int? { nexts[index] < 0 ? nil : Int(nexts[index]) }

    /// Returns the last occurrence of the same identifier, which is `index` itself if there is no later one. All
    /// occurrences of an identifier have the same last occurrence.
    func last(of index: Int) -> Int { lasts[index] < 0 ? index : Int(lasts[index]) }
}

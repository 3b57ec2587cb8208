// SPDX-License-Identifier: Apache-2.0

extension DiffPairing {
    /// How many elements are looked up before the found ones are compared.
    private static let blockSize = 256

    /// Pairs the rests of two lists, through a table of the rest before.
    ///
    /// Moved elements may be anywhere in memory. They are looked up by their hashes alone, and those of a block are
    /// compared in one loop without unpredictable branches, so that the processor prefetches the next ones meanwhile.
    /// - Returns: false when an identifier occurs twice on one side; then the pairs may differ from IGListKit's.
    mutating func pairUnique(
        _ source: some DiffSource, _ runs: borrowing DiffRuns, _ table: borrowing DiffTable,
        in memory: inout DiffMemory
    ) -> Bool {
        guard DiffPairing.enter(source, runs, in: table) else { return false }
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
                if let (old, relation) = DiffPairing.neighbour(of: last, new, hash, source, runs) {
                    guard pairFree(old, position, relation) else { return false }
                    last = old
                } else if let old = table.find(hash: hash, isSame: { _ in true })?.index {
                    candidates[count] = Candidate(
                        old: UInt32(truncatingIfNeeded: old), new: UInt32(truncatingIfNeeded: position))
                    count += 1
                    last = old
                }
            }
            if count > 0, !pair(candidates, count, source, runs, table) { return false }
            start = end
        }
        return true
    }

    /// Inserts the rest before into the table; returns false when an identifier occurs twice.
    private static func enter(
        _ source: some DiffSource, _ runs: borrowing DiffRuns, in table: borrowing DiffTable
    ) -> Bool {
        for position in 0..<runs.oldRestCount {
            let old = Int(runs.oldRest[position])
            let other = table.insert(position, hash: runs.hash(old: old, source)) {
                source.isSameOld(Int(runs.oldRest[$0]), old)
            }
            if other != nil { return false }
        }
        return true
    }

    /// The partner of an element after, if it follows the last found one, as it often does.
    @inline(__always)
    private static func neighbour(
        of last: Int, _ new: Int, _ hash: UInt32, _ source: some DiffSource, _ runs: borrowing DiffRuns
    ) -> (position: Int, relation: DiffRelation)? {
        for step in 0..<2 {
            let neighbour = step == 0 ? last + 1 : last - 1
            if neighbour < 0 || neighbour >= runs.oldRestCount { continue }
            let old = Int(runs.oldRest[neighbour])
            if runs.oldHashes[old] == hash {
                let relation = source.relation(old, new)
                if relation != .different { return (neighbour, relation) }
            }
        }
        return nil
    }

    /// Pairs candidate elements; those whose identifiers differ are looked up in the table again.
    ///
    /// - Returns: false when an element before has a partner already.
    @inline(never)
    private mutating func pair(
        _ candidates: borrowing FlatBuffer<Candidate>, _ count: Int, _ source: some DiffSource,
        _ runs: borrowing DiffRuns, _ table: borrowing DiffTable
    ) -> Bool {
        for index in 0..<count {
            let (candidate, new) = (candidates[index], Int(runs.newRest[Int(candidates[index].new)]))
            var old = Int(candidate.old)
            var relation = source.relation(Int(runs.oldRest[old]), new)
            if relation == .different {
                let found = table.find(hash: runs.newHashes[new]) { position in
                    relation = source.relation(Int(runs.oldRest[position]), new)
                    return relation != .different
                }
                guard let found else { continue }
                old = found.index
            }
            guard pairFree(old, Int(candidate.new), relation) else { return false }
        }
        return true
    }

    /// Pairs two elements; returns false when the one before has a partner already.
    @inline(__always)
    private mutating func pairFree(_ old: Int, _ new: Int, _ relation: DiffRelation) -> Bool {
        guard isFree(old: old) else { return false }
        pair(old, new, isChanged: relation == .changed)
        return true
    }

    /// Pairs the k-th occurrence of an identifier before with the k-th after; all elements must be in the rests.
    ///
    /// If one pair changed, all pairs of its identifier count as changed (rule DF-33).
    mutating func pairRepeated(_ source: some DiffSource, in memory: inout DiffMemory) {
        let table = DiffTable(count: source.oldCount, limit: source.oldCount, in: &memory)
        var chains = DuplicateChains(count: source.oldCount)
        // Descending, so that of repeated identifiers the first one ends up in the table.
        for old in stride(from: source.oldCount - 1, through: 0, by: -1) {
            let later = table.insert(old, hash: source.oldHash(old)) { source.isSameOld($0, old) }
            if let later { chains.link(old, before: later) }
        }
        var changed = [Bool](repeating: false, count: source.oldCount)
        for new in 0..<source.newCount {
            var relation = DiffRelation.different
            let found = table.find(hash: source.newHash(new)) { old in
                relation = source.relation(old, new)
                return relation != .different
            }
            guard let found, isFree(old: found.index) else { continue }
            pair(found.index, new, isChanged: false)
            if relation == .changed { changed[chains.last(of: found.index)] = true }
            if let next = chains.next(after: found.index) { table.replace(at: found.position, with: next) }
        }
        for old in 0..<source.oldCount where !isFree(old: old) && changed[chains.last(of: old)] {
            markChanged(old: old)
        }
    }
}

/// Two elements with the same hash, by their positions in the rests.
private struct Candidate: BitwiseCopyable {
    let old: UInt32
    let new: UInt32
}

/// The occurrences of repeated identifiers before, each linked to the next.
private struct DuplicateChains {
    private var nexts: [Int32]
    private var lasts: [Int32]

    init(count: Int) {
        nexts = [Int32](repeating: -1, count: count)
        lasts = [Int32](repeating: -1, count: count)
    }

    /// Inserts an occurrence before a later one.
    mutating func link(_ index: Int, before later: Int) {
        nexts[index] = Int32(truncatingIfNeeded: later)
        lasts[index] = Int32(truncatingIfNeeded: last(of: later))
    }

    /// The next occurrence of the same identifier.
    func next(after index: Int) -> Int? { nexts[index] < 0 ? nil : Int(nexts[index]) }

    /// The last occurrence of the same identifier, or itself: identifies the identifier.
    func last(of index: Int) -> Int { lasts[index] < 0 ? index : Int(lasts[index]) }
}

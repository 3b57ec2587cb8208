extension DiffPairing {
    /// Pairs what two lists left over, through a table that takes what is left over before.
    ///
    /// - Returns: false when an identifier was met twice on one side; then the pairs need not be IGListKit's.
    mutating func pairUnique(_ source: some DiffSource, _ runs: borrowing DiffRuns, _ table: borrowing DiffTable)
        -> Bool
    {
        let (oldCount, newCount) = (runs.oldRestCount, runs.newRestCount)
        for position in 0..<oldCount {
            let old = Int(runs.oldRest[position])
            let other = table.insert(position, hash: runs.hash(old: old, source)) {
                source.isSameOld(Int(runs.oldRest[$0]), old)
            }
            if other != nil { return false }
        }
        var last = 0
        for position in 0..<newCount {
            let new = Int(runs.newRest[position])
            let hash = runs.hash(new: new, source)
            guard let (partner, relation) = partner(of: new, hash, near: last, source, runs, table) else { continue }
            guard isFree(old: partner) else { return false }
            pair(partner, position, isChanged: relation == .changed)
            last = partner
        }
        return true
    }

    /// The position before of an element after: often next to the last one found.
    @inline(__always)
    private func partner(
        of new: Int, _ hash: UInt32, near last: Int, _ source: some DiffSource, _ runs: borrowing DiffRuns,
        _ table: borrowing DiffTable
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
        var relation = DiffRelation.different
        let found = table.find(hash: hash) { position in
            relation = source.relation(Int(runs.oldRest[position]), new)
            return relation != .different
        }
        return found.map { ($0.index, relation) }
    }

    /// Pairs the k-th occurrence of an identifier before with the k-th after; everything must be left over.
    ///
    /// If one pair changed, all pairs of its identifier count as changed (IGListKit DF-33).
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

/// The occurrences of repeated identifiers before, each linked to the next.
private struct DuplicateChains {
    private var nexts: [Int32]
    private var lasts: [Int32]

    init(count: Int) {
        nexts = [Int32](repeating: -1, count: count)
        lasts = [Int32](repeating: -1, count: count)
    }

    /// Puts an occurrence in front of a later one.
    mutating func link(_ index: Int, before later: Int) {
        nexts[index] = Int32(truncatingIfNeeded: later)
        lasts[index] = Int32(truncatingIfNeeded: last(of: later))
    }

    /// The next occurrence of the same identifier.
    func next(after index: Int) -> Int? { nexts[index] < 0 ? nil : Int(nexts[index]) }

    /// The last occurrence of the same identifier, itself if there is no other: stands for the identifier.
    func last(of index: Int) -> Int { lasts[index] < 0 ? index : Int(lasts[index]) }
}

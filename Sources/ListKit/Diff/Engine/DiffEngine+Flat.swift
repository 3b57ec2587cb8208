/// The diff itself: who is whom (IGListKit's rules DF-…), then what follows from it.
struct DiffEngine<Source: DiffSource>: ~Copyable {
    let source: Source
    let pairing: DiffPairing

    init(_ source: Source) {
        self.source = source
        pairing = DiffPairing(oldCount: source.oldCount, newCount: source.newCount)
    }

    /// Pairs the k-th occurrence of an identifier before with the k-th after, through one table of all elements before.
    ///
    /// Exact for every input. If identifiers repeat before, one pair that changed marks all pairs of that identifier
    /// (DF-33).
    func pairFlat() {
        let (oldCount, newCount) = (source.oldCount, source.newCount)
        let table = DiffTable(count: oldCount, limit: oldCount)
        var chains: DuplicateChains?
        // Descending, so that of repeated identifiers the first one ends up in the table.
        for old in stride(from: oldCount - 1, through: 0, by: -1) {
            let later = table.insert(old, hash: source.oldHash(old)) { source.isSameOld($0, old) }
            guard let later else { continue }
            if chains == nil { chains = DuplicateChains(count: oldCount) }
            chains?.link(old, before: later)
        }
        if let chains {
            pairDuplicates(table, chains)
        } else {
            var expected = 0
            for new in 0..<newCount {
                let partner = partner(of: new, expecting: expected, in: table)
                guard let partner, pairing.isFree(old: partner) else { continue }
                pairing.pair(partner, new, isChanged: source.isChanged(partner, new))
                expected = partner + 1
            }
        }
    }

    /// The element before with the identifier of one after: most often the one after the last partner.
    @inline(__always)
    private func partner(of new: Int, expecting expected: Int, in table: borrowing DiffTable) -> Int? {
        if expected < source.oldCount, source.isSame(expected, new) { return expected }
        return table.find(hash: source.newHash(new)) { source.isSame($0, new) }?.index
    }

    private func pairDuplicates(_ table: borrowing DiffTable, _ chains: DuplicateChains) {
        var changed = [Bool](repeating: false, count: source.oldCount)
        for new in 0..<source.newCount {
            guard let found = table.find(hash: source.newHash(new), isSame: { source.isSame($0, new) }),
                pairing.isFree(old: found.index)
            else { continue }
            let isChanged = source.isChanged(found.index, new)
            pairing.pair(found.index, new, isChanged: false)
            if isChanged { changed[chains.last(of: found.index)] = true }
            if let next = chains.next(after: found.index) { table.replace(at: found.position, with: next) }
        }
        for old in 0..<source.oldCount where !pairing.isFree(old: old) && changed[chains.last(of: old)] {
            pairing.markChanged(old: old)
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

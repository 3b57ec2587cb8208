extension DiffEngine {
    /// Reads what changed from the pairs.
    ///
    /// - Complexity: O(n), with minimal moves O(n · log n) at worst.
    func result(moves kind: ListDiffMoves, lookup: (any DiffLookup)?) -> ListIndexSetResult {
        let ranks = FlatBuffer<UInt32>(uninitializedCount: source.oldCount)
        var (deletes, updates): ([Range<Int>], [Range<Int>]) = ([], [])
        var rank: UInt32 = 0
        for old in 0..<source.oldCount {
            ranks[old] = rank
            if pairing.isFree(old: old) {
                DiffEngine.append(old, to: &deletes)
            } else {
                rank += 1
                if pairing.isChanged(old: old) { DiffEngine.append(old, to: &updates) }
            }
        }
        let (inserts, moved) = insertsAndMoveCount(ranks: ranks)
        var moves: [ListMoveIndex] = []
        if moved > 0 { moves = kind == .positional ? self.moves(count: moved, ranks: ranks) : minimalMoves() }
        return ListIndexSetResult(
            inserts: ListIndexSet(canonical: inserts), deletes: ListIndexSet(canonical: deletes),
            updates: ListIndexSet(canonical: updates), moves: moves, lookup: lookup)
    }

    /// New elements, and how many of the others changed their rank among those that stay.
    private func insertsAndMoveCount(ranks: borrowing FlatBuffer<UInt32>) -> (inserts: [Range<Int>], moved: Int) {
        var inserts: [Range<Int>] = []
        var moved = 0
        var rank: UInt32 = 0
        for new in 0..<source.newCount {
            let old = pairing.partner(ofNew: new)
            if old == DiffPairing.noPartner {
                DiffEngine.append(new, to: &inserts)
            } else {
                if ranks[Int(old)] != rank { moved += 1 }
                rank += 1
            }
        }
        return (inserts, moved)
    }

    /// IGListKit's moves: new index ≠ old index − deletes before + inserts before, which is to say that the rank differs.
    private func moves(count: Int, ranks: borrowing FlatBuffer<UInt32>) -> [ListMoveIndex] {
        // The count was taken by the same comparison over the same pairs.
        unsafe [ListMoveIndex](unsafeUninitializedCapacity: count) { buffer, initialized in
            var rank: UInt32 = 0
            for new in 0..<source.newCount where initialized < count {
                let old = pairing.partner(ofNew: new)
                guard old != DiffPairing.noPartner else { continue }
                if ranks[Int(old)] != rank {
                    unsafe buffer.initializeElement(at: initialized, to: ListMoveIndex(from: Int(old), to: new))
                    initialized += 1
                }
                rank += 1
            }
        }
    }

    /// The fewest moves: everything but a longest run of survivors that keep their order.
    private func minimalMoves() -> [ListMoveIndex] {
        var (origins, targets): ([Int32], [Int32]) = ([], [])
        for new in 0..<source.newCount {
            let old = pairing.partner(ofNew: new)
            guard old != DiffPairing.noPartner else { continue }
            origins.append(Int32(bitPattern: old))
            targets.append(Int32(truncatingIfNeeded: new))
        }
        let stays = LongestIncreasingRun.members(of: origins)
        var moves: [ListMoveIndex] = []
        for position in origins.indices where !stays[position] {
            moves.append(ListMoveIndex(from: Int(origins[position]), to: Int(targets[position])))
        }
        return moves
    }

    /// Adds an index that is larger than all others.
    @inline(__always)
    private static func append(_ index: Int, to ranges: inout [Range<Int>]) {
        if let last = ranges.last, last.upperBound == index {
            ranges[ranges.count - 1] = last.lowerBound..<index + 1
        } else {
            ranges.append(index..<index + 1)
        }
    }
}

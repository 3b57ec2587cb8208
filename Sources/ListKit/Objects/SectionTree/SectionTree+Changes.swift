// SPDX-License-Identifier: Apache-2.0

extension SectionTree {
    /// The changes of the open transaction: deletes, updates and origins of moves before it, inserts and targets of
    /// moves after.
    ///
    /// Only objects that were moved, or removed and inserted again, are moves, and of those only the necessary ones. An object
    /// that was replaced by an equal one is no update.
    /// - Complexity: O(changes · log n).
    public func changes() -> ListIndexSetResult {
        var (inserts, deletes, updates): ([Int], [Int], [Int]) = ([], [], [])
        var moves: [ListMoveIndex] = []
        for slot in touchedSlots() {
            let place = order.place(ofSlot: slot)
            let (word, before) = (order.word(at: place), order.summary(before: place))
            switch (word.isOld, word.isNew) {
            case (true, true):
                if differs(slot, from: slot) { updates.append(before.count(.old)) }
            case (true, false): deletes.append(before.count(.old))
            case (false, true):
                guard let origin = origins[slot] else {
                    inserts.append(before.count(.new))
                    continue
                }
                let old = order.summary(before: order.place(ofSlot: origin)).count(.old)
                if differs(slot, from: origin) { updates.append(old) }
                moves.append(ListMoveIndex(from: old, to: before.count(.new)))
            case (false, false): break
            }
        }
        let origins = ListIndexSet(moves.map(\.from))
        deletes.removeAll { origins.contains($0) }
        let needed = SectionTree.neededMoves(moves, inserts: inserts, deletes: deletes)
        return ListIndexSetResult(
            inserts: ListIndexSet(inserts), deletes: ListIndexSet(deletes), updates: ListIndexSet(updates),
            moves: needed)
    }

    /// Whether the object in a slot has another content than the one that a slot held before the transaction.
    private func differs(_ slot: Int, from origin: Int) -> Bool {
        guard let object = objects[slot], let before = oldVersions[origin]?.object ?? objects[origin] else {
            return false
        }
        return !object.hasSameContent(as: before)
    }

    /// Leaves out moves after which a section has the same place among those that were not moved.
    private static func neededMoves(_ moves: [ListMoveIndex], inserts: [Int], deletes: [Int]) -> [ListMoveIndex] {
        if moves.isEmpty { return [] }
        let gone = (deletes + moves.map(\.from)).sorted()
        let come = (inserts + moves.map(\.to)).sorted()
        let candidates = moves.filter {
            $0.from - count(below: $0.from, in: gone) == $0.to - count(below: $0.to, in: come)
        }
        .sorted()
        let stays = LongestIncreasingRun.members(
            of: candidates.map { LongestIncreasingRun.Stretch(first: UInt32(truncatingIfNeeded: $0.to), count: 1) })
        let unneeded = Set(zip(candidates, stays).compactMap { $1 > 0 ? $0 : nil })
        return moves.filter { !unneeded.contains($0) }.sorted { $0.to < $1.to }
    }

    /// How many of ascending numbers are below one.
    static func count(below number: Int, in sorted: [Int]) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

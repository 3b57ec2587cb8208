// SPDX-License-Identifier: Apache-2.0

extension SectionTree {
    /// Returns the changes of the open transaction.
    ///
    /// Deletes, updates and the `from` of moves are indexes before the transaction. Inserts and the `to` of moves
    /// are indexes after it. A move is an object that was moved, or removed and inserted again; moves that follow
    /// from other changes are left out. An object that was replaced by an equal object is no update.
    /// - Complexity: O(changes · log n).
    public func changes() -> ListIndexSetResult {
        var (inserts, deletes, updates): ([Int], [Int], [Int]) = ([], [], [])
        var moves: [ListMoveIndex] = []
        for slot in touchedSlots() {
            let place = order.place(ofSlot: slot)
            let (word, before) = (order.word(at: place), order.summary(before: place))
            switch (word.isOld, word.isNew) {
            case (true, true):
                if contentDiffers(in: slot, from: slot) { updates.append(before.count(.old)) }
            case (true, false): deletes.append(before.count(.old))
            case (false, true):
                guard let origin = origins[slot] else {
                    inserts.append(before.count(.new))
                    continue
                }
                let old = order.summary(before: order.place(ofSlot: origin)).count(.old)
                if contentDiffers(in: slot, from: origin) { updates.append(old) }
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

    /// Returns whether the object in a slot differs from the object that `origin` held before the transaction.
    private func contentDiffers(in slot: Int, from origin: Int) -> Bool {
        guard let object = objects[slot], let before = oldVersions[origin]?.object ?? objects[origin] else {
            return false
        }
        return !object.hasSameContent(as: before)
    }

    /// Returns the necessary moves. A move is unnecessary if its section keeps its place among the sections that were
    /// not moved.
    private static func neededMoves(_ moves: [ListMoveIndex], inserts: [Int], deletes: [Int]) -> [ListMoveIndex] {
        if moves.isEmpty { return [] }
        let gone = (deletes + moves.map(\.from)).sorted()
        let come = (inserts + moves.map(\.to)).sorted()
        let candidates = moves.filter { move in
            move.from - gone.partitionPoint { $0 < move.from } == move.to - come.partitionPoint { $0 < move.to }
        }
        .sorted()
        let stays = LongestIncreasingRun.memberCounts(
            of: candidates.map { LongestIncreasingRun.Stretch(first: UInt32(truncatingIfNeeded: $0.to), count: 1) })
        let unneeded = Set(zip(candidates, stays).compactMap { $1 > 0 ? $0 : nil })
        return moves.filter { !unneeded.contains($0) }.sorted { $0.to < $1.to }
    }
}

/// The diff: walk both lists side by side, pair what is left over through a table, make sure of repeated identifiers, and read
/// what changed from that.
///
/// The results are IGListKit's (DF-01 … DF-35), whichever way they are found.
enum DiffEngine {
    /// What changed between the two lists of a source.
    ///
    /// - Parameters:
    ///   - areUnique: whether the caller promises that no identifier occurs twice on one side.
    ///   - lookup: what the result finds identifiers with.
    /// - Complexity: O(n), with minimal moves O(n · log n) at worst.
    static func result(
        _ source: some DiffSource, moves: ListDiffMoves, areUnique: Bool, lookup: (any DiffLookup)?
    ) -> ListIndexSetResult {
        let (oldCount, newCount) = (source.oldCount, source.newCount)
        if oldCount == 0 || newCount == 0 {
            return ListIndexSetResult(
                inserts: ListIndexSet(0..<newCount), deletes: ListIndexSet(0..<oldCount), lookup: lookup)
        }
        let runs = DiffRuns(walking: source, keepsHashes: !areUnique)
        let pairing = DiffPairing(oldCount: runs.oldRestCount, newCount: runs.newRestCount)
        let table = DiffTable(count: runs.oldRestCount, limit: runs.oldRestCount)
        if pairing.pairUnique(source, runs, table), areUnique || DiffProof.holds(source, runs, pairing, table) {
            return result(runs, pairing, moves, lookup)
        }
        let everything = DiffRuns.none(source)
        let exact = DiffPairing(oldCount: oldCount, newCount: newCount)
        exact.pairRepeated(source)
        return result(everything, exact, moves, lookup)
    }

    private static func result(
        _ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing, _ moves: ListDiffMoves,
        _ lookup: (any DiffLookup)?
    ) -> ListIndexSetResult {
        let emission = DiffEmission(runs, pairing)
        var moved: [ListMoveIndex] = []
        if emission.movedCount > 0 {
            moved = moves == .positional ? emission.moves(runs, pairing) : emission.minimalMoves(runs, pairing)
        }
        return ListIndexSetResult(
            inserts: ListIndexSet(canonical: emission.inserts), deletes: ListIndexSet(canonical: emission.deletes),
            updates: ListIndexSet(canonical: emission.updates(runs)), moves: moved, lookup: lookup)
    }
}

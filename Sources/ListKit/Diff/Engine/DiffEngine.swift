// SPDX-License-Identifier: Apache-2.0

/// The diff: walks both lists side by side, pairs the rest through a table, checks for repeated identifiers, and
/// computes the changes.
///
/// The results are IGListKit's (DF-01 … DF-35), in every branch.
enum DiffEngine {
    /// The working memory that nearly every diff needs, most of which is never touched; more is allocated when needed.
    private static let bytesPerElement = 64
    /// The most that is allocated at once: larger blocks come anew from the system for each diff.
    private static let mostBytes = 4 << 20

    /// The changes between the two lists of a source.
    ///
    /// - Parameters:
    ///   - areUnique: whether the caller promises that no identifier occurs twice on one side.
    ///   - lookup: how the result finds identifiers.
    /// - Complexity: O(n), with minimal moves O(n · log n) at worst.
    static func result(
        _ source: some DiffSource, moves: ListDiffMoves, areUnique: Bool, lookup: (any DiffLookup)?
    ) -> ListIndexSetResult {
        let (oldCount, newCount) = (source.oldCount, source.newCount)
        if oldCount == 0 || newCount == 0 {
            return ListIndexSetResult(
                inserts: ListIndexSet(0..<newCount), deletes: ListIndexSet(0..<oldCount), lookup: lookup)
        }
        return DiffMemory.with(byteCount: min(mostBytes, bytesPerElement * max(oldCount, newCount))) { memory in
            let runs = DiffRuns(walking: source, in: &memory)
            var pairing = DiffPairing(oldCount: runs.oldRestCount, newCount: runs.newRestCount, in: &memory)
            let table = DiffTable(count: runs.oldRestCount, limit: runs.oldRestCount, in: &memory)
            if pairing.pairUnique(source, runs, table, in: &memory),
                areUnique || DiffProof.holds(source, runs, pairing, table, in: &memory)
            {
                return result(runs, pairing, moves, lookup, in: &memory)
            }
            return repeatedResult(source, moves, lookup, in: &memory)
        }
    }

    /// The slow path, for identifiers that occur more than once.
    private static func repeatedResult(
        _ source: some DiffSource, _ moves: ListDiffMoves, _ lookup: (any DiffLookup)?, in memory: inout DiffMemory
    ) -> ListIndexSetResult {
        let everything = DiffRuns.none(source, in: &memory)
        var pairing = DiffPairing(oldCount: source.oldCount, newCount: source.newCount, in: &memory)
        pairing.pairRepeated(source, in: &memory)
        return result(everything, pairing, moves, lookup, in: &memory)
    }

    private static func result(
        _ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing, _ moves: ListDiffMoves,
        _ lookup: (any DiffLookup)?, in memory: inout DiffMemory
    ) -> ListIndexSetResult {
        let emission = DiffEmission(runs, pairing, in: &memory)
        var moved: [ListMoveIndex] = []
        if emission.movedCount > 0 {
            moved =
                moves == .positional ? emission.moves(runs, pairing) : emission.minimalMoves(runs, pairing, in: &memory)
        }
        return ListIndexSetResult(
            inserts: ListIndexSet(canonical: emission.inserts), deletes: ListIndexSet(canonical: emission.deletes),
            updates: ListIndexSet(canonical: emission.updates(runs)), moves: moved, lookup: lookup)
    }
}

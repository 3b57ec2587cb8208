// SPDX-License-Identifier: Apache-2.0

/// The diff algorithm. It walks through both lists in parallel, pairs the remaining elements with a hash table,
/// checks for repeated identifiers, and computes the changes.
///
/// The results equal those of IGListKit (DF-01 … DF-35) on every path.
enum DiffEngine {
    /// The working memory per element that nearly every diff needs. Most of it is never touched; more is allocated
    /// when needed.
    private static let bytesPerElement = 64
    /// The maximum size of the working memory. The allocator would request a larger block from the system anew for
    /// each diff.
    private static let maximumBytes = 4 << 20

    /// Returns the changes between the two lists of a source.
    ///
    /// - Parameters:
    ///   - areUnique: the caller's promise that no identifier occurs twice in the old list or twice in the new list.
    ///   - lookup: the lookup by which the result finds identifiers.
    /// - Complexity: O(n), with minimal moves O(n · log n) at worst.
    static func result(
        _ source: some DiffSource, moves: ListDiffMoves, areUnique: Bool, lookup: (any DiffLookup)?
    ) -> ListIndexSetResult {
        let (oldCount, newCount) = (source.oldCount, source.newCount)
        if oldCount == 0 || newCount == 0 {
            return ListIndexSetResult(
                inserts: ListIndexSet(0..<newCount), deletes: ListIndexSet(0..<oldCount), lookup: lookup)
        }
        return DiffMemory.with(byteCount: min(maximumBytes, bytesPerElement * max(oldCount, newCount))) { memory in
            let runs = DiffRuns(walking: source, in: &memory)
            var pairing = DiffPairing(oldCount: runs.oldRestCount, newCount: runs.newRestCount, in: &memory)
            let table = DiffTable(count: runs.oldRestCount, limit: runs.oldRestCount, in: &memory)
            if pairing.pairUnique(source, runs, table, in: &memory),
                areUnique || DiffProof.confirmsPairs(source, runs, pairing, table, in: &memory)
            {
                return result(runs, pairing, moves, lookup, in: &memory)
            }
            return resultWithRepeatedIdentifiers(source, moves, lookup, in: &memory)
        }
    }

    /// Returns the changes if identifiers repeat. This path is slower.
    private static func resultWithRepeatedIdentifiers(
        _ source: some DiffSource, _ moves: ListDiffMoves, _ lookup: (any DiffLookup)?, in memory: inout DiffMemory
    ) -> ListIndexSetResult {
        let everything = DiffRuns.withoutRuns(source, in: &memory)
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

// SPDX-License-Identifier: Apache-2.0

/// The last step of a diff: it computes the changes from the runs and from the pairs among the remaining elements.
///
/// The elements of a run move together or not at all, so the complexity is O(runs + remaining elements + moves). The
/// rank of a paired element in a list is the number of paired elements before it.
struct DiffEmission: ~Copyable {
    /// The rank in the old list of the first element of each run.
    private let runRanks: FlatBuffer<UInt32>
    /// The rank in the old list of each paired element of the old rest.
    private let restRanks: FlatBuffer<UInt32>
    private(set) var deletes: [Range<Int>] = []
    private(set) var inserts: [Range<Int>] = []
    private var restUpdates: [Int] = []
    /// The number of elements whose ranks in the old and the new list differ.
    private(set) var movedCount = 0

    /// Computes the ranks of all paired elements, and with them deletes, inserts and the number of moves.
    init(_ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing, in memory: inout DiffMemory) {
        runRanks = FlatBuffer(uninitializedCount: runs.runCount, in: &memory)
        restRanks = FlatBuffer(uninitializedCount: runs.oldRestCount, in: &memory)
        computeOldRanks(runs, pairing)
        computeNewRanks(runs, pairing)
    }

    private mutating func computeOldRanks(_ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing) {
        var (run, rest, rank) = (0, 0, 0 as UInt32)
        var deletes = AscendingRanges()
        while true {
            let limit = run < runs.runCount ? runs.runs[run].old : .max
            while rest < runs.oldRestCount, runs.oldRest[rest] < limit {
                let old = Int(runs.oldRest[rest])
                if pairing.isFree(old: rest) {
                    deletes.append(old)
                } else {
                    restRanks[rest] = rank
                    rank += 1
                    if pairing.isChanged(old: rest) { restUpdates.append(old) }
                }
                rest += 1
            }
            if run == runs.runCount { break }
            runRanks[run] = rank
            rank += runs.runs[run].count
            run += 1
        }
        self.deletes = deletes.finish()
    }

    private mutating func computeNewRanks(_ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing) {
        var (run, rest, rank, moved) = (0, 0, 0 as UInt32, 0)
        var inserts = AscendingRanges()
        while true {
            let limit = run < runs.runCount ? runs.runs[run].new : .max
            while rest < runs.newRestCount, runs.newRest[rest] < limit {
                let partner = pairing.partner(ofNew: rest)
                if partner == DiffPairing.noPartner {
                    inserts.append(Int(runs.newRest[rest]))
                } else {
                    if restRanks[Int(partner)] != rank { moved += 1 }
                    rank += 1
                }
                rest += 1
            }
            if run == runs.runCount { break }
            if runRanks[run] != rank { moved += Int(runs.runs[run].count) }
            rank += runs.runs[run].count
            run += 1
        }
        self.inserts = inserts.finish()
        movedCount = moved
    }

    /// Returns the old indexes of all changed elements.
    func updates(_ runs: borrowing DiffRuns) -> [Range<Int>] {
        var updates = AscendingRanges()
        var rest = 0
        for position in 0..<runs.updateCount {
            let update = Int(runs.updates[position])
            while rest < restUpdates.count, restUpdates[rest] < update {
                updates.append(restUpdates[rest])
                rest += 1
            }
            updates.append(update)
        }
        for update in restUpdates[rest...] { updates.append(update) }
        return updates.finish()
    }

    /// Returns IGListKit's moves. An element moved if its new index differs from its old index − deletes before it +
    /// inserts before it, that is, if its two ranks differ.
    func moves(_ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing) -> [ListMoveIndex] {
        let count = movedCount
        // The capacity suffices: `movedCount` was computed by the same comparisons of the same elements.
        return unsafe [ListMoveIndex](unsafeUninitializedCapacity: count) { buffer, initialized in
            var (run, rest, rank) = (0, 0, 0 as UInt32)
            while initialized < count {
                let limit = run < runs.runCount ? runs.runs[run].new : .max
                while rest < runs.newRestCount, runs.newRest[rest] < limit {
                    let (new, partner) = (Int(runs.newRest[rest]), pairing.partner(ofNew: rest))
                    rest += 1
                    if partner == DiffPairing.noPartner { continue }
                    if restRanks[Int(partner)] != rank {
                        let move = ListMoveIndex(from: Int(runs.oldRest[Int(partner)]), to: new)
                        unsafe buffer.initializeElement(at: initialized, to: move)
                        initialized += 1
                    }
                    rank += 1
                }
                if run == runs.runCount { return }
                let (old, new) = (Int(runs.runs[run].old), Int(runs.runs[run].new))
                if runRanks[run] != rank {
                    for offset in 0..<Int(runs.runs[run].count) {
                        let move = ListMoveIndex(from: old + offset, to: new + offset)
                        unsafe buffer.initializeElement(at: initialized + offset, to: move)
                    }
                    initialized += Int(runs.runs[run].count)
                }
                rank += runs.runs[run].count
                run += 1
            }
        }
    }

    /// Returns as few moves as possible: one for each paired element outside a longest subsequence that keeps its
    /// order.
    func minimalMoves(
        _ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing, in memory: inout DiffMemory
    ) -> [ListMoveIndex] {
        var stretches: [Range<UInt32>] = []
        var targets: [Int] = []
        var (run, rest) = (0, 0)
        while true {
            let limit = run < runs.runCount ? runs.runs[run].new : .max
            while rest < runs.newRestCount, runs.newRest[rest] < limit {
                let partner = pairing.partner(ofNew: rest)
                if partner != DiffPairing.noPartner {
                    stretches.append(runs.oldRest[Int(partner)]..<runs.oldRest[Int(partner)] + 1)
                    targets.append(Int(runs.newRest[rest]))
                }
                rest += 1
            }
            if run == runs.runCount { break }
            stretches.append(runs.runs[run].old..<runs.runs[run].old + runs.runs[run].count)
            targets.append(Int(runs.runs[run].new))
            run += 1
        }
        var moves: [ListMoveIndex] = []
        for (position, kept) in LongestIncreasingRun.memberCounts(of: stretches, in: &memory).enumerated() {
            let stretch = stretches[position]
            for offset in Int(kept)..<stretch.count {
                moves.append(ListMoveIndex(from: Int(stretch.lowerBound) + offset, to: targets[position] + offset))
            }
        }
        return moves
    }
}

/// A builder of ranges from indexes that are added in ascending order.
private struct AscendingRanges {
    private var ranges: [Range<Int>] = []
    private var start = -1
    private var end = -1

    /// Adds an index that is larger than all previous ones.
    @inline(__always)
    mutating func append(_ index: Int) {
        if index != end {
            closeRange()
            start = index
        }
        end = index + 1
    }

    /// Returns all ranges. No two are adjacent.
    consuming func finish() -> [Range<Int>] {
        closeRange()
        return ranges
    }

    private mutating func closeRange() {
        if end >= 0 { ranges.append(start..<end) }
    }
}

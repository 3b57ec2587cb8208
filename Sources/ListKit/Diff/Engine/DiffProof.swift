// SPDX-License-Identifier: Apache-2.0

/// A check that the pairs of a walk equal those of IGListKit although identifiers may repeat.
///
/// The pairs of a walk are in the same order in both lists. They equal IGListKit's unless an identifier in one of the
/// rests also occurs in a run. The changed pairs are marked correctly unless the identifier of one of them has another
/// occurrence. So the identifiers of the rests and of the changed pairs are inserted into tables, and every element of
/// a run is looked up in the tables. A bit filter decides nearly all lookups.
struct DiffProof: ~Copyable {
    private let filter: FlatBuffer<UInt64>
    private let filterMask: UInt32
    private let newRest: DiffTable
    private let updates: DiffTable

    /// Returns whether the pairs of a walk equal IGListKit's. Call it after the rests were paired without finding a
    /// repeated identifier.
    ///
    /// - Parameter oldRest: the table of the old rest.
    static func confirmsPairs<Source: DiffSource>(
        _ source: Source, _ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing,
        _ oldRest: borrowing DiffTable, in memory: inout DiffMemory
    ) -> Bool {
        if runs.runCount == 0 { return true }
        if runs.oldRestCount == 0 && runs.newRestCount == 0 && runs.updateCount == 0 { return true }
        // The elements of a common start are always paired correctly. They only have to be checked if there are
        // changed pairs: all pairs with the identifier of a changed pair count as changed.
        let hasStart = runs.runs[0].old == 0 && runs.runs[0].new == 0
        let first = hasStart && runs.updateCount == 0 && !pairing.hasChanges ? 1 : 0
        if first == runs.runCount { return true }
        if !Source.hasHashes, runs.oldRestCount + runs.newRestCount + runs.updateCount <= comparisonLimit {
            return confirmsPairsByComparison(source, runs, pairing, from: first)
        }
        let proof = DiffProof(runs, in: &memory)
        return proof.insertIdentifiers(source, runs, pairing)
            && proof.runsHaveNoRepeats(source, runs, oldRest, from: first)
    }

    /// The number of identifiers up to which comparing each of them with all elements of runs is faster than hashing
    /// these elements.
    private static let comparisonLimit = 4

    /// Does the check of `confirmsPairs` by comparing each identifier with all elements of runs.
    private static func confirmsPairsByComparison(
        _ source: some DiffSource, _ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing, from first: Int
    ) -> Bool {
        for run in first..<runs.runCount {
            let start = Int(runs.runs[run].old)
            let range = start..<start + Int(runs.runs[run].count)
            for position in 0..<runs.oldRestCount where source.occurs(old: Int(runs.oldRest[position]), inOld: range) {
                return false
            }
            for position in 0..<runs.newRestCount where pairing.partner(ofNew: position) == DiffPairing.noPartner {
                if source.occurs(new: Int(runs.newRest[position]), inOld: range) { return false }
            }
            for position in 0..<runs.updateCount {
                let old = Int(runs.updates[position])
                let others =
                    range.contains(old)
                    ? [range.lowerBound..<old, old + 1..<range.upperBound] : [range]
                if others.contains(where: { source.occurs(old: old, inOld: $0) }) { return false }
            }
        }
        return true
    }

    private init(_ runs: borrowing DiffRuns, in memory: inout DiffMemory) {
        let count = runs.oldRestCount + runs.newRestCount + runs.updateCount
        var words = 16
        while words < 16384, words * 2 < count { words *= 2 }
        filter = FlatBuffer(repeating: 0, count: words, in: &memory)
        filterMask = UInt32(words - 1)
        newRest = DiffTable(count: runs.newRestCount, limit: runs.newRestCount, in: &memory)
        updates = DiffTable(count: runs.updateCount, limit: runs.updateCount, in: &memory)
    }

    /// Returns the filter's bits for a hash: two bits of one word, so that one load decides, with few false
    /// positives.
    @inline(__always)
    private static func bits(_ hash: UInt32) -> UInt64 {
        1 &<< UInt64(hash >> 26) | 1 &<< UInt64(hash >> 20 & 63)
    }

    @inline(__always)
    private func wordIndex(_ hash: UInt32) -> Int { Int(hash & filterMask) }

    @inline(__always)
    private func insert(_ hash: UInt32) { filter[wordIndex(hash)] |= DiffProof.bits(hash) }

    @inline(__always)
    private func mayContain(_ hash: UInt32) -> Bool {
        let bits = DiffProof.bits(hash)
        return filter[wordIndex(hash)] & bits == bits
    }

    /// Inserts the identifiers that must not occur in runs again. Returns false when two updated elements have the
    /// same identifier.
    private func insertIdentifiers(
        _ source: some DiffSource, _ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing
    ) -> Bool {
        for position in 0..<runs.oldRestCount { insert(runs.oldHashes[Int(runs.oldRest[position])]) }
        // A paired new element needs no entry: its old partner in the table of the old rest has the same identifier.
        // An identifier that repeats among the unpaired new elements is no fault: all its occurrences are inserts,
        // unless an element in a run has this identifier too, which the lookup finds.
        for position in 0..<runs.newRestCount where pairing.partner(ofNew: position) == DiffPairing.noPartner {
            let new = Int(runs.newRest[position])
            let hash = runs.newHashes[new]
            insert(hash)
            _ = newRest.insert(position, hash: hash) { source.isSame(new: Int(runs.newRest[$0]), asNew: new) }
        }
        for position in 0..<runs.updateCount {
            let old = Int(runs.updates[position])
            let hash = runs.hash(inRun: old, source)
            insert(hash)
            let other = updates.insert(position, hash: hash) { source.isSame(old: Int(runs.updates[$0]), asOld: old) }
            if other != nil { return false }
        }
        return true
    }

    /// Looks up the elements of runs, from run `first` on. Returns false when one of them has a repeated identifier.
    private func runsHaveNoRepeats(
        _ source: some DiffSource, _ runs: borrowing DiffRuns, _ oldRest: borrowing DiffTable, from first: Int
    ) -> Bool {
        for run in first..<runs.runCount {
            let (start, count) = (Int(runs.runs[run].old), Int(runs.runs[run].count))
            for old in start..<start + count {
                let hash = runs.hash(inRun: old, source)
                if mayContain(hash), isRepeated(old: old, hash: hash, source, runs, oldRest) { return false }
            }
        }
        return true
    }

    private func isRepeated(
        old: Int, hash: UInt32, _ source: some DiffSource, _ runs: borrowing DiffRuns,
        _ oldRest: borrowing DiffTable
    ) -> Bool {
        if oldRest.find(hash: hash, isSame: { source.isSame(old: Int(runs.oldRest[$0]), asOld: old) }) != nil {
            return true
        }
        let inserted = newRest.find(hash: hash) { source.relation(old: old, new: Int(runs.newRest[$0])) != .different }
        if inserted != nil { return true }
        let updated = updates.find(hash: hash) { source.isSame(old: Int(runs.updates[$0]), asOld: old) }
        return updated.map { Int(runs.updates[$0.index]) != old } ?? false
    }
}

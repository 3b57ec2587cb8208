// SPDX-License-Identifier: Apache-2.0

/// Checks that a walk paired as IGListKit does, when identifiers may repeat.
///
/// Pairs in the same order on both sides are IGListKit's unless an identifier of the rest occurs once more, and a
/// changed mark is right unless its identifier occurs once more. So those identifiers are inserted into tables, and
/// every paired element is looked up; a bit filter answers nearly all look-ups.
struct DiffProof: ~Copyable {
    private let filter: FlatBuffer<UInt64>
    private let filterMask: UInt32
    private let newRest: DiffTable
    private let updates: DiffTable

    /// Whether the pairs of a walk are IGListKit's, after its rests were paired without finding a repeated identifier.
    ///
    /// - Parameter oldRest: the table of the rest before.
    static func holds<Source: DiffSource>(
        _ source: Source, _ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing,
        _ oldRest: borrowing DiffTable, in memory: inout DiffMemory
    ) -> Bool {
        if runs.runCount == 0 { return true }
        if runs.oldRestCount == 0 && runs.newRestCount == 0 && runs.updateCount == 0 { return true }
        // A common start is always paired with itself; only a changed mark can extend into it.
        let hasStart = runs.runs[0].old == 0 && runs.runs[0].new == 0
        let first = hasStart && runs.updateCount == 0 && !pairing.hasChanges ? 1 : 0
        if first == runs.runCount { return true }
        if !Source.hasHashes, runs.oldRestCount + runs.newRestCount + runs.updateCount <= fewIdentifiers {
            return holdsForFew(source, runs, pairing, from: first)
        }
        let proof = DiffProof(runs, in: &memory)
        return proof.enter(source, runs, pairing) && proof.check(source, runs, oldRest, from: first)
    }

    /// So many identifiers are compared with all that are paired sooner than these are hashed.
    private static let fewIdentifiers = 4

    /// The same by comparing each identifier with all that are paired.
    private static func holdsForFew(
        _ source: some DiffSource, _ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing, from first: Int
    ) -> Bool {
        for run in first..<runs.runCount {
            let start = Int(runs.runs[run].old)
            let range = start..<start + Int(runs.runs[run].count)
            for position in 0..<runs.oldRestCount where source.isOld(Int(runs.oldRest[position]), in: range) {
                return false
            }
            for position in 0..<runs.newRestCount where pairing.partner(ofNew: position) == DiffPairing.noPartner {
                if source.isNew(Int(runs.newRest[position]), inOld: range) { return false }
            }
            for position in 0..<runs.updateCount {
                let old = Int(runs.updates[position])
                let others =
                    range.contains(old)
                    ? [range.lowerBound..<old, old + 1..<range.upperBound] : [range]
                if others.contains(where: { source.isOld(old, in: $0) }) { return false }
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

    /// Two bits of one word, so that one load decides, with few false positives.
    @inline(__always)
    private static func bits(_ hash: UInt32) -> UInt64 {
        1 &<< UInt64(hash >> 26) | 1 &<< UInt64(hash >> 20 & 63)
    }

    @inline(__always)
    private func word(_ hash: UInt32) -> Int { Int(hash & filterMask) }

    @inline(__always)
    private func insert(_ hash: UInt32) { filter[word(hash)] |= DiffProof.bits(hash) }

    @inline(__always)
    private func mayContain(_ hash: UInt32) -> Bool {
        let bits = DiffProof.bits(hash)
        return filter[word(hash)] & bits == bits
    }

    /// Inserts identifiers that must not occur once more; returns false when one does.
    private func enter(
        _ source: some DiffSource, _ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing
    ) -> Bool {
        for position in 0..<runs.oldRestCount { insert(runs.oldHashes[Int(runs.oldRest[position])]) }
        // Paired ones are found by their pair; repeated ones are inserts unless an element in a run is the same.
        for position in 0..<runs.newRestCount where pairing.partner(ofNew: position) == DiffPairing.noPartner {
            let new = Int(runs.newRest[position])
            let hash = runs.newHashes[new]
            insert(hash)
            _ = newRest.insert(position, hash: hash) { source.isSameNew(Int(runs.newRest[$0]), new) }
        }
        for position in 0..<runs.updateCount {
            let old = Int(runs.updates[position])
            let hash = runs.hash(inRun: old, source)
            insert(hash)
            if updates.insert(position, hash: hash, isSame: { source.isSameOld(Int(runs.updates[$0]), old) }) != nil {
                return false
            }
        }
        return true
    }

    /// Looks up the paired elements, from a run on.
    private func check(
        _ source: some DiffSource, _ runs: borrowing DiffRuns, _ oldRest: borrowing DiffTable, from first: Int
    ) -> Bool {
        for run in first..<runs.runCount {
            let (start, count) = (Int(runs.runs[run].old), Int(runs.runs[run].count))
            for old in start..<start + count {
                let hash = runs.hash(inRun: old, source)
                if mayContain(hash), isRepeated(old, hash, source, runs, oldRest) { return false }
            }
        }
        return true
    }

    private func isRepeated(
        _ old: Int, _ hash: UInt32, _ source: some DiffSource, _ runs: borrowing DiffRuns,
        _ oldRest: borrowing DiffTable
    ) -> Bool {
        if oldRest.find(hash: hash, isSame: { source.isSameOld(Int(runs.oldRest[$0]), old) }) != nil { return true }
        if newRest.find(hash: hash, isSame: { source.relation(old, Int(runs.newRest[$0])) != .different }) != nil {
            return true
        }
        let updated = updates.find(hash: hash) { source.isSameOld(Int(runs.updates[$0]), old) }
        return updated.map { Int(runs.updates[$0.index]) != old } ?? false
    }
}

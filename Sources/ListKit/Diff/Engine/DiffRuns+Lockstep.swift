// SPDX-License-Identifier: Apache-2.0

extension DiffRuns {
    /// How far a walk searches on either side for the next agreement of the lists.
    private static let window = 6

    /// The number of consecutive places without agreement after which a walk stops.
    private static let patience = 24

    /// Walks through two lists: the common start, the common end, then the part between, past insertions and deletions.
    ///
    /// Every pair has one identifier, and the pairs are in the same order on both sides; where the lists differ too
    /// much, everything up to the common end becomes the rest.
    init(walking source: some DiffSource, in memory: inout DiffMemory) {
        self.init(oldCount: source.oldCount, newCount: source.newCount, in: &memory)
        let start = walkRun(source, from: 0, 0, to: source.oldCount, source.newCount)
        let (end, endUpdates) = walkEnd(source, downTo: start)
        let (oldEnd, newEnd) = (source.oldCount - end, source.newCount - end)
        var (old, new, failures) = (start, start, 0)
        while old < oldEnd, new < newEnd, failures < DiffRuns.patience {
            let step = DiffRuns.nextAgreement(source, old, new, oldEnd, newEnd)
            failures = step == nil ? failures + 1 : 0
            let (oldStep, newStep) = step ?? (1, 1)
            leaveOver(old: old..<old + oldStep, new: new..<new + newStep, source)
            (old, new) = (old + oldStep, new + newStep)
            let count = walkRun(source, from: old, new, to: oldEnd, newEnd)
            (old, new) = (old + count, new + count)
        }
        leaveOver(oldTail: old..<oldEnd, newTail: new..<newEnd)
        for update in endUpdates.reversed() { addUpdate(Int(update)) }
        addRun(count: end, endingAt: source.oldCount, source.newCount)
    }

    /// Walks from the end towards a common start.
    ///
    /// - Returns: the number of agreeing elements, and those of them that changed, descending.
    private mutating func walkEnd<Source: DiffSource>(
        _ source: Source, downTo start: Int
    ) -> (count: Int, updates: [UInt32]) {
        let limit = min(source.oldCount, source.newCount) - start
        let firstUpdate = updateCount
        var count = 0
        walk: while count < limit {
            if !Source.hasHashes {
                count += source.unchangedCount(
                    before: source.oldCount - count, source.newCount - count, limit: limit - count)
                if count == limit { break }
            }
            let old = source.oldCount - 1 - count
            switch source.relation(old, source.newCount - 1 - count) {
            case .different: break walk
            case .changed: addUpdate(old)
            case .unchanged: break
            }
            if Source.hasHashes { oldHashes[old] = source.oldHash(old) }
            count += 1
        }
        return (count, takeUpdates(from: firstUpdate))
    }

    /// Adds the run that starts at two indexes.
    ///
    /// - Returns: its length.
    private mutating func walkRun<Source: DiffSource>(
        _ source: Source, from oldStart: Int, _ newStart: Int, to oldEnd: Int, _ newEnd: Int
    ) -> Int {
        let limit = min(oldEnd - oldStart, newEnd - newStart)
        var count = 0
        walk: while count < limit {
            if !Source.hasHashes {
                count += source.unchangedCount(from: oldStart + count, newStart + count, limit: limit - count)
                if count == limit { break }
            }
            let old = oldStart + count
            switch source.relation(old, newStart + count) {
            case .different: break walk
            case .changed: addUpdate(old)
            case .unchanged: break
            }
            if Source.hasHashes { oldHashes[old] = source.oldHash(old) }
            count += 1
        }
        addRun(count: count, endingAt: oldStart + count, newStart + count)
        return count
    }

    /// The number of elements on either side to put into the rest until the lists agree again; nil when they do not in
    /// the window.
    private static func nextAgreement(
        _ source: some DiffSource, _ old: Int, _ new: Int, _ oldEnd: Int, _ newEnd: Int
    ) -> (old: Int, new: Int)? {
        let (oldRoom, newRoom) = (oldEnd - old, newEnd - new)
        // One element deleted, inserted or replaced: nearly always.
        if oldRoom > 1, source.isLikelySame(old + 1, new) { return (1, 0) }
        if newRoom > 1, source.isLikelySame(old, new + 1) { return (0, 1) }
        if oldRoom > 1, newRoom > 1, source.isLikelySame(old + 1, new + 1) { return (1, 1) }
        for distance in 2...window {
            for other in 0...distance {
                if distance < oldRoom, other < newRoom, source.isLikelySame(old + distance, new + other) {
                    return (distance, other)
                }
                if other < distance, other < oldRoom, distance < newRoom,
                    source.isLikelySame(old + other, new + distance)
                {
                    return (other, distance)
                }
            }
        }
        return nil
    }
}

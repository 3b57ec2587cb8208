// SPDX-License-Identifier: Apache-2.0

extension DiffRuns {
    /// The number of elements on either side in which a walk searches for the next agreement of the lists.
    private static let window = 6

    /// The number of consecutive positions without agreement after which a walk stops.
    private static let maximumFailures = 24

    /// Walks through both lists: first the common start, then the common end, then the part between, past insertions
    /// and deletions.
    ///
    /// The two elements of a pair have the same identifier, and the pairs are in the same order on both sides. From
    /// where the lists differ too much, all elements up to the common end are added to the rest.
    init(walking source: some DiffSource, in memory: inout DiffMemory) {
        self.init(oldCount: source.oldCount, newCount: source.newCount, in: &memory)
        let start = walkRun(
            source, oldStart: 0, newStart: 0, oldEnd: source.oldCount, newEnd: source.newCount)
        let (end, endUpdates) = walkCommonEnd(source, downTo: start)
        let (oldEnd, newEnd) = (source.oldCount - end, source.newCount - end)
        var (old, new, failures) = (start, start, 0)
        while old < oldEnd, new < newEnd, failures < DiffRuns.maximumFailures {
            let step = DiffRuns.nextAgreement(source, old: old, new: new, oldEnd: oldEnd, newEnd: newEnd)
            failures = step == nil ? failures + 1 : 0
            let (oldStep, newStep) = step ?? (1, 1)
            addToRest(old: old..<old + oldStep, new: new..<new + newStep, source)
            (old, new) = (old + oldStep, new + newStep)
            let count = walkRun(source, oldStart: old, newStart: new, oldEnd: oldEnd, newEnd: newEnd)
            (old, new) = (old + count, new + count)
        }
        addToRest(oldTail: old..<oldEnd, newTail: new..<newEnd)
        for update in endUpdates.reversed() { addUpdate(old: Int(update)) }
        addRun(count: end, oldEnd: source.oldCount, newEnd: source.newCount)
    }

    /// Walks through the common end, backwards and at most to the common start.
    ///
    /// - Returns: the number of elements of the common end, and the old indexes of those that changed, in descending
    ///   order.
    private mutating func walkCommonEnd<Source: DiffSource>(
        _ source: Source, downTo start: Int
    ) -> (count: Int, updates: [UInt32]) {
        let limit = min(source.oldCount, source.newCount) - start
        let firstUpdate = updateCount
        var count = 0
        walk: while count < limit {
            if !Source.hasHashes {
                count += source.unchangedCount(
                    beforeOld: source.oldCount - count, new: source.newCount - count, limit: limit - count)
                if count == limit { break }
            }
            let old = source.oldCount - 1 - count
            switch source.relation(old: old, new: source.newCount - 1 - count) {
            case .different: break walk
            case .changed: addUpdate(old: old)
            case .unchanged: break
            }
            if Source.hasHashes { oldHashes[old] = source.oldHash(old) }
            count += 1
        }
        return (count, removeUpdates(from: firstUpdate))
    }

    /// Walks through equal identifiers from an old and a new index on, and adds them as a run.
    ///
    /// - Returns: the length of the run, 0 if the first identifiers differ.
    private mutating func walkRun<Source: DiffSource>(
        _ source: Source, oldStart: Int, newStart: Int, oldEnd: Int, newEnd: Int
    ) -> Int {
        let limit = min(oldEnd - oldStart, newEnd - newStart)
        var count = 0
        walk: while count < limit {
            if !Source.hasHashes {
                count += source.unchangedCount(
                    fromOld: oldStart + count, new: newStart + count, limit: limit - count)
                if count == limit { break }
            }
            let old = oldStart + count
            switch source.relation(old: old, new: newStart + count) {
            case .different: break walk
            case .changed: addUpdate(old: old)
            case .unchanged: break
            }
            if Source.hasHashes { oldHashes[old] = source.oldHash(old) }
            count += 1
        }
        addRun(count: count, oldEnd: oldStart + count, newEnd: newStart + count)
        return count
    }

    /// Returns the number of old and of new elements to skip until the lists agree again; nil if they do not agree
    /// within the window.
    private static func nextAgreement(
        _ source: some DiffSource, old: Int, new: Int, oldEnd: Int, newEnd: Int
    ) -> (old: Int, new: Int)? {
        let (oldRoom, newRoom) = (oldEnd - old, newEnd - new)
        // Nearly always one element was deleted, inserted or replaced.
        if oldRoom > 1, source.isLikelySame(old: old + 1, new: new) { return (1, 0) }
        if newRoom > 1, source.isLikelySame(old: old, new: new + 1) { return (0, 1) }
        if oldRoom > 1, newRoom > 1, source.isLikelySame(old: old + 1, new: new + 1) { return (1, 1) }
        for distance in 2...window {
            for other in 0...distance {
                if distance < oldRoom, other < newRoom, source.isLikelySame(old: old + distance, new: new + other) {
                    return (distance, other)
                }
                if other < distance, other < oldRoom, distance < newRoom,
                    source.isLikelySame(old: old + other, new: new + distance)
                {
                    return (other, distance)
                }
            }
        }
        return nil
    }
}

extension DiffRuns {
    /// How far a walk looks ahead on either side for where the lists agree again.
    private static let window = 6

    /// After how many places in a row without agreement a walk gives up.
    private static let patience = 24

    /// Walks through two lists: common end first, then from the start, past insertions and deletions.
    ///
    /// Every pair found has one identifier, and the pairs are in the same order on both sides; where the lists differ too
    /// much, everything up to the common end is left over.
    init(walking source: some DiffSource) {
        self.init(oldCount: source.oldCount, newCount: source.newCount)
        let end = DiffRuns.commonEnd(source)
        var (old, new, failures) = (0, 0, 0)
        let (oldEnd, newEnd) = (source.oldCount - end, source.newCount - end)
        while failures < DiffRuns.patience {
            let count = walkRun(source, from: old, new, to: oldEnd, newEnd)
            if count > 0 { failures = 0 }
            (old, new) = (old + count, new + count)
            if old >= oldEnd || new >= newEnd { break }
            let step = DiffRuns.nextAgreement(source, old, new, oldEnd, newEnd)
            if step == nil { failures += 1 }
            let (oldStep, newStep) = step ?? (1, 1)
            leaveOver(old: old..<old + oldStep)
            leaveOver(new: new..<new + newStep)
            (old, new) = (old + oldStep, new + newStep)
        }
        leaveOver(old: old..<oldEnd)
        leaveOver(new: new..<newEnd)
        _ = walkRun(source, from: oldEnd, newEnd, to: source.oldCount, source.newCount)
    }

    /// How many elements at the end have equal identifiers.
    private static func commonEnd(_ source: some DiffSource) -> Int {
        let limit = min(source.oldCount, source.newCount)
        var count = 0
        while count < limit {
            let relation = source.relation(source.oldCount - 1 - count, source.newCount - 1 - count)
            if relation == .different { break }
            count += 1
        }
        return count
    }

    /// Adds the run that starts at two indexes.
    ///
    /// - Returns: its length.
    private mutating func walkRun(
        _ source: some DiffSource, from oldStart: Int, _ newStart: Int, to oldEnd: Int, _ newEnd: Int
    ) -> Int {
        let limit = min(oldEnd - oldStart, newEnd - newStart)
        var count = 0
        walk: while count < limit {
            switch source.relation(oldStart + count, newStart + count) {
            case .different: break walk
            case .changed: addUpdate(oldStart + count)
            case .unchanged: break
            }
            count += 1
        }
        addRun(count: count, endingAt: oldStart + count, newStart + count)
        return count
    }

    /// How many elements to leave over on either side until the lists agree again; nil when they do not in the window.
    private static func nextAgreement(
        _ source: some DiffSource, _ old: Int, _ new: Int, _ oldEnd: Int, _ newEnd: Int
    ) -> (old: Int, new: Int)? {
        let (oldRoom, newRoom) = (oldEnd - old, newEnd - new)
        for distance in 1...window {
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

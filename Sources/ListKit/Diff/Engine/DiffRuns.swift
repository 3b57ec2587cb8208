// SPDX-License-Identifier: Apache-2.0

/// A run of elements that follow each other in both lists: its first old index, its first new index and its length.
struct DiffRun: BitwiseCopyable {
    var old: UInt32
    var new: UInt32
    var count: UInt32
}

/// The result of walking through both lists in parallel: runs in the same order on both sides, and the elements in no
/// run, called the rest.
struct DiffRuns: ~Copyable {
    /// The maximum number of elements of a list.
    static let maximumCount = Int(Int32.max)

    /// The runs, ascending in both lists.
    let runs: FlatBuffer<DiffRun>
    private(set) var runCount = 0
    /// The old indexes of elements in no run, ascending.
    let oldRest: FlatBuffer<UInt32>
    private(set) var oldRestCount = 0
    /// The new indexes of elements in no run, ascending.
    let newRest: FlatBuffer<UInt32>
    private(set) var newRestCount = 0
    /// The old indexes of changed elements in runs, ascending.
    let updates: FlatBuffer<UInt32>
    private(set) var updateCount = 0
    /// The hashes of old elements, by index: for elements in a run only if `DiffSource.hasHashes`; for elements in no
    /// run after `hash(old:_:)` was called at the latest.
    let oldHashes: FlatBuffer<UInt32>
    /// The hashes of new elements, by index: for elements in no run after `hash(new:_:)` was called at the latest.
    let newHashes: FlatBuffer<UInt32>
    /// The start of the old elements that the walk added to the rest without comparing them.
    private var oldTail = 0
    /// The start of the new elements that the walk added to the rest without comparing them.
    private var newTail = 0

    /// Reserves memory for the worst case. Memory that is not needed is never touched.
    init(oldCount: Int, newCount: Int, in memory: inout DiffMemory) {
        let pairs = min(oldCount, newCount)
        runs = FlatBuffer(uninitializedCount: pairs, in: &memory)
        oldRest = FlatBuffer(uninitializedCount: oldCount, in: &memory)
        newRest = FlatBuffer(uninitializedCount: newCount, in: &memory)
        updates = FlatBuffer(uninitializedCount: pairs, in: &memory)
        oldHashes = FlatBuffer(uninitializedCount: oldCount, in: &memory)
        newHashes = FlatBuffer(uninitializedCount: newCount, in: &memory)
    }

    /// Returns a result without runs, in which all elements are in the rest.
    static func withoutRuns(_ source: some DiffSource, in memory: inout DiffMemory) -> DiffRuns {
        var result = DiffRuns(oldCount: source.oldCount, newCount: source.newCount, in: &memory)
        result.addToRest(oldTail: 0..<source.oldCount, newTail: 0..<source.newCount)
        return result
    }

    /// Returns the hash of an old element in no run. Computes it unless the walk did.
    @inline(__always)
    func hash(old: Int, _ source: some DiffSource) -> UInt32 {
        if old < oldTail { return oldHashes[old] }
        let hash = source.oldHash(old)
        oldHashes[old] = hash
        return hash
    }

    /// Returns the hash of an old element in a run.
    @inline(__always)
    func hash<Source: DiffSource>(inRun old: Int, _ source: Source) -> UInt32 {
        Source.hasHashes ? oldHashes[old] : source.oldHash(old)
    }

    /// Returns the hash of a new element in no run. Computes it unless the walk did.
    @inline(__always)
    func hash(new: Int, _ source: some DiffSource) -> UInt32 {
        if new < newTail { return newHashes[new] }
        let hash = source.newHash(new)
        newHashes[new] = hash
        return hash
    }

    /// Adds to the rest the elements that the walk compared, and stores their hashes.
    @inline(__always)
    mutating func addToRest(old: Range<Int>, new: Range<Int>, _ source: some DiffSource) {
        for index in old { oldHashes[index] = source.oldHash(index) }
        for index in new { newHashes[index] = source.newHash(index) }
        addToRest(old: old)
        addToRest(new: new)
    }

    /// Adds the remaining old and new elements to the rest. Their hashes are computed when they are paired.
    mutating func addToRest(oldTail: Range<Int>, newTail: Range<Int>) {
        (self.oldTail, self.newTail) = (oldTail.lowerBound, newTail.lowerBound)
        addToRest(old: oldTail)
        addToRest(new: newTail)
    }

    @inline(__always)
    private mutating func addToRest(old range: Range<Int>) {
        for index in range {
            oldRest[oldRestCount] = UInt32(truncatingIfNeeded: index)
            oldRestCount += 1
        }
    }

    @inline(__always)
    private mutating func addToRest(new range: Range<Int>) {
        for index in range {
            newRest[newRestCount] = UInt32(truncatingIfNeeded: index)
            newRestCount += 1
        }
    }

    /// Removes and returns the updates from position `start` on, so that they can be added in another order.
    mutating func removeUpdates(from start: Int) -> [UInt32] {
        defer { updateCount = start }
        return (start..<updateCount).map { updates[$0] }
    }

    @inline(__always)
    mutating func addUpdate(old: Int) {
        updates[updateCount] = UInt32(truncatingIfNeeded: old)
        updateCount += 1
    }

    /// Adds a run that ends before an old and a new index; does nothing if `count` is 0.
    @inline(__always)
    mutating func addRun(count: Int, oldEnd old: Int, newEnd new: Int) {
        if count == 0 { return }
        runs[runCount] = DiffRun(
            old: UInt32(truncatingIfNeeded: old - count), new: UInt32(truncatingIfNeeded: new - count),
            count: UInt32(truncatingIfNeeded: count))
        runCount += 1
    }
}

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

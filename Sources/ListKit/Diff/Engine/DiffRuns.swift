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

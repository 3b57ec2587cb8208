// SPDX-License-Identifier: Apache-2.0

/// A run of elements that follow each other in both lists.
struct DiffRun: BitwiseCopyable {
    var old: UInt32
    var new: UInt32
    var count: UInt32
}

/// The result of walking through both lists side by side: runs in the same order, and the rest on either side.
struct DiffRuns: ~Copyable {
    /// The maximum number of elements.
    static let maximumCount = Int(Int32.max)

    /// The runs, ascending in both lists.
    let runs: FlatBuffer<DiffRun>
    private(set) var runCount = 0
    /// Elements before that are in no run, ascending.
    let oldRest: FlatBuffer<UInt32>
    private(set) var oldRestCount = 0
    /// Elements after that are in no run, ascending.
    let newRest: FlatBuffer<UInt32>
    private(set) var newRestCount = 0
    /// Elements before that are in a run and changed, ascending.
    let updates: FlatBuffer<UInt32>
    private(set) var updateCount = 0
    /// Bits of the hashes of elements before, by index: of those in a run, if the source has them, and, as soon as they are
    /// paired, of the others.
    let oldHashes: FlatBuffer<UInt32>
    /// Bits of the hashes of elements after, by index: of those in no run, once they are paired.
    let newHashes: FlatBuffer<UInt32>
    /// The first element from which the walk put everything into the rest without comparing it.
    private var oldTail = 0
    private var newTail = 0

    /// Reserves room for the worst case; memory that is not needed is never touched.
    init(oldCount: Int, newCount: Int, in memory: inout DiffMemory) {
        let pairs = min(oldCount, newCount)
        runs = FlatBuffer(uninitializedCount: pairs, in: &memory)
        oldRest = FlatBuffer(uninitializedCount: oldCount, in: &memory)
        newRest = FlatBuffer(uninitializedCount: newCount, in: &memory)
        updates = FlatBuffer(uninitializedCount: pairs, in: &memory)
        oldHashes = FlatBuffer(uninitializedCount: oldCount, in: &memory)
        newHashes = FlatBuffer(uninitializedCount: newCount, in: &memory)
    }

    /// Puts everything into the rest.
    static func none(_ source: some DiffSource, in memory: inout DiffMemory) -> DiffRuns {
        var result = DiffRuns(oldCount: source.oldCount, newCount: source.newCount, in: &memory)
        result.leaveOver(oldTail: 0..<source.oldCount, newTail: 0..<source.newCount)
        return result
    }

    /// The hash of an element before that is in no run; computed at the first use.
    @inline(__always)
    func hash(old: Int, _ source: some DiffSource) -> UInt32 {
        if old < oldTail { return oldHashes[old] }
        let hash = source.oldHash(old)
        oldHashes[old] = hash
        return hash
    }

    /// The hash of an element before that is in a run.
    @inline(__always)
    func hash<Source: DiffSource>(inRun old: Int, _ source: Source) -> UInt32 {
        Source.hasHashes ? oldHashes[old] : source.oldHash(old)
    }

    /// The hash of an element after that is in no run; computed at the first use.
    @inline(__always)
    func hash(new: Int, _ source: some DiffSource) -> UInt32 {
        if new < newTail { return newHashes[new] }
        let hash = source.newHash(new)
        newHashes[new] = hash
        return hash
    }

    /// Puts compared elements into the rest, whose hashes are known.
    @inline(__always)
    mutating func leaveOver(old: Range<Int>, new: Range<Int>, _ source: some DiffSource) {
        for index in old { oldHashes[index] = source.oldHash(index) }
        for index in new { newHashes[index] = source.newHash(index) }
        leaveOver(old: old)
        leaveOver(new: new)
    }

    /// Puts everything between two places and two ends into the rest; its hashes are computed when each element is
    /// paired.
    mutating func leaveOver(oldTail: Range<Int>, newTail: Range<Int>) {
        (self.oldTail, self.newTail) = (oldTail.lowerBound, newTail.lowerBound)
        leaveOver(old: oldTail)
        leaveOver(new: newTail)
    }

    @inline(__always)
    private mutating func leaveOver(old range: Range<Int>) {
        for index in range {
            oldRest[oldRestCount] = UInt32(truncatingIfNeeded: index)
            oldRestCount += 1
        }
    }

    @inline(__always)
    private mutating func leaveOver(new range: Range<Int>) {
        for index in range {
            newRest[newRestCount] = UInt32(truncatingIfNeeded: index)
            newRestCount += 1
        }
    }

    /// Removes the last updates, so that they can be added in another order.
    mutating func takeUpdates(from start: Int) -> [UInt32] {
        defer { updateCount = start }
        return (start..<updateCount).map { updates[$0] }
    }

    @inline(__always)
    mutating func addUpdate(_ old: Int) {
        updates[updateCount] = UInt32(truncatingIfNeeded: old)
        updateCount += 1
    }

    /// Adds a run that ends before two indexes.
    @inline(__always)
    mutating func addRun(count: Int, endingAt old: Int, _ new: Int) {
        if count == 0 { return }
        runs[runCount] = DiffRun(
            old: UInt32(truncatingIfNeeded: old - count), new: UInt32(truncatingIfNeeded: new - count),
            count: UInt32(truncatingIfNeeded: count))
        runCount += 1
    }
}

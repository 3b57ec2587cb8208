/// A stretch of elements that follow each other in both lists.
struct DiffRun: BitwiseCopyable {
    var old: UInt32
    var new: UInt32
    var count: UInt32
}

/// What walking through both lists side by side finds: stretches in the same order, and what is left over on either side.
struct DiffRuns: ~Copyable {
    /// More elements than this cannot be numbered.
    static let maximumCount = Int(Int32.max)

    /// The stretches, ascending in both lists.
    let runs: FlatBuffer<DiffRun>
    private(set) var runCount = 0
    /// Elements before that are in no run, ascending.
    let oldRest: FlatBuffer<UInt32>
    private(set) var oldRestCount = 0
    /// Elements after that are in no run, ascending.
    let newRest: FlatBuffer<UInt32>
    private(set) var newRestCount = 0
    /// The hashes of elements before that are in no run: read while they are at hand, asked again and again later.
    let oldRestHashes: FlatBuffer<UInt32>
    /// The hashes of elements after that are in no run.
    let newRestHashes: FlatBuffer<UInt32>
    /// Elements before that are in a run and changed, ascending.
    let updates: FlatBuffer<UInt32>
    private(set) var updateCount = 0
    /// Bits of the hashes of elements before that are in a run; empty when nobody will ask.
    let hashes: FlatBuffer<UInt32>

    /// Makes room for the worst case; memory that is not needed is never touched.
    init(oldCount: Int, newCount: Int, keepsHashes: Bool) {
        let pairs = min(oldCount, newCount)
        hashes = FlatBuffer(uninitializedCount: keepsHashes ? oldCount : 0)
        runs = FlatBuffer(uninitializedCount: pairs)
        oldRest = FlatBuffer(uninitializedCount: oldCount)
        newRest = FlatBuffer(uninitializedCount: newCount)
        oldRestHashes = FlatBuffer(uninitializedCount: oldCount)
        newRestHashes = FlatBuffer(uninitializedCount: newCount)
        updates = FlatBuffer(uninitializedCount: pairs)
    }

    /// Leaves everything over.
    static func none(_ source: some DiffSource) -> DiffRuns {
        var result = DiffRuns(oldCount: source.oldCount, newCount: source.newCount, keepsHashes: false)
        result.leaveOver(old: 0..<source.oldCount, source)
        result.leaveOver(new: 0..<source.newCount, source)
        return result
    }

    @inline(__always)
    mutating func leaveOver(old range: Range<Int>, _ source: some DiffSource) {
        for index in range {
            oldRest[oldRestCount] = UInt32(truncatingIfNeeded: index)
            oldRestHashes[oldRestCount] = source.oldHash(index)
            oldRestCount += 1
        }
    }

    @inline(__always)
    mutating func leaveOver(new range: Range<Int>, _ source: some DiffSource) {
        for index in range {
            newRest[newRestCount] = UInt32(truncatingIfNeeded: index)
            newRestHashes[newRestCount] = source.newHash(index)
            newRestCount += 1
        }
    }

    /// Takes back the last updates, so that they can be added in another order.
    mutating func takeUpdates(from start: Int) -> [UInt32] {
        defer { updateCount = start }
        return (start..<updateCount).map { updates[$0] }
    }

    @inline(__always)
    mutating func addUpdate(_ old: Int) {
        updates[updateCount] = UInt32(truncatingIfNeeded: old)
        updateCount += 1
    }

    /// Adds a stretch that ends in front of two indexes.
    @inline(__always)
    mutating func addRun(count: Int, endingAt old: Int, _ new: Int) {
        if count == 0 { return }
        runs[runCount] = DiffRun(
            old: UInt32(truncatingIfNeeded: old - count), new: UInt32(truncatingIfNeeded: new - count),
            count: UInt32(truncatingIfNeeded: count))
        runCount += 1
    }
}

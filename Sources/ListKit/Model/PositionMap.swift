// SPDX-License-Identifier: Apache-2.0

/// Maps the positions in one state of a list to those in another, by runs of positions that stayed together.
@_spi(Daemon) public struct PositionMap: Sendable, Hashable {
    /// Positions that stayed together.
    public struct Run: Sendable, Hashable {
        /// The first of them before.
        public var old: Int
        /// The first of them afterwards.
        public var new: Int
        /// How many there are, at least 1.
        public var length: Int

        /// Makes a run.
        public init(old: Int, new: Int, length: Int) {
            self.old = old
            self.new = new
            self.length = length
        }

        fileprivate var oldEnd: Int { old + length }
    }

    /// How many positions there were.
    public let oldCount: Int
    /// How many there are afterwards.
    public let newCount: Int
    /// Ascending by the positions before, neighbours joined; positions in no run are gone.
    public private(set) var runs: [Run]

    /// Makes a map from runs in any order.
    ///
    /// Runs that reach out of the list, or share a position before with an earlier one, are left out.
    public init(oldCount: Int, newCount: Int, runs: [Run]) {
        self.oldCount = max(0, oldCount)
        self.newCount = max(0, newCount)
        self.runs = []
        self.runs.reserveCapacity(runs.count)
        for run in runs.sorted(by: { $0.old < $1.old }) { append(run) }
    }

    /// Maps each position to itself, as far as both states have it.
    public init(oldCount: Int, newCount: Int) {
        let stays = min(oldCount, newCount)
        self.init(
            oldCount: oldCount, newCount: newCount, runs: stays > 0 ? [Run(old: 0, new: 0, length: stays)] : [])
    }

    /// Makes a map of changes in simultaneous form: deletes and move origins are positions before, inserts and move targets
    /// positions after.
    ///
    /// - Complexity: O(changes · log changes).
    init(oldCount: Int, deletes: [Int], inserts: [Int], moves: [(old: Int, new: Int)]) {
        let newCount = oldCount - deletes.count + inserts.count
        var runs = moves.map { Run(old: $0.old, new: $0.new, length: 1) }
        // The remaining elements of both sides are the same, in the same order.
        var before = Gaps(count: oldCount, without: deletes + moves.map(\.old))
        var after = Gaps(count: newCount, without: inserts + moves.map(\.new))
        while let old = before.gap, let new = after.gap {
            let length = min(old.count, new.count)
            runs.append(Run(old: old.lowerBound, new: new.lowerBound, length: length))
            before.advance(by: length)
            after.advance(by: length)
        }
        self.init(oldCount: oldCount, newCount: newCount, runs: runs)
    }

    /// Whether every position is unchanged.
    public var isIdentity: Bool { oldCount == newCount && (oldCount == 0 || runs.first?.length == oldCount) }

    private mutating func append(_ run: Run) {
        guard run.length > 0, run.old >= 0, run.new >= 0, run.length <= oldCount - run.old,
            run.length <= newCount - run.new
        else { return }
        guard let last = runs.last else { return runs.append(run) }
        guard run.old >= last.oldEnd else { return }
        if run.old == last.oldEnd, run.new == last.new + last.length {
            runs[runs.count - 1].length += run.length
        } else {
            runs.append(run)
        }
    }

    /// The new position; `nil` when the element was removed.
    ///
    /// - Complexity: O(log runs).
    public func callAsFunction(_ position: Int) -> Int? {
        let index = runs.partitionPoint { $0.oldEnd <= position }
        guard index < runs.count, runs[index].old <= position else { return nil }
        return runs[index].new + position - runs[index].old
    }

    /// The first position from `position` on that is still there, before and after.
    public func survivor(from position: Int) -> (old: Int, new: Int)? {
        let index = runs.partitionPoint { $0.oldEnd <= position }
        guard index < runs.count else { return nil }
        let old = max(position, runs[index].old)
        return (old, runs[index].new + old - runs[index].old)
    }

    /// The last position up to `position` that is still there, before and after.
    public func survivor(upTo position: Int) -> (old: Int, new: Int)? {
        let index = runs.partitionPoint { $0.old <= position } - 1
        guard index >= 0 else { return nil }
        let old = min(position, runs[index].oldEnd - 1)
        return (old, runs[index].new + old - runs[index].old)
    }

    /// The combination of this map and the next one.
    ///
    /// - Complexity: O(runs of both · log).
    func followed(by next: PositionMap) -> PositionMap {
        if next.isIdentity { return self }
        if isIdentity { return next }
        var result = PositionMap(oldCount: oldCount, newCount: next.newCount, runs: [])
        for run in runs {
            let end = run.new + run.length
            var index = next.runs.partitionPoint { $0.oldEnd <= run.new }
            while index < next.runs.count, next.runs[index].old < end {
                let other = next.runs[index]
                let (from, to) = (max(run.new, other.old), min(end, other.oldEnd))
                result.append(
                    Run(old: run.old + from - run.new, new: other.new + from - other.old, length: to - from))
                index += 1
            }
        }
        return result
    }

    /// The inverse map.
    ///
    /// - Complexity: O(runs · log runs).
    func inverted() -> PositionMap {
        PositionMap(
            oldCount: newCount, newCount: oldCount,
            runs: runs.map { Run(old: $0.new, new: $0.old, length: $0.length) })
    }
}

/// The runs of a list between single positions.
private struct Gaps {
    private let count: Int
    private let positions: [Int]
    private var next = 0
    private var start = 0

    init(count: Int, without positions: [Int]) {
        self.count = count
        self.positions = positions.sorted()
        skip()
    }

    /// The rest of the present run; `nil` after the last one.
    var gap: Range<Int>? {
        let end = next < positions.count ? min(count, positions[next]) : count
        return start < end ? start..<end : nil
    }

    mutating func advance(by length: Int) {
        start += length
        skip()
    }

    private mutating func skip() {
        while next < positions.count, positions[next] <= start {
            start = max(start, positions[next] + 1)
            next += 1
        }
    }
}

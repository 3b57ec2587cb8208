// SPDX-License-Identifier: Apache-2.0

/// A map from the positions in one state of a list to those in another, stored as runs of positions that stayed
/// together.
@_spi(Daemon) public struct PositionMap: Sendable, Hashable {
    /// A run of neighbouring positions that stayed together.
    public struct Run: Sendable, Hashable {
        /// The first position of the run in the old state.
        public var old: Int
        /// The first position of the run in the new state.
        public var new: Int
        /// The number of positions in the run, at least 1.
        public var length: Int

        /// Makes a run.
        public init(old: Int, new: Int, length: Int) {
            self.old = old
            self.new = new
            self.length = length
        }

        var oldEnd: Int { old + length }
    }

    /// The number of positions in the old state.
    public let oldCount: Int
    /// The number of positions in the new state.
    public let newCount: Int
    /// The runs, ascending by old position, with adjacent runs merged. Positions in no run were removed.
    public private(set) var runs: [Run]

    /// Makes a map from runs in any order.
    ///
    /// Runs that exceed the list, or overlap the old positions of an earlier run, are ignored.
    public init(oldCount: Int, newCount: Int, runs: [Run]) {
        self.oldCount = max(0, oldCount)
        self.newCount = max(0, newCount)
        self.runs = []
        self.runs.reserveCapacity(runs.count)
        for run in runs.sorted(by: { $0.old < $1.old }) { append(run) }
    }

    /// Makes a map of each position to itself, for the positions that both states have.
    public init(oldCount: Int, newCount: Int) {
        let stays = min(oldCount, newCount)
        self.init(
            oldCount: oldCount, newCount: newCount, runs: stays > 0 ? [Run(old: 0, new: 0, length: stays)] : [])
    }

    /// The number of positions in a list whose number is not known.
    public static let endless = Int.max / 4

    private static let identity = PositionMap(oldCount: endless, newCount: endless)

    /// Makes a map of changes in simultaneous form: removed ranges and origins of moves are old positions, inserted
    /// ranges and targets of moves are new positions, in any order.
    ///
    /// - Complexity: O(changes · log changes). Without changes nothing is allocated, if the count is ``endless``.
    public init(
        oldCount: Int = PositionMap.endless, removed: [Range<Int>], inserted: [Range<Int>],
        moves: [(old: Int, new: Int)] = []
    ) {
        if oldCount == PositionMap.endless, removed.isEmpty, inserted.isEmpty, moves.isEmpty {
            self = .identity
            return
        }
        let newCount = inserted.reduce(removed.reduce(oldCount) { $0 - $1.count }) { $0 + $1.count }
        // The moves are in order before they are merged with the other runs, as merging two sorted parts is cheap.
        let moves = moves.count > 1 ? moves.sorted { $0.old < $1.old } : moves
        var runs = moves.map { Run(old: $0.old, new: $0.new, length: 1) }
        // The elements that are neither moved, removed nor inserted keep their order.
        var before = RemainingRuns(count: oldCount, without: removed + moves.map { $0.old..<$0.old + 1 })
        var after = RemainingRuns(count: newCount, without: inserted + moves.map { $0.new..<$0.new + 1 })
        while let old = before.current, let new = after.current {
            let length = min(old.count, new.count)
            runs.append(Run(old: old.lowerBound, new: new.lowerBound, length: length))
            before.advance(by: length)
            after.advance(by: length)
        }
        self.init(oldCount: oldCount, newCount: newCount, runs: runs)
    }

    /// Makes a map of changes in simultaneous form: deletes and origins of moves are old positions, inserts and
    /// targets of moves are new positions.
    ///
    /// - Complexity: O(changes · log changes).
    init(oldCount: Int = PositionMap.endless, deletes: [Int], inserts: [Int], moves: [(old: Int, new: Int)]) {
        self.init(
            oldCount: oldCount, removed: deletes.map { $0..<$0 + 1 }, inserted: inserts.map { $0..<$0 + 1 },
            moves: moves)
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

    /// Returns the new position of the element at an old position; `nil` when the element was removed.
    ///
    /// - Complexity: O(log runs).
    public func callAsFunction(_ position: Int) -> Int? {
        let index = runs.partitionPoint { $0.oldEnd <= position }
        guard index < runs.count, runs[index].old <= position else { return nil }
        return runs[index].new + position - runs[index].old
    }

    /// Returns the old and new position of the first element, from the old position `position` on, that was not
    /// removed.
    public func survivor(from position: Int) -> (old: Int, new: Int)? {
        let index = runs.partitionPoint { $0.oldEnd <= position }
        guard index < runs.count else { return nil }
        let old = max(position, runs[index].old)
        return (old, runs[index].new + old - runs[index].old)
    }

    /// Returns the old and new position of the last element, up to the old position `position`, that was not removed.
    public func survivor(upTo position: Int) -> (old: Int, new: Int)? {
        let index = runs.partitionPoint { $0.old <= position } - 1
        guard index >= 0 else { return nil }
        let old = min(position, runs[index].oldEnd - 1)
        return (old, runs[index].new + old - runs[index].old)
    }

    /// Returns the combination of this map and a map from its new state to a third state.
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

    /// Returns the map from the new state to the old one.
    ///
    /// - Complexity: O(runs · log runs).
    func inverted() -> PositionMap {
        PositionMap(
            oldCount: newCount, newCount: oldCount,
            runs: runs.map { Run(old: $0.new, new: $0.old, length: $0.length) })
    }
}

/// An iteration over the runs of positions that remain when ranges are removed from a list.
private struct RemainingRuns {
    private let count: Int
    private let removed: [Range<Int>]
    private var next = 0
    private var start = 0

    init(count: Int, without ranges: [Range<Int>]) {
        self.count = count
        removed = ranges.count > 1 ? ranges.sorted { $0.lowerBound < $1.lowerBound } : ranges
        skip()
    }

    /// The rest of the current run; `nil` after the last run.
    var current: Range<Int>? {
        let end = next < removed.count ? min(count, removed[next].lowerBound) : count
        return start < end ? start..<end : nil
    }

    mutating func advance(by length: Int) {
        start += length
        skip()
    }

    private mutating func skip() {
        while next < removed.count, removed[next].lowerBound <= start {
            start = max(start, removed[next].upperBound)
            next += 1
        }
    }
}

@_spi(Daemon) extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element that does not meet a condition, or the end index. All elements that meet it
    /// must be at the start.
    ///
    /// - Complexity: O(log n).
    public func partitionPoint(where passes: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if passes(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

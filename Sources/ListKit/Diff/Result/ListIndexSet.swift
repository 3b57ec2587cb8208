// SPDX-License-Identifier: Apache-2.0

/// A set of indexes, stored as ascending runs. It has the role of `NSIndexSet` in IGListKit.
///
/// A long run takes as much memory as a single index. The D-Bus signal `Updated` contains the same runs.
public struct ListIndexSet: Sendable, Hashable {
    /// The runs, ascending. None is empty, and no two are adjacent.
    public private(set) var ranges: [Range<Int>]

    /// Makes an empty set.
    public init() { ranges = [] }

    /// Makes a set of the indexes in a range.
    public init(_ range: Range<Int>) { ranges = range.isEmpty ? [] : [range] }

    /// Makes a set of indexes in any order.
    ///
    /// - Complexity: O(n · log n); O(n) for ascending indexes.
    public init(_ indexes: some Sequence<Int>) {
        ranges = []
        var sorted = Array(indexes)
        if zip(sorted, sorted.dropFirst()).contains(where: { $0 > $1 }) { sorted.sort() }
        for index in sorted { append(index) }
    }

    /// Makes a set of runs that are ascending, not empty and not adjacent.
    init(canonical ranges: [Range<Int>]) { self.ranges = ranges }

    /// The number of indexes in the set.
    ///
    /// - Complexity: O(runs).
    public var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// Whether the set has no index.
    public var isEmpty: Bool { ranges.isEmpty }

    /// The smallest index.
    public var first: Int? { ranges.first?.lowerBound }

    /// The largest index.
    public var last: Int? { ranges.last.map { $0.upperBound - 1 } }

    /// Returns whether an index is in the set.
    ///
    /// - Complexity: O(log runs).
    public func contains(_ index: Int) -> Bool {
        let position = firstRun(endingAfter: index)
        return position < ranges.count && ranges[position].contains(index)
    }

    /// Returns the number of indexes in the set that are smaller than a given index.
    ///
    /// - Complexity: O(runs).
    public func count(below index: Int) -> Int {
        var count = 0
        for range in ranges {
            guard range.lowerBound < index else { break }
            count += Swift.min(range.upperBound, index) - range.lowerBound
        }
        return count
    }

    /// Returns the position of the first run that has an index larger than or equal to `index`; the number of runs if
    /// there is none.
    private func firstRun(endingAfter index: Int) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= index { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension ListIndexSet {
    /// Adds an index that is not smaller than the first index of the last run, in O(1).
    mutating func append(_ index: Int) {
        guard let last = ranges.last, index <= last.upperBound else {
            ranges.append(index..<index + 1)
            return
        }
        if index == last.upperBound { ranges[ranges.count - 1] = last.lowerBound..<index + 1 }
    }

    /// Adds an index.
    ///
    /// - Complexity: O(runs); O(1) for an index in the last run or after it.
    public mutating func insert(_ index: Int) {
        if index >= ranges.last?.lowerBound ?? index { return append(index) }
        let position = firstRun(endingAfter: index)
        let range = ranges[position]
        if range.contains(index) { return }
        let joinsBefore = position > 0 && ranges[position - 1].upperBound == index
        let joinsAfter = range.lowerBound == index + 1
        switch (joinsBefore, joinsAfter) {
        case (true, true):
            ranges[position - 1] = ranges[position - 1].lowerBound..<range.upperBound
            ranges.remove(at: position)
        case (true, false): ranges[position - 1] = ranges[position - 1].lowerBound..<index + 1
        case (false, true): ranges[position] = index..<range.upperBound
        case (false, false): ranges.insert(index..<index + 1, at: position)
        }
    }

    /// Removes an index.
    ///
    /// - Complexity: O(runs).
    public mutating func remove(_ index: Int) {
        let position = firstRun(endingAfter: index)
        guard position < ranges.count, ranges[position].contains(index) else { return }
        let range = ranges[position]
        let rest = [range.lowerBound..<index, index + 1..<range.upperBound].filter { !$0.isEmpty }
        ranges.replaceSubrange(position...position, with: rest)
    }

    /// Returns the set of the indexes that are in either set.
    ///
    /// - Complexity: O(runs of both · log).
    public func union(_ other: ListIndexSet) -> ListIndexSet {
        if isEmpty { return other }
        var result: [Range<Int>] = []
        for range in (ranges + other.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return ListIndexSet(canonical: result)
    }
}

extension ListIndexSet: Sequence {
    /// An iterator over the indexes in ascending order.
    public struct Iterator: IteratorProtocol, Sendable {
        private let ranges: [Range<Int>]
        private var run = 0
        private var offset = 0

        init(_ ranges: [Range<Int>]) { self.ranges = ranges }

        /// Returns the next index; nil at the end.
        public mutating func next() -> Int? {
            guard run < ranges.count else { return nil }
            let index = ranges[run].lowerBound + offset
            offset += 1
            if offset == ranges[run].count { (run, offset) = (run + 1, 0) }
            return index
        }
    }

    /// Returns an iterator over the indexes in ascending order.
    public func makeIterator() -> Iterator { Iterator(ranges) }

    /// The number of runs, which is at most the number of indexes.
    public var underestimatedCount: Int { ranges.count }
}

extension ListIndexSet: ExpressibleByArrayLiteral, CustomStringConvertible {
    /// Makes a set of the given indexes.
    public init(arrayLiteral elements: Int...) { self.init(elements) }

    /// The indexes in braces, separated by commas.
    public var description: String {
        "{" + map { String($0) }.joined(separator: ", ") + "}"
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A map between the old and new indexes of elements, computed from the changes of a diff.
///
/// Only the runs of changes are stored: elements that are neither moved nor inserted nor deleted keep their order.
public struct ListIndexMapping: Sendable {
    private let result: ListIndexSetResult
    private let old: ListIndexRanks
    private let new: ListIndexRanks
    private let byOrigin: [Int: Int]
    private let byTarget: [Int: Int]

    /// Makes a map from the changes of a diff.
    ///
    /// - Complexity: O(changes · log changes).
    public init(_ result: ListIndexSetResult) {
        self.result = result
        old = ListIndexRanks(result.deletes.union(ListIndexSet(result.moves.map(\.from))))
        new = ListIndexRanks(result.inserts.union(ListIndexSet(result.moves.map(\.to))))
        byOrigin = Dictionary(result.moves.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
        byTarget = Dictionary(result.moves.map { ($0.to, $0.from) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the new index of the element at an old index; nil if it was deleted.
    ///
    /// - Complexity: O(log changes).
    public func newIndex(forOld index: Int) -> Int? {
        if let target = byOrigin[index] { return target }
        return result.deletes.contains(index) ? nil : new.index(ofRank: old.rank(of: index))
    }

    /// Returns the old index of the element at a new index; nil if it was inserted.
    ///
    /// - Complexity: O(log changes).
    public func oldIndex(forNew index: Int) -> Int? {
        if let origin = byTarget[index] { return origin }
        return result.inserts.contains(index) ? nil : old.index(ofRank: new.rank(of: index))
    }
}

/// A numbering of the indexes outside of a set. The rank of such an index is the number of smaller indexes outside of
/// the set.
struct ListIndexRanks: Sendable {
    private struct Run: Sendable {
        let range: Range<Int>
        /// The number of indexes of the set before the run.
        let before: Int
    }

    private let runs: [Run]

    /// Makes the numbering of the indexes outside of a set.
    ///
    /// - Complexity: O(runs).
    init(_ indexes: ListIndexSet) {
        var before = 0
        runs = indexes.ranges.map { range in
            defer { before += range.count }
            return Run(range: range, before: before)
        }
    }

    /// Returns the rank of an index outside of the set.
    func rank(of index: Int) -> Int {
        index - count(upTo: last { $0.range.lowerBound <= index })
    }

    /// Returns the index outside of the set that has a rank.
    func index(ofRank rank: Int) -> Int {
        rank + count(upTo: last { $0.range.lowerBound - $0.before <= rank })
    }

    private func count(upTo run: Run?) -> Int { run.map { $0.before + $0.range.count } ?? 0 }

    private func last(where isBelow: (Run) -> Bool) -> Run? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if isBelow(runs[middle]) { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? runs[low - 1] : nil
    }
}

extension ListIndexSetResult {
    /// Returns deletes and inserts including reloads: a reloaded element is deleted at its old index and inserted at
    /// its new one.
    ///
    /// Reloads are old indexes. The reload of a deleted element is dropped. Without any other change, each reload
    /// becomes a delete and an insert of the same index (rules UP-43 to UP-46).
    /// - Complexity: O(changes · log changes + reloads · log changes).
    public func convertingReloads(_ reloads: ListIndexSet) -> (deletes: ListIndexSet, inserts: ListIndexSet) {
        let mapping = ListIndexMapping(self)
        var (from, to): ([Int], [Int]) = ([], [])
        for index in reloads {
            guard let target = mapping.newIndex(forOld: index) else { continue }
            from.append(index)
            to.append(target)
        }
        return (deletes.union(ListIndexSet(from)), inserts.union(ListIndexSet(to)))
    }
}

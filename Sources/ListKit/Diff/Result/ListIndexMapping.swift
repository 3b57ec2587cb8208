// SPDX-License-Identifier: Apache-2.0

/// The old and new index of each staying element, computed from the changes.
///
/// Elements that neither moved nor were inserted or deleted keep their order, so runs of changes are enough.
public struct ListIndexMapping: Sendable {
    private let result: ListIndexSetResult
    private let old: ListIndexRanks
    private let new: ListIndexRanks
    private let byOrigin: [Int: Int]
    private let byTarget: [Int: Int]

    /// Prepares queries about the changes.
    ///
    /// - Complexity: O(changes · log changes).
    public init(_ result: ListIndexSetResult) {
        self.result = result
        old = ListIndexRanks(result.deletes.union(ListIndexSet(result.moves.map(\.from))))
        new = ListIndexRanks(result.inserts.union(ListIndexSet(result.moves.map(\.to))))
        byOrigin = Dictionary(result.moves.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
        byTarget = Dictionary(result.moves.map { ($0.to, $0.from) }, uniquingKeysWith: { first, _ in first })
    }

    /// The index after the update of an element, nil if it was deleted.
    ///
    /// - Complexity: O(log changes).
    public func newIndex(forOld index: Int) -> Int? {
        if let target = byOrigin[index] { return target }
        return result.deletes.contains(index) ? nil : new.index(ofRank: old.rank(of: index))
    }

    /// The index before the update of an element, nil if it was inserted.
    ///
    /// - Complexity: O(log changes).
    public func oldIndex(forNew index: Int) -> Int? {
        if let origin = byTarget[index] { return origin }
        return result.inserts.contains(index) ? nil : old.index(ofRank: new.rank(of: index))
    }
}

/// Numbers the indexes that are not in a set.
struct ListIndexRanks: Sendable {
    private struct Run: Sendable {
        let range: Range<Int>
        /// The number of indexes of the set before the run.
        let before: Int
    }

    private let runs: [Run]

    /// Prepares the numbering.
    ///
    /// - Complexity: O(runs).
    init(_ indexes: ListIndexSet) {
        var before = 0
        runs = indexes.ranges.map { range in
            defer { before += range.count }
            return Run(range: range, before: before)
        }
    }

    /// The number of indexes outside the set below one that is outside too.
    func rank(of index: Int) -> Int {
        index - count(upTo: last { $0.range.lowerBound <= index })
    }

    /// The index outside the set with a rank.
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
    /// Deletes and inserts including reloads: each reloaded element is deleted at its old and inserted at its new
    /// index.
    ///
    /// Reloads are indexes before the update; one that is deleted anyway is dropped. Without any other change each reload
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

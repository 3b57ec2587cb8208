// SPDX-License-Identifier: Apache-2.0

/// A map between the old and new indexes of elements, computed from the changes of a diff.
///
/// Only the runs of changes are stored: elements that are neither moved nor inserted nor deleted keep their order.
public struct ListIndexMapping: Sendable {
    private let forward: PositionMap
    private let backward: PositionMap

    /// Makes a map from the changes of a diff.
    ///
    /// - Complexity: O(changes · log changes).
    public init(_ result: ListIndexSetResult) {
        forward = PositionMap(
            removed: result.deletes.ranges, inserted: result.inserts.ranges,
            moves: result.moves.map { ($0.from, $0.to) })
        backward = forward.inverted()
    }

    /// Returns the new index of the element at an old index; nil if it was deleted.
    ///
    /// - Complexity: O(log changes).
    public func newIndex(forOld index: Int) -> Int? { forward(index) }

    /// Returns the old index of the element at a new index; nil if it was inserted.
    ///
    /// - Complexity: O(log changes).
    public func oldIndex(forNew index: Int) -> Int? { backward(index) }
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

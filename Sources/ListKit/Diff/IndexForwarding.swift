// SPDX-License-Identifier: Apache-2.0

/// A map from old to new positions for simultaneous changes: deletes and origins of moves are removed, then inserts
/// and targets of moves are inserted.
struct IndexForwarding {
    private let deleted: Set<Int>
    private let targets: [Int: Int]
    /// The old positions of deletes and origins of moves, ascending.
    private let removed: [Int]
    /// For each insert and target of a move, in ascending order, the number of unmoved elements before it.
    private let gaps: [Int]

    init(deletes: [Int], inserts: [Int], moves: [(old: Int, new: Int)]) {
        deleted = Set(deletes)
        targets = Dictionary(moves.map { ($0.old, $0.new) }, uniquingKeysWith: { first, _ in first })
        removed = (deletes + moves.map(\.old)).sorted()
        gaps = (inserts + moves.map(\.new)).sorted().enumerated().map { $1 - $0 }
    }

    /// Returns the new position of the element at an old position; `nil` when the element was deleted.
    ///
    /// - Complexity: O(log changes).
    func callAsFunction(_ position: Int) -> Int? {
        if deleted.contains(position) { return nil }
        if let target = targets[position] { return target }
        let rank = position - removed.partitionPoint { $0 < position }
        return rank + gaps.partitionPoint { $0 <= rank }
    }
}

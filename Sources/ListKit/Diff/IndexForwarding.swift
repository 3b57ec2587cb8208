// SPDX-License-Identifier: Apache-2.0

/// Finds the new position of an element, for simultaneous changes: deletes and move origins are removed, then inserts
/// and move targets are inserted.
struct IndexForwarding {
    private let deleted: Set<Int>
    private let targets: [Int: Int]
    /// Removed old positions, ascending.
    private let removed: [Int]
    /// For each inserted position, how many others come before it.
    private let gaps: [Int]

    init(deletes: [Int], inserts: [Int], moves: [(old: Int, new: Int)]) {
        deleted = Set(deletes)
        targets = Dictionary(moves.map { ($0.old, $0.new) }, uniquingKeysWith: { first, _ in first })
        removed = (deletes + moves.map(\.old)).sorted()
        gaps = (inserts + moves.map(\.new)).sorted().enumerated().map { $1 - $0 }
    }

    /// The new position; `nil` when it was removed.
    ///
    /// - Complexity: O(log changes).
    func callAsFunction(_ position: Int) -> Int? {
        if deleted.contains(position) { return nil }
        if let target = targets[position] { return target }
        let rank = position - removed.partitionPoint { $0 < position }
        return rank + gaps.partitionPoint { $0 <= rank }
    }
}

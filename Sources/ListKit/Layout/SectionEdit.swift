// SPDX-License-Identifier: Apache-2.0

/// The changes of one transaction, validated and sorted.
struct SectionEdit: Sendable {
    /// The old positions of deleted and moved sections, ascending.
    let removals: [Int]
    /// The new positions of inserted and moved sections, ascending.
    let insertions: [Int]
    /// The new positions of reloaded sections, ascending.
    let reloads: [Int]

    /// Validates and sorts changes. Nil if they do not turn `oldCount` sections into `newCount`.
    init?(_ changes: LayoutChanges, from oldCount: Int, to newCount: Int) {
        removals = Self.sortedPositions(changes.deletes + changes.moves.map(\.from), below: oldCount)
        insertions = Self.sortedPositions(changes.inserts + changes.moves.map(\.to), below: newCount)
        let inserted = Set(insertions)
        reloads = Self.sortedPositions(changes.reloads, below: newCount).filter { !inserted.contains($0) }
        guard oldCount - removals.count + insertions.count == newCount else { return nil }
    }

    /// The number of changes.
    var count: Int { removals.count + insertions.count + reloads.count }

    private static func sortedPositions(_ positions: [Int], below count: Int) -> [Int] {
        Set(positions).filter { $0 >= 0 && $0 < count }.sorted()
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The changes of one transaction, checked and in order.
struct SectionEdit: Sendable {
    /// Old positions of removed sections, ascending; those of moved ones are among them.
    let removals: [Int]
    /// New positions of inserted sections, ascending; those of moved ones are among them.
    let insertions: [Int]
    /// New positions of reloaded sections, ascending.
    let reloads: [Int]

    /// Checks changes; nil if they do not lead from one number of sections to the other.
    init?(_ changes: LayoutChanges, from oldCount: Int, to newCount: Int) {
        removals = Self.ordered(changes.deletes + changes.moves.map(\.from), below: oldCount)
        insertions = Self.ordered(changes.inserts + changes.moves.map(\.to), below: newCount)
        let coming = Set(insertions)
        reloads = Self.ordered(changes.reloads, below: newCount).filter { !coming.contains($0) }
        guard oldCount - removals.count + insertions.count == newCount else { return nil }
    }

    /// The number of changed sections.
    var count: Int { removals.count + insertions.count + reloads.count }

    private static func ordered(_ positions: [Int], below count: Int) -> [Int] {
        Set(positions).filter { $0 >= 0 && $0 < count }.sorted()
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The changes of one transaction, checked and in order: what goes, what comes, what is asked about again.
struct SectionEdit: Sendable {
    /// Old positions of sections that go, ascending.
    let removals: [Int]
    /// New positions of sections that come, ascending.
    let insertions: [Int]
    /// New positions of sections that stay and are asked about again, ascending.
    let reloads: [Int]

    /// Checks changes that lead from one number of sections to another; nil if they do not.
    init?(_ changes: LayoutChanges, from oldCount: Int, to newCount: Int) {
        removals = Self.ordered(changes.deletes + changes.moves.map(\.from), below: oldCount)
        insertions = Self.ordered(changes.inserts + changes.moves.map(\.to), below: newCount)
        let coming = Set(insertions)
        reloads = Self.ordered(changes.reloads, below: newCount).filter { !coming.contains($0) }
        guard oldCount - removals.count + insertions.count == newCount else { return nil }
    }

    /// How many sections are touched.
    var count: Int { removals.count + insertions.count + reloads.count }

    private static func ordered(_ positions: [Int], below count: Int) -> [Int] {
        Set(positions).filter { $0 >= 0 && $0 < count }.sorted()
    }
}

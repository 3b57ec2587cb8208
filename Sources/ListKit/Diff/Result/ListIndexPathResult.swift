// SPDX-License-Identifier: Apache-2.0

/// The changes between the items of an old section and of a new one (IGListKit's `ListIndexPathResult`).
///
/// Deletes, updates and origins of moves refer to the old section, inserts and targets of moves to the new section.
public struct ListIndexPathResult: Sendable, Hashable {
    /// The position of the old section.
    public let fromSection: Int
    /// The position of the new section.
    public let toSection: Int
    /// The changes by the indexes of items.
    public let indexes: ListIndexSetResult

    @usableFromInline
    init(fromSection: Int, toSection: Int, indexes: ListIndexSetResult) {
        self.fromSection = fromSection
        self.toSection = toSection
        self.indexes = indexes
    }

    /// New paths of inserted items, ascending (rule DF-10).
    public var inserts: [IndexPath] { indexes.inserts.map { IndexPath(section: toSection, item: $0) } }

    /// Old paths of deleted items, ascending (rule DF-10).
    public var deletes: [IndexPath] { indexes.deletes.map { IndexPath(section: fromSection, item: $0) } }

    /// **Old** paths of changed items, ascending.
    public var updates: [IndexPath] { indexes.updates.map { IndexPath(section: fromSection, item: $0) } }

    /// Moves of items, ascending by new path.
    public var moves: [ListMoveIndexPath] {
        indexes.moves.map { move in
            ListMoveIndexPath(
                from: IndexPath(section: fromSection, item: move.from),
                to: IndexPath(section: toSection, item: move.to))
        }
    }

    /// Whether anything changed.
    public var hasChanges: Bool { indexes.hasChanges }

    /// The number of changes. An item that moved and changed counts twice.
    public var changeCount: Int { indexes.changeCount }

    /// Returns the old path of an identifier; nil when it is not in the old section (rule DF-26).
    public func oldIndexPath(forIdentifier identifier: some Hashable & Sendable) -> IndexPath? {
        indexes.oldIndex(forIdentifier: identifier).map { IndexPath(section: fromSection, item: $0) }
    }

    /// Returns the new path of an identifier; nil when it is not in the new section (rule DF-26).
    public func newIndexPath(forIdentifier identifier: some Hashable & Sendable) -> IndexPath? {
        indexes.newIndex(forIdentifier: identifier).map { IndexPath(section: toSection, item: $0) }
    }

    /// Returns the same changes without updates (rule DF-32), as `ListIndexSetResult.resultForBatchUpdates()` does.
    public func resultForBatchUpdates() -> ListIndexPathResult {
        ListIndexPathResult(
            fromSection: fromSection, toSection: toSection, indexes: indexes.resultForBatchUpdates())
    }
}

extension ListIndexPathResult: CustomStringConvertible {
    /// The numbers of changes in one line (rule DD-02).
    public var description: String {
        "<ListIndexPathResult; \(indexes.inserts.count) inserts; \(indexes.deletes.count) deletes; "
            + "\(indexes.updates.count) updates; \(indexes.moves.count) moves>"
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The changes between the items of one section before and one section after an update (IGListKit's
/// `ListIndexPathResult`).
///
/// Deletes, updates and the origins of moves refer to the section before, inserts and the targets of moves to the one
/// after.
public struct ListIndexPathResult: Sendable, Hashable {
    /// The section before the update.
    public let fromSection: Int
    /// The section after the update.
    public let toSection: Int
    /// The same changes by item number.
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

    /// **Old** paths of staying items that changed, ascending.
    public var updates: [IndexPath] { indexes.updates.map { IndexPath(section: fromSection, item: $0) } }

    /// Staying items that moved, ascending by their new path.
    public var moves: [ListMoveIndexPath] {
        indexes.moves.map { move in
            ListMoveIndexPath(
                from: IndexPath(section: fromSection, item: move.from),
                to: IndexPath(section: toSection, item: move.to))
        }
    }

    /// Whether anything changed.
    public var hasChanges: Bool { indexes.hasChanges }

    /// The number of changes; an item that moved and changed counts twice.
    public var changeCount: Int { indexes.changeCount }

    /// The path that an identifier had before the update, nil when it was not there (rule DF-26).
    public func oldIndexPath(forIdentifier identifier: some Hashable & Sendable) -> IndexPath? {
        indexes.oldIndex(forIdentifier: identifier).map { IndexPath(section: fromSection, item: $0) }
    }

    /// The path that an identifier has after the update, nil when it is not there (rule DF-26).
    public func newIndexPath(forIdentifier identifier: some Hashable & Sendable) -> IndexPath? {
        indexes.newIndex(forIdentifier: identifier).map { IndexPath(section: toSection, item: $0) }
    }

    /// The same changes without updates (rule DF-32); see `ListIndexSetResult.resultForBatchUpdates()`.
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

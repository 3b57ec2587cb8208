// SPDX-License-Identifier: Apache-2.0

/// The changes between two lists, by index (IGListKit's `ListIndexSetResult`).
///
/// All changes are simultaneous: deletes, updates and origins of moves refer to the old list, inserts and targets of
/// moves to the new list. An element may be both moved and updated.
public struct ListIndexSetResult: Sendable {
    /// New indexes of inserted elements.
    public let inserts: ListIndexSet
    /// Old indexes of deleted elements.
    public let deletes: ListIndexSet
    /// **Old** indexes of changed elements.
    public let updates: ListIndexSet
    /// Moves of elements, ascending by new index (rule DF-35).
    public let moves: [ListMoveIndex]
    /// The lookup of identifiers; nil for a result that was not made from elements.
    let lookup: (any DiffLookup)?

    init(
        inserts: ListIndexSet = [], deletes: ListIndexSet = [], updates: ListIndexSet = [],
        moves: [ListMoveIndex] = [], lookup: (any DiffLookup)? = nil
    ) {
        self.inserts = inserts
        self.deletes = deletes
        self.updates = updates
        self.moves = moves
        self.lookup = lookup
    }

    /// Whether anything changed.
    public var hasChanges: Bool {
        !(inserts.isEmpty && deletes.isEmpty && updates.isEmpty && moves.isEmpty)
    }

    /// The number of changes. An element that moved and changed counts twice.
    public var changeCount: Int { inserts.count + deletes.count + updates.count + moves.count }

    /// Returns the old index of an identifier; nil when it is not in the old list.
    ///
    /// For a repeated identifier the last index is returned (rule DF-34).
    /// - Complexity: O(n) for the first query of a result, then O(1).
    public func oldIndex(forIdentifier identifier: some Hashable & Sendable) -> Int? {
        lookup?.oldIndex(of: AnyHashable(identifier))
    }

    /// Returns the new index of an identifier; nil when it is not in the new list.
    ///
    /// For a repeated identifier the last index is returned (rule DF-34).
    /// - Complexity: O(n) for the first query of a result, then O(1).
    public func newIndex(forIdentifier identifier: some Hashable & Sendable) -> Int? {
        lookup?.newIndex(of: AnyHashable(identifier))
    }

    /// Returns the same changes without updates, for a view that cannot update and move an element in one batch
    /// (rules DF-27 to DF-32).
    ///
    /// An updated element becomes a delete and an insert, even if it moved. Other moves keep their order. If
    /// identifiers repeat, only the update of the last occurrence is kept (DF-34).
    /// - Complexity: O(changes · log changes), plus the complexity of `oldIndex(forIdentifier:)` if an element changed
    ///   without moving.
    public func resultForBatchUpdates() -> ListIndexSetResult {
        var (deletes, inserts) = (Array(deletes), Array(inserts))
        var movedUpdates: [Int] = []
        var remaining: [ListMoveIndex] = []
        for move in moves {
            if updates.contains(move.from) {
                movedUpdates.append(move.from)
                deletes.append(move.from)
                inserts.append(move.to)
            } else {
                remaining.append(move)
            }
        }
        let handled = ListIndexSet(movedUpdates)
        for index in updates where !handled.contains(index) {
            guard lookup?.lastOldIndex(sameAsOld: index) == index else { continue }
            deletes.append(index)
            if let target = lookup?.lastNewIndex(sameAsOld: index) { inserts.append(target) }
        }
        return ListIndexSetResult(
            inserts: ListIndexSet(inserts), deletes: ListIndexSet(deletes), moves: remaining, lookup: lookup)
    }
}

extension ListIndexSetResult: Hashable {
    /// Returns whether both have the same changes, whatever the elements were.
    public static func == (lhs: ListIndexSetResult, rhs: ListIndexSetResult) -> Bool {
        lhs.inserts == rhs.inserts && lhs.deletes == rhs.deletes && lhs.updates == rhs.updates
            && lhs.moves == rhs.moves
    }

    /// Hashes the changes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(inserts)
        hasher.combine(deletes)
        hasher.combine(updates)
        hasher.combine(moves)
    }
}

extension ListIndexSetResult: CustomStringConvertible {
    /// The numbers of changes in one line (rule DD-03).
    public var description: String {
        "<ListIndexSetResult; \(inserts.count) inserts; \(deletes.count) deletes; \(updates.count) updates; "
            + "\(moves.count) moves>"
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The changes between two lists, by index (IGListKit's `ListIndexSetResult`).
///
/// All changes are simultaneous: deletes, updates and the origins of moves refer to the list before, inserts and the
/// targets of moves to the list after. An element may be both moved and updated.
public struct ListIndexSetResult: Sendable {
    /// New indexes of inserted elements.
    public let inserts: ListIndexSet
    /// Old indexes of deleted elements.
    public let deletes: ListIndexSet
    /// **Old** indexes of staying elements that changed.
    public let updates: ListIndexSet
    /// Staying elements that moved, ascending by their new index (rule DF-35).
    public let moves: [ListMoveIndex]
    /// Finds identifiers; nil for a result that was not made from elements.
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

    /// The number of changes; an element that moved and changed counts twice.
    public var changeCount: Int { inserts.count + deletes.count + updates.count + moves.count }

    /// The index that an identifier had before the update, nil when it was not there.
    ///
    /// Of repeated identifiers the last one counts (rule DF-34).
    /// - Complexity: O(n) for the first question to a result, then O(1).
    public func oldIndex(forIdentifier identifier: some Hashable & Sendable) -> Int? {
        lookup?.oldIndex(of: AnyHashable(identifier))
    }

    /// The index that an identifier has after the update, nil when it is not there.
    ///
    /// Of repeated identifiers the last one counts (rule DF-34).
    /// - Complexity: O(n) for the first question to a result, then O(1).
    public func newIndex(forIdentifier identifier: some Hashable & Sendable) -> Int? {
        lookup?.newIndex(of: AnyHashable(identifier))
    }

    /// The same changes without updates, for a view that cannot update and move at once (rules DF-27 to DF-32).
    ///
    /// An updated element becomes a delete and an insert, also when it moved; other moves stay in their order. With
    /// repeated identifiers an update of any but the last one is lost (DF-34).
    /// - Complexity: O(changes · log changes), and what `oldIndex(forIdentifier:)` takes if something changed in place.
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
    /// Two results are equal if they have the same changes, whatever elements they come from.
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

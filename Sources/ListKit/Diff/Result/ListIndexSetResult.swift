// SPDX-License-Identifier: Apache-2.0

import Synchronization

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

/// A move inside a list, from an old index to a new one (IGListKit's `ListMoveIndex`).
@frozen public struct ListMoveIndex: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The old index.
    public let from: Int
    /// The new index.
    public let to: Int

    /// Makes a move.
    @inlinable
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    /// Returns whether a move comes first: moves are ordered by their old index only (rule DR-10).
    public static func < (lhs: ListMoveIndex, rhs: ListMoveIndex) -> Bool { lhs.from < rhs.from }

    /// The old and the new index (rule DD-04).
    public var description: String { "<ListMoveIndex; from: \(from); to: \(to)>" }
}

/// A move of an item, from an old path to a new one (IGListKit's `ListMoveIndexPath`).
@frozen public struct ListMoveIndexPath: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The old path.
    public let from: IndexPath
    /// The new path.
    public let to: IndexPath

    /// Makes a move.
    @inlinable
    public init(from: IndexPath, to: IndexPath) {
        self.from = from
        self.to = to
    }

    /// Returns whether a move comes first: moves are ordered by their old path only, by section and then by item
    /// (rule DR-09).
    public static func < (lhs: ListMoveIndexPath, rhs: ListMoveIndexPath) -> Bool { lhs.from < rhs.from }

    /// The old and the new path (rule DD-05).
    public var description: String {
        "<ListMoveIndexPath; from: (\(from.section), \(from.item)); to: (\(to.section), \(to.item))>"
    }
}

/// A lookup of the old and new indexes of identifiers. Its tables are built at the first query.
protocol DiffLookup: AnyObject, Sendable {
    /// Returns the last old index of an identifier; nil if the old list has no such identifier.
    func oldIndex(of identifier: AnyHashable) -> Int?

    /// Returns the last new index of an identifier; nil if the new list has no such identifier.
    func newIndex(of identifier: AnyHashable) -> Int?

    /// Returns the last old index at which the identifier equals that of the element at an old index.
    func lastOldIndex(sameAsOld index: Int) -> Int?

    /// Returns the last new index at which the identifier equals that of the element at an old index; nil if there is
    /// no such index.
    func lastNewIndex(sameAsOld index: Int) -> Int?
}

/// A lookup of identifiers of one type.
final class IdentifierLookup<Identifier: Hashable & Sendable>: DiffLookup {
    /// Returns all new identifiers for `true`, and all old ones for `false`.
    private let identifiers: @Sendable (_ isNew: Bool) -> [Identifier]
    private let tables = Mutex<Tables?>(nil)

    /// The tables, which are built at the first query.
    private struct Tables {
        let identifiers: [Identifier]
        let old: [Identifier: Int]
        let new: [Identifier: Int]
    }

    init(_ identifiers: @escaping @Sendable (_ isNew: Bool) -> [Identifier]) { self.identifiers = identifiers }

    func oldIndex(of identifier: AnyHashable) -> Int? {
        (identifier.base as? Identifier).flatMap { key in withTables { $0.old[key] } }
    }

    func newIndex(of identifier: AnyHashable) -> Int? {
        (identifier.base as? Identifier).flatMap { key in withTables { $0.new[key] } }
    }

    func lastOldIndex(sameAsOld index: Int) -> Int? { withTables { $0.old[$0.identifiers[index]] } }

    func lastNewIndex(sameAsOld index: Int) -> Int? { withTables { $0.new[$0.identifiers[index]] } }

    private func withTables<Result: Sendable>(_ body: (Tables) -> Result) -> Result {
        tables.withLock { tables in
            let built = tables ?? makeTables()
            tables = built
            return body(built)
        }
    }

    private func makeTables() -> Tables {
        let old = identifiers(false)
        return Tables(
            identifiers: old, old: IdentifierLookup.lastIndexes(of: old),
            new: IdentifierLookup.lastIndexes(of: identifiers(true)))
    }

    private static func lastIndexes(of identifiers: [Identifier]) -> [Identifier: Int] {
        var indexes: [Identifier: Int] = [:]
        indexes.reserveCapacity(identifiers.count)
        for (index, identifier) in identifiers.enumerated() { indexes[identifier] = index }
        return indexes
    }
}

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

// SPDX-License-Identifier: Apache-2.0

/// One update of a list, from its flush to its signal: what changes, how it is shown, and whom it answers.
///
/// It is made once, by staging or by a diff, and read by everybody: the owner's account, the store, followers, section
/// controllers, layouts and views. `old` positions are those before the change, `new` positions those after it; all of
/// them ascend. In a process that has a table of its own, the optional objects are `nil`.
@_spi(Daemon) @frozen public struct Change: Sendable {
    /// The parts of the list that are made again, beyond the changed objects.
    @frozen public struct Scope: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Creates a scope from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// All section controllers are asked again for items, sizes and supplementary views. The controllers stay.
        public static let items = Scope(rawValue: 1)
        /// All views get a new layout. The section controllers stay.
        public static let layout = Scope(rawValue: 2)
        /// All section controllers are replaced.
        public static let controllers = Scope(rawValue: 4)
    }

    /// The removed objects.
    public var removed: [(old: Int, object: ListObject?)] = []
    /// The inserted objects, each with the object before it; `nil` for the first one.
    public var inserted: [(new: Int, object: ListObject, after: ListObject?)] = []
    /// The moved objects as they are afterwards, ascending by their new positions, each with the object before it.
    public var moved: [(old: Int, new: Int, object: ListObject?, after: ListObject?)] = []
    /// The objects whose type or fields changed, moved ones included.
    public var updated: [(old: Int, before: ListObject?, object: ListObject)] = []
    /// All objects afterwards, if a request brought the full list, or if persistence starts; else `nil`.
    ///
    /// Where ``whole`` is not `nil`, the predecessors of inserted and moved objects are `nil`.
    public var list: [ListObject]?
    /// The positions, before the change, of remaining objects that are reloaded even if they are unchanged.
    public var reloads: [IndexRun] = []
    /// The parts of the list that are made again.
    public var scope: Scope = []
    /// Whether all requests of the update are animated.
    public var animated = true
    @usableFromInline var boxedOptions: Box<ListOptions>?
    /// The move of a dragged item that its section controller makes itself. Only for a presentation on the same
    /// executor.
    public var itemMove: ItemMoveRequest?
    /// The ticket up to which queued item updates run with this update.
    public var through = Ticket.none
    /// The requests that are answered with this update.
    public var requests: [RequestID] = []
    /// The position from which the list's source continues after the update; `nil` keeps the present position.
    public var cursor: [UInt8]?

    /// Creates an update that changes nothing.
    public init() {}

    /// Creates the changes that a diff found between two full lists.
    init(_ result: ListIndexSetResult, from old: [ListObject], to list: [ListObject]) {
        let isWhole = Self.isWritten(
            whole: list.count,
            changes: result.deletes.count + result.inserts.count + result.moves.count + result.updates.count)
        func predecessor(of new: Int) -> ListObject? { isWhole || new == 0 ? nil : list[new - 1] }
        removed = result.deletes.map { ($0, old[$0]) }
        inserted = result.inserts.map { ($0, list[$0], predecessor(of: $0)) }
        moved = result.moves.map { ($0.from, $0.to, list[$0.to], predecessor(of: $0.to)) }
        let positions = positions()
        updated = result.updates.compactMap { index in positions(index).map { (index, old[index], list[$0]) } }
        if hasObjectChanges { self.list = list }
    }

    /// The new options; `nil` if the options do not change.
    public var options: ListOptions? {
        get { boxedOptions?.value }
        set { boxedOptions = newValue.map { Box($0) } }
    }

    /// Whether the update is announced as a reload.
    public var isReload: Bool { !scope.isEmpty }

    /// Whether objects are removed, inserted, moved or changed.
    public var hasObjectChanges: Bool { movesSections || !updated.isEmpty }

    /// Whether objects are removed, inserted or moved.
    var movesSections: Bool { !(removed.isEmpty && inserted.isEmpty && moved.isEmpty) }

    /// Whether the update has something to announce.
    var isAnnounced: Bool { isReload || hasObjectChanges || !reloads.isEmpty || itemMove != nil }

    /// The number of removed, inserted, moved and changed objects. An object that is moved and changed counts twice.
    public var count: Int { removed.count + inserted.count + moved.count + updated.count }

    /// The whole list, if writing all of it costs less than writing the changes, or if persistence starts.
    public var whole: [ListObject]? {
        list.flatMap { !hasObjectChanges || Self.isWritten(whole: $0.count, changes: count) ? $0 : nil }
    }

    private static func isWritten(whole count: Int, changes: Int) -> Bool { changes > count / 4 }

    /// The inserted and moved objects, ascending by their new positions, each with the object before it.
    public var placed: [(object: ListObject, after: ListObject?)] {
        if moved.isEmpty { return inserted.map { ($0.object, $0.after) } }
        var result: [(object: ListObject, after: ListObject?)] = []
        result.reserveCapacity(inserted.count + moved.count)
        var moves = moved[...]
        for insert in inserted {
            while let move = moves.first, move.new < insert.new {
                if let object = move.object { result.append((object, move.after)) }
                moves.removeFirst()
            }
            result.append((insert.object, insert.after))
        }
        return result + moves.compactMap { move in move.object.map { ($0, move.after) } }
    }

    /// The changed objects that keep their place.
    public var updatedInPlace: [ListObject] {
        if moved.isEmpty { return updated.map(\.object) }
        let moved = Set(moved.map(\.old))
        return updated.filter { !moved.contains($0.old) }.map(\.object)
    }

    /// Returns the map from the old positions of `count` objects to their new positions.
    public func positions(of count: Int = PositionMap.endless) -> PositionMap {
        PositionMap(
            oldCount: count, deletes: removed.map(\.old), inserts: inserted.map(\.new),
            moves: moved.map { ($0.old, $0.new) })
    }

    /// Returns whether there are so many changes that a rebuild of the tree costs less than single edits.
    ///
    /// - Parameter count: the number of objects before the changes.
    func favorsRebuild(ofCount count: Int) -> Bool {
        self.count > max(64, (count + inserted.count - removed.count) / 8)
    }

    /// Returns all objects after the changes.
    ///
    /// - Parameter objects: all objects before the changes.
    /// - Complexity: O(n); O(1) if a request brought the full list.
    public func applied(to objects: [ListObject]) -> [ListObject] {
        if let list { return list }
        var objects = objects
        for update in updated { objects[update.old] = update.object }
        var placed = inserted.map { insert in (new: insert.new, object: insert.object) }
        placed += moved.map { ($0.new, objects[$0.old]) }
        placed.sort { $0.new < $1.new }
        let isGone = Set(removed.map(\.old) + moved.map(\.old))
        var rest = objects.enumerated().lazy.filter { !isGone.contains($0.offset) }.map(\.element).makeIterator()
        var result: [ListObject] = []
        result.reserveCapacity(objects.count + inserted.count - removed.count)
        for place in placed {
            while result.count < place.new, let object = rest.next() { result.append(object) }
            result.append(place.object)
        }
        while let object = rest.next() { result.append(object) }
        return result
    }

    /// Takes the changes of objects that a diff has found.
    mutating func takeObjectChanges(from diff: Change) {
        (removed, inserted, moved, updated) = (diff.removed, diff.inserted, diff.moved, diff.updated)
        list = diff.list
    }

    /// Sets the objects that are reloaded although they may be unchanged.
    mutating func setReloads(_ positions: Set<Int>) { reloads = [IndexRun](ascending: positions.sorted()) }

    /// Drops the requested reloads of objects that the change removes.
    mutating func dropReloadsOfRemovedObjects() {
        guard !reloads.isEmpty, !removed.isEmpty else { return }
        setReloads(Set(reloads.flatMap { $0.range }).subtracting(removed.map(\.old)))
    }
}

/// An immutable reference to a value. It keeps a frozen type small when the value is large and rarely present.
@usableFromInline final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

// A plugin may have corrupted the memory of a presentation in another process. Therefore the transactions of such a
// presentation are validated before clients receive them.

extension Change {
    /// Returns whether a transaction is a possible result of presenting this update.
    ///
    /// A valid transaction is a reload, or it deletes, inserts and moves exactly the update's sections in the form
    /// that the options require. The sections of its reloads and item changes have to exist.
    /// - Parameters:
    ///   - counts: the numbers of sections before and after the update.
    ///   - options: the options of the list after the update.
    /// - Complexity: O(changes).
    @_spi(Daemon) public func allows(
        _ transaction: Transaction, counts: (before: Int, after: Int), options: ListOptions
    ) -> Bool {
        guard transaction.sectionCount == counts.after else { return false }
        let (sections, items) = (transaction.sections, transaction.items)
        switch transaction.kind {
        case .reload: return sections.isEmpty && items.isEmpty
        case .update: break
        }
        let (expected, _) = TransactionAnnouncer(changes: self, options: options).batches()
        return !isReload && sections.deletes == expected.deletes && sections.inserts == expected.inserts
            && sections.moves == expected.moves
            && sections.reloads.allSatisfy { $0.range.upperBound <= counts.before }
            && items.hasValidSections(before: counts.before, after: counts.after)
    }
}

extension ItemBatch {
    /// Returns whether the sections of all item changes exist in a list with the given numbers of sections.
    fileprivate func hasValidSections(before: Int, after: Int) -> Bool {
        (deletes + reloads).allSatisfy { $0.section < before } && inserts.allSatisfy { $0.section < after }
            && moves.allSatisfy { $0.old.section < before && $0.new.section < after }
    }
}

/// A write to the store, in one transaction.
@_spi(Daemon) @frozen public struct StoreWrite: Sendable {
    /// The update that is written; `nil` if the objects do not change.
    public var change: Change?
    /// The announced transactions that are not in the store yet.
    public var log: [Transaction]
    /// The oldest revision whose later changes the store keeps.
    public var oldestRevision: UInt64
    /// The latest announced revision, which is the revision of the objects before this write.
    public var revision: UInt64
    /// The highest revision that may be announced once this write has succeeded.
    public var limit: UInt64

    /// Creates a write.
    public init(
        _ change: Change? = nil, log: [Transaction] = [], oldestRevision: UInt64, revision: UInt64, limit: UInt64
    ) {
        self.change = change
        self.log = log
        self.oldestRevision = oldestRevision
        self.revision = revision
        self.limit = limit
    }

    /// Whether this is the first write of a list: all of it with its present revision.
    public var startsPersistence: Bool { limit == revision && change?.whole != nil }
}

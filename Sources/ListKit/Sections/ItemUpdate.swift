// SPDX-License-Identifier: Apache-2.0

/// An item update that a section controller requested and that has not run yet.
struct ItemUpdate {
    let link: SectionLink
    /// The controller that requested the update; `nil` if it was requested before the controller was made.
    let user: ListSectionController?
    let animated: Bool
    let updates: (inout ListBatchContext) -> Void
    let completion: ((Bool) -> Void)?

    /// The section controller; `nil` before it has been made.
    var controller: ListSectionController? { user ?? link.controller }
}

/// The changes of one section that an item update recorded.
struct RecordedItemChanges {
    var inserts: [Int] = []
    var deletes: [Int] = []
    var moves: [(from: Int, to: Int)] = []
    var reloads: [Int] = []
    var reloadsSection = false
    var invalidatesLayout = false
    /// The indexes, before the update, of items whose sizes changed.
    var resizes: [Int] = []

    /// Whether any item is inserted, deleted, moved or reloaded.
    var hasItemChanges: Bool { !inserts.isEmpty || !deletes.isEmpty || !moves.isEmpty || !reloads.isEmpty }
}

/// Records the changes of one item update while it runs (rules IC-01 to IC-03).
///
/// The closure of the item update and ``SectionUpdate`` use the same recorder. ``SectionUpdate`` consumes the records
/// before it runs a nested item update.
final class ItemUpdateRecorder {
    private var changes: [SectionHandle: RecordedItemChanges] = [:]
    /// The number of selections that were made before the recorded changes. The changes move only the items of these
    /// selections.
    private(set) var selectionsBefore: Int

    init(selectionsBefore: Int) { self.selectionsBefore = selectionsBefore }

    /// Sets the number of selections that were made before the changes that are recorded next.
    func setSelectionsBefore(_ count: Int) { selectionsBefore = count }

    func recordChange(of handle: SectionHandle, _ change: (inout RecordedItemChanges) -> Void) {
        change(&changes[handle, default: RecordedItemChanges()])
    }

    /// Removes and returns the records of all sections, ordered by handle.
    func consume() -> [(handle: SectionHandle, changes: RecordedItemChanges)] {
        defer { changes = [:] }
        return changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

/// A selection or deselection during an update, which is applied when the items have their final indexes.
struct PendingSelection {
    let handle: SectionHandle
    /// The index in the section controller's data; `nil` when the item was removed.
    private(set) var item: Int?
    let isSelected: Bool

    /// Moves the selection to the item's new index. `forward` returns `nil` for an item that is removed.
    mutating func move(by forward: (Int) -> Int?) { item = item.flatMap(forward) }
}

/// Records which items an item update changed.
///
/// Deletes, reloads, invalidated sizes and the sources of moves have indexes before the update. Inserts and the
/// destinations of moves have indexes after the update. A nested item update divides the outer update in two: for the
/// operations that the outer update records later, "before the update" means after the nested update. Operations on a
/// section that the update's transaction reloads, inserts or removes are dropped.
public struct ListBatchContext {
    /// The list that runs the item update.
    let store: SectionStore
    /// The section controller whose section is changed by default.
    let controller: ListSectionController
    /// The recorder of the changes.
    let recorder: ItemUpdateRecorder

    /// Records that items were inserted.
    public mutating func insertItems(at indexes: [Int], in other: ListSectionController? = nil) {
        record(other) { changes in changes.inserts += indexes }
    }

    /// Records that items were deleted.
    public mutating func deleteItems(at indexes: [Int], in other: ListSectionController? = nil) {
        record(other) { changes in changes.deletes += indexes }
    }

    /// Records that the contents of items changed.
    public mutating func reloadItems(at indexes: [Int], in other: ListSectionController? = nil) {
        record(other) { changes in changes.reloads += indexes }
    }

    /// Records that an item was moved.
    public mutating func moveItem(from source: Int, to destination: Int, in other: ListSectionController? = nil) {
        record(other) { changes in changes.moves.append((source, destination)) }
    }

    /// Records that the section must be reloaded.
    public mutating func reloadSection(_ other: ListSectionController? = nil) {
        record(other) { changes in changes.reloadsSection = true }
    }

    /// Records that the sizes of items changed, but not their contents.
    ///
    /// Every item of the section is measured again; ``invalidateLayout(of:at:)`` measures only single items.
    public mutating func invalidateLayout(of other: ListSectionController? = nil) {
        record(other) { changes in changes.invalidatesLayout = true }
    }

    /// Records that the sizes of single items changed, but not their contents.
    ///
    /// Only these items are measured again. Only these items and the elements after them in their lines and sections
    /// are laid out again. Indexes are those before the update, as for reloads. Indexes of deleted items, and indexes
    /// without an item, are ignored. A size that the client of a view measured stays valid in that view.
    public mutating func invalidateLayout(of other: ListSectionController? = nil, at indexes: [Int]) {
        record(other) { changes in changes.resizes += indexes }
    }

    /// Records item changes that a controller found by a diff.
    mutating func apply(_ changes: ListItemChanges, in other: ListSectionController) {
        record(other) { recorded in
            recorded.inserts += changes.inserts
            recorded.deletes += changes.deletes
            recorded.moves += changes.moves
            recorded.reloads += changes.updates
        }
    }

    private mutating func record(_ other: ListSectionController?, _ change: (inout RecordedItemChanges) -> Void) {
        guard let handle = store.handle(of: other ?? controller) else { return }
        recorder.recordChange(of: handle, change)
    }
}

extension ListItemChanges {
    /// Computes the changes between two lists of items, matched by identity. Neither list may repeat an identity; see
    /// ``unique(_:)``.
    init(from old: [ListItem], to new: [ListItem]) {
        var places: [ExactText: Int] = [:]
        places.reserveCapacity(old.count)
        for (index, item) in old.enumerated() { places[ExactText(item.identity ?? "")] = index }
        let origins = new.map { places[ExactText($0.identity ?? "")] }
        self.init(origins: origins, itemCount: old.count)
        for (index, origin) in origins.enumerated() {
            if let origin, old[origin] != new[index] { updates.append(origin) }
        }
        updates.sort()
    }

    /// Returns the items that have an identity, without items that repeat an earlier identity (rule BN-03).
    static func unique(_ items: [ListItem]) -> [ListItem] {
        var seen: Set<ExactText> = []
        return items.filter { item in item.identity.map { seen.insert(ExactText($0)).inserted } ?? false }
    }
}

extension ListItemChanges {
    /// Makes consistent changes from the records of an item update. Fails if that is impossible (rules BU-11, UP-47,
    /// UP-48).
    ///
    /// Repeated deletes and reloads count once. The reload of a deleted item is dropped. Items that are inserted at
    /// the same index get consecutive indexes.
    init?(_ recorded: RecordedItemChanges, itemCount: Int) {
        let before = 0..<itemCount
        let deleted = Set(recorded.deletes)
        let origins = recorded.moves.map(\.from)
        deletes = deleted.sorted()
        moves = recorded.moves.filter { !deleted.contains($0.from) }.sorted { $0.to < $1.to }
        updates = Set(recorded.reloads).subtracting(deleted).sorted()
        guard (deletes + origins + updates).allSatisfy(before.contains), Set(moves.map(\.from)).count == moves.count,
            Set(moves.map(\.to)).count == moves.count
        else { return nil }
        let after = 0..<itemCount - deletes.count + recorded.inserts.count
        guard (recorded.inserts + moves.map(\.to)).allSatisfy(after.contains) else { return nil }
        let taken = Set(moves.map(\.to))
        var next = 0
        for index in recorded.inserts.sorted() {
            var place = max(index, next)
            while taken.contains(place) { place += 1 }
            inserts.append(place)
            next = place + 1
        }
        guard inserts.allSatisfy(after.contains) else { return nil }
    }

    /// Returns the number of items after the changes, from the number before.
    func newCount(oldCount: Int) -> Int { oldCount - deletes.count + inserts.count }

    /// Returns the combination of earlier changes and these changes, or `nil` if these changes have indexes of items
    /// that do not exist after the earlier changes.
    ///
    /// - Parameter itemCount: the number of items before the earlier changes.
    func combined(after earlier: ListItemChanges?, itemCount: Int) -> ListItemChanges? {
        let earlier = earlier ?? ListItemChanges(updates: [])
        let between = 0..<max(0, earlier.newCount(oldCount: itemCount))
        guard (deletes + moves.map(\.from) + updates).allSatisfy(between.contains) else { return nil }
        return earlier.followed(by: self, itemCount: itemCount)
    }

    /// Returns the combination of these changes and later changes.
    ///
    /// - Parameter itemCount: the number of items before these changes.
    func followed(by next: ListItemChanges, itemCount: Int) -> ListItemChanges {
        if isEmpty { return next }
        if next.isEmpty { return self }
        let middle = origins(itemCount: itemCount)
        let origins = next.origins(itemCount: middle.count).map { $0.flatMap { middle[$0] } }
        var result = ListItemChanges(origins: origins, itemCount: itemCount)
        let survivors = Set(origins.compactMap { $0 })
        result.updates = Set(updates + next.updates.compactMap { middle[$0] }).intersection(survivors).sorted()
        return result
    }

    /// Returns, for each item after the changes, its index before the changes; `nil` for an inserted item.
    func origins(itemCount: Int) -> [Int?] {
        let gone = Set(deletes + moves.map(\.from))
        var stays = (0..<itemCount).filter { !gone.contains($0) }.makeIterator()
        var placed: [Int: Int?] = [:]
        for index in inserts { placed.updateValue(nil, forKey: index) }
        for move in moves { placed[move.to] = move.from }
        return (0..<newCount(oldCount: itemCount)).map { index in
            if let origin = placed[index] { return origin }
            return stays.next()
        }
    }

    /// Makes the changes from an old list to a new list of items.
    ///
    /// - Parameters:
    ///   - origins: for each new item, its index in the old list; `nil` = the item was inserted.
    ///   - itemCount: the number of items in the old list.
    init(origins: [Int?], itemCount: Int) {
        var survives = [Bool](repeating: false, count: itemCount)
        for case .some(let origin) in origins { survives[origin] = true }
        deletes = survives.indices.filter { !survives[$0] }
        var rankBefore = [Int](repeating: 0, count: itemCount)
        var rank = 0
        for index in survives.indices where survives[index] {
            rankBefore[index] = rank
            rank += 1
        }
        var rankAfter = 0
        for (index, origin) in origins.enumerated() {
            guard let origin else {
                inserts.append(index)
                continue
            }
            // As in IGListKit, an item is moved only if deletes and inserts do not explain its new index.
            if rankBefore[origin] != rankAfter { moves.append((origin, index)) }
            rankAfter += 1
        }
    }

    /// Returns the map from the indexes of `count` items before the changes to their indexes after them.
    func positions(of count: Int = PositionMap.endless) -> PositionMap {
        PositionMap(oldCount: count, deletes: deletes, inserts: inserts, moves: moves.map { ($0.from, $0.to) })
    }
}

/// A changed object in a section without a handle, which therefore has no controller, fault, selection or sent
/// elements.
///
/// The kind of the section has traits, so that the old and the new object alone determine the change: the section is
/// reloaded. Most changes of a long list are of this sort, and making a handle for each would be the largest part of
/// their cost.
struct HandlelessUpdate {
    /// The position of the section before the update.
    let old: Int
    /// The object after the update.
    let object: ListObject
    /// The position of the section after the update. It is set together with the item counts when items are counted.
    var new = 0
    var itemCount = 0
    var oldItemCount = 0
}

/// The changes of items in one update, collected from all section controllers.
struct ItemChangeCollector {
    /// The changes of single items by section, each relative to the state before the update.
    private(set) var itemChanges: [SectionHandle: ListItemChanges] = [:]
    /// The sections that are reloaded.
    private(set) var reloads: Set<SectionHandle> = []
    /// The changes of items in sections that are reloaded as a whole. They only move state that is stored by item
    /// index, such as the selection.
    private(set) var followed: [SectionHandle: ListItemChanges] = [:]
    /// The changed objects in sections without a handle, ascending by position.
    private(set) var handlelessUpdates: [HandlelessUpdate] = []
    /// Whether all section controllers are replaced, so that changes of single items have no effect.
    private(set) var reloadsAll = false
    /// The sections with changes that were recorded since their items were counted.
    private(set) var uncounted: Set<SectionHandle> = []
    /// The sections whose sizes must be requested again.
    private(set) var invalidated: Set<SectionHandle> = []
    /// The single items whose sizes must be requested again, by their indexes after the changes recorded so far.
    private(set) var resizes: [SectionHandle: Set<Int>] = [:]

    /// Whether any recorded change must be announced.
    var isAnnounced: Bool {
        !reloads.isEmpty || !handlelessUpdates.isEmpty || itemChanges.values.contains { !$0.isEmpty }
    }

    /// Whether no change was recorded.
    var isEmpty: Bool { !isAnnounced && invalidated.isEmpty && resizes.isEmpty }

    // MARK: Sections

    /// Records that all section controllers are replaced.
    mutating func reloadAll() { reloadsAll = true }

    /// Records the reload of a section.
    mutating func reload(_ handle: SectionHandle) { reloads.insert(handle) }

    /// Records that the sizes of a section must be requested again.
    mutating func invalidate(_ handle: SectionHandle) { invalidated.insert(handle) }

    /// Records that the items of a section must be counted again.
    mutating func markUncounted(_ handle: SectionHandle) { uncounted.insert(handle) }

    /// Records that the items of all sections have been counted.
    mutating func markAllCounted() { uncounted = [] }

    // MARK: Items

    /// Replaces the item changes of a section by `combined`, which are the earlier changes followed by `changes`.
    mutating func setItemChanges(
        _ combined: ListItemChanges, of handle: SectionHandle, adding changes: ListItemChanges
    ) {
        itemChanges[handle] = combined
        guard let items = resizes[handle] else { return }
        let positions = changes.positions()
        resizes[handle] = Set(items.compactMap { positions($0) })
    }

    mutating func removeItemChanges(of handle: SectionHandle) -> ListItemChanges? {
        itemChanges.removeValue(forKey: handle)
    }

    /// Adds item changes of a reloaded section. They only move state that is stored by item index. Ignores
    /// inconsistent changes.
    ///
    /// - Parameter count: the number of items that the section had before the update.
    mutating func addFollowedChanges(_ changes: ListItemChanges, of handle: SectionHandle, itemCount count: Int) {
        if let all = changes.combined(after: followed[handle], itemCount: count) { followed[handle] = all }
    }

    /// Adds the records of an item update to the item changes of a reloaded section.
    mutating func addFollowedChanges(_ recorded: RecordedItemChanges, of handle: SectionHandle, itemCount before: Int) {
        let count = (followed[handle] ?? ListItemChanges(updates: [])).newCount(oldCount: before)
        if recorded.hasItemChanges, let changes = ListItemChanges(recorded, itemCount: count) {
            addFollowedChanges(changes, of: handle, itemCount: before)
        }
    }

    /// Records that items of a section changed their sizes. Ignores indexes without an item.
    mutating func resize(_ indexes: [Int], of handle: SectionHandle, itemCount: Int) {
        let items = indexes.filter { (0..<itemCount).contains($0) }
        if !items.isEmpty { resizes[handle, default: []].formUnion(items) }
    }

    // MARK: Sections without a handle

    /// Records the reload of a section without a handle. Must be called in ascending order of positions.
    mutating func append(_ update: HandlelessUpdate) { handlelessUpdates.append(update) }

    /// Replaces ``handlelessUpdates`` by the same updates with new positions and item counts.
    mutating func setHandlelessUpdates(_ updates: [HandlelessUpdate]) { handlelessUpdates = updates }

    /// Returns whether the section at a position before the update is reloaded without a handle.
    func hasHandlelessUpdate(at old: Int) -> Bool {
        let index = handlelessUpdates.partitionPoint { $0.old < old }
        return index < handlelessUpdates.count && handlelessUpdates[index].old == old
    }
}

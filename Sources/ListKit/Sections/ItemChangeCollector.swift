// SPDX-License-Identifier: Apache-2.0

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
        let forward = changes.forwarding()
        resizes[handle] = Set(items.compactMap { forward($0) })
    }

    /// Removes and returns the item changes of a section.
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

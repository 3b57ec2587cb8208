// SPDX-License-Identifier: Apache-2.0

/// An object that changed in a section without a handle, and so without a controller, fault, selection or picture.
///
/// Its kind has traits, so the two objects alone determine the change: the section is reloaded. Most changes of a long list
/// are of this sort, and making a handle for each would be the largest part of their cost.
struct UnnoticedUpdate {
    /// The section before the update.
    let old: Int
    /// The object after it.
    let object: ListObject
    /// The section after it; set when the counts are settled, as are the numbers of items.
    var new = 0
    var itemCount = 0
    var oldItemCount = 0
}

/// The changes of items in one update, collected from all section controllers.
struct ItemChangeCollector {
    /// Item by item changes of sections, each from the state before the update.
    private(set) var itemChanges: [SectionHandle: ListItemChanges] = [:]
    /// Sections that are reloaded.
    private(set) var reloads: Set<SectionHandle> = []
    /// Changes of items in sections that are reloaded as a whole, which state kept by item still follows.
    private(set) var followed: [SectionHandle: ListItemChanges] = [:]
    /// Sections without a handle whose object changed, ascending.
    private(set) var unnoticed: [UnnoticedUpdate] = []
    /// Whether all section controllers are replaced, so that changes of single items have no effect.
    private(set) var reloadsAll = false
    /// Sections with changes that were recorded since their items were counted.
    private(set) var uncounted: Set<SectionHandle> = []
    /// Sections whose sizes are asked for again.
    private(set) var invalidated: Set<SectionHandle> = []
    /// Single items whose sizes are asked for again, by their indexes after the changes recorded so far.
    private(set) var resizes: [SectionHandle: Set<Int>] = [:]

    /// Whether there is anything to announce.
    var isAnnounced: Bool { !reloads.isEmpty || !unnoticed.isEmpty || itemChanges.values.contains { !$0.isEmpty } }

    /// Whether nothing was recorded.
    var isEmpty: Bool { !isAnnounced && invalidated.isEmpty && resizes.isEmpty }

    // MARK: Sections

    /// Records that all section controllers are replaced.
    mutating func reloadAll() { reloadsAll = true }

    /// Records the reload of a section.
    mutating func reload(_ handle: SectionHandle) { reloads.insert(handle) }

    /// Records that the sizes of a section are asked for again.
    mutating func invalidate(_ handle: SectionHandle) { invalidated.insert(handle) }

    /// Records that a section has to be counted again.
    mutating func markUncounted(_ handle: SectionHandle) { uncounted.insert(handle) }

    /// Records that all sections are counted.
    mutating func markAllCounted() { uncounted = [] }

    // MARK: Items

    /// Replaces the item changes of a section by their combination with later ones.
    mutating func setItemChanges(_ all: ListItemChanges, of handle: SectionHandle, after changes: ListItemChanges) {
        itemChanges[handle] = all
        guard let items = resizes[handle] else { return }
        let forward = changes.forwarding()
        resizes[handle] = Set(items.compactMap { forward($0) })
    }

    /// Removes and returns the item changes of a section.
    mutating func removeItemChanges(of handle: SectionHandle) -> ListItemChanges? {
        itemChanges.removeValue(forKey: handle)
    }

    /// Adds item changes of a section that is reloaded, for state that is kept by item; inconsistent ones are left out.
    ///
    /// - Parameter count: how many items the section had.
    mutating func follow(_ changes: ListItemChanges, of handle: SectionHandle, itemCount count: Int) {
        if let all = changes.following(followed[handle], itemCount: count) { followed[handle] = all }
    }

    /// Adds item changes of a section that is reloaded, as an item update recorded them.
    mutating func follow(_ recorded: RecordedItemChanges, of handle: SectionHandle, itemCount before: Int) {
        let count = (followed[handle] ?? ListItemChanges(updates: [])).count(after: before)
        if recorded.hasItemChanges, let changes = ListItemChanges(recorded, itemCount: count) {
            follow(changes, of: handle, itemCount: before)
        }
    }

    /// Records that items of a section have other sizes; indexes without an item are ignored.
    mutating func resize(_ indexes: [Int], of handle: SectionHandle, itemCount: Int) {
        let items = indexes.filter { (0..<itemCount).contains($0) }
        if !items.isEmpty { resizes[handle, default: []].formUnion(items) }
    }

    // MARK: Sections without a handle

    /// Records the reload of a section without a handle; called in ascending order.
    mutating func append(_ update: UnnoticedUpdate) { unnoticed.append(update) }

    /// Replaces the sections without a handle, with their counts.
    mutating func setUnnoticed(_ updates: [UnnoticedUpdate]) { unnoticed = updates }

    /// Whether a section, by its position before, is reloaded without a handle.
    func isUnnoticed(_ old: Int) -> Bool {
        let index = unnoticed.partitionPoint { $0.old < old }
        return index < unnoticed.count && unnoticed[index].old == old
    }
}

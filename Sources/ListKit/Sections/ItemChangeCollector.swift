// SPDX-License-Identifier: Apache-2.0

/// An object that changed in a section without a handle, and so without a controller, fault, selection or picture.
///
/// If its kind has traits, all that follows from the change is known from the two objects: the section is reloaded. Most
/// changes of a long list are of this sort, and a handle for each would cost more than all else that is done for it.
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

/// Which items of which sections change in one update, put together from all that section controllers say.
struct ItemChangeCollector {
    /// Item by item changes of sections, each from the state before the update.
    private(set) var itemChanges: [SectionHandle: ListItemChanges] = [:]
    /// Sections that are asked for everything anew.
    private(set) var reloads: Set<SectionHandle> = []
    /// Where the items went of sections that are reloaded as a whole: what is kept by item follows them all the same.
    private(set) var followed: [SectionHandle: ListItemChanges] = [:]
    /// Sections that nobody has taken notice of and whose object changed, ascending: they are reloaded without a handle.
    private(set) var unnoticed: [UnnoticedUpdate] = []
    /// Whether all section controllers are made anew, so that it does not matter what became of single items.
    private(set) var reloadsAll = false
    /// Sections of which something was recorded since their items were counted.
    private(set) var uncounted: Set<SectionHandle> = []
    /// Sections whose sizes are asked for anew.
    private(set) var invalidated: Set<SectionHandle> = []
    /// Single items whose sizes are asked for anew, by the indexes that they have after what was recorded so far.
    private(set) var resizes: [SectionHandle: Set<Int>] = [:]

    /// Whether there is anything to announce.
    var isAnnounced: Bool { !reloads.isEmpty || !unnoticed.isEmpty || itemChanges.values.contains { !$0.isEmpty } }

    /// Whether there is anything at all to do.
    var isEmpty: Bool { !isAnnounced && invalidated.isEmpty && resizes.isEmpty }

    // MARK: Sections

    /// All section controllers are made anew.
    mutating func reloadAll() { reloadsAll = true }

    /// A section is asked for everything anew.
    mutating func reload(_ handle: SectionHandle) { reloads.insert(handle) }

    /// The sizes of a section are asked for anew.
    mutating func invalidate(_ handle: SectionHandle) { invalidated.insert(handle) }

    /// Something was recorded of a section since its items were counted.
    mutating func markUncounted(_ handle: SectionHandle) { uncounted.insert(handle) }

    /// All sections are counted from here on.
    mutating func markAllCounted() { uncounted = [] }

    // MARK: Items

    /// Replaces what changes among the items of a section, which has gone through some changes more.
    mutating func setItemChanges(_ all: ListItemChanges, of handle: SectionHandle, after changes: ListItemChanges) {
        itemChanges[handle] = all
        guard let items = resizes[handle] else { return }
        let forward = changes.forwarding()
        resizes[handle] = Set(items.compactMap { forward($0) })
    }

    /// Drops what changes among the items of a section; what is kept by item may follow it.
    mutating func removeItemChanges(of handle: SectionHandle) -> ListItemChanges? {
        itemChanges.removeValue(forKey: handle)
    }

    /// Has what is kept by item follow the items of a section that is reloaded; what does not fit is left out.
    ///
    /// - Parameter count: how many items the section had.
    mutating func follow(_ changes: ListItemChanges, of handle: SectionHandle, itemCount count: Int) {
        if let all = changes.following(followed[handle], itemCount: count) { followed[handle] = all }
    }

    /// Likewise, as an item update recorded it.
    mutating func follow(_ recorded: RecordedItemChanges, of handle: SectionHandle, itemCount before: Int) {
        let count = (followed[handle] ?? ListItemChanges(updates: [])).count(after: before)
        if recorded.hasItemChanges, let changes = ListItemChanges(recorded, itemCount: count) {
            follow(changes, of: handle, itemCount: before)
        }
    }

    /// Items of a section have other sizes; what names no item is ignored.
    mutating func resize(_ indexes: [Int], of handle: SectionHandle, itemCount: Int) {
        let items = indexes.filter { (0..<itemCount).contains($0) }
        if !items.isEmpty { resizes[handle, default: []].formUnion(items) }
    }

    // MARK: Unnoticed sections

    /// A section without a handle is reloaded; in ascending order.
    mutating func append(_ update: UnnoticedUpdate) { unnoticed.append(update) }

    /// Replaces the sections without a handle, with their counts.
    mutating func setUnnoticed(_ updates: [UnnoticedUpdate]) { unnoticed = updates }

    /// Whether a section, by its position before, is reloaded without a handle.
    func isUnnoticed(_ old: Int) -> Bool {
        let index = unnoticed.partitionPoint { $0.old < old }
        return index < unnoticed.count && unnoticed[index].old == old
    }
}

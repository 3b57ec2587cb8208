// SPDX-License-Identifier: Apache-2.0

/// The effects of an update on the state that views store for sections and items.
struct UpdateEffects {
    /// The changes of the sections.
    let change: Change
    /// Whether all views are laid out from scratch.
    let isReload: Bool
    /// Whether all items are requested again.
    let asksAnew: Bool
    /// The changes of single items by section.
    let itemChanges: [SectionHandle: ListItemChanges]
    /// The sections that are reloaded, so that all their items are requested again.
    let reloads: Set<SectionHandle>
    /// The sections with a handle whose object, items or sizes changed.
    let changed: Set<SectionHandle>
    /// The released controllers of displayed sections. They are notified that the display of all their elements
    /// ended, and their successors are notified of the elements that are shown now.
    let replaced: [SectionHandle: ListSectionController]
    /// The mappings of old to new item indexes, for sections whose items moved.
    let forwarding: [SectionHandle: PositionMap]
    /// Like ``forwarding``, but also for sections that are reloaded as a whole. These mappings move state that is
    /// stored by item index.
    let stateForwarding: [SectionHandle: PositionMap]
    /// The changes that layouts have to apply.
    let layoutChanges: LayoutChanges
    /// The items of which only the sizes changed, in sections that are not laid out again as a whole.
    let resized: [IndexPath]
    /// The positions of the changed sections, ascending, if the update changes nothing else; `nil` = every view has
    /// to process the update.
    let changedSections: [Int]?
    /// The sections with all changes, if the update moves or replaces sections and all others keep their positions;
    /// `nil` = others move too, or the update changes something else.
    let movedSections: Range<Int>?
    /// Whether the number of items of any section changed.
    let changesCounts: Bool

    init(of change: Change, _ section: SectionUpdate, _ map: SectionMap) {
        let collector = section.collector
        self.change = change
        isReload = change.isReload
        asksAnew = !change.scope.isDisjoint(with: [.controllers, .items])
        itemChanges = collector.itemChanges
        reloads = collector.reloads
        replaced = section.replaced
        let forwarding = collector.itemChanges.filter { !$0.value.keepsPlaces }.mapValues { $0.positions() }
        self.forwarding = forwarding
        stateForwarding =
            collector.followed.isEmpty
            ? forwarding : forwarding.merging(collector.followed.mapValues { $0.positions() }) { item, _ in item }
        var changed = collector.reloads.union(collector.itemChanges.keys).union(collector.invalidated)
        changed.formUnion(change.updated.compactMap { map.existingOldHandle(at: $0.old) })
        self.changed = changed
        layoutChanges = LayoutChanges(
            deletes: change.removed.map(\.old), inserts: change.inserted.map(\.new),
            moves: change.moved.map { LayoutChanges.Move(from: $0.old, to: $0.new) },
            reloads: (changed.compactMap { map.position(of: $0) } + collector.handlelessUpdates.map(\.new)).sorted())
        resized = collector.resizes.flatMap { handle, items -> [IndexPath] in
            guard !changed.contains(handle), let section = map.position(of: handle) else { return [] }
            return items.map { IndexPath(section: section, item: $0) }
        }.sorted()
        changesCounts =
            changed.contains { map.oldItemCount(of: $0) != map.itemCount(of: $0) }
            || collector.handlelessUpdates.contains { $0.oldItemCount != $0.itemCount }
        guard !isReload, !asksAnew, change.options == nil else {
            (changedSections, movedSections) = (nil, nil)
            return
        }
        let others = Set(resized.map(\.section)).union(replaced.keys.compactMap { map.position(of: $0) })
        let changes = others.isEmpty ? layoutChanges.reloads : others.union(layoutChanges.reloads).sorted()
        changedSections = change.movesSections ? nil : changes
        movedSections = change.movesSections ? layoutChanges.movedSections(changes) : nil
    }
}

extension LayoutChanges {
    /// Returns the range of the moved, removed and inserted sections and of others; `nil` if the sections after them
    /// move too.
    fileprivate func movedSections(_ others: [Int]) -> Range<Int>? {
        guard deletes.count == inserts.count else { return nil }
        let places = [deletes, inserts, moves.map(\.from), moves.map(\.to), others]
        guard let first = places.compactMap({ $0.min() }).min(), let last = places.compactMap({ $0.max() }).max()
        else { return nil }
        return first..<last + 1
    }
}

extension UpdateEffects {
    /// Returns whether the item of an element must be requested again.
    func isOutdated(_ key: ElementKey) -> Bool {
        guard let handle = key.handle, !asksAnew, !reloads.contains(handle) else { return true }
        if key.kind != .cell { return changed.contains(handle) }
        return itemChanges[handle]?.updates.contains(key.index) == true
    }

    /// The sections with all changes, if all others keep their positions, items and contents; `nil` = no section need do
    /// so.
    var concernedSections: Range<Int>? {
        guard let changedSections else { return movedSections }
        guard let first = changedSections.first, let last = changedSections.last else { return 0..<0 }
        return first..<last + 1
    }

    /// Whether all sections and items that views know keep their positions.
    var keepsPlaces: Bool { changedSections != nil && !changesCounts && forwarding.isEmpty && replaced.isEmpty }
}

extension ListItemChanges {
    /// Whether all items keep their indexes.
    fileprivate var keepsPlaces: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty }
}

extension PathForwarding {
    /// Makes the mapping of old to new item paths for the update that is being presented.
    ///
    /// - Parameter ofAllSections: whether to compare the item counts of all sections when all items are requested again.
    /// - Complexity: O(changes · log n); O(n) when all items are requested again.
    init(of change: Change, _ collector: ItemChangeCollector, _ store: SectionStore, ofAllSections: Bool = true) {
        let map = store.map
        let itemChanges = collector.itemChanges.merging(collector.followed) { item, _ in item }
        self.init(sections: change.positions(of: map.oldCount))
        for (old, _) in change.removed where map.oldItemCount(at: old) != 1 {
            goneItemCounts[old] = map.oldItemCount(at: old)
        }
        // Sections without a handle, and sections with new controllers, have not reported their item changes.
        for update in collector.handlelessUpdates {
            let changes = PathForwarding.itemChanges(ofSection: update.old, to: update.object, store)
            guard changes != nil || update.oldItemCount != update.itemCount else { continue }
            items[update.old] = map.itemPositions(ofSection: update.old, to: update.new, changes)
        }
        for update in change.scope.contains(.controllers) ? change.updated : [] {
            guard let new = map.position(of: update.object) else { continue }
            items[update.old] = map.itemPositions(
                ofSection: update.old, to: new,
                PathForwarding.itemChanges(ofSection: update.old, to: update.object, store))
        }
        for (handle, changes) in itemChanges {
            guard let old = map.oldPosition(of: handle), let new = map.position(of: handle) else { continue }
            items[old] = map.itemPositions(ofSection: old, to: new, changes)
        }
        for handle in collector.reloads where itemChanges[handle] == nil {
            guard let old = map.oldPosition(of: handle), let new = map.position(of: handle), items[old] == nil
            else { continue }
            items[old] = map.itemPositions(ofSection: old, to: new, nil)
        }
        guard ofAllSections, !change.scope.isDisjoint(with: [.controllers, .items]) else { return }
        for run in sections.runs {
            for offset in 0..<run.length where items[run.old + offset] == nil {
                items[run.old + offset] = map.itemPositions(ofSection: run.old + offset, to: run.new + offset, nil)
            }
        }
    }

    /// Returns the item changes of a changed object, matched by identity, or `nil` if its items have no identities.
    private static func itemChanges(
        ofSection old: Int, to object: ListObject, _ store: SectionStore
    ) -> ListItemChanges? {
        guard let viewModels = store.kind(for: object)?.traits?.viewModels, let before = store.map.oldObject(at: old),
            before.objectType === object.objectType
        else { return nil }
        return ListItemChanges(
            from: ListItemChanges.unique(viewModels(before)), to: ListItemChanges.unique(viewModels(object)))
    }
}

extension SectionMap {
    /// Returns the mapping of a section's old item indexes to the new ones, or `nil` if all items keep their indexes.
    fileprivate func itemPositions(ofSection old: Int, to new: Int, _ changes: ListItemChanges?) -> PositionMap? {
        let (before, after) = (oldItemCount(at: old), itemCount(at: new) ?? 0)
        let map = changes?.positions(of: before)
        // Item changes that do not lead to the section's number of items are ignored.
        if let map, map.newCount == after { return map.isIdentity ? nil : map }
        return before == after ? nil : PositionMap(oldCount: before, newCount: after)
    }
}

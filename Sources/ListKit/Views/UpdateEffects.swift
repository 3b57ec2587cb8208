// SPDX-License-Identifier: Apache-2.0

/// What an update means for what views keep of sections and items.
struct UpdateEffects {
    /// What became of the sections.
    let changes: SectionChanges
    /// Whether all views are laid out anew.
    let isReload: Bool
    /// Whether all items are asked for anew.
    let asksAnew: Bool
    /// Item by item changes of sections.
    let itemChanges: [SectionHandle: ListItemChanges]
    /// Sections that are asked for everything anew.
    let reloads: Set<SectionHandle>
    /// The sections with a handle whose object, items or sizes changed.
    let changed: Set<SectionHandle>
    /// Controllers that were released: they are told that everything that they showed ended, and their successors what
    /// is shown now.
    let replaced: [SectionHandle: ListSectionController]
    /// Where items went.
    let forwarding: [SectionHandle: IndexForwarding]
    /// Likewise, in sections that are reloaded as a whole too: what is kept by item follows them.
    let keptForwarding: [SectionHandle: IndexForwarding]
    /// What layouts have to follow.
    let layoutChanges: LayoutChanges
    /// The items of which only the sizes changed, in sections that are not asked anew as a whole.
    let resized: [IndexPath]
    /// The sections of which something changed, ascending, in an update that changes nothing else; `nil` = all views have to
    /// look what it means for them.
    let changedSections: [Int]?
    /// Whether sections have other numbers of items than before.
    let changesCounts: Bool

    init(of update: ObjectUpdate, _ section: SectionUpdate, _ map: SectionMap) {
        let collector = section.collector
        changes = update.changes
        isReload = update.isReload
        asksAnew = update.rebuildsControllers || update.asksAnew
        itemChanges = collector.itemChanges
        reloads = collector.reloads
        replaced = section.replaced
        let forwarding = collector.itemChanges.filter { !$0.value.keepsPlaces }.mapValues { $0.forwarding() }
        self.forwarding = forwarding
        keptForwarding =
            collector.followed.isEmpty
            ? forwarding : forwarding.merging(collector.followed.mapValues { $0.forwarding() }) { item, _ in item }
        var changed = collector.reloads.union(collector.itemChanges.keys).union(collector.invalidated)
        changed.formUnion(update.changes.updates.compactMap { map.knownOldHandle(at: $0.old) })
        self.changed = changed
        layoutChanges = LayoutChanges(
            deletes: changes.deletes, inserts: changes.inserts.map(\.new),
            moves: changes.moves.map { LayoutChanges.Move(from: $0.old, to: $0.new) },
            reloads: (changed.compactMap { map.position(of: $0) } + collector.unnoticed.map(\.new)).sorted())
        resized = collector.resizes.flatMap { handle, items -> [IndexPath] in
            guard !changed.contains(handle), let section = map.position(of: handle) else { return [] }
            return items.map { IndexPath(section: section, item: $0) }
        }.sorted()
        changesCounts =
            changed.contains { map.oldItemCount(of: $0) != map.itemCount(of: $0) }
            || collector.unnoticed.contains { $0.oldItemCount != $0.itemCount }
        let keepsSections = changes.deletes.isEmpty && changes.inserts.isEmpty && changes.moves.isEmpty
        if keepsSections, !isReload, !asksAnew, update.configuration == nil {
            let others = Set(resized.map(\.section)).union(replaced.keys.compactMap { map.position(of: $0) })
            changedSections = others.isEmpty ? layoutChanges.reloads : others.union(layoutChanges.reloads).sorted()
        } else {
            changedSections = nil
        }
    }
}

extension UpdateEffects {
    /// Whether the item of an element has to be asked for anew.
    func isOutdated(_ key: ElementKey) -> Bool {
        guard let handle = key.handle, !asksAnew, !reloads.contains(handle) else { return true }
        if key.kind != .cell { return changed.contains(handle) }
        return itemChanges[handle]?.updates.contains(key.index) == true
    }

    /// Whether everything that views know has the place that it had.
    var keepsPlaces: Bool { changedSections != nil && !changesCounts && forwarding.isEmpty && replaced.isEmpty }
}

extension ListItemChanges {
    /// Whether all items stay where they are.
    fileprivate var keepsPlaces: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty }
}

extension PathForwarding {
    /// Where the items of the list went in an update that is being presented.
    ///
    /// - Complexity: O(changes · log n); O(n) when all sections are asked anew.
    init(of update: ObjectUpdate, _ collector: ItemChangeCollector, _ store: SectionStore) {
        let (map, changes) = (store.map, update.changes)
        let itemChanges = collector.itemChanges.merging(collector.followed) { item, _ in item }
        self.init(
            sections: PositionMap(
                oldCount: map.oldCount, deletes: changes.deletes, inserts: changes.inserts.map(\.new),
                moves: changes.moves))
        for old in changes.deletes where map.oldItemCount(at: old) != 1 {
            goneItemCounts[old] = map.oldItemCount(at: old)
        }
        // Sections without a handle, and those made anew, have not reported what became of their items.
        for update in collector.unnoticed {
            let changes = PathForwarding.changesByIdentity(at: update.old, update.object, store)
            guard changes != nil || update.oldItemCount != update.itemCount else { continue }
            items[update.old] = map.itemPositions(from: update.old, to: update.new, changes)
        }
        for update in update.rebuildsControllers ? changes.updates : [] {
            guard let new = map.position(of: update.object) else { continue }
            items[update.old] = map.itemPositions(
                from: update.old, to: new, PathForwarding.changesByIdentity(at: update.old, update.object, store))
        }
        for (handle, changes) in itemChanges {
            guard let old = map.oldPosition(of: handle), let new = map.position(of: handle) else { continue }
            items[old] = map.itemPositions(from: old, to: new, changes)
        }
        for handle in collector.reloads where itemChanges[handle] == nil {
            guard let old = map.oldPosition(of: handle), let new = map.position(of: handle), items[old] == nil
            else { continue }
            items[old] = map.itemPositions(from: old, to: new, nil)
        }
        guard update.rebuildsControllers || update.asksAnew else { return }
        for run in sections.runs {
            for offset in 0..<run.length where items[run.old + offset] == nil {
                items[run.old + offset] = map.itemPositions(from: run.old + offset, to: run.new + offset, nil)
            }
        }
    }

    /// What became of the items of a changed object, by their identities.
    private static func changesByIdentity(
        at old: Int, _ object: ListObject, _ store: SectionStore
    ) -> ListItemChanges? {
        guard let viewModels = store.kind(for: object)?.traits?.viewModels, let before = store.map.oldObject(at: old),
            before.objectType === object.objectType
        else { return nil }
        return ListItemChanges(
            from: ListItemChanges.unique(viewModels(before)), to: ListItemChanges.unique(viewModels(object)))
    }
}

extension SectionMap {
    /// Where the items of a section went; `nil` when all are where they were.
    fileprivate func itemPositions(from old: Int, to new: Int, _ changes: ListItemChanges?) -> PositionMap? {
        let (before, after) = (oldItemCount(at: old), itemCount(at: new) ?? 0)
        let map = changes.map {
            PositionMap(
                oldCount: before, deletes: $0.deletes, inserts: $0.inserts, moves: $0.moves.map { ($0.from, $0.to) })
        }
        // What it says of its items does not count when it has another number of them.
        if let map, map.newCount == after { return map.isIdentity ? nil : map }
        return before == after ? nil : PositionMap(oldCount: before, newCount: after)
    }
}

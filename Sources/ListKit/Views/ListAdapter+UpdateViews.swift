// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// Brings all views up to date with a transaction; answers what to announce, in the contract's order.
    func updateViews(_ flush: Flush, _ applied: Application) -> [AdapterEvent] {
        let forwarding = applied.itemChanges.mapValues { $0.forwarding() }
        // What is kept by item follows sections that reload as a whole, too.
        let keptForwarding = forwarding.merging(applied.followed.mapValues { $0.forwarding() }) { said, _ in said }
        let layoutChanges = layoutChanges(of: flush, applied)
        let resized = resizedItems(of: flush, applied)
        let paths = pathForwarding(flush, applied)
        var steps: [DisplayStep] = []
        for view in views {
            follow(view, flush, applied, forwarding)
            followSizes(of: view, flush.changes, keptForwarding)
            followOpening(of: view, keptForwarding)
            if let paths { followItems(of: view, paths) }
            if flush.isReload {
                relayout(view)
            } else if view.isActive, view.layoutKind != .none {
                withLayout(of: view) { layout, source in
                    layout.update(layoutChanges, source: source)
                    if !resized.isEmpty { layout.resize(resized, asking: source) }
                }
            }
            applyAnchor(of: view, forwarding: forwarding)
            steps.append(step(view, forwarding: forwarding))
        }
        let said = zip(views, steps).map { events(of: $1, in: $0) }
        let selected = followSelection(keptForwarding)
        let pictures = views.flatMap { compose($0) + nearEndEvents(of: $0) }
        notify(steps, forwarding: forwarding, replaced: applied.replaced)
        let replaced = configuration.sectionMovesAsDeletesInserts ? flush.changes.moves.map(\.new) : []
        // Last, for controllers may select in all of this; a picture knows nothing of it.
        let selection = selectionEvents(
            since: selected, replaced: Set(replaced.compactMap { sections.knownHandle(at: $0) }))
        return said.compactMap(\.display) + said.compactMap(\.range) + selection + pictures
    }

    /// Carries what a view knows by item over to the items' new indexes, and forgets what is no longer good.
    private func follow(
        _ view: ListView, _ flush: Flush, _ applied: Application, _ forwarding: [SectionHandle: IndexForwarding]
    ) {
        view.orphans += view.picture.forward(forwarding)
        let changed = changed(by: flush, applied)
        var contents: [ElementKey: ListItem] = [:]
        for (key, item) in flush.reloadsAll || flush.asksAnew ? [:] : view.contents {
            guard let handle = key.handle else { continue }
            let isSupplementary = key.kind != .cell
            if applied.reloads.contains(handle) || (isSupplementary && changed.contains(handle)) { continue }
            if applied.itemChanges[handle]?.updates.contains(key.index) == true { continue }
            if let new = key.forwarded(by: forwarding) { contents[new] = item }
        }
        view.contents = contents
    }

    /// Carries measured sizes over to the items' new indexes.
    private func followSizes(
        of view: ListView, _ changes: SectionChanges, _ forwarding: [SectionHandle: IndexForwarding]
    ) {
        guard !view.reportedSizes.isEmpty else { return }
        for old in changes.deletes { sections.oldHandle(at: old).map { view.reportedSizes[$0] = nil } }
        for (handle, sizes) in view.reportedSizes {
            guard let forward = forwarding[handle] else { continue }
            var moved: [Int: Size] = [:]
            for (index, size) in sizes { if let new = forward(index) { moved[new] = size } }
            view.reportedSizes[handle] = moved
        }
    }

    private func relayout(_ view: ListView) {
        let kind = view.options.layout ?? configuration.layout
        if kind != view.layoutKind {
            // A viewport says nothing to a viewer that lays out by itself, nor its range of items to a layout.
            if kind == .none || view.layoutKind == .none {
                (view.viewport, view.visibleItems, view.history) = (nil, nil, PictureHistory())
            }
            view.layoutKind = kind
        }
        view.layout = makeLayout(kind, view.options)
        prepareLayout(of: view)
    }

    private func layoutChanges(of flush: Flush, _ applied: Application) -> LayoutChanges {
        let noticed = changed(by: flush, applied).compactMap { sections.position(of: $0) }
        return LayoutChanges(
            deletes: flush.changes.deletes, inserts: flush.changes.inserts.map(\.new),
            moves: flush.changes.moves.map { LayoutChanges.Move(from: $0.old, to: $0.new) },
            reloads: (noticed + applied.unnoticed.map(\.new)).sorted())
    }

    /// The items of which only the sizes changed, in sections that are not asked anew as a whole.
    private func resizedItems(of flush: Flush, _ applied: Application) -> [IndexPath] {
        guard !applied.resizes.isEmpty else { return [] }
        let changed = changed(by: flush, applied)
        return applied.resizes.flatMap { handle, items -> [IndexPath] in
            guard !changed.contains(handle), let section = sections.position(of: handle) else { return [] }
            return items.map { IndexPath(section: section, item: $0) }
        }.sorted()
    }

    /// The sections with a handle whose object, items or sizes changed.
    private func changed(by flush: Flush, _ applied: Application) -> Set<SectionHandle> {
        var changed = applied.reloads.union(applied.itemChanges.keys).union(applied.invalidated)
        changed.formUnion(flush.changes.updates.compactMap { sections.knownOldHandle(at: $0.old) })
        return changed
    }
}

extension ListLayout {
    /// Asks for the sizes of single items again; a section that turns out to be at fault is laid out as one.
    fileprivate mutating func resize(_ items: [IndexPath], asking source: AdapterLayoutSource) {
        resize(items, source: source)
        if !source.faults.isEmpty { update(LayoutChanges(reloads: source.faults), source: source) }
    }
}

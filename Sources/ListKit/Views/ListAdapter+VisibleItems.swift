// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// The viewer of a layout `none` names what it shows, first and last item included, in the list as of `seen`.
    ///
    /// Both ends follow the updates since: an item that is gone is replaced by the next one inwards that is there; when there is
    /// none, the range begins at the next one after it, else it ends at the last item of the list. Positions past the end
    /// count one item for each section. The range is shifted into the list, and shortened only by a list that has fewer items.
    ///
    /// From then on it follows its items: the first one that is still there after an update keeps its place in it.
    /// - Parameter seen: the last sequence that the viewer has drawn; 0, or one that was never sent, is the newest, and one
    ///   before the last that was acknowledged is that one. A viewer without a credit window may be up to 256 changes behind.
    ///   Updates of a list in more than 131,072 stretches are not followed.
    /// - Throws: `invalidArguments` for another layout, and when the last one comes before the first.
    /// - Complexity: O(log n + visible); for a list that changed since `seen` O(changes · log) too.
    public func setVisibleRange(
        view id: ViewID, seen: UInt64 = 0, first: IndexPath, last: IndexPath
    ) throws(ListError) -> ViewReply {
        let view = try view(id)
        guard view.layoutKind == .none else {
            throw ListError(.invalidArguments, "only a view with the layout none names a visible range")
        }
        guard first <= last, first.section >= 0, first.item >= 0, last.item >= 0 else {
            throw ListError(.invalidArguments, "the last visible item comes before the first")
        }
        var items = visibleItems(from: first, through: last, seen: seen, in: view)
        if let opening = takeOpening(of: view), let section = sections.position(of: opening.handle) {
            items.first = itemOrder.first(
                of: items.length, showing: IndexPath(section: section, item: opening.item), at: opening.position)
        }
        view.visibleItems = items
        lastScrolledView = id
        return reply(view)
    }

    /// What a range of the list as of a picture is now.
    private func visibleItems(
        from first: IndexPath, through last: IndexPath, seen: UInt64, in view: ListView
    ) -> VisibleItems {
        let order = itemOrder
        let changes = view.history.changes(since: seen, lastSent: view.picture.sequence)
        // Mostly both items are there.
        func present(_ path: IndexPath) -> IndexPath? {
            let path = changes.reduce(Optional(path)) { path, change in path.flatMap { change($0) } }
            return path.flatMap { $0.item < sections.itemCount(at: $0.section) ?? 0 ? $0 : nil }
        }
        if changes.isEmpty { return order.items(from: first, through: last) }
        if let begin = present(first), let end = present(last) {
            return order.items(from: min(begin, end), through: max(begin, end))
        }
        guard let change = view.history.change(since: seen, lastSent: view.picture.sequence) else {
            return order.items(from: first, through: last)
        }
        return order.items(from: first, through: last, before: change)
    }

    /// The items of the list, counted.
    private var itemOrder: ItemOrder {
        ItemOrder(
            sectionCount: sections.count, itemCount: sections.itemCount,
            itemOffset: { [unowned self] in sections.itemOffset(ofSection: $0) },
            itemCountOfSection: { [unowned self] in sections.itemCount(at: $0) ?? 0 },
            path: { [unowned self] in sections.path(ofItem: $0) })
    }

    /// The items that a viewer without a layout named, and those around them.
    func namedElements(of view: ListView) -> [ViewElement] {
        view.shownItems = nil
        guard let items = view.visibleItems, sections.itemCount > 0 else { return [] }
        let order = itemOrder
        let shown = order.range(of: items)
        view.shownItems = ShownItems(
            range: order.path(of: shown.lowerBound)...order.path(of: shown.upperBound - 1),
            beginsTheList: shown.lowerBound == 0)
        let around = view.options.overscanItems
        let first = order.path(of: shown.lowerBound - min(around, shown.lowerBound))
        let last = order.path(of: shown.upperBound - 1 + min(around, sections.itemCount - shown.upperBound))
        var elements: [ViewElement] = []
        for section in first.section...max(first.section, last.section) {
            guard let handle = sections.handle(at: section) else { break }
            let from = section == first.section ? first.item : 0
            let to = section == last.section ? last.item + 1 : Int.max
            for item in (0..<sections.itemCount(of: handle)).clamped(to: from..<max(from, to)) {
                elements.append(
                    ViewElement(
                        key: ElementKey(handle: handle, kind: .cell, index: item), section: section, frame: .zero,
                        z: 0))
            }
        }
        return elements
    }

    // MARK: Updates

    /// Lets a view without a layout follow the items that it shows, and what its viewer may still go by.
    func followItems(of view: ListView, _ change: PathForwarding) {
        view.history.record(change)
        guard view.options.isAnchored, var items = view.visibleItems, let shown = view.shownItems else { return }
        let order = itemOrder
        if shown.beginsTheList, !view.options.isAnchoredAtStart {
            items.first = IndexPath(section: 0, item: 0)
        } else if let first = order.first(of: items.length, following: shown.range, before: change) {
            items.first = first
        }
        view.visibleItems = items
    }

    /// Where the items of the list went in a transaction that is being applied; `nil` when no view has to know.
    ///
    /// - Complexity: O(changes · log n); O(n) when all sections are asked anew.
    func pathForwarding(
        _ flush: Flush, _ applied: Application
    ) -> PathForwarding? {
        guard views.contains(where: { $0.layoutKind == .none && $0.isActive }) else { return nil }
        let changes = flush.changes
        let itemChanges = applied.itemChanges.merging(applied.followed) { said, _ in said }
        var forwarding = PathForwarding(
            sections: PositionMap(
                oldCount: sections.oldCount, deletes: changes.deletes, inserts: changes.inserts.map(\.new),
                moves: changes.moves))
        for old in changes.deletes where sections.oldItemCount(at: old) != 1 {
            forwarding.goneItemCounts[old] = sections.oldItemCount(at: old)
        }
        // Sections that nobody has taken notice of, or that are made anew, have not said what became of their items.
        for update in applied.unnoticed {
            let said = changesByIdentity(at: update.old, update.object)
            guard said != nil || update.oldItemCount != update.itemCount else { continue }
            forwarding.items[update.old] = items(from: update.old, to: update.new, said)
        }
        for update in flush.reloadsAll ? changes.updates : [] {
            guard let new = sections.position(of: update.object) else { continue }
            forwarding.items[update.old] = items(
                from: update.old, to: new, changesByIdentity(at: update.old, update.object))
        }
        for (handle, said) in itemChanges {
            guard let old = sections.oldPosition(of: handle), let new = sections.position(of: handle) else { continue }
            forwarding.items[old] = items(from: old, to: new, said)
        }
        for handle in applied.reloads where itemChanges[handle] == nil {
            guard let old = sections.oldPosition(of: handle), let new = sections.position(of: handle),
                forwarding.items[old] == nil
            else { continue }
            forwarding.items[old] = items(from: old, to: new, nil)
        }
        guard flush.reloadsAll || flush.asksAnew else { return forwarding }
        for run in forwarding.sections.runs {
            for offset in 0..<run.length where forwarding.items[run.old + offset] == nil {
                forwarding.items[run.old + offset] = items(from: run.old + offset, to: run.new + offset, nil)
            }
        }
        return forwarding
    }

    /// What became of the items of a changed object, by their identities.
    private func changesByIdentity(at old: Int, _ object: ListObject) -> ListItemChanges? {
        guard let viewModels = kind(for: object)?.traits?.viewModels, let before = sections.oldObject(at: old),
            before.objectType === object.objectType
        else { return nil }
        return ListItemChanges(
            from: ListItemChanges.unique(viewModels(before)), to: ListItemChanges.unique(viewModels(object)))
    }

    /// Where the items of a section went; `nil` when all are where they were.
    private func items(from old: Int, to new: Int, _ changes: ListItemChanges?) -> PositionMap? {
        let (before, after) = (sections.oldItemCount(at: old), sections.itemCount(at: new) ?? 0)
        let map = changes.map {
            PositionMap(
                oldCount: before, deletes: $0.deletes, inserts: $0.inserts, moves: $0.moves.map { ($0.from, $0.to) })
        }
        // What it says of its items does not count when it has another number of them.
        if let map, map.newCount == after { return map.isIdentity ? nil : map }
        return before == after ? nil : PositionMap(oldCount: before, newCount: after)
    }
}

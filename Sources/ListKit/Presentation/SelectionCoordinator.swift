// SPDX-License-Identifier: Apache-2.0

/// Who may change the selection, and what is told of it: viewers ask section controllers first, section controllers do as they
/// like.
final class SelectionCoordinator {
    private let environment: ViewEnvironment
    private(set) var selection = Selection()
    /// The update that is presented: what is selected meanwhile waits until the items have their places.
    private var update: SectionUpdate?
    /// Selections of callbacks that the list does not know the items of yet.
    private var late: [LateSelection] = []

    /// An item that was selected or deselected from a callback before the list knew of it.
    private struct LateSelection {
        let controller: ListSectionController
        let index: Int
        let isSelected: Bool
    }

    init(_ environment: ViewEnvironment) { self.environment = environment }

    private var store: SectionStore { environment.store }
    private var events: EventQueue { environment.store.events }

    // MARK: Viewers

    /// The section of an item.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    func handle(ofItem item: Int, of id: String) throws(ListError) -> SectionHandle {
        guard let handle = store.map.handle(forID: id) else {
            throw ListError(.noSuchObject, "id: no object \(id.quoted)")
        }
        guard (0..<store.map.itemCount(of: handle)).contains(item) else {
            throw ListError(.noSuchItem, "item: \(id.quoted) has no item \(item)")
        }
        return handle
    }

    /// A viewer selects an item; answers whether it is selected now.
    func select(_ item: Int, of handle: SectionHandle) -> Bool {
        if !isSelected(item, of: handle), store.askSelection(of: handle, item: item, selects: true) {
            set(true, item, of: handle)
            store.tellSelection(of: handle, item: item, .select)
            if environment.options.deselectsAutomatically { set(false, item, of: handle) }
        }
        return isSelected(item, of: handle)
    }

    /// A viewer deselects an item; answers whether it is not selected now.
    func deselect(_ item: Int, of handle: SectionHandle) -> Bool {
        if isSelected(item, of: handle), store.askSelection(of: handle, item: item, selects: false) {
            set(false, item, of: handle)
            store.tellSelection(of: handle, item: item, .deselect)
        }
        return !isSelected(item, of: handle)
    }

    /// A viewer deselects items, then selects others, in one event.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`; nothing changes then.
    func change(
        select: [SelectedItem], deselect: [SelectedItem]
    ) throws(ListError) -> (selected: [SelectedItem], deselected: [SelectedItem]) {
        var leaving: [SectionHandle] = []
        var coming: [SectionHandle] = []
        for item in deselect { leaving.append(try handle(ofItem: item.item, of: item.objectID)) }
        for item in select { coming.append(try handle(ofItem: item.item, of: item.objectID)) }
        let mark = events.count
        for (item, handle) in zip(deselect, leaving) { _ = self.deselect(item.item, of: handle) }
        for (item, handle) in zip(select, coming) { _ = self.select(item.item, of: handle) }
        joinEvents(since: mark)
        return (
            zip(select, coming).filter { isSelected($0.item, of: $1) }.map(\.0),
            zip(deselect, leaving).filter { !isSelected($0.item, of: $1) }.map(\.0)
        )
    }

    /// Makes one event of those that say what was selected since `mark`; what was selected and deselected again is left out.
    private func joinEvents(since mark: Int) {
        struct Item: Hashable {
            let id: ExactText
            let index: Int
        }
        var first: [Item: Bool] = [:]
        var last: [Item: Bool] = [:]
        for case .selection(let change) in events.events[mark...] {
            for (items, isSelected) in [(change.selected, true), (change.deselected, false)] {
                for item in items {
                    let key = Item(id: ExactText(item.objectID), index: item.item)
                    if first[key] == nil { first[key] = isSelected }
                    last[key] = isSelected
                }
            }
        }
        guard last.count > 0 else { return }
        let others = events.events[mark...].filter { if case .selection = $0 { false } else { true } }
        let changed = last.compactMap { key, isSelected in
            first[key] != isSelected ? nil : (store.map.position(ofID: key.id.text) ?? 0, key, isSelected)
        }.sorted { ($0.0, $0.1.index) < ($1.0, $1.1.index) }
        func items(_ selected: Bool) -> [SelectedItem] {
            changed.filter { $0.2 == selected }.map { SelectedItem(objectID: $0.1.id.text, item: $0.1.index) }
        }
        let joined = SelectionChange(
            revision: environment.revision, selected: items(true), deselected: items(false))
        events.replace(since: mark, with: (changed.isEmpty ? [] : [.selection(joined)]) + others)
    }

    // MARK: Section controllers

    /// A section controller selects or deselects an item of its own.
    ///
    /// While an update is presented the index is the one that the item has afterwards. Any other callback may be about a
    /// section that the list does not know the items of yet: the selection comes right after it.
    func setSelected(_ isSelected: Bool, controller: ListSectionController, index: Int) {
        guard let handle = store.handle(of: controller), index >= 0 else { return }
        if update != nil || index < store.map.itemCount(of: handle) {
            set(isSelected, index, of: handle)
            store.gate.reportActivity()
        } else if store.gate.isCalling {
            if late.isEmpty || !store.gate.hasWork { store.gate.enqueue { [weak self] in self?.selectLate() } }
            late.append(LateSelection(controller: controller, index: index, isSelected: isSelected))
            store.gate.reportActivity()
        }
    }

    private func selectLate() {
        let waiting = late
        late = []
        for late in waiting { setSelected(late.isSelected, controller: late.controller, index: late.index) }
    }

    private func isSelected(_ item: Int, of handle: SectionHandle) -> Bool {
        update?.selects(item, of: handle) ?? selection.contains(item, of: handle)
    }

    /// Selects an item by the list's index, or by the one that the item has after the update that is presented.
    private func set(_ isSelected: Bool, _ item: Int, of handle: SectionHandle) {
        if let update {
            update.select(PendingSelection(handle: handle, item: item, isSelected: isSelected))
            return
        }
        guard selection.set(isSelected, item, of: handle), let object = store.map.object(of: handle) else { return }
        let place = [SelectedItem(objectID: object.id, item: item)]
        events.append(
            .selection(
                SelectionChange(
                    revision: environment.revision, selected: isSelected ? place : [],
                    deselected: isSelected ? [] : place)))
    }

    // MARK: Updates

    /// An update is presented from here on.
    func beginUpdate(_ new: SectionUpdate) { update = new }

    /// The update is over.
    func endUpdate() { update = nil }

    /// Follows items to their new indexes; answers what was selected.
    func follow(_ effects: UpdateEffects) -> Selection {
        let changed =
            effects.asksAnew
            ? Set(selection.sections)
            : effects.changed.union(effects.changes.deletes.compactMap { store.map.knownOldHandle(at: $0) })
        defer { selection.follow(effects.keptForwarding, changed, store.map) }
        return selection
    }

    /// Selects what was asked for during the update; answers what has changed, in one event.
    ///
    /// - Parameters:
    ///   - before: what was selected before the selection followed its items.
    ///   - replaced: sections that are announced as deleted and inserted.
    func finishUpdate(since before: Selection, replaced: Set<SectionHandle> = []) -> [AdapterEvent] {
        let followed = selection
        selection.apply(update?.selections ?? [], store.map)
        update?.removeSelections()
        guard let change = selection.change(since: before, following: followed, replaced: replaced, store.map)
        else { return [] }
        return [
            .selection(
                SelectionChange(
                    revision: environment.revision, selected: change.selected, deselected: change.deselected))
        ]
    }

    /// Selects what was selected elsewhere: nobody is asked or told, and there is no event. Items that are not there any more
    /// are left out.
    func resume(_ items: [SelectedItem]) {
        for item in items {
            guard let handle = try? handle(ofItem: item.item, of: item.objectID) else { continue }
            selection.set(true, item.item, of: handle)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Changes the selection and makes its events: section controllers are asked about changes of viewers, and make their own
/// without being asked.
final class SelectionCoordinator {
    private let environment: ViewEnvironment
    private(set) var selection = Selection()
    /// The update in progress: selections are applied at its end, when the items have their final indexes.
    private var update: SectionUpdate?
    /// Selections of callbacks, which are applied right after them.
    private var late: [LateSelection] = []

    /// A selection or deselection of an item that may not be in the list yet.
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

    /// Selects an item for a viewer; returns whether it is selected now.
    func select(_ item: Int, of handle: SectionHandle) -> Bool {
        if !isSelected(item, of: handle), store.askSelection(of: handle, item: item, selects: true) {
            set(true, item, of: handle)
            store.tellSelection(of: handle, item: item, .select)
            if environment.options.deselectsAutomatically { set(false, item, of: handle) }
        }
        return isSelected(item, of: handle)
    }

    /// Deselects an item for a viewer; returns whether it is not selected now.
    func deselect(_ item: Int, of handle: SectionHandle) -> Bool {
        if isSelected(item, of: handle), store.askSelection(of: handle, item: item, selects: false) {
            set(false, item, of: handle)
            store.tellSelection(of: handle, item: item, .deselect)
        }
        return !isSelected(item, of: handle)
    }

    /// Deselects items and then selects others for a viewer, in one event.
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

    /// Joins the selection events since `mark` into one, without items that were selected and deselected again.
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

    /// Selects or deselects an item for its section controller.
    ///
    /// During an update the index is that after it. In any other callback the section may have items that the list has not
    /// counted yet, so the selection is applied right after the callback.
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

    /// Selects an item by its present index, or during an update by its index after it.
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

    /// Begins an update.
    func beginUpdate(_ new: SectionUpdate) { update = new }

    /// Ends the update.
    func endUpdate() { update = nil }

    /// Moves the selection to the items' new indexes; returns the selection before.
    func follow(_ effects: UpdateEffects) -> Selection {
        let changed =
            effects.asksAnew
            ? Set(selection.sections)
            : effects.changed.union(effects.changes.deletes.compactMap { store.map.knownOldHandle(at: $0) })
        defer { selection.follow(effects.keptForwarding, changed, store.map) }
        return selection
    }

    /// Applies the selections of the update; returns the change of the selection, in one event.
    ///
    /// - Parameters:
    ///   - before: the selection before it moved with its items.
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

    /// Restores the selection of another presentation, without calls of section controllers and without an event. Items that are
    /// gone are left out.
    func resume(_ items: [SelectedItem]) {
        for item in items {
            guard let handle = try? handle(ofItem: item.item, of: item.objectID) else { continue }
            selection.set(true, item.item, of: handle)
        }
    }
}

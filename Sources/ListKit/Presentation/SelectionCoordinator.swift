// SPDX-License-Identifier: Apache-2.0

/// The coordinator of a list's selection, which applies changes and queues their events.
///
/// Section controllers are asked before a viewer changes the selection. Changes by section controllers themselves are
/// applied without asking.
final class SelectionCoordinator {
    private let environment: ViewEnvironment
    private(set) var selection = Selection()
    /// The update in progress. Selections are applied at its end, when the items have their final indexes.
    private var update: SectionUpdate?
    /// The selections that callbacks made for items that are not counted yet. They are applied after the callback.
    private var deferred: [DeferredSelection] = []

    /// A selection or deselection of an item that may not be counted yet.
    private struct DeferredSelection {
        let controller: ListSectionController
        let index: Int
        let isSelected: Bool
    }

    init(_ environment: ViewEnvironment) { self.environment = environment }

    private var store: SectionStore { environment.store }
    private var events: EventQueue { environment.store.events }

    // MARK: Viewers

    /// Returns the section of the object with an identifier, which must have the given item.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    func handle(ofItem item: Int, of id: String) throws(ListError) -> SectionHandle {
        guard let handle = store.map.handle(forID: id) else {
            throw ListError(.noSuchObject, "id: there is no object \(id.quoted)")
        }
        guard (0..<store.map.itemCount(of: handle)).contains(item) else {
            throw ListError(.noSuchItem, "item: the object \(id.quoted) has no item \(item)")
        }
        return handle
    }

    /// Selects an item for a viewer, if the section controller allows the selection.
    ///
    /// - Returns: whether the item is selected afterwards.
    func select(_ item: Int, of handle: SectionHandle) -> Bool {
        if !isSelected(item, of: handle), store.askSelection(of: handle, item: item, selects: true) {
            setSelected(true, item: item, of: handle)
            store.notifySelection(of: handle, item: item, .select)
            if environment.options.deselectsAutomatically { setSelected(false, item: item, of: handle) }
        }
        return isSelected(item, of: handle)
    }

    /// Deselects an item for a viewer, if the section controller allows the deselection.
    ///
    /// - Returns: whether the item is deselected afterwards.
    func deselect(_ item: Int, of handle: SectionHandle) -> Bool {
        if isSelected(item, of: handle), store.askSelection(of: handle, item: item, selects: false) {
            setSelected(false, item: item, of: handle)
            store.notifySelection(of: handle, item: item, .deselect)
        }
        return !isSelected(item, of: handle)
    }

    /// Deselects items and then selects other items for a viewer, in one event.
    ///
    /// - Returns: the items of `select` that are selected afterwards, and the items of `deselect` that are
    ///   deselected afterwards.
    /// - Throws: `noSuchObject`, `noSuchItem`. In this case the selection does not change.
    func changeSelection(
        select: [SelectedItem], deselect: [SelectedItem]
    ) throws(ListError) -> (selected: [SelectedItem], deselected: [SelectedItem]) {
        var leaving: [SectionHandle] = []
        var coming: [SectionHandle] = []
        for item in deselect { leaving.append(try handle(ofItem: item.item, of: item.objectID)) }
        for item in select { coming.append(try handle(ofItem: item.item, of: item.objectID)) }
        let mark = events.count
        for (item, handle) in zip(deselect, leaving) { _ = self.deselect(item.item, of: handle) }
        for (item, handle) in zip(select, coming) { _ = self.select(item.item, of: handle) }
        mergeEvents(since: mark)
        return (
            zip(select, coming).filter { isSelected($0.item, of: $1) }.map(\.0),
            zip(deselect, leaving).filter { !isSelected($0.item, of: $1) }.map(\.0)
        )
    }

    /// Merges the selection events from index `mark` on into one event. Leaves out items whose selection is the same
    /// before and after all these events.
    private func mergeEvents(since mark: Int) {
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
        func items(thatAreSelected isSelected: Bool) -> [SelectedItem] {
            changed.filter { $0.2 == isSelected }.map { SelectedItem(objectID: $0.1.id.text, item: $0.1.index) }
        }
        let merged = SelectionChange(
            revision: environment.revision, selected: items(thatAreSelected: true),
            deselected: items(thatAreSelected: false))
        events.replace(since: mark, with: (changed.isEmpty ? [] : [.selection(merged)]) + others)
    }

    // MARK: Section controllers

    /// Selects or deselects an item for its section controller.
    ///
    /// During an update, `index` is the index after the update. In other callbacks, the item may be one that the
    /// list has not counted yet; then the selection is applied directly after the callback.
    func setSelected(_ isSelected: Bool, controller: ListSectionController, index: Int) {
        guard let handle = store.handle(of: controller), index >= 0 else { return }
        if update != nil || index < store.map.itemCount(of: handle) {
            setSelected(isSelected, item: index, of: handle)
            store.gate.reportActivity()
        } else if store.gate.isCalling {
            if deferred.isEmpty || !store.gate.hasWork {
                store.gate.enqueue { [weak self] in self?.applyDeferredSelections() }
            }
            deferred.append(DeferredSelection(controller: controller, index: index, isSelected: isSelected))
            store.gate.reportActivity()
        }
    }

    private func applyDeferredSelections() {
        let selections = deferred
        deferred = []
        for selection in selections {
            setSelected(selection.isSelected, controller: selection.controller, index: selection.index)
        }
    }

    private func isSelected(_ item: Int, of handle: SectionHandle) -> Bool {
        update?.selectionAfterUpdate(ofItem: item, of: handle) ?? selection.contains(item, of: handle)
    }

    /// Selects or deselects an item by its current index; during an update, by its index after the update.
    private func setSelected(_ isSelected: Bool, item: Int, of handle: SectionHandle) {
        if let update {
            update.addSelection(PendingSelection(handle: handle, item: item, isSelected: isSelected))
            return
        }
        guard selection.setSelected(isSelected, at: item, of: handle), let object = store.map.object(of: handle) else {
            return
        }
        let place = [SelectedItem(objectID: object.id, item: item)]
        events.append(
            .selection(
                SelectionChange(
                    revision: environment.revision, selected: isSelected ? place : [],
                    deselected: isSelected ? [] : place)))
    }

    // MARK: Updates

    /// Begins an update, during which selections are recorded in the update.
    func beginUpdate(_ new: SectionUpdate) { update = new }

    /// Ends the update, after which selections are applied at once again.
    func endUpdate() { update = nil }

    /// Whether any item is selected, or was selected or deselected in the update.
    var isUpdateNeeded: Bool { !selection.sections.isEmpty || update?.selections.isEmpty == false }

    /// Moves the selection to the new indexes of its items.
    ///
    /// - Returns: the selection before the move.
    func moveSelection(with effects: UpdateEffects) -> Selection {
        let changed =
            effects.asksAnew
            ? Set(selection.sections)
            : effects.changed.union(effects.change.removed.compactMap { store.map.existingOldHandle(at: $0.old) })
        defer { selection.move(by: effects.stateForwarding, changed, store.map) }
        return selection
    }

    /// Applies the selections that the update recorded.
    ///
    /// - Parameters:
    ///   - before: the selection before the update, which ``moveSelection(with:)`` returned.
    ///   - replaced: the sections that are announced as deleted and inserted.
    /// - Returns: the change of the selection in one event; empty if nothing changed.
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

    /// Restores the selection of another presentation, without calls of section controllers and without an event.
    ///
    /// Items that no longer exist are left out.
    func restore(_ items: [SelectedItem]) {
        for item in items {
            guard let handle = try? handle(ofItem: item.item, of: item.objectID) else { continue }
            selection.setSelected(true, at: item.item, of: handle)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// A viewer selects an item: the section controller is asked first, then told.
    ///
    /// - Returns: whether it is selected now.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func selectItem(_ item: Int, ofObject id: String) throws(ListError) -> (
        selected: Bool, events: [AdapterEvent]
    ) {
        let isSelected = select(item, of: try handle(ofItem: item, of: id))
        return (isSelected, settled())
    }

    /// Answers whether it is selected now.
    private func select(_ item: Int, of handle: SectionHandle) -> Bool {
        if !isSelected(item, of: handle), ask(handle, item, { $0.shouldSelectItem(at: $1) }) {
            note(item, of: handle, selected: true)
            tell(handle, item) { $0.didSelectItem(at: $1) }
            if configuration.deselectsAutomatically { note(item, of: handle, selected: false) }
        }
        return isSelected(item, of: handle)
    }

    /// A viewer deselects an item: the section controller is asked first, then told.
    ///
    /// - Returns: whether it is not selected now.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func deselectItem(
        _ item: Int, ofObject id: String
    ) throws(ListError) -> (deselected: Bool, events: [AdapterEvent]) {
        let isDeselected = deselect(item, of: try handle(ofItem: item, of: id))
        return (isDeselected, settled())
    }

    /// Answers whether it is not selected now.
    private func deselect(_ item: Int, of handle: SectionHandle) -> Bool {
        if isSelected(item, of: handle), ask(handle, item, { $0.shouldDeselectItem(at: $1) }) {
            note(item, of: handle, selected: false)
            tell(handle, item) { $0.didDeselectItem(at: $1) }
        }
        return !isSelected(item, of: handle)
    }

    /// A viewer deselects items, then selects others: the section controllers are asked and told about each, and the change
    /// is one event.
    ///
    /// - Returns: those of `select` that are selected then, and those of `deselect` that are not.
    /// - Throws: `noSuchObject`, `noSuchItem`; nothing changes then.
    /// - Complexity: O(log n) for each item.
    @_spi(Daemon) public func changeSelection(
        select: [SelectedItem], deselect: [SelectedItem]
    ) throws(ListError) -> (selected: [SelectedItem], deselected: [SelectedItem], events: [AdapterEvent]) {
        var leaving: [SectionHandle] = []
        var coming: [SectionHandle] = []
        for item in deselect { leaving.append(try handle(ofItem: item.item, of: item.objectID)) }
        for item in select { coming.append(try handle(ofItem: item.item, of: item.objectID)) }
        let mark = pendingEvents.count
        for (item, handle) in zip(deselect, leaving) { _ = self.deselect(item.item, of: handle) }
        for (item, handle) in zip(select, coming) { _ = self.select(item.item, of: handle) }
        joinSelectionEvents(since: mark)
        let selected = zip(select, coming).filter { isSelected($0.item, of: $1) }.map(\.0)
        let deselected = zip(deselect, leaving).filter { !isSelected($0.item, of: $1) }.map(\.0)
        return (selected, deselected, settled())
    }

    /// Makes one event of those that say what was selected since `mark`; what was selected and deselected again is left out.
    private func joinSelectionEvents(since mark: Int) {
        struct Item: Hashable {
            let id: ExactText
            let index: Int
        }
        var first: [Item: Bool] = [:]
        var last: [Item: Bool] = [:]
        for case .selection(let change) in pendingEvents[mark...] {
            for (items, isSelected) in [(change.selected, true), (change.deselected, false)] {
                for item in items {
                    let key = Item(id: ExactText(item.objectID), index: item.item)
                    if first[key] == nil { first[key] = isSelected }
                    last[key] = isSelected
                }
            }
        }
        guard last.count > 0 else { return }
        let others = pendingEvents[mark...].filter { if case .selection = $0 { false } else { true } }
        let changed = last.compactMap { key, isSelected in
            first[key] != isSelected ? nil : (section(forID: key.id.text) ?? 0, key, isSelected)
        }.sorted { ($0.0, $0.1.index) < ($1.0, $1.1.index) }
        func items(_ selected: Bool) -> [SelectedItem] {
            changed.filter { $0.2 == selected }.map { SelectedItem(objectID: $0.1.id.text, item: $0.1.index) }
        }
        let joined = SelectionChange(revision: revision, selected: items(true), deselected: items(false))
        pendingEvents.replaceSubrange(mark..., with: (changed.isEmpty ? [] : [.selection(joined)]) + others)
    }

    /// A finger or a pointer is down on an item, or no longer.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func setHighlighted(_ isHighlighted: Bool, item: Int, ofObject id: String) throws(ListError)
        -> [AdapterEvent]
    {
        let handle = try handle(ofItem: item, of: id)
        tell(handle, item) { isHighlighted ? $0.didHighlightItem(at: $1) : $0.didUnhighlightItem(at: $1) }
        return settled()
    }

    /// A section controller selects or deselects an item of its own.
    ///
    /// While an update is applied the index is the one that the item has afterwards. Any other callback may be about a
    /// section that the list does not know the items of yet: the selection comes right after it.
    func setSelected(_ isSelected: Bool, controller: ListSectionController, index: Int) {
        guard let handle = handle(of: controller), index >= 0 else { return }
        if movesItems || index < sections.itemCount(of: handle) {
            note(index, of: handle, selected: isSelected)
            noteActivity()
        } else if depth > 0 {
            if lateSelections.isEmpty || deferred.isEmpty { deferred.append { [weak self] in self?.selectLate() } }
            lateSelections.append(LateSelection(controller: controller, index: index, isSelected: isSelected))
            noteActivity()
        }
    }

    private func selectLate() {
        let late = lateSelections
        lateSelections = []
        for late in late { setSelected(late.isSelected, controller: late.controller, index: late.index) }
    }

    private func isSelected(_ item: Int, of handle: SectionHandle) -> Bool {
        application?.selections.last { $0.handle == handle && $0.item == item }?.isSelected
            ?? selection.contains(item, of: handle)
    }

    /// Notes a selection, by the list's index, or by the one that the item has after the update that is being applied.
    func note(_ item: Int, of handle: SectionHandle, selected: Bool) {
        if movesItems {
            application?.selections.append(WaitingSelection(handle: handle, item: item, isSelected: selected))
            return
        }
        let hasChanged = selected ? selection.insert(item, of: handle) : selection.remove(item, of: handle)
        guard hasChanged, let object = sections.object(of: handle) else { return }
        let place = SelectedItem(objectID: object.id, item: item)
        pendingEvents.append(
            .selection(
                SelectionChange(
                    revision: revision, selected: selected ? [place] : [], deselected: selected ? [] : [place])))
    }

    func handle(ofItem item: Int, of id: String) throws(ListError) -> SectionHandle {
        guard let handle = sections.handle(forID: id) else {
            throw ListError(.noSuchObject, "id: no object \(id.quoted)")
        }
        guard (0..<sections.itemCount(of: handle)).contains(item) else {
            throw ListError(.noSuchItem, "item: \(id.quoted) has no item \(item)")
        }
        return handle
    }

    private func ask(
        _ handle: SectionHandle, _ item: Int, _ question: (ListSectionController, Int) -> Bool
    ) -> Bool {
        guard let controller = controller(of: handle) else { return false }
        return call(.selection, handle) { question(controller, item) }
    }

    private func tell(_ handle: SectionHandle, _ item: Int, _ message: (ListSectionController, Int) -> Void) {
        guard let controller = controller(of: handle) else { return }
        call(.selection, handle) { message(controller, item) }
    }
}

/// An item that was selected or deselected from a callback before the list knew of it.
struct LateSelection {
    let controller: ListSectionController
    let index: Int
    let isSelected: Bool
}

extension ListAdapter {
    /// A viewer selects an item: the section controller is asked first, then told.
    ///
    /// - Returns: whether it is selected now.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func selectItem(_ item: Int, ofObject id: String) throws(ListError) -> (
        selected: Bool, events: [AdapterEvent]
    ) {
        let handle = try handle(ofItem: item, of: id)
        if !selection.contains(item, of: handle), ask(handle, { $0.shouldSelectItem(at: item) }) {
            note(item, of: handle, selected: true)
            tell(handle) { $0.didSelectItem(at: item) }
            if configuration.deselectsAutomatically { note(item, of: handle, selected: false) }
        }
        let isSelected = selection.contains(item, of: handle)
        return (isSelected, settled())
    }

    /// A viewer deselects an item: the section controller is asked first, then told.
    ///
    /// - Returns: whether it is not selected now.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func deselectItem(
        _ item: Int, ofObject id: String
    ) throws(ListError) -> (deselected: Bool, events: [AdapterEvent]) {
        let handle = try handle(ofItem: item, of: id)
        if selection.contains(item, of: handle), ask(handle, { $0.shouldDeselectItem(at: item) }) {
            note(item, of: handle, selected: false)
            tell(handle) { $0.didDeselectItem(at: item) }
        }
        let isDeselected = !selection.contains(item, of: handle)
        return (isDeselected, settled())
    }

    /// A finger or a pointer is down on an item, or no longer.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func setHighlighted(_ isHighlighted: Bool, item: Int, ofObject id: String) throws(ListError)
        -> [AdapterEvent]
    {
        let handle = try handle(ofItem: item, of: id)
        tell(handle) { isHighlighted ? $0.didHighlightItem(at: item) : $0.didUnhighlightItem(at: item) }
        return settled()
    }

    /// A section controller selects or deselects an item of its own.
    func setSelected(_ isSelected: Bool, controller: ListSectionController, index: Int) {
        guard let handle = handle(of: controller), (0..<sections.itemCount(of: handle)).contains(index) else { return }
        note(index, of: handle, selected: isSelected)
        noteActivity()
    }

    private func note(_ item: Int, of handle: SectionHandle, selected: Bool) {
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
            throw ListError(.noSuchObject, "id: no object \(id.debugDescription)")
        }
        guard (0..<sections.itemCount(of: handle)).contains(item) else {
            throw ListError(.noSuchItem, "item: \(id.debugDescription) has no item \(item)")
        }
        return handle
    }

    private func ask(_ handle: SectionHandle, _ question: (ListSectionController) -> Bool) -> Bool {
        guard let controller = controller(of: handle) else { return false }
        return call(.selection, handle) { question(controller) }
    }

    private func tell(_ handle: SectionHandle, _ message: (ListSectionController) -> Void) {
        guard let controller = controller(of: handle) else { return }
        call(.selection, handle) { message(controller) }
    }
}

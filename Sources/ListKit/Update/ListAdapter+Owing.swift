// A transaction that cannot be stored does not happen, but the section controllers whose item updates it was to announce have
// changed their items. Until the list has followed, they are asked by the indexes that they know.

extension ListAdapter {
    /// Keeps the item updates of a flush that was refused.
    func keepItemUpdates(of flush: Flush) {
        guard var owed = application else {
            if carried != nil { retryLater() }
            guard !flush.itemUpdates.isEmpty else { return }
            queue.insert(contentsOf: flush.itemUpdates.map { .itemUpdate($0) }, at: 0)
            return requestFlush(now: nil)
        }
        application = nil
        var finished = owed.finished.makeIterator()
        var completions: [(finished: Bool, call: (Bool) -> Void)] = []
        for case .itemUpdate(let update) in flush.work {
            let isFinished = finished.next() == true
            if let completion = update.completion { completions.append((isFinished, completion)) }
        }
        owed.completions = completions + owed.completions
        owed.finished = []
        carried = owed
        retryLater()
    }

    private func retryLater() {
        coalescer.refuse(now: now)
        scheduleFlush()
    }

    /// Where the controller of a section has the items that the list knows; `nil` for one that it has let go.
    ///
    /// - Complexity: O(changes) while the list owes changes of the section's items; each answer O(log changes).
    func ownIndexes(of handle: SectionHandle) -> (Int) -> Int? {
        guard let owed, owed.changes(itemsOf: handle) else { return { $0 } }
        // A section that is reloaded has other items than those changes tell.
        if !owed.reloads.contains(handle), let changes = owed.itemChanges[handle] {
            return changes.forwarding().callAsFunction
        }
        let count = askItemCount(of: handle)
        return { $0 < count ? $0 : nil }
    }

    /// Where the list has an item of a section's controller; `nil` for one that it does not have yet.
    func listIndex(of index: Int, in handle: SectionHandle) -> Int? {
        guard let owed, owed.changes(itemsOf: handle) else { return index }
        let place = owed.itemChanges[handle].map { $0.backward()(index) } ?? index
        return place.flatMap { $0 < sections.itemCount(of: handle) ? $0 : nil }
    }

    /// Whether the items of a section have changed and the list has not followed.
    func owesItems(of handle: SectionHandle) -> Bool { owed?.changes(itemsOf: handle) == true }

    /// Selects an item by the controller's index, or leaves that for when the list has the item.
    func setSelected(_ isSelected: Bool, owedItem index: Int, of handle: SectionHandle) {
        if let place = listIndex(of: index, in: handle) { return note(place, of: handle, selected: isSelected) }
        forgetSelection(ofOwedItem: index, of: handle)
        owed?.selections.append(WaitingSelection(handle: handle, item: index, isSelected: isSelected))
    }

    /// Forgets that an item, by the controller's index, was to be selected when the list has followed.
    func forgetSelection(ofOwedItem index: Int, of handle: SectionHandle) {
        owed?.selections.removeAll { $0.handle == handle && $0.item == index }
    }

    /// What has run and the list has not followed: its transaction is being stored, or was refused.
    private var owed: Application? {
        get { isBeingStored ? application : carried }
        set { if isBeingStored { application = newValue } else { carried = newValue } }
    }

    private var isBeingStored: Bool {
        if application != nil, case .prepared = flush { true } else { false }
    }
}

extension Application {
    /// Whether a section's controller may have other items than the list.
    fileprivate func changes(itemsOf handle: SectionHandle) -> Bool {
        reloads.contains(handle) || itemChanges[handle]?.isEmpty == false
    }
}

extension ListItem {
    /// What is shown of an item that its controller has let go, until the list has followed.
    ///
    /// The controller is not told that it comes on the screen, nor that it goes, for it has no such item.
    static var gone: ListItem { ListItem(reuseIdentifier: "") }
}

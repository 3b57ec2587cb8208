// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// Runs item updates; what they say is collected in `application`.
    func runItemUpdates(_ updates: [ItemUpdate]) {
        if application == nil { application = Application() }
        for update in updates {
            let isPresent = run(update)
            application?.finished.append(isPresent)
        }
    }

    /// Runs an item update from inside of another callback: after everything that was said so far.
    func runInside(_ update: ItemUpdate) {
        for collector in application?.running ?? [] { collect(collector) }
        let isPresent = run(update)
        let selections = application?.selections.count ?? 0
        for collector in application?.running ?? [] { collector.selectionsBefore = selections }
        if let completion = update.completion { application?.completions.append((isPresent, completion)) }
    }

    /// Runs one item update and whatever it asks for itself; answers whether its section is in the list.
    private func run(_ update: ItemUpdate) -> Bool {
        let handle = handle(of: update.controller)
        let collector = ItemUpdatesCollector(selectionsBefore: application?.selections.count ?? 0)
        application?.running.append(collector)
        var context = ListBatchContext(adapter: self, controller: update.controller, collector: collector)
        call(.batch, handle ?? .none) { update.updates(&context) }
        application?.running.removeLast()
        collect(collector)
        // A section that the same flush removes still has its handle.
        return handle.flatMap { sections.position(of: $0) } != nil
    }

    /// Adds what an item update said since the last time.
    private func collect(_ collector: ItemUpdatesCollector) {
        for (handle, changes) in collector.take() {
            collect(changes, of: handle, after: collector.selectionsBefore)
        }
    }

    /// Adds what an item update said about a section.
    ///
    /// - Parameter selections: how many selections were asked for before that.
    func collect(_ said: CollectedItemChanges, of handle: SectionHandle, after selections: Int) {
        if application?.updating?.handle == handle {
            application?.updating?.said.append(said)
            return
        }
        guard sections.position(of: handle) != nil else { return }
        if said.reloadsSection || said.hasItemChanges { application?.uncounted.insert(handle) }
        guard let old = sections.oldPosition(of: handle) else { return }
        let isUnnoticed = application?.isUnnoticed(old) == true
        if said.reloadsSection, !isUnnoticed { application?.reloads.insert(handle) }
        if said.invalidatesLayout { application?.invalidated.insert(handle) }
        // What is reloaded is asked for anew: its items may have been others than the list knew when they changed.
        let isReloaded = application.map { $0.reloadsAll || $0.reloads.contains(handle) || isUnnoticed } ?? true
        guard !isReloaded else { return }
        let before = sections.oldItemCount(of: handle)
        let earlier = application?.itemChanges[handle] ?? ListItemChanges(updates: [])
        let count = earlier.count(after: before)
        application?.resize(said.resizes, of: handle, itemCount: count)
        guard said.hasItemChanges else { return }
        guard let changes = ListItemChanges(said, itemCount: count) else {
            fault(handle, "an item update with indexes out of range")
            application?.reloads.insert(handle)
            return
        }
        application?.itemChanges[handle] = earlier.followed(by: changes, itemCount: before)
        application?.moveResizes(of: handle, by: changes)
        application?.moveSelections(first: selections, of: handle, by: changes)
    }

    /// Adds what a controller found out about its items itself.
    ///
    /// - Parameter selections: how many selections were asked for before that.
    func collect(_ changes: ListItemChanges, of handle: SectionHandle, after selections: Int) {
        let before = sections.oldItemCount(of: handle)
        guard application?.reloads.contains(handle) != true,
            let all = changes.following(application?.itemChanges[handle], itemCount: before)
        else {
            application?.reloads.insert(handle)
            return
        }
        application?.itemChanges[handle] = all
        application?.moveResizes(of: handle, by: changes)
        application?.moveSelections(first: selections, of: handle, by: changes)
    }

    /// Notes where items went of a section that is reloaded as a whole; what does not fit is left out.
    func follow(_ changes: ListItemChanges, of handle: SectionHandle) {
        let before = sections.oldItemCount(of: handle)
        if let all = changes.following(application?.followed[handle], itemCount: before) {
            application?.followed[handle] = all
        }
    }

    /// The same of what an item update said.
    func follow(_ said: CollectedItemChanges, of handle: SectionHandle) {
        let earlier = application?.followed[handle] ?? ListItemChanges(updates: [])
        let count = earlier.count(after: sections.oldItemCount(of: handle))
        if said.hasItemChanges, let changes = ListItemChanges(said, itemCount: count) { follow(changes, of: handle) }
    }
}

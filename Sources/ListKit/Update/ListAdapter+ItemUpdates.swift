extension ListAdapter {
    /// Runs item updates; what they say is collected in `application`.
    func runItemUpdates(_ updates: [ItemUpdate]) {
        if application == nil { application = carried ?? Application() }
        carried = nil
        for update in updates { run(update) }
    }

    /// Runs one item update and whatever it asks for itself.
    func run(_ update: ItemUpdate) {
        let isPresent = handle(of: update.controller) != nil
        application?.nesting += 1
        depth += 1
        var context = ListBatchContext(adapter: self, controller: update.controller)
        update.updates(&context)
        depth -= 1
        application?.nesting -= 1
        for (handle, changes) in context.collector.changes { collect(changes, of: handle) }
        if let completion = update.completion { application?.completions.append((isPresent, completion)) }
    }

    /// Adds what an item update said about a section.
    private func collect(_ said: CollectedItemChanges, of handle: SectionHandle) {
        if said.reloadsSection { application?.reloads.insert(handle) }
        if said.invalidatesLayout { application?.invalidated.insert(handle) }
        guard said.hasItemChanges else { return }
        let before = sections.oldItemCount(of: handle)
        let earlier = application?.itemChanges[handle] ?? ListItemChanges(updates: [])
        guard let changes = ListItemChanges(said, itemCount: earlier.count(after: before)) else {
            fault(handle, "an item update with indexes out of range")
            application?.reloads.insert(handle)
            return
        }
        application?.itemChanges[handle] = earlier.followed(by: changes, itemCount: before)
    }

    /// Adds what a controller found out about its items itself.
    func collect(_ changes: ListItemChanges, of handle: SectionHandle) {
        let earlier = application?.itemChanges[handle] ?? ListItemChanges(updates: [])
        application?.itemChanges[handle] = earlier.followed(by: changes, itemCount: sections.oldItemCount(of: handle))
    }
}

// SPDX-License-Identifier: Apache-2.0

/// One update of a list, from the first section controller that is called for it to the last.
///
/// Controllers receive their objects, item updates run, an ``ItemChangeCollector`` collects the changes of items, and
/// sections whose items changed are counted again. Section controllers may call back at any time: it is a class, of which
/// nothing is accessed exclusively during a call.
final class SectionUpdate {
    private let store: SectionStore
    private(set) var collector = ItemChangeCollector()
    /// Released controllers of displayed sections, kept until their display has ended.
    private(set) var replaced: [SectionHandle: ListSectionController] = [:]
    /// For each item update of the queue that ran, whether its section was in the list.
    private(set) var results: [Bool] = []
    /// The completions of nested item updates, called after the update and after those of the queue.
    private(set) var completions: [(finished: Bool, call: (Bool) -> Void)] = []
    /// Selections and deselections during the update, in order.
    private(set) var selections: [PendingSelection] = []
    /// Whether item updates still run with this update; later ones wait for the next.
    private var isCollecting = true
    /// The section whose controller is receiving its object, and the item changes that it records during that call, which
    /// may turn out to be without effect.
    private var updating: (handle: SectionHandle, recorded: [RecordedItemChanges])?
    /// The records of the item updates that are running, the outermost first.
    private var running: [ItemUpdateRecorder] = []
    /// The items before a reload of everything, of sections with state that is kept by the index of an item.
    private var itemsBefore: [SectionHandle: [ListItem]] = [:]

    /// The most levels of nested item updates; deeper ones wait for the next update.
    private static let maximumNesting = 32

    /// How often sections are counted that change while they are counted.
    private static let maximumCounts = 8

    init(_ store: SectionStore) { self.store = store }

    private var map: SectionMap { store.map }

    // MARK: Applying

    /// Applies an update and calls the section controllers. Afterwards both states of the sections can be read.
    ///
    /// - Parameters:
    ///   - updates: the item updates that run with it.
    ///   - counts: how many items the inserted sections have, where that is known without their controllers.
    func apply(_ update: ObjectUpdate, _ updates: [ItemUpdate], itemCounts counts: [Int?]) {
        let forced = update.forced.flatMap { $0.range.compactMap { map.handle(at: $0) } }
        let moved = update.itemMove.flatMap { map.handle(at: $0.from.section) }
        map.apply(update.changes, itemCounts: counts.map { $0 ?? 0 })
        let unsettled = zip(update.changes.inserts, counts).compactMap { $1 == nil ? $0.new : nil }
        if update.rebuildsControllers {
            // Their controllers still belong to the objects, which keep the state that a block wants kept.
            collector.reloadAll()
            run(updates)
            // All are made when they are counted, in the order of the list.
            rebuildControllers()
        } else {
            updateControllers(update, forced: Set(forced), inserted: unsettled)
            run(updates)
        }
        if let move = update.itemMove, let moved { moveItem(of: moved, from: move.from.item, to: move.to.item) }
        settleItemCounts(update, inserted: unsettled)
        isCollecting = false
    }

    /// Ends collecting: later item updates wait for the next update.
    func finishCollecting() { isCollecting = false }

    /// Releases the controllers that were kept until their display had ended.
    func releaseReplaced() { replaced = [:] }

    /// Keeps a released controller until its display has ended.
    func keepReplaced(_ controller: ListSectionController, of handle: SectionHandle) { replaced[handle] = controller }

    /// Hands new and changed objects to their controllers, in the order of the new list (rule EE-38).
    ///
    /// - Parameter positions: new sections of kinds without traits.
    private func updateControllers(
        _ update: ObjectUpdate, forced: Set<SectionHandle>, inserted positions: [Int]
    ) {
        let touched = forced.union(noticedUpdates(of: update.changes))
        let inserted = positions.compactMap { map.handle(at: $0) }
        let isInserted = Set(inserted)
        for handle in inOrder(touched.union(inserted)) {
            let wasAtFault = store.fault(of: handle) != nil
            store.clearFault(of: handle)
            if isInserted.contains(handle) {
                _ = store.controller(of: handle)
            } else {
                showChanged(handle, isForced: wasAtFault || forced.contains(handle))
            }
        }
    }

    private func rebuildControllers() {
        for handle in collector.itemChanges.keys { keepItemChanges(of: handle) }
        for handle in store.sectionsWithKeptItems {
            itemsBefore[handle] = store.identifiedItems(of: handle, map.oldObject(of: handle))
        }
        for handle in store.controllers.keys.sorted() { store.replaceController(of: handle) }
        store.clearFaults()
    }

    /// Limits the item changes of a section that is reloaded as a whole to moving state that is kept by item.
    private func keepItemChanges(of handle: SectionHandle) {
        guard let changes = collector.removeItemChanges(of: handle) else { return }
        collector.follow(changes, of: handle, itemCount: map.oldItemCount(of: handle))
    }

    /// Hands a changed or reloaded object to its controller and records how its items changed.
    private func showChanged(_ handle: SectionHandle, isForced: Bool) {
        guard let new = map.object(of: handle), let old = map.oldObject(of: handle) else { return }
        if new.objectType !== old.objectType {
            store.replaceController(of: handle)
            collector.reload(handle)
            return
        }
        if isForced { collector.reload(handle) }
        updating = (handle, [])
        let count = selections.count
        let change = change(of: handle, from: old, to: new)
        let recorded = updating?.recorded ?? []
        updating = nil
        if case .reload = change { collector.reload(handle) }
        if isForced, case .items(let changes) = change {
            keepItemChanges(of: handle)
            let itemCount = map.oldItemCount(of: handle)
            for changes in recorded { collector.follow(changes, of: handle, itemCount: itemCount) }
            collector.follow(changes, of: handle, itemCount: itemCount)
        }
        for changes in recorded { add(changes, of: handle, after: count) }
        if !isForced, case .items(let changes) = change { add(changes, of: handle, after: count) }
    }

    private func change(of handle: SectionHandle, from old: ListObject, to new: ListObject) -> ListSectionChange {
        if let controller = store.existingController(of: handle) {
            return store.gate.call(.update, handle, in: store) { controller.update(to: new) }
        }
        guard let viewModels = store.kind(for: new)?.traits?.viewModels else { return .reload }
        let changes = ListItemChanges(
            from: ListItemChanges.unique(viewModels(old)), to: ListItemChanges.unique(viewModels(new)))
        return changes.isEmpty ? .reload : .items(changes)
    }

    private func moveItem(of handle: SectionHandle, from source: Int, to target: Int) {
        guard let controller = store.controller(of: handle) else { return }
        let count = selections.count
        store.gate.call(.move, handle, in: store) { controller.moveItem(from: source, to: target) }
        var changes = ListItemChanges(updates: [])
        changes.moves = [(source, target)]
        add(changes, of: handle, after: count)
    }

    // MARK: Item updates

    /// Runs item updates and collects their changes.
    func run(_ updates: [ItemUpdate]) { for update in updates { results.append(run(update)) } }

    /// Runs an item update at once, inside of another callback and after the changes recorded so far (rule BN-28); returns
    /// false when it has to wait.
    func runInside(_ update: ItemUpdate) -> Bool {
        guard isCollecting, running.count < SectionUpdate.maximumNesting else { return false }
        for recorder in running { add(recorder) }
        let isPresent = run(update)
        for recorder in running { recorder.setSelectionsBefore(selections.count) }
        if let completion = update.completion { completions.append((isPresent, completion)) }
        return true
    }

    /// Runs an item update with those nested in it; returns whether its section is in the list.
    private func run(_ update: ItemUpdate) -> Bool {
        let handle = store.handle(of: update.controller)
        let recorder = ItemUpdateRecorder(selectionsBefore: selections.count)
        running.append(recorder)
        var context = ListBatchContext(store: store, controller: update.controller, recorder: recorder)
        store.gate.call(.batch, handle ?? .none, in: store) { update.updates(&context) }
        running.removeLast()
        add(recorder)
        // A section that the same update removes still has its handle.
        return handle.flatMap { map.position(of: $0) } != nil
    }

    // MARK: Selections

    /// Adds a selection or deselection, by the item's index after the update.
    func select(_ selection: PendingSelection) { selections.append(selection) }

    /// Empties the selections, after they were applied.
    func removeSelections() { selections = [] }

    /// Whether an item will be selected; `nil` when the update has neither selected nor deselected it.
    func selects(_ item: Int, of handle: SectionHandle) -> Bool? {
        selections.last { $0.handle == handle && $0.item == item }?.isSelected
    }

    /// Moves the items of the first selections in a section, because its items moved after them.
    private func moveSelections(first count: Int, of handle: SectionHandle, by changes: ListItemChanges) {
        guard count > 0 else { return }
        let forward = changes.forwarding()
        for index in selections.indices.prefix(count) where selections[index].handle == handle {
            selections[index].move { forward($0) }
        }
    }

    // MARK: Collecting

    /// Adds the records of an item update since the last call.
    private func add(_ recorder: ItemUpdateRecorder) {
        for (handle, changes) in recorder.consume() { add(changes, of: handle, after: recorder.selectionsBefore) }
    }

    /// Adds the records of an item update about a section.
    ///
    /// - Parameter count: how many selections came before the records.
    private func add(_ recorded: RecordedItemChanges, of handle: SectionHandle, after count: Int) {
        if updating?.handle == handle {
            updating?.recorded.append(recorded)
            return
        }
        guard map.position(of: handle) != nil else { return }
        if recorded.reloadsSection || recorded.hasItemChanges { collector.markUncounted(handle) }
        guard let old = map.oldPosition(of: handle) else { return }
        let isUnnoticed = collector.isUnnoticed(old)
        if recorded.reloadsSection, !isUnnoticed { collector.reload(handle) }
        if recorded.invalidatesLayout { collector.invalidate(handle) }
        // A reloaded section is asked again: its items may have differed from the list's before they changed.
        if collector.reloadsAll || collector.reloads.contains(handle) || isUnnoticed { return }
        let before = map.oldItemCount(of: handle)
        let earlier = collector.itemChanges[handle] ?? ListItemChanges(updates: [])
        let itemCount = earlier.count(after: before)
        collector.resize(recorded.resizes, of: handle, itemCount: itemCount)
        guard recorded.hasItemChanges else { return }
        guard let changes = ListItemChanges(recorded, itemCount: itemCount) else {
            store.fault(handle, "an item update with indexes out of range")
            collector.reload(handle)
            return
        }
        collector.setItemChanges(earlier.followed(by: changes, itemCount: before), of: handle, after: changes)
        moveSelections(first: count, of: handle, by: changes)
    }

    /// Adds item changes that a controller found itself, as by a diff.
    ///
    /// - Parameter count: how many selections came before them.
    private func add(_ changes: ListItemChanges, of handle: SectionHandle, after count: Int) {
        let before = map.oldItemCount(of: handle)
        guard !collector.reloads.contains(handle),
            let all = changes.following(collector.itemChanges[handle], itemCount: before)
        else { return collector.reload(handle) }
        collector.setItemChanges(all, of: handle, after: changes)
        moveSelections(first: count, of: handle, by: changes)
    }

    // MARK: Counts

    /// Counts the items of every section whose number may have changed; one that differs from its announced changes is at fault.
    private func settleItemCounts(_ update: ObjectUpdate, inserted positions: [Int]) {
        settleUnnoticed(update.changes)
        var handles = collector.reloads.union(collector.itemChanges.keys)
        handles.formUnion(positions.compactMap { map.handle(at: $0) })
        if update.rebuildsControllers || update.asksAnew { handles.formUnion(recountAll()) }
        for _ in 0..<SectionUpdate.maximumCounts where !handles.isEmpty {
            collector.markAllCounted()
            for handle in inOrder(handles) { settleItemCount(of: handle) }
            handles = collector.uncounted
        }
        collector.markAllCounted()
        for handle in inOrder(handles) {
            store.fault(handle, "its items change whenever they are counted")
            settleItemCount(of: handle)
        }
        for (handle, before) in itemsBefore where store.fault(of: handle) == nil {
            guard let after = store.identifiedItems(of: handle, map.object(of: handle)) else { continue }
            collector.follow(
                ListItemChanges(from: before, to: after), of: handle, itemCount: map.oldItemCount(of: handle))
        }
    }

    /// Sets the number of items of every section from its kind's traits; returns the sections that have to be asked.
    private func recountAll() -> [SectionHandle] {
        var (handles, kinds) = ([SectionHandle](), LastKind())
        for (position, object) in map.objects(in: 0..<map.count).enumerated() {
            if let count = kinds.itemCount(of: object, in: store) {
                map.setItemCount(count, at: position)
            } else {
                map.handle(at: position).map { handles.append($0) }
            }
        }
        return handles
    }

    private func settleItemCount(of handle: SectionHandle) {
        let changes = collector.itemChanges[handle]
        var count = store.askItemCount(of: handle)
        // Item changes that are recorded during the count are handled in the next round.
        if collector.uncounted.contains(handle) { return }
        if let changes, !collector.reloads.contains(handle), store.fault(of: handle) == nil {
            let announced = changes.count(after: map.oldItemCount(of: handle))
            if count != announced {
                store.fault(handle, "announced \(announced) items and has \(count)")
                count = 1
            }
        }
        if store.fault(of: handle) != nil { collector.reload(handle) }
        if collector.reloads.contains(handle) {
            if store.fault(of: handle) == nil {
                keepItemChanges(of: handle)
            } else {
                _ = collector.removeItemChanges(of: handle)
            }
        }
        map.setItemCount(count, of: handle)
    }

    /// Sections that are in the list, in its order.
    private func inOrder(_ handles: Set<SectionHandle>) -> [SectionHandle] {
        let placed = handles.compactMap { handle in map.position(of: handle).map { (position: $0, handle: handle) } }
        return placed.sorted { $0.position < $1.position }.map(\.handle)
    }

    // MARK: Sections without a handle

    /// Divides the changed objects: returns the sections with a handle, and collects the others.
    private func noticedUpdates(of changes: SectionChanges) -> [SectionHandle] {
        var kinds = LastKind()
        var handles: [SectionHandle] = []
        for update in changes.updates {
            if let handle = map.knownOldHandle(at: update.old) {
                handles.append(handle)
            } else if kinds.reloadsUnseen(update.object, in: store) {
                collector.append(UnnoticedUpdate(old: update.old, object: update.object))
            } else if let handle = map.oldHandle(at: update.old) {
                handles.append(handle)
            }
        }
        return handles
    }

    /// Sets the numbers of items of sections without a handle from their traits; those that got a handle in the meantime, or
    /// whose number is invalid, are reloaded as sections with one.
    private func settleUnnoticed(_ changes: SectionChanges) {
        let updates = collector.unnoticed
        guard !updates.isEmpty else { return }
        let positionsStay = changes.deletes.isEmpty && changes.inserts.isEmpty && changes.moves.isEmpty
        var kinds = LastKind()
        var settled: [UnnoticedUpdate] = []
        settled.reserveCapacity(updates.count)
        for var update in updates {
            guard let new = positionsStay ? update.old : map.position(of: update.object),
                let count = kinds.itemCount(of: update.object, in: store), map.knownHandle(at: new) == nil
            else {
                if let handle = map.oldHandle(at: update.old) { collector.reload(handle) }
                continue
            }
            update.new = new
            update.itemCount = count
            update.oldItemCount = map.oldItemCount(at: update.old)
            map.setItemCount(count, at: new)
            settled.append(update)
        }
        collector.setUnnoticed(settled)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// One update of a list, from the first section controller that is told of it to the last.
///
/// Objects are shown to their controllers, item updates run, and what all of them say of their items is put together in a
/// ``ItemChangeCollector``; sections whose items changed are counted again. It calls section controllers, which may call back at
/// any time, and so it is a class: no part of it is in hand during a call.
final class SectionUpdate {
    private let store: SectionStore
    private(set) var collector = ItemChangeCollector()
    /// Controllers of displayed sections that were let go, so that they hear the end of it.
    private(set) var replaced: [SectionHandle: ListSectionController] = [:]
    /// For each item update of the queue that ran, whether its section was in the list.
    private(set) var results: [Bool] = []
    /// Of item updates that others asked for: called when the update is over, after those of the queue.
    private(set) var completions: [(finished: Bool, call: (Bool) -> Void)] = []
    /// What is selected and deselected meanwhile, in order.
    private(set) var selections: [PendingSelection] = []
    /// Whether data is still being applied; afterwards item updates wait for the next update.
    private var isCollecting = true
    /// The section whose controller is being shown its object, and what it records of its items meanwhile: whether that counts
    /// is known when it has seen the object.
    private var updating: (handle: SectionHandle, recorded: [RecordedItemChanges])?
    /// What the item updates that run now record, the outermost first.
    private var running: [ItemUpdateRecorder] = []
    /// The items as they were, of sections of whose items something is kept while everything is reloaded.
    private var itemsBefore: [SectionHandle: [ListItem]] = [:]

    /// How deep item updates may be nested; deeper ones wait for the next update.
    private static let maximumNesting = 32

    /// How often sections are counted that change while they are.
    private static let maximumCounts = 8

    init(_ store: SectionStore) { self.store = store }

    private var map: SectionMap { store.map }

    // MARK: Applying

    /// Shows an update to the section controllers. Afterwards both states of the sections can be read.
    ///
    /// - Parameters:
    ///   - updates: the item updates that run with it.
    ///   - counts: how many items the inserted sections have, as far as that is known without them.
    func apply(_ update: ObjectUpdate, _ updates: [ItemUpdate], itemCounts counts: [Int?]) {
        let forced = update.forced.flatMap { $0.range.compactMap { map.handle(at: $0) } }
        let moved = update.itemMove.flatMap { map.handle(at: $0.from.section) }
        map.apply(update.changes, itemCounts: counts.map { $0 ?? 0 })
        let unsettled = zip(update.changes.inserts, counts).compactMap { $1 == nil ? $0.new : nil }
        if update.rebuildsControllers {
            // Their controllers are still the objects', which keep what a block wants kept.
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

    /// Nothing is applied any more: item updates wait for the next update.
    func finishCollecting() { isCollecting = false }

    /// Lets those controllers go that were kept to hear the end of what they show.
    func releaseReplaced() { replaced = [:] }

    /// Keeps a controller that was let go.
    func keepReplaced(_ controller: ListSectionController, of handle: SectionHandle) { replaced[handle] = controller }

    /// Shows new and changed objects to their controllers, in the order of the new list (rule EE-38).
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

    /// A section is reloaded as a whole: its items' changes only move what is kept by item.
    private func keepItemChanges(of handle: SectionHandle) {
        guard let changes = collector.removeItemChanges(of: handle) else { return }
        collector.follow(changes, of: handle, itemCount: map.oldItemCount(of: handle))
    }

    /// A section whose object changed, or that is to be rebuilt.
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

    /// Runs item updates; what they say is collected.
    func run(_ updates: [ItemUpdate]) { for update in updates { results.append(run(update)) } }

    /// Runs an item update at once, from inside of another callback and after everything that was recorded so far (rule
    /// BN-28); answers false when it has to wait.
    func runInside(_ update: ItemUpdate) -> Bool {
        guard isCollecting, running.count < SectionUpdate.maximumNesting else { return false }
        for recorder in running { add(recorder) }
        let isPresent = run(update)
        for recorder in running { recorder.setSelectionsBefore(selections.count) }
        if let completion = update.completion { completions.append((isPresent, completion)) }
        return true
    }

    /// Runs one item update and whatever it asks for itself; answers whether its section is in the list.
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

    /// An item is selected or deselected, by the index that it has after the update.
    func select(_ selection: PendingSelection) { selections.append(selection) }

    /// Forgets what was selected: it is in the selection.
    func removeSelections() { selections = [] }

    /// Whether an item will be selected; `nil` when nobody has selected or deselected it.
    func selects(_ item: Int, of handle: SectionHandle) -> Bool? {
        selections.last { $0.handle == handle && $0.item == item }?.isSelected
    }

    /// Items of a section changed places after the first selections were asked for.
    private func moveSelections(first count: Int, of handle: SectionHandle, by changes: ListItemChanges) {
        guard count > 0 else { return }
        let forward = changes.forwarding()
        for index in selections.indices.prefix(count) where selections[index].handle == handle {
            selections[index].move { forward($0) }
        }
    }

    // MARK: Collecting

    /// Adds what an item update recorded since the last time.
    private func add(_ recorder: ItemUpdateRecorder) {
        for (handle, changes) in recorder.consume() { add(changes, of: handle, after: recorder.selectionsBefore) }
    }

    /// Adds what an item update recorded of a section.
    ///
    /// - Parameter count: how many selections were asked for before that.
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
        // What is reloaded is asked for anew: its items may have been others than the list knew when they changed.
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

    /// Adds what a controller found out about its items itself.
    ///
    /// - Parameter count: how many selections were asked for before that.
    private func add(_ changes: ListItemChanges, of handle: SectionHandle, after count: Int) {
        let before = map.oldItemCount(of: handle)
        guard !collector.reloads.contains(handle),
            let all = changes.following(collector.itemChanges[handle], itemCount: before)
        else { return collector.reload(handle) }
        collector.setItemChanges(all, of: handle, after: changes)
        moveSelections(first: count, of: handle, by: changes)
    }

    // MARK: Counts

    /// Asks every section that may have another number of items now; one that does not have what it announced is at fault.
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

    /// Takes the number of items of every section from its kind's traits; answers the sections that have to be asked.
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
        // What it says of its items while it is counted is looked at next time.
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

    // MARK: Unnoticed sections

    /// Parts the changed objects: sections that somebody knows are answered, the others are collected without a handle.
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

    /// Takes the numbers of items of unnoticed sections from their traits; whoever was noticed meanwhile, by a section
    /// controller that looked, or has an impossible number, is reloaded as others are.
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

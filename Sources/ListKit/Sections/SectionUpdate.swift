// SPDX-License-Identifier: Apache-2.0

/// Runs the calls of section controllers that one update of a list requires, and collects the changes of items.
///
/// Controllers receive their objects, item updates run, an ``ItemChangeCollector`` collects the changes of items, and
/// sections whose items changed are counted again. Section controllers may call back at any time. Therefore this type
/// is a class, and none of its properties is accessed exclusively (`inout`) during a call.
final class SectionUpdate {
    private let store: SectionStore
    private(set) var collector = ItemChangeCollector()
    /// The released controllers of displayed sections. They are kept until they have been notified that the display
    /// ended.
    private(set) var replaced: [SectionHandle: ListSectionController] = [:]
    /// For each queued item update that ran: whether its section was in the list.
    private(set) var results: [Bool] = []
    /// The completions of nested item updates. They are called last, after the completions of queued item updates.
    private(set) var completions: [(finished: Bool, call: (Bool) -> Void)] = []
    /// The selections and deselections during the update, in order.
    private(set) var selections: [PendingSelection] = []
    /// Whether item updates still run as part of this update. Later item updates wait for the next update.
    private var collectsChanges = true
    /// The section whose controller is receiving its object, and the item changes that are recorded during that call.
    /// These changes have no effect if the section turns out to be reloaded.
    private var updating: (handle: SectionHandle, recorded: [RecordedItemChanges])?
    /// The recorders of the item updates that are running, the outermost first.
    private var activeRecorders: [ItemUpdateRecorder] = []
    /// The old items of the sections for which state is stored by item index, for an update that reloads all sections.
    private var itemsBefore: [SectionHandle: [ListItem]] = [:]

    /// The maximum nesting depth of item updates. Deeper ones wait for the next update.
    private static let maximumNesting = 32

    /// The maximum number of counts of a section whose items change while they are counted.
    private static let maximumCounts = 8

    init(_ store: SectionStore) { self.store = store }

    private var map: SectionMap { store.map }

    // MARK: Applying

    /// Applies an update and calls the section controllers. Afterwards both states of the sections can be read.
    ///
    /// - Parameters:
    ///   - updates: the item updates that run as part of the update.
    ///   - counts: the number of items of each inserted section; `nil` = the section's controller must be asked.
    func apply(_ change: Change, _ updates: [ItemUpdate], itemCounts counts: [Int?]) {
        let forced = change.reloads.flatMap { $0.range.compactMap { map.handle(at: $0) } }
        let moved = change.itemMove.flatMap { map.handle(at: $0.from.section) }
        map.apply(change, itemCounts: counts.map { $0 ?? 0 })
        let uncounted = zip(change.inserted, counts).compactMap { $1 == nil ? $0.new : nil }
        if change.scope.contains(.controllers) {
            // Item updates run before the controllers are replaced, so that the old controllers can still store state
            // with the objects.
            collector.reloadAll()
            run(updates)
            // The new controllers are made when their items are counted, in list order.
            releaseAllControllers()
        } else {
            updateControllers(change, forced: Set(forced), inserted: uncounted)
            run(updates)
        }
        if let move = change.itemMove, let moved { moveItem(of: moved, from: move.from.item, to: move.to.item) }
        updateItemCounts(change, inserted: uncounted)
        collectsChanges = false
    }

    /// Ends the collection of item changes. Later item updates wait for the next update.
    func finishCollecting() { collectsChanges = false }

    /// Releases the replaced controllers, after they were notified that the display ended.
    func releaseReplaced() { replaced = [:] }

    /// Keeps a replaced controller until it has been notified that the display ended.
    func keepReplaced(_ controller: ListSectionController, of handle: SectionHandle) { replaced[handle] = controller }

    /// Passes new and changed objects to their controllers, in the order of the new list (rule EE-38).
    ///
    /// - Parameter positions: the positions of inserted sections whose controllers must be asked for the number of
    ///   items.
    private func updateControllers(
        _ change: Change, forced: Set<SectionHandle>, inserted positions: [Int]
    ) {
        let touched = forced.union(changedSectionsWithHandle(in: change))
        let inserted = positions.compactMap { map.handle(at: $0) }
        let isInserted = Set(inserted)
        for handle in inListOrder(touched.union(inserted)) {
            let wasAtFault = store.fault(of: handle) != nil
            store.clearFault(of: handle)
            if isInserted.contains(handle) {
                _ = store.controller(of: handle)
            } else {
                passChangedObject(handle, isForced: wasAtFault || forced.contains(handle))
            }
        }
    }

    /// Releases all section controllers, for an update that makes new ones.
    private func releaseAllControllers() {
        for handle in collector.itemChanges.keys { limitItemChangesToState(of: handle) }
        for handle in store.sectionsWithItemState {
            itemsBefore[handle] = store.identifiedItems(of: handle, map.oldObject(of: handle))
        }
        for handle in store.controllers.keys.sorted() { store.replaceController(of: handle) }
        store.clearFaults()
    }

    /// Keeps the item changes of a reloaded section only for state that is stored by item index.
    private func limitItemChangesToState(of handle: SectionHandle) {
        guard let changes = collector.removeItemChanges(of: handle) else { return }
        collector.addFollowedChanges(changes, of: handle, itemCount: map.oldItemCount(of: handle))
    }

    /// Passes a changed or reloaded object to its controller and records how the items changed.
    private func passChangedObject(_ handle: SectionHandle, isForced: Bool) {
        guard let new = map.object(of: handle), let old = map.oldObject(of: handle) else { return }
        if new.objectType !== old.objectType {
            store.replaceController(of: handle)
            collector.reload(handle)
            return
        }
        if isForced { collector.reload(handle) }
        updating = (handle, [])
        let count = selections.count
        let changes = itemChanges(of: handle, from: old, to: new)
        let recorded = updating?.recorded ?? []
        updating = nil
        if changes == nil { collector.reload(handle) }
        if isForced, let changes {
            limitItemChangesToState(of: handle)
            let itemCount = map.oldItemCount(of: handle)
            for changes in recorded { collector.addFollowedChanges(changes, of: handle, itemCount: itemCount) }
            collector.addFollowedChanges(changes, of: handle, itemCount: itemCount)
        }
        for changes in recorded { add(changes, of: handle, selectionsBefore: count) }
        if !isForced, let changes { add(changes, of: handle, selectionsBefore: count) }
    }

    /// Returns how the items of a section changed with its object; `nil` if all items must be requested again.
    private func itemChanges(
        of handle: SectionHandle, from old: ListObject, to new: ListObject
    ) -> ListItemChanges? {
        if let controller = store.existingController(of: handle) {
            return store.gate.call(.update, handle, in: store) { controller.update(to: new) }
        }
        guard let viewModels = store.kind(for: new)?.traits?.viewModels else { return nil }
        let changes = ListItemChanges(
            from: ListItemChanges.unique(viewModels(old)), to: ListItemChanges.unique(viewModels(new)))
        return changes.isEmpty ? nil : changes
    }

    private func moveItem(of handle: SectionHandle, from source: Int, to target: Int) {
        guard let controller = store.controller(of: handle) else { return }
        let count = selections.count
        store.gate.call(.move, handle, in: store) { controller.moveItem(from: source, to: target) }
        var changes = ListItemChanges(updates: [])
        changes.moves = [(source, target)]
        add(changes, of: handle, selectionsBefore: count)
    }

    // MARK: Item updates

    /// Runs item updates and collects their changes.
    func run(_ updates: [ItemUpdate]) { for update in updates { results.append(run(update)) } }

    /// Runs an item update at once, nested in another callback and after the changes recorded so far (rule BN-28).
    /// Returns `false` if the item update has to wait.
    func runNested(_ update: ItemUpdate) -> Bool {
        guard collectsChanges, activeRecorders.count < SectionUpdate.maximumNesting, update.controller != nil else {
            return false
        }
        for recorder in activeRecorders { add(recorder) }
        let isPresent = run(update)
        for recorder in activeRecorders { recorder.setSelectionsBefore(selections.count) }
        if let completion = update.completion { completions.append((isPresent, completion)) }
        return true
    }

    /// Runs an item update and the item updates nested in it. Returns whether its section is in the list.
    private func run(_ update: ItemUpdate) -> Bool {
        // Without a controller, none was made for the section, or another one has taken its place.
        guard let controller = update.controller else { return false }
        let handle = store.handle(of: controller)
        let recorder = ItemUpdateRecorder(selectionsBefore: selections.count)
        activeRecorders.append(recorder)
        var context = ListBatchContext(store: store, controller: controller, recorder: recorder)
        store.gate.call(.batch, handle ?? .none, in: store) { update.updates(&context) }
        activeRecorders.removeLast()
        add(recorder)
        // A section that the open update removes still has its handle.
        return handle.flatMap { map.position(of: $0) } != nil
    }

    // MARK: Selections

    /// Adds a selection or deselection. Its item index is the index after the update.
    func addSelection(_ selection: PendingSelection) { selections.append(selection) }

    /// Removes all selections, after they were applied.
    func removeSelections() { selections = [] }

    /// Returns whether an item will be selected after the update, or `nil` if the update has neither selected nor
    /// deselected the item.
    func selectionAfterUpdate(ofItem item: Int, of handle: SectionHandle) -> Bool? {
        selections.last { $0.handle == handle && $0.item == item }?.isSelected
    }

    /// Moves the first `count` selections to the new indexes of their items, which changed after the selections were
    /// made.
    private func moveSelections(first count: Int, of handle: SectionHandle, by changes: ListItemChanges) {
        guard count > 0 else { return }
        let positions = changes.positions()
        for index in selections.indices.prefix(count) where selections[index].handle == handle {
            selections[index].move { positions($0) }
        }
    }

    // MARK: Collecting

    /// Adds the changes that an item update has recorded since the last call.
    private func add(_ recorder: ItemUpdateRecorder) {
        for (handle, changes) in recorder.consume() {
            add(changes, of: handle, selectionsBefore: recorder.selectionsBefore)
        }
    }

    /// Adds the changes of a section that an item update has recorded.
    ///
    /// - Parameter count: the number of selections that were made before the changes.
    private func add(_ recorded: RecordedItemChanges, of handle: SectionHandle, selectionsBefore count: Int) {
        if updating?.handle == handle {
            updating?.recorded.append(recorded)
            return
        }
        guard map.position(of: handle) != nil else { return }
        if recorded.reloadsSection || recorded.hasItemChanges { collector.markUncounted(handle) }
        guard let old = map.oldPosition(of: handle) else { return }
        let isHandleless = collector.hasHandlelessUpdate(at: old)
        if recorded.reloadsSection, !isHandleless { collector.reload(handle) }
        if recorded.invalidatesLayout { collector.invalidate(handle) }
        // Item changes of a reloaded section have no effect, because the list's items, to which they would be applied,
        // may differ from the items that the controller had before. All items are requested again.
        if collector.reloadsAll || collector.reloads.contains(handle) || isHandleless { return }
        let before = map.oldItemCount(of: handle)
        let earlier = collector.itemChanges[handle] ?? ListItemChanges(updates: [])
        let itemCount = earlier.newCount(oldCount: before)
        collector.resize(recorded.resizes, of: handle, itemCount: itemCount)
        guard recorded.hasItemChanges else { return }
        guard let changes = ListItemChanges(recorded, itemCount: itemCount) else {
            store.recordFault(of: handle, "an item update has indexes out of range")
            collector.reload(handle)
            return
        }
        collector.setItemChanges(earlier.followed(by: changes, itemCount: before), of: handle, adding: changes)
        moveSelections(first: count, of: handle, by: changes)
    }

    /// Adds item changes that a controller itself computed, for example by a diff.
    ///
    /// - Parameter count: the number of selections that were made before the changes.
    private func add(_ changes: ListItemChanges, of handle: SectionHandle, selectionsBefore count: Int) {
        let before = map.oldItemCount(of: handle)
        guard !collector.reloads.contains(handle),
            let all = changes.combined(after: collector.itemChanges[handle], itemCount: before)
        else { return collector.reload(handle) }
        collector.setItemChanges(all, of: handle, adding: changes)
        moveSelections(first: count, of: handle, by: changes)
    }

    // MARK: Counts

    /// Counts the items of every section whose number of items may have changed. Records a fault if the number does
    /// not agree with the announced changes.
    private func updateItemCounts(_ change: Change, inserted positions: [Int]) {
        countHandlelessUpdates(change)
        var handles = collector.reloads.union(collector.itemChanges.keys)
        handles.formUnion(positions.compactMap { map.handle(at: $0) })
        if !change.scope.isDisjoint(with: [.controllers, .items]) { handles.formUnion(recountAll()) }
        for _ in 0..<SectionUpdate.maximumCounts where !handles.isEmpty {
            collector.markAllCounted()
            for handle in inListOrder(handles) { updateItemCount(of: handle) }
            handles = collector.uncounted
        }
        collector.markAllCounted()
        for handle in inListOrder(handles) {
            store.recordFault(of: handle, "the section controller changes its items whenever they are counted")
            updateItemCount(of: handle)
        }
        for (handle, before) in itemsBefore where store.fault(of: handle) == nil {
            guard let after = store.identifiedItems(of: handle, map.object(of: handle)) else { continue }
            collector.addFollowedChanges(
                ListItemChanges(from: before, to: after), of: handle, itemCount: map.oldItemCount(of: handle))
        }
    }

    /// Sets the number of items of every section from its kind's traits. Returns the sections whose controllers must
    /// be asked.
    private func recountAll() -> [SectionHandle] {
        var (handles, kinds) = ([SectionHandle](), LastKind())
        for (position, object) in map.objects(in: 0..<map.count).enumerated() {
            if !store.isFatal(at: position), let count = kinds.itemCount(of: object, in: store) {
                map.setItemCount(count, at: position)
            } else {
                map.handle(at: position).map { handles.append($0) }
            }
        }
        return handles
    }

    /// Asks a section for its number of items and stores it. Records a fault if the section announced another number.
    private func updateItemCount(of handle: SectionHandle) {
        let changes = collector.itemChanges[handle]
        var count = store.askItemCount(of: handle)
        // Item changes that are recorded during the count are handled in the next round.
        if collector.uncounted.contains(handle) { return }
        if let changes, !collector.reloads.contains(handle), store.fault(of: handle) == nil {
            let announced = changes.newCount(oldCount: map.oldItemCount(of: handle))
            if count != announced {
                store.recordFault(of: handle, "the section controller announced \(announced) items, but has \(count)")
                count = 1
            }
        }
        if store.fault(of: handle) != nil { collector.reload(handle) }
        if collector.reloads.contains(handle) {
            if store.fault(of: handle) == nil {
                limitItemChangesToState(of: handle)
            } else {
                _ = collector.removeItemChanges(of: handle)
            }
        }
        map.setItemCount(count, of: handle)
    }

    /// Returns those of the sections that are in the list, in list order.
    private func inListOrder(_ handles: Set<SectionHandle>) -> [SectionHandle] {
        let placed = handles.compactMap { handle in map.position(of: handle).map { (position: $0, handle: handle) } }
        return placed.sorted { $0.position < $1.position }.map(\.handle)
    }

    // MARK: Sections without a handle

    /// Returns the changed sections that have or need a handle, and adds the other changed objects to the collector.
    private func changedSectionsWithHandle(in change: Change) -> [SectionHandle] {
        var kinds = LastKind()
        var handles: [SectionHandle] = []
        for update in change.updated {
            if let handle = map.existingOldHandle(at: update.old) {
                handles.append(handle)
            } else if kinds.reloadsWithoutController(update.object, in: store) {
                collector.append(HandlelessUpdate(old: update.old, object: update.object))
            } else if let handle = map.oldHandle(at: update.old) {
                handles.append(handle)
            }
        }
        return handles
    }

    /// Sets the number of items of changed sections without a handle from the traits of their kinds.
    ///
    /// A section that got a handle in the meantime, or whose number is invalid, is reloaded like a section with a
    /// handle.
    private func countHandlelessUpdates(_ change: Change) {
        let updates = collector.handlelessUpdates
        guard !updates.isEmpty else { return }
        let positionsStay = !change.movesSections
        var kinds = LastKind()
        var counted: [HandlelessUpdate] = []
        counted.reserveCapacity(updates.count)
        for var update in updates {
            guard let new = positionsStay ? update.old : map.position(of: update.object),
                let count = kinds.itemCount(of: update.object, in: store), map.existingHandle(at: new) == nil
            else {
                if let handle = map.oldHandle(at: update.old) { collector.reload(handle) }
                continue
            }
            update.new = new
            update.itemCount = count
            update.oldItemCount = map.oldItemCount(at: update.old)
            map.setItemCount(count, at: new)
            counted.append(update)
        }
        collector.setHandlelessUpdates(counted)
    }
}

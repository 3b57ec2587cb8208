// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// Applies the transaction that ``FlushStep/commit(_:)`` handed out; the store has it.
    ///
    /// Section controllers are called in here, then every view is brought up to date.
    /// When only item updates were flushed and none of them changes anything, there is no transaction, and the revision stays.
    public func commitFlush() -> FlushResult {
        guard case .prepared(let flush) = self.flush else { return FlushResult() }
        coalescer.accept()
        return flush.hasOnlyItemUpdates ? applyItemUpdates(of: flush) : apply(flush, revision: revision + 1)
    }

    /// Applies a flush in which nothing but items may change; without a transaction when none does.
    func applyItemUpdates(of flush: Flush) -> FlushResult {
        self.flush = .applying
        runItemUpdates(flush.itemUpdates)
        var rest = flush
        rest.itemUpdates = []
        return application?.isAnnounced == true ? apply(rest, revision: revision + 1) : finishUnannounced(rest)
    }

    /// Gives the transaction up that ``FlushStep/commit(_:)`` handed out: nothing happened, and every request of the flush
    /// is answered with the error.
    ///
    /// Item updates are no requests: they run with the next flush. When they alone were refused, or were before,
    /// ``flushTiming`` asks for that after a while, longer each time.
    public func abortFlush(_ error: ListError) -> FlushResult {
        guard case .prepared(let flush) = self.flush else { return FlushResult() }
        self.flush = .idle
        var result = FlushResult()
        result.answers = flush.answers(failing: error)
        keepItemUpdates(of: flush)
        completing {
            for element in flush.work {
                if case .itemUpdate = element { continue }
                element.completion?(false)
            }
        }
        result.events = settled()
        return result
    }

    /// Gives up a flush whose diff is being computed; its requests wait for the next one, ahead of all others.
    public func cancelFlush() {
        guard case .diffing(let flush, _) = self.flush else { return }
        self.flush = .idle
        cancelledFlushes &+= 1
        queue.insert(contentsOf: flush.work, at: 0)
        coalescer.request(now: now, isVisible: isVisible)
        scheduleFlush()
    }

    private func keepItemUpdates(of flush: Flush) {
        guard !flush.itemUpdates.isEmpty else { return }
        let isRetried = flush.hasOnlyItemUpdates || flush.itemUpdates.contains(where: \.wasRefused)
        awaitsRetry = isRetried && queue.isEmpty
        queue.insert(
            contentsOf: flush.itemUpdates.map { update in
                var update = update
                update.wasRefused = true
                return .itemUpdate(update)
            }, at: 0)
        if isRetried { coalescer.refuse(now: now) }
        if awaitsRetry { scheduleFlush() } else { requestFlush(now: nil) }
    }

    // MARK: Applying

    /// Applies a flush that is stored, or is somebody else's to store.
    func apply(_ flush: Flush, revision newRevision: UInt64) -> FlushResult {
        self.flush = .applying
        let base = revision
        let mark = pendingEvents.count
        tellUpdaterDelegate { $0.adapter(self, willApply: base) }
        // Along another axis, or in another layout, nothing keeps its place.
        let new = flush.configuration ?? configuration
        let isTurned = configuration.direction != new.direction || configuration.layout != new.layout
        for view in views where !isTurned { rememberAnchor(of: view) }
        if let configuration = flush.configuration {
            take(configuration)
            registry.forgetKinds()
        }
        var flush = flush
        flush.asksAnew = configuration.updater == .reload
        let itemCounts = countItems(of: flush.changes)
        sections.apply(flush.changes, itemCounts: itemCounts.map { $0 ?? 0 })
        revision = newRevision
        if application == nil { application = Application() }
        let unsettled = zip(flush.changes.inserts, itemCounts).compactMap { $1 == nil ? $0.new : nil }
        if flush.reloadsAll {
            // Their controllers are still the objects', which keep what a block wants kept.
            application?.reloadsAll = true
            runItemUpdates(flush.itemUpdates)
        }
        updateControllers(flush, inserted: unsettled)
        if !flush.reloadsAll { runItemUpdates(flush.itemUpdates) }
        moveItem(flush.itemMove)
        settleItemCounts(flush, inserted: unsettled)
        application?.isCollecting = false
        var applied = application ?? Application()
        let announcement = announcement(of: flush, applied, base: base)
        let events = updateViews(flush, applied)
        tellUpdaterDelegate(of: announcement)
        // Controllers that end here may call the list: it is in the middle of something until all is in its place.
        depth += 1
        application = nil
        applied.replaced = [:]
        forgetRemoved(flush.changes)
        sections.commit()
        self.flush = .idle
        depth -= 1
        return finish(flush, applied, transaction: announcement.transaction, events: events, since: mark)
    }

    /// The end of a flush in which nothing is announced: sizes may have changed, or what views show besides the list.
    func finishUnannounced(_ flush: Flush, changesViews: Bool = false) -> FlushResult {
        application?.isCollecting = false
        let applied = application ?? Application()
        let mark = pendingEvents.count
        self.flush = .applying
        for view in views { rememberAnchor(of: view) }
        let isQuiet = applied.isEmpty && !changesViews
        let events = isQuiet ? selectionEvents(since: selection) : updateViews(flush, applied)
        application = nil
        self.flush = .idle
        return finish(flush, applied, transaction: nil, events: events, since: mark)
    }

    private func finish(
        _ flush: Flush, _ applied: Application, transaction: Transaction?, events: [AdapterEvent], since mark: Int
    ) -> FlushResult {
        let said: [AdapterEvent] = transaction.map { [.updated($0)] } ?? []
        pendingEvents.insert(contentsOf: said + events, at: min(mark, pendingEvents.count))
        notifyListeners(flush)
        complete(flush, applied)
        var result = FlushResult()
        result.answers = flush.answers(revision: revision)
        result.transaction = transaction
        result.events = settled()
        return result
    }

    /// Calls the completions of a flush, in the order of the queue (rules UP-52, UP-64).
    func complete(_ flush: Flush, _ applied: Application) {
        var verdicts = flush.verdicts.makeIterator()
        var finished = applied.finished.makeIterator()
        completing {
            for element in flush.work {
                switch element {
                case .itemUpdate(let update): update.completion?(finished.next() == true)
                case .request(_, let completion), .dataSource(_, _, let completion):
                    let verdict = verdicts.next()
                    completion?(verdict?.error == nil)
                }
            }
            for completion in applied.completions { completion.call(completion.finished) }
        }
    }

    /// Calls those who wait for the end of a flush: what they say to the list waits, but they may call its views, for
    /// everything is as the update left it (rule EE-06).
    func completing(_ body: () -> Void) {
        let outer = isCompleting
        isCompleting = depth == 0
        depth += 1
        body()
        depth -= 1
        isCompleting = outer
    }

    // MARK: Section controllers

    /// Shows new and changed objects to their controllers, in the order of the new list (rule EE-38).
    ///
    /// - Parameter positions: new sections of kinds without traits.
    private func updateControllers(_ flush: Flush, inserted positions: [Int]) {
        // All are made when they are counted, in the order of the list.
        if flush.reloadsAll { return rebuildControllers() }
        let forced = Set(flush.reloaded.compactMap { sections.handle(of: $0) })
        let touched = forced.union(noticedUpdates(of: flush))
        let inserted = positions.compactMap { sections.handle(at: $0) }
        let isInserted = Set(inserted)
        for handle in inOrder(touched.union(inserted)) {
            let wasAtFault = registry.faults[handle] != nil
            registry.clearFault(of: handle)
            if isInserted.contains(handle) {
                _ = controller(of: handle)
            } else {
                showChanged(handle, isForced: wasAtFault || forced.contains(handle))
            }
        }
    }

    private func rebuildControllers() {
        for (handle, changes) in application?.itemChanges ?? [:] { follow(changes, of: handle) }
        application?.itemChanges = [:]
        for handle in handlesWithItems {
            let items = identifiedItems(of: handle, sections.oldObject(of: handle))
            application?.itemsBefore[handle] = items
        }
        for handle in registry.controllers.keys.sorted() { replaceController(of: handle) }
        for handle in Array(registry.faults.keys) { registry.clearFault(of: handle) }
    }

    /// The sections of whose items something is kept.
    private var handlesWithItems: Set<SectionHandle> {
        views.reduce(into: Set(selection.items.keys)) { handles, view in
            handles.formUnion(view.reportedSizes.keys)
            // A view without a layout follows its items.
            if view.layoutKind == .none { handles.formUnion(view.elements.compactMap(\.key.handle)) }
        }
    }

    /// The items of a section whose items have identities.
    private func identifiedItems(of handle: SectionHandle, _ object: ListObject?) -> [ListItem]? {
        if let controller = registry.controllers[handle] as? ListBindingSectionController {
            return controller.viewModels
        }
        guard let object, let viewModels = kind(for: object)?.traits?.viewModels else { return nil }
        return ListItemChanges.unique(viewModels(object))
    }

    /// Lets a controller go; another one is made when the section is asked next.
    func replaceController(of handle: SectionHandle) {
        guard let controller = registry.remove(handle), displayCounts.isInUse(handle) else { return }
        application?.replaced[handle] = controller
    }

    /// A section whose object changed, or that is to be rebuilt.
    private func showChanged(_ handle: SectionHandle, isForced: Bool) {
        guard let new = sections.object(of: handle), let old = sections.oldObject(of: handle) else { return }
        if new.objectType !== old.objectType {
            replaceController(of: handle)
            application?.reloads.insert(handle)
            return
        }
        if isForced { application?.reloads.insert(handle) }
        application?.updating = (handle, [])
        let selections = application?.selections.count ?? 0
        let change = change(of: handle, from: old, to: new)
        let said = application?.updating?.said ?? []
        application?.updating = nil
        if case .reload = change { application?.reloads.insert(handle) }
        if isForced, case .items(let changes) = change {
            application?.itemChanges.removeValue(forKey: handle).map { follow($0, of: handle) }
            for said in said { follow(said, of: handle) }
            follow(changes, of: handle)
        }
        for said in said { collect(said, of: handle, after: selections) }
        if !isForced, case .items(let changes) = change { collect(changes, of: handle, after: selections) }
    }

    private func change(of handle: SectionHandle, from old: ListObject, to new: ListObject) -> ListSectionChange {
        if let controller = registry.controllers[handle] {
            return call(.update, handle) { controller.update(to: new) }
        }
        guard let viewModels = kind(for: new)?.traits?.viewModels else { return .reload }
        let changes = ListItemChanges(
            from: ListItemChanges.unique(viewModels(old)), to: ListItemChanges.unique(viewModels(new)))
        return changes.isEmpty ? .reload : .items(changes)
    }

    private func moveItem(_ move: (section: SectionHandle, from: Int, to: Int)?) {
        guard let move, let controller = controller(of: move.section) else { return }
        let selections = application?.selections.count ?? 0
        call(.move, move.section) { controller.moveItem(from: move.from, to: move.to) }
        var changes = ListItemChanges(updates: [])
        changes.moves = [(move.from, move.to)]
        collect(changes, of: move.section, after: selections)
    }

    // MARK: Counts

    /// Asks every section that may have another number of items now; one that does not have what it announced is at fault.
    private func settleItemCounts(_ flush: Flush, inserted positions: [Int]) {
        settleUnnoticed(flush.changes)
        guard let applied = application else { return }
        var handles = applied.reloads.union(applied.itemChanges.keys)
        handles.formUnion(positions.compactMap { sections.handle(at: $0) })
        if flush.reloadsAll || flush.asksAnew { handles.formUnion(recountAll()) }
        for _ in 0..<Application.maximumCounts where !handles.isEmpty {
            application?.uncounted = []
            for handle in inOrder(handles) { settleItemCount(of: handle) }
            handles = application?.uncounted ?? []
        }
        application?.uncounted = []
        for handle in inOrder(handles) {
            fault(handle, "its items change whenever they are counted")
            settleItemCount(of: handle)
        }
        for (handle, before) in applied.itemsBefore where registry.faults[handle] == nil {
            guard let after = identifiedItems(of: handle, sections.object(of: handle)) else { continue }
            follow(ListItemChanges(from: before, to: after), of: handle)
        }
    }

    /// Takes the number of items of every section from its kind's traits; answers the sections that have to be asked.
    private func recountAll() -> [SectionHandle] {
        var (handles, kinds) = ([SectionHandle](), LastKind())
        for (position, object) in sections.objects(in: 0..<sections.count).enumerated() {
            if let count = kinds.itemCount(of: object, in: self) {
                sections.setItemCount(count, at: position)
            } else {
                sections.handle(at: position).map { handles.append($0) }
            }
        }
        return handles
    }

    private func settleItemCount(of handle: SectionHandle) {
        let changes = application?.itemChanges[handle]
        var count = askItemCount(of: handle)
        // What it says of its items while it is counted is looked at next time.
        if application?.uncounted.contains(handle) == true { return }
        if let changes, application?.reloads.contains(handle) == false, registry.faults[handle] == nil {
            let announced = changes.count(after: sections.oldItemCount(of: handle))
            if count != announced {
                fault(handle, "announced \(announced) items and has \(count)")
                count = 1
            }
        }
        if registry.faults[handle] != nil { application?.reloads.insert(handle) }
        if application?.reloads.contains(handle) == true,
            let changes = application?.itemChanges.removeValue(forKey: handle),
            registry.faults[handle] == nil
        {
            follow(changes, of: handle)
        }
        sections.setItemCount(count, of: handle)
    }

    /// Sections that are in the list, in its order.
    private func inOrder(_ handles: Set<SectionHandle>) -> [SectionHandle] {
        let placed = handles.compactMap { handle in sections.position(of: handle).map { (position: $0, handle: handle) }
        }
        return placed.sorted { $0.position < $1.position }.map(\.handle)
    }

    /// Drops what was kept for sections that are gone.
    private func forgetRemoved(_ changes: SectionChanges) {
        for old in changes.deletes {
            guard let handle = sections.knownOldHandle(at: old) else { continue }
            registry.remove(handle)
            registry.clearFault(of: handle)
            states[handle] = nil
        }
    }
}

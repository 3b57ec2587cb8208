// SPDX-License-Identifier: Apache-2.0

/// The section controllers, views and selection of a list.
///
/// It presents the sections of a ``SectionTable``, which it may share with an ``ObjectList`` on the same executor, where updates
/// are validated, stored and numbered. Commands of views run at any time, on the list as it was presented last.
@_spi(Daemon) public final class Presentation {
    let store: SectionStore
    let environment: ViewEnvironment
    let views: ViewCoordinator
    let selections: SelectionCoordinator
    private var itemUpdates: ItemUpdateQueue
    /// The update in progress.
    private(set) var update: SectionUpdate?
    private weak var delegate: (any PresentationDelegate)?

    /// Runs delayed callbacks of section controllers, on the owner's executor.
    public weak var executor: (any ListExecutor)?

    /// Receives the losses of content in the objects of an update that built-in section controllers found, at most one for each
    /// reason.
    public var onContentLosses: (([ContentLoss]) -> Void)?

    /// Presents a list with sections of its own; repeated identifiers are dropped.
    public convenience init(
        configuration: ListOptions, controllers: any ListSectionControllerProvider, objects: [ListObject],
        executor: (any ListExecutor)?, observer: (any CallObserver)?
    ) {
        self.init(
            configuration, controllers, SectionTable(), revision: 0, makeTicket: { .none }, executor: executor,
            observer: observer, delegate: nil)
        load(objects)
    }

    /// Presents the sections of another list's table, on the same executor.
    ///
    /// - Parameters:
    ///   - table: the sections; no change of it is open.
    ///   - makeTicket: makes the tickets of item updates, in the other list's order of arrival.
    public convenience init(
        configuration: ListOptions, controllers: any ListSectionControllerProvider, sharing table: SectionTable,
        makeTicket: @escaping () -> Ticket, executor: (any ListExecutor)?, observer: (any CallObserver)?
    ) {
        self.init(
            configuration, controllers, table, revision: 0, makeTicket: makeTicket, executor: executor,
            observer: observer, delegate: nil)
        store.countAllItems()
    }

    /// Makes a presentation; ``load(_:)`` follows, or the sections are counted.
    init(
        _ configuration: ListOptions, _ controllers: any ListSectionControllerProvider, _ table: SectionTable,
        revision: UInt64, makeTicket: @escaping () -> Ticket, executor: (any ListExecutor)?,
        observer: (any CallObserver)?, delegate: (any PresentationDelegate)?
    ) {
        store = SectionStore(table, provider: controllers, gate: CallGate(), events: EventQueue())
        environment = ViewEnvironment(store, options: configuration, revision: revision)
        views = ViewCoordinator(environment)
        selections = SelectionCoordinator(environment)
        itemUpdates = ItemUpdateQueue(coalescing: configuration.coalescing, makeTicket: makeTicket)
        self.executor = executor
        self.delegate = delegate
        store.gate.setObserver(observer)
        store.attach(host: self, delegate: self)
    }

    deinit {
        // Completions are always called: with false for updates that were never presented.
        for entry in itemUpdates.entries { entry.update.completion?(false) }
        for completion in update?.completions ?? [] { completion.call(false) }
    }

    /// Fills a new list.
    func load(_ objects: [ListObject]) {
        var objects = objects
        var kinds = LastKind()
        if !objects.allSatisfy({ kinds.isKnown(for: $0, in: store) }) {
            objects = UniqueObjects(objects).objects.filter { kinds.isKnown(for: $0, in: store) }
        }
        var (count, unsettled) = (0, [Int]())
        store.map.table.load(objects) { object in
            defer { count += 1 }
            if let itemCount = kinds.itemCount(of: object, in: store) { return itemCount }
            unsettled.append(count)
            return 0
        }
        store.countItems(at: unsettled)
    }

    // MARK: State

    /// The options of the list.
    public var configuration: ListOptions { environment.options }

    /// How many updates were presented; for a program that uses the library, the list's revision.
    public var revision: UInt64 { environment.revision }

    /// Called when item updates are due or events are queued that no call of the owner returned. It is kept, so it has to
    /// capture the owner weakly.
    public var onActivity: (() -> Void)? {
        get { store.gate.onActivity }
        set { store.gate.setActivityHandler(newValue) }
    }

    /// Observes every call of a section controller; held weakly.
    public var callObserver: (any CallObserver)? {
        get { store.gate.currentObserver }
        set { store.gate.setObserver(newValue) }
    }

    /// When item updates are due; only for a list whose objects are in another process.
    public var itemTiming: FlushTiming { update == nil ? itemUpdates.timing : .idle }

    /// How many item updates are queued.
    var waitingItemUpdates: Int { itemUpdates.entries.count }

    /// The ticket of the first queued item update; `nil` = none is queued.
    public var firstItemUpdate: Ticket? { itemUpdates.first }

    /// Sets the time, in milliseconds, by which item updates are collected.
    public func setTime(_ now: UInt64) { itemUpdates.setTime(now) }

    /// Removes the presentation's payloads from a shared table, because another presentation takes it over.
    public func leaveTable() { store.map.releaseAll() }

    /// Whether no update and no callback is in progress.
    var isIdle: Bool { update == nil && !store.gate.isBusy }

    // MARK: Presenting

    /// Presents an update: section controllers are called, queued item updates run, and views follow.
    ///
    /// An update that is not announced only sets its options; item updates stay queued. During another update and inside of a
    /// callback nothing happens.
    /// - Returns: the result, without valid revisions.
    public func present(_ update: ObjectUpdate) -> Presented {
        guard isIdle else { return Presented(itemCount: itemCount) }
        return presented(show(update))
    }

    /// Runs queued item updates.
    ///
    /// - Parameter ticket: that of the last one to run; `nil` = all.
    /// - Returns: the result; without a transaction when they changed nothing.
    public func presentItems(through ticket: Ticket? = nil) -> Presented {
        guard isIdle, itemUpdates.first != nil else { return Presented(events: takeEvents(), itemCount: itemCount) }
        return presented(showItems(through: ticket))
    }

    /// Runs queued item updates, then asks the section controllers about a dragged item.
    public func answer(_ move: ItemMoveRequest) -> ItemMoveAnswer {
        var answer = ItemMoveAnswer()
        if itemUpdates.first != nil { answer.changes.append(presentItems()) }
        guard isIdle else {
            answer.verdict = .refused
            return answer
        }
        answer.verdict = judge(move)
        guard answer.verdict == nil else { return answer }
        var update = ObjectUpdate()
        update.itemMove = move
        update.animated = move.animated
        answer.changes.append(presented(show(update)))
        return answer
    }

    /// Asks the section controllers about a dragged item; `nil` = one of them moves it itself.
    func judge(_ move: ItemMoveRequest) -> ItemMoveVerdict? {
        switch store.judgeMove(from: move.from, to: move.to) {
        case .error(let error): .error(error)
        case .refused: .refused
        case .nothing: .section(from: move.from.section, to: move.from.section)
        case .section: .section(from: move.from.section, to: move.to.section)
        case .object(let object): .object(object)
        case .item: nil
        }
    }

    private func presented(_ shown: ShownUpdate) -> Presented {
        Presented(transaction: shown.transaction, events: finish(shown), itemCount: itemCount)
    }

    /// Presents an update without calling completions and listeners; ``finish(_:notifying:completions:)`` follows.
    func show(_ update: ObjectUpdate) -> ShownUpdate {
        guard update.isAnnounced else { return showOptions(update) }
        return show(update, itemUpdates.dequeue(through: update.through), SectionUpdate(store))
    }

    /// Runs item updates without calling completions and listeners; ``finish(_:notifying:completions:)`` follows.
    func showItems(through ticket: Ticket?, animated: Bool = true) -> ShownUpdate {
        var update = ObjectUpdate()
        update.animated = animated
        let entries = itemUpdates.dequeue(through: ticket)
        let section = SectionUpdate(store)
        begin(section)
        section.run(entries.map(\.update))
        update.animated = entries.reduce(update.animated) { $0 && $1.update.animated }
        var shown =
            section.collector.isAnnounced ? show(update, [], section) : showUnannounced(update, section)
        shown.completions = completions(of: entries, section.results)
        return shown
    }

    private func begin(_ section: SectionUpdate) {
        update = section
        selections.beginUpdate(section)
        environment.beginUpdate()
    }

    private func end() {
        update = nil
        selections.endUpdate()
        environment.endUpdate()
    }

    private func show(_ objectUpdate: ObjectUpdate, _ entries: [ItemUpdateQueue.Entry], _ section: SectionUpdate)
        -> ShownUpdate
    {
        let (base, mark) = (revision, store.events.count)
        delegate?.willPresent(base)
        // Along another axis, or in another layout, there is no anchor.
        let (old, new) = (configuration, objectUpdate.configuration ?? configuration)
        if old.direction == new.direction, old.layout == new.layout { views.rememberAnchors() }
        if let options = objectUpdate.configuration {
            setConfiguration(options)
            store.forgetKinds()
        }
        var objectUpdate = objectUpdate
        objectUpdate.asksAnew = new.updater == .reload
        objectUpdate.animated = entries.reduce(objectUpdate.animated) { $0 && $1.update.animated }
        let counts = countItems(of: objectUpdate.changes)
        if update == nil { begin(section) }
        environment.advanceRevision()
        section.apply(objectUpdate, entries.map(\.update), itemCounts: counts)
        let announcement = Announcement(
            of: objectUpdate, section.collector, environment, base: base, wantsBatch: delegate?.wantsBatch == true)
        let events = showInViews(objectUpdate, section)
        delegate?.didPresent(announcement)
        // Controllers whose display ends here may call the list, which stays busy until the update is complete.
        store.gate.callOut {
            end()
            section.releaseReplaced()
            store.forgetRemoved(objectUpdate.changes)
            store.map.commit()
        }
        store.events.insert([.updated(announcement.transaction)] + events, at: mark)
        return shown(announcement.transaction, objectUpdate, entries, section)
    }

    /// Sets options without an announcement.
    private func showOptions(_ update: ObjectUpdate) -> ShownUpdate {
        guard let new = update.configuration else { return ShownUpdate(isAnimated: update.animated) }
        let changesViews = configuration.affectsViews(comparedTo: new)
        setConfiguration(new)
        guard changesViews else { return ShownUpdate(isAnimated: update.animated) }
        let section = SectionUpdate(store)
        begin(section)
        return showUnannounced(update, section, changesViews: true)
    }

    /// Ends an update without an announcement: sizes may have changed, or what views show besides the list.
    private func showUnannounced(
        _ update: ObjectUpdate, _ section: SectionUpdate, changesViews: Bool = false
    ) -> ShownUpdate {
        section.finishCollecting()
        let mark = store.events.count
        let isQuiet = section.collector.isEmpty && !changesViews
        if !isQuiet { views.rememberAnchors() }
        let events =
            isQuiet ? selections.finishUpdate(since: selections.selection) : showInViews(update, section)
        end()
        store.events.insert(events, at: mark)
        return shown(nil, update, [], section)
    }

    private func shown(
        _ transaction: Transaction?, _ update: ObjectUpdate, _ entries: [ItemUpdateQueue.Entry],
        _ section: SectionUpdate
    ) -> ShownUpdate {
        ShownUpdate(
            transaction: transaction, isAnimated: update.animated,
            completions: completions(of: entries, section.results),
            innerCompletions: section.completions.map { completion in { completion.call(completion.finished) } })
    }

    private func completions(
        of entries: [ItemUpdateQueue.Entry], _ results: [Bool]
    ) -> [(ticket: Ticket, call: () -> Void)] {
        var results = results.makeIterator()
        return entries.compactMap { entry in
            let isPresent = results.next() == true
            return entry.update.completion.map { completion in (entry.ticket, { completion(isPresent) }) }
        }
    }

    private func setConfiguration(_ new: ListOptions) {
        environment.setOptions(new)
        itemUpdates.setCoalescing(new.coalescing)
    }

    private func countItems(of changes: SectionChanges) -> [Int?] {
        guard let onContentLosses else { return store.countItems(of: changes) }
        let container = ListContainer(
            size: .zero, direction: configuration.direction, layout: configuration.layout)
        var losses = ContentLosses()
        let counts = store.countItems(of: changes, in: container, adding: &losses)
        if !losses.losses.isEmpty { onContentLosses(losses.losses) }
        return counts
    }

    /// Updates views and selection; returns the events, in the contract's order.
    private func showInViews(_ update: ObjectUpdate, _ section: SectionUpdate) -> [AdapterEvent] {
        let followed = views.follow(update, section)
        let before = selections.follow(followed.effects)
        deliver(followed.calls)
        let replaced = configuration.sectionMovesAsDeletesInserts ? update.changes.moves.map(\.new) : []
        // Last, because controllers may select during all of this; pictures do not contain the selection.
        let selection = selections.finishUpdate(
            since: before, replaced: Set(replaced.compactMap { store.map.knownHandle(at: $0) }))
        return followed.displays + selection + followed.pictures
    }

    // MARK: Ending a call

    /// Calls listeners and completions of an update, in the order of arrival (rules UP-52, UP-64); returns all events of it.
    ///
    /// - Parameters:
    ///   - notify: calls listeners, before completions.
    ///   - completions: those of requests, by their tickets.
    func finish(
        _ shown: ShownUpdate, notifying notify: (() -> Void)? = nil,
        completions: [(ticket: Ticket, call: () -> Void)] = []
    ) -> [AdapterEvent] {
        if let notify { store.gate.complete(notify) }
        var all = completions + shown.completions
        if !completions.isEmpty, !shown.completions.isEmpty { all.sort { $0.ticket < $1.ticket } }
        if !all.isEmpty || !shown.innerCompletions.isEmpty {
            store.gate.complete {
                for completion in all { completion.call() }
                for call in shown.innerCompletions { call() }
            }
        }
        return settled()
    }

    /// Makes calls of section controllers that views require.
    func deliver(_ calls: [ControllerCall]) {
        for call in calls {
            store.make(call)
            guard call.section != nil, let listeners = delegate?.displayListeners, !listeners.isEmpty,
                let place = store.announcement(of: call)
            else { continue }
            store.gate.callOut {
                for listener in listeners {
                    listener.display(place.object, section: place.section, item: place.item, appears: place.appears)
                }
            }
        }
    }

    /// Ends a call from outside: runs the work that callbacks enqueued.
    ///
    /// - Parameter handle: a section whose controller is about to be returned.
    func settle(keeping handle: SectionHandle? = nil) {
        store.gate.drain {
            views.refresh(store.events)
        } releasing: {
            store.releaseTransientControllers(except: handle)
            store.releaseHandles()
        }
    }

    /// Returns and removes the events that no call has returned, in order: those that section controllers caused on their own.
    public func takeEvents() -> [AdapterEvent] {
        settle()
        return store.events.dequeueAll()
    }

    /// Ends a call that returns events: those queued before, its own, and those of callbacks.
    ///
    /// Inside of another call it returns none: that call returns them, in their order.
    /// - Parameter mark: how many events were queued when the call began.
    func settled(_ events: [AdapterEvent] = [], since mark: Int = .max) -> [AdapterEvent] {
        store.events.insert(events, at: mark)
        return store.gate.drainsLater ? [] : takeEvents()
    }
}

// MARK: - Requests of section controllers

extension Presentation: SectionContextHost, SectionStoreDelegate {
    func enqueue(_ update: ItemUpdate) {
        if self.update?.runInside(update) == true { return }
        itemUpdates.append(update, isOnScreen: views.isOnScreen)
        delegate?.itemUpdateWaits()
        store.gate.reportActivity()
    }

    func setSelected(_ isSelected: Bool, controller: ListSectionController, index: Int) {
        selections.setSelected(isSelected, controller: controller, index: index)
    }

    func reportFault(of controller: ListSectionController, _ reason: String) {
        guard let handle = store.handle(of: controller) else { return }
        store.fault(handle, reason)
        store.gate.reportActivity()
    }

    var scrollDirection: ScrollDirection { configuration.direction }
    var containerSize: Size { views.contextView?.geometry.viewport?.size ?? .zero }
    var containerInset: EdgeInsets { views.contextView?.options.contentInset ?? .zero }
    var containerOffset: Point { views.contextView?.geometry.offset ?? .zero }
    var scrollingTraits: ListScrollingTraits { views.contextView?.scrolling ?? [] }

    func visibleIndexes(of handle: SectionHandle) -> [Int] { views.visibleIndexes(of: handle) }
    func fullyVisibleIndexes(of handle: SectionHandle) -> [Int] { views.fullyVisibleIndexes(of: handle) }
    func displayedItem(of handle: SectionHandle, at index: Int) -> ListItem? {
        views.displayedItem(of: handle, at: index)
    }

    func isInUse(_ handle: SectionHandle) -> Bool { views.isInUse(handle) }

    var handlesInUse: Set<SectionHandle> { views.handlesInUse.union(selections.selection.sections) }

    var sectionsWithKeptItems: Set<SectionHandle> {
        views.views.reduce(into: Set(selections.selection.sections)) { $0.formUnion($1.handlesWithItems) }
    }

    func contentsChanged(of handle: SectionHandle) {
        views.invalidateContents(of: handle)
    }

    func didReplace(_ controller: ListSectionController, of handle: SectionHandle) {
        update?.keepReplaced(controller, of: handle)
    }

    func didFindFault(_ fault: SectionFault) { delegate?.didFindFault(fault) }
}

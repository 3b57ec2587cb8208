// SPDX-License-Identifier: Apache-2.0

/// The section controllers, views and selection of a list.
///
/// A presentation presents the sections of a ``SectionTable``. It may share the table with an ``ObjectList`` on the
/// same executor, which validates, stores and numbers updates. Commands of views run at any time and use the list as
/// of the latest presented update.
@_spi(Daemon) public final class Presentation {
    let store: SectionStore
    let environment: ViewEnvironment
    let views: ViewCoordinator
    let selections: SelectionCoordinator
    private var itemUpdates: ItemUpdateQueue
    /// The update in progress.
    private(set) var update: SectionUpdate?
    private weak var delegate: (any PresentationDelegate)?
    /// The update that was shown for a driver and is not announced yet.
    private var shown: ShownUpdate?

    /// The executor of the owner, which runs delayed callbacks of section controllers. The presentation holds it
    /// weakly.
    public weak var executor: (any ListExecutor)?

    /// Whether content losses are collected for the next announcement.
    private var collectsLosses = false
    /// The content losses that no announcement has had yet.
    private var losses: [ContentLoss] = []
    /// The selected items of the last announcement that had any.
    private var announcedSelection: SelectedItems = []

    /// Creates a presentation of objects, with a table of its own. Of objects with equal identifiers, the first one
    /// is kept.
    ///
    /// - Parameter faults: the objects whose section controllers are not called until they change, with the reasons that
    ///   their error items show.
    public convenience init(
        configuration: ListOptions, controllers: any ListSectionControllerProvider, objects: [ListObject],
        faults: [ExactText: String] = [:], executor: (any ListExecutor)?, observer: (any CallObserver)?
    ) {
        self.init(
            configuration, controllers, SectionTable(), revision: 0, makeTicket: { .none }, executor: executor,
            observer: observer, delegate: nil)
        collectLosses()
        load(objects, faults: faults)
    }

    /// Creates a presentation of the sections in the table of an ``ObjectList`` on the same executor.
    ///
    /// - Parameters:
    ///   - table: the table. It must not have an open change.
    ///   - makeTicket: returns the next ticket in the order of arrival at the object list, for an item update.
    public convenience init(
        configuration: ListOptions, controllers: any ListSectionControllerProvider, sharing table: SectionTable,
        makeTicket: @escaping () -> Ticket, executor: (any ListExecutor)?, observer: (any CallObserver)?
    ) {
        self.init(
            configuration, controllers, table, revision: 0, makeTicket: makeTicket, executor: executor,
            observer: observer, delegate: nil)
        collectLosses()
        store.countAllItems()
    }

    /// Creates a presentation. The caller then fills it with ``load(_:)``, or counts the items of the table's sections.
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
        // Every completion is called; with `false` if its update was never presented.
        for queued in itemUpdates.updates { queued.update.completion?(false) }
        for completion in update?.completions ?? [] { completion.call(false) }
    }

    /// Fills a new presentation with objects. Objects of unknown types are dropped.
    func load(_ objects: [ListObject], faults: [ExactText: String] = [:]) {
        var objects = objects
        var kinds = LastKind()
        if !objects.allSatisfy({ kinds.isKnown(for: $0, in: store) }) {
            objects = UniqueObjects(objects).objects.filter { kinds.isKnown(for: $0, in: store) }
        }
        var (count, uncounted, fatal) = (0, [Int](), [(position: Int, reason: String)]())
        store.map.table.load(objects) { object in
            defer { count += 1 }
            if !faults.isEmpty, let reason = faults[ExactText(object.id)] {
                fatal.append((count, reason))
                return 1
            }
            if let itemCount = kinds.itemCount(of: object, in: store) { return itemCount }
            uncounted.append(count)
            return 0
        }
        for (position, reason) in fatal { store.setFatalFault(reason, ofSectionAt: position) }
        store.countItems(at: uncounted)
    }

    // MARK: State

    /// The options of the list.
    public var configuration: ListOptions { environment.options }

    /// The number of presented updates. For a program that uses the library, it is the revision of the list.
    public var revision: UInt64 { environment.revision }

    /// The handler that is called when item updates become due, and when events are queued for the owner's next call.
    ///
    /// The presentation holds the handler strongly, so the handler must capture the owner weakly.
    public var onActivity: (() -> Void)? {
        get { store.gate.onActivity }
        set { store.gate.setActivityHandler(newValue) }
    }

    /// Uses other section controllers from the next update on, which must have options.
    public func setControllers(_ controllers: any ListSectionControllerProvider) { store.setProvider(controllers) }

    /// The observer of all calls of section controllers. The presentation holds it weakly.
    public var callObserver: (any CallObserver)? {
        get { store.gate.currentObserver }
        set { store.gate.setObserver(newValue) }
    }

    /// The time at which queued item updates are due. Used only if the list's objects are in another process.
    public var itemTiming: FlushTiming { update == nil ? itemUpdates.timing : .idle }

    /// The number of queued item updates.
    var queuedItemUpdateCount: Int { itemUpdates.updates.count }

    /// The ticket of the first queued item update; `nil` if no item update is queued.
    public var firstItemUpdate: Ticket? { itemUpdates.first }

    /// Sets the current time in milliseconds, from which ``itemTiming`` is computed.
    public func setTime(_ now: UInt64) { itemUpdates.setTime(now) }

    /// Removes the payloads of this presentation from a shared table. Call this before another presentation uses the
    /// table.
    public func leaveTable() { store.map.releaseAll() }

    /// Whether no update and no callback is in progress.
    var isIdle: Bool { update == nil && !store.gate.isBusy }

    // MARK: Presenting

    /// Presents an update: calls section controllers, runs queued item updates, and updates the views.
    ///
    /// If the update has nothing to announce, only its options are applied and item updates stay queued. During
    /// another update or inside of a callback, nothing happens.
    /// - Returns: the result. The revisions of its transaction and events are not valid yet.
    public func present(_ change: Change) -> Announcement {
        guard isIdle else { return Announcement(itemCount: itemCount, isFlat: isFlat) }
        return announcement(of: finish(beginPresenting(change)))
    }

    /// Runs queued item updates and presents their changes.
    ///
    /// - Parameter ticket: the ticket up to which item updates run; `nil` to run all of them.
    /// - Returns: the result, without a transaction if the item updates changed nothing.
    public func presentItems(through ticket: Ticket? = nil) -> Announcement {
        guard isIdle, itemUpdates.first != nil else {
            return announcement(of: takeEvents())
        }
        return announcement(of: finish(beginPresentingItems(through: ticket)))
    }

    /// Runs queued item updates, then asks the section controllers about the move of a dragged item.
    ///
    /// - Returns: the item changes that the request caused, in order: queued item updates, then the move if the
    ///   controller made it itself; and the section controllers' verdict, or `nil` after such a move.
    public func answer(_ move: ItemMoveRequest) -> (changes: [Announcement], verdict: ItemMoveVerdict?) {
        var changes: [Announcement] = []
        if itemUpdates.first != nil { changes.append(presentItems()) }
        guard isIdle else { return (changes, .refused) }
        let verdict = decide(move)
        guard case .controller? = verdict else { return (changes, verdict) }
        var change = Change()
        change.itemMove = move
        change.animated = move.animated
        changes.append(announcement(of: finish(beginPresenting(change))))
        return (changes, nil)
    }

    /// Asks the section controllers about the move of a dragged item.
    public func decide(_ move: ItemMoveRequest) -> ItemMoveVerdict? {
        switch store.decideMove(from: move.from, to: move.to) {
        case .error(let error): .error(error)
        case .refused: .refused
        case .nothing: .section(from: move.from.section, to: move.from.section)
        case .section: .section(from: move.from.section, to: move.to.section)
        case .object(let object): .object(object)
        case .item: .controller
        }
    }

    /// Presents an update without calling completions and listeners. The caller then calls
    /// ``finish(_:notifying:completions:)``.
    func beginPresenting(_ change: Change) -> ShownUpdate {
        guard change.isAnnounced else { return applyOptions(of: change) }
        return present(change, itemUpdates.dequeue(through: change.through), SectionUpdate(store))
    }

    /// Runs item updates without calling completions and listeners. The caller then calls
    /// ``finish(_:notifying:completions:)``.
    func beginPresentingItems(through ticket: Ticket?, animated: Bool = true) -> ShownUpdate {
        var change = Change()
        change.animated = animated
        let entries = itemUpdates.dequeue(through: ticket)
        let section = SectionUpdate(store)
        beginUpdate(section)
        section.run(entries.map(\.update))
        change.animated = entries.reduce(change.animated) { $0 && $1.update.animated }
        var shown =
            section.collector.isAnnounced ? present(change, [], section) : finishUnannounced(change, section)
        shown.completions = completions(of: entries, section.results)
        return shown
    }

    private func beginUpdate(_ section: SectionUpdate) {
        update = section
        selections.beginUpdate(section)
        environment.beginUpdate()
    }

    private func endUpdate() {
        update = nil
        selections.endUpdate()
        environment.endUpdate()
    }

    private func present(
        _ change: Change, _ entries: [QueuedItemUpdate], _ section: SectionUpdate
    ) -> ShownUpdate {
        let (base, mark) = (revision, store.events.count)
        delegate?.willPresent(base)
        // With another axis or another layout, no item can keep its place in the viewport.
        let (old, new) = (configuration, change.options ?? configuration)
        if old.direction == new.direction, old.layout == new.layout { views.prepareAnchoring() }
        if let options = change.options {
            setConfiguration(options)
            store.removeCachedKinds()
        }
        var change = change
        switch delegate?.form(of: change) ?? new.updater {
        case .reload: change.scope.insert(.items)
        case .batch: change.scope.remove(.items)
        }
        change.animated = entries.reduce(change.animated) { $0 && $1.update.animated }
        let counts = countItems(of: change)
        if update == nil { beginUpdate(section) }
        environment.advanceRevision()
        section.apply(change, entries.map(\.update), itemCounts: counts)
        let (transaction, batch, isFallback) = TransactionAnnouncer.transaction(
            of: change, section.collector, environment, base: base, wantsBatch: delegate?.wantsBatch == true)
        let events = updateViewsAndSelection(change, section)
        delegate?.didPresent(transaction, batch: batch, isFallback: isFallback)
        // Released controllers may call the list from `deinit`. The gate stays busy until the update is complete.
        store.gate.callOut {
            endUpdate()
            section.releaseReplaced()
            store.discardRemovedSections(of: change)
            store.map.commit()
        }
        store.events.insert([.updated(transaction)] + events, at: mark)
        return makeShownUpdate(transaction, change, entries, section)
    }

    /// Applies the options of an update that has nothing to announce.
    private func applyOptions(of change: Change) -> ShownUpdate {
        guard let new = change.options else { return ShownUpdate(isAnimated: change.animated) }
        let changesViews = configuration.affectsViews(comparedTo: new)
        setConfiguration(new)
        guard changesViews else { return ShownUpdate(isAnimated: change.animated) }
        let section = SectionUpdate(store)
        beginUpdate(section)
        return finishUnannounced(change, section, changesViews: true)
    }

    /// Ends an update that has nothing to announce.
    ///
    /// Views are updated only if sizes have changed or if `changesViews` is true.
    private func finishUnannounced(
        _ change: Change, _ section: SectionUpdate, changesViews: Bool = false
    ) -> ShownUpdate {
        section.finishCollecting()
        let mark = store.events.count
        let isQuiet = section.collector.isEmpty && !changesViews
        if !isQuiet { views.prepareAnchoring() }
        let events =
            isQuiet ? selections.finishUpdate(since: selections.selection) : updateViewsAndSelection(change, section)
        endUpdate()
        store.events.insert(events, at: mark)
        return makeShownUpdate(nil, change, [], section)
    }

    private func makeShownUpdate(
        _ transaction: Transaction?, _ change: Change, _ entries: [QueuedItemUpdate],
        _ section: SectionUpdate
    ) -> ShownUpdate {
        ShownUpdate(
            transaction: transaction, isAnimated: change.animated,
            completions: completions(of: entries, section.results),
            innerCompletions: section.completions.map { completion in { completion.call(completion.finished) } })
    }

    /// Returns the completions of item updates, each bound to its outcome and with its ticket.
    private func completions(
        of entries: [QueuedItemUpdate], _ results: [Bool]
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

    /// Returns the numbers of items of the inserted sections; `nil` for a section whose controller has to be asked.
    private func countItems(of change: Change) -> [Int?] {
        guard collectsLosses else { return store.countItems(of: change) }
        let container = ListContainer(
            size: .zero, direction: configuration.direction, layout: configuration.layout)
        var found = ContentLosses()
        let counts = store.countItems(of: change, in: container, adding: &found)
        losses += found.losses
        return counts
    }

    /// Updates the views and the selection, and returns their events in the order that the D-Bus contract requires.
    private func updateViewsAndSelection(_ change: Change, _ section: SectionUpdate) -> [AdapterEvent] {
        // Without views, no element is displayed, so that no section controller has to be notified either.
        guard !views.isEmpty || selections.isUpdateNeeded else {
            views.endAnchoring()
            return []
        }
        let followed = views.apply(change, section)
        let before = selections.moveSelection(with: followed.effects)
        deliver(followed.calls)
        let replaced = configuration.sectionMovesAsDeletesInserts ? change.moved.map(\.new) : []
        // The selection is finished last, because controllers may select items in any of the delivered calls. Its event
        // may still come before the pictures, which have no selection.
        let selection = selections.finishUpdate(
            since: before, replaced: Set(replaced.compactMap { store.map.existingHandle(at: $0) }))
        return followed.displays + selection + followed.pictures
    }

    // MARK: Ending a call

    /// Calls the listeners and then the completions of an update, in the order of arrival (rules UP-52, UP-64).
    ///
    /// - Parameters:
    ///   - notify: calls the listeners; called before all completions.
    ///   - completions: the completions of requests, with their tickets. This method adds the completions of item
    ///     updates.
    /// - Returns: all events of the update.
    func finish(
        _ shown: ShownUpdate, notifying notify: (() -> Void)? = nil,
        completions: [(ticket: Ticket, call: () -> Void)] = []
    ) -> [AdapterEvent] {
        if let notify { store.gate.runCompletions(notify) }
        var all = completions + shown.completions
        if !completions.isEmpty, !shown.completions.isEmpty { all.sort { $0.ticket < $1.ticket } }
        if !all.isEmpty || !shown.innerCompletions.isEmpty {
            store.gate.runCompletions {
                for completion in all { completion.call() }
                for call in shown.innerCompletions { call() }
            }
        }
        return collectEvents()
    }

    /// Makes the calls of section controllers that result from changes of views, and notifies display listeners.
    func deliver(_ calls: [ControllerCall]) {
        let delegate = delegate
        for call in calls {
            store.perform(call)
            guard call.section != nil, let delegate, delegate.hasDisplayListeners,
                let place = store.announcement(of: call)
            else { continue }
            let listeners = delegate.displayListeners
            store.gate.callOut {
                for listener in listeners { listener(place.object, place.section, place.item, place.appears) }
            }
        }
    }

    /// Runs the work that callbacks enqueued, at the end of a call from outside. Releases unused section controllers.
    ///
    /// - Parameter handle: a section whose controller is not released, because the call returns it.
    func runEnqueuedWork(keeping handle: SectionHandle? = nil) {
        store.gate.drain {
            views.refreshStaleViews(store.events)
        } releasing: {
            store.releaseTransientControllers(except: handle)
            store.releaseHandles()
        }
    }

    /// Removes and returns the queued events, in order, such as the events that section controllers caused outside of
    /// the owner's calls.
    public func takeEvents() -> [AdapterEvent] {
        runEnqueuedWork()
        return store.events.dequeueAll()
    }

    /// Collects the events that a call from outside returns: queued events, its own events, and the events of
    /// callbacks.
    ///
    /// Inside of another call, the events stay queued and the result is empty. The outer call returns them in their
    /// order.
    /// - Parameters:
    ///   - events: the own events of the call.
    ///   - mark: the number of events that were queued when the call began, where its own events are inserted.
    func collectEvents(inserting events: [AdapterEvent] = [], at mark: Int = .max) -> [AdapterEvent] {
        store.events.insert(events, at: mark)
        return store.gate.drainsLater ? [] : takeEvents()
    }
}

// MARK: - Showing for a driver

extension Presentation: ListShowing {
    /// Whether the presentation makes the changes in the list's own table; true.
    public var sharesTable: Bool { true }

    /// Shows an update, whose listeners and completions are called later.
    public func show(_ change: Change) -> Announcement? { keep(beginPresenting(change)) }

    /// Runs item updates, whose listeners and completions are called later.
    public func showItems(through ticket: Ticket, animated: Bool) -> Announcement? {
        keep(beginPresentingItems(through: ticket, animated: animated))
    }

    /// Keeps an update for ``takeShown()`` and returns its announcement, which has the transaction only.
    private func keep(_ new: ShownUpdate) -> Announcement {
        shown = new
        let events = new.transaction.map { [AdapterEvent.updated($0)] } ?? []
        return Announcement(events: events, itemCount: itemCount, isFlat: isFlat)
    }

    /// Removes and returns the update that was shown for a driver, whose listeners and completions are called when it
    /// is announced; `nil` if there is none.
    func takeShown() -> ShownUpdate? {
        defer { shown = nil }
        return shown
    }
}

// MARK: - Announcements

extension Presentation {
    /// Returns the announcement of events: with the states of the views that they concern, the selected items if they
    /// have changed, and the content losses since the last announcement.
    ///
    /// - Parameter views: other views whose states are announced.
    public func announcement(of events: [AdapterEvent], about views: Set<ViewID> = []) -> Announcement {
        var said = Announcement(events: events, itemCount: itemCount, isFlat: isFlat)
        var (views, selections, isReordered) = (views, [SelectionChange](), false)
        for event in events {
            if let view = event.viewThatChanged { views.insert(view) }
            guard case .updated(let transaction) = event else {
                if case .selection(let change) = event { selections.append(change) }
                continue
            }
            for view in self.views.waitingViews { views.insert(view.id) }
            isReordered = isReordered || movesSelection(transaction, of: environment.revision)
        }
        said.views = views.sorted().compactMap { id in self.views.view(id).map { (id, $0.description) } }
        said.selection = selectionToAnnounce(after: selections, isUpdate: said.transaction != nil, isReordered)
        said.losses = takeLosses()
        return said
    }

    /// Returns whether a transaction may change the order of the selected items. Sections that are not among its moves keep
    /// their order.
    ///
    /// - Parameter revision: the present revision, whose positions of sections are known.
    private func movesSelection(_ transaction: Transaction, of revision: UInt64) -> Bool {
        let (selection, moves) = (selections.selection, transaction.sections.moves)
        guard !selection.sections.isEmpty || announcedSelection.count > 0 else { return false }
        guard transaction.kind == .update, transaction.revision == revision else { return true }
        return moves.contains { move in
            store.map.existingHandle(at: Int(move.new)).map { selection.contains(anyOf: $0) } == true
        }
    }

    /// Returns the selected items, if they may have changed since the last announcement.
    ///
    /// Without an update, the items are put in their places among the announced ones, so that selecting one item does
    /// not sort all.
    private func selectionToAnnounce(
        after changes: [SelectionChange], isUpdate: Bool, _ isReordered: Bool
    ) -> SelectedItems? {
        guard isReordered || !changes.isEmpty else { return nil }
        let position = { [map = store.map] (id: String) in map.position(ofID: id) }
        if isUpdate || !changes.allSatisfy({ announcedSelection.apply($0, position: position) }) {
            let selected = SelectedItems(selectedItems)
            guard selected != announcedSelection else { return nil }
            announcedSelection = selected
        }
        return announcedSelection
    }

    /// Returns the announcement of what section controllers have changed outside of the owner's calls; `nil` if they
    /// have changed nothing.
    public func takeChanges() -> Announcement? {
        let events = takeEvents()
        return events.isEmpty && losses.isEmpty ? nil : announcement(of: events)
    }

    /// Continues the views and the selection of another presentation. Call this before anything else.
    ///
    /// - Returns: the announcement. It has the selection even if nothing is selected, as the receiver still has the
    ///   former one.
    public func resume(_ old: [ViewState], selecting items: [SelectedItem]) -> Announcement {
        var (events, resumed) = ([AdapterEvent](), Set<ViewID>())
        for view in old {
            guard let news = try? resumeView(view) else { continue }
            events += news
            resumed.insert(view.id)
        }
        resumeSelection(items)
        var said = announcement(of: events, about: resumed)
        announcedSelection = SelectedItems(selectedItems)
        said.selection = announcedSelection
        return said
    }

    /// Closes all views and ends the presentation. Section controllers are told that nothing is displayed any more.
    ///
    /// - Returns: the views as they were before.
    public func close() -> [ViewState] {
        onActivity = nil
        let open = views.views.map(\.state)
        return open.map { state in
            var state = state
            state.applyClosing((try? closeView(state.id)) ?? [])
            return state
        }
    }

    /// Collects content losses from now on.
    func collectLosses() { collectsLosses = true }

    /// Returns and removes the content losses that no announcement has had yet, at most one for each reason and update.
    func takeLosses() -> [ContentLoss] {
        guard !losses.isEmpty else { return [] }
        defer { losses = [] }
        return losses
    }
}

extension AdapterEvent {
    /// The view whose description may have changed with this event; `nil` if the event changes no view.
    fileprivate var viewThatChanged: ViewID? {
        switch self {
        case .display(let change): change.view
        case .workingRange(let change): change.view
        case .picture(let change): change.view
        case .stalled(let view, _, _): view
        case .updated, .selection, .closed, .sectionFault, .nearEnd: nil
        }
    }
}

// MARK: - Requests of section controllers

extension Presentation: SectionContextHost, SectionStoreDelegate {
    func enqueue(_ update: ItemUpdate) {
        if self.update?.runNested(update) == true { return }
        itemUpdates.append(update, isOnScreen: views.isOnScreen)
        delegate?.didQueueItemUpdate()
        store.gate.reportActivity()
    }

    func setSelected(_ isSelected: Bool, controller: ListSectionController, index: Int) {
        selections.setSelected(isSelected, controller: controller, index: index)
    }

    func reportFault(of controller: ListSectionController, _ reason: String) {
        guard let handle = store.handle(of: controller) else { return }
        store.recordFault(of: handle, reason)
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

    var sectionsWithItemState: Set<SectionHandle> {
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

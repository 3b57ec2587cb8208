// SPDX-License-Identifier: Apache-2.0

/// The engine of one list, which turns changes of objects into pictures and events. It corresponds to IGListKit's
/// `IGListAdapter` with its updater.
///
/// An adapter belongs to one executor, its "main thread". Every call has to come from there, and section controllers
/// are called there. The adapter uses no clock, thread, bus or file. The caller passes the time in milliseconds and
/// acts on the values that calls return. Updates have two phases, so that a host can store a transaction before it
/// is applied:
///
///     adapter.enqueue(request)
///     switch adapter.beginFlush(now: now) {                 // validated, coalesced, diffed
///     case .commit(let prepared): store(prepared); adapter.commitFlush()
///     …
///
/// Section controllers may call the adapter inside of their callbacks. Calls that cannot run there are queued until
/// the callback has returned.
///
/// An ``ObjectList`` determines the next step of an update, and a ``Presentation`` updates section controllers and
/// views. The adapter connects both and calls completions.
public final class ListAdapter {
    /// The maximum number of items in a section.
    public static let maximumItemsPerSection = SectionStore.maximumItemCount

    /// The objects, requests and revisions of the list.
    private let objects: ObjectList
    /// The section controllers, views and selection of the list.
    let presentation: Presentation
    private let driver: ListDriver
    /// The updater; `nil` = ``ListOptions/updater`` chooses between the two of ListKit.
    let updater: (any ListUpdating)?
    private let observers = ListAdapterObservers()
    private var requests = WaitingRequests()
    private var schedule = FlushSchedule()
    /// The results of the flushes that the current ``flushNow()`` has made so far.
    ///
    /// A resync removes the pictures of its view from them.
    private var results: [FlushResult] = []

    /// The clock and the executor of a list without a host.
    public weak var scheduler: (any ListScheduler)? {
        didSet { scheduleFlush() }
    }
    /// The provider of the objects, which ``setDataSource(_:)`` sets.
    public private(set) weak var dataSource: (any ListAdapterDataSource)?

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - updater: decides when requests are taken, how objects are compared, and as what changes are announced; `nil` =
    ///     the options do. The adapter holds it strongly.
    ///   - controllers: the provider of the section controllers. The adapter holds it strongly. An object that owns
    ///     the adapter has to use ``init(configuration:updater:ownedBy:objects:revision:)`` instead, to avoid a reference
    ///     cycle.
    ///   - objects: the stored objects of the list. Of objects with equal identifiers, the first one is kept.
    ///   - revision: the revision of these objects.
    public init(
        configuration: ListOptions = ListOptions(), updater: (any ListUpdating)? = nil,
        controllers: any ListSectionControllerProvider, objects: [ListObject] = [], revision: UInt64 = 0
    ) {
        self.updater = updater
        let table = SectionTable()
        let list = ObjectList(
            table: table, numbers: RevisionNumbers(unstoredAt: revision), log: ChangeLog(revision: revision),
            configuration: configuration, updater: updater)
        self.objects = list
        presentation = Presentation(
            configuration, controllers, table, revision: revision, makeTicket: { list.makeTicket() }, executor: nil,
            observer: nil, delegate: observers)
        driver = ListDriver(list, presentation)
        observers.attach(to: self)
        presentation.load(objects)
    }

    deinit {
        // Every completion is called; with `false` if its update was never applied.
        for completion in requests.completions { completion(false) }
    }

    // MARK: State

    /// The options of the list. A request can change them
    /// (``UpdateRequest/Operation/configure(_:controllersChanged:)``).
    public var configuration: ListOptions { presentation.configuration }

    /// The revision of the list, which is 0 for a new empty list and grows by one with each applied transaction.
    public var revision: UInt64 { presentation.revision }

    /// The handler that is called when a flush becomes due (``flushTiming``), or when events are queued that no call
    /// has returned (``takeEvents()``).
    ///
    /// The adapter holds the handler strongly. It must capture the owner of the adapter weakly.
    public var onActivity: (() -> Void)? {
        get { presentation.onActivity }
        set { presentation.onActivity = newValue }
    }

    /// The executor of the owner, which runs delayed callbacks of section controllers. The adapter holds it weakly.
    public var executor: (any ListExecutor)? {
        get { presentation.executor }
        set { presentation.executor = newValue }
    }

    /// A rule by which the list counts as empty, in place of ``ListOptions/emptiness``.
    ///
    /// The adapter holds the closure strongly. It must capture the owner of the adapter weakly.
    public var emptinessPredicate: ((ListAdapter) -> Bool)? {
        get { observers.emptinessPredicate }
        set { observers.setEmptinessPredicate(newValue) }
    }

    /// The observer of the objects that appear and disappear. The adapter holds it weakly.
    public var delegate: (any ListAdapterDelegate)? {
        get { observers.delegate }
        set { observers.setDelegate(newValue) }
    }

    /// The announcer that forwards appearing and disappearing objects to its listeners. The adapter holds it weakly.
    public var announcer: ListAdapterAnnouncer? {
        get { observers.announcer }
        set { observers.setAnnouncer(newValue) }
    }

    /// The observer of the updater. The adapter holds it weakly.
    public var updaterDelegate: (any ListUpdaterDelegate)? {
        get { observers.updaterDelegate }
        set { observers.setUpdaterDelegate(newValue) }
    }

    /// The observer of all calls of section controllers. The adapter holds it weakly.
    public var performanceDelegate: (any ListPerformanceDelegate)? {
        get { observers.performanceDelegate }
        set { observers.setPerformanceDelegate(newValue) }
    }

    /// Adds a listener for all updates. The adapter holds it weakly.
    public func addUpdateListener(_ listener: any ListUpdateListener) { observers.add(listener) }

    /// Removes a listener for updates.
    public func removeUpdateListener(_ listener: any ListUpdateListener) { observers.remove(listener) }

    // MARK: Requests

    /// Queues a request. It is answered exactly once, in the ``FlushResult/answers`` of a flush.
    ///
    /// - Parameter now: the current time in milliseconds. Only adaptive coalescing needs it.
    public func enqueue(_ request: UpdateRequest, now: UInt64? = nil) { enqueue(request, .host(request.id), now: now) }

    /// Queues a request of a program, which gets a completion instead of an answer.
    func enqueue(animated: Bool, _ operation: UpdateRequest.Operation, _ completion: @escaping (Bool) -> Void) {
        enqueue(
            UpdateRequest(id: 0, animated: animated, operation: operation), .program(completion), now: scheduler?.now)
    }

    /// Queues a request to replace the list by the objects that a data source has when the flush begins.
    func enqueue(_ source: any ListAdapterDataSource, animated: Bool, _ completion: @escaping (Bool) -> Void) {
        let request = UpdateRequest(id: 0, animated: animated, operation: .performUpdates(objects: []))
        enqueue(request, .dataSource(source, completion), now: scheduler?.now)
    }

    private func enqueue(_ request: UpdateRequest, _ waiter: WaitingRequests.Waiter, now: UInt64?) {
        if let now { schedule.setTime(now) }
        var request = request
        request.id = requests.makeID()
        let ticket = objects.enqueue(request, now: schedule.now, isOnScreen: presentation.views.isOnScreen)
        requests.insert(waiter, for: request, ticket: ticket)
        scheduleFlush()
        presentation.store.gate.reportActivity()
    }

    /// Schedules a flush for an item update that a section controller has queued.
    func didQueueItemUpdate() {
        passOnFirstItemUpdate()
        scheduleFlush()
    }

    /// Tells the ``ObjectList`` which item update is queued first.
    private func passOnFirstItemUpdate() {
        guard let first = presentation.firstItemUpdate else { return }
        objects.setFirstItemUpdate(first, now: schedule.now, isOnScreen: presentation.views.isOnScreen)
    }

    /// The time at which the host should call ``beginFlush(now:)``; idle during a flush.
    public var flushTiming: FlushTiming {
        let planned = objects.timing
        guard let updater, planned != .idle else { return planned }
        return presentation.store.gate.callOut {
            updater.timing(planned: planned, requests: objects.queuedRequestCount)
        }
    }

    /// The change of the objects that the host has to store; `nil` unless a flush waits for that.
    @_spi(Daemon) public var changeToStore: Change? { objects.phase == .storing ? objects.change : nil }

    /// Whether a flush is in progress, that is, its diff is being computed or its transaction is being stored.
    public var isFlushing: Bool { objects.phase != .idle }

    // MARK: Flushing

    /// Begins a flush: dequeues requests, validates them in strict order of arrival and prepares a transaction.
    ///
    /// Does nothing while another flush is in progress.
    public func beginFlush(now: UInt64) -> FlushStep {
        schedule.setTime(now)
        guard objects.phase == .idle, presentation.isIdle else { return .finished(FlushResult()) }
        readDataSources()
        let (store, old) = (presentation.store, configuration)
        let isMove = if case .moveItem? = objects.nextRequests.first?.operation { true } else { false }
        let output = driver.run(now: schedule.now, isUrgent: true, diffsAtOnce: false) { store.rejectedTypes(of: $0) }
        if case .announce(let said) = output {
            return .finished(finish(said, since: old, notifiesListeners: !isMove))
        }
        return continueFlush(with: output)
    }

    /// Asks the data sources of the next requests for their objects. Each data source is asked once (rule UP-66).
    private func readDataSources() {
        var known: [ObjectIdentifier: UpdateRequest.Operation] = [:]
        var operations: [RequestID: UpdateRequest.Operation] = [:]
        var hasAsked = true
        // A data source may enqueue requests while it is asked.
        while hasAsked {
            hasAsked = false
            for request in objects.nextRequests where operations[request.id] == nil {
                guard let source = requests.dataSource(of: request.id) else { continue }
                let id = ObjectIdentifier(source)
                let operation = known[id] ?? ask(source)
                hasAsked = hasAsked || known[id] == nil
                known[id] = operation
                operations[request.id] = operation
            }
        }
        objects.replace(operations)
    }

    /// Asks a data source for its objects. Values that cannot be objects make the request fail.
    private func ask(_ source: any ListAdapterDataSource) -> UpdateRequest.Operation {
        let operation = presentation.store.gate.callOut {
            (source as? ListModels)?.operation(for: self) ?? .performUpdates(objects: source.objects(for: self))
        }
        if case .invalid(let error) = operation {
            let fault = SectionFault(objectID: "", controller: "", reason: error.message)
            observers.notifyUpdaterDelegate { $0.adapter($1, didFindFault: fault) }
        }
        return operation
    }

    /// Continues the flush with the output of its ``DiffJob``. The output of a cancelled job is ignored.
    public func finishDiff(_ output: DiffJob.Output) -> FlushStep { finishDiff(output, onBackgroundThread: true) }

    private func finishDiff(_ output: DiffJob.Output, onBackgroundThread: Bool) -> FlushStep {
        guard objects.awaits(output) else { return .finished(FlushResult()) }
        observers.notifyUpdaterDelegate {
            $0.adapter($1, didDiff: output.result, onBackgroundThread: onBackgroundThread)
        }
        return continueFlush(with: driver.finishDiff(output))
    }

    /// Applies the transaction of ``FlushStep/commit(_:)``, after the host has stored it.
    ///
    /// Section controllers are called first, then every view is updated.
    public func commitFlush() -> FlushResult {
        guard objects.phase == .storing else { return FlushResult() }
        if case .finished(let result) = continueFlush(with: driver.stored(.success(()), now: schedule.now)) {
            return result
        }
        return FlushResult()
    }

    /// Discards the transaction of ``FlushStep/commit(_:)`` and answers every request of the flush with an error.
    ///
    /// Item updates are kept for the next flush, which needs no store if it has only these.
    public func abortFlush(_ error: ListError) -> FlushResult {
        guard objects.phase == .storing,
            case .announce(let said) = driver.stored(.failure(error), now: schedule.now)
        else { return FlushResult() }
        let outcome = requests.removeWaiters(for: said.answers)
        scheduleFlush()
        if presentation.firstItemUpdate != nil, flushTiming == .now { presentation.store.gate.reportActivity() }
        var result = FlushResult()
        result.answers = outcome.answers
        result.events = presentation.finish(ShownUpdate(), completions: outcome.completions)
        return result
    }

    /// Cancels the flush if its diff is being computed, and returns its requests to the front of the queue. Does
    /// nothing otherwise.
    public func cancelFlush() {
        guard objects.phase == .diffing else { return }
        objects.cancelDiff(now: schedule.now)
        scheduleFlush()
    }

    /// Does what a driver leaves to its owner, up to what the host has to do.
    ///
    /// - Returns: the step for the host; ``FlushStep/finished(_:)`` if the flush has ended.
    private func continueFlush(with output: ListDriver.Output) -> FlushStep {
        switch output {
        case .wait, .reserve: return .finished(FlushResult())
        case .diff(let job):
            observers.notifyUpdaterDelegate { $0.adapter($1, willDiffFrom: job.old, to: job.new) }
            if job.comparison.isInBackground { return .diff(job) }
            return finishDiff(job.run(), onBackgroundThread: false)
        case .store: return .commit
        case .announce(let said): return .finished(finish(said, since: configuration))
        }
    }

    /// Ends a flush with its announcement: calls listeners and completions.
    ///
    /// - Parameters:
    ///   - old: the options before the flush. Others without an effect on views are no update.
    ///   - notifiesListeners: whether listeners are told of requests that succeeded without a change.
    private func finish(
        _ said: Announcement, since old: ListOptions, notifiesListeners: Bool = true
    ) -> FlushResult {
        guard let shown = presentation.takeShown() else {
            let isApplied = said.answers.contains { if case .success = $0.outcome { true } else { false } }
            return finishUnchanged(said.answers, notifiesListeners: isApplied && notifiesListeners)
        }
        passOnFirstItemUpdate()
        let change = said.change ?? Change()
        if let options = change.options, !change.isAnnounced, !old.affectsViews(comparedTo: options) {
            return finishUnchanged(said.answers)
        }
        let isReload = !change.scope.isDisjoint(with: [.controllers, .layout])
        let kind: ListUpdateKind = isReload ? .reloadData : said.answers.isEmpty ? .itemUpdates : .performUpdates
        let outcome = requests.removeWaiters(for: said.answers)
        var result = FlushResult()
        result.answers = outcome.answers
        result.transaction = shown.transaction
        result.events = presentation.finish(
            shown, notifying: { [observers] in observers.notifyListeners(kind, animated: shown.isAnimated) },
            completions: outcome.completions)
        return result
    }

    /// Ends a flush without changes: calls completions and, if requested, listeners.
    private func finishUnchanged(_ answers: [RequestAnswer], notifiesListeners: Bool = false) -> FlushResult {
        let outcome = requests.removeWaiters(for: answers)
        if notifiesListeners {
            presentation.store.gate.runCompletions {
                observers.notifyListeners(.performUpdates, animated: outcome.isAnimated)
            }
        }
        observers.notifyUpdaterDelegate { $0.adapterDidFinishWithoutUpdates($1) }
        var result = FlushResult()
        result.answers = outcome.answers
        result.events = presentation.finish(ShownUpdate(), completions: outcome.completions)
        return result
    }

    // MARK: Without a host

    /// Replaces the data source and flushes its objects before returning.
    ///
    /// All queued requests are flushed with them, and so are the requests of a flush whose diff is being computed. If
    /// this function is called inside of a callback, the flush runs after the callback instead. If there is also no
    /// scheduler, the objects wait for the next flush.
    /// - Returns: the results of the flushes, in order. The scheduler has received them too.
    @discardableResult
    public func setDataSource(_ new: (any ListAdapterDataSource)?) -> [FlushResult] {
        guard !presentation.store.gate.isBusy else {
            presentation.store.gate.enqueue { [weak self, weak new] in
                guard let self, replaceDataSource(new) else { return }
                if scheduler != nil { flushNow() }
            }
            return []
        }
        guard replaceDataSource(new), objects.phase == .idle else { return [] }
        return flushNow()
    }

    /// Sets the data source and queues a request for its objects.
    ///
    /// - Returns: whether a request was queued; `false` if the data source is `nil` or the same as before.
    @discardableResult
    func replaceDataSource(_ new: (any ListAdapterDataSource)?) -> Bool {
        guard new !== dataSource else { return false }
        dataSource = new
        guard let new else { return false }
        cancelFlush()
        enqueue(new, animated: false) { _ in }
        return true
    }

    /// Flushes all queued requests. Diffs are computed inside of this call.
    ///
    /// Does nothing inside of a callback or during another flush. Stops when a flush is cancelled
    /// (``cancelFlush()``). Stops after 256 flushes, because each completion may queue another update; the
    /// remaining requests stay queued for the scheduler or the next call.
    /// - Returns: the results of the flushes, in order.
    @discardableResult
    public func flushNow() -> [FlushResult] {
        let start = results.count
        let cancelled = objects.cancelledDiffs
        while !presentation.store.gate.isBusy, objects.timing != .idle, objects.cancelledDiffs == cancelled,
            results.count - start < ListAdapter.maximumFlushes
        {
            var step = beginFlush(now: scheduler?.now ?? schedule.now)
            if case .diff(let job) = step { step = finishDiff(job.run()) }
            results.append(endFlush(with: step))
        }
        defer { results.removeSubrange(start...) }
        return Array(results[start...])
    }

    /// The maximum number of flushes in one ``flushNow()``.
    private static let maximumFlushes = 256

    /// Asks the scheduler for a call at the time of the next flush.
    private func scheduleFlush() {
        guard let scheduler else { return }
        let timing = flushTiming
        guard let number = schedule.makeCallNumber(for: timing) else { return }
        scheduler.schedule(timing) { [weak self] in
            // An outdated call is ignored: the flush is due at another time, which has its own call.
            guard let self, schedule.acceptCall(number: number) else { return }
            runScheduledFlush()
        }
    }

    private func runScheduledFlush() {
        guard let scheduler else { return }
        let step = beginFlush(now: scheduler.now)
        guard case .diff(let job) = step else {
            endFlush(with: step)
            return
        }
        scheduler.run(job) { [weak self] output in
            guard let self else { return }
            endFlush(with: finishDiff(output))
        }
    }

    /// Ends a flush and passes its result to the scheduler.
    @discardableResult
    private func endFlush(with step: FlushStep) -> FlushResult {
        let result: FlushResult
        switch step {
        case .finished(let finished): result = finished
        case .commit: result = commitFlush()
        case .diff: result = FlushResult()
        }
        if !result.answers.isEmpty { scheduler?.adapter(self, answered: result.answers) }
        scheduler?.adapter(self, emitted: result.events)
        scheduleFlush()
        return result
    }

    /// Drops the queued pictures of a view, because its viewer has read the whole picture.
    func dropQueuedPictures(of view: ViewID) {
        for index in results.indices { results[index].events.removeAll { $0.isPicture(of: view) } }
    }

    // MARK: Describing

    /// A description of the list, its updater, its section controllers and its views for a debug dump, in lines.
    public var debugDescriptionLines: [String] {
        let state =
            switch objects.phase {
            case .idle: "idle"
            case .asking: "asking"
            case .diffing: "diffing (\(objects.currentRequestCount) requests)"
            case .storing:
                "storing (\(objects.currentRequestCount) requests, \(objects.currentChangeCount) changes)"
            case .presenting: "applying"
            }
        return presentation.descriptionLines(
            state: [
                "data source: \(dataSource.map { "\(type(of: $0))" } ?? "none"), delegate: "
                    + (delegate.map { "\(type(of: $0))" } ?? "none")
            ],
            updater: "\(state), \(objects.queuedRequestCount + presentation.queuedItemUpdateCount) queued, "
                + "next flush \(flushTiming)"
        )
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The engine of one list, which turns changes of objects into pictures and events. It corresponds to IGListKit's
/// `IGListAdapter` with its updater.
///
/// An adapter belongs to one executor, its "main thread". Every call has to come from there, and section controllers
/// are called there. The adapter uses no clock, thread, bus or file. The caller passes the time in milliseconds and
/// acts on the values that calls return:
///
///     adapter.enqueue(request)
///     for result in adapter.flushNow() { … }                // validated, coalesced, diffed, applied
///
/// Section controllers may call the adapter inside of their callbacks. Calls that cannot run there are queued until
/// the callback has returned.
///
/// A ``ListDriver`` takes the steps of an ``ObjectList`` to a ``Presentation``, which updates section controllers and
/// views. The adapter computes diffs, needs no store, and calls completions.
public final class ListAdapter {
    /// The maximum number of items in a section.
    public static let maximumItemsPerSection = SectionStore.maximumItemCount

    /// The objects, requests and revisions of the list.
    let objects: ObjectList
    /// The section controllers, views and selection of the list.
    let presentation: Presentation
    let driver: ListDriver
    /// The updater; `nil` = ``ListOptions/updater`` chooses between the two of ListKit.
    let updater: (any ListUpdating)?
    private let observers = ListAdapterObservers()
    private var requests = WaitingRequests()
    private var schedule = FlushSchedule()
    /// The options before the current flush. Other ones without an effect on views are no update.
    private var optionsBefore: ListOptions
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
        optionsBefore = configuration
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

    /// The time at which the owner should call ``flushNow(now:)``; idle during a flush.
    public var flushTiming: FlushTiming {
        let planned = objects.timing
        guard let updater, planned != .idle else { return planned }
        return presentation.store.gate.callOut {
            updater.timing(planned: planned, requests: objects.queuedRequestCount)
        }
    }

    /// Whether a flush is in progress, that is, its diff is being computed.
    public var isFlushing: Bool { objects.phase != .idle }

    // MARK: Flushing

    /// Begins a flush: dequeues requests and validates them in strict order of arrival.
    ///
    /// Does nothing while another flush is in progress.
    func startFlush(now: UInt64) -> OwnerStep {
        schedule.setTime(now)
        guard objects.phase == .idle, presentation.isIdle else { return .wait(.idle) }
        readDataSources()
        optionsBefore = configuration
        let store = presentation.store
        let step = driver.run(now: schedule.now, isUrgent: true, diffsAtOnce: false) { store.rejectedTypes(of: $0) }
        guard case .diff(let job) = step else { return step }
        observers.notifyUpdaterDelegate { $0.adapter($1, willDiffFrom: job.old, to: job.new) }
        return job.comparison.isInBackground ? step : continueFlush(with: job.run(), onBackgroundThread: false)
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
    func continueFlush(with output: DiffJob.Output, onBackgroundThread: Bool = true) -> OwnerStep {
        guard objects.awaits(output) else { return .wait(.idle) }
        observers.notifyUpdaterDelegate {
            $0.adapter($1, didDiff: output.result, onBackgroundThread: onBackgroundThread)
        }
        return driver.finishDiff(output)
    }

    /// Cancels the flush if its diff is being computed, and returns its requests to the front of the queue. Does
    /// nothing otherwise.
    public func cancelFlush() {
        guard objects.phase == .diffing else { return }
        objects.cancelDiff(now: schedule.now)
        scheduleFlush()
    }

    /// Ends a flush with its announcement: calls listeners and completions.
    func finish(_ said: Announcement) -> FlushResult {
        guard let shown = presentation.takeShown() else {
            return finishUnchanged(said.answers, notifiesListeners: true)
        }
        passOnFirstItemUpdate()
        let change = said.change ?? Change()
        if let options = change.options, !change.isAnnounced, !optionsBefore.affectsViews(comparedTo: options) {
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

    /// Ends a flush without changes: calls completions and, if requested, the listeners, which are not told of moves and
    /// of failures.
    private func finishUnchanged(_ answers: [RequestAnswer], notifiesListeners: Bool = false) -> FlushResult {
        let outcome = requests.removeWaiters(for: answers)
        if notifiesListeners, outcome.isUpdate {
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
    /// - Parameter now: the current time in milliseconds; `nil` = that of the scheduler, or of the last call with a time.
    /// - Returns: the results of the flushes, in order.
    @discardableResult
    public func flushNow(now: UInt64? = nil) -> [FlushResult] {
        let start = results.count
        let cancelled = objects.cancelledDiffs
        while !presentation.store.gate.isBusy, objects.timing != .idle, objects.cancelledDiffs == cancelled,
            results.count - start < ListAdapter.maximumFlushes
        {
            var output = startFlush(now: now ?? scheduler?.now ?? schedule.now)
            if case .diff(let job) = output { output = continueFlush(with: job.run()) }
            results.append(endFlush(with: output))
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
        let output = startFlush(now: scheduler.now)
        guard case .diff(let job) = output else {
            endFlush(with: output)
            return
        }
        scheduler.run(job) { [weak self] output in
            guard let self else { return }
            endFlush(with: continueFlush(with: output))
        }
    }

    /// Takes a flush to its end, as a program needs no store, and passes its result to the scheduler.
    @discardableResult
    private func endFlush(with first: OwnerStep) -> FlushResult {
        var (step, result) = (first, FlushResult())
        while case .store = step { step = driver.stored(.success(()), now: schedule.now) }
        if case .announce(let said) = step { result = finish(said) }
        if !result.answers.isEmpty { scheduler?.adapter(self, answered: result.answers) }
        scheduler?.adapter(self, emitted: result.events)
        scheduleFlush()
        return result
    }

    /// Drops the queued pictures of a view, because its viewer has read the whole picture.
    ///
    /// - Returns: how far the viewport moved in them.
    func dropQueuedPictures(of view: ViewID) -> Point {
        var shift = Point.zero
        for index in results.indices {
            for case .picture(let change) in results[index].events where change.view == view {
                shift = shift + change.shift
            }
            results[index].events.removeAll { $0.isPicture(of: view) }
        }
        return shift
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

/// The requests of a list that are not answered yet, each with its waiter.
struct WaitingRequests {
    /// The receiver of a request's outcome.
    enum Waiter {
        /// A host, which gets an answer with its own identifier of the request.
        case host(RequestID)
        /// A program, whose completion is called.
        case program((Bool) -> Void)
        /// A program that requested the objects of a data source.
        ///
        /// The data source is asked when the flush begins. It is held strongly until the request is answered.
        case dataSource(any ListAdapterDataSource, (Bool) -> Void)
    }

    /// A request with its waiter.
    private struct WaitingRequest {
        let waiter: Waiter
        let ticket: Ticket
        let isAnimated: Bool
        let isItemMove: Bool
    }

    /// The requests by their identifiers in the ``ObjectList``. Hosts may use the same identifier again.
    private var requests: [RequestID: WaitingRequest] = [:]
    private var lastID: RequestID = 0

    /// Returns a new identifier for a request in the ``ObjectList``.
    mutating func makeID() -> RequestID {
        lastID += 1
        return lastID
    }

    /// Adds the waiter for a request.
    mutating func insert(_ waiter: Waiter, for request: UpdateRequest, ticket: Ticket) {
        let isItemMove = if case .moveItem = request.operation { true } else { false }
        requests[request.id] = WaitingRequest(
            waiter: waiter, ticket: ticket, isAnimated: request.animated, isItemMove: isItemMove)
    }

    /// Returns the data source whose objects a request needs; `nil` for other requests.
    func dataSource(of id: RequestID) -> (any ListAdapterDataSource)? {
        if case .dataSource(let source, _) = requests[id]?.waiter { source } else { nil }
    }

    /// The answers and completions for a set of requests.
    struct Outcome {
        /// The answers for hosts, with the identifiers that the hosts use.
        var answers: [RequestAnswer] = []
        /// The completions of programs, with the tickets of their requests.
        var completions: [(ticket: Ticket, call: () -> Void)] = []
        /// Whether all requests that succeeded are animated.
        var isAnimated = true
        /// Whether a request other than the move of an item has succeeded.
        var isUpdate = false
    }

    /// Removes the waiters of the answered requests, and returns the answers and completions for these waiters.
    mutating func removeWaiters(for answers: [RequestAnswer]) -> Outcome {
        var outcome = Outcome()
        for answer in answers {
            guard let request = requests.removeValue(forKey: answer.id) else { continue }
            let isApplied = if case .success = answer.outcome { true } else { false }
            if isApplied {
                outcome.isAnimated = outcome.isAnimated && request.isAnimated
                outcome.isUpdate = outcome.isUpdate || !request.isItemMove
            }
            switch request.waiter {
            case .host(let id):
                var answer = answer
                answer.id = id
                outcome.answers.append(answer)
            case .program(let completion), .dataSource(_, let completion):
                outcome.completions.append((request.ticket, { completion(isApplied) }))
            }
        }
        return outcome
    }

    /// The completions of all waiting programs, in order of arrival.
    var completions: [(Bool) -> Void] {
        requests.values.sorted { $0.ticket < $1.ticket }.compactMap { request in
            switch request.waiter {
            case .host: nil
            case .program(let completion), .dataSource(_, let completion): completion
            }
        }
    }
}

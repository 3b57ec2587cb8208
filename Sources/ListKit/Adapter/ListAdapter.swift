// SPDX-License-Identifier: Apache-2.0

/// The engine of one list: objects in, pictures and events out (IGListKit's `IGListAdapter` with its updater).
///
/// An adapter belongs to one executor, its "main thread": every call comes from there, and section controllers are called
/// there. It has no clock, thread, bus or file: the caller passes the time in milliseconds and acts on the values that calls
/// return. Updates have two phases, so that a host can store a transaction before it is applied:
///
///     adapter.enqueue(request)
///     switch adapter.beginFlush(now: now) {                 // validated, coalesced, diffed
///     case .commit(let prepared): store(prepared); adapter.commitFlush()
///     …
///
/// Section controllers may call the adapter inside of their callbacks: what cannot run at once is queued.
///
/// An ``ObjectList`` decides what is done next, a ``Presentation`` updates section controllers and views, and the adapter connects
/// both and calls completions.
public final class ListAdapter {
    /// The options of the list.
    public typealias Configuration = ListOptions
    /// How changes are announced.
    public typealias Updater = ListOptions.Updater
    /// When a list counts as empty.
    public typealias Emptiness = ListOptions.Emptiness
    /// How long requests are collected.
    public typealias Coalescing = ListOptions.Coalescing

    /// The most items that one section may have.
    public static let maximumItemsPerSection = SectionStore.maximumItemCount

    /// The objects, requests and revisions.
    private let objects: ObjectList
    /// The sections, views and selection.
    let presentation: Presentation
    private let observers = ListAdapterObservers()
    private var requests = WaitingRequests()
    private var schedule = FlushSchedule()
    /// The results of the flushes of one ``flushNow()`` so far; pictures that a resync replaces are removed from them.
    private var results: [FlushResult] = []

    /// The time and the executor, for a list without a host.
    public weak var scheduler: (any ListScheduler)?
    /// Provides the objects; set with ``setDataSource(_:)``.
    public private(set) weak var dataSource: (any ListAdapterDataSource)?

    /// Makes a list.
    ///
    /// - Parameters:
    ///   - controllers: provides the section controllers. The adapter keeps it: an object that owns the adapter uses
    ///     ``init(configuration:ownedBy:objects:revision:)`` instead, or neither is ever freed.
    ///   - objects: the stored objects of the list; repeated identifiers are dropped.
    ///   - revision: the revision of these objects.
    public init(
        configuration: Configuration, controllers: any ListSectionControllerProvider, objects: [ListObject] = [],
        revision: UInt64 = 0
    ) {
        let table = SectionTable()
        let list = ObjectList(
            table: table, numbers: RevisionNumbers(unstoredAt: revision), log: ChangeLog(revision: revision),
            configuration: configuration, storesItemUpdates: true)
        self.objects = list
        presentation = Presentation(
            configuration, controllers, table, revision: revision, makeTicket: { list.makeTicket() }, executor: nil,
            observer: nil, delegate: observers)
        observers.attach(to: self)
        presentation.load(objects)
    }

    deinit {
        // Completions are always called: with false for updates that were never applied.
        for completion in requests.completions { completion(false) }
    }

    // MARK: State

    /// The options; changed by a request (``UpdateRequest/Operation/configure(_:controllersChanged:)``).
    public var configuration: Configuration { presentation.configuration }

    /// The revision of the list: one more for each applied transaction, 0 for the empty new list.
    public var revision: UInt64 { presentation.revision }

    /// Called when a flush became due (``flushTiming``), or events are queued that no call of the host returned
    /// (``takeEvents()``). It is kept, so it has to capture the owner of the adapter weakly.
    public var onActivity: (() -> Void)? {
        get { presentation.onActivity }
        set { presentation.onActivity = newValue }
    }

    /// Runs delayed callbacks of section controllers, on the owner's executor; held weakly.
    public var executor: (any ListExecutor)? {
        get { presentation.executor }
        set { presentation.executor = newValue }
    }

    /// Decides whether the list counts as empty, in place of ``ListOptions/emptiness``. It is kept, so it has to capture the owner
    /// of the adapter weakly.
    public var emptinessPredicate: ((ListAdapter) -> Bool)? {
        get { observers.emptinessPredicate }
        set { observers.setEmptinessPredicate(newValue) }
    }

    /// Observes which objects appear and disappear; held weakly.
    public var delegate: (any ListAdapterDelegate)? {
        get { observers.delegate }
        set { observers.setDelegate(newValue) }
    }

    /// Passes on which objects appear and disappear; held weakly.
    public var announcer: ListAdapterAnnouncer? {
        get { observers.announcer }
        set { observers.setAnnouncer(newValue) }
    }

    /// Observes the updater; held weakly.
    public var updaterDelegate: (any ListUpdaterDelegate)? {
        get { observers.updaterDelegate }
        set { observers.setUpdaterDelegate(newValue) }
    }

    /// Observes every call of a section controller; held weakly.
    public var performanceDelegate: (any ListPerformanceDelegate)? {
        get { observers.performanceDelegate }
        set { observers.setPerformanceDelegate(newValue) }
    }

    /// Adds a listener for every update; held weakly.
    public func addUpdateListener(_ listener: any ListUpdateListener) { observers.add(listener) }

    /// Removes a listener.
    public func removeUpdateListener(_ listener: any ListUpdateListener) { observers.remove(listener) }

    // MARK: Requests

    /// Queues a request; it is answered exactly once, in some ``FlushResult/answers``.
    ///
    /// - Parameter now: the time in milliseconds; only adaptive coalescing needs it.
    public func enqueue(_ request: UpdateRequest, now: UInt64? = nil) { enqueue(request, .host(request.id), now: now) }

    /// Queues a request of a program.
    func enqueue(animated: Bool, _ operation: UpdateRequest.Operation, _ completion: @escaping (Bool) -> Void) {
        enqueue(
            UpdateRequest(id: 0, animated: animated, operation: operation), .program(completion), now: scheduler?.now)
    }

    /// Queues the objects that a data source has when the flush begins.
    func enqueue(_ source: any ListAdapterDataSource, animated: Bool, _ completion: @escaping (Bool) -> Void) {
        let request = UpdateRequest(id: 0, animated: animated, operation: .performUpdates(objects: []))
        enqueue(request, .dataSource(source, completion), now: scheduler?.now)
    }

    private func enqueue(_ request: UpdateRequest, _ waiter: WaitingRequests.Waiter, now: UInt64?) {
        if let now { schedule.setTime(now) }
        var request = request
        request.id = requests.makeID()
        let ticket = objects.enqueue(request, now: schedule.now, isOnScreen: presentation.views.isOnScreen)
        requests.insert(waiter, request, ticket: ticket)
        scheduleFlush()
        presentation.store.gate.reportActivity()
    }

    /// Handles an item update that a section controller queued.
    func itemUpdateWaits() {
        followItemUpdates()
        scheduleFlush()
    }

    private func followItemUpdates() {
        guard let first = presentation.firstItemUpdate else { return }
        objects.itemUpdatesWait(first, now: schedule.now, isOnScreen: presentation.views.isOnScreen)
    }

    /// When the host should call ``beginFlush(now:)``; idle during a flush.
    public var flushTiming: FlushTiming { objects.timing }

    /// Whether a flush is in progress: its diff is being computed, or its transaction stored.
    public var isFlushing: Bool { objects.phase != .idle }

    // MARK: Flushing

    /// Dequeues requests, validates them in strict order of arrival and prepares one transaction.
    ///
    /// Does nothing during another flush.
    public func beginFlush(now: UInt64) -> FlushStep {
        schedule.setTime(now)
        guard objects.phase == .idle, presentation.isIdle else { return .finished(FlushResult()) }
        readDataSources()
        let store = presentation.store
        return perform(
            objects.next(now: schedule.now, isUrgent: true, diffsAtOnce: false) { store.rejectedTypes(of: $0) })
    }

    /// Asks the data sources of the next requests for their objects, each once (rule UP-66).
    private func readDataSources() {
        var known: [ObjectIdentifier: [ListObject]] = [:]
        var operations: [RequestID: UpdateRequest.Operation] = [:]
        var hasAsked = true
        // A data source may enqueue requests while it is asked.
        while hasAsked {
            hasAsked = false
            for request in objects.nextRequests where operations[request.id] == nil {
                guard let source = requests.dataSource(of: request.id) else { continue }
                let id = ObjectIdentifier(source)
                let list = known[id] ?? presentation.store.gate.callOut { source.objects(for: self) }
                hasAsked = hasAsked || known[id] == nil
                known[id] = list
                operations[request.id] = .performUpdates(objects: list)
            }
        }
        objects.replace(operations)
    }

    /// Continues with the output of a ``DiffJob``; that of a cancelled one is ignored.
    public func finishDiff(_ output: DiffJob.Output) -> FlushStep { finishDiff(output, onBackgroundThread: true) }

    private func finishDiff(_ output: DiffJob.Output, onBackgroundThread: Bool) -> FlushStep {
        guard objects.awaits(output) else { return .finished(FlushResult()) }
        observers.tellUpdater { $0.adapter($1, didDiff: output.result, onBackgroundThread: onBackgroundThread) }
        return perform(objects.diffed(output))
    }

    /// Applies the transaction of ``FlushStep/commit(_:)``, which is stored.
    ///
    /// Section controllers are called, then every view is updated.
    /// When only item updates were flushed and none of them changes anything, there is no transaction, and the revision stays.
    public func commitFlush() -> FlushResult {
        guard objects.phase == .storing else { return FlushResult() }
        let step = objects.stored(.success(()), sharesTable: true, now: schedule.now)
        if case .finished(let result) = perform(step) { return result }
        return FlushResult()
    }

    /// Discards the transaction of ``FlushStep/commit(_:)``: every request of the flush is answered with the error.
    ///
    /// Item updates are not requests: they run with the next flush. If they were refused without a request, now or before,
    /// ``flushTiming`` schedules it after a delay that grows each time.
    public func abortFlush(_ error: ListError) -> FlushResult {
        guard objects.phase == .storing,
            case .answers(let answers) = objects.stored(.failure(error), sharesTable: true, now: schedule.now)
        else { return FlushResult() }
        let outcome = requests.remove(answers)
        scheduleFlush()
        if presentation.firstItemUpdate != nil, flushTiming == .now { presentation.store.gate.reportActivity() }
        var result = FlushResult()
        result.answers = outcome.answers
        result.events = presentation.finish(ShownUpdate(), completions: outcome.completions)
        return result
    }

    /// Cancels a flush whose diff is being computed; its requests return to the front of the queue.
    public func cancelFlush() {
        guard objects.phase == .diffing else { return }
        objects.cancelDiff(now: schedule.now)
        scheduleFlush()
    }

    /// Carries out a step.
    private func perform(_ step: UpdateStep) -> FlushStep {
        switch step {
        case .wait, .reserve: return .finished(FlushResult())
        case .diff(let job):
            observers.tellUpdater { $0.adapter($1, willDiffFrom: job.old, to: job.new) }
            if job.objectCount >= configuration.backgroundDiffThreshold { return .diff(job) }
            return finishDiff(job.run(), onBackgroundThread: false)
        case .ask(let move):
            if let verdict = presentation.judge(move) { return finishMove(objects.moveAnswered(verdict)) }
            return perform(objects.moveByController())
        case .store(let work):
            return .commit(
                PreparedTransaction(
                    baseRevision: revision, revision: revision + 1,
                    content: work.content ?? .changes(PreparedTransaction.Changes())))
        case .present(let update):
            let old = configuration
            let shown = presentation.show(update)
            if !update.isAnnounced, !old.affectsViews(comparedTo: configuration) {
                return .finished(finishUnchanged(present(shown).answers))
            }
            return .finished(finish(shown, isReload: update.rebuildsControllers || update.relaysOut))
        case .presentItems(let ticket):
            let isAnimated = objects.presentsAnimated
            return .finished(finish(presentation.showItems(through: ticket, animated: isAnimated), isReload: false))
        case .answers(let answers):
            let isApplied = answers.contains { if case .success = $0.outcome { true } else { false } }
            return .finished(finishUnchanged(answers, notifiesListeners: isApplied))
        }
    }

    /// Continues with a dragged item; a move that changes nothing is no update.
    private func finishMove(_ step: UpdateStep) -> FlushStep {
        if case .answers(let answers) = step { return .finished(finishUnchanged(answers)) }
        return perform(step)
    }

    /// Numbers the revision of an update.
    private func present(_ shown: ShownUpdate) -> Announced {
        let announced = objects.presented(
            Presented(transaction: shown.transaction, itemCount: presentation.itemCount))
        followItemUpdates()
        return announced
    }

    /// Ends an update: calls listeners and completions.
    private func finish(_ shown: ShownUpdate, isReload: Bool) -> FlushResult {
        let answers = present(shown).answers
        let kind: ListUpdateKind = isReload ? .reloadData : answers.isEmpty ? .itemUpdates : .performUpdates
        let outcome = requests.remove(answers)
        var result = FlushResult()
        result.answers = outcome.answers
        result.transaction = shown.transaction
        result.events = presentation.finish(
            shown, notifying: { [observers] in observers.notifyListeners(kind, animated: shown.isAnimated) },
            completions: outcome.completions)
        return result
    }

    /// Ends a flush without changes.
    private func finishUnchanged(_ answers: [RequestAnswer], notifiesListeners: Bool = false) -> FlushResult {
        let outcome = requests.remove(answers)
        if notifiesListeners {
            presentation.store.gate.complete {
                observers.notifyListeners(.performUpdates, animated: outcome.isAnimated)
            }
        }
        observers.tellUpdater { $0.adapterDidFinishWithoutUpdates($1) }
        var result = FlushResult()
        result.answers = outcome.answers
        result.events = presentation.finish(ShownUpdate(), completions: outcome.completions)
        return result
    }

    // MARK: Without a host

    /// Replaces the data source and flushes its objects at once, together with all queued requests and with a flush whose diff
    /// is being computed.
    ///
    /// Inside of a callback the flush comes right after it; without a scheduler, it is the next flush.
    /// - Returns: the results of the flushes, in order; the scheduler has received them too.
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

    /// Sets the data source and queues an update with its objects; returns whether there is one.
    private func replaceDataSource(_ new: (any ListAdapterDataSource)?) -> Bool {
        guard new !== dataSource else { return false }
        dataSource = new
        guard let new else { return false }
        cancelFlush()
        enqueue(new, animated: false) { _ in }
        return true
    }

    /// Flushes all queued requests, computing diffs at once.
    ///
    /// Does nothing inside of a callback and during another flush. It ends when a flush is cancelled (``cancelFlush()``), and after
    /// 256 flushes, because completions may queue another update each: the rest stays queued for the scheduler or the next call.
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
            results.append(finish(step))
        }
        defer { results.removeSubrange(start...) }
        return Array(results[start...])
    }

    /// The most flushes of one ``flushNow()``.
    private static let maximumFlushes = 256

    /// Asks the scheduler for a call when the next flush is due.
    private func scheduleFlush() {
        guard let scheduler, let count = schedule.announce(flushTiming) else { return }
        scheduler.schedule(flushTiming) { [weak self] in
            // Outdated when the flush became due at another time, which has its own call.
            guard let self, schedule.begin(count) else { return }
            runScheduledFlush()
        }
    }

    private func runScheduledFlush() {
        guard let scheduler else { return }
        let step = beginFlush(now: scheduler.now)
        guard case .diff(let job) = step else {
            finish(step)
            return
        }
        scheduler.run(job) { [weak self] output in
            guard let self else { return }
            finish(finishDiff(output))
        }
    }

    /// Completes a flush and passes its result to the scheduler.
    @discardableResult
    private func finish(_ step: FlushStep) -> FlushResult {
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

    /// Drops queued pictures of a view, because its viewer reads the whole picture.
    func forgetPictures(of view: ViewID) {
        for index in results.indices { results[index].events.removeAll { $0.isPicture(of: view) } }
    }

    // MARK: Describing

    /// The list, its updater, its section controllers and its views, a line for each, for a dump.
    public var debugDescriptionLines: [String] {
        let state =
            switch objects.phase {
            case .idle: "idle"
            case .asking: "asking"
            case .diffing: "diffing (\(objects.requestsUnderWay) requests)"
            case .storing:
                "storing (\(objects.requestsUnderWay) requests, \(objects.changesUnderWay) changes)"
            case .presenting: "applying"
            }
        return presentation.descriptionLines(
            state: [
                "data source: \(dataSource.map { "\(type(of: $0))" } ?? "none"), delegate: "
                    + (delegate.map { "\(type(of: $0))" } ?? "none")
            ],
            updater: "\(state), \(objects.waitingCount + presentation.waitingItemUpdates) waiting, flush \(flushTiming)"
        )
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The engine of one list: objects in, pictures and events out (IGListKit's `IGListAdapter` with its updater).
///
/// An adapter belongs to one executor, its "main thread": every call comes from there, and section controllers are called
/// there. It has no clock, thread, bus or file: the caller passes the time in milliseconds and acts on the values that it
/// gets back. Writing has two phases, so that a host can store a transaction before it is applied:
///
///     adapter.enqueue(request)
///     switch adapter.beginFlush(now: now) {                 // validated, coalesced, diffed
///     case .commit(let prepared): store(prepared); adapter.commitFlush()
///     …
///
/// Calls from inside of a section controller's callback are answered too: what cannot run at once is queued.
///
/// Inside, an ``ObjectList`` decides what is done next, a ``Presentation`` does what section controllers and views have to do with
/// it, and the adapter carries one to the other and calls those who wait.
public final class ListAdapter {
    /// How a list behaves.
    public typealias Configuration = ListOptions
    /// How changes are announced.
    public typealias Updater = ListOptions.Updater
    /// When a list counts as empty.
    public typealias Emptiness = ListOptions.Emptiness
    /// How long requests are collected.
    public typealias Coalescing = ListOptions.Coalescing

    /// The most items that one section may have.
    public static let maximumItemsPerSection = SectionStore.maximumItemCount

    /// The objects: what waits, what is under way, and revisions.
    private let objects: ObjectList
    /// The sections, views and selection.
    let presentation: Presentation
    private let observers = ListAdapterObservers()
    private var requests = WaitingRequests()
    private var schedule = FlushSchedule()
    /// The results of the flushes of one ``flushNow()`` so far: what a viewer asks for anew is removed from them.
    private var results: [FlushResult] = []

    /// The clock and the executor, for a list without a host.
    public weak var scheduler: (any ListScheduler)?
    /// Gives the objects; set with ``setDataSource(_:)``.
    public private(set) weak var dataSource: (any ListAdapterDataSource)?

    /// Makes a list.
    ///
    /// - Parameters:
    ///   - controllers: provides the section controllers. The adapter keeps it, so it is an object of its own; an object that
    ///     owns the adapter passes itself as `ownedBy` instead (``init(configuration:ownedBy:objects:revision:)``), or
    ///     neither is ever freed.
    ///   - objects: what the list begins with, as it was stored; repeated identifiers are dropped.
    ///   - revision: the revision that these objects are.
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
        // Nobody waits for ever: what was never applied is told so.
        for completion in requests.completions { completion(false) }
    }

    // MARK: State

    /// How the list behaves; changed by a request (``UpdateRequest/Operation/configure(_:controllersChanged:)``).
    public var configuration: Configuration { presentation.configuration }

    /// The revision of the list: one more for each applied transaction, 0 for the empty new list.
    public var revision: UInt64 { presentation.revision }

    /// Called when something happened that no call of the host answers: a flush became due (``flushTiming``), or events wait
    /// (``takeEvents()``). It is kept, so it captures the object that owns the adapter weakly.
    public var onActivity: (() -> Void)? {
        get { presentation.onActivity }
        set { presentation.onActivity = newValue }
    }

    /// Runs what section controllers want called back later; the owner's, on whose turn the adapter is used. Held weakly.
    public var executor: (any ListExecutor)? {
        get { presentation.executor }
        set { presentation.executor = newValue }
    }

    /// Whether the list counts as empty, in place of the configured rule; kept likewise.
    public var emptinessPredicate: ((ListAdapter) -> Bool)? {
        get { observers.emptinessPredicate }
        set { observers.setEmptinessPredicate(newValue) }
    }

    /// Is told which objects appear and disappear; held weakly.
    public var delegate: (any ListAdapterDelegate)? {
        get { observers.delegate }
        set { observers.setDelegate(newValue) }
    }

    /// Tells others which objects appear and disappear; held weakly.
    public var announcer: ListAdapterAnnouncer? {
        get { observers.announcer }
        set { observers.setAnnouncer(newValue) }
    }

    /// Is told what the updater does; held weakly.
    public var updaterDelegate: (any ListUpdaterDelegate)? {
        get { observers.updaterDelegate }
        set { observers.setUpdaterDelegate(newValue) }
    }

    /// Is told of every call of a section controller; held weakly.
    public var performanceDelegate: (any ListPerformanceDelegate)? {
        get { observers.performanceDelegate }
        set { observers.setPerformanceDelegate(newValue) }
    }

    /// Tells a listener of every update from now on; it is held weakly.
    public func addUpdateListener(_ listener: any ListUpdateListener) { observers.add(listener) }

    /// Tells a listener nothing more.
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

    /// A section controller asked for an item update.
    func itemUpdateWaits() {
        followItemUpdates()
        scheduleFlush()
    }

    private func followItemUpdates() {
        guard let first = presentation.firstItemUpdate else { return }
        objects.itemUpdatesWait(first, now: schedule.now, isOnScreen: presentation.views.isOnScreen)
    }

    /// When the host should call ``beginFlush(now:)``; idle while a flush is under way.
    public var flushTiming: FlushTiming { objects.timing }

    /// Whether a flush is under way: its diff is computed, or its transaction stored.
    public var isFlushing: Bool { objects.phase != .idle }

    // MARK: Flushing

    /// Dequeues all that waits, judges it in strict order of arrival and prepares one transaction.
    ///
    /// Does nothing while a flush is under way.
    public func beginFlush(now: UInt64) -> FlushStep {
        schedule.setTime(now)
        guard objects.phase == .idle, presentation.isIdle else { return .finished(FlushResult()) }
        readDataSources()
        let store = presentation.store
        return perform(
            objects.next(now: schedule.now, isUrgent: true, diffsAtOnce: false) { store.rejectedTypes(of: $0) })
    }

    /// Asks the data sources that are next for their objects, each once (rule UP-66).
    private func readDataSources() {
        var known: [ObjectIdentifier: [ListObject]] = [:]
        var operations: [RequestID: UpdateRequest.Operation] = [:]
        var hasAsked = true
        // A data source may ask for more while it is asked.
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

    /// Continues with what a ``DiffJob`` found; one that was cancelled meanwhile changes nothing.
    public func finishDiff(_ output: DiffJob.Output) -> FlushStep { finishDiff(output, onBackgroundThread: true) }

    private func finishDiff(_ output: DiffJob.Output, onBackgroundThread: Bool) -> FlushStep {
        guard objects.awaits(output) else { return .finished(FlushResult()) }
        observers.tellUpdater { $0.adapter($1, didDiff: output.result, onBackgroundThread: onBackgroundThread) }
        return perform(objects.diffed(output))
    }

    /// Applies the transaction that ``FlushStep/commit(_:)`` handed out; the store has it.
    ///
    /// Section controllers are called in here, then every view is brought up to date.
    /// When only item updates were flushed and none of them changes anything, there is no transaction, and the revision stays.
    public func commitFlush() -> FlushResult {
        guard objects.phase == .storing else { return FlushResult() }
        let step = objects.stored(.success(()), sharesTable: true, now: schedule.now)
        if case .finished(let result) = perform(step) { return result }
        return FlushResult()
    }

    /// Gives the transaction up that ``FlushStep/commit(_:)`` handed out: nothing happened, and every request of the flush
    /// is answered with the error.
    ///
    /// Item updates are no requests: they run with the next flush. When they alone were refused, or were before,
    /// ``flushTiming`` asks for that after a while, longer each time.
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

    /// Gives up a flush whose diff is being computed; its requests wait for the next one, ahead of all others.
    public func cancelFlush() {
        guard objects.phase == .diffing else { return }
        objects.cancelDiff(now: schedule.now)
        scheduleFlush()
    }

    /// Does what the objects want done next.
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

    /// Goes on with an item that was dragged; what changes nothing is no update.
    private func finishMove(_ step: UpdateStep) -> FlushStep {
        if case .answers(let answers) = step { return .finished(finishUnchanged(answers)) }
        return perform(step)
    }

    /// Gives an update its revision.
    private func present(_ shown: ShownUpdate) -> Announced {
        let announced = objects.presented(
            Presented(transaction: shown.transaction, itemCount: presentation.itemCount))
        followItemUpdates()
        return announced
    }

    /// Ends an update: listeners and those who wait are called.
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

    /// Ends a flush in which nothing changed.
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

    /// Gives the list another data source; its objects are taken over at once, with everything that waits and with an update
    /// whose diff is being computed.
    ///
    /// From inside of a callback it happens right after it; without a scheduler, with the next flush.
    /// - Returns: the results of the flushes, in order; a scheduler has been told of them.
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

    /// Makes something the data source, with an update that waits; answers whether there is one.
    private func replaceDataSource(_ new: (any ListAdapterDataSource)?) -> Bool {
        guard new !== dataSource else { return false }
        dataSource = new
        guard let new else { return false }
        cancelFlush()
        enqueue(new, animated: false) { _ in }
        return true
    }

    /// Flushes everything that waits, computing diffs at once.
    ///
    /// Does nothing from inside of a callback, and while a flush is under way. It ends when a flush is cancelled
    /// (``cancelFlush()``), and after 256 of them, so that completions that ask for another update each do not keep it for
    /// ever: what waits then waits for the scheduler or the next call.
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

    /// How many flushes one ``flushNow()`` makes at most.
    private static let maximumFlushes = 256

    /// Lets the scheduler flush when it is due.
    private func scheduleFlush() {
        guard let scheduler, let count = schedule.announce(flushTiming) else { return }
        scheduler.schedule(flushTiming) { [weak self] in
            // A flush that became due at another time has its own call.
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

    /// Applies what there is to apply, and hands it to the scheduler.
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

    /// A viewer gets everything at once: what waits for it is in there.
    func forgetPictures(of view: ViewID) {
        for index in results.indices { results[index].events.removeAll { $0.isPicture(of: view) } }
    }

    // MARK: Describing

    /// The list, its updater, its section controllers and its views, a line for each; what a dump shows.
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

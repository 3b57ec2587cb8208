// SPDX-License-Identifier: Apache-2.0

package import DBus
internal import Dispatch
@_spi(Daemon) internal import ListKit
package import ListWorkers

/// The host of one list. It runs the list on the event loop, and lends it to a job for work that takes long.
///
/// A list is at home, where the loop calls it, or lent: then one job has it, and the loop keeps its later work in
/// order. Only the loop lends, so a list needs no lock. Each call is a piece of work, done in the order of arrival; what it
/// tells is published, and its answer given, before the next piece begins.
@DBusActor
package final class ListHost: PresentedList {
    /// Receives the answer to a call.
    typealias Completion<Value> = @DBusActor (Result<Value, ListError>) -> Void
    /// Receives the answer to a request; with the objects that its update has removed, if they were most of a large list.
    typealias RequestCompletion = @DBusActor (RequestAnswer, LargeRemoval?) -> Void
    /// Writes to the store. The last argument is called on any thread, with the error because of which nothing was
    /// written.
    typealias Storing = @DBusActor (StoreWrite, @escaping @Sendable (ListError?) -> Void) -> Void

    /// The maximum number of elements for which work is done on the loop. A change takes 1 to 4 µs for each, so that the
    /// work takes less than 2 ms.
    private nonisolated static let mostElementsOnLoop = 512
    /// The maximum time for which the loop runs the work of one list without a break.
    private nonisolated static let longestOnLoop = Duration.milliseconds(2)
    /// The number of milliseconds without changes after which a list announces its revision once more.
    private nonisolated static let quietPeriod: UInt64 = 2000

    /// A piece of work.
    private struct Work {
        /// The number of elements that it touches; nil = as many as the update in progress.
        let cost: Int?
        var isTurn = false
        let body: @Sendable (HostedList) -> Void
    }

    /// A list on its way to a job and back.
    private struct Lent: @unchecked Sendable {
        // Sendable: the host does not use its list until the job has ended.
        let list: HostedList
    }

    package nonisolated let times: CallbackTimes?
    private let list: HostedList
    private let store: Storing
    private var announce: @DBusActor (Announcement) -> Void = { _ in }
    /// What to call when the list has ended; nil after its end.
    private var endings: [@DBusActor () -> Void]? = []
    private let clock: HostClock
    /// The thread of the list's jobs. Each list has one of its own, so a section controller that hangs stops only its
    /// list.
    private let jobs: HostExecutor
    private var waiting = WorkQueue<Work>()
    /// Whether a job has the list.
    private var isLent = false
    /// Whether the loop is running the list's work.
    private var isRunning = false
    /// Whether the loop is about to run the waiting work.
    private var isPlanned = false
    /// Whether the next turn is among the waiting work.
    private var turnWaits = false
    /// The time of the next turn that is due later; nil = none.
    private var turnTime: UInt64?
    private var lastChange: UInt64 = 0
    private var awaitsQuiet = false

    /// Makes the host of a list. The list is presented as soon as a presenter is attached.
    ///
    /// - Parameters:
    ///   - wasPresented: whether the list was presented before, so that clients can have copies of its items. Its first
    ///     presentation is then announced as a reload.
    ///   - rest: the number of items, and whether each section has one, if the list gets its engine at its first use only; nil
    ///     if it gets it now.
    init(
        configuration: ListOptions, controllers: SectionControllerTable, objects: [ListObject] = [],
        revision: UInt64 = 0, changes: [Transaction] = [], account: HostAccount? = nil, isStored: Bool = false,
        wasPresented: Bool = false, rest: RestingItems? = nil, times: CallbackTimes? = nil, clock: HostClock = .system,
        store: @escaping Storing
    ) {
        list = HostedList(
            configuration: configuration, controllers: controllers, objects: objects, revision: revision,
            changes: changes, account: account, isStored: isStored, wasPresented: wasPresented,
            rest: rest, times: times, now: clock.now)
        jobs = HostExecutor(label: "org.listd.list." + configuration.name)
        (self.times, self.store, self.clock) = (times, store, clock)
        list.setExecutor(self)
        run(cost: 0) { $0.reportStatus() }
    }

    /// Whether the list was restored and not used since, so that it has no presenter.
    var isResting: Bool { !isLent && list.isResting }

    // MARK: Work

    /// Does a piece of work, after all earlier ones: on the loop if it touches few elements, otherwise in a job.
    ///
    /// - Parameter cost: the number of elements that the work touches; nil = as many as the update in progress.
    private func run(cost: Int?, isTurn: Bool = false, _ body: @escaping @Sendable (HostedList) -> Void) {
        waiting.append(Work(cost: cost, isTurn: isTurn, body: body))
        plan()
    }

    /// Runs the waiting work when everything that has arrived is read, so that requests that arrive together are flushed
    /// together.
    private func plan() {
        guard !isLent, !isRunning, !isPlanned else { return }
        isPlanned = true
        EventLoop.shared.afterReading { [self] in
            isPlanned = false
            runWaiting()
        }
    }

    private func runWaiting() {
        guard !isLent, !isRunning else { return }
        isRunning = true
        let end = ContinuousClock.now + Self.longestOnLoop
        while !isLent, let work = waiting.popFirst() {
            if work.isTurn { turnWaits = false }
            if list.isQuick, work.cost ?? list.updateCost <= Self.mostElementsOnLoop {
                work.body(list)
                publish()
                if ContinuousClock.now > end { break }
            } else {
                lend(for: work)
            }
        }
        isRunning = false
        if !waiting.isEmpty { plan() }
    }

    private func lend(for work: Work) {
        isLent = true
        let (lent, body) = (Lent(list: list), work.body)
        jobs.post {
            body(lent.list)
            EventLoop.shared.post { self.takeBack() }
        }
    }

    /// Continues after a job.
    private func takeBack() {
        (isLent, isRunning) = (false, true)
        publish()
        isRunning = false
        runWaiting()
    }

    /// Passes on what a piece of work has left.
    private func publish() {
        let output = list.popOutput()
        plan(output.turn)
        if let job = output.diff { run(job) }
        if output.hasChanged { awaitQuiet() }
        for said in output.said {
            switch said {
            case .announcement(let announcement): announce(announcement)
            case .answer(let answer): answer()
            }
        }
        for (write, work) in output.writes {
            store(work) { error in
                EventLoop.shared.post { self.run(cost: nil) { $0.handleStored(write, of: work, error: error) } }
            }
        }
        if let move = output.move {
            move.old?.stopHosting(self)
            if let new = move.new { new.host(self) } else { presentLocally() }
        }
        guard output.hasEnded, let endings else { return }
        list.link.controllers.worker?.stopHosting(self)
        self.endings = nil
        for ending in endings { ending() }
    }

    /// Runs a large diff on another thread, while readers still see the previous list.
    private func run(_ job: DiffJob) {
        DispatchQueue.global().async {
            let output = job.run()
            EventLoop.shared.post { self.run(cost: nil) { $0.finishDiff(output) } }
        }
    }

    // MARK: Turns

    private func plan(_ turn: FlushTiming) {
        switch turn {
        case .idle: break
        case .now: planTurn()
        case .at(let time):
            let now = clock.now()
            guard time > now else { return planTurn() }
            if let turnTime, turnTime <= time { return }
            turnTime = time
            clock.run(time - now) { [weak self] in
                guard let self else { return }
                if turnTime == time { turnTime = nil }
                planTurn()
            }
        }
    }

    private func planTurn() {
        guard !turnWaits else { return }
        turnWaits = true
        run(cost: nil, isTurn: true) { $0.runTurn() }
    }

    /// Announces the revision once more when the list has been quiet, so that a client that lost the last signal
    /// notices.
    private func awaitQuiet() {
        lastChange = clock.now()
        if !awaitsQuiet { awaitQuiet(for: Self.quietPeriod) }
    }

    private func awaitQuiet(for delay: UInt64) {
        awaitsQuiet = true
        clock.run(delay) { [weak self] in
            guard let self else { return }
            awaitsQuiet = false
            let now = clock.now()
            let quiet = now - min(now, lastChange)
            guard quiet < Self.quietPeriod else { return run(cost: 0) { $0.announceAgain() } }
            awaitQuiet(for: Self.quietPeriod - quiet)
        }
    }
}

// MARK: - Calls

extension ListHost {
    /// Sets what is called with the announcements, in order.
    func onAnnouncement(_ handler: @escaping @DBusActor (Announcement) -> Void) { announce = handler }

    /// Updates the list. A user is the one on whose behalf a call is made; nil = listd itself.
    ///
    /// - Parameter request: the request, to which the list gives its number.
    func update(_ request: UpdateRequest, by user: UInt32? = nil, done: @escaping RequestCompletion) {
        // It only waits for its turn.
        run(cost: 0) { $0.update(request, by: user, done: done) }
    }

    /// Changes the options, and the section controllers unless they are nil.
    func configure(_ new: ListOptions, _ table: SectionControllerTable?, done: @escaping RequestCompletion) {
        run(cost: .max) { $0.configure(new, table, done: done) }
    }

    /// Stores the whole list, and from then on each update before it is applied (true); or stops storing (false).
    func keep(_ keeps: Bool, done: @escaping RequestCompletion) { run(cost: .max) { $0.keep(keeps, done: done) } }

    /// Reads the objects, as of the announced revision.
    ///
    /// - Parameters:
    ///   - byteLimit: the approximate maximum bytes that are read.
    ///   - wakes: whether a list that rests gets its engine, because more reads will follow.
    private func read<Value: Sendable>(
        byteLimit: Int = 0, wakes: Bool = true,
        _ body: @escaping @Sendable (ObjectList) throws(ListError) -> Value, done: @escaping Completion<Value>
    ) {
        // The loop has to write the contents in any case.
        run(cost: byteLimit > Self.mostBytesReadOnLoop ? .max : 0) { $0.read(wakes: wakes, body, done: done) }
    }

    /// Reads a page of objects, of about `byteLimit` bytes at most, but of one object at least.
    func readPage(from offset: Int, limit: Int, byteLimit: Int, done: @escaping Completion<ObjectPage>) {
        read(
            byteLimit: byteLimit, { ObjectPage(of: $0, from: offset, limit: limit, byteLimit: byteLimit) }, done: done)
    }

    /// Reads one object with its section; with the announced revision.
    func readObject(
        _ id: String, done: @escaping Completion<(revision: UInt64, section: Int, object: ListObject)>
    ) {
        read(
            { (list) throws(ListError) in
                let (section, object) = try list.find(id)
                return (revision: list.numbers.last, section: section, object: object)
            }, done: done)
    }

    /// Reads the transactions after a revision, of about `byteLimit` bytes at most, but one at least; with the announced
    /// revision.
    func readChanges(
        since revision: UInt64, byteLimit: Int,
        done: @escaping Completion<(revision: UInt64, changes: [Transaction])>
    ) {
        read(
            byteLimit: byteLimit, wakes: false,
            { (list) throws(ListError) in
                (revision: list.numbers.last, changes: try list.log.changes(since: revision, byteLimit: byteLimit))
            }, done: done)
    }

    /// Asks the presenter about items.
    func ask(_ query: ItemQuery, by user: UInt32? = nil, done: @escaping Completion<PresenterAnswer>) {
        let cost =
            switch query {
            case .items(_, let count, _, _): count
            case .itemCounts(_, let limit): limit
            }
        run(cost: cost) { list in list.forward(by: user, done: done) { .query($0, query) } }
    }

    /// Opens a view.
    func openView(
        _ view: ViewID, _ options: ListViewOptions, by user: UInt32? = nil, done: @escaping Completion<PresenterAnswer>
    ) {
        run(cost: 0) { list in list.forward(by: user, done: done) { .openView($0, view, options) } }
    }

    /// Executes a command of a view's owner.
    ///
    /// - Parameters:
    ///   - client: the client whose later reads of properties wait for the answer. It lives until then.
    ///   - cost: the number of elements that it touches.
    func view(
        _ command: ViewCommand, on view: ViewID, by user: UInt32? = nil, for client: ObjectIdentifier? = nil,
        cost: Int = 0, done: @escaping Completion<PresenterAnswer>
    ) {
        run(cost: cost) { list in
            list.forward(by: user, for: client, done: done) { .view($0, view, command) }
        }
    }

    /// Calls `read` when the announced state has the effects of the calls that a client has made so far, even if it did
    /// not wait for the answers: an `Ack` has none.
    ///
    /// It is called after all earlier work on the list, and after the presenter's answers to the client's own calls.
    func afterCalls(of client: ObjectIdentifier, _ read: @escaping @DBusActor () -> Void) {
        if !isLent, waiting.isEmpty, !list.link.hasCall(of: client) { return read() }
        run(cost: 0) { $0.link.afterCalls(of: client, read) }
    }

    /// Closes a view for a reason of the daemon's own.
    func closeView(_ view: ViewID, _ reason: ViewClosing, by user: UInt32? = nil) {
        run(cost: 0) { $0.close(view, reason, by: user) }
    }

    /// Holds all flushes and pictures, because clients have not read earlier messages yet (true); or continues (false).
    func hold(_ holds: Bool) { run(cost: .max) { $0.hold(holds) } }

    /// Announces the changes of objects, from the next announced transaction on; or no more.
    func setReportsChanges(_ flag: Bool) { run(cost: 0) { $0.setReportsChanges(flag) } }

    /// Describes the state of the list for `Dump`.
    func describe(_ done: @escaping @DBusActor (String) -> Void) {
        run(cost: .max) { list in
            let text = list.description
            list.answer { done(text) }
        }
    }

    /// Finishes the accepted requests, closes the views and ends the list; `done` is called last.
    func stop(_ reason: ViewClosing, done: @escaping @DBusActor () -> Void) {
        guard endings != nil else { return done() }
        endings?.append(done)
        run(cost: .max) { $0.stop(reason) }
    }

    /// Calls `answer` after all earlier work: on the thread that does it, or at once if no work is pending.
    func ping(_ answer: @escaping @Sendable () -> Void) {
        if !isLent, waiting.isEmpty { answer() } else { run(cost: 0) { _ in answer() } }
    }

    /// The approximate maximum bytes of contents that the loop reads itself.
    private static let mostBytesReadOnLoop = 1 << 20
}

// MARK: - The presenter

extension ListHost: ListExecutor {
    /// Handles a presenter's report. A light report that comes from the loop is handled at once.
    package nonisolated func report(_ reports: [PresenterReport], from number: PresenterNumber, isLight: Bool) {
        guard EventLoop.shared.isCurrent else {
            return EventLoop.shared.post { self.report(reports, from: number, isLight: isLight) }
        }
        DBusActor.assumeIsolated {
            run(cost: isLight ? 0 : .max) { $0.receive(reports, from: number) }
            if isLight { runWaiting() }
        }
    }

    /// Attaches the list to a slot of a worker, which presents it from now on.
    package func attach(_ slot: HostSlot) { run(cost: .max) { $0.attach(WorkerPresenter(slot)) } }

    /// Presents the list in the daemon from now on.
    package func presentLocally() { run(cost: .max) { $0.presentHere() } }

    /// Handles the loss of the presenter, whose worker has ended.
    package func losePresenter(by death: Death) { run(cost: .max) { $0.handleLoss(by: death) } }

    /// Forgets the objects in whose callbacks workers have died.
    package func forgetFatalObjects(reloads: Bool) { run(cost: 0) { $0.forgetFatalObjects(reloads: reloads) } }

    /// Runs a timer of a section controller among the list's work.
    nonisolated func perform(after milliseconds: UInt64, _ work: @escaping @Sendable () -> Void) {
        EventLoop.shared.post { [weak self] in
            guard milliseconds > 0 else {
                self?.run(cost: .max) { _ in work() }
                return
            }
            self?.clock.run(milliseconds) { self?.run(cost: .max) { _ in work() } }
        }
    }
}

/// A clock for lists that also runs closures later, on the loop.
struct HostClock: Sendable {
    /// Returns milliseconds that never go backwards.
    let now: @Sendable () -> UInt64
    /// Runs a closure after a delay in milliseconds.
    let run: @DBusActor @Sendable (_ delay: UInt64, _ body: @escaping @DBusActor () -> Void) -> Void

    /// The clock of the machine.
    static let system = HostClock(
        now: { DispatchTime.now().uptimeNanoseconds / 1_000_000 },
        run: { delay, body in EventLoop.shared.addTimer(after: .milliseconds(Int64(clamping: delay)), body) })
}

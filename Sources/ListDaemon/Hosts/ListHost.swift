// SPDX-License-Identifier: Apache-2.0

package import DBus
internal import Dispatch
@_spi(Daemon) internal import ListKit
package import ListWorkers

/// The host of one list. It runs the list on the event loop, and lends it to a job for work that takes long.
///
/// A list is at home, where the loop calls it, or lent: then one job has it, and the loop keeps its later work in
/// order. Only the loop lends, so a list needs no lock. Commands are values, handled in the order of sending; after each
/// piece of work its effects go to the sink, before the next piece begins.
@DBusActor
package final class ListHost: PresentedList {
    /// Receives the effects.
    package typealias Sink = @DBusActor ([AdapterEffect]) -> Void

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
    private let sink: Sink
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
        sink: @escaping Sink
    ) {
        list = HostedList(
            configuration: configuration, controllers: controllers, objects: objects, revision: revision,
            changes: changes, account: account, isStored: isStored, wasPresented: wasPresented,
            rest: rest, times: times, now: clock.now)
        jobs = HostExecutor(label: "org.listd.list." + configuration.name)
        (self.times, self.sink, self.clock) = (times, sink, clock)
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
        if !output.effects.isEmpty { sink(output.effects) }
        if let move = output.move {
            move.old?.stopHosting(self)
            if let new = move.new { new.host(self) } else { presentLocally() }
        }
        if output.hasEnded { list.link.controllers.worker?.stopHosting(self) }
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

// MARK: - Commands

extension ListHost {
    /// Sends a command; it is handled after all earlier commands.
    ///
    /// - Parameters:
    ///   - user: the user on whose behalf the command is sent; nil = listd itself.
    ///   - isLong: whether it takes long, whatever it touches.
    func send(_ command: AdapterCommand, by user: UInt32? = nil, isLong: Bool = false) {
        run(cost: isLong ? .max : command.cost) { $0.receive(command, by: user) }
    }

    /// Reports the changes of objects among the effects, from the next announced transaction on; or no more.
    func setReportsChanges(_ flag: Bool) { run(cost: 0) { $0.setReportsChanges(flag) } }

    /// Calls `answer` after all earlier work: on the thread that does it, or at once if no work is pending.
    func ping(_ answer: @escaping @Sendable () -> Void) {
        if !isLent, waiting.isEmpty { answer() } else { run(cost: 0) { _ in answer() } }
    }
}

extension AdapterCommand {
    /// The number of elements that the command touches; nil = as many as the update in progress.
    fileprivate var cost: Int? {
        switch self {
        case .update: 0  // it only waits for its turn
        case .query(_, .objects(_, _, let byteLimit)), .query(_, .changes(_, let byteLimit)):
            byteLimit <= AdapterQuery.mostBytesOnLoop ? 0 : .max
        case .query(_, .items(_, let count, _, _)): count
        case .query(_, .itemCounts(_, let limit)): limit
        case .query(_, .find), .openView, .closeView: 0
        case .view(_, _, .reportSizes(let sizes)): sizes.count
        case .view(_, _, .changeSelection(let select, let deselect)): select.count + deselect.count
        case .view: 0
        case .stored: nil
        case .query(_, .description), .configure, .hold, .keep, .stop: .max
        }
    }
}

extension AdapterQuery {
    /// The approximate maximum bytes of contents that the loop collects itself; it has to write them in any case.
    fileprivate static let mostBytesOnLoop = 1 << 20
}

// MARK: - The presenter

extension ListHost: ListExecutor {
    /// Handles a presenter's report. A light report that comes from the loop is handled at once.
    package nonisolated func report(_ output: PresenterOutput, from number: PresenterNumber, isLight: Bool) {
        guard EventLoop.shared.isCurrent else {
            return EventLoop.shared.post { self.report(output, from: number, isLight: isLight) }
        }
        DBusActor.assumeIsolated {
            run(cost: isLight ? 0 : .max) { $0.receive(output, from: number) }
            if isLight { runWaiting() }
        }
    }

    /// Attaches the list to a slot of a worker, which presents it from now on.
    package func attach(_ slot: HostSlot) { run(cost: .max) { $0.attach(WorkerPresenter(slot)) } }

    /// Presents the list in the daemon from now on.
    package func presentLocally() { run(cost: .max) { $0.presentHere() } }

    /// Handles the loss of the presenter, whose worker has ended.
    ///
    /// - Parameter call: the callback that was running for the list; nil if none was.
    package func losePresenter(in call: DeadlyCall?) { run(cost: .max) { $0.handleLoss(.death(call)) } }

    /// Allows requests again that were refused because workers had died while they handled them.
    package func forgetRefusals() { run(cost: 0) { $0.link.forgetRefusals() } }

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

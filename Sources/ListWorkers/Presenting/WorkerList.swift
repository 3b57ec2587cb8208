// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
@_spi(Daemon) internal import ListKit

/// A list in a worker, with an executor of its own. It executes orders one after the other on its presentation, and
/// sends the reports of the orders. It also reports changes that section controllers make by themselves. While the daemon
/// does not read, the executor waits in the output, and what changes meanwhile becomes one report.
actor WorkerList {
    nonisolated let executor: HostExecutor
    private let tracer: CallTracer
    /// Looks up the section controllers of a table in this process.
    private let resolve: (SectionControllerTable) -> SectionControllerTable
    private var presentation: Presentation?
    /// Sends reports, and the times of callbacks by plugin, on the executor of the list.
    private let output: @Sendable ([PresenterReport], [String: CallbackTimes.Times]) -> Void
    /// The objects of an order that have arrived, while others are missing, and how to execute the order with all of them.
    private var incomplete: (objects: [ListObject], execute: ([ListObject]) -> PresenterReport?)?
    /// Whether the daemon has ordered to hold the views, and to hold the items that change by themselves.
    private var holds = (views: false, items: false)
    /// The number of unrequested item changes that may still be reported.
    private var allowedChanges = PresenterOrder.changesAtOnce
    /// Whether ``runTurn()`` is posted to run without a delay.
    private var turnIsPosted = false
    /// The time for which ``runTurn()`` is posted, in milliseconds; nil = for none.
    private var turnTime: UInt64?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(
        executor: HostExecutor, tracer: CallTracer,
        resolve: @escaping @Sendable (SectionControllerTable) -> SectionControllerTable,
        output: @escaping @Sendable ([PresenterReport], [String: CallbackTimes.Times]) -> Void
    ) {
        self.executor = executor
        self.tracer = tracer
        self.output = output
        self.resolve = resolve
        tracer.setExecutor(executor)
    }

    /// Runs `body` on the executor, after everything that was posted before.
    nonisolated func post(_ body: @escaping @Sendable (isolated WorkerList) -> Void) {
        executor.post { self.assumeIsolated { body($0) } }
    }

    /// Whether the list is presented.
    var isOpen: Bool { presentation != nil }

    /// Presents the list in place of an earlier presentation, as soon as all its objects have arrived.
    ///
    /// - Parameter missing: the number of objects that follow with ``add(_:missing:)``.
    func open(_ setup: PresenterSetup, missing: Int = 0) {
        execute(with: setup.objects, missing: missing) { objects in
            var setup = setup
            setup.objects = objects
            return self.makePresentation(setup)
        }
    }

    /// Presents an update, as soon as all its objects have arrived.
    ///
    /// - Parameter missing: the number of objects that follow with ``add(_:missing:)``.
    func present(_ update: PresenterUpdate, missing: Int = 0) {
        execute(with: update.objects, missing: missing) { objects in
            var update = update
            update.objects = objects
            guard let presentation = self.presentation, let change = update.change else { return nil }
            if let table = update.controllers {
                let table = self.resolve(table)
                presentation.setControllers(table.makeProvider())
                presentation.callObserver = self.observer(of: table)
            }
            return .presented(presentation.present(change))
        }
    }

    /// Adds objects that were missing.
    func add(_ objects: [ListObject], missing: Int = 0) {
        guard var known = incomplete else { return }
        incomplete = nil
        known.objects += objects
        execute(with: known.objects, missing: missing, known.execute)
    }

    private func execute(
        with objects: [ListObject], missing: Int, _ execute: @escaping ([ListObject]) -> PresenterReport?
    ) {
        guard missing == 0 else {
            incomplete = (objects, execute)
            return report([.more])
        }
        presentation?.setTime(now)
        report(execute(objects).map { [$0] } ?? [])
        scheduleItems()
    }

    /// Executes another order.
    ///
    /// - Parameter user: the user on whose behalf the order is executed; nil = the daemon itself.
    func perform(_ order: PresenterOrder, by user: UInt32? = nil) {
        guard let presentation else { return }
        presentation.setTime(now)
        switch order {
        case .hold(let views, let items):
            holds = (views, items)
            report(presentation.perform(.hold(views: views, items: holdsItems)))
        case .allowChanges(let count): allowedChanges += count
        case .moveItem, .openView, .view, .query:
            var reports: [PresenterReport] = []
            // Waiting item updates must not be attributed to the user who moves an item.
            if case .moveItem = order { reports = .changes(presentation.presentItems()) }
            reports += tracer.run(for: user, request: order.requestID ?? 0) { presentation.perform(order) }
            report(reports)
        }
        scheduleItems()
    }

    /// Makes a new presentation of the list, which continues its views and selection.
    private func makePresentation(_ setup: PresenterSetup) -> PresenterReport {
        end()
        holds = (setup.holdsViews, setup.holdsItems)
        allowedChanges = PresenterOrder.changesAtOnce
        let table = resolve(setup.controllers)
        let new = Presentation(
            configuration: setup.configuration, controllers: table.makeProvider(), objects: setup.objects,
            faults: setup.faults, executor: tracer, observer: observer(of: table))
        new.onActivity = { [weak self] in self?.assumeIsolated { $0.postTurn() } }
        new.holdsViews = holds.views
        new.setTime(now)
        presentation = new
        return .opened(new.resume(setup.views, selecting: setup.selection))
    }

    /// Returns the tracer for the calls of section controllers; nil if all are built in. Tracing their frequent and
    /// short calls would cost too much.
    private func observer(of table: SectionControllerTable) -> CallTracer? { table.usesPlugins ? tracer : nil }

    /// Closes all views and releases the presentation. Section controllers are notified that nothing is displayed any
    /// more.
    func end() {
        _ = presentation?.close()
        presentation = nil
    }

    private func report(_ reports: [PresenterReport]) {
        allowedChanges -= reports.count(where: \.isUnrequestedChange)
        if !reports.isEmpty { output(reports, tracer.popTimes()) }
    }

    /// The time of the monotonic clock, in milliseconds.
    private var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }
}

// MARK: - Unrequested reports

extension WorkerList {
    private var holdsItems: Bool { holds.items || holds.views || allowedChanges <= 0 }

    /// Posts a turn behind the orders that have already arrived.
    private func postTurn() {
        guard !turnIsPosted else { return }
        turnIsPosted = true
        executor.post { [weak self] in
            self?.assumeIsolated { host in
                host.turnIsPosted = false
                host.runTurn()
            }
        }
    }

    /// Sends the unrequested reports, and runs the item updates that are due.
    private func runTurn() {
        guard let presentation else { return }
        presentation.setTime(now)
        var reports: [PresenterReport] = .changes(presentation.takeChanges())
        if itemsAreDue { reports += .changes(presentation.presentItems()) }
        report(reports)
        scheduleItems()
    }

    private var itemsAreDue: Bool {
        guard !holdsItems else { return false }
        return switch presentation?.itemTiming ?? .idle {
        case .idle: false
        case .now: true
        case .at(let time): time <= now
        }
    }

    /// Posts a turn for the time at which item updates are due.
    private func scheduleItems() {
        guard !holdsItems else { return }
        switch presentation?.itemTiming ?? .idle {
        case .idle: break
        case .now: postTurn()
        case .at(let time):
            let now = now
            guard time > now else { return postTurn() }
            if let turnTime, turnTime <= time { return }
            turnTime = time
            executor.post(after: time - now) { [weak self] in
                self?.assumeIsolated { host in
                    host.turnTime = nil
                    host.runTurn()
                }
            }
        }
    }
}

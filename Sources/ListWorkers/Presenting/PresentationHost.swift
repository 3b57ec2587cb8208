// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
@_spi(Daemon) internal import ListKit

/// Presents one list in a worker, on an executor of its own: follows orders one after the other, and reports what comes of each,
/// and of what section controllers do by themselves.
actor PresentationHost {
    /// Takes what is reported, on the executor of the list.
    typealias Output = @Sendable (PresenterOutput) -> Void

    nonisolated let executor: HostExecutor
    private let tracer: CallTracer
    private let presentation: Presentation
    private let output: Output
    /// An order of which objects are missing, and how many.
    private var incomplete: (order: PresenterOrder, missing: Int)?
    /// What waits because the daemon says so, and whether all of it does because the daemon does not take what is reported.
    private var holds = (views: false, items: false)
    private var isCongested = false
    /// How many changes of items may be reported that nobody asked for.
    private var allowedChanges = PresenterOrder.changesAtOnce
    /// Whether a turn is posted, and the time for which a later one is.
    private var turnIsPosted = false
    private var turnTime: UInt64?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(
        executor: HostExecutor, tracer: CallTracer,
        resolve: @escaping @Sendable (SectionControllerTable) -> SectionControllerTable,
        output: @escaping Output
    ) {
        self.executor = executor
        self.tracer = tracer
        self.output = output
        presentation = Presentation(tracer: tracer, resolve: resolve)
        tracer.use(executor)
    }

    /// Runs something behind everything that was posted before.
    nonisolated func post(_ body: @escaping @Sendable (isolated PresentationHost) -> Void) {
        executor.post { self.assumeIsolated { body($0) } }
    }

    /// Whether the list is presented.
    var isOpen: Bool { presentation.isOpen }

    /// Follows an order, after all that came before.
    ///
    /// - Parameters:
    ///   - missing: how many of its objects come with ``PresenterOrder/objects(_:)``.
    ///   - user: on whose behalf; nil = the daemon's own.
    func perform(_ order: PresenterOrder, missing: Int = 0, by user: UInt32? = nil) {
        var order = order
        if case .objects(let objects) = order {
            guard let known = incomplete else { return }
            order = known.order
            incomplete = nil
            order.objects += objects
        }
        guard missing == 0 else {
            incomplete = (order, missing)
            return report([.more])
        }
        presentation.setTime(now)
        report(follow(order, by: user) + presentation.unasked())
        scheduleItems()
    }

    private func follow(_ order: PresenterOrder, by user: UInt32?) -> [PresenterReport] {
        switch order {
        case .open(let setup): return [open(setup)]
        case .objects: return []
        case .present(let new): return new.update.map { presentation.present($0, controllers: new.controllers) } ?? []
        case .hold(let views, let items):
            holds = (views, items)
            return presentation.holdViews(holdsViews)
        case .allowChanges(let count):
            allowedChanges += count
            return []
        case .moveItem, .openView, .view, .closeView, .query: return presentation.perform(order, by: user)
        }
    }

    private func open(_ setup: PresenterSetup) -> PresenterReport {
        holds = (setup.holdsViews, setup.holdsItems)
        allowedChanges = PresenterOrder.changesAtOnce
        presentation.onActivity { [weak self] in self?.assumeIsolated { $0.postTurn() } }
        var setup = setup
        setup.holdsViews = holdsViews
        defer { presentation.setTime(now) }
        return presentation.open(setup)
    }

    /// Ends the engine; section controllers hear that nothing of theirs is displayed any more.
    func end() { _ = presentation.end() }

    /// Holds everything that was not ordered, because the daemon does not read the reports; or lets it continue.
    func setCongested(_ flag: Bool) {
        isCongested = flag
        report(presentation.holdViews(holdsViews))
        report(presentation.unasked())
        scheduleItems()
    }

    private func report(_ reports: [PresenterReport]) {
        allowedChanges -= reports.count(where: \.isUnaskedChange)
        if !reports.isEmpty { output(PresenterOutput(reports: reports, times: tracer.popTimes())) }
    }

    /// Milliseconds that never go back.
    private var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }
}

// MARK: - What was not ordered

extension PresentationHost {
    private var holdsViews: Bool { holds.views || isCongested }
    private var holdsItems: Bool { holds.items || holdsViews || allowedChanges <= 0 }

    /// Commands that are already on their way are followed first.
    private func postTurn() {
        guard !turnIsPosted else { return }
        turnIsPosted = true
        executor.post { [weak self] in
            self?.assumeIsolated { host in
                host.turnIsPosted = false
                host.takeTurn()
            }
        }
    }

    private func takeTurn() {
        presentation.setTime(now)
        var reports = presentation.unasked()
        if itemsAreDue { reports += presentation.presentItems() }
        report(reports)
        scheduleItems()
    }

    private var itemsAreDue: Bool {
        guard !holdsItems else { return false }
        return switch presentation.itemTiming {
        case .idle: false
        case .now: true
        case .at(let time): time <= now
        }
    }

    /// Sees to it that items that change by themselves are presented when that is due.
    private func scheduleItems() {
        guard !holdsItems else { return }
        switch presentation.itemTiming {
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
                    host.takeTurn()
                }
            }
        }
    }
}

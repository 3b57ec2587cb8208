internal import Dispatch
@_spi(Daemon) internal import ListKit

/// Presents one list, in a worker or in the daemon: does what it is ordered to with an engine, and reports what comes of it.
///
/// An order has one report, which has everything in it that happened. The engine is made by the first order, and ends with
/// ``end()``, both on the executor of the list: so section controllers meet no other thread.
actor PresentationHost {
    /// Takes what is reported, on the executor of the list.
    typealias Output = @Sendable (PresenterOutput) -> Void

    nonisolated let executor: HostExecutor
    private let tracer: CallTracer
    /// Finds the section controllers that names stand for, where they are.
    private let resolve: @Sendable (SectionControllerTable) -> SectionControllerTable
    private let output: Output
    private var engine: Engine?
    /// An order of which objects are missing, and how many.
    private var incomplete: (order: PresenterOrder, missing: Int)?
    /// The selection as it was last reported.
    private var selection: [SelectedItem] = []
    private var losses: [ContentLoss] = []
    /// What waits because the daemon says so, and whether all of it does because the daemon does not take what is said.
    private var holds = (views: false, items: false)
    private var isCongested = false
    /// How many changes of items may be reported that nobody asked for.
    private var allowedChanges = PresenterOrder.changesAtOnce
    /// Whether a turn is posted, and the time for which a later one is.
    private var turnIsPosted = false
    private var turnTime: UInt64?

    private struct Engine {
        let adapter: ListAdapter
        let controllers: ExchangeableProvider
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(
        executor: HostExecutor, tracer: CallTracer,
        resolve: @escaping @Sendable (SectionControllerTable) -> SectionControllerTable,
        output: @escaping Output
    ) {
        self.executor = executor
        self.tracer = tracer
        self.resolve = resolve
        self.output = output
        tracer.executor = executor
    }

    /// Runs something behind everything that was posted before.
    nonisolated func post(_ body: @escaping @Sendable (isolated PresentationHost) -> Void) {
        executor.post { self.assumeIsolated { body($0) } }
    }

    /// Whether the list is presented.
    var isOpen: Bool { engine != nil }

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
        engine?.adapter.setTime(now)
        report(reports(of: order, by: user) + unasked())
        scheduleItems()
    }

    /// Ends the engine; section controllers hear that nothing of theirs is displayed any more.
    func end() {
        guard let adapter = engine?.adapter else { return }
        for view in adapter.openViews { _ = try? adapter.closeView(view) }
        adapter.onActivity = nil
        engine = nil
    }

    /// Has everything wait that was not ordered, because the daemon does not take what is said; or lets it go on.
    func setCongested(_ flag: Bool) {
        isCongested = flag
        followHolds()
        report(unasked())
        scheduleItems()
    }

    private func report(_ reports: [PresenterReport]) {
        allowedChanges -= reports.count(where: \.isUnaskedChange)
        if !reports.isEmpty { output(PresenterOutput(reports: reports, times: tracer.takeTimes())) }
    }

    /// Milliseconds that never go back.
    private var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }
}

// MARK: - Orders

extension PresentationHost {
    private func reports(of order: PresenterOrder, by user: UInt32?) -> [PresenterReport] {
        if case .open(let setup) = order { return [.opened(open(setup))] }
        guard let adapter = engine?.adapter else { return [] }
        switch order {
        case .open, .objects: return []
        case .present(let update): return present(update, adapter)
        case .moveItem(let move): return answer(move, by: user, adapter)
        case .openView(let id, let view, let options):
            return answer(id, by: user, about: nil) { () throws(ListError) in
                try adapter.openView(view, options: options)
                return (.opened(revision: 0, sections: adapter.objectCount, items: adapter.itemCount), [])
            }
        case .view(let id, let view, let command):
            return answer(id, by: user, about: view) { () throws(ListError) in
                try adapter.perform(command, on: view)
            }
        case .closeView(let view):
            tracer.cause = user.map { CallCause(user: $0, request: 0) }
            defer { tracer.cause = nil }
            guard let events = try? adapter.closeView(view) else { return [] }
            return [.changed(news(events, adapter))]
        case .query(let id, let query):
            return answer(id, by: user, about: nil) { () throws(ListError) in (try answer(query, adapter), []) }
        case .hold(let views, let items):
            holds = (views, items)
            followHolds()
            return []
        case .allowChanges(let count):
            allowedChanges += count
            return []
        }
    }

    private func open(_ setup: PresenterSetup) -> PresenterNews {
        end()
        holds = (setup.holdsViews, setup.holdsItems)
        allowedChanges = PresenterOrder.changesAtOnce
        let controllers = ExchangeableProvider(resolve(setup.controllers))
        let adapter = ListAdapter(
            configuration: setup.configuration, controllers: controllers, objects: setup.objects, revision: 0,
            executor: tracer, performanceDelegate: tracer)
        adapter.setTime(now)
        engine = Engine(adapter: adapter, controllers: controllers)
        adapter.onActivity = { [weak self] in self?.assumeIsolated { $0.postTurn() } }
        adapter.onContentLosses = { [weak self] losses in self?.assumeIsolated { $0.losses += losses } }
        adapter.holdsViews = holds.views || isCongested
        var events: [AdapterEvent] = []
        var views: Set<ViewID> = []
        for view in setup.views {
            guard let resumed = try? adapter.resumeView(view) else { continue }
            events += resumed
            views.insert(view.id)
        }
        adapter.resumeSelection(setup.selection)
        var news = news(events, adapter, about: views)
        // Said also when nothing is left: whoever hears it still has what was selected.
        selection = adapter.selectedItems
        news.selection = selection
        return news
    }

    private func present(_ order: PresenterUpdate, _ adapter: ListAdapter) -> [PresenterReport] {
        guard let update = order.update else { return [] }
        if let table = order.controllers { engine?.controllers.exchange(resolve(table)) }
        return [.presented(news(adapter.present(update), adapter))]
    }

    private func answer(
        _ move: ItemMoveRequest, by user: UInt32?, _ adapter: ListAdapter
    ) -> [PresenterReport] {
        // What waits is not the mover's doing.
        var reports = [adapter.presentItems()].filter(\.hasNews).map { PresenterReport.changed(news($0, adapter)) }
        tracer.cause = user.map { CallCause(user: $0, request: move.id) }
        let answer = adapter.answer(move)
        tracer.cause = nil
        for (index, changes) in answer.changes.enumerated() {
            let isMove = answer.verdict == nil && index == answer.changes.count - 1
            reports.append(.changed(news(changes, adapter), answering: isMove ? move.id : nil))
        }
        if let verdict = answer.verdict { reports.append(.moveVerdict(move.id, verdict)) }
        return reports
    }

    private func answer(
        _ id: RequestID, by user: UInt32?, about view: ViewID?,
        _ act: () throws(ListError) -> (answer: AdapterAnswer, events: [AdapterEvent])
    ) -> [PresenterReport] {
        guard let adapter = engine?.adapter else { return [] }
        tracer.cause = user.map { CallCause(user: $0, request: id) }
        defer { tracer.cause = nil }
        do throws(ListError) {
            let (answer, events) = try act()
            return [.answer(id, .success(answer), news(events, adapter, about: Set([view].compactMap { $0 })))]
        } catch {
            return [.answer(id, .failure(error), news([], adapter))]
        }
    }

    private func answer(_ query: AdapterQuery, _ adapter: ListAdapter) throws(ListError) -> AdapterAnswer {
        switch query {
        case .items(let first, let count, let byteLimit):
            let page = adapter.placedItems(from: first, sectionCount: count, byteLimit: byteLimit)
            return .items(revision: 0, next: page.next, page.items)
        case .itemCounts(let first, let limit):
            return .itemCounts(
                revision: 0, adapter.itemCounts(from: first, limit: limit).map { UInt32(clamping: $0) })
        case .objects, .find, .changes, .description:
            throw ListError(.invalidArguments, "the list itself knows its objects")
        }
    }
}

// MARK: - What was not ordered

extension PresentationHost {
    private func followHolds() {
        guard let adapter = engine?.adapter else { return }
        let holds = holds.views || isCongested
        guard adapter.holdsViews != holds else { return }
        if holds { adapter.holdsViews = true } else { report([.changed(news(adapter.resumeViews(), adapter))].hasNews) }
    }

    /// What section controllers caused by themselves.
    private func unasked() -> [PresenterReport] {
        guard let adapter = engine?.adapter else { return [] }
        return [.changed(news(adapter.takeEvents(), adapter))].hasNews
    }

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
        guard let adapter = engine?.adapter else { return }
        adapter.setTime(now)
        var reports = unasked()
        if itemsAreDue { reports += [.changed(news(adapter.presentItems(), adapter))].hasNews }
        report(reports)
        scheduleItems()
    }

    private var holdsItems: Bool { holds.items || holds.views || isCongested || allowedChanges <= 0 }

    private var itemsAreDue: Bool {
        guard let adapter = engine?.adapter, !holdsItems else { return false }
        return switch adapter.flushTiming {
        case .idle: false
        case .now: true
        case .at(let time): time <= now
        }
    }

    /// Sees to it that items that change by themselves are presented when that is due.
    private func scheduleItems() {
        guard let adapter = engine?.adapter, !holdsItems else { return }
        switch adapter.flushTiming {
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

// MARK: - News

extension PresentationHost {
    private func news(_ events: [AdapterEvent], _ adapter: ListAdapter, about views: Set<ViewID> = []) -> PresenterNews
    {
        news(Presented(events: events, itemCount: adapter.itemCount), adapter, about: views)
    }

    private func news(_ presented: Presented, _ adapter: ListAdapter, about views: Set<ViewID> = []) -> PresenterNews {
        var views = views
        for event in presented.events {
            if case .updated = event { views.formUnion(adapter.waitingViews) }
            if let view = event.viewThatChanged { views.insert(view) }
        }
        var news = PresenterNews(presented: presented)
        news.views = views.sorted().compactMap { view in
            (try? adapter.viewDescription(view)).map { PresenterNews.ViewStanding(view: view, description: $0) }
        }
        let selected = adapter.selectedItems
        if selected != selection {
            selection = selected
            news.selection = selected
        }
        (news.losses, losses) = (losses, [])
        return news
    }
}

extension Presented {
    /// Whether something happened.
    fileprivate var hasNews: Bool { transaction != nil || !events.isEmpty }
}

extension [PresenterReport] {
    /// Those of them that say something.
    fileprivate var hasNews: [PresenterReport] {
        filter { report in
            guard let news = report.news else { return true }
            return news.presented.hasNews || news.selection != nil || !news.views.isEmpty || !news.losses.isEmpty
        }
    }
}

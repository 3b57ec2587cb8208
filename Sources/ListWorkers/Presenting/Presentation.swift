// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// The engine that presents one list, whose objects are owned by an `ObjectList`, mostly in another process. It
/// executes orders and returns reports.
///
/// Each order is answered by one report with all its results. The engine is made by ``open(_:)``, and released by
/// ``end()``. It is used on the executor of the list, by a ``PresentationHost`` in a worker and by a ``LocalPresenter``
/// in the daemon.
final class Presentation {
    private let tracer: CallTracer
    /// Looks up the section controllers of a table in this process.
    private let resolve: (SectionControllerTable) -> SectionControllerTable
    /// The list, if it is in this process; the engine shares the list's sections then.
    private let list: ObjectList?
    /// Called when something happened without an order.
    private var activityHandler: (() -> Void)?
    private var engine: Engine?
    /// The selection as it was last reported.
    private var selection: [SelectedItem] = []
    private var losses: [ContentLoss] = []

    private struct Engine {
        let adapter: ListKit.Presentation
        let controllers: ExchangeableProvider
    }

    init(
        tracer: CallTracer, list: ObjectList? = nil,
        resolve: @escaping (SectionControllerTable) -> SectionControllerTable = { $0 }
    ) {
        self.tracer = tracer
        self.list = list
        self.resolve = resolve
    }

    /// Calls `handler` whenever something happens without an order; ``unrequestedReports()`` then returns the report.
    func onActivity(_ handler: @escaping () -> Void) { activityHandler = handler }

    /// Whether the list is presented.
    var isOpen: Bool { engine != nil }

    /// The time at which item updates are due, in an engine with sections of its own.
    var itemTiming: FlushTiming { engine?.adapter.itemTiming ?? .idle }

    /// The first waiting item update of a list in this process, as its place among the requests; nil = none waits.
    var firstItemUpdate: Ticket? { engine?.adapter.firstItemUpdate }

    /// Sets the present time in milliseconds, from which the engine computes when item updates are due.
    func setTime(_ now: UInt64) { engine?.adapter.setTime(now) }

    /// The state of the engine as lines of text, for debugging.
    var description: [String] { engine?.adapter.debugDescriptionLines ?? [] }
}

// MARK: - Orders

extension Presentation {
    /// Makes a new engine for the list, and resumes its views and selection.
    func open(_ setup: PresenterSetup) -> PresenterReport {
        _ = end()
        let controllers = ExchangeableProvider(resolve(setup.controllers))
        let adapter = makeAdapter(setup, controllers)
        engine = Engine(adapter: adapter, controllers: controllers)
        adapter.onActivity = { [weak self] in self?.activityHandler?() }
        adapter.onContentLosses = { [weak self] losses in self?.losses += losses }
        adapter.holdsViews = setup.holdsViews
        var events: [AdapterEvent] = []
        var views: Set<ViewID> = []
        for view in setup.views {
            guard let resumed = try? adapter.resumeView(view) else { continue }
            events += resumed
            views.insert(view.id)
        }
        adapter.resumeSelection(setup.selection)
        var said = announcement(of: events, by: adapter, about: views)
        // Reported even when nothing is selected, as the receiver still has the former selection.
        selection = adapter.selectedItems
        said.selection = selection
        return .opened(said)
    }

    private func makeAdapter(_ setup: PresenterSetup, _ controllers: ExchangeableProvider) -> ListKit.Presentation {
        guard let list else {
            return ListKit.Presentation(
                configuration: setup.configuration, controllers: controllers, objects: setup.objects,
                executor: tracer, observer: callObserver(for: controllers))
        }
        return ListKit.Presentation(
            configuration: setup.configuration, controllers: controllers, sharing: list.table,
            makeTicket: { list.makeTicket() }, executor: tracer, observer: callObserver(for: controllers))
    }

    /// Returns the tracer for the calls of section controllers; nil if all are built in. Tracing their frequent and
    /// short calls would cost too much.
    private func callObserver(for controllers: ExchangeableProvider) -> CallTracer? {
        controllers.usesPlugins ? tracer : nil
    }

    /// Presents an update. A non-nil table first replaces the section controllers.
    func present(_ change: Change, controllers table: SectionControllerTable?) -> [PresenterReport] {
        guard let engine else { return [] }
        if let table {
            engine.controllers.replaceTable(with: resolve(table))
            engine.adapter.callObserver = callObserver(for: engine.controllers)
        }
        return [.presented(complete(engine.adapter.present(change), by: engine.adapter))]
    }

    /// Runs the waiting item updates.
    ///
    /// - Parameter ticket: the place of the last item update that runs; nil = all of them run.
    func presentItems(through ticket: Ticket? = nil) -> [PresenterReport] {
        guard let adapter = engine?.adapter else { return [] }
        return changeReports(of: complete(adapter.presentItems(through: ticket), by: adapter))
    }

    /// Holds the pictures of all views, or lets the views continue.
    func setHoldsViews(_ flag: Bool) -> [PresenterReport] {
        guard let adapter = engine?.adapter, adapter.holdsViews != flag else { return [] }
        adapter.holdsViews = flag
        return flag ? [] : changeReports(of: announcement(of: adapter.resumeViews(), by: adapter))
    }

    /// Executes an order about a view, a query, or the move of an item. Other orders are ignored.
    ///
    /// - Parameter user: the user on whose behalf the order is executed; nil = the daemon itself.
    func perform(_ order: PresenterOrder, by user: UInt32?) -> [PresenterReport] {
        guard let adapter = engine?.adapter else { return [] }
        switch order {
        case .open, .objects, .present, .hold, .allowChanges: return []
        case .moveItem(let move): return answer(move, by: user, with: adapter)
        case .openView(let id, let view, let options):
            return answer(id, by: user, about: nil) { () throws(ListError) in
                try adapter.openView(view, options: options)
                return (.opened(AdapterStatus()), [])
            }
        case .view(let id, let view, let command):
            return answer(id, by: user, about: view) { () throws(ListError) in
                try adapter.perform(command, on: view)
            }
        case .closeView(let view):
            let cause = user.map { CallCause(user: $0, request: 0) }
            guard let events = tracer.withCause(cause, { try? adapter.closeView(view) }) else { return [] }
            return [.changed(announcement(of: events, by: adapter))]
        case .query(let id, let query):
            return answer(id, by: user, about: nil) { () throws(ListError) in (try answer(query, with: adapter), []) }
        }
    }

    private func answer(
        _ move: ItemMoveRequest, by user: UInt32?, with adapter: ListKit.Presentation
    ) -> [PresenterReport] {
        // Waiting updates must not be attributed to the user who moves an item.
        var reports = presentItems()
        let answer = tracer.withCause(user.map { CallCause(user: $0, request: move.id) }) { adapter.answer(move) }
        for (index, changes) in answer.changes.enumerated() {
            let isMove = answer.verdict == nil && index == answer.changes.count - 1
            reports.append(.changed(complete(changes, by: adapter), answering: isMove ? move.id : nil))
        }
        if let verdict = answer.verdict { reports.append(.moveVerdict(move.id, verdict)) }
        return reports
    }

    private func answer(
        _ id: RequestID, by user: UInt32?, about view: ViewID?,
        _ act: () throws(ListError) -> (answer: AdapterAnswer, events: [AdapterEvent])
    ) -> [PresenterReport] {
        guard let adapter = engine?.adapter else { return [] }
        return tracer.withCause(user.map { CallCause(user: $0, request: id) }) {
            do throws(ListError) {
                let (answer, events) = try act()
                let said = announcement(of: events, by: adapter, about: Set([view].compactMap { $0 }))
                return [.answer(id, .success(answer), said)]
            } catch {
                return [.answer(id, .failure(error), announcement(of: [], by: adapter))]
            }
        }
    }

    private func answer(_ query: AdapterQuery, with adapter: ListKit.Presentation) throws(ListError) -> AdapterAnswer {
        switch query {
        case .items(let first, let count, let byteLimit, let fields):
            let page = adapter.placedItems(from: first, sectionCount: count, byteLimit: byteLimit, fields: fields)
            return .items(revision: 0, next: page.next, page.items)
        case .itemCounts(let first, let limit):
            return .itemCounts(
                revision: 0, adapter.itemCounts(from: first, limit: limit).map { UInt32(clamping: $0) })
        case .objects, .find, .changes, .description:
            throw ListError(.invalidArguments, "the process of the section controllers answers no queries for objects")
        }
    }

    /// Returns the report of changes that section controllers have made without an order; none if there are no changes.
    func unrequestedReports() -> [PresenterReport] {
        guard let adapter = engine?.adapter else { return [] }
        let events = adapter.takeEvents()
        // The common case, as this is called after each order.
        guard !events.isEmpty || !losses.isEmpty else { return [] }
        return changeReports(of: announcement(of: events, by: adapter))
    }

    /// Closes all views and releases the engine. Section controllers are notified that nothing is displayed any more.
    ///
    /// - Returns: the last state of the presentation.
    func end() -> LeftPresentation {
        var left = LeftPresentation()
        guard let adapter = engine?.adapter else { return left }
        left.selection = adapter.selectedItems
        let views = adapter.openViews.compactMap { try? adapter.resumption(of: $0) }
        for view in views { left.views.append((view, (try? adapter.closeView(view.id)) ?? [])) }
        adapter.onActivity = nil
        if list != nil { adapter.leaveTable() }
        engine = nil
        return left
    }
}

/// The final state of a presentation that has ended.
package struct LeftPresentation {
    /// The views, with the events by which their contents stopped being displayed.
    var views: [(view: ViewResumption, ended: [AdapterEvent])] = []
    /// The selected items.
    var selection: [SelectedItem] = []
}

// MARK: - Announcements

extension Presentation {
    /// Returns the announcement of events, with the states of the views that they concern and of `views`.
    private func announcement(
        of events: [AdapterEvent], by adapter: ListKit.Presentation, about views: Set<ViewID> = []
    ) -> Announcement {
        let said = Announcement(events: events, itemCount: adapter.itemCount, isFlat: adapter.isFlat)
        return complete(said, by: adapter, about: views)
    }

    /// Adds the states of views, the selection and the losses to an announcement.
    private func complete(
        _ announcement: Announcement, by adapter: ListKit.Presentation, about views: Set<ViewID> = []
    ) -> Announcement {
        var (announcement, views) = (announcement, views)
        for event in announcement.events {
            if case .updated = event { views.formUnion(adapter.waitingViews) }
            if let view = event.viewThatChanged { views.insert(view) }
        }
        announcement.views = views.sorted().compactMap { view in
            (try? adapter.viewDescription(view)).map { (view, $0) }
        }
        if announcement.events.contains(where: \.maySelect) { announcement.selection = newSelection(of: adapter) }
        (announcement.losses, losses) = (losses, [])
        return announcement
    }

    /// Returns the selected items, or nil if they were already reported.
    private func newSelection(of adapter: ListKit.Presentation) -> [SelectedItem]? {
        let selected = adapter.selectedItems
        guard selected != selection else { return nil }
        selection = selected
        return selected
    }

    /// Returns a report of changes that no order asked for; none if there are none.
    private func changeReports(of said: Announcement) -> [PresenterReport] {
        let isEmpty = said.events.isEmpty && said.selection == nil && said.views.isEmpty && said.losses.isEmpty
        return isEmpty ? [] : [.changed(said)]
    }
}

extension AdapterEvent {
    /// Whether the event may change the selected items or their order.
    fileprivate var maySelect: Bool {
        switch self {
        case .selection: true
        case .updated(let transaction): transaction.kind == .reload || !transaction.sections.moves.isEmpty
        case .display, .workingRange, .picture, .stalled, .closed, .sectionFault, .nearEnd: false
        }
    }
}

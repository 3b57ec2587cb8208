// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// The connection of a list to its presenter: opens the list in it, forwards calls, and checks and applies its reports.
///
/// It keeps what must outlive a presenter: how views stand and what is selected (``PresenterState``), and the calls that are not
/// answered (``PresenterCalls``). It changes no object and gives no revision out: that is its owner's to do, who takes what it
/// hears with ``next(leaving:)``.
final class PresenterLink {
    /// How far the presenter is.
    enum Stage {
        /// There is none, or it has not been told of the list.
        case closed
        case opening, open
        /// The presenter sent an impossible report and is being replaced; its reports are ignored.
        case blamed
    }

    /// What is different from what another presenter showed, said of a list as it is announced.
    typealias Differences = (ListPlace) -> [AdapterEffect]

    /// A report of the presenter that has been checked.
    enum LinkEvent {
        /// The list is presented: its report, and the differences from what the former presenter reported.
        case opened(PresenterNews, differences: Differences)
        case presented(PresenterNews)
        case changed(PresenterNews, answering: RequestID?)
        case answer(RequestID, Result<AdapterAnswer, ListError>, PresenterNews)
        case moveVerdict(ItemMoveVerdict)
        /// An unrequested report waits for some milliseconds.
        case wait(UInt64)
        /// A report waits for a revision.
        case needsNumber
    }

    private let objects: ObjectList
    private let times: CallbackTimes?
    private let sink: ListHost.Sink
    private var presenter: (any Presenter)?
    private var session = Session()
    /// Whether the list was presented before, so that its items may be known to somebody.
    private(set) var wasPresented: Bool
    private var known = PresenterState()
    private var calls = PresenterCalls()
    private var reports = ReportQueue()
    /// Whether it was reported that the list has lost its presenter.
    private var isPaused = false
    /// Whether all that nobody asked for waits, and whether items that change by themselves do.
    private var holds = (all: false, items: false)

    init(
        _ objects: ObjectList, wasPresented: Bool, times: CallbackTimes?, sink: @escaping ListHost.Sink
    ) {
        self.objects = objects
        self.wasPresented = wasPresented
        self.times = times
        self.sink = sink
    }

    /// What belongs to one presenter, from its coming to its end.
    private struct Session {
        /// How far it is.
        var stage = Stage.closed
        /// What it is presenting.
        var update: ObjectUpdate?
        /// The item that it was asked about.
        var move: ItemMoveRequest?
        /// What it knows of what waits.
        var knownHolds = (all: false, items: false)
        /// How many changes of items that nobody asked for were handled since it was allowed more.
        var handledChanges = 0
        /// How many objects each view shows that is presented in this process.
        var shown: [ViewID: Int] = [:]
        /// Views to be closed as soon as the list is open.
        var closings: [(view: ViewID, user: UInt32?)] = []
    }

    /// How far the presenter is.
    var stage: Stage { session.stage }
    /// Whether there is somebody to open the list.
    var hasPresenter: Bool { presenter != nil }
    /// Whether section controllers are called in another process.
    var isElsewhere: Bool { presenter?.asksPlugin ?? false }
    /// Whether the presenter shares the table of the list.
    var sharesTable: Bool { presenter?.sharesTable ?? false }
    /// The place of the first item update that waits; nil = none does.
    var firstItemUpdate: Ticket? { presenter?.firstItemUpdate }
    /// Whether the views show little: each transaction looks what it means for all of it.
    var showsLittle: Bool { session.shown.count <= 16 && session.shown.values.reduce(0, +) <= 1024 }
    /// Whether somebody may see the list: a view of it is on screen, or it has none.
    var isOnScreen: Bool { known.isOnScreen }
    /// Whether everything that nobody asked for waits.
    var isHeld: Bool { holds.all }
    /// Whether nobody waits for an answer of a presenter.
    var isSettled: Bool { calls.isEmpty }

    /// For people.
    var description: String {
        let place =
            switch (presenter?.asksPlugin, session.stage) {
            case (nil, _): "waits for a worker"
            case (true, .open): "is presented in a worker"
            case (true, _): "is being opened in a worker"
            case (false, _): "is presented in the daemon"
            }
        let lines = [
            "the list \(place)\(holds.all ? ", held" : ""); \(calls.count) calls not answered, "
                + "\(known.views.count) views"
        ]
        return (lines + (presenter?.description ?? [])).joined(separator: "\n")
    }

    // MARK: Presenters

    /// Has another one present the list; it is opened there with ``open(_:controllers:)``.
    func attach(_ new: any Presenter) {
        presenter = new
        session.stage = .closed
    }

    /// What becomes of the question about an item that was dragged when its presenter is gone.
    enum LostMove {
        case none
        case askAgain
        case refused(ListError)
    }

    /// The presenter is gone, or is left: what it had and has not answered goes to the next one.
    func lose(_ loss: PresenterCalls.Loss, worker: (any PresentingWorker)?) -> LostMove {
        guard presenter != nil else { return .none }
        leave()
        (session.stage, session.update) = (.closed, nil)
        reports.removeAll()
        session.closings = []
        if loss.isDeath {
            isPaused = true
            sink([.paused(true)])
        }
        // Close succeeds, even if the worker is lost.
        sink(known.endClosing(at: objects.place) + calls.popClosings().map { .answer($0, .success(.done)) })
        let refused = calls.lose(loss, worker: worker, viewport: known.viewport)
        for (id, call, error) in refused where id != session.move?.id {
            if case .openView(_, let view, _) = call.command { known.remove(view) }
            sink([.answer(id, .failure(error))])
        }
        defer { session.move = nil }
        guard let move = session.move else { return .none }
        return refused.first { $0.id == move.id }.map { .refused($0.error) } ?? .askAgain
    }

    private func leave() {
        if let left = presenter?.close() { known.restore(left) }
        (presenter, session.shown) = (nil, [:])
    }

    /// What is reported when the list is presented: that it has not lost its presenter, or no more.
    func endPause() -> [AdapterEffect] {
        defer { isPaused = false }
        return isPaused || isElsewhere ? [.paused(false)] : []
    }

    /// Has the list opened.
    ///
    /// - Parameter reload: what it is being presented of; nil = as it is, for the first time.
    func open(_ reload: ObjectUpdate?, controllers: SectionControllerTable) {
        session.stage = .opening
        session.update = reload
        (session.handledChanges, session.knownHolds) = (0, holds)
        let setup = PresenterSetup(
            configuration: reload?.configuration ?? objects.configuration, controllers: controllers,
            views: known.resumptions(except: calls.openingViews), selection: known.selection,
            holdsViews: holds.all, holdsItems: holds.items)
        handle(presenter?.open(setup, of: objects.table))
    }

    /// Has an update presented.
    ///
    /// - Parameter controllers: section controllers that show the list from then on; nil = those that do.
    func present(_ new: ObjectUpdate, controllers: SectionControllerTable?) {
        session.update = new
        handle(presenter?.present(new, controllers: controllers))
    }

    /// Has item updates run that wait.
    func presentItems(through ticket: Ticket) { handle(presenter?.presentItems(through: ticket)) }

    /// Handles a report without an order.
    func takeTurn() { if session.stage == .open { handle(presenter?.takeTurn()) } }

    /// Has something else done.
    private func perform(_ order: PresenterOrder, by user: UInt32? = nil) {
        handle(presenter?.perform(order, by: user))
    }

    /// Takes what a presenter in this process says at once.
    private func handle(_ output: PresenterOutput?) {
        guard let output else { return }
        times?.add(output.times, of: Set(output.times.keys))
        _ = reports.append(output.reports)
    }

    /// Asks about an item that was dragged; answers why nobody is asked, if so.
    func ask(_ new: ItemMoveRequest, worker: (any PresentingWorker)?) -> ListError? {
        guard let presenter else { return ListError(.pluginFailed, "the list has no presenter") }
        let user = calls[new.id]?.user
        let error = calls.sendMove(
            new.id, asksPlugin: presenter.asksPlugin, worker: worker, position: objects.place.position)
        if let error { return error }
        session.move = new
        perform(.moveItem(new), by: user)
        return nil
    }

    /// Lets views, and items that change by themselves, wait; or lets them go on.
    func hold(all: Bool? = nil, items: Bool? = nil) {
        holds = (all: all ?? holds.all, items: items ?? holds.items)
        sendHolds()
    }

    private func sendHolds() {
        guard session.stage == .open, holds != session.knownHolds else { return }
        session.knownHolds = holds
        perform(.hold(views: holds.all, items: holds.items))
    }

    // MARK: Calls

    /// Records who asked for an item to be moved, which has its turn among the writes.
    func add(_ command: AdapterCommand, _ id: RequestID, by user: UInt32?) { calls.add(id, command, by: user) }

    /// A `MoveItem` is answered.
    func removeMove(_ id: RequestID) { calls.remove(id) }

    /// Hands a call on as soon as the list is presented.
    func call(_ id: RequestID, _ command: AdapterCommand, by user: UInt32?, worker: (any PresentingWorker)?) {
        switch command {
        case .view(_, let view, .close):
            guard isPresented else {
                end(view, .closed)
                return sink([.answer(id, .success(.done))])
            }
            _ = known.beginClosing(view, .closed)
        case .openView(_, let view, let options): known.add(view, options)
        case .view, .query, .update, .closeView, .configure, .hold, .keep, .stored, .stop: break
        }
        calls.add(id, command, by: user)
        sendCalls(worker: worker)
    }

    /// Closes a view for a reason of the daemon's.
    func close(_ view: ViewID, _ reason: ViewClosing, by user: UInt32?) {
        guard isPresented else { return end(view, reason) }
        guard known.beginClosing(view, reason) else { return }
        session.closings.append((view, user))
        sendClosings()
    }

    /// Whether a presenter has the views, or is being opened with them.
    private var isPresented: Bool {
        switch session.stage {
        case .opening, .open: true
        case .closed, .blamed: false
        }
    }

    private func sendClosings() {
        guard session.stage == .open else { return }
        for (view, user) in session.closings { perform(.closeView(view), by: user) }
        session.closings = []
    }

    /// Ends a view without a presenter; its waiting calls are answered.
    private func end(_ view: ViewID, _ reason: ViewClosing) {
        let closed = ListError(.invalidArguments, "view \(view) is closed")
        sink(calls.popUnsent(of: view).map { .answer($0, .failure(closed)) })
        sink(known.end(view, reason, at: objects.place))
    }

    /// Sends what was not sent yet, in order of arrival.
    func sendCalls(worker: (any PresentingWorker)?) {
        guard session.stage == .open, let presenter else { return }
        let unsent = calls.popUnsent(
            asksPlugin: presenter.asksPlugin, worker: worker, position: objects.place.position, isShown: known.shows)
        for (id, call, error) in unsent {
            if let error { sink([.answer(id, .failure(error))]) } else { send(call) }
        }
        sendClosings()
    }

    private func send(_ call: PresenterCalls.Call) {
        switch call.command {
        case .openView(let id, let view, let options): perform(.openView(id, view, options), by: call.user)
        case .view(let id, let view, let command): perform(.view(id, view, command), by: call.user)
        case .query(let id, let query): perform(.query(id, query), by: call.user)
        case .update, .closeView, .configure, .hold, .keep, .stored, .stop: break
        }
    }

    /// What was refused because workers died of it may be asked again.
    func forgetRefusals() { calls.forgetRefusals() }

    /// The list changes: what is refused is asked again of objects that are others then, and views that name their items mean
    /// the same ones.
    func listChanges(by changes: SectionChanges) {
        calls.listChanges(changes, in: objects.table)
        if !sharesTable { known.listChanges(changes.positions(of: objects.table.count(.old))) }
    }

    /// Answers all calls, ends all views and leaves the presenter: the list ends.
    func end(_ reason: ViewClosing, refusing error: ListError) {
        sink(calls.popAll().filter { !$0.call.isMove }.map { .answer($0.id, .failure(error)) })
        leave()
        sink(known.endAll(reason, at: objects.place))
        session.stage = .closed
    }

    // MARK: Reports

    /// Takes what a presenter reported; false when it is not the one that the list has.
    func receive(_ output: PresenterOutput, from number: PresenterNumber) -> Bool {
        guard presenter?.number == number, session.stage != .blamed else { return false }
        if !reports.append(output.reports) { blame("it flooded the list \(objects.configuration.name.quoted)") }
        return true
    }

    private func blame(_ reason: String) {
        session.stage = .blamed
        reports.removeAll()
        presenter?.blame(reason)
    }

    /// What is next of what was reported; nil = nothing.
    ///
    /// - Parameter count: how many numbers items that change by themselves leave to others.
    func next(leaving count: UInt64) -> LinkEvent? {
        while true {
            switch reports.popFirst(isBraked: isElsewhere) {
            case .none: return nil
            case .wait(let milliseconds): return .wait(milliseconds)
            case .report(let report):
                if case .changed(let news, _) = report, news.presented.transaction != nil,
                    !objects.numbers.mayNumber(leaving: count)
                {
                    reports.putBack(report)
                    return .needsNumber
                }
                if isElsewhere, report.isUnaskedChange { allowChanges() }
                let event = follow(report)
                if session.stage == .blamed { return nil }
                if let event { return event }
            }
        }
    }

    /// Grants the presenter further reports, half of its window at a time.
    private func allowChanges() {
        session.handledChanges += 1
        guard session.handledChanges >= PresenterOrder.changesAtOnce / 2 else { return }
        perform(.allowChanges(session.handledChanges))
        session.handledChanges = 0
    }

    /// Handles a report; nil when it concerns the list itself not.
    private func follow(_ report: PresenterReport) -> LinkEvent? {
        switch report {
        case .more:
            if presenter?.sendMore() != true { blame("it asked for more objects although it has them all") }
            return nil
        case .opened(let news): return opened(news)
        case .presented(let news):
            guard session.stage == .open, let update = session.update, objects.phase == .presenting,
                let news = followed(news, of: update)
            else {
                blame("it presented an update that was not ordered")
                return nil
            }
            session.update = nil
            return .presented(news)
        case .changed(let news, let request):
            guard session.stage == .open, request == nil || request == session.move?.id,
                let news = followed(news, of: nil)
            else {
                blame("it reported something that does not fit the list")
                return nil
            }
            if request != nil { session.move = nil }
            return .changed(news, answering: request)
        case .answer(let id, let outcome, let news): return answered(id, outcome, news)
        case .moveVerdict(let id, let verdict):
            guard let asked = session.move, asked.id == id, isPossible(verdict, of: asked) else {
                blame("it answered about an item that no request moved")
                return nil
            }
            session.move = nil
            return .moveVerdict(verdict)
        }
    }

    /// News that somebody may say who presents this list, followed; nil for others.
    private func followed(_ news: PresenterNews, of update: ObjectUpdate?) -> PresenterNews? {
        var news = news
        // What this process presents needs no check, and it knows its views.
        guard isElsewhere else {
            _ = known.follow(&news, remembers: session.stage == .opening) { nil }
            for viewState in news.views { session.shown[viewState.view] = viewState.description.visibleObjects.count }
            for view in news.closings.keys { session.shown[view] = nil }
            return news
        }
        guard objects.allows(news.presented, of: update) else { return nil }
        known.setSize(
            sections: max(objects.table.count(.old), objects.table.count(.new)), items: news.presented.itemCount)
        let side: ListSide = objects.table.isOpen && update != nil ? .new : .old
        let last = { [objects] in objects.table.object(at: objects.table.count(side) - 1, side)?.id }
        return known.follow(&news, remembers: true, lastObject: last) ? news : nil
    }

    private func opened(_ news: PresenterNews) -> LinkEvent? {
        let old = known
        known.forgetDisplay()
        guard session.stage == .opening, news.presented.transaction == nil,
            let news = followed(news, of: ObjectUpdate())
        else {
            known = old
            blame("it opened the list other than ordered")
            return nil
        }
        session.stage = .open
        sendHolds()
        wasPresented = true
        session.update = nil
        var difference = news
        // Told as the difference to what was sent before.
        difference.presented.events.removeAll(where: \.isAboutDisplay)
        difference.selection = nil
        let new = known
        return .opened(difference) { place in new.differences(since: old, at: place) }
    }

    private func answered(
        _ id: RequestID, _ outcome: Result<AdapterAnswer, ListError>, _ news: PresenterNews
    ) -> LinkEvent? {
        guard session.stage == .open, let news = followed(news.withoutTransaction, of: nil) else {
            blame("it reported something that does not fit the list")
            return nil
        }
        guard let call = calls.answered(id) else { return .changed(news, answering: nil) }
        let isKnown = { [objects] id in objects.table.index(ofID: id, .old) != nil }
        guard known.follow(outcome, to: call.command, remembers: isElsewhere, isKnown: isKnown) else {
            blame("a view shows more than the list has")
            return nil
        }
        return .answer(id, outcome, news)
    }

    /// Whether section controllers can say that of an item: an object stays the one that it was, and within its limits.
    private func isPossible(_ verdict: ItemMoveVerdict, of move: ItemMoveRequest) -> Bool {
        guard case .object(let object) = verdict else { return true }
        guard case .update(let request) = calls[move.id]?.command else { return false }
        return object.byteCount <= request.maximumObjectBytes
            && object.id.utf8.elementsEqual(objects.table.object(at: move.from.section, .old)?.id.utf8 ?? "".utf8)
    }
}

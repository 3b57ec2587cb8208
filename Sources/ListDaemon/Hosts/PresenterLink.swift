// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// The connection of a list to its presenter: it opens the list there, forwards calls, and checks and applies
/// reports.
///
/// It keeps the state that must outlive a presenter: the section controllers, the state of views and the selection
/// (``PresenterState``), and the unanswered calls (``PresenterCalls``). It neither changes objects nor assigns
/// revisions: its owner does, which receives the reports from ``nextReport(leavingNumbers:)``. A presenter in this
/// process has shown an update at once.
final class PresenterLink: ListShowing {
    /// The state of the presenter.
    enum Stage {
        /// There is no presenter, or it was not asked to open the list yet.
        case closed
        case opening, open
        /// The presenter sent an impossible report and is being replaced; its reports are ignored.
        case blamed
    }

    private let objects: ObjectList
    /// What the host has not told yet, in order.
    private var said: [HostedList.Said] = []
    /// The section controllers that show the list at present.
    private(set) var controllers: SectionControllerTable
    /// The section controllers of requests, which show the list once their request is presented.
    private var coming: [RequestID: SectionControllerTable] = [:]
    /// The move of the list between workers, or between a worker and this process, that an update has caused.
    private var move: Move?
    private var presenter: (any Presenter)?
    private var session = Session()
    /// Whether the list was presented before, so that clients may know its items.
    private(set) var wasPresented: Bool
    private var known = PresenterState()
    /// The state before the list was opened, until the opening is announced.
    private var former = PresenterState()
    private var calls = PresenterCalls()
    private var reports = ReportQueue()
    /// The calls that killed a worker, until the objects at fault are announced.
    private var refusals: [(call: PresenterCalls.Call, error: ListError)] = []
    /// Whether the list was reported as paused, because it has lost its presenter.
    private var isPaused = false
    /// Whether all unrequested changes are held back, and whether items that change by themselves are.
    private var holds = (all: false, items: false)

    init(_ objects: ObjectList, controllers: SectionControllerTable, wasPresented: Bool) {
        self.objects = objects
        self.controllers = controllers
        self.wasPresented = wasPresented
    }

    /// Tells clients something, after everything that they were not told yet.
    func tell(_ new: HostedList.Said) { said.append(new) }

    /// Tells clients what has changed, unless that is nothing.
    func tell(_ new: Announcement) { if !new.isEmpty { said.append(.announcement(new)) } }

    /// Tells clients what `fill` adds to an announcement, unless that is nothing.
    private func tell(_ fill: (inout Announcement) -> Void) {
        var new = silence
        fill(&new)
        tell(new)
    }

    /// Removes and returns what clients were not told yet.
    func popSaid() -> [HostedList.Said] {
        defer { said = [] }
        return said
    }

    /// Answers a call after everything that clients were not told yet.
    func answer(_ id: RequestID, _ outcome: Result<PresenterAnswer, ListError>) {
        if let call = calls.remove(id) { answer(call, outcome) }
    }

    /// Answers a call that waits no more, after everything that clients were not told yet.
    private func answer(_ call: PresenterCalls.Call, _ outcome: Result<PresenterAnswer, ListError>) {
        if let done = call.done { said.append(.answer { done(outcome) }) }
        for read in call.reads { said.append(.answer(read)) }
    }

    /// Whether a call of a client is not answered.
    func hasCall(of client: ObjectIdentifier) -> Bool { calls.hasCall(of: client) }

    /// Calls `read` behind the client's calls.
    func afterCalls(of client: ObjectIdentifier, _ read: @escaping @DBusActor () -> Void) {
        if !calls.hold(read, behindCallsOf: client) { tell(.answer(read)) }
    }

    /// An announcement without events.
    private var silence: Announcement { Announcement(itemCount: objects.itemCount) }

    /// The state that belongs to a single presenter.
    private struct Session {
        /// The state of the presenter.
        var stage = Stage.closed
        /// The update that it is presenting.
        var update: Change?
        /// The question about a dragged item that it was asked.
        var move: ItemMoveRequest?
        /// The holds that were sent to it.
        var knownHolds = (all: false, items: false)
        /// The presenter's own number of the last revision that it has reported.
        var revision: UInt64 = 0
        /// The number of unrequested item changes that were handled since the last grant.
        var handledChanges = 0
        /// The number of visible objects of each view that is presented in this process.
        var shown: [ViewID: Int] = [:]
        /// The views to close as soon as the list is open.
        var closings: [(view: ViewID, user: UInt32?)] = []
    }

    /// The state of the presenter.
    var stage: Stage { session.stage }
    /// Whether a presenter is attached.
    var hasPresenter: Bool { presenter != nil }
    /// Whether the list is presented in a worker; false also for a list without a presenter.
    var isElsewhere: Bool { presenter?.isElsewhere ?? false }
    /// The place of the first waiting item update; nil if there is none.
    var firstItemUpdate: Ticket? { presenter?.firstItemUpdate }
    /// Whether the presenter changes the list's own table in an update.
    var sharesTable: Bool { !isElsewhere && stage == .open }
    /// Whether the views show so little that each transaction can check all of it.
    var showsLittle: Bool { session.shown.count <= 16 && session.shown.values.reduce(0, +) <= 1024 }
    /// Whether the list may be visible: a view of it is on screen, or it has no views.
    var isOnScreen: Bool { known.isOnScreen }
    /// Whether all unrequested changes are held back.
    var isHeld: Bool { holds.all }
    /// Whether no call waits for an answer of a presenter.
    var hasNoCalls: Bool { calls.isEmpty }

    /// The description of the presenter's state for `Dump`.
    var description: String {
        let place =
            switch (presenter?.isElsewhere, session.stage) {
            case (nil, _): "is waiting for a worker"
            case (true, .open): "has its section controllers in a worker"
            case (true, _): "is being opened in a worker"
            case (false, _): "has its section controllers in the daemon"
            }
        let lines = [
            "the list \(place)\(holds.all ? ", updates paused" : ""); \(calls.count) unanswered calls, "
                + "\(known.views.count) views"
        ]
        return (lines + (presenter?.description ?? [])).joined(separator: "\n")
    }

    // MARK: Presenters

    /// Replaces the presenter. The list is opened in it with ``open(_:controllers:)``.
    func attach(_ new: any Presenter) {
        presenter = new
        session.stage = .closed
    }

    /// Handles the loss or replacement of the presenter: its unanswered calls go to the next one.
    ///
    /// - Parameter death: the death of its worker; nil = the list moves.
    /// - Returns: the error for a dragged item, if the worker died of the question about it; nil = a pending question has to
    ///   be asked again.
    func handleLoss(by death: Death?) -> ListError? {
        guard presenter != nil else { return nil }
        closePresenter()
        (session.stage, session.update) = (.closed, nil)
        reports.removeAll()
        session.closings = []
        if death != nil {
            isPaused = true
            tell { $0.isPaused = true }
        }
        // Closing a view succeeds even if the worker is lost.
        tell { known.endClosingViews(in: objects, telling: &$0) }
        for call in calls.popClosings() { answer(call, .success(.done)) }
        let (refused, fault) = calls.markUnsent(after: death, worker: controllers.worker) { [objects] id in
            // The worker may have died of an object that the update under way inserts.
            objects.table.index(ofID: id, .new) != nil
        }
        for (id, call, error) in refused where id != session.move?.id {
            if case .openView(_, let view, _) = call.order { known.remove(view) }
            refusals.append((call, error))
        }
        if let fault { tell { $0.events = [.sectionFault(fault)] } } else { answerRefusedCalls() }
        defer { session.move = nil }
        return refused.first { $0.id == session.move?.id }?.error
    }

    /// Answers the calls that killed a worker.
    func answerRefusedCalls() {
        for (call, error) in refusals { answer(call, .failure(error)) }
        refusals = []
    }

    private func closePresenter() {
        if let left = presenter?.close() { known.restore(left) }
        (presenter, session.shown) = (nil, [:])
    }

    /// Returns the end of a pause, because the list has a presenter again; empty if the list was not paused and is
    /// presented in the daemon.
    func endPause() -> Announcement {
        var end = silence
        if isPaused || isElsewhere { end.isPaused = false }
        isPaused = false
        return end
    }

    /// Opens the list in its presenter.
    ///
    /// - Parameter reload: the reload that the list is opened with; nil = the list is presented for the first time.
    func open(_ reload: Change?) {
        session.stage = .opening
        session.update = reload
        (session.handledChanges, session.knownHolds, session.revision) = (0, holds, 0)
        let setup = PresenterSetup(
            configuration: reload?.options ?? objects.configuration, controllers: controllers,
            views: known.states(except: calls.openingViews), selection: Array(known.selection),
            faults: calls.fatal.faults, holdsViews: holds.all, holdsItems: holds.items)
        queue(presenter?.open(setup, of: objects.table))
    }

    /// Presents an update. A list without an open presentation is opened with the update instead, by its owner.
    func show(_ new: Change) -> Announcement? {
        listWillChange(by: new)
        let table = new.requests.lazy.compactMap { [coming] in coming[$0] }.first
        if let table { use(table) }
        guard session.stage == .open else { return nil }
        session.update = new
        return presenter?.present(new, controllers: table).flatMap { announcement(in: .presented($0)) }
    }

    /// Runs the waiting item updates up to a place.
    func showItems(through ticket: Ticket, animated: Bool) -> Announcement? {
        guard let said = presenter?.presentItems(through: ticket), !said.isEmpty else { return nil }
        return announcement(in: .changed(said))
    }

    /// Returns the announcement of a presenter in this process after its check. If earlier reports wait, it is queued.
    private func announcement(in new: PresenterReport) -> Announcement? {
        guard reports.isEmpty else {
            queue([new])
            return nil
        }
        return checked(new)?.announcement
    }

    /// Handles the reports that the presenter makes without an order.
    func handleUnrequestedReports() { if session.stage == .open { queue(presenter?.unrequestedReports()) } }

    /// Sends an order to the presenter.
    private func send(_ order: PresenterOrder, by user: UInt32? = nil) {
        queue(presenter?.perform(order, by: user))
    }

    /// Queues the reports that a presenter in this process returns at once.
    private func queue(_ new: [PresenterReport]?) { if let new { _ = reports.append(new) } }

    /// Asks the presenter about a dragged item; returns a verdict only if it cannot be asked.
    func decide(_ new: ItemMoveRequest) -> ItemMoveVerdict? {
        guard let presenter else {
            return .error(ListError(.pluginFailed, "no process runs the section controllers of the list"))
        }
        let user = calls[new.id]?.user
        let error = calls.sendMove(
            new.id, asksPlugin: presenter.isElsewhere, worker: controllers.worker
        ) { objects.table.index(ofID: $0, .old) }
        if let error { return .error(error) }
        session.move = new
        send(.moveItem(new), by: user)
        return nil
    }

    /// Sets whether views, and items that change by themselves, are held back; nil = unchanged.
    func setHolds(all: Bool? = nil, items: Bool? = nil) {
        holds = (all: all ?? holds.all, items: items ?? holds.items)
        sendHolds()
    }

    private func sendHolds() {
        guard session.stage == .open, holds != session.knownHolds else { return }
        session.knownHolds = holds
        send(.hold(views: holds.all, items: holds.items))
    }

    // MARK: Section controllers

    /// The workers between which a list moves; nil = this process.
    typealias Move = (old: (any PresentingWorker)?, new: (any PresentingWorker)?)

    /// Records the section controllers of a request.
    func add(_ table: SectionControllerTable, of request: RequestID) { coming[request] = table }

    /// Replaces the section controllers. If the new ones run elsewhere, the presenter is closed.
    private func use(_ table: SectionControllerTable) {
        let old = controllers.worker
        controllers = table
        guard old !== table.worker else { return }
        move = (old, table.worker)
        // No move of an item is asked about while an update is presented.
        _ = handleLoss(by: nil)
    }

    /// Removes and returns the move that the owner has to make.
    func popMove() -> Move? {
        defer { move = nil }
        return move
    }

    // MARK: Calls

    /// Records the caller of a `MoveItem`, which takes its turn among the writes.
    func add(_ move: ItemMoveRequest, by user: UInt32?) { calls.add(move.id, .moveItem(move), by: user) }

    /// Forgets a request that was answered.
    func remove(_ id: RequestID) {
        coming[id] = nil
        calls.remove(id)
    }

    /// Forwards a call to the presenter as soon as the list is open.
    ///
    /// - Parameter id: the number of the call, which the order names.
    func forward(
        _ id: RequestID, _ order: PresenterOrder, by user: UInt32?, for client: ObjectIdentifier?,
        done: @escaping ListHost.Completion<PresenterAnswer>
    ) {
        switch order {
        case .view(_, let view, .close):
            guard isPresented else {
                endView(view, .closed)
                return tell(.answer { done(.success(.done)) })
            }
            _ = known.beginClosing(view, .closed)
        case .openView(_, let view, let options): known.add(view, options)
        case .view, .query, .moveItem, .hold, .allowChanges: break
        }
        calls.add(id, order, by: user, for: client, done: done)
        sendCalls()
    }

    /// Closes a view for a reason of the daemon's own.
    func close(_ view: ViewID, _ reason: ViewClosing, by user: UInt32?) {
        guard isPresented else { return endView(view, reason) }
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
        // No client waits for the answer, so no call has this number.
        for (view, user) in session.closings { send(.view(0, view, .close), by: user) }
        session.closings = []
    }

    /// Ends a view without a presenter, and answers its waiting calls.
    private func endView(_ view: ViewID, _ reason: ViewClosing) {
        let closed = ListError(.invalidArguments, "view \(view) is closed")
        for call in calls.popUnsent(of: view) { answer(call, .failure(closed)) }
        tell { known.end(view, reason, in: objects, telling: &$0) }
    }

    /// Sends the waiting calls in order of arrival.
    func sendCalls() {
        guard session.stage == .open, let presenter else { return }
        let unsent = calls.popUnsent(asksPlugin: presenter.isElsewhere, worker: controllers.worker)
        for (id, call, error) in unsent {
            if let error { answer(call, .failure(error)) } else { send(call, id) }
        }
        sendClosings()
    }

    private func send(_ call: PresenterCalls.Call, _ id: RequestID) {
        do throws(ListError) {
            send(try namingRevision(call.order), by: call.user)
        } catch {
            answer(id, .failure(error))
        }
    }

    /// Returns an order for the presenter, which does not know the revisions of the list: a range of items that refers to a
    /// revision gets the transactions since then.
    ///
    /// - Throws: `revisionGone` if not all of them are known any more.
    private func namingRevision(_ order: PresenterOrder) throws(ListError) -> PresenterOrder {
        guard case .view(let id, let view, .setVisibleRange(let seen, let first, let last, let growth, nil)) = order,
            known.views[view]?.options.rangeAt == .revision
        else { return order }
        let isNewest = seen == 0 || seen > objects.numbers.last
        guard isNewest || seen >= objects.log.oldestRevision else {
            throw ListError(
                .revisionGone,
                "seen_sequence is revision \(seen), but changes are kept only from \(objects.log.oldestRevision)")
        }
        let missed = isNewest ? [] : try objects.log.changes(since: seen, byteLimit: .max)
        let range = ViewCommand.setVisibleRange(
            seen: session.revision, first: first, last: last, growth: growth, missed: missed)
        return .view(id, view, range)
    }

    /// Forgets the objects in whose callbacks workers have died, and returns the fatal ones.
    func forgetFatalObjects() -> [String] {
        defer { calls.fatal.removeAll() }
        return calls.fatal.objects
    }

    /// Adapts to a change of the list: changed objects are no longer fatal, and views that name items by index keep
    /// naming the same items.
    private func listWillChange(by change: Change) {
        calls.fatal.listWillChange(by: change, in: objects.table)
        // A presenter in this process has the views itself.
        if presenter?.isElsewhere != false { known.listWillChange(by: change.positions(of: objects.table.count(.old))) }
    }

    /// Answers all calls with an error, ends all views and closes the presenter, because the list ends.
    func end(_ reason: ViewClosing) {
        answerRefusedCalls()
        for call in calls.popAll() { answer(call, .failure(.unpresented)) }
        closePresenter()
        tell { known.endAllViews(reason, in: objects, telling: &$0) }
        session.stage = .closed
    }

    // MARK: Reports

    /// Queues the reports of a presenter; returns `false` if the presenter is not the list's present one.
    func receive(_ new: [PresenterReport], from number: PresenterNumber) -> Bool {
        guard presenter?.number == number, session.stage != .blamed else { return false }
        if !reports.append(new) {
            killWorker("the worker flooded the list \(objects.configuration.name.quoted)")
        }
        return true
    }

    /// Has the presenter's worker killed and the presenter replaced, because its reports are impossible.
    private func killWorker(_ reason: String) {
        session.stage = .blamed
        reports.removeAll()
        presenter?.killWorker(reason)
    }

    /// Returns the next of the queued reports that concerns the list itself, checked and applied to the known state; nil if
    /// there is none, or it has to wait (``reportDelay``).
    ///
    /// - Parameter count: the number of revision numbers that must remain after a report of items that changed by
    ///   themselves.
    func nextReport(leavingNumbers count: UInt64) -> PresenterReport? {
        while let report = reports.popFirst(isBraked: isElsewhere) {
            if case .changed(let said, _) = report, said.transaction != nil,
                !objects.numbers.mayNumber(leaving: count)
            {
                reports.putBack(report, for: 100)
                return nil
            }
            if isElsewhere, report.isUnrequestedChange { allowChanges() }
            let report = checked(report)
            if session.stage == .blamed { return nil }
            if let report { return report }
        }
        return nil
    }

    /// The number of milliseconds for which the next report has to wait, for its turn or for a revision number; nil if it
    /// has not.
    var reportDelay: UInt64? { reports.delay }

    /// Returns what differs from the state before the list was opened, as events of the announced list, and forgets that
    /// state.
    func popDifferences() -> [AdapterEvent] {
        defer { former = PresenterState() }
        return known.differences(since: former, in: objects)
    }

    /// Grants the presenter more reports, half of its window at a time.
    private func allowChanges() {
        session.handledChanges += 1
        guard session.handledChanges >= PresenterOrder.changesAtOnce / 2 else { return }
        send(.allowChanges(session.handledChanges))
        session.handledChanges = 0
    }

    /// Checks a report and returns it as applied; nil if it does not concern the list itself, or is impossible.
    private func checked(_ report: PresenterReport) -> PresenterReport? {
        switch report {
        case .more:
            if presenter?.sendNextPage() != true { killWorker("the worker requested more objects, but all were sent") }
            return nil
        case .opened(let said): return checkedOpening(said)
        case .presented(let said):
            if let transaction = said.transaction { session.revision = transaction.revision }
            guard session.stage == .open, let update = session.update, objects.phase == .presenting,
                let said = apply(said, of: update)
            else {
                killWorker("the worker reported an update that the daemon had not sent")
                return nil
            }
            session.update = nil
            return .presented(said)
        case .changed(let said, let request):
            if let transaction = said.transaction { session.revision = transaction.revision }
            guard session.stage == .open, request == nil || request == session.move?.id,
                let said = apply(said, of: nil)
            else {
                killWorker("a report of the worker does not match the list")
                return nil
            }
            if request != nil { session.move = nil }
            return .changed(said, answering: request)
        case .answer(let id, let outcome, let said): return checkedAnswer(id, outcome, said)
        case .moveVerdict(let id, let verdict):
            guard let asked = session.move, asked.id == id, isPossible(verdict, of: asked) else {
                killWorker("the worker sent an invalid verdict about a move")
                return nil
            }
            session.move = nil
            return report
        }
    }

    /// Checks an announcement of the presenter and applies it to the known state. Returns it as applied; nil if it is
    /// impossible for this list.
    private func apply(_ said: Announcement, of update: Change?) -> Announcement? {
        var said = said
        // A presenter in this process is trusted, and keeps its views itself.
        guard isElsewhere else {
            _ = known.apply(&said, remembers: session.stage == .opening) { nil }
            for viewState in said.views { session.shown[viewState.view] = viewState.description.visibleObjects.count }
            for view in said.closings.keys { session.shown[view] = nil }
            return said
        }
        guard objects.isPossible(said, of: update) else { return nil }
        known.setSize(
            sections: max(objects.table.count(.old), objects.table.count(.new)), items: said.itemCount)
        let side: ListSide = objects.table.isOpen && update != nil ? .new : .old
        let last = { [objects] in objects.table.object(at: objects.table.count(side) - 1, side)?.id }
        return known.apply(&said, remembers: true, lastObject: last) ? said : nil
    }

    /// Checks the report that the list was opened.
    private func checkedOpening(_ said: Announcement) -> PresenterReport? {
        former = known
        known.forgetDisplay()
        guard session.stage == .opening, said.transaction == nil,
            let said = apply(said, of: Change())
        else {
            known = former
            killWorker("the worker opened the list in a different state than requested")
            return nil
        }
        session.stage = .open
        sendHolds()
        wasPresented = true
        session.update = nil
        var difference = said
        // Display and selection are reported as differences to the state that was reported before.
        difference.events.removeAll(where: \.isAboutDisplay)
        difference.selection = known.selectsOther(than: former) ? known.selection : nil
        return .opened(difference)
    }

    /// Checks the presenter's answer to a call. An answer to no waiting call is a change.
    private func checkedAnswer(
        _ id: RequestID, _ outcome: Result<PresenterAnswer, ListError>, _ said: Announcement
    ) -> PresenterReport? {
        var said = said
        said.removeTransaction()
        guard session.stage == .open, let said = apply(said, of: nil) else {
            killWorker("a report of the worker does not match the list")
            return nil
        }
        guard let call = calls[id], call.isSent else { return .changed(said, answering: nil) }
        let isKnown = { [objects] id in objects.table.index(ofID: id, .old) != nil }
        guard known.apply(outcome, to: call.order, remembers: isElsewhere, isKnown: isKnown) else {
            // The call goes to the next worker.
            killWorker("the worker reported a view that shows more than the list has")
            return nil
        }
        return .answer(id, outcome, said)
    }

    /// Returns whether section controllers may give this verdict on an item: the object keeps its identifier.
    private func isPossible(_ verdict: ItemMoveVerdict, of move: ItemMoveRequest) -> Bool {
        guard case .object(let object) = verdict else { return true }
        return object.id.utf8.elementsEqual(objects.table.object(at: move.from.section, .old)?.id.utf8 ?? "".utf8)
    }
}

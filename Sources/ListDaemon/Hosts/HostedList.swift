// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers

/// A list as its host runs it: its objects, presenter and writes. It handles calls and reports, and leaves what is to be
/// told and stored.
///
/// The objects are here, whatever presents them (``Presenter``): a worker, or an engine in this process. After the loss
/// of a presenter, the list is opened in another one. Pending work is in one of three places: with the ``ListHost``, in
/// the ``ObjectList`` (writing requests) or in the calls of its ``PresenterLink`` (answered by a presenter). Every
/// request is answered exactly once. A restored list of built-in section controllers rests, without a presenter, until
/// its first view, read of items or write.
///
/// The list has no thread and calls nobody: after each call its host takes the ``Output``.
final class HostedList {
    /// What a piece of work leaves to the host.
    struct Output {
        /// What clients are told, in order.
        var said: [Said] = []
        /// The writes for the store, in order.
        var writes: [(Write, StoreWrite)] = []
        /// When the next turn is due.
        var turn = FlushTiming.idle
        /// A diff to compute on another thread.
        var diff: DiffJob?
        /// The move of the list to where its new section controllers run.
        var move: PresenterLink.Move?
        /// Whether a transaction was announced.
        var hasChanged = false
        /// Whether the list has ended.
        var hasEnded = false
    }

    /// Something that clients are told.
    enum Said {
        /// The signals of one moment.
        case announcement(Announcement)
        /// The answer to a call, which the closure gives.
        case answer(@DBusActor () -> Void)
    }

    /// The state of the list between start and end.
    private enum Life {
        case running
        /// The list finishes the accepted requests, and then ends.
        case stopping(ViewClosing)
        /// The last write is in progress; then the list ends.
        case finishing(ViewClosing)
        case stopped(ViewClosing)
    }

    /// A kind of write, to which the store's answer belongs.
    enum Write: Sendable {
        /// The changes of an update, with the amounts that were booked for them.
        case update(Quotas.Amounts?)
        /// The reservation of a block of revision numbers.
        case block
        /// Changes that were announced before they were stored.
        case record
        /// The last write before the list ends.
        case last
    }

    /// The maximum number of objects of a list that is used on the event loop: some calls take a time that grows with
    /// them, such as the first layout of a view.
    private static let mostObjectsOnLoop = 100_000

    let objects: ObjectList
    let link: PresenterLink
    private let times: CallbackTimes?
    private let clock: @Sendable () -> UInt64
    /// Takes the steps of the objects to the link.
    private let driver: ListDriver
    private var life = Life.running
    /// The account on which the objects are booked; nil = they are not counted.
    private var account: HostAccount?
    /// The number of writes that the store has not answered.
    private var writesInProgress = 0
    /// The number of the last request or call of a presenter.
    private var lastRequest: RequestID = 0
    /// Where the answers to unanswered writes go.
    private var answers: [RequestID: ListHost.RequestCompletion] = [:]
    private var output = Output()
    /// The executor of section controllers' timers.
    private weak var executor: (any ListExecutor)?
    /// Whether followers of the list want the changes of its objects.
    private var reportsChanges = false
    /// The number of elements that the waiting requests touch.
    private var waitingCost = 0
    /// The status that was reported of the resting list; nil if the list does not rest.
    private var rest: ListStatus?

    /// Makes a list; see ``ListHost``.
    init(
        configuration: ListOptions, controllers: SectionControllerTable, objects: [ListObject],
        revision: UInt64, changes: [Transaction], account: HostAccount?, isStored: Bool, wasPresented: Bool,
        rest: RestingItems?, times: CallbackTimes?, now: @escaping @Sendable () -> UInt64
    ) {
        self.account = account
        self.account?.bookRestored(objects)
        let list = ObjectList(
            table: SectionTable(resting: objects, itemCount: rest?.count ?? 0, isFlat: rest?.isFlat ?? false),
            numbers: RevisionNumbers(at: revision, isStored: isStored),
            log: ChangeLog(revision: revision, stored: changes), configuration: configuration)
        self.objects = list
        self.rest = rest.map { _ in list.status }
        link = PresenterLink(list, controllers: controllers, wasPresented: wasPresented)
        driver = ListDriver(list, link)
        (self.times, clock) = (times, now)
    }

    /// Sets the executor of section controllers' timers.
    func setExecutor(_ new: any ListExecutor) { executor = new }

    /// Removes and returns what the calls since the last time have left to the host.
    func popOutput() -> Output {
        defer { output = Output() }
        output.said = link.popSaid()
        output.move = link.popMove()
        return output
    }

    /// Whether the list does work that touches few elements in microseconds, because it shows little and runs no plugin.
    var isQuick: Bool {
        link.stage == .open && (link.isElsewhere || !link.controllers.usesPlugins && link.showsLittle)
            && objects.objectCount <= Self.mostObjectsOnLoop
    }

    /// The number of elements that the update in progress touches, with the requests that wait for the next one.
    var updateCost: Int {
        let change = objects.change.map { $0.whole?.count ?? $0.count } ?? 0
        let (sum, overflow) = change.addingReportingOverflow(waitingCost)
        return isOver || isStopping || overflow ? .max : sum
    }

    private var now: UInt64 { clock() }
    private var isStopping: Bool { if case .stopping = life { true } else { false } }
    private var isStopped: Bool { if case .stopped = life { true } else { false } }

    /// Whether the list has finished its requests: at most its last write is in progress.
    private var isOver: Bool {
        switch life {
        case .running, .stopping: false
        case .finishing, .stopped: true
        }
    }

    /// Reports the status of the list, whose properties are read before its first change.
    func reportStatus() {
        var said = Announcement(itemCount: objects.itemCount)
        said.status = objects.status
        link.tell(said)
    }
}

// MARK: - Calls

extension HostedList {
    /// The error for calls, if the list has ended or is being removed.
    private var refusal: ListError? {
        switch life {
        case .stopped(let reason): .gone(objects.configuration.name, because: reason)
        case .stopping(.adapterRemoved), .finishing(.adapterRemoved): .gone(objects.configuration.name)
        case .running, .stopping, .finishing: nil
        }
    }

    /// Answers a call, after everything that clients were not told yet.
    func answer(_ body: @escaping @DBusActor () -> Void) { link.tell(.answer(body)) }

    /// Updates the list.
    ///
    /// - Parameter request: the request, to which the list gives its number.
    func update(_ request: UpdateRequest, by user: UInt32?, done: @escaping ListHost.RequestCompletion) {
        addRequest(done: done) { id in
            var request = request
            request.id = id
            addWork(request.cost(in: objects))
            if case .moveItem(let from, let to) = request.operation {
                link.add(ItemMoveRequest(id: id, from: from, to: to, animated: request.animated), by: user)
            }
            objects.enqueue(request, now: now, isOnScreen: link.isOnScreen)
        }
    }

    /// Changes the options, and the section controllers unless `table` is nil.
    func configure(_ new: ListOptions, _ table: SectionControllerTable?, done: @escaping ListHost.RequestCompletion) {
        addRequest(done: done) { id in
            addWork(.max)
            if let table { link.add(table, of: id) }
            let operation = UpdateRequest.Operation.configure(new, controllersChanged: table != nil)
            objects.enqueue(UpdateRequest(id: id, operation: operation), now: now)
        }
    }

    /// Stores the whole list, and from then on each update before it is applied; or stops storing.
    func keep(_ keeps: Bool, done: @escaping ListHost.RequestCompletion) {
        addRequest(wakes: false, done: done) { id in
            addWork(.max)
            objects.enqueue(storing: keeps, id: id, now: now)
        }
    }

    /// Adds a request that the objects answer in order.
    private func addRequest(
        wakes: Bool = true, done: @escaping ListHost.RequestCompletion, _ add: (RequestID) -> Void
    ) {
        lastRequest += 1
        if let refusal {
            let refused = RequestAnswer(id: lastRequest, outcome: .failure(refusal))
            return answer { done(refused, nil) }
        }
        if wakes { wake() }
        answers[lastRequest] = done
        add(lastRequest)
        proceed()
    }

    /// Reads the objects. While listd stops, they are still read.
    ///
    /// - Parameter wakes: whether a resting list gets its engine.
    func read<Value: Sendable>(
        wakes: Bool, _ body: (ObjectList) throws(ListError) -> Value, done: @escaping ListHost.Completion<Value>
    ) {
        let isReadable = if case .stopped(.shuttingDown) = life { true } else { refusal == nil }
        if !isReadable, let refusal { return answer { done(.failure(refusal)) } }
        if wakes, refusal == nil { wake() }
        let outcome = Result { () throws(ListError) in try body(objects) }
        answer { done(outcome) }
        proceed()
    }

    /// Forwards a call to the presenter.
    ///
    /// - Parameters:
    ///   - client: the client whose later reads of properties wait for the answer.
    ///   - order: returns the order for the number of the call.
    func forward(
        by user: UInt32?, for client: ObjectIdentifier? = nil, done: @escaping ListHost.Completion<PresenterAnswer>,
        _ order: (RequestID) -> PresenterOrder
    ) {
        if let refusal { return answer { done(.failure(refusal)) } }
        wake()
        lastRequest += 1
        link.forward(lastRequest, order(lastRequest), by: user, for: client, done: done)
        proceed()
    }

    /// Closes a view for a reason of the daemon's own.
    func close(_ view: ViewID, _ reason: ViewClosing, by user: UInt32?) {
        guard !isStopped else { return }
        link.close(view, reason, by: user)
        proceed()
    }

    /// Holds all flushes and pictures, because clients have not read earlier messages yet; or continues.
    func hold(_ holds: Bool) {
        guard !isStopped else { return }
        link.setHolds(all: holds)
        proceed()
    }

    /// Finishes the accepted requests, closes the views and ends.
    func stop(_ reason: ViewClosing) {
        guard case .running = life else { return }
        if isResting, objects.hasWaitingRequests { presentHere() }
        life = .stopping(reason)
        proceed()
    }

    private func wake() { if isResting { presentHere() } }

    private func addWork(_ cost: Int) {
        let (sum, overflow) = waitingCost.addingReportingOverflow(cost)
        waitingCost = overflow ? .max : sum
    }
}

// MARK: - Updates

extension HostedList {
    /// Takes all steps that are possible now.
    private func proceed() {
        guard !isOver else { return }
        handleReports()
        if link.stage == .closed {
            openIfPossible()
            handleReports()
        }
        if objects.timing != .idle, mayFlush { scheduleTurn(objects.timing, isUrgent: isStopping) }
        if isStopping { endIfPossible() }
    }

    /// Whether a flush may begin. It requires an open presentation, except for a change of whether the list is
    /// stored.
    private var mayFlush: Bool {
        objects.phase == .idle && (link.stage == .open && (!link.isHeld || isStopping) || objects.storesNext)
    }

    private func scheduleTurn(_ timing: FlushTiming, isUrgent: Bool = false) {
        switch (output.turn, timing) {
        case (_, .idle), (.now, _): break
        case (.at(let known), .at(let time)) where !isUrgent: output.turn = .at(min(known, time))
        case (_, .at) where isUrgent: output.turn = .now
        case (_, .at), (_, .now): output.turn = timing
        }
    }

    /// Handles waiting reports, and flushes if that is possible now.
    func runTurn() {
        guard !isOver else { return }
        link.handleUnrequestedReports()
        handleReports()
        if mayFlush { carryOut(driver.run(now: now, isUrgent: isStopping)) }
        if !objects.hasWaitingRequests { waitingCost = 0 }
        proceed()
    }

    /// Does what the update in progress needs next.
    private func carryOut(_ step: OwnerStep) {
        switch step {
        case .wait(let timing): scheduleTurn(timing)
        case .diff(let job): output.diff = job
        case .store(let work): store(work)
        case .reserve(let work): requestWrite(.block, of: work)
        case .announce(let said): publish(said)
        }
    }

    /// Continues with the output of a diff.
    func finishDiff(_ output: DiffJob.Output) {
        carryOut(driver.finishDiff(output))
        proceed()
    }

    private func store(_ work: StoreWrite) {
        do throws(ListError) {
            let booked = try work.change.flatMap { (change) throws(ListError) in
                change.hasObjectChanges ? try account?.book(change) : nil
            }
            if objects.numbers.isUnstored {
                finish(.update(booked), of: work, error: nil)
            } else {
                requestWrite(.update(booked), of: work)
            }
        } catch {
            finish(.update(nil), of: work, error: error)
        }
    }

    private func requestWrite(_ write: Write, of work: StoreWrite) {
        writesInProgress += 1
        output.writes.append((write, work))
    }

    /// Handles the store's answer to a write.
    func handleStored(_ write: Write, of work: StoreWrite, error: ListError?) {
        writesInProgress -= 1
        guard !isStopped else { return }
        finish(write, of: work, error: error)
        proceed()
    }

    private func finish(_ write: Write, of work: StoreWrite, error: ListError?) {
        let outcome: Result<Void, ListError> = error.map { .failure($0) } ?? .success(())
        switch write {
        case .update(let booked):
            if error != nil, let booked { account?.cancel(booked) }
            carryOut(driver.stored(outcome, retryingEach: error?.code == .limitsExceeded, now: now))
        case .block:
            objects.finishReserving(work, outcome, now: now)
            // Few numbers are left, and further reservations may fail: so item changes wait, and requests get the
            // remaining numbers.
            link.setHolds(items: error != nil && objects.numbers.needsBlock)
            if error != nil { scheduleTurn(.at(now + 100)) }
            handleReports()
        case .record: if error == nil { objects.recordStored(work) }
        case .last: end()
        }
    }

    /// Reserves revision numbers for items that change by themselves, if few are left.
    private func reserveRevisions(isNeeded: Bool = false) {
        guard isNeeded || link.isElsewhere else { return }
        if let work = objects.reserve(now: now) { requestWrite(.block, of: work) }
    }
}

// MARK: - The presenter

extension HostedList {
    /// Whether the list was restored and not used since, so that it has no presenter.
    var isResting: Bool { rest != nil }

    /// Presents the list in this process.
    func presentHere() {
        objects.table.wake()
        attach(
            LocalPresenter(objects, executor: executor, times: times) { [weak self] in self?.scheduleTurn(.now) })
    }

    func attach(_ presenter: any Presenter) {
        if isStopped {
            _ = presenter.close()
            return
        }
        handleLoss(by: nil)
        link.attach(presenter)
        reserveRevisions()
        proceed()
    }

    /// Handles the loss of the presenter. Its calls go to the next presenter, except the call during which the
    /// worker died. No call waits forever.
    ///
    /// - Parameter death: the death of its worker; nil = the list moves.
    func handleLoss(by death: Death?) {
        if let error = link.handleLoss(by: death) {
            carryOut(driver.decided(.error(error)))
        } else {
            objects.cancelMove(now: now)
        }
        proceed()
    }

    /// Forgets the objects in whose callbacks workers have died.
    ///
    /// - Parameter reloads: whether the list shows them now; otherwise its next opening does.
    func forgetFatalObjects(reloads: Bool) {
        let ids = link.forgetFatalObjects()
        // A list without a presenter shows them when it is opened.
        guard reloads, [.opening, .open].contains(link.stage), !ids.isEmpty, !isOver else { return }
        // No client waits for the answer, so no request has this number.
        objects.enqueue(UpdateRequest(id: 0, operation: .reloadObjects(ids)), now: now, isOnScreen: link.isOnScreen)
        proceed()
    }

    /// Opens the list in its presenter, unless the store has to answer first. If clients may know the list's items, the
    /// opening is announced as a reload.
    private func openIfPossible() {
        guard link.hasPresenter, link.stage == .closed, [.idle, .presenting].contains(objects.phase) else { return }
        guard link.wasPresented || objects.phase == .presenting else {
            return link.open(nil)
        }
        guard let reload = objects.beginReload(sharesTable: !link.isElsewhere) else {
            return carryOut(objects.reservationStep(now: now))
        }
        link.open(reload)
    }

    func receive(_ reports: [PresenterReport], from number: PresenterNumber) {
        guard link.receive(reports, from: number) else { return }
        handleReports()
        proceed()
    }

    /// Handles the presenter's reports until one of them has to wait.
    private func handleReports() {
        guard !isOver else { return }
        // One number is left for the update that is being presented.
        while let report = link.nextReport(leavingNumbers: objects.phase == .presenting ? 1 : 0) {
            switch report {
            case .opened(let said): handleOpening(said)
            case .presented(let said): publish(driver.presented(said))
            case .changed(let said, let request):
                if let request { link.remove(request) }
                if let announcement = driver.changed(said, answering: request) { publish(announcement) }
            case .answer(let id, let outcome, let said):
                if let announcement = driver.changed(said) { link.tell(announcement) }
                link.answer(id, outcome)
            case .moveVerdict(_, let verdict): carryOut(driver.decided(verdict))
            case .more: break  // the link has sent the objects
            }
        }
        if let delay = link.reportDelay {
            reserveRevisions(isNeeded: true)
            return scheduleTurn(.at(now + delay))
        }
        objects.setFirstItemUpdate(link.firstItemUpdate, now: now, isOnScreen: link.isOnScreen)
        reserveRevisions()
    }

    /// Handles that the list was opened: reports the differences in the order of the contract, then sends waiting
    /// calls.
    private func handleOpening(_ said: Announcement) {
        let isReload = objects.phase == .presenting
        let known = rest ?? objects.status
        rest = nil
        var announcement =
            isReload ? driver.presented(said) : driver.changed(said) ?? Announcement(itemCount: objects.itemCount)
        announcement.insertAfterTransaction(link.popDifferences())
        let pause = link.endPause()
        if !announcement.isEmpty || !pause.isEmpty || objects.status != known {
            announcement.status = objects.status
            publish(announcement)
        }
        link.tell(pause)
        link.answerRefusedCalls()
        link.sendCalls()
    }
}

// MARK: - Announcing

extension HostedList {
    /// Announces the changes of objects, from the next announced transaction on; or no more.
    func setReportsChanges(_ flag: Bool) { reportsChanges = flag }

    /// Tells clients an announcement, and then answers its requests.
    private func publish(_ announcement: Announcement) {
        let answered = announcement.answers
        let removed = announcement.change.flatMap { change in
            LargeRemoval(
                objects: change.removed.count,
                total: objects.objectCount + change.removed.count - change.inserted.count)
        }
        var announcement = announcement
        announcement.answers = []
        if announcement.transaction != nil {
            output.hasChanged = true
            announcement.status = objects.status
        }
        // Followers alone get the change, which holds the objects.
        if !reportsChanges || announcement.change?.hasObjectChanges != true { announcement.change = nil }
        link.tell(announcement)
        finish(answered, removed: removed)
    }

    /// Answers requests.
    ///
    /// - Parameter removed: the objects that the update has removed, if it removed most of a large list.
    private func finish(_ answered: [RequestAnswer], removed: LargeRemoval? = nil) {
        for request in answered {
            link.remove(request.id)
            guard let completion = answers.removeValue(forKey: request.id) else { continue }
            answer { completion(request, removed) }
        }
    }

    /// Announces the revision once more, because the list has been quiet. Changes that are not stored yet are stored then.
    func announceAgain() {
        guard !isOver else { return }
        var again = Announcement(itemCount: objects.itemCount)
        again.repeatsRevision = true
        again.status = objects.status
        link.tell(again)
        if let work = objects.pendingWrite() { requestWrite(.record, of: work) }
    }
}

// MARK: - The end

extension HostedList {
    /// Ends the list when all accepted requests are finished. Without a presenter, the requests that need one are
    /// refused.
    private func endIfPossible() {
        guard case .stopping(let reason) = life else { return }
        switch link.stage {
        case .open: guard objects.phase == .idle, !objects.hasWaitingRequests, link.hasNoCalls else { return }
        case .opening, .blamed: return
        case .closed:
            finish(objects.refuseWaiting(.unpresented))
            // A change that is already stored is announced as a reload, and its requests are answered.
            let isFlat = objects.isFlat && objects.itemCount == objects.table.count(.new)
            publish(driver.presented(Announcement(itemCount: objects.itemCount, isFlat: isFlat)))
            guard objects.phase == .idle else { return }
        }
        life = .finishing(reason)
        if reason != .adapterRemoved, let work = objects.end() { requestWrite(.last, of: work) } else { end() }
    }

    private func end() {
        guard case .finishing(let reason) = life else { return }
        life = .stopped(reason)
        finish(objects.refuseWaiting(.unpresented))
        link.end(reason)
        account?.close()
        output.hasEnded = true
    }
}

// MARK: - Describing

extension HostedList {
    /// The description of the list's state for `Dump`.
    var description: String {
        guard !isResting else {
            return """
                changes since revision \(objects.log.oldestRevision) are available
                the list is restored and not used yet, so that it has no engine
                """
        }
        let revisions = objects.numbers.isUnstored ? "not stored" : "\(objects.numbers.left) revisions are reserved"
        return """
            changes since revision \(objects.log.oldestRevision) are available
            \(link.description)
            \(objects.phase), flush \(objects.timing), \(writesInProgress) writes in progress, \(revisions)
            """
    }
}

extension UpdateRequest {
    /// The number of elements of a list that the request touches.
    fileprivate func cost(in list: ObjectList) -> Int {
        let count = max(list.objectCount, list.itemCount)
        return switch operation {
        case .applyChanges(let removed, let upserts): removed.count + upserts.count
        case .moveObject, .patchObject, .moveItem, .invalid: 1
        case .reloadObjects(let ids): ids.count
        case .performUpdates(let objects, _): count + objects.count
        case .reloadData, .configure: count
        }
    }
}

extension Announcement {
    /// Inserts events directly after the transaction; without one, at the end.
    fileprivate mutating func insertAfterTransaction(_ new: [AdapterEvent]) {
        let index = events.firstIndex { if case .updated = $0 { true } else { false } }
        events.insert(contentsOf: new, at: index.map { $0 + 1 } ?? events.endIndex)
    }
}

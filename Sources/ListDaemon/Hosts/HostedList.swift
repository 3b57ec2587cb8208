// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers

/// A list as its host runs it: its objects, presenter and writes. It handles commands and reports, and leaves effects.
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
        /// The effects, in order.
        var effects: [AdapterEffect] = []
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

    /// The state of the list between start and end.
    private enum Life {
        case running
        /// The list finishes the accepted requests, and then ends.
        case stopping(RequestID, ViewClosing)
        /// The last write is in progress; then the list ends.
        case finishing(RequestID, ViewClosing)
        case stopped(ViewClosing)
    }

    /// A kind of write.
    private enum Write {
        /// The changes of an update, with the amounts that were booked for them.
        case update(Quotas.Amounts?)
        /// The reservation of a block of revision numbers.
        case block(StoreWrite)
        /// Changes that were announced before they were stored.
        case record(StoreWrite)
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
    /// The writes that the store has not answered.
    private var writes: [StoringToken: Write] = [:]
    private var lastToken: StoringToken = 0
    private var output = Output()
    /// The executor of section controllers' timers.
    private weak var executor: (any ListExecutor)?
    /// Whether followers of the list want the changes of its objects.
    private var reportsChanges = false
    /// The number of elements that the waiting requests touch.
    private var waitingCost = 0
    /// The status that was reported of the resting list; nil if the list does not rest.
    private var rest: AdapterStatus?

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
        output.effects = link.popEffects()
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

    /// Whether the list has finished its requests: at most its last write is in progress.
    private var isOver: Bool {
        switch life {
        case .running, .stopping: false
        case .finishing, .stopped: true
        }
    }

    /// Reports the status of the list, whose properties are read before its first change.
    func reportStatus() { sink([.status(objects.status)]) }

    private func sink(_ effects: [AdapterEffect]) { link.emit(effects) }
}

// MARK: - Commands

extension HostedList {
    func receive(_ command: AdapterCommand, by user: UInt32?) {
        if case .stopped(let reason) = life { return refuse(command, because: reason) }
        if isResting, command.endsRest { presentHere() }
        switch command {
        case .update(let request):
            addWork(request.cost(in: objects))
            if case .moveItem = request.operation { link.addMove(command, id: request.id, by: user) }
            objects.enqueue(request, now: now, isOnScreen: link.isOnScreen)
        case .configure(let id, let configuration, let table):
            addWork(.max)
            if let table { link.add(table, of: id) }
            let operation = UpdateRequest.Operation.configure(configuration, controllersChanged: table != nil)
            objects.enqueue(UpdateRequest(id: id, operation: operation), now: now)
        case .keep(let id, let keeps):
            addWork(.max)
            objects.enqueue(storing: keeps, id: id, now: now)
        case .query(let id, .description):
            let text = isResting ? restDescription : description
            sink([.answer(id, .success(.text(text)))])
        case .query(let id, let query) where query.isAboutObjects:
            sink([.answer(id, Result { () throws(ListError) in try objects.answer(query) })])
        case .query(let id, _), .openView(let id, _, _), .view(let id, _, _):
            link.forwardCall(id, command, by: user)
        case .closeView(let view, let reason): link.close(view, reason, by: user)
        case .hold(let holds): link.setHolds(all: holds)
        case .stored(let token, let error):
            if let write = writes.removeValue(forKey: token) { finish(write, error: error) }
        case .stop(let id, let reason):
            if isResting, objects.hasWaitingRequests { presentHere() }
            life = .stopping(id, reason)
        }
        proceed()
    }

    private func addWork(_ cost: Int) {
        let (sum, overflow) = waitingCost.addingReportingOverflow(cost)
        waitingCost = overflow ? .max : sum
    }

    /// Answers a command to a stopped list with an error. While listd stops, queries are answered from the last
    /// state.
    private func refuse(_ command: AdapterCommand, because reason: ViewClosing) {
        guard let id = command.requestID else { return }
        if reason == .shuttingDown, case .query(_, let query) = command, query.isAboutObjects {
            return sink([.answer(id, Result { () throws(ListError) in try objects.answer(query) })])
        }
        sink([.answer(id, .failure(.gone(objects.configuration.name, because: reason)))])
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
    private func carryOut(_ output: ListDriver.Output) {
        switch output {
        case .wait(let timing): scheduleTurn(timing)
        case .diff(let job): self.output.diff = job
        case .store(let work): store(work)
        case .reserve(let work): requestWrite(.block(work), of: work)
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
                finish(.update(booked), error: nil)
            } else {
                requestWrite(.update(booked), of: work)
            }
        } catch {
            finish(.update(nil), error: error)
        }
    }

    private func requestWrite(_ write: Write, of work: StoreWrite) {
        lastToken += 1
        writes[lastToken] = write
        sink([.store(lastToken, work)])
    }

    /// Handles the store's answer to a write.
    private func finish(_ write: Write, error: ListError?) {
        let outcome: Result<Void, ListError> = error.map { .failure($0) } ?? .success(())
        switch write {
        case .update(let booked):
            if error != nil, let booked { account?.cancel(booked) }
            carryOut(driver.stored(outcome, retryingEach: error?.code == .limitsExceeded, now: now))
        case .block(let work):
            objects.finishReserving(work, outcome, now: now)
            // Few numbers are left, and further reservations may fail: so item changes wait, and requests get the
            // remaining numbers.
            link.setHolds(items: error != nil && objects.numbers.needsBlock)
            if error != nil { scheduleTurn(.at(now + 100)) }
            handleReports()
        case .record(let work): if error == nil { objects.recordStored(work) }
        case .last: stop()
        }
    }

    /// Reserves revision numbers for items that change by themselves, if few are left.
    private func reserveRevisions(isNeeded: Bool = false) {
        guard isNeeded || link.isElsewhere else { return }
        if let work = objects.reserve(now: now) { requestWrite(.block(work), of: work) }
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
        if case .stopped = life {
            _ = presenter.close()
            return
        }
        handleLoss(.move)
        link.attach(presenter)
        reserveRevisions()
        proceed()
    }

    /// Handles the loss of the presenter. Its calls go to the next presenter, except the call during which the
    /// worker died. No call waits forever.
    func handleLoss(_ loss: PresenterCalls.Loss) {
        switch link.handleLoss(loss) {
        case .none: break
        case .askAgain: objects.cancelMove(now: now)
        case .refused(let error): carryOut(driver.decided(.error(error)))
        }
        proceed()
    }

    /// Opens the list in its presenter, unless the store has to answer first. If clients may know the list's items, the
    /// opening is announced as a reload.
    private func openIfPossible() {
        guard link.hasPresenter, link.stage == .closed, [.idle, .presenting].contains(objects.phase) else { return }
        guard link.wasPresented || objects.phase == .presenting else {
            return link.open(nil)
        }
        switch objects.beginReload(sharesTable: !link.isElsewhere, now: now) {
        case .present(let reload): link.open(reload)
        case .reserve(let work): requestWrite(.block(work), of: work)
        case .wait(let timing): scheduleTurn(timing)
        case .diff, .ask, .store, .presentItems, .answers: break  // neither a reload nor a reason to wait
        }
    }

    func receive(_ output: PresenterOutput, from number: PresenterNumber) {
        guard link.receive(output, from: number) else { return }
        times?.add(output.times, of: link.controllers.plugins)
        handleReports()
        proceed()
    }

    /// Handles the presenter's reports until one of them has to wait.
    private func handleReports() {
        guard !isOver else { return }
        // One number is left for the update that is being presented.
        while let event = link.nextEvent(leavingNumbers: objects.phase == .presenting ? 1 : 0) {
            switch event {
            case .wait(let milliseconds): return scheduleTurn(.at(now + milliseconds))
            case .needsNumber:
                reserveRevisions(isNeeded: true)
                return scheduleTurn(.at(now + 100))
            case .opened(let said, let differences): handleOpening(said, differences: differences)
            case .presented(let said): publish(driver.presented(said))
            case .changed(let said, let request):
                if let request { link.remove(request) }
                if let announcement = driver.changed(said, answering: request) { publish(announcement) }
            case .answer(let id, let outcome, let said):
                let effects = driver.changed(said)?.effects(objects.status) ?? []
                sink(effects + [.answer(id, outcome.map { $0.replacingRevision(from: objects.status) })])
            case .moveVerdict(let verdict): carryOut(driver.decided(verdict))
            }
        }
        objects.setFirstItemUpdate(link.firstItemUpdate, now: now, isOnScreen: link.isOnScreen)
        reserveRevisions()
    }

    /// Handles that the list was opened: reports the differences in the order of the contract, then sends waiting
    /// calls.
    private func handleOpening(_ said: Announcement, differences: PresenterLink.Differences) {
        let isReload = objects.phase == .presenting
        let known = rest ?? objects.status
        rest = nil
        let announcement =
            isReload ? driver.presented(said) : driver.changed(said) ?? Announcement(itemCount: objects.itemCount)
        let answers = finishRequests(with: announcement)
        let status = objects.status
        let events = announcement.effects(status, differences: differences(objects.place))
        let effects = changes(in: announcement) + events + answers + link.endPause()
        if !effects.isEmpty || status != known { sink([.status(status)] + effects) }
        if isReload { output.hasChanged = true }
        link.sendCalls()
    }
}

// MARK: - Announcing

extension HostedList {
    /// Reports the changes of objects among the effects, from the next announced transaction on; or no more.
    func setReportsChanges(_ flag: Bool) { reportsChanges = flag }

    /// Returns the change of an announcement for followers, who are told before anybody else.
    private func changes(in announcement: Announcement) -> [AdapterEffect] {
        guard reportsChanges, let change = announcement.change, change.hasObjectChanges else { return [] }
        return [.changed(change)]
    }

    /// Sends the effects of an announcement: events and answers.
    private func publish(_ announcement: Announcement) {
        let effects =
            changes(in: announcement) + announcement.effects(objects.status) + finishRequests(with: announcement)
        if !effects.isEmpty { sink(effects) }
        if announcement.hasTransaction { output.hasChanged = true }
    }

    /// Forgets answered requests, and returns their answers as effects.
    private func finishRequests(with announcement: Announcement) -> [AdapterEffect] {
        let removed = announcement.change.flatMap { change in
            LargeRemoval(
                objects: change.removed.count,
                total: objects.objectCount + change.removed.count - change.inserted.count)
        }
        return finishRequests(with: announcement.answers, removed: removed)
    }

    /// - Parameter removed: the objects that the update has removed, if it removed most of a large list.
    private func finishRequests(with answers: [RequestAnswer], removed: LargeRemoval? = nil) -> [AdapterEffect] {
        answers.map { answer in
            link.remove(answer.id)
            return answer.effect(removed: removed)
        }
    }

    /// Announces the revision once more, because the list has been quiet. Changes that are not stored yet are stored then.
    func announceAgain() {
        guard !isOver else { return }
        sink([.announce(objects.status)])
        if let work = objects.pendingWrite() { requestWrite(.record(work), of: work) }
    }
}

// MARK: - The end

extension HostedList {
    /// Ends the list when all accepted requests are finished. Without a presenter, the requests that need one are
    /// refused.
    private func endIfPossible() {
        guard case .stopping(let id, let reason) = life else { return }
        switch link.stage {
        case .open: guard objects.phase == .idle, !objects.hasWaitingRequests, link.hasNoCalls else { return }
        case .opening, .blamed: return
        case .closed:
            sink(finishRequests(with: objects.refuseWaiting(.unpresented)))
            // A change that is already stored is announced as a reload, and its requests are answered.
            let isFlat = objects.isFlat && objects.itemCount == objects.table.count(.new)
            publish(driver.presented(Announcement(itemCount: objects.itemCount, isFlat: isFlat)))
            guard objects.phase == .idle else { return }
        }
        life = .finishing(id, reason)
        if reason != .adapterRemoved, let work = objects.end() { requestWrite(.last, of: work) } else { stop() }
    }

    private func stop() {
        guard case .finishing(let id, let reason) = life else { return }
        life = .stopped(reason)
        sink(finishRequests(with: objects.refuseWaiting(.unpresented)))
        link.end(reason, refusing: .unpresented)
        account?.close()
        sink([.answer(id, .success(.done))])
        output.hasEnded = true
    }
}

// MARK: - Describing

extension HostedList {
    /// The description of a resting list for `Dump`.
    private var restDescription: String {
        "changes since revision \(objects.log.oldestRevision) are available\nthe list is restored and not used yet, so that it has no engine"
    }

    /// The description of the list's state for `Dump`.
    private var description: String {
        let revisions = objects.numbers.isUnstored ? "not stored" : "\(objects.numbers.left) revisions are reserved"
        return """
            changes since revision \(objects.log.oldestRevision) are available
            \(link.description)
            \(objects.phase), flush \(objects.timing), \(writes.count) writes in progress, \(revisions)
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

extension AdapterCommand {
    /// Whether the command reads or changes the list's contents, so that a resting list has to be presented again.
    fileprivate var endsRest: Bool {
        switch self {
        case .update, .configure, .openView, .view, .query(_, .objects), .query(_, .find), .query(_, .items),
            .query(_, .itemCounts):
            true
        case .closeView, .hold, .keep, .stored, .stop, .query(_, .changes), .query(_, .description): false
        }
    }
}

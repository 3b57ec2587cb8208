// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
package import ListWorkers

/// The host of one list. It keeps the list's objects, has them stored and presented, and reports effects.
///
/// The objects are here, whatever presents them (``Presenter``): a worker, or an engine on the same executor. After
/// the loss of a presenter, the list is opened in another one. Pending work is in one of three places: in the
/// executor, in the ``ObjectList`` (writing requests) or in the calls of its ``PresenterLink`` (answered by a
/// presenter). Every request is answered exactly once. A restored list of built-in section controllers rests, without
/// a presenter, until its first view, read of items or write.
package actor ListHost: ListHosting, PresentedList {
    /// Receives the effects, on the host's executor.
    package typealias Sink = @Sendable ([AdapterEffect]) -> Void

    /// The state of the host between start and end.
    private enum Life {
        case running
        /// The list finishes the accepted requests, and then ends.
        case stopping(RequestID, ViewClosing)
        /// The last write is in progress; then the list ends.
        case finishing(RequestID, ViewClosing)
        case stopped(ViewClosing)
    }

    nonisolated let executor: HostExecutor
    package nonisolated let times: CallbackTimes?
    private let sink: Sink
    let objects: ObjectList
    private var life = Life.running
    let link: PresenterLink
    /// Takes the steps of the objects to the link.
    private let driver: ListDriver
    private var writes: HostWrites
    /// The observer of changes of the objects.
    private var observer: ContentObserver?
    /// The status that was reported of the resting list; nil if the list does not rest.
    private var rest: AdapterStatus?
    private let turns: TurnSchedule

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

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
        executor = HostExecutor(label: "org.listd.list." + configuration.name)
        writes = HostWrites(account, of: objects)
        let list = ObjectList(
            table: SectionTable(resting: objects, itemCount: rest?.count ?? 0, isFlat: rest?.isFlat ?? false),
            numbers: RevisionNumbers(at: revision, isStored: isStored),
            log: ChangeLog(revision: revision, stored: changes), configuration: configuration)
        self.objects = list
        self.rest = rest.map { _ in list.status }
        link = PresenterLink(list, controllers: controllers, wasPresented: wasPresented, sink: sink)
        driver = ListDriver(list, link)
        (self.times, self.sink) = (times, sink)
        turns = TurnSchedule(executor: executor, clock: clock)
        executor.post { self.assumeIsolated { $0.sink([.status($0.objects.status)]) } }
    }

    private var now: UInt64 { turns.now }
    private var isStopping: Bool { if case .stopping = life { true } else { false } }

    /// Whether the list has finished its requests: at most its last write is in progress.
    private var isOver: Bool {
        switch life {
        case .running, .stopping: false
        case .finishing, .stopped: true
        }
    }
}

// MARK: - Commands

extension ListHost {
    func receive(_ command: AdapterCommand, by user: UInt32?) {
        defer { updateInlinePermission() }
        if case .stopped(let reason) = life { return refuse(command, because: reason) }
        if isResting, command.endsRest { presentHere() }
        switch command {
        case .update(let request):
            turns.addWork(isLight: request.isLight)
            if case .moveItem = request.operation { link.addMove(command, id: request.id, by: user) }
            objects.enqueue(request, now: now, isOnScreen: link.isOnScreen)
        case .configure(let id, let configuration, let table):
            turns.addWork(isLight: false)
            if let table { link.add(table, of: id) }
            let operation = UpdateRequest.Operation.configure(configuration, controllersChanged: table != nil)
            objects.enqueue(UpdateRequest(id: id, operation: operation), now: now)
        case .keep(let id, let keeps):
            turns.addWork(isLight: false)
            objects.enqueue(storing: keeps, id: id, now: now)
        case .query(let id, .description):
            let text = isResting ? restDescription : description(writesUnderWay: writes.count)
            sink([.answer(id, .success(.text(text)))])
        case .query(let id, let query) where query.isAboutObjects:
            sink([.answer(id, Result { () throws(ListError) in try objects.answer(query) })])
        case .query(let id, _), .openView(let id, _, _), .view(let id, _, _):
            link.forwardCall(id, command, by: user)
        case .closeView(let view, let reason): link.close(view, reason, by: user)
        case .hold(let holds): link.setHolds(all: holds)
        case .stored(let token, let error): if let write = writes.end(token) { finish(write, error: error) }
        case .stop(let id, let reason):
            if isResting, objects.hasWaitingRequests { presentHere() }
            life = .stopping(id, reason)
        }
        proceed()
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

extension ListHost {
    /// Takes all steps that are possible now.
    private func proceed() {
        guard !isOver else { return }
        if let move = link.popMove() { present(after: move) }
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
        turns.post(timing, isUrgent: isUrgent) { [weak self] in
            self?.assumeIsolated { $0.runTurn() }
        }
    }

    /// Handles waiting reports, and flushes if that is possible now.
    private func runTurn() {
        guard !isOver else { return }
        link.handleUnrequestedReports()
        handleReports()
        if mayFlush { carryOut(driver.run(now: now, isUrgent: isStopping)) }
        if !objects.hasWaitingRequests { turns.markWorkDone() }
        proceed()
        updateInlinePermission()
    }

    /// Does what the update in progress needs next.
    private func carryOut(_ output: ListDriver.Output) {
        switch output {
        case .wait(let timing): scheduleTurn(timing)
        case .diff(let job): run(job)
        case .store(let work): store(work)
        case .reserve(let work): requestWrite(.block(work), of: work)
        case .announce(let said): publish(said)
        }
    }

    /// Runs a large diff on another thread, while readers still see the previous list.
    private func run(_ job: DiffJob) {
        DispatchQueue.global().async {
            let output = job.run()
            self.executor.post {
                self.assumeIsolated { host in
                    host.carryOut(host.driver.finishDiff(output))
                    host.proceed()
                    host.updateInlinePermission()
                }
            }
        }
    }

    private func store(_ work: StoreWrite) {
        do throws(ListError) {
            let booked = try writes.book(work.change)
            if objects.numbers.isUnstored {
                finish(.update(booked), error: nil)
            } else {
                requestWrite(.update(booked), of: work)
            }
        } catch {
            finish(.update(nil), error: error)
        }
    }

    private func requestWrite(_ write: HostWrites.Write, of work: StoreWrite) {
        sink([.store(writes.begin(write), work)])
    }

    /// Handles the store's answer to a write.
    private func finish(_ write: HostWrites.Write, error: ListError?) {
        let outcome: Result<Void, ListError> = error.map { .failure($0) } ?? .success(())
        switch write {
        case .update(let booked):
            if error != nil { writes.cancel(booked) }
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

extension ListHost {
    /// Whether the list was restored and not used since, so that it has no presenter.
    package var isResting: Bool { rest != nil }

    /// Presents the list in this process, on its executor.
    func presentHere() {
        objects.table.wake()
        attach(
            LocalPresenter(objects, executor: executor, times: times) { [weak self] in
                self?.assumeIsolated { $0.scheduleTurn(.now) }
            })
    }

    /// Moves the list to where its new section controllers run.
    private func present(after move: PresenterLink.Move) {
        EventLoop.shared.post { [self] in
            move.old?.stopHosting(self)
            if let new = move.new { new.host(self) } else { presentLocally() }
        }
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
        defer { updateInlinePermission() }
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
        updateInlinePermission()
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
        observe(announcement)
        let answers = finishRequests(with: announcement)
        let status = objects.status
        let events = announcement.effects(status, differences: differences(objects.place))
        let effects = events + answers + link.endPause()
        if !effects.isEmpty || status != known { sink([.status(status)] + effects) }
        if isReload { announceWhenQuiet() }
        link.sendCalls()
    }
}

// MARK: - Announcing

extension ListHost {
    func setObserver(_ observer: ContentObserver?) { self.observer = observer }

    /// Passes the change of an announcement to followers, before anybody else is told.
    private func observe(_ announcement: Announcement) {
        if let observer, let change = announcement.change, change.hasObjectChanges { observer(change) }
    }

    /// Sends the effects of an announcement: events and answers.
    private func publish(_ announcement: Announcement) {
        observe(announcement)
        let effects = announcement.effects(objects.status) + finishRequests(with: announcement)
        if !effects.isEmpty { sink(effects) }
        if announcement.hasTransaction { announceWhenQuiet() }
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

    /// Announces the revision once more when the list has been quiet, so that a client that lost the last signal
    /// notices. Changes that are not stored yet are stored then.
    private func announceWhenQuiet() {
        turns.recordChange { [weak self] in
            self?.assumeIsolated { host in
                guard !host.isOver else { return }
                host.sink([.announce(host.objects.status)])
                if let work = host.objects.pendingWrite() { host.requestWrite(.record(work), of: work) }
            }
        }
    }
}

// MARK: - The end

extension ListHost {
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
        writes.close()
        sink([.answer(id, .success(.done))])
        let worker = link.controllers.worker
        EventLoop.shared.post { [self] in worker?.stopHosting(self) }
    }

    /// Updates whether the next work is light enough for the bus thread.
    private func updateInlinePermission() {
        let isPresentedHere = !link.controllers.usesPlugins && link.showsLittle
        let isUpdateLight = objects.change?.isLight ?? true
        executor.setAllowsInline(
            link.stage == .open && (link.isElsewhere || isPresentedHere) && turns.isLight && isUpdateLight
                && objects.objectCount <= Self.mostObjects)
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
package import ListWorkers

/// Runs one list: keeps its objects, has them stored and presented, and reports effects.
///
/// The objects are here, whatever presents them (``Presenter``): a worker, or an engine on the same executor. A lost
/// presenter is replaced by opening the list in another one. Waiting work is in one of three places: in the executor,
/// in the ``ObjectList`` (requests that write), in the calls of its ``PresenterLink`` (answered by a presenter). Every
/// request is answered exactly once. A restored list of built-in section controllers rests, without a presenter, until
/// its first view, read of items or write.
package actor ListHost: ListHosting, PresentedList {
    /// Takes what comes out, on the host's executor.
    package typealias Sink = @Sendable ([AdapterEffect]) -> Void

    /// How far the end is.
    private enum Life {
        case running
        /// Accepted requests are finished first.
        case stopping(RequestID, ViewClosing)
        /// The last write is in progress.
        case settling(RequestID, ViewClosing)
        case stopped(ViewClosing)
    }

    nonisolated let executor: HostExecutor
    package nonisolated let times: CallbackTimes?
    private let sink: Sink
    let objects: ObjectList
    private var controllers: HostControllers
    private var life = Life.running
    let link: PresenterLink
    private var writes: HostWrites
    private var update = UpdateUnderWay()
    /// Notified of changes of the objects.
    private var observer: ContentObserver?
    /// What was reported of the list while it rests; nil = it does not.
    private var rest: AdapterStatus?
    private let turns: TurnSchedule

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Makes the host of a list, which is presented as soon as it is given a presenter.
    ///
    /// - Parameters:
    ///   - wasPresented: whether somebody may know items of it: when it is presented that is announced as a reload.
    ///   - restingItems: how many items the objects have if the list rests until somebody looks at it; nil = it does not.
    init(
        configuration: ListAdapter.Configuration, controllers: SectionControllerTable, objects: [ListObject] = [],
        revision: UInt64 = 0, changes: [Transaction] = [], account: HostAccount? = nil, isStored: Bool = false,
        wasPresented: Bool = false, restingItems: Int? = nil, times: CallbackTimes? = nil, clock: HostClock = .system,
        sink: @escaping Sink
    ) {
        executor = HostExecutor(label: "org.listd.list." + configuration.name)
        self.controllers = HostControllers(controllers)
        writes = HostWrites(account, of: objects)
        let list = ObjectList(
            table: SectionTable(resting: objects, itemCount: restingItems ?? 0),
            numbers: RevisionNumbers(at: revision, isStored: isStored),
            log: ChangeLog(revision: revision, stored: changes), configuration: configuration)
        self.objects = list
        rest = restingItems.map { _ in list.status }
        link = PresenterLink(list, wasPresented: wasPresented, times: times, sink: sink)
        (self.times, self.sink) = (times, sink)
        turns = TurnSchedule(executor: executor, clock: clock)
        executor.post { self.assumeIsolated { $0.sink([.status($0.objects.status)]) } }
    }

    private var now: UInt64 { turns.now }
    private var isStopping: Bool { if case .stopping = life { true } else { false } }

    /// Whether nothing happens any more but what the end wants.
    private var isOver: Bool {
        switch life {
        case .running, .stopping: false
        case .settling, .stopped: true
        }
    }
}

// MARK: - Commands

extension ListHost {
    func receive(_ command: AdapterCommand, by user: UInt32?) {
        defer { noteWork() }
        if case .stopped(let reason) = life { return refuse(command, reason) }
        if isResting, command.endsRest { presentHere() }
        turns.add(isLight: command.isLight)
        switch command {
        case .update(let request):
            if case .moveItem = request.operation { link.add(command, request.id, by: user) }
            objects.enqueue(request, now: now, isOnScreen: link.isOnScreen)
        case .configure(let id, let configuration, let table):
            if let table { controllers.add(table, of: id) }
            let operation = UpdateRequest.Operation.configure(configuration, controllersChanged: table != nil)
            objects.enqueue(UpdateRequest(id: id, operation: operation), now: now)
        case .keep(let id, let keeps): objects.enqueue(storing: id, keeps, now: now)
        case .query(let id, .description):
            let text = isResting ? restDescription : description(writesUnderWay: writes.count)
            sink([.answer(id, .success(.text(text)))])
        case .query(let id, let query) where query.isAboutObjects:
            sink([.answer(id, Result { () throws(ListError) in try objects.answer(query) })])
        case .query(let id, _), .openView(let id, _, _), .view(let id, _, _):
            link.call(id, command, by: user, worker: controllers.current.worker)
        case .closeView(let view, let reason): link.close(view, reason, by: user)
        case .hold(let holds): link.hold(all: holds)
        case .stored(let token, let error): if let write = writes.end(token) { finish(write, error) }
        case .stop(let id, let reason):
            if isResting, objects.hasWaitingRequests { presentHere() }
            life = .stopping(id, reason)
        }
        proceed()
    }

    /// Every request is answered; while listd stops, readers get the last state.
    private func refuse(_ command: AdapterCommand, _ reason: ViewClosing) {
        guard let id = command.requestID else { return }
        if reason == .shuttingDown, case .query(_, let query) = command, query.isAboutObjects {
            return sink([.answer(id, Result { () throws(ListError) in try objects.answer(query) })])
        }
        sink([.answer(id, .failure(.gone(objects.configuration.name, because: reason)))])
    }
}

// MARK: - Updates

extension ListHost {
    /// Runs the steps that are possible now.
    private func proceed() {
        guard !isOver else { return }
        drain()
        if link.stage == .closed {
            openIfPossible()
            drain()
        }
        if objects.timing != .idle, mayFlush { schedule(objects.timing, isUrgent: isStopping) }
        if isStopping { endIfPossible() }
    }

    /// Flushes begin only while the list is presented; that it is stored needs no presenter.
    private var mayFlush: Bool {
        objects.phase == .idle && (link.stage == .open && (!link.isHeld || isStopping) || objects.storesNext)
    }

    private func schedule(_ timing: FlushTiming, isUrgent: Bool = false) {
        turns.post(timing, isUrgent: isUrgent) { [weak self] in
            self?.assumeIsolated { $0.takeTurn() }
        }
    }

    private func takeTurn() {
        guard !isOver else { return }
        link.takeTurn()
        drain()
        if mayFlush { perform(objects.next(now: now, isUrgent: isStopping)) }
        if !objects.hasWaitingRequests { turns.workIsDone() }
        proceed()
        noteWork()
    }

    private func perform(_ step: UpdateStep) {
        switch step {
        case .wait(let timing): schedule(timing)
        case .diff(let job): run(job)
        case .ask(let move):
            if let refusal = link.ask(move, worker: controllers.current.worker) {
                perform(objects.moveAnswered(.error(refusal)))
            }
        case .store(let work): store(work)
        case .reserve(let work): write(.block(work), work)
        case .present(let update): present(update)
        case .presentItems(let ticket): link.presentItems(through: ticket)
        case .answers(let answers):
            update.giveUp()
            sink(ended(answers))
        }
    }

    /// A large diff runs on another thread, while readers see the list as it was.
    private func run(_ job: DiffJob) {
        DispatchQueue.global().async {
            let output = job.run()
            self.executor.post {
                self.assumeIsolated { host in
                    host.perform(host.objects.diffed(output))
                    host.proceed()
                }
            }
        }
    }

    private func store(_ work: StoreWork) {
        update = UpdateUnderWay(work)
        do throws(ListError) {
            let booked = try writes.book(work, for: objects.table)
            if objects.numbers.isUnstored { finish(.update(booked), nil) } else { write(.update(booked), work) }
        } catch {
            finish(.update(nil), error)
        }
    }

    private func write(_ write: HostWrites.Write, _ work: StoreWork) { sink([.store(writes.begin(write), work)]) }

    private func finish(_ write: HostWrites.Write, _ error: ListError?) {
        let outcome: Result<Void, ListError> = error.map { .failure($0) } ?? .success(())
        switch write {
        case .update(let booked):
            if error != nil {
                writes.cancel(booked)
                update.giveUp()
            }
            perform(
                objects.stored(
                    outcome, retryingEach: error?.code == .limitsExceeded,
                    sharesTable: link.sharesTable && link.stage == .open, now: now))
        case .block(let work):
            objects.reserved(work, outcome, now: now)
            // Few numbers are left, and more may be refused: item changes wait before requests do.
            link.hold(items: error != nil && objects.numbers.needsBlock)
            if error != nil { schedule(.at(now + 100)) }
            drain()
        case .record(let work): if error == nil { objects.settled(work) }
        case .last: stop()
        }
    }

    /// Has numbers reserved for items that change by themselves, if they run out.
    private func reserve(isNeeded: Bool = false) {
        guard isNeeded || link.isElsewhere else { return }
        if let work = objects.reserve(now: now) { write(.block(work), work) }
    }

    private func present(_ new: ObjectUpdate) {
        update.noteRemoval(by: new, from: objects)
        link.listChanges(by: new.changes)
        if new.configuration != nil { link.forgetRefusals() }
        let table = controllers.awaited(by: update.requests)
        if let table { exchange(table) }
        if link.stage == .open { link.present(new, controllers: table) } else { openIfPossible() }
    }

    /// Has other section controllers show the list; those in another place do so when it is opened there.
    private func exchange(_ table: SectionControllerTable) {
        let (old, new) = (controllers.current.worker, table.worker)
        controllers.use(table)
        guard old !== new else { return }
        lose(.move)
        EventLoop.shared.post { [self] in
            old?.leave(self)
            if let new { new.host(self) } else { presentLocally() }
        }
    }
}

// MARK: - The presenter

extension ListHost {
    /// Whether the list was restored and not used yet, so that it has no presenter.
    package var isResting: Bool { rest != nil }

    /// Presents the list here, on its executor.
    func presentHere() {
        objects.table.wake()
        attach(
            LocalPresenter(objects, executor: executor) { [weak self] in
                self?.assumeIsolated { $0.schedule(.now) }
            })
    }

    func attach(_ presenter: any Presenter) {
        if case .stopped = life {
            _ = presenter.close()
            return
        }
        lose(.move)
        link.attach(presenter)
        reserve()
        proceed()
    }

    /// The presenter is lost: its calls go to the next one, except the one of which the worker died; no call waits for
    /// ever.
    func lose(_ loss: PresenterCalls.Loss) {
        defer { noteWork() }
        switch link.lose(loss, worker: controllers.current.worker) {
        case .none: break
        case .askAgain: objects.cancelMove(now: now)
        case .refused(let error): perform(objects.moveAnswered(.error(error)))
        }
        proceed()
    }

    /// Opens the list, unless the store is about to say what it is. Where somebody may know its items that is a reload.
    private func openIfPossible() {
        guard link.hasPresenter, link.stage == .closed, [.idle, .presenting].contains(objects.phase) else { return }
        guard link.wasPresented || objects.phase == .presenting else {
            return link.open(nil, controllers: controllers.current)
        }
        switch objects.beginReload(sharesTable: link.sharesTable, now: now) {
        case .present(let reload): link.open(reload, controllers: controllers.current)
        case .reserve(let work): write(.block(work), work)
        case .wait(let timing): schedule(timing)
        case .diff, .ask, .store, .presentItems, .answers: break  // neither a reload nor a reason to wait
        }
    }

    func receive(_ output: PresenterOutput, from number: PresenterNumber) {
        guard link.receive(output, from: number) else { return }
        times?.add(output.times, of: controllers.current.plugins)
        drain()
        proceed()
        noteWork()
    }

    /// Handles what the presenter reported, until something has to wait.
    private func drain() {
        guard !isOver else { return }
        // One number stays for what is being presented.
        while let event = link.next(leaving: objects.phase == .presenting ? 1 : 0) {
            switch event {
            case .wait(let milliseconds): return schedule(.at(now + milliseconds))
            case .needsNumber:
                reserve(isNeeded: true)
                return schedule(.at(now + 100))
            case .opened(let news, let differences): opened(news, differences)
            case .presented(let news): publish(announce(news.presented), news)
            case .changed(let news, let request):
                if let request { link.removeMove(request) }
                if let announced = objects.changedByItself(news.presented, answering: request) {
                    publish(announced, news)
                }
            case .answer(let id, let outcome, let news):
                let effects = objects.changedByItself(news.presented)?.effects(objects.status, news) ?? []
                sink(effects + [.answer(id, outcome.map { $0.stamped(objects.status) })])
            case .moveVerdict(let verdict): perform(objects.moveAnswered(verdict))
            }
        }
        objects.itemUpdatesWait(link.firstItemUpdate, now: now, isOnScreen: link.isOnScreen)
        reserve()
    }

    /// The list is presented: what is different is reported in the contract's order, then commands go on.
    private func opened(_ news: PresenterNews, _ differences: PresenterLink.Differences) {
        let isReload = objects.phase == .presenting
        let known = rest ?? objects.status
        rest = nil
        var announced =
            isReload ? announce(news.presented) : objects.changedByItself(news.presented) ?? Announced()
        let answers = ended(announced.answers)
        announced.answers = []
        let status = objects.status
        let effects = announced.effects(status, news, telling: differences(objects.place)) + answers + link.endPause()
        if !effects.isEmpty || status != known { sink([.status(status)] + effects) }
        if isReload { noteChange() }
        link.sendCalls(worker: controllers.current.worker)
    }
}

// MARK: - Announcing

extension ListHost {
    func setObserver(_ observer: ContentObserver?) { self.observer = observer }

    /// The presented list is the current one from now on; followers are notified first.
    private func announce(_ presented: Presented) -> Announced {
        if let content = update.popContent() { observer?(content) }
        return objects.presented(presented)
    }

    private func publish(_ announced: Announced, _ news: PresenterNews? = nil) {
        var unanswered = announced
        unanswered.answers = []
        let effects = unanswered.effects(objects.status, news) + ended(announced.answers)
        if !effects.isEmpty { sink(effects) }
        if announced.hasTransaction { noteChange() }
    }

    /// The answers to requests, which are over.
    private func ended(_ answers: [RequestAnswer]) -> [AdapterEffect] {
        answers.map { answer in
            controllers.remove(answer.id)
            link.removeMove(answer.id)
            return answer.effect(removed: update.removal(answering: answer.id))
        }
    }

    /// Says the revision once more when the list is quiet, so that a client that lost the last signal notices, and has
    /// written what is not.
    private func noteChange() {
        turns.noteChange { [weak self] in
            self?.assumeIsolated { host in
                guard !host.isOver else { return }
                host.sink([.announce(host.objects.status)])
                if let work = host.objects.settle() { host.write(.record(work), work) }
            }
        }
    }
}

// MARK: - The end

extension ListHost {
    /// Ends when everything that was accepted is done; what only a presenter could do is refused when there is none.
    private func endIfPossible() {
        guard case .stopping(let id, let reason) = life else { return }
        switch link.stage {
        case .open: guard objects.phase == .idle, !objects.hasWaitingRequests, link.isSettled else { return }
        case .opening, .blamed: return
        case .closed:
            sink(ended(objects.refuseWaiting(.unpresented)))
            // What is stored is announced, as a reload, and answered.
            publish(announce(Presented(itemCount: objects.itemCount)))
            guard objects.phase == .idle else { return }
        }
        life = .settling(id, reason)
        if reason != .adapterRemoved, let work = objects.end() { write(.last, work) } else { stop() }
    }

    private func stop() {
        guard case .settling(let id, let reason) = life else { return }
        life = .stopped(reason)
        sink(ended(objects.refuseWaiting(.unpresented)))
        link.end(reason, refusing: .unpresented)
        writes.close()
        sink([.answer(id, .success(.done))])
        let worker = controllers.current.worker
        EventLoop.shared.post { [self] in worker?.leave(self) }
    }

    /// Notes whether what comes next is little to do, so that the bus thread may do it.
    private func noteWork() {
        executor.allowInline(
            link.stage == .open && (link.isElsewhere || !controllers.current.usesPlugins && link.showsLittle)
                && turns.isLight && update.isLight && objects.objectCount <= Self.mostObjects)
    }
}

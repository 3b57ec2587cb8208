// SPDX-License-Identifier: Apache-2.0

/// The objects of one list and how they change: what waits, what is under way, revisions, and the last changes.
///
/// It knows no section controller and calls nobody: its owner tells it what happened and does the ``UpdateStep`` that it answers.
/// One update is: ``next(now:isUrgent:rejecting:)`` → store → ``stored(_:retryingEach:now:itemCount:)`` → present →
/// ``presented(_:)``, with a diff or a question to the section controllers before it. Revisions are numbered when a change is
/// announced, so that section controllers can change items by themselves at any time. The list belongs to one executor.
@_spi(Daemon) public final class ObjectList {
    /// What is under way.
    @frozen public enum Phase: Sendable, Hashable {
        /// Nothing.
        case idle
        /// The section controllers are asked about an item that was dragged.
        case asking
        /// A diff is computed.
        case diffing
        /// The store is writing.
        case storing
        /// An update is being presented; the table is open, or the list is opened by another presenter.
        case presenting
    }

    /// What is under way, with all that it is about.
    private enum State {
        case idle
        case asking(RequestQueue.Entry)
        case diffing(PendingUpdate, list: [ListObject], generation: UInt64)
        case storing(PendingUpdate, StoreWork)
        case presenting(PendingUpdate)
    }

    /// The sections. Until an update is announced, readers see the side before.
    public let table: SectionTable
    /// How the list behaves.
    public private(set) var configuration: ListOptions
    /// How many items the list had when it was presented last.
    public private(set) var itemCount: Int
    private var state = State.idle
    private var history: RevisionHistory
    private var queue: RequestQueue
    private var diffGeneration: UInt64 = 0
    /// How many diffs were given up.
    public private(set) var cancelledDiffs: UInt64 = 0
    /// Whether item updates are stored as requests are, before they run.
    private let storesItemUpdates: Bool

    /// Makes a list of what its table has.
    ///
    /// - Parameter storesItemUpdates: whether item updates, too, run when their update is stored, those that requests go with
    ///   even if the requests change nothing: for a list that is not stored here, but by a program that uses it.
    public init(
        table: SectionTable, numbers: RevisionNumbers, log: ChangeLog, configuration: ListOptions,
        storesItemUpdates: Bool = false
    ) {
        self.storesItemUpdates = storesItemUpdates
        self.table = table
        self.configuration = configuration
        history = RevisionHistory(numbers: numbers, log: log)
        queue = RequestQueue(coalescing: configuration.coalescing)
        itemCount = table.itemCount(.new)
    }

    /// The revision, and those that may be given out.
    public var numbers: RevisionNumbers { history.numbers }

    /// The last changes.
    public var log: ChangeLog { history.log }

    /// What is under way.
    public var phase: Phase {
        switch state {
        case .idle: .idle
        case .asking: .asking
        case .diffing: .diffing
        case .storing: .storing
        case .presenting: .presenting
        }
    }

    /// How many requests wait.
    var waitingCount: Int { queue.count }

    /// How many requests are under way.
    var requestsUnderWay: Int { pending?.entries.count ?? 0 }

    /// How many objects change in what is under way.
    var changesUnderWay: Int { pending?.update.changes.count ?? 0 }

    /// Whether all requests in what is under way are animated.
    var presentsAnimated: Bool { pending?.update.animated ?? true }

    private var pending: PendingUpdate? {
        switch state {
        case .idle, .asking: nil
        case .diffing(let pending, _, _), .storing(let pending, _), .presenting(let pending): pending
        }
    }

    // MARK: Asking

    /// Adds a request, which is answered exactly once.
    ///
    /// - Parameters:
    ///   - cursor: where the source of the list goes on after it; stored with it.
    ///   - now: the time in milliseconds.
    ///   - isOnScreen: whether a view of the list is on screen.
    @discardableResult
    public func enqueue(
        _ request: UpdateRequest, cursor: [UInt8]? = nil, now: UInt64, isOnScreen: Bool = true
    ) -> Ticket {
        queue.append(.request(request, cursor: cursor), now: now, isOnScreen: isOnScreen)
    }

    /// Has the list stored from now on, beginning with all of it, or no more. Answered as a request.
    @discardableResult
    public func enqueue(storing id: RequestID, _ isStored: Bool, now: UInt64) -> Ticket {
        queue.append(.persist(id, isStored), now: now)
    }

    /// Gives an item update its place in the order of arrival.
    public func makeTicket() -> Ticket { queue.makeTicket() }

    /// Says which item updates wait in a presentation on the same executor: the first of them; `nil` = none.
    public func itemUpdatesWait(_ first: Ticket?, now: UInt64, isOnScreen: Bool) {
        queue.setFirstItemUpdate(first, now: now, isOnScreen: isOnScreen)
    }

    /// Whether a request waits.
    public var hasWaitingRequests: Bool { !queue.isEmpty }

    /// Whether what is next concerns the store alone, and not whoever presents the list.
    public var storesNext: Bool { queue.beginsWithPersisting }

    /// When ``next(now:isUrgent:rejecting:)`` is due; idle while something is under way.
    public var timing: FlushTiming {
        guard case .idle = state else { return .idle }
        if queue.awaitsRetry { return .at(queue.retryTime) }
        // What waits are item updates.
        if queue.isEmpty, queue.timing != .idle, !numbers.mayNumber() { return history.retryTiming }
        return queue.timing
    }

    // MARK: The next update

    /// Takes what waits, judges it in strict order of arrival, and says what to do.
    ///
    /// - Parameters:
    ///   - isUrgent: whether it is done now, whatever the list's options say of collecting.
    ///   - diffsAtOnce: whether a diff of few objects is computed here.
    ///   - rejecting: the types among the requests' objects that have no section controller; asked before anything changes.
    public func next(
        now: UInt64, isUrgent: Bool = false, diffsAtOnce: Bool = true,
        rejecting: ([UpdateRequest]) -> Set<ObjectIdentifier> = { _ in [] }
    ) -> UpdateStep {
        guard case .idle = state else { return .wait(.idle) }
        switch timing {
        case .idle: return .wait(.idle)
        case .at(let time) where time > now && !isUrgent: return .wait(.at(time))
        case .at, .now: break
        }
        if queue.beginsWithItemUpdates {
            if storesItemUpdates { return storeItemUpdates(now: now) }
            if numbers.mayNumber() { return .presentItems(through: queue.dequeueItemUpdates(now: now)) }
            if queue.isEmpty { return reservation(now: now) }
        }
        let count = queue.batch.count
        let rejected = rejecting(queue.batch.compactMap(\.request))
        guard case .idle = state else { return .wait(.idle) }
        return begin(queue.dequeue(count, now: now), rejecting: rejected, diffsAtOnce: diffsAtOnce)
    }

    /// The requests that are judged next.
    public var nextRequests: [UpdateRequest] { queue.batch.compactMap(\.request) }

    /// Replaces what waiting requests ask for, as soon as that is known.
    public func replace(_ operations: [RequestID: UpdateRequest.Operation]) { queue.replace(operations) }

    private func storeItemUpdates(now: UInt64) -> UpdateStep {
        var pending = PendingUpdate()
        pending.runsItemUpdates = true
        pending.update.through = queue.throughTicket
        queue.startFlush(now: now)
        return store(pending, history.beginRecord())
    }

    /// Sees to it that there are numbers.
    private func reservation(now: UInt64) -> UpdateStep {
        reserve(now: now).map(UpdateStep.reserve) ?? .wait(history.retryTiming)
    }

    private func begin(
        _ entries: [RequestQueue.Entry], rejecting types: Set<ObjectIdentifier>, diffsAtOnce: Bool
    ) -> UpdateStep {
        if let first = entries.first, first.isAlone, let step = beginAlone(first) { return step }
        let staged = table.stage(
            entries.compactMap(\.request), revision: numbers.last, updater: configuration.updater, rejecting: types)
        var pending = PendingUpdate(entries, staged, through: queue.throughTicket)
        switch staged.outcome {
        case .changes(let changes):
            pending.update.changes = changes
            return prepare(pending)
        case .list(let list):
            diffGeneration &+= 1
            let job = DiffJob(
                old: table.objects(.old, in: 0..<table.count(.old)), new: list,
                moves: configuration.minimalMoves ? .minimal : .positional, generation: diffGeneration)
            state = .diffing(pending, list: list, generation: diffGeneration)
            let isHandedOut = !diffsAtOnce || job.objectCount >= configuration.backgroundDiffThreshold
            return isHandedOut ? .diff(job) : diffed(job.run())
        }
    }

    /// Whether the output of a diff is waited for.
    public func awaits(_ output: DiffJob.Output) -> Bool {
        if case .diffing(_, _, output.generation) = state { true } else { false }
    }

    /// Goes on with what a ``DiffJob`` found; one that was cancelled meanwhile changes nothing.
    public func diffed(_ output: DiffJob.Output) -> UpdateStep {
        guard case .diffing(var pending, let list, output.generation) = state else { return .wait(timing) }
        pending.update.changes = SectionChanges(output.result, leadingTo: list)
        return prepare(pending)
    }

    /// Gives up a diff; its requests wait ahead of all others.
    public func cancelDiff(now: UInt64) {
        guard case .diffing(let pending, _, _) = state else { return }
        cancelledDiffs &+= 1
        putBack(pending.entries, now: now)
    }

    private func putBack(_ entries: [RequestQueue.Entry], asRetries: Bool = false, now: UInt64) {
        state = .idle
        queue.putBack(entries, asRetries: asRetries, now: now)
    }

    /// Has an update stored, or answers it when there is nothing to store.
    private func prepare(_ pending: PendingUpdate) -> UpdateStep {
        var pending = pending
        pending.leaveOutUnneededReloads()
        pending.follow(configuration.updater)
        guard pending.update.isAnnounced || pending.cursor != nil else {
            guard storesItemUpdates, queue.hasItemUpdates(through: pending.update.through) else {
                return finish(pending)
            }
            pending.runsItemUpdates = true
            return store(pending, history.beginRecord())
        }
        return store(pending, pending.update.isAnnounced ? history.beginUpdate() : history.beginRecord())
    }

    private func store(_ pending: PendingUpdate, _ work: StoreWork) -> UpdateStep {
        var work = work
        work.requests = pending.entries.map(\.id)
        work.cursor = pending.cursor
        if pending.isPersisting {
            work.content = .replace(table.objects(.old, in: 0..<table.count(.old)))
        } else if !pending.update.changes.isEmpty {
            work.content = pending.update.changes.stored { table.object(at: $0, .old) }
        }
        state = .storing(pending, work)
        return .store(work)
    }

    /// Answers requests that changed nothing, or could not.
    private func finish(_ pending: PendingUpdate, failing error: ListError? = nil) -> UpdateStep {
        state = .idle
        return .answers(pending.answers(revision: numbers.last, failing: error))
    }

    // MARK: Requests that go alone

    /// Begins something that shares an update with nothing; `nil` for what is only tried again by itself.
    private func beginAlone(_ entry: RequestQueue.Entry) -> UpdateStep? {
        guard let request = entry.request else { return persist(entry) }
        guard request.requiresOwnTransaction else { return nil }
        if let error = request.conflict(with: numbers.last) { return finish(PendingUpdate(entry), failing: error) }
        if case .moveItem(let from, let to) = request.operation {
            let move = ItemMoveRequest(id: request.id, from: from, to: to, animated: request.animated)
            state = .asking(entry)
            return .ask(move)
        }
        guard case .configure(let new, let controllersChanged) = request.operation else { return nil }
        let pending = PendingUpdate(entry, replacing: configuration, with: new, controllersChanged: controllersChanged)
        if pending.update.isAnnounced { return prepare(pending) }
        // Options that change nothing that is announced are only taken over.
        state = .presenting(pending)
        return .present(pending.update)
    }

    private func persist(_ entry: RequestQueue.Entry) -> UpdateStep? {
        guard case .persist(_, let isStored) = entry.work else { return nil }
        var pending = PendingUpdate(entry)
        guard isStored, numbers.isUnstored else {
            if !isStored { history.endStoring() }
            return finish(pending)
        }
        pending.isPersisting = true
        return store(pending, history.beginStoring())
    }

    /// Goes on with what the section controllers say of an item that was dragged.
    public func moveAnswered(_ verdict: ItemMoveVerdict) -> UpdateStep {
        guard case .asking(let entry) = state else { return .wait(timing) }
        var pending = PendingUpdate(entry)
        do throws(ListError) {
            try pending.apply(verdict, in: table)
        } catch {
            return finish(pending, failing: error)
        }
        return prepare(pending)
    }

    /// Has a section controller move the item that was dragged, when that is stored: in a presentation on the same executor.
    public func moveByController() -> UpdateStep {
        guard case .asking(let entry) = state, let request = entry.request,
            case .moveItem(let from, let to) = request.operation
        else { return .wait(timing) }
        var pending = PendingUpdate(entry)
        pending.update.itemMove = ItemMoveRequest(id: request.id, from: from, to: to, animated: request.animated)
        return prepare(pending)
    }

    /// Asks about the item anew later: whom it was asked does not present the list any more.
    public func cancelMove(now: UInt64) {
        guard case .asking(let entry) = state else { return }
        putBack([entry], now: now)
    }

    // MARK: Storing

    /// The store has what ``UpdateStep/store(_:)`` named, or refused it; a list that is not stored says at once that it has.
    ///
    /// - Parameters:
    ///   - retryingEach: whether requests that were refused together are tried again, each by itself and before all others.
    ///   - sharesTable: whether the list is presented by somebody who shares the table, and so makes the changes there: they
    ///     are in the table before ``presented(_:)``, which has to follow at once.
    public func stored(
        _ outcome: Result<Void, ListError>, retryingEach: Bool = false, sharesTable: Bool = false, now: UInt64
    ) -> UpdateStep {
        guard case .storing(let pending, let work) = state else { return .wait(timing) }
        switch outcome {
        case .success:
            queue.acceptItemUpdates()
            if pending.runsItemUpdates {
                queue.dequeueItemUpdates(through: pending.update.through)
                state = .presenting(pending)
                return .presentItems(through: pending.update.through)
            }
            guard pending.update.isAnnounced else {
                history.recordStored(work)
                return finish(pending)
            }
            history.updateStored(work)
            queue.dequeueItemUpdates(through: pending.update.through)
            if !sharesTable {
                table.open(pending.update.changes, itemCounts: pending.update.changes.inserts.map { _ in 0 })
            }
            state = .presenting(pending)
            return .present(pending.update)
        case .failure(let error):
            if pending.update.isAnnounced { history.updateRefused() }
            if pending.isPersisting { history.endStoring() }
            if storesItemUpdates {
                queue.refuseItemUpdates(
                    through: pending.update.through, areAlone: pending.runsItemUpdates, now: now)
            }
            guard retryingEach, pending.entries.count > 1 else { return finish(pending, failing: error) }
            putBack(pending.entries, asRetries: true, now: now)
            return .wait(timing)
        }
    }

    /// A block of numbers to store for changes that nobody writes, when less than half of one is left; `nil` = not now.
    ///
    /// After a refusal that is not before 100 ms, then twice as long each time, up to 30 s.
    public func reserve(now: UInt64) -> StoreWork? { history.reserve(now: now) }

    /// The store has a block of numbers, or refused it.
    public func reserved(_ work: StoreWork, _ outcome: Result<Void, ListError>, now: UInt64) {
        history.reserved(work, outcome, now: now)
    }

    /// What the store does not have of the changes, to be written when the list has been quiet; `nil` = nothing, or not now.
    public func settle() -> StoreWork? {
        if case .storing = state { nil } else { history.unsettled }
    }

    /// The store has what ``settle()`` answered.
    public func settled(_ work: StoreWork) { history.recordStored(work) }

    /// What to write at the end, so that the list goes on with the next revision; `nil` = nothing, or something is under way.
    /// No number is given out afterwards.
    public func end() -> StoreWork? {
        if case .idle = state { history.end() } else { nil }
    }

    /// Answers all that waits, and the question to the section controllers, with an error.
    public func refuseWaiting(_ error: ListError) -> [RequestAnswer] {
        var entries = queue.dequeueAll()
        if case .asking(let entry) = state {
            entries.insert(entry, at: 0)
            state = .idle
        }
        return entries.map { RequestAnswer(id: $0.id, outcome: .failure(error)) }
    }

    // MARK: Announcing

    /// Announces what was made of ``UpdateStep/present(_:)``: the change has its revision, readers see it, requests are answered.
    ///
    /// Nothing is announced when nothing is being presented.
    public func presented(_ result: Presented) -> Announced {
        guard case .presenting(let pending) = state else { return Announced() }
        let base = numbers.last
        var announced = Announced()
        var transaction = result.transaction
        if pending.update.isAnnounced, transaction == nil {
            transaction = Transaction(
                baseRevision: 0, revision: 0, kind: .reload, animated: false, sectionCount: table.count(.new),
                itemCount: result.itemCount)
        }
        if !pending.update.isAnnounced, !numbers.mayNumber() { transaction = nil }
        transaction = transaction.map { history.number($0) }
        table.commit()
        itemCount = result.itemCount
        if let new = pending.update.configuration {
            configuration = new
            queue.setCoalescing(new.coalescing)
        }
        state = .idle
        announced.changes = pending.update.changes
        announced.events = result.events.stamped(with: transaction, at: base)
        announced.answers = pending.answers(revision: numbers.last)
        return announced
    }

    /// Announces items that section controllers changed by themselves; `nil` when no number may be given out: then this, and
    /// all that comes from there, waits for ``reserved(_:_:now:)``.
    ///
    /// - Parameter request: the one about an item that was dragged, if the items changed because of it.
    public func changedByItself(_ result: Presented, answering request: RequestID? = nil) -> Announced? {
        guard result.transaction == nil || numbers.mayNumber(leaving: numbersInUse) else { return nil }
        let base = numbers.last
        var announced = Announced()
        let transaction = result.transaction.map { history.number($0) }
        itemCount = result.itemCount
        announced.events = result.events.stamped(with: transaction, at: base)
        if case .asking(let entry) = state, request == entry.id {
            state = .idle
            announced.answers = PendingUpdate(entry).answers(revision: numbers.last)
        }
        return announced
    }

    /// How many numbers belong to what is under way: the one of an update that is stored and being presented.
    private var numbersInUse: UInt64 {
        if case .presenting(let pending) = state, pending.update.isAnnounced { 1 } else { 0 }
    }

    /// Another presenter shows the list, and its items may be others: that is announced as a reload.
    ///
    /// An update that is being presented becomes the reload. Something else under way has to end first, and without a number
    /// the list waits for ``reserved(_:_:now:)``.
    ///
    /// - Parameter sharesTable: whether the other presenter shares the table, which then is as it will be announced:
    ///   ``presented(_:)`` has to follow at once.
    public func beginReload(sharesTable: Bool = false, now: UInt64) -> UpdateStep {
        var pending = PendingUpdate()
        switch state {
        case .idle: pending.update.animated = false
        case .presenting(let presented): pending = presented
        case .asking, .diffing, .storing: return .wait(.idle)
        }
        guard pending.update.isAnnounced || numbers.mayNumber() else { return reservation(now: now) }
        pending.update.rebuildsControllers = true
        if sharesTable { table.commit() }
        state = .presenting(pending)
        return .present(pending.update)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The objects of one list, its queue of requests, the update in progress, its revisions and its last changes.
///
/// It knows no section controller and calls no other object: its owner reports what happened and carries out the ``UpdateStep``
/// that each call returns.
/// One update is: ``next(now:isUrgent:rejecting:)`` → store → ``stored(_:retryingEach:sharesTable:now:)`` → present →
/// ``presented(_:)``; a full list is diffed first, and section controllers are asked first about a dragged item. Revisions are
/// numbered when a change is announced, so that section controllers can change items on their own at any time. The list
/// belongs to one executor.
@_spi(Daemon) public final class ObjectList {
    /// What the list is doing.
    @frozen public enum Phase: Sendable, Hashable {
        /// Nothing.
        case idle
        /// It waits for the section controllers' verdict on a dragged item.
        case asking
        /// It waits for a diff.
        case diffing
        /// It waits for the store.
        case storing
        /// It waits for the presenter: of an update, while the table has both sides, or of the whole list after a reload.
        case presenting
    }

    /// The phase, with the requests and the update that it concerns.
    private indirect enum State {
        case idle
        case asking(RequestQueue.Entry)
        case diffing(PendingUpdate, list: [ListObject], generation: UInt64)
        case storing(PendingUpdate, StoreWork)
        case presenting(PendingUpdate)
    }

    /// The sections; read the old side until an update is announced.
    public let table: SectionTable
    /// How the list behaves.
    public private(set) var configuration: ListOptions
    /// How many items the list had after its last presentation.
    public private(set) var itemCount: Int
    private var state = State.idle
    private var history: RevisionHistory
    private var queue: RequestQueue
    private var diffGeneration: UInt64 = 0
    /// How many diffs were cancelled; always 0 in the daemon, whose hosts let diffs finish.
    public private(set) var cancelledDiffs: UInt64 = 0
    /// Whether item updates are stored as requests are, before they run.
    private let storesItemUpdates: Bool

    /// Makes a list of the table's objects.
    ///
    /// - Parameter storesItemUpdates: whether item updates run only after a write to the store, even when the requests that
    ///   they run with change nothing; for programs that store the list themselves.
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

    /// The revision, and the numbers reserved for the next ones.
    public var numbers: RevisionNumbers { history.numbers }

    /// The last changes.
    public var log: ChangeLog { history.log }

    /// What the list is doing.
    public var phase: Phase {
        switch state {
        case .idle: .idle
        case .asking: .asking
        case .diffing: .diffing
        case .storing: .storing
        case .presenting: .presenting
        }
    }

    /// How many requests are queued.
    var waitingCount: Int { queue.count }

    /// How many requests the update in progress answers.
    var requestsUnderWay: Int { pending?.entries.count ?? 0 }

    /// How many objects the update in progress changes.
    var changesUnderWay: Int { pending?.update.changes.count ?? 0 }

    /// Whether all requests of the update in progress are animated.
    var presentsAnimated: Bool { pending?.update.animated ?? true }

    private var pending: PendingUpdate? {
        switch state {
        case .idle, .asking: nil
        case .diffing(let pending, _, _), .storing(let pending, _), .presenting(let pending): pending
        }
    }

    // MARK: Asking

    /// Queues a request, which is answered exactly once.
    ///
    /// - Parameters:
    ///   - cursor: where the source of the list continues after the request; stored with it.
    ///   - now: the time in milliseconds.
    ///   - isOnScreen: whether a view of the list is on screen.
    @discardableResult
    public func enqueue(
        _ request: UpdateRequest, cursor: [UInt8]? = nil, now: UInt64, isOnScreen: Bool = true
    ) -> Ticket {
        queue.append(.request(request, cursor: cursor), now: now, isOnScreen: isOnScreen)
    }

    /// Queues the start of storing the list, which writes all of it first, or the end of storing. Answered as a request.
    @discardableResult
    public func enqueue(storing id: RequestID, _ isStored: Bool, now: UInt64) -> Ticket {
        queue.append(.persist(id, isStored), now: now)
    }

    /// Numbers an item update in the order of arrival.
    public func makeTicket() -> Ticket { queue.makeTicket() }

    /// Sets the first item update that is queued in a presentation on the same executor; `nil` = none is.
    public func itemUpdatesWait(_ first: Ticket?, now: UInt64, isOnScreen: Bool) {
        queue.setFirstItemUpdate(first, now: now, isOnScreen: isOnScreen)
    }

    /// Whether a request is queued.
    public var hasWaitingRequests: Bool { !queue.isEmpty }

    /// Whether the next step concerns only the store, not the presenter.
    public var storesNext: Bool { queue.beginsWithPersisting }

    /// When ``next(now:isUrgent:rejecting:)`` is due; idle in every phase but idle.
    public var timing: FlushTiming {
        guard case .idle = state else { return .idle }
        if queue.awaitsRetry { return .at(queue.retryTime) }
        // Only item updates are queued, and there is no number for their revision.
        if queue.isEmpty, queue.timing != .idle, !numbers.mayNumber() { return history.retryTiming }
        return queue.timing
    }

    // MARK: The next update

    /// Begins the next update: dequeues requests and validates them in strict order of arrival.
    ///
    /// - Parameters:
    ///   - isUrgent: whether to begin before ``timing`` is due.
    ///   - diffsAtOnce: whether a diff of few objects is computed in this call.
    ///   - rejecting: returns the types among the requests' objects that have no section controller; called before anything
    ///     changes.
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

    /// The requests that the next update begins with.
    public var nextRequests: [UpdateRequest] { queue.batch.compactMap(\.request) }

    /// Replaces the operations of queued requests.
    public func replace(_ operations: [RequestID: UpdateRequest.Operation]) { queue.replace(operations) }

    private func storeItemUpdates(now: UInt64) -> UpdateStep {
        var pending = PendingUpdate()
        pending.runsItemUpdates = true
        pending.update.through = queue.throughTicket
        queue.startFlush(now: now)
        return store(pending, history.beginRecord())
    }

    /// Reserves numbers, or waits until that can be retried.
    private func reservation(now: UInt64) -> UpdateStep {
        reserve(now: now).map(UpdateStep.reserve) ?? .wait(history.retryTiming)
    }

    private func begin(
        _ entries: [RequestQueue.Entry], rejecting types: Set<ObjectIdentifier>, diffsAtOnce: Bool
    ) -> UpdateStep {
        if let first = entries.first, first.requiresOwnUpdate, let step = beginSingle(first) { return step }
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

    /// Whether the list waits for this output of a diff.
    public func awaits(_ output: DiffJob.Output) -> Bool {
        if case .diffing(_, _, output.generation) = state { true } else { false }
    }

    /// Continues with the output of a ``DiffJob``; that of a cancelled one is ignored.
    public func diffed(_ output: DiffJob.Output) -> UpdateStep {
        guard case .diffing(var pending, let list, output.generation) = state else { return .wait(timing) }
        pending.update.changes = SectionChanges(output.result, leadingTo: list)
        return prepare(pending)
    }

    /// Cancels a diff; its requests return to the front of the queue. Only programs do so (``ListAdapter/cancelFlush()``).
    public func cancelDiff(now: UInt64) {
        guard case .diffing(let pending, _, _) = state else { return }
        cancelledDiffs &+= 1
        putBack(pending.entries, now: now)
    }

    private func putBack(_ entries: [RequestQueue.Entry], asRetries: Bool = false, now: UInt64) {
        state = .idle
        queue.putBack(entries, asRetries: asRetries, now: now)
    }

    /// Has an update stored, or answers its requests when there is nothing to store.
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

    /// Answers requests that changed nothing or failed.
    private func finish(_ pending: PendingUpdate, failing error: ListError? = nil) -> UpdateStep {
        state = .idle
        return .answers(pending.answers(revision: numbers.last, failing: error))
    }

    // MARK: Requests with an update of their own

    /// Begins a request that shares an update with no other; `nil` for an ordinary one that is only retried on its own.
    private func beginSingle(_ entry: RequestQueue.Entry) -> UpdateStep? {
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
        // Options without a visible effect are applied without an announcement.
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

    /// Continues with the section controllers' verdict on a dragged item.
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

    /// Continues with a dragged item that its section controller moves itself, after the write to the store; only for a
    /// presentation on the same executor.
    public func moveByController() -> UpdateStep {
        guard case .asking(let entry) = state, let request = entry.request,
            case .moveItem(let from, let to) = request.operation
        else { return .wait(timing) }
        var pending = PendingUpdate(entry)
        pending.update.itemMove = ItemMoveRequest(id: request.id, from: from, to: to, animated: request.animated)
        return prepare(pending)
    }

    /// Returns the request about a dragged item to the queue, because the presenter that was asked is gone.
    public func cancelMove(now: UInt64) {
        guard case .asking(let entry) = state else { return }
        putBack([entry], now: now)
    }

    // MARK: Storing

    /// Continues after the write of ``UpdateStep/store(_:)``; a list that is not stored calls this at once.
    ///
    /// - Parameters:
    ///   - retryingEach: whether requests that were refused together are retried, each in its own update and before all others.
    ///   - sharesTable: whether the presenter shares the table and opens the change there itself; ``presented(_:)`` must then
    ///     follow at once.
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
                    through: pending.update.through, withoutRequests: pending.runsItemUpdates, now: now)
            }
            guard retryingEach, pending.entries.count > 1 else { return finish(pending, failing: error) }
            putBack(pending.entries, asRetries: true, now: now)
            return .wait(timing)
        }
    }

    /// The write that reserves a block of revision numbers for changes that are not written themselves, when less than half a
    /// block is left; `nil` = nothing to write now.
    ///
    /// Retried 100 ms after a refusal, then after twice as long each time, up to 30 s.
    public func reserve(now: UInt64) -> StoreWork? { history.reserve(now: now) }

    /// Handles the outcome of the write of ``reserve(now:)``.
    public func reserved(_ work: StoreWork, _ outcome: Result<Void, ListError>, now: UInt64) {
        history.reserved(work, outcome, now: now)
    }

    /// The changes that the store lacks, to be written after a pause in changes; `nil` = nothing to write now.
    public func settle() -> StoreWork? {
        if case .storing = state { nil } else { history.unsettled }
    }

    /// Handles the success of the write of ``settle()``.
    public func settled(_ work: StoreWork) { history.recordStored(work) }

    /// The last write, after which a restored list continues with the next revision; `nil` = nothing to write, or the list is not
    /// idle. No revision is numbered afterwards.
    public func end() -> StoreWork? {
        if case .idle = state { history.end() } else { nil }
    }

    /// Answers all queued requests, and the one about a dragged item, with an error.
    public func refuseWaiting(_ error: ListError) -> [RequestAnswer] {
        var entries = queue.dequeueAll()
        if case .asking(let entry) = state {
            entries.insert(entry, at: 0)
            state = .idle
        }
        return entries.map { RequestAnswer(id: $0.id, outcome: .failure(error)) }
    }

    // MARK: Announcing

    /// Ends an update that was presented: numbers its revision, makes the new side visible and answers the requests.
    ///
    /// Empty when no update is being presented.
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

    /// Announces items that section controllers changed on their own; `nil` without a number for the revision: the caller
    /// then keeps this result and later ones until ``reserved(_:_:now:)``.
    ///
    /// - Parameter request: the request about a dragged item, if the items changed because of it.
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

    /// How many numbers the update in progress needs: 1 for one that is stored and being presented.
    private var numbersInUse: UInt64 {
        if case .presenting(let pending) = state, pending.update.isAnnounced { 1 } else { 0 }
    }

    /// Begins a reload because another presenter shows the list and its items may differ.
    ///
    /// An update that is being presented becomes the reload; other phases have to end first. Without a number for the
    /// revision the list waits for ``reserved(_:_:now:)``.
    ///
    /// - Parameter sharesTable: whether the other presenter shares the table, which then has the new state already:
    ///   ``presented(_:)`` must follow at once.
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

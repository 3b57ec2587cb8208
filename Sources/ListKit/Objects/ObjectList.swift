// SPDX-License-Identifier: Apache-2.0

/// The state machine of one list: its objects, queued requests, update in progress, revisions and latest changes.
///
/// The list calls no section controller and no other object. Its owner carries out the ``UpdateStep`` that each call
/// returns, and reports the outcome with the next call.
///
/// An update takes these steps: ``next(now:isUrgent:diffsAtOnce:rejecting:)`` → store →
/// ``finishStoring(_:retryingEach:sharesTable:now:)`` → present → ``finishPresenting(_:)``. A full list is diffed first. For a
/// dragged item, the section controllers are asked first. A revision gets its number when it is announced, so that
/// section controllers can change items on their own at any time. The list belongs to one executor.
@_spi(Daemon) public final class ObjectList {
    /// The phases of an update.
    @frozen public enum Phase: Sendable, Hashable {
        /// No update is in progress.
        case idle
        /// The list waits for the section controllers' verdict on a dragged item.
        case asking
        /// The list waits for the output of a diff.
        case diffing
        /// The list waits for the outcome of a write to the store.
        case storing
        /// The list waits for the presenter to present an update or a reload. During an update, the table has both
        /// states.
        case presenting
    }

    /// The update in progress: its phase, with the request or the flush that it concerns.
    private indirect enum UpdateInProgress {
        case idle
        case asking(QueuedRequest)
        case diffing(Flush, generation: UInt64)
        case storing(Flush, StoreWrite)
        case presenting(Flush)
    }

    /// The requests that were taken from the queue together, and the update that results from them.
    private struct Flush {
        /// The requests, in order of arrival, with the errors of those that fail.
        var entries: [QueuedRequest] = []
        /// The update.
        var change = Change()

        /// Whether the persistence of the list starts, so that the whole list is written.
        var startsPersistence: Bool {
            if case .persist(id: _, isStored: true)? = entries.first?.work { true } else { false }
        }

        init() {}

        /// Creates the flush of a single request.
        init(_ entry: QueuedRequest) {
            entries = [entry]
            change.animated = entry.request?.allowsAnimation ?? false
        }
    }

    /// The sections of the list. Until an update is announced, readers use ``ListSide/old``.
    public let table: SectionTable
    /// The options of the list.
    public private(set) var configuration: ListOptions
    /// The number of items after the latest presentation.
    public private(set) var itemCount: Int
    /// Whether every section has exactly one item after the latest presentation.
    public private(set) var isFlat: Bool
    private var update = UpdateInProgress.idle
    private var history: RevisionHistory
    private var queue: RequestQueue
    private var diffGeneration: UInt64 = 0
    /// The number of cancelled diffs. Always 0 in the daemon, whose hosts let every diff finish.
    public private(set) var cancelledDiffs: UInt64 = 0
    /// The updater of a list in a program; `nil` = the options decide.
    private let updater: (any ListUpdating)?

    /// Creates a list of the objects in a table.
    ///
    /// - Parameter updater: what decides in place of the options; `nil` = the options do.
    public init(
        table: SectionTable, numbers: RevisionNumbers, log: ChangeLog, configuration: ListOptions,
        updater: (any ListUpdating)? = nil
    ) {
        self.updater = updater
        (self.table, self.configuration) = (table, configuration)
        history = RevisionHistory(numbers: numbers, log: log)
        queue = RequestQueue(coalescing: configuration.coalescing)
        (itemCount, isFlat) = (table.itemCount(.new), table.isFlat(.new))
    }

    /// The current revision, and the numbers reserved for later revisions.
    public var numbers: RevisionNumbers { history.numbers }

    /// The log of the latest transactions.
    public var log: ChangeLog { history.log }

    /// The phase of the update in progress.
    public var phase: Phase {
        switch update {
        case .idle: .idle
        case .asking: .asking
        case .diffing: .diffing
        case .storing: .storing
        case .presenting: .presenting
        }
    }

    /// The number of queued requests.
    var queuedRequestCount: Int { queue.count }

    /// The number of requests in the current update.
    var currentRequestCount: Int { flush?.entries.count ?? 0 }

    /// The number of object changes in the current update.
    var currentChangeCount: Int { change?.count ?? 0 }

    /// The current update; `nil` without one.
    @_spi(Daemon) public var change: Change? { flush?.change }

    private var flush: Flush? {
        switch update {
        case .idle, .asking: nil
        case .diffing(let flush, _), .storing(let flush, _), .presenting(let flush): flush
        }
    }

    // MARK: Queueing requests

    /// Queues a request. Every request is answered exactly once.
    ///
    /// - Parameters:
    ///   - now: the time in milliseconds.
    ///   - isOnScreen: whether a view of the list is on screen.
    @discardableResult
    public func enqueue(
        _ request: UpdateRequest, now: UInt64, isOnScreen: Bool = true
    ) -> Ticket {
        queue.append(.request(request), now: now, isOnScreen: isOnScreen)
    }

    /// Queues the start (`isStored`) or the end of persistence, which is answered like a request. The start writes
    /// the whole list first.
    @discardableResult
    public func enqueue(storing isStored: Bool, id: RequestID, now: UInt64) -> Ticket {
        queue.append(.persist(id: id, isStored: isStored), now: now)
    }

    /// Returns the next ticket, for an item update. Requests and item updates share one order of arrival.
    public func makeTicket() -> Ticket { queue.makeTicket() }

    /// Sets the first item update that is queued in a presentation on the same executor; `nil` if none is queued.
    public func setFirstItemUpdate(_ first: Ticket?, now: UInt64, isOnScreen: Bool) {
        queue.setFirstItemUpdate(first, now: now, isOnScreen: isOnScreen)
    }

    /// Whether a request is queued.
    public var hasWaitingRequests: Bool { !queue.isEmpty }

    /// Whether the next queue entry starts or ends persistence, which involves the store but not the presenter.
    public var storesNext: Bool { queue.beginsWithPersisting }

    /// The time at which ``next(now:isUrgent:diffsAtOnce:rejecting:)`` is due; ``FlushTiming/idle`` while an update
    /// is in progress.
    public var timing: FlushTiming {
        guard case .idle = update else { return .idle }
        // Only item updates are queued, and no number is reserved for their revision.
        if queue.isEmpty, queue.timing != .idle, !numbers.mayNumber() { return history.retryTiming }
        return queue.timing
    }

    // MARK: The next update

    /// Begins the next update: dequeues requests and validates them in strict order of arrival.
    ///
    /// - Parameters:
    ///   - isUrgent: whether to begin even if ``timing`` is not due yet.
    ///   - diffsAtOnce: whether to compute a diff of few objects inside of this call.
    ///   - rejecting: returns the object types in the requests for which there is no section controller. Called
    ///     before the list changes.
    public func next(
        now: UInt64, isUrgent: Bool = false, diffsAtOnce: Bool = true,
        rejecting: ([UpdateRequest]) -> Set<ObjectIdentifier> = { _ in [] }
    ) -> UpdateStep {
        guard case .idle = update else { return .owner(.wait(.idle)) }
        switch timing {
        case .idle: return .owner(.wait(.idle))
        case .at(let time) where time > now && !isUrgent: return .owner(.wait(.at(time)))
        case .at, .now: break
        }
        if queue.beginsWithItemUpdates {
            if numbers.mayNumber() { return .presentItems(through: queue.dequeueItemUpdates(now: now)) }
            if queue.isEmpty { return .owner(reservationStep(now: now)) }
        }
        let count = queue.batch.count
        let rejected = rejecting(queue.batch.compactMap(\.request))
        guard case .idle = update else { return .owner(.wait(.idle)) }
        return beginUpdate(queue.dequeue(count, now: now), rejecting: rejected, diffsAtOnce: diffsAtOnce)
    }

    /// The queued requests that the next update will dequeue.
    public var nextRequests: [UpdateRequest] { queue.batch.compactMap(\.request) }

    /// Replaces the operations of queued requests; requests that are not in `operations` keep theirs.
    public func replace(_ operations: [RequestID: UpdateRequest.Operation]) { queue.replace(operations) }

    /// Returns the step that reserves revision numbers, or the step that waits for the next attempt.
    public func reservationStep(now: UInt64) -> OwnerStep {
        reserve(now: now).map(OwnerStep.reserve) ?? .wait(history.retryTiming)
    }

    private func beginUpdate(
        _ entries: [QueuedRequest], rejecting types: Set<ObjectIdentifier>, diffsAtOnce: Bool
    ) -> UpdateStep {
        if let first = entries.first, first.requiresOwnUpdate, let step = beginExclusiveUpdate(first) { return step }
        var flush = Flush()
        flush.entries = entries
        flush.change.through = queue.ticketBeforeFirstEntry
        let list = table.stage(
            &flush.entries, in: &flush.change, revision: numbers.last,
            updater: updater == nil ? configuration.updater : .batch, rejecting: types)
        guard let list else { return storeOrAnswer(flush) }
        let old = table.objects(.old, in: 0..<table.count(.old))
        let planned = ListComparison(
            moves: configuration.minimalMoves ? .minimal : .positional,
            isInBackground: old.count + list.count >= configuration.backgroundDiffThreshold)
        let comparison = updater?.comparison(of: old, with: list, planned: planned) ?? planned
        diffGeneration &+= 1
        let job = DiffJob(old: old, new: list, comparison: comparison, generation: diffGeneration)
        update = .diffing(flush, generation: diffGeneration)
        return !diffsAtOnce || comparison.isInBackground ? .owner(.diff(job)) : finishDiff(job.run())
    }

    /// Returns whether the list still waits for the given output of a diff.
    public func awaits(_ output: DiffJob.Output) -> Bool {
        if case .diffing(_, output.generation) = update { true } else { false }
    }

    /// Continues an update with the output of its ``DiffJob``. The output of a cancelled job is ignored.
    public func finishDiff(_ output: DiffJob.Output) -> UpdateStep {
        guard case .diffing(var flush, output.generation) = update else { return .owner(.wait(timing)) }
        flush.change.takeObjectChanges(from: output.change)
        return storeOrAnswer(flush)
    }

    /// Cancels the diff in progress and puts its requests back at the front of the queue. Not used by the daemon.
    public func cancelDiff(now: UInt64) {
        guard case .diffing(let flush, _) = update else { return }
        cancelledDiffs &+= 1
        requeue(flush.entries, now: now)
    }

    private func requeue(_ entries: [QueuedRequest], asRetries: Bool = false, now: UInt64) {
        update = .idle
        queue.requeue(entries, asRetries: asRetries, now: now)
    }

    /// Returns the step that stores an update, or the step that answers its requests if there is nothing to store.
    /// Item updates that arrived before these requests run first, so that all are completed in the order of arrival.
    private func storeOrAnswer(_ flush: Flush) -> UpdateStep {
        var flush = flush
        flush.change.dropReloadsOfRemovedObjects()
        if form(of: flush) == .reload { flush.change.scope.insert(.items) }
        flush.change.cursor = flush.entries.reduce(nil) { $1.error == nil ? $1.request?.cursor ?? $0 : $0 }
        guard flush.change.isAnnounced else {
            guard numbers.mayNumber(), queue.dequeueItemUpdates(through: flush.change.through) else {
                return finish(flush)
            }
            update = .presenting(flush)
            return .presentItems(through: flush.change.through)
        }
        return store(flush, history.beginUpdate())
    }

    /// Returns as what an update is announced. Without an updater, an update that changes nothing is no reload.
    private func form(of flush: Flush) -> ListOptions.Updater {
        guard let updater else { return flush.change.isAnnounced ? configuration.updater : .batch }
        let isWrite = flush.entries.contains { $0.error == nil && $0.request?.operation.writesObjects == true }
        guard !flush.change.isReload, isWrite || flush.change.isAnnounced else { return .batch }
        return updater.form(of: ListChangeCounts(flush.change))
    }

    private func store(_ flush: Flush, _ write: StoreWrite) -> UpdateStep {
        var (flush, write) = (flush, write)
        flush.change.requests = flush.entries.map(\.id)
        if flush.startsPersistence { flush.change.list = table.objects(.old, in: 0..<table.count(.old)) }
        write.change = flush.change
        update = .storing(flush, write)
        return .owner(.store(write))
    }

    /// Ends an update whose requests changed nothing or failed, and returns the step that answers them.
    private func finish(_ flush: Flush, failing error: ListError? = nil) -> UpdateStep {
        update = .idle
        var said = Announcement(itemCount: itemCount, isFlat: isFlat)
        said.answers = flush.entries.map { $0.answer(revision: numbers.last, failing: error) }
        return .owner(.announce(said))
    }

    // MARK: Requests that need an update of their own

    /// Begins the update of a request that excludes other requests from its update. Returns `nil` for an ordinary
    /// request, which runs alone only because it is retried.
    private func beginExclusiveUpdate(_ entry: QueuedRequest) -> UpdateStep? {
        guard let request = entry.request else { return switchPersistence(entry) }
        guard request.requiresOwnTransaction else { return nil }
        if let error = request.conflict(with: numbers.last) { return finish(Flush(entry), failing: error) }
        var flush = Flush(entry)
        switch request.operation {
        case .moveItem(let from, let to):
            let move = ItemMoveRequest(id: request.id, from: from, to: to, animated: request.animated)
            update = .asking(entry)
            return .ask(move)
        case .configure(let new, let controllersChanged):
            flush.change.animated = false
            flush.change.options = new
            if controllersChanged { flush.change.scope.insert(.controllers) }
            if configuration.affectsLayout(comparedTo: new) { flush.change.scope.insert(.layout) }
            flush.change.requests = [entry.id]
            if flush.change.isAnnounced {
                flush.change.through = entry.ticket
                return storeOrAnswer(flush)
            }
            // Options without a visible effect are applied, but not announced.
            update = .presenting(flush)
            return .present(flush.change)
        case .performUpdates, .applyChanges, .moveObject, .patchObject, .reloadObjects, .reloadData, .invalid:
            return nil
        }
    }

    private func switchPersistence(_ entry: QueuedRequest) -> UpdateStep? {
        guard case .persist(id: _, isStored: let isStored) = entry.work else { return nil }
        guard isStored, numbers.isUnstored else {
            if !isStored { history.endPersistence() }
            return finish(Flush(entry))
        }
        return store(Flush(entry), history.beginPersistence())
    }

    /// Continues the update of a dragged item with the section controllers' verdict.
    public func finishAskingAboutMove(_ verdict: ItemMoveVerdict) -> UpdateStep {
        guard case .asking(let entry) = update else { return .owner(.wait(timing)) }
        var flush = Flush(entry)
        flush.change.through = entry.ticket
        switch verdict {
        case .refused: flush.entries[0].isRefused = true
        case .error(let error): return finish(flush, failing: error)
        case .section(let from, let to):
            guard let object = table.object(at: from, .old), table.object(at: to, .old) != nil else {
                let message = "section \(from) or section \(to) does not exist"
                return finish(flush, failing: ListError(.noSuchItem, message))
            }
            let after = to == 0 ? nil : table.object(at: from < to ? to : to - 1, .old)
            if from != to { flush.change.moved = [(from, to, object, after)] }
        case .object(let object):
            guard let index = table.index(ofID: object.id, .old), let before = table.object(at: index, .old) else {
                let message = "the object \(object.id.quoted) of the dragged item does not exist"
                return finish(flush, failing: ListError(.noSuchItem, message))
            }
            let most = max(entry.request?.maximumObjectBytes ?? .max, before.byteCount)
            guard object.byteCount <= most else {
                let message = "the move enlarges the object \(object.id.quoted) to \(object.byteCount) bytes"
                return finish(flush, failing: ListError(.payloadTooLarge, message + ", more than \(most)"))
            }
            if !object.hasSameContent(as: before) { flush.change.updated = [(index, before, object)] }
        case .controller:
            guard let request = entry.request, case .moveItem(let from, let to) = request.operation else {
                return .owner(.wait(timing))
            }
            flush.change.itemMove = ItemMoveRequest(id: request.id, from: from, to: to, animated: request.animated)
        }
        return storeOrAnswer(flush)
    }

    /// Puts a dragged item's request back at the front of the queue. Call this when the asked presenter is gone.
    public func cancelMove(now: UInt64) {
        guard case .asking(let entry) = update else { return }
        requeue([entry], now: now)
    }

    // MARK: Storing

    /// Continues an update after the write of ``OwnerStep/store(_:)``. A list that is not stored needs no write.
    ///
    /// - Parameters:
    ///   - retryingEach: whether to retry requests that the store refused together, each in an update of its own and
    ///     before all other requests.
    ///   - sharesTable: whether the presenter shares the table and opens the change there itself. If so,
    ///     ``finishPresenting(_:)`` must be the next call of the list.
    public func finishStoring(
        _ outcome: Result<Void, ListError>, retryingEach: Bool = false, sharesTable: Bool = false, now: UInt64
    ) -> UpdateStep {
        guard case .storing(let flush, let write) = update else { return .owner(.wait(timing)) }
        let change = flush.change
        switch outcome {
        case .success:
            guard change.isAnnounced else {
                history.recordStored(write)
                return finish(flush)
            }
            history.recordStoredUpdate(write)
            _ = queue.dequeueItemUpdates(through: change.through)
            if !sharesTable { table.open(change, itemCounts: change.inserted.map { _ in 0 }) }
            update = .presenting(flush)
            return .present(change)
        case .failure(let error):
            if change.isAnnounced { history.recordRefusedUpdate() }
            if flush.startsPersistence { history.endPersistence() }
            guard retryingEach, flush.entries.count > 1 else { return finish(flush, failing: error) }
            requeue(flush.entries, asRetries: true, now: now)
            return .owner(.wait(timing))
        }
    }

    /// Returns the write that reserves a block of revision numbers, if less than half a block is left.
    ///
    /// The numbers are for changes that are announced without a write. If the store refuses, the write is retried
    /// after 100 ms; the delay doubles with each refusal, up to 30 s.
    ///
    /// - Returns: the write; `nil` if no write is due.
    public func reserve(now: UInt64) -> StoreWrite? { history.reserve(now: now) }

    /// Records the outcome of the write that ``reserve(now:)`` returned.
    public func finishReserving(_ work: StoreWrite, _ outcome: Result<Void, ListError>, now: UInt64) {
        history.recordReservation(work, outcome, now: now)
    }

    /// Returns the write of the announced changes that are not stored yet; `nil` if no write is due. Call this after a
    /// pause in changes.
    public func pendingWrite() -> StoreWrite? {
        if case .storing = update { nil } else { history.unwrittenWork }
    }

    /// Records that the write that ``pendingWrite()`` returned has succeeded.
    public func recordStored(_ work: StoreWrite) { history.recordStored(work) }

    /// Ends the list and returns its last write; `nil` if there is nothing to write, or during an update. No
    /// revision is numbered afterwards. A list that is restored after this write continues with the next revision.
    public func end() -> StoreWrite? {
        if case .idle = update { history.end() } else { nil }
    }

    /// Removes all queued requests and the pending request for a dragged item, and answers each with an error.
    public func refuseWaiting(_ error: ListError) -> [RequestAnswer] {
        var entries = queue.dequeueAll()
        if case .asking(let entry) = update {
            entries.insert(entry, at: 0)
            update = .idle
        }
        return entries.map { RequestAnswer(id: $0.id, outcome: .failure(error)) }
    }

    // MARK: Announcing

    /// Ends the update that was presented: numbers its revision, commits the table and answers the requests.
    ///
    /// - Returns: the announcement; empty if no update was being presented.
    public func finishPresenting(_ result: Announcement) -> Announcement {
        guard case .presenting(let flush) = update else { return Announcement(itemCount: itemCount) }
        let (base, change) = (numbers.last, flush.change)
        var announcement = result
        var transaction = result.transaction
        if change.isAnnounced, transaction == nil {
            transaction = Transaction(
                baseRevision: 0, revision: 0, kind: .reload, animated: false, sectionCount: table.count(.new),
                itemCount: result.itemCount)
        }
        if !change.isAnnounced, !numbers.mayNumber() { transaction = nil }
        transaction = transaction.map { history.appendNumbered($0) }
        table.commit()
        (itemCount, isFlat) = (result.itemCount, result.isFlat)
        if let new = change.options {
            configuration = new
            queue.setCoalescing(new.coalescing)
        }
        update = .idle
        announcement.change = change
        announcement.setRevisions(of: transaction, after: base)
        announcement.answers = flush.entries.map { $0.answer(revision: numbers.last) }
        return announcement
    }

    /// Announces items that section controllers changed on their own.
    ///
    /// - Parameter request: the request for a dragged item, if the items changed because of that request.
    /// - Returns: the announcement; `nil` if no number is available for the revision. The caller then keeps this
    ///   result and all later results until ``finishReserving(_:_:now:)``.
    public func recordItemChanges(_ result: Announcement, answering request: RequestID? = nil) -> Announcement? {
        let transaction = result.transaction
        guard transaction == nil || numbers.mayNumber(leaving: numbersNeededByUpdate) else { return nil }
        let base = numbers.last
        var announcement = result
        (itemCount, isFlat) = (result.itemCount, result.isFlat)
        announcement.setRevisions(of: transaction.map { history.appendNumbered($0) }, after: base)
        if case .asking(let entry) = update, request == entry.id {
            update = .idle
            announcement.answers = [entry.answer(revision: numbers.last)]
        }
        return announcement
    }

    /// The count of revision numbers to keep for the current update: 1 if it is stored and being presented, else 0.
    private var numbersNeededByUpdate: UInt64 {
        if case .presenting(let flush) = update, flush.change.isAnnounced { 1 } else { 0 }
    }

    /// Begins a reload, because a new presenter shows the list and may make other items.
    ///
    /// An update that is being presented becomes the reload.
    ///
    /// - Parameter sharesTable: whether the new presenter shares the table, which then has the state after the
    ///   update already. If so, ``finishPresenting(_:)`` must be the next call of the list.
    /// - Returns: the reload to present; `nil` in any phase except ``Phase/idle`` and ``Phase/presenting``, and if no
    ///   number is available for the revision: ``reservationStep(now:)`` then comes first.
    public func beginReload(sharesTable: Bool = false) -> Change? {
        var flush = Flush()
        switch update {
        case .idle: flush.change.animated = false
        case .presenting(let presented): flush = presented
        case .asking, .diffing, .storing: return nil
        }
        guard flush.change.isAnnounced || numbers.mayNumber() else { return nil }
        flush.change.scope.insert(.controllers)
        if sharesTable { table.commit() }
        update = .presenting(flush)
        return flush.change
    }
}

/// The next step of an ``ObjectList``, for the presenter of the list or for its owner.
@_spi(Daemon) @frozen public enum UpdateStep: Sendable {
    /// Ask the section controllers about a dragged item, and pass their verdict to ``ObjectList/finishAskingAboutMove(_:)``.
    case ask(ItemMoveRequest)
    /// Present an update, and pass the result to ``ObjectList/finishPresenting(_:)``.
    case present(Change)
    /// Run the queued item updates up to a ticket, and pass the result to ``ObjectList/recordItemChanges(_:answering:)``.
    case presentItems(through: Ticket)
    /// Leave a step to the owner.
    case owner(OwnerStep)
}

/// A step that the owner of an ``ObjectList`` takes. With a ``ListDriver``, the owner takes no other steps, and passes
/// the outputs of diffs and the outcomes of updates' writes to the driver.
@_spi(Daemon) @frozen public enum OwnerStep: Sendable {
    /// Wait until the given time, or until the next call of the list.
    case wait(FlushTiming)
    /// Compute a diff, on any thread, and pass its output to ``ObjectList/finishDiff(_:)``.
    case diff(DiffJob)
    /// Write to the store, and pass the outcome to ``ObjectList/finishStoring(_:retryingEach:sharesTable:now:)``.
    case store(StoreWrite)
    /// Reserve revision numbers in the store, and pass the outcome to ``ObjectList/finishReserving(_:_:now:)``.
    case reserve(StoreWrite)
    /// Send signals and answers.
    case announce(Announcement)
}

/// A request to move a dragged item. The section controllers decide about it.
@_spi(Daemon) @frozen public struct ItemMoveRequest: Sendable, Hashable {
    /// The identifier of the request.
    public var id: RequestID
    /// The path of the item before the move.
    public var from: IndexPath
    /// The path of the item after the move.
    public var to: IndexPath
    /// Whether the request is animated.
    public var animated: Bool

    /// Creates a request to move an item.
    public init(id: RequestID, from: IndexPath, to: IndexPath, animated: Bool = true) {
        self.id = id
        self.from = from
        self.to = to
        self.animated = animated
    }
}

/// The section controllers' verdict on a dragged item.
@_spi(Daemon) @frozen public enum ItemMoveVerdict: Sendable {
    /// The item stays where it is; the request succeeds.
    case refused
    /// The item cannot be moved; the request fails.
    case error(ListError)
    /// The item's whole section moves. Equal indexes mean that nothing changes.
    case section(from: Int, to: Int)
    /// The section's object changes. The new object has the item at its new place.
    case object(ListObject)
    /// The section controller moves the item itself, when the update is presented. Only for a presentation on the same
    /// executor.
    case controller
}

/// The outcome of a flush: the answers to its requests, and the events to announce in the order that the contract
/// requires.
@frozen public struct FlushResult: Sendable {
    /// One answer for each request of the flush, in order of arrival.
    public var answers: [RequestAnswer] = []
    /// The applied transaction; `nil` when nothing changed.
    public var transaction: Transaction?
    /// The events to announce, in order: first the events queued before the flush, then `.updated` if there is a
    /// transaction, then all other events.
    public var events: [AdapterEvent] = []

    /// Creates an empty result.
    public init() {}
}

/// The answer to one request.
@frozen public struct RequestAnswer: Sendable {
    /// The identifier of the answered request.
    public var id: RequestID
    /// The revision that contains the request's effect, or the error that prevented it.
    public var outcome: Result<UInt64, ListError>
    /// The objects that the request dropped because an earlier object had the same identifier.
    public var droppedDuplicates: DroppedDuplicates
    /// Whether a section controller or IGListKit's rules refused to move the item. The list is then unchanged.
    public var isRefused: Bool

    /// Creates an answer.
    public init(
        id: RequestID, outcome: Result<UInt64, ListError>,
        droppedDuplicates: DroppedDuplicates = DroppedDuplicates(), isRefused: Bool = false
    ) {
        self.id = id
        self.outcome = outcome
        self.droppedDuplicates = droppedDuplicates
        self.isRefused = isRefused
    }
}

/// The objects of a list that were dropped because an earlier object of the list has the same identifier.
@frozen public struct DroppedDuplicates: Sendable, Hashable {
    /// The maximum number of identifiers in ``ids``.
    public static let maximumIDs = 8

    /// The number of dropped objects.
    public var count: Int
    /// The identifiers of the first dropped objects, each once, in list order; at most ``maximumIDs``.
    public var ids: [String]

    /// Describes dropped objects; by default, none.
    public init(count: Int = 0, ids: [String] = []) {
        self.count = count
        self.ids = ids
    }
}

/// The time at which a flush is due.
@frozen public enum FlushTiming: Sendable, Hashable {
    /// No flush is due, because nothing is queued.
    case idle
    /// A flush is due in the next turn of the executor.
    case now
    /// A flush is due at the given time, in milliseconds of the clock that is passed to
    /// ``ListAdapter/flushNow(now:)``.
    case at(UInt64)
}

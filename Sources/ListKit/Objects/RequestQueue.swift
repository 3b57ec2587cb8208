// SPDX-License-Identifier: Apache-2.0

/// The place of a request or an item update in a list's order of arrival.
@_spi(Daemon) @frozen public struct Ticket: Sendable, Hashable, Comparable {
    /// The number of the ticket. The first arrival has 1, each later one a higher number.
    public var number: UInt64

    /// A ticket that is less than the ticket of every arrival.
    public static var none: Ticket { Ticket(number: 0) }

    /// Creates a ticket.
    public init(number: UInt64) { self.number = number }

    /// Returns whether the left ticket arrived before the right one.
    public static func < (lhs: Ticket, rhs: Ticket) -> Bool { lhs.number < rhs.number }
}

/// A request in the queue of a list, and later in a flush.
struct QueuedRequest {
    /// What is to be done.
    enum Work {
        /// Run a request.
        case request(UpdateRequest)
        /// Start (`isStored`) or end the persistence of the list.
        case persist(id: RequestID, isStored: Bool)
    }

    let ticket: Ticket
    let work: Work
    /// Whether it is retried in an update of its own, after the store refused it together with others.
    var isRetry = false
    /// Why the request fails; `nil` as long as it does not.
    var error: ListError?
    /// The objects that the request dropped because of a duplicate identifier.
    var droppedDuplicates = DroppedDuplicates()
    /// Whether section controllers refused to move the item.
    var isRefused = false

    init(ticket: Ticket, work: Work, isRetry: Bool = false) {
        (self.ticket, self.work, self.isRetry) = (ticket, work, isRetry)
    }

    /// Whether no other request may run in the same update.
    var requiresOwnUpdate: Bool {
        if isRetry { return true }
        return switch work {
        case .request(let request): request.requiresOwnTransaction
        case .persist: true
        }
    }

    /// The identifier of the request in its answer.
    var id: RequestID {
        switch work {
        case .request(let request): request.id
        case .persist(id: let id, isStored: _): id
        }
    }

    var request: UpdateRequest? { if case .request(let request) = work { request } else { nil } }

    /// Returns the answer to the request.
    ///
    /// - Parameters:
    ///   - revision: the outcome if the request succeeded.
    ///   - failure: the outcome of a request without an error of its own; `nil` if it succeeded.
    func answer(revision: UInt64, failing failure: ListError? = nil) -> RequestAnswer {
        RequestAnswer(
            id: id, outcome: (error ?? failure).map { .failure($0) } ?? .success(revision),
            droppedDuplicates: droppedDuplicates, isRefused: failure == nil && isRefused)
    }
}

/// The requests of a list that wait for an update, in order of arrival, and the time of the next flush.
struct RequestQueue {
    private var entries: [QueuedRequest] = []
    private var lastTicket = Ticket.none
    /// The ticket of the first item update that is queued in a presentation on the same executor.
    private var firstItemUpdate: Ticket?
    /// Whether a view of the list was on screen when the last request arrived.
    private var isOnScreen = false
    private var coalescer: UpdateCoalescer

    init(coalescing: ListOptions.Coalescing) { coalescer = UpdateCoalescer(configuration: coalescing) }

    // MARK: Adding

    /// Returns the next ticket in the order of arrival.
    mutating func makeTicket() -> Ticket {
        lastTicket.number += 1
        return lastTicket
    }

    /// Adds an entry to the queue. Returns the ticket of the entry.
    mutating func append(_ work: QueuedRequest.Work, now: UInt64, isOnScreen: Bool? = nil) -> Ticket {
        let ticket = makeTicket()
        entries.append(QueuedRequest(ticket: ticket, work: work))
        requestFlush(now: now, isOnScreen: isOnScreen)
        return ticket
    }

    /// Sets the ticket of the first queued item update; `nil` if no item update is queued.
    mutating func setFirstItemUpdate(_ first: Ticket?, now: UInt64, isOnScreen: Bool) {
        firstItemUpdate = first
        if first != nil { requestFlush(now: now, isOnScreen: isOnScreen) }
    }

    /// Puts dequeued entries back at the front of the queue.
    mutating func requeue(_ taken: [QueuedRequest], asRetries: Bool = false, now: UInt64) {
        let taken = taken.map { QueuedRequest(ticket: $0.ticket, work: $0.work, isRetry: asRetries || $0.isRetry) }
        entries.insert(contentsOf: taken, at: 0)
        requestFlush(now: now)
    }

    private mutating func requestFlush(now: UInt64, isOnScreen: Bool? = nil) {
        self.isOnScreen = isOnScreen ?? self.isOnScreen
        coalescer.requestFlush(now: now, isVisible: self.isOnScreen)
    }

    /// Sets the time for which requests are collected before a flush.
    mutating func setCoalescing(_ coalescing: ListOptions.Coalescing) { coalescer.setConfiguration(coalescing) }

    // MARK: The next flush

    /// The number of queued requests.
    var count: Int { entries.count }

    /// Whether no request is queued.
    var isEmpty: Bool { entries.isEmpty }

    /// The time at which the next flush is due, provided that no flush is in progress.
    var timing: FlushTiming {
        if entries.isEmpty, firstItemUpdate == nil { return .idle }
        if entries.first?.isRetry == true || coalescer.timing == .idle { return .now }
        return coalescer.timing
    }

    /// Whether the next flush runs only item updates.
    ///
    /// Item updates run alone if no request is queued, or if the first request arrived later and needs an update of its
    /// own.
    var beginsWithItemUpdates: Bool {
        guard let firstItemUpdate else { return false }
        return entries.first.map { $0.requiresOwnUpdate && firstItemUpdate < $0.ticket } ?? true
    }

    /// Whether the next entry starts or ends the persistence of the list.
    var beginsWithPersisting: Bool {
        guard case .persist? = entries.first?.work else { return false }
        return true
    }

    /// The entries of the next flush: a first entry that needs an update of its own, or else all entries before such
    /// an entry.
    var batch: ArraySlice<QueuedRequest> {
        guard let first = entries.first, !first.requiresOwnUpdate else { return entries.prefix(1) }
        return entries.prefix { !$0.requiresOwnUpdate }
    }

    /// The ticket just before the first queued entry. Item updates up to this ticket run before that entry.
    var ticketBeforeFirstEntry: Ticket {
        entries.first.map { Ticket(number: $0.ticket.number - 1) } ?? lastTicket
    }

    // MARK: Removing

    /// Removes and returns the first `count` entries for a flush that starts now.
    mutating func dequeue(_ count: Int, now: UInt64) -> [QueuedRequest] {
        let taken = Array(entries.prefix(count))
        entries.removeFirst(taken.count)
        startFlush(now: now)
        return taken
    }

    /// Records that a flush starts now with the item updates before the first entry.
    ///
    /// - Returns: the ticket up to which item updates run.
    mutating func dequeueItemUpdates(now: UInt64) -> Ticket {
        _ = dequeueItemUpdates(through: ticketBeforeFirstEntry)
        startFlush(now: now)
        return ticketBeforeFirstEntry
    }

    /// Records that the item updates up to a ticket run with the current flush. Returns whether there are any.
    mutating func dequeueItemUpdates(through ticket: Ticket) -> Bool {
        guard let first = firstItemUpdate, first <= ticket else { return false }
        firstItemUpdate = nil
        return true
    }

    /// Records the start of a flush.
    private mutating func startFlush(now: UInt64) {
        coalescer.recordFlushStart(now: now)
        if !entries.isEmpty { requestFlush(now: now) }
    }

    /// Replaces the operations of queued requests; requests that are not in `operations` keep theirs.
    mutating func replace(_ operations: [RequestID: UpdateRequest.Operation]) {
        guard !operations.isEmpty else { return }
        for index in entries.indices {
            guard case .request(var request) = entries[index].work, let new = operations[request.id]
            else { continue }
            request.operation = new
            entries[index] = QueuedRequest(
                ticket: entries[index].ticket, work: .request(request), isRetry: entries[index].isRetry)
        }
    }

    /// Removes and returns all entries without flushing them.
    mutating func dequeueAll() -> [QueuedRequest] {
        defer { entries = [] }
        return entries
    }
}

/// Schedules the flushes of a list (rules CO-01 to CO-11). At most one flush is scheduled, and its time is never
/// changed.
struct UpdateCoalescer {
    /// The time for which requests are collected before a flush.
    private(set) var configuration: ListOptions.Coalescing

    private var interval: UInt64
    /// The time at which the last flush started, in milliseconds (rule CO-10).
    private var lastStart: UInt64?
    private(set) var timing = FlushTiming.idle

    init(configuration: ListOptions.Coalescing) {
        self.configuration = configuration
        interval = configuration.minimum
    }

    /// Sets the time for which requests are collected. A different configuration starts at its minimum (rule CO-09).
    mutating func setConfiguration(_ new: ListOptions.Coalescing) {
        guard new != configuration else { return }
        configuration = new
        interval = new.minimum
    }

    /// Schedules a flush for a request, unless a flush is scheduled already.
    ///
    /// - Parameter isVisible: whether a view of the list is on screen.
    mutating func requestFlush(now: UInt64, isVisible: Bool) {
        guard timing == .idle else { return }
        guard configuration.isAdaptive else {
            timing = .now
            return
        }
        if !isVisible, configuration.usesMaximumWhenNotVisible {
            timing = .at(now.saturatingAdding(configuration.maximum))
            return
        }
        guard let lastStart, now.saturatingSubtracting(lastStart) <= interval else {
            interval = configuration.minimum
            timing = .now
            return
        }
        timing = .at(lastStart.saturatingAdding(interval))
        interval = min(configuration.maximum, interval.saturatingAdding(configuration.increment))
    }

    /// Records the start of a flush.
    mutating func recordFlushStart(now: UInt64) {
        timing = .idle
        lastStart = now
    }
}

/// An exponential backoff for refused writes: the delay starts at 100 ms and doubles with each refusal, up to 30 s.
struct RetryDelay {
    /// The time of the next attempt, in milliseconds; 0 before the first refusal.
    private(set) var time: UInt64 = 0
    private var interval = shortest

    private static let (shortest, longest): (UInt64, UInt64) = (100, 30_000)

    /// Schedules the next attempt after a refusal, and doubles the delay.
    mutating func recordRefusal(now: UInt64) {
        time = now.saturatingAdding(interval)
        interval = min(RetryDelay.longest, interval * 2)
    }

    /// Resets the delay to its minimum after a success.
    mutating func reset() { interval = RetryDelay.shortest }
}

extension UInt64 {
    func saturatingAdding(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    func saturatingSubtracting(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}

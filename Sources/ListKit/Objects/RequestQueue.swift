// SPDX-License-Identifier: Apache-2.0

/// The requests of a list that no update has begun with, in order of arrival, and when the next flush is due.
struct RequestQueue {
    /// A queued request.
    struct Entry {
        let ticket: Ticket
        let work: Work
        /// Whether it was refused together with others, so that it is retried in an update of its own.
        var isRetry = false

        /// Whether it requires its own transaction.
        var requiresOwnUpdate: Bool {
            if isRetry { return true }
            return switch work {
            case .request(let request, _): request.requiresOwnTransaction
            case .persist: true
            }
        }

        /// Identifies it in its answer.
        var id: RequestID {
            switch work {
            case .request(let request, _): request.id
            case .persist(let id, _): id
            }
        }

        var request: UpdateRequest? { if case .request(let request, _) = work { request } else { nil } }
        var cursor: [UInt8]? { if case .request(_, let cursor) = work { cursor } else { nil } }
    }

    /// The kinds of work.
    enum Work {
        /// A change, and where the source of the list continues after it.
        case request(UpdateRequest, cursor: [UInt8]?)
        /// Begin or end storing the list.
        case persist(RequestID, Bool)
    }

    private var entries: [Entry] = []
    private var lastTicket = Ticket.none
    /// The first queued item update of a presentation on the same executor.
    private var firstItemUpdate: Ticket?
    /// Whether a view of the list was on screen when the last request came.
    private var isOnScreen = false
    private var coalescer: UpdateCoalescer
    /// The last of the item updates that the store refused.
    private var lastRefused = Ticket.none
    /// Whether item updates wait to be retried, because the store refused them.
    private(set) var awaitsRetry = false

    init(coalescing: ListOptions.Coalescing) { coalescer = UpdateCoalescer(configuration: coalescing) }

    // MARK: Adding

    /// Makes the next ticket.
    mutating func makeTicket() -> Ticket {
        lastTicket.number += 1
        return lastTicket
    }

    mutating func append(_ work: Work, now: UInt64, isOnScreen: Bool? = nil) -> Ticket {
        let ticket = makeTicket()
        entries.append(Entry(ticket: ticket, work: work))
        requestFlush(now: now, isOnScreen: isOnScreen)
        return ticket
    }

    /// Sets the first queued item update; `nil` = none.
    mutating func setFirstItemUpdate(_ first: Ticket?, now: UInt64, isOnScreen: Bool) {
        firstItemUpdate = first
        if first != nil { requestFlush(now: now, isOnScreen: isOnScreen) }
    }

    /// Returns dequeued entries to the front.
    mutating func putBack(_ taken: [Entry], asRetries: Bool = false, now: UInt64) {
        let taken = taken.map { Entry(ticket: $0.ticket, work: $0.work, isRetry: asRetries || $0.isRetry) }
        entries.insert(contentsOf: taken, at: 0)
        requestFlush(now: now)
    }

    private mutating func requestFlush(now: UInt64, isOnScreen: Bool? = nil) {
        awaitsRetry = false
        self.isOnScreen = isOnScreen ?? self.isOnScreen
        coalescer.request(now: now, isVisible: self.isOnScreen)
    }

    /// Changes how long requests are collected.
    mutating func setCoalescing(_ coalescing: ListOptions.Coalescing) { coalescer.setConfiguration(coalescing) }

    // MARK: The next flush

    /// How many requests are queued.
    var count: Int { entries.count }

    /// Whether no request is queued.
    var isEmpty: Bool { entries.isEmpty }

    /// When the next flush is due, if none is in progress.
    var timing: FlushTiming {
        if entries.isEmpty, firstItemUpdate == nil { return .idle }
        if entries.first?.isRetry == true || coalescer.timing == .idle { return .now }
        return coalescer.timing
    }

    /// Whether the next flush runs item updates without any request: the queue is empty, or its first request came later and
    /// needs an update of its own.
    var beginsWithItemUpdates: Bool {
        guard let firstItemUpdate else { return false }
        return entries.first.map { $0.requiresOwnUpdate && firstItemUpdate < $0.ticket } ?? true
    }

    /// Whether the next entry begins or ends storing.
    var beginsWithPersisting: Bool {
        guard case .persist? = entries.first?.work else { return false }
        return true
    }

    /// The entries of the next flush: the first one if it needs an update of its own, else all before the first that does.
    var batch: ArraySlice<Entry> {
        guard let first = entries.first, !first.requiresOwnUpdate else { return entries.prefix(1) }
        return entries.prefix { !$0.requiresOwnUpdate }
    }

    /// The last ticket before the entry that follows the next flush.
    var throughTicket: Ticket {
        entries.first.map { Ticket(number: $0.ticket.number - 1) } ?? lastTicket
    }

    // MARK: Removing

    /// Removes the first entries for a flush that starts now.
    mutating func dequeue(_ count: Int, now: UInt64) -> [Entry] {
        let taken = Array(entries.prefix(count))
        entries.removeFirst(taken.count)
        startFlush(now: now)
        return taken
    }

    /// Removes the item updates before the next entry, for a flush that starts now; returns the last ticket among them.
    mutating func dequeueItemUpdates(now: UInt64) -> Ticket {
        dequeueItemUpdates(through: throughTicket)
        startFlush(now: now)
        return throughTicket
    }

    /// Removes the item updates that run with a flush.
    mutating func dequeueItemUpdates(through ticket: Ticket) {
        if let first = firstItemUpdate, first <= ticket { firstItemUpdate = nil }
    }

    /// Records the start of a flush.
    mutating func startFlush(now: UInt64) {
        awaitsRetry = false
        coalescer.start(now: now)
        if !entries.isEmpty { requestFlush(now: now) }
    }

    /// Whether an item update up to a ticket is queued.
    func hasItemUpdates(through ticket: Ticket) -> Bool { firstItemUpdate.map { $0 <= ticket } ?? false }

    /// Keeps item updates for the next flush, after the store refused the update that they were part of.
    ///
    /// If they were refused without a request, now or before, they are retried after a delay that grows each time, or
    /// together with the next request.
    mutating func refuseItemUpdates(through ticket: Ticket, withoutRequests: Bool, now: UInt64) {
        guard let first = firstItemUpdate, first <= ticket else { return }
        let isRetried = withoutRequests || first <= lastRefused
        lastRefused = ticket
        requestFlush(now: now)
        guard isRetried else { return }
        coalescer.refuse(now: now)
        awaitsRetry = lastTicket <= ticket
    }

    /// When refused item updates are retried.
    var retryTime: UInt64 { coalescer.retryTime }

    /// Resets the delay of retries after a write that succeeded.
    mutating func acceptItemUpdates() { coalescer.accept() }

    /// Replaces the operations of some requests.
    mutating func replace(_ operations: [RequestID: UpdateRequest.Operation]) {
        guard !operations.isEmpty else { return }
        for index in entries.indices {
            guard case .request(var request, let cursor) = entries[index].work, let new = operations[request.id]
            else { continue }
            request.operation = new
            entries[index] = Entry(
                ticket: entries[index].ticket, work: .request(request, cursor: cursor), isRetry: entries[index].isRetry)
        }
    }

    /// Removes all requests without flushing them.
    mutating func dequeueAll() -> [Entry] {
        defer { entries = [] }
        return entries
    }
}

// SPDX-License-Identifier: Apache-2.0

/// What a list was asked for and has not begun, in order of arrival, and when it is due.
struct RequestQueue {
    /// Something that waits for a flush.
    struct Entry {
        let ticket: Ticket
        let work: Work
        /// Whether it was refused together with others, so that it is tried by itself.
        var isRetry = false

        /// Whether it shares a flush with no other.
        var isAlone: Bool {
            if isRetry { return true }
            return switch work {
            case .request(let request, _): request.requiresOwnTransaction
            case .persist: true
            }
        }

        /// Names it in its answer.
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
        /// A change, and where the source of the list goes on after it.
        case request(UpdateRequest, cursor: [UInt8]?)
        /// Store the list from now on, or no more.
        case persist(RequestID, Bool)
    }

    private var entries: [Entry] = []
    private var lastTicket = Ticket.none
    /// The first item update that waits, of a presentation on the same executor.
    private var firstItemUpdate: Ticket?
    /// Whether a view of the list was on screen when something was asked for last.
    private var isOnScreen = false
    private var coalescer: UpdateCoalescer
    /// The last of the item updates that the store refused.
    private var lastRefused = Ticket.none
    /// Whether item updates wait for a while, because the store refused them.
    private(set) var awaitsRetry = false

    init(coalescing: ListOptions.Coalescing) { coalescer = UpdateCoalescer(configuration: coalescing) }

    // MARK: Adding

    /// Gives out the next place in the order of arrival.
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

    /// Records the first item update that waits; `nil` = none does.
    mutating func setFirstItemUpdate(_ first: Ticket?, now: UInt64, isOnScreen: Bool) {
        firstItemUpdate = first
        if first != nil { requestFlush(now: now, isOnScreen: isOnScreen) }
    }

    /// Puts back what was taken, ahead of all others.
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

    /// Collects otherwise from now on.
    mutating func setCoalescing(_ coalescing: ListOptions.Coalescing) { coalescer.setConfiguration(coalescing) }

    // MARK: What is next

    /// How many requests wait.
    var count: Int { entries.count }

    /// Whether no request waits.
    var isEmpty: Bool { entries.isEmpty }

    /// When the next flush is due, if none is under way.
    var timing: FlushTiming {
        if entries.isEmpty, firstItemUpdate == nil { return .idle }
        if entries.first?.isRetry == true || coalescer.timing == .idle { return .now }
        return coalescer.timing
    }

    /// Whether item updates are next, which no request is flushed with: nothing else waits, or it goes alone.
    var beginsWithItemUpdates: Bool {
        guard let firstItemUpdate else { return false }
        return entries.first.map { $0.isAlone && firstItemUpdate < $0.ticket } ?? true
    }

    /// Whether the list is to be stored, or no more, before anything else.
    var beginsWithPersisting: Bool {
        guard case .persist? = entries.first?.work else { return false }
        return true
    }

    /// What goes into the next flush: the first entry if it goes alone, else all up to the first one that does.
    var batch: ArraySlice<Entry> {
        guard let first = entries.first, !first.isAlone else { return entries.prefix(1) }
        return entries.prefix { !$0.isAlone }
    }

    /// The last place in the order of arrival in front of what is next.
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

    /// Removes the item updates in front of what is next, for a flush that starts now; answers the last place among them.
    mutating func dequeueItemUpdates(now: UInt64) -> Ticket {
        dequeueItemUpdates(through: throughTicket)
        startFlush(now: now)
        return throughTicket
    }

    /// Removes the item updates that run with a flush.
    mutating func dequeueItemUpdates(through ticket: Ticket) {
        if let first = firstItemUpdate, first <= ticket { firstItemUpdate = nil }
    }

    /// A flush starts.
    mutating func startFlush(now: UInt64) {
        awaitsRetry = false
        coalescer.start(now: now)
        if !entries.isEmpty { requestFlush(now: now) }
    }

    /// Whether an item update waits, up to a place.
    func hasItemUpdates(through ticket: Ticket) -> Bool { firstItemUpdate.map { $0 <= ticket } ?? false }

    /// The store refused an update with which item updates were to run: they run with the next one.
    ///
    /// When they alone were refused, or were before, that is after a while, longer each time, unless somebody asks for more.
    mutating func refuseItemUpdates(through ticket: Ticket, areAlone: Bool, now: UInt64) {
        guard let first = firstItemUpdate, first <= ticket else { return }
        let isRetried = areAlone || first <= lastRefused
        lastRefused = ticket
        requestFlush(now: now)
        guard isRetried else { return }
        coalescer.refuse(now: now)
        awaitsRetry = lastTicket <= ticket
    }

    /// When the item updates that were refused are tried again.
    var retryTime: UInt64 { coalescer.retryTime }

    /// The store took an update.
    mutating func acceptItemUpdates() { coalescer.accept() }

    /// Replaces what some requests ask for.
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

    /// Removes all requests, which are not flushed any more.
    mutating func dequeueAll() -> [Entry] {
        defer { entries = [] }
        return entries
    }
}

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

    /// Takes notice of the first item update that waits; `nil` = none does.
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
        self.isOnScreen = isOnScreen ?? self.isOnScreen
        coalescer.request(now: now, isVisible: self.isOnScreen)
    }

    /// Collects otherwise from now on.
    mutating func setCoalescing(_ coalescing: ListOptions.Coalescing) {
        if coalescer.configuration != coalescing { coalescer.configuration = coalescing }
    }

    // MARK: What is next

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

    // MARK: Taking

    /// Takes the first entries for a flush that starts now.
    mutating func take(_ count: Int, now: UInt64) -> [Entry] {
        let taken = Array(entries.prefix(count))
        entries.removeFirst(taken.count)
        startFlush(now: now)
        return taken
    }

    /// Takes the item updates in front of what is next, for a flush that starts now; answers the last place among them.
    mutating func takeItemUpdates(now: UInt64) -> Ticket {
        takeItemUpdates(through: throughTicket)
        startFlush(now: now)
        return throughTicket
    }

    /// Takes the item updates that run with a flush.
    mutating func takeItemUpdates(through ticket: Ticket) {
        if let first = firstItemUpdate, first <= ticket { firstItemUpdate = nil }
    }

    private mutating func startFlush(now: UInt64) {
        coalescer.start(now: now)
        if !entries.isEmpty { requestFlush(now: now) }
    }

    /// Takes all requests, which are not flushed any more.
    mutating func takeAll() -> [Entry] {
        defer { entries = [] }
        return entries
    }
}

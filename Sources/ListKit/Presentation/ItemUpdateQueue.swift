// SPDX-License-Identifier: Apache-2.0

/// The item updates that are queued for the next update of their list, in order.
struct ItemUpdateQueue {
    /// An item update and its ticket.
    struct Entry {
        let ticket: Ticket
        let update: ItemUpdate
    }

    private(set) var entries: [Entry] = []
    /// Makes tickets in the list's order of arrival.
    private let makeTicket: () -> Ticket
    /// When they are due; only for a list whose objects are in another process.
    private var coalescer: UpdateCoalescer
    /// The time, in milliseconds.
    private var now: UInt64 = 0

    init(coalescing: ListOptions.Coalescing, makeTicket: @escaping () -> Ticket) {
        self.makeTicket = makeTicket
        coalescer = UpdateCoalescer(configuration: coalescing)
    }

    /// The ticket of the first one; `nil` = none is queued.
    var first: Ticket? { entries.first?.ticket }

    /// When they are due.
    var timing: FlushTiming {
        if entries.isEmpty { return .idle }
        return coalescer.timing == .idle ? .now : coalescer.timing
    }

    /// Sets the time.
    mutating func setTime(_ new: UInt64) { now = max(now, new) }

    /// Changes how long item updates are collected.
    mutating func setCoalescing(_ coalescing: ListOptions.Coalescing) { coalescer.setConfiguration(coalescing) }

    mutating func append(_ update: ItemUpdate, isOnScreen: Bool) {
        entries.append(Entry(ticket: makeTicket(), update: update))
        coalescer.request(now: now, isVisible: isOnScreen)
    }

    /// Removes those up to a ticket, for an update that begins now; `nil` = all.
    mutating func dequeue(through ticket: Ticket?) -> [Entry] {
        coalescer.start(now: now)
        let count = ticket.map { ticket in entries.prefix { $0.ticket <= ticket }.count } ?? entries.count
        defer { entries.removeFirst(count) }
        return Array(entries[..<count])
    }
}

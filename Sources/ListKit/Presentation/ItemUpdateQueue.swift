// SPDX-License-Identifier: Apache-2.0

/// An item update in the queue of a list.
struct QueuedItemUpdate {
    let ticket: Ticket
    let update: ItemUpdate
}

/// A queue of item updates that wait for the next update of their list, in order of arrival.
struct ItemUpdateQueue {
    private(set) var updates: [QueuedItemUpdate] = []
    /// Returns the next ticket in the list's order of arrival.
    private let makeTicket: () -> Ticket
    /// The scheduler of item updates. Used only if the list's objects are in another process.
    private var coalescer: UpdateCoalescer
    /// The current time in milliseconds.
    private var now: UInt64 = 0

    init(coalescing: ListOptions.Coalescing, makeTicket: @escaping () -> Ticket) {
        self.makeTicket = makeTicket
        coalescer = UpdateCoalescer(configuration: coalescing)
    }

    /// The ticket of the first queued item update; `nil` if the queue is empty.
    var first: Ticket? { updates.first?.ticket }

    /// The time at which the queued item updates are due.
    var timing: FlushTiming {
        if updates.isEmpty { return .idle }
        return coalescer.timing == .idle ? .now : coalescer.timing
    }

    /// Sets the current time. An earlier time is ignored.
    mutating func setTime(_ time: UInt64) { now = max(now, time) }

    /// Sets the time for which item updates are collected.
    mutating func setCoalescing(_ coalescing: ListOptions.Coalescing) { coalescer.setConfiguration(coalescing) }

    mutating func append(_ update: ItemUpdate, isOnScreen: Bool) {
        updates.append(QueuedItemUpdate(ticket: makeTicket(), update: update))
        coalescer.requestFlush(now: now, isVisible: isOnScreen)
    }

    /// Removes and returns the item updates up to a ticket, for an update that begins now.
    ///
    /// - Parameter ticket: the ticket; `nil` to remove all item updates.
    mutating func dequeue(through ticket: Ticket?) -> [QueuedItemUpdate] {
        coalescer.recordFlushStart(now: now)
        let count = ticket.map { ticket in updates.prefix { $0.ticket <= ticket }.count } ?? updates.count
        defer { updates.removeFirst(count) }
        return Array(updates[..<count])
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A place in the order in which a list was asked for changes: requests and item updates are numbered together.
@_spi(Daemon) @frozen public struct Ticket: Sendable, Hashable, Comparable {
    /// Ascending in the order of arrival, from 1.
    public var number: UInt64

    /// Before everything that was asked for.
    public static var none: Ticket { Ticket(number: 0) }

    /// Makes a ticket.
    public init(number: UInt64) { self.number = number }

    /// Tickets are ordered by arrival.
    public static func < (lhs: Ticket, rhs: Ticket) -> Bool { lhs.number < rhs.number }
}

/// What becomes of the objects of a list, for whoever presents them.
@_spi(Daemon) public struct ObjectUpdate: Sendable {
    /// What becomes of the sections.
    public var changes = SectionChanges()
    /// Positions before of objects that stay and are reloaded whether they changed or not.
    public var forced: [IndexRun] = []
    /// Whether all section controllers are made anew.
    public var rebuildsControllers = false
    /// Whether all views are laid out anew; section controllers stay.
    public var relaysOut = false
    /// Whether all sections are asked anew for their items, sizes and supplementary views; section controllers stay.
    public var asksAnew = false
    /// Whether all requests in it were animated.
    public var animated = true
    /// Options to take over.
    public var configuration: ListOptions?
    /// An item that its section controller moves itself, in a presentation on the same executor.
    public var itemMove: ItemMoveRequest?
    /// Item updates up to this one run with it.
    public var through = Ticket.none

    /// Makes an update that changes nothing.
    public init() {}

    /// Whether it is announced as a reload whatever it changes.
    public var isReload: Bool { rebuildsControllers || relaysOut || asksAnew }

    /// Whether there is anything to announce.
    var isAnnounced: Bool { isReload || !changes.isEmpty || !forced.isEmpty || itemMove != nil }
}

/// What somebody who presents a list made of an update, or changed by itself.
@_spi(Daemon) public struct Presented: Sendable {
    /// The transaction, without its revisions; `nil` = there is nothing to announce.
    ///
    /// Of an update that is announced, `nil` means a reload.
    public var transaction: Transaction?
    /// What to announce, in order, the transaction in its place; the revisions mean nothing.
    public var events: [AdapterEvent]
    /// How many items the list has afterwards.
    public var itemCount: Int

    /// Describes what was presented.
    public init(transaction: Transaction? = nil, events: [AdapterEvent] = [], itemCount: Int) {
        self.transaction = transaction
        self.events = events
        self.itemCount = itemCount
    }
}

/// What is to be said after something was presented: events with their revisions, then the answers.
@_spi(Daemon) public struct Announced: Sendable {
    /// What to announce, in order.
    public var events: [AdapterEvent] = []
    /// The answers to the requests.
    public var answers: [RequestAnswer] = []
    /// What became of the objects, for lists that are made from this one.
    public var changes = SectionChanges()

    /// Makes an empty announcement.
    public init() {}
}

extension AdapterEvent {
    /// The event with a revision of the list in place of its own; a transaction keeps what it says.
    func stamped(_ revision: UInt64) -> AdapterEvent {
        switch self {
        case .updated, .closed, .sectionFault: return self
        case .display(var change):
            change.revision = revision
            return .display(change)
        case .workingRange(var change):
            change.revision = revision
            return .workingRange(change)
        case .selection(var change):
            change.revision = revision
            return .selection(change)
        case .picture(var change):
            change.revision = revision
            return .picture(change)
        case .stalled(let view, let sequence, _): return .stalled(view: view, sequence: sequence, revision: revision)
        case .nearEnd(let view, _, let distance):
            return .nearEnd(view: view, revision: revision, distance: distance)
        }
    }
}

extension [AdapterEvent] {
    /// The events with their revisions: the one before up to the transaction, the one after from there on.
    ///
    /// - Parameters:
    ///   - transaction: what is said in place of the transaction among them, or first when there is none; `nil` = nothing.
    ///   - revision: the revision before.
    func stamped(with transaction: Transaction?, at revision: UInt64) -> [AdapterEvent] {
        var (revision, unsaid) = (revision, transaction)
        var result: [AdapterEvent] = []
        result.reserveCapacity(count + 1)
        let hasPlace = contains { if case .updated = $0 { true } else { false } }
        if let transaction, !hasPlace {
            result.append(.updated(transaction))
            revision = transaction.revision
            unsaid = nil
        }
        for event in self {
            if case .updated = event {
                guard let transaction = unsaid else { continue }
                result.append(.updated(transaction))
                revision = transaction.revision
                unsaid = nil
            } else {
                result.append(event.stamped(revision))
            }
        }
        return result
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The position of a request or an item update in the order of arrival at a list.
@_spi(Daemon) @frozen public struct Ticket: Sendable, Hashable, Comparable {
    /// Ascending in the order of arrival, from 1.
    public var number: UInt64

    /// Before all others.
    public static var none: Ticket { Ticket(number: 0) }

    /// Makes a ticket.
    public init(number: UInt64) { self.number = number }

    /// Tickets are ordered by arrival.
    public static func < (lhs: Ticket, rhs: Ticket) -> Bool { lhs.number < rhs.number }
}

/// A change of a list's objects, for its presenter.
@_spi(Daemon) @frozen public struct ObjectUpdate: Sendable {
    /// The changes of the sections.
    public var changes = SectionChanges()
    /// Positions before the update of objects that stay and are reloaded whether they changed or not.
    public var forced: [IndexRun] = []
    /// Whether all section controllers are replaced.
    public var rebuildsControllers = false
    /// Whether all views are laid out again; section controllers stay.
    public var relaysOut = false
    /// Whether all sections are asked again for their items, sizes and supplementary views; section controllers stay.
    public var asksAnew = false
    /// Whether all its requests were animated.
    public var animated = true
    @usableFromInline var boxedConfiguration: Box<ListOptions>?
    /// A dragged item that its section controller moves itself; only for a presentation on the same executor.
    public var itemMove: ItemMoveRequest?
    /// Item updates up to this ticket run with the update.
    public var through = Ticket.none

    /// Makes an update that changes nothing.
    public init() {}

    /// New options; `nil` = unchanged.
    public var configuration: ListOptions? {
        get { boxedConfiguration?.value }
        set { boxedConfiguration = newValue.map { Box($0) } }
    }

    /// Whether it is announced as a reload.
    public var isReload: Bool { rebuildsControllers || relaysOut || asksAnew }

    /// Whether there is anything to announce.
    var isAnnounced: Bool { isReload || !changes.isEmpty || !forced.isEmpty || itemMove != nil }
}

/// A value by reference: options are large and may grow, and few updates have any.
@usableFromInline final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// The result of presenting an update, or of items that section controllers changed on their own.
@_spi(Daemon) @frozen public struct Presented: Sendable {
    /// The transaction, without its revisions; `nil` = there is nothing to announce, or for an update that is announced, a
    /// reload.
    public var transaction: Transaction?
    /// The events to announce, in order, the transaction among them; their revisions are set later.
    public var events: [AdapterEvent]
    /// How many items the list has after it.
    public var itemCount: Int

    /// Makes a result.
    public init(transaction: Transaction? = nil, events: [AdapterEvent] = [], itemCount: Int) {
        self.transaction = transaction
        self.events = events
        self.itemCount = itemCount
    }
}

/// The events, with their revisions, and answers that follow a presentation.
@_spi(Daemon) @frozen public struct Announced: Sendable {
    /// The events to announce, in order.
    public var events: [AdapterEvent] = []
    /// The answers to the requests.
    public var answers: [RequestAnswer] = []
    /// The changes of the objects, for lists that are made from this one.
    public var changes = SectionChanges()

    /// Makes an empty announcement.
    public init() {}
}

extension AdapterEvent {
    /// The event with a revision of the list in place of its own; a transaction is unchanged.
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
    ///   - transaction: replaces the transaction among them, or comes first when there is none; `nil` = no transaction.
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

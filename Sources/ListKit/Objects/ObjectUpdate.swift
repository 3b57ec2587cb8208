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

/// An update of a list, for its presenter: changes of objects, reloads and new options.
@_spi(Daemon) @frozen public struct ObjectUpdate: Sendable {
    /// The changes of the objects, each of which has a section.
    public var changes = SectionChanges()
    /// The positions, before the update, of remaining objects that are reloaded even if they are unchanged.
    public var forced: [IndexRun] = []
    /// Whether all section controllers are replaced.
    public var rebuildsControllers = false
    /// Whether all views get a new layout. The section controllers stay.
    public var relaysOut = false
    /// Whether all section controllers are asked again for items, sizes and supplementary views. The controllers stay.
    public var asksAnew = false
    /// Whether all requests of the update are animated.
    public var animated = true
    @usableFromInline var boxedConfiguration: Box<ListOptions>?
    /// The move of a dragged item that its section controller makes itself. Only for a presentation on the same
    /// executor.
    public var itemMove: ItemMoveRequest?
    /// The ticket up to which queued item updates run with this update.
    public var through = Ticket.none

    /// Creates an update that changes nothing.
    public init() {}

    /// The new options; `nil` if the options do not change.
    public var configuration: ListOptions? {
        get { boxedConfiguration?.value }
        set { boxedConfiguration = newValue.map { Box($0) } }
    }

    /// Whether the update is announced as a reload.
    public var isReload: Bool { rebuildsControllers || relaysOut || asksAnew }

    /// Whether the update has something to announce.
    var isAnnounced: Bool { isReload || !changes.isEmpty || !forced.isEmpty || itemMove != nil }
}

/// An immutable reference to a value. It keeps a frozen type small when the value is large and rarely present.
@usableFromInline final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// The result of presenting an update, or of item changes that section controllers made on their own.
@_spi(Daemon) @frozen public struct Presented: Sendable {
    /// The transaction, without valid revisions.
    ///
    /// `nil` stands for a reload if the update has something to announce. Otherwise `nil` means that nothing is
    /// announced.
    public var transaction: Transaction?
    /// The events to announce, in order, including the transaction. Their revisions are set later.
    public var events: [AdapterEvent]
    /// The number of items in the list afterwards.
    public var itemCount: Int
    /// Whether it is known that every section has exactly one item afterwards; true for an empty list.
    public var isFlat: Bool

    /// Creates a result.
    public init(transaction: Transaction? = nil, events: [AdapterEvent] = [], itemCount: Int, isFlat: Bool = false) {
        self.transaction = transaction
        self.events = events
        self.itemCount = itemCount
        self.isFlat = isFlat
    }
}

/// The announcement of a presented update: events with their revisions, and answers to requests.
@_spi(Daemon) @frozen public struct Announced: Sendable {
    /// The events to announce, in order.
    public var events: [AdapterEvent] = []
    /// The answers to the requests.
    public var answers: [RequestAnswer] = []
    /// The changes of the objects, for lists that are derived from this one.
    public var changes = SectionChanges()

    /// Creates an empty announcement.
    public init() {}
}

extension AdapterEvent {
    /// Returns the event with its revision replaced. A transaction stays unchanged.
    func withRevision(_ revision: UInt64) -> AdapterEvent {
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
    /// Returns the events with their revisions: the revision before the update for events that precede the
    /// transaction, and the transaction's revision for all later events.
    ///
    /// - Parameters:
    ///   - transaction: the numbered transaction. It replaces the transaction among the events, or comes first if
    ///     there is none; `nil` removes the transaction.
    ///   - revision: the revision before the update.
    func withRevisions(of transaction: Transaction?, after revision: UInt64) -> [AdapterEvent] {
        var (revision, pending) = (revision, transaction)
        var result: [AdapterEvent] = []
        result.reserveCapacity(count + 1)
        let hasPlace = contains { if case .updated = $0 { true } else { false } }
        if let transaction, !hasPlace {
            result.append(.updated(transaction))
            revision = transaction.revision
            pending = nil
        }
        for event in self {
            if case .updated = event {
                guard let transaction = pending else { continue }
                result.append(.updated(transaction))
                revision = transaction.revision
                pending = nil
            } else {
                result.append(event.withRevision(revision))
            }
        }
        return result
    }
}

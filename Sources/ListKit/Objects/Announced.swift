// SPDX-License-Identifier: Apache-2.0

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
    /// The update, for lists that are derived from this one.
    public var change = Change()

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

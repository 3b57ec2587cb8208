// SPDX-License-Identifier: Apache-2.0

/// What clients are told at one moment: the signals of an update, or of items and views that changed on their own, and
/// the answers to requests.
///
/// A presenter makes it, with revisions that are not valid yet. The ``ObjectList`` gives it its revisions, its answers
/// and its ``change``. The order is that of the contract: losses, then the events with the transaction among them, then
/// the answers.
@_spi(Daemon) @frozen public struct Announcement: Sendable {
    /// The update; `nil` if no request changed anything.
    public var change: Change?
    /// The contents that built-in section controllers do not show.
    public var losses: [ContentLoss] = []
    /// The events to announce, in order. The transaction is one of them.
    public var events: [AdapterEvent]
    /// The number of items in the list afterwards.
    public var itemCount: Int
    /// Whether it is known that every section has exactly one item afterwards; true for an empty list.
    public var isFlat: Bool
    /// The states of the views that have changed.
    public var views: [(view: ViewID, description: ViewDescription)] = []
    /// The selected items, if the selection has changed.
    public var selection: SelectedItems?
    /// Why the views are closed whose closing is among the events.
    public var closings: [ViewID: ViewClosing] = [:]
    /// The answers to requests.
    public var answers: [RequestAnswer] = []
    /// The revision and counts of the list afterwards; `nil` if they are as they were. The owner of the list sets them.
    public var status: ListStatus?
    /// Whether the revision is announced once more, because the list has been quiet.
    public var repeatsRevision = false
    /// Whether the list has lost its presenter (true), or has one again (false); `nil` if that is as it was.
    public var isPaused: Bool?

    /// Creates an announcement.
    public init(events: [AdapterEvent] = [], itemCount: Int, isFlat: Bool = false) {
        self.events = events
        self.itemCount = itemCount
        self.isFlat = isFlat
    }

    /// The transaction among the events; `nil` if there is none.
    public var transaction: Transaction? {
        for case .updated(let transaction) in events { return transaction }
        return nil
    }

    /// Whether nothing is announced.
    public var isEmpty: Bool {
        events.isEmpty && views.isEmpty && losses.isEmpty && answers.isEmpty && selection == nil && status == nil
            && isPaused == nil
    }

    /// Removes the transaction from the events.
    public mutating func removeTransaction() {
        events.removeAll { if case .updated = $0 { true } else { false } }
    }

    /// Sets the revisions of the events: the one before the update for events that precede the transaction, and that of
    /// the transaction for all later ones.
    ///
    /// - Parameters:
    ///   - transaction: the numbered transaction. It replaces the transaction among the events, or comes first if
    ///     there is none; `nil` removes the transaction.
    ///   - revision: the revision before the update.
    mutating func setRevisions(of transaction: Transaction?, after revision: UInt64) {
        guard !events.isEmpty || transaction != nil else { return }
        var (revision, pending) = (revision, transaction)
        var result: [AdapterEvent] = []
        result.reserveCapacity(events.count + 1)
        if let transaction, self.transaction == nil {
            result.append(.updated(transaction))
            (revision, pending) = (transaction.revision, nil)
        }
        for event in events {
            if case .updated = event {
                guard let transaction = pending else { continue }
                result.append(.updated(transaction))
                (revision, pending) = (transaction.revision, nil)
            } else {
                result.append(event.withRevision(revision))
            }
        }
        events = result
    }
}

/// The public numbers of a list: its revisions and counts.
@_spi(Daemon) @frozen public struct ListStatus: Sendable, Hashable {
    /// The current revision.
    public var revision: UInt64
    /// The oldest revision from which the changes are still available.
    public var oldestRevision: UInt64
    /// The number of objects in the list.
    public var objectCount: Int
    /// The number of items in the list.
    public var itemCount: Int
    /// Whether every section has exactly one item; true for an empty list.
    public var isFlat: Bool

    /// Creates the numbers of a list; by default, of a new one.
    public init(
        revision: UInt64 = 0, oldestRevision: UInt64 = 0, objectCount: Int = 0, itemCount: Int = 0, isFlat: Bool = true
    ) {
        self.revision = revision
        self.oldestRevision = oldestRevision
        self.objectCount = objectCount
        self.itemCount = itemCount
        self.isFlat = isFlat
    }
}

/// The reason for which a view is closed; the raw values are those of `View.Closed`.
@_spi(Daemon) @frozen public enum ViewClosing: String, Sendable {
    /// The owner closed the view, or disconnected.
    case closed = "closed"
    /// The adapter was removed.
    case adapterRemoved = "adapter-removed"
    /// The daemon is ending.
    case shuttingDown = "shutting-down"
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

// SPDX-License-Identifier: Apache-2.0

/// The outcome of a flush: the answers to its requests, and the events to announce in the order that the contract
/// requires.
@frozen public struct FlushResult: Sendable {
    /// One answer for each request of the flush, in order of arrival.
    public var answers: [RequestAnswer] = []
    /// The applied transaction; `nil` when nothing changed.
    public var transaction: Transaction?
    /// The events to announce, in order: first the events queued before the flush, then `.updated` if there is a
    /// transaction, then all other events.
    public var events: [AdapterEvent] = []

    /// Creates an empty result.
    public init() {}
}

/// The answer to one request.
@frozen public struct RequestAnswer: Sendable {
    /// The identifier of the answered request.
    public var id: RequestID
    /// The revision that contains the request's effect, or the error that prevented it.
    public var outcome: Result<UInt64, ListError>
    /// The objects that the request dropped because an earlier object had the same identifier.
    public var droppedDuplicates: DroppedDuplicates
    /// Whether a section controller or IGListKit's rules refused to move the item. The list is then unchanged.
    public var isRefused: Bool

    /// Creates an answer.
    public init(
        id: RequestID, outcome: Result<UInt64, ListError>,
        droppedDuplicates: DroppedDuplicates = DroppedDuplicates(), isRefused: Bool = false
    ) {
        self.id = id
        self.outcome = outcome
        self.droppedDuplicates = droppedDuplicates
        self.isRefused = isRefused
    }
}

/// The objects of a list that were dropped because an earlier object of the list has the same identifier.
@frozen public struct DroppedDuplicates: Sendable, Hashable {
    /// The maximum number of identifiers in ``ids``.
    public static let maximumIDs = 8

    /// The number of dropped objects.
    public var count: Int
    /// The identifiers of the first dropped objects, each once, in list order; at most ``maximumIDs``.
    public var ids: [String]

    /// Describes dropped objects; by default, none.
    public init(count: Int = 0, ids: [String] = []) {
        self.count = count
        self.ids = ids
    }
}

/// The time at which a flush is due.
@frozen public enum FlushTiming: Sendable, Hashable {
    /// No flush is due, because nothing is queued.
    case idle
    /// A flush is due in the next turn of the executor.
    case now
    /// A flush is due at the given time, in milliseconds of the clock that is passed to
    /// ``ListAdapter/flushNow(now:)``.
    case at(UInt64)
}

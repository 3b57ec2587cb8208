// SPDX-License-Identifier: Apache-2.0

/// The outcome of a flush: the answers to its requests and, in the contract's order, the events to announce.
@frozen public struct FlushResult: Sendable {
    /// One answer for each request of the flush, in order of arrival.
    public var answers: [RequestAnswer] = []
    /// The applied transaction; `nil` when nothing changed.
    public var transaction: Transaction?
    /// The events to announce, in order: those queued before, then `.updated` when there is a transaction, then the rest.
    public var events: [AdapterEvent] = []

    /// Makes an empty result.
    public init() {}
}

/// The answer to one request.
@frozen public struct RequestAnswer: Sendable {
    /// Identifies the request.
    public var id: RequestID
    /// The revision that contains the request's effect, or the error that prevented it.
    public var outcome: Result<UInt64, ListError>
    /// How many objects the request dropped because their identifier occurred before.
    public var droppedDuplicates: Int
    /// Whether a section controller or IGListKit's rules refused a move; the list is unchanged.
    public var isRefused: Bool

    /// Makes an answer.
    public init(
        id: RequestID, outcome: Result<UInt64, ListError>, droppedDuplicates: Int = 0, isRefused: Bool = false
    ) {
        self.id = id
        self.outcome = outcome
        self.droppedDuplicates = droppedDuplicates
        self.isRefused = isRefused
    }
}

/// When a flush is due.
@frozen public enum FlushTiming: Sendable, Hashable {
    /// Nothing is queued.
    case idle
    /// In the next turn of the executor.
    case now
    /// At a time, in milliseconds of the clock that ``ListAdapter/beginFlush(now:)`` is given.
    case at(UInt64)
}

/// What a flush needs next.
@frozen public enum FlushStep: Sendable {
    /// Nothing: it has ended.
    case finished(FlushResult)
    /// A diff is to be computed, on any thread; its output goes to ``ListAdapter/finishDiff(_:)``.
    case diff(DiffJob)
    /// A transaction is ready: store it, then call ``ListAdapter/commitFlush()`` or ``ListAdapter/abortFlush(_:)``.
    case commit(PreparedTransaction)
}

// SPDX-License-Identifier: Apache-2.0

/// What a flush did: the answers to its requests and, in the contract's order, everything to announce.
@frozen public struct FlushResult: Sendable {
    /// One answer for each request of the flush, in order of arrival.
    public var answers: [RequestAnswer] = []
    /// What was applied; `nil` when nothing changed.
    public var transaction: Transaction?
    /// What to announce, in order: what nobody took before, then `.updated` when there is a transaction, and the rest.
    public var events: [AdapterEvent] = []

    /// Makes an empty result.
    public init() {}
}

/// The answer to one request.
@frozen public struct RequestAnswer: Sendable {
    /// Which request.
    public var id: RequestID
    /// The revision that contains its effect, or why it had none.
    public var outcome: Result<UInt64, ListError>
    /// Objects that the request dropped because their identifier occurred before.
    public var droppedDuplicates: Int
    /// Whether a section controller, or IGListKit's rules, refused a move; the list is as it was.
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
    /// Nothing waits.
    case idle
    /// In the next turn of the executor.
    case now
    /// At a time, in milliseconds of the clock that is handed to ``ListAdapter/beginFlush(now:)``.
    case at(UInt64)
}

/// Where a flush stands.
@frozen public enum FlushStep: Sendable {
    /// It is over.
    case finished(FlushResult)
    /// A diff is to be computed, on any thread; its output goes to ``ListAdapter/finishDiff(_:)``.
    case diff(DiffJob)
    /// A transaction is ready: store it, then call ``ListAdapter/commitFlush()`` or ``ListAdapter/abortFlush(_:)``.
    case commit(PreparedTransaction)
}

// SPDX-License-Identifier: Apache-2.0

/// Statistics about the event loop's turns. A turn is the work between two polls of the descriptors, during which all
/// other clients wait.
@DBusActor
public final class LoopTurns {
    /// The longest piece of work in a turn that was done for a caller.
    public struct Work: Sendable {
        /// Whether the piece of work was creating the answer, as opposed to running the method.
        public let isAnswer: Bool
        /// The method of the call; empty if the call specifies none.
        public let member: String
        /// The interface of the call; nil if the call specifies none.
        public let interface: String?
        /// The bus name of the caller.
        public let callerName: String
        /// The user id of the caller; nil when it is unknown.
        public let userID: UInt32?
        /// The length of the call or its answer in bytes.
        public let byteCount: Int
        /// The duration of the work.
        public let duration: Duration
    }

    /// The shortest duration in nanoseconds that is recorded.
    private static let shortest: UInt64 = 1_000_000

    /// The durations of all turns since the loop started.
    public private(set) var lengths = DurationHistogram()
    private var beginning: UInt64?
    private var longest: (work: Work, nanoseconds: UInt64)?
    private var limit = UInt64.max
    private var report: @DBusActor (_ length: Duration, Work?) -> Void = { _, _ in }

    nonisolated init() {}

    /// Calls `report` after each turn that exceeds `limit`. `report` gets the turn's longest piece of work, or nil
    /// when no work was done for a caller.
    public func reportTurns(
        longerThan limit: Duration, _ report: @escaping @DBusActor (_ length: Duration, Work?) -> Void
    ) {
        self.limit = limit.nanosecondsClamped
        self.report = report
    }

    /// Records the start of a turn.
    func begin() { beginning = TimerQueue.now() }

    /// Records the end of a turn.
    func end() {
        guard let beginning else { return }
        let length = TimerQueue.now() - beginning
        lengths.add(microseconds: length / 1000)
        if length > limit { report(.nanoseconds(Int64(clamping: length)), longest?.work) }
        if longest != nil { longest = nil }
    }

    /// Runs a piece of work and records it if it is the longest of the turn.
    ///
    /// - Parameter description: describes the work and its duration; called only if the work is recorded.
    func measure<Result>(_ work: () -> Result, describe description: (Result, Duration) -> Work) -> Result {
        let start = TimerQueue.now()
        let result = work()
        let time = TimerQueue.now() - start
        if time > longest?.nanoseconds ?? Self.shortest {
            longest = (description(result, .nanoseconds(Int64(clamping: time))), time)
        }
        return result
    }
}

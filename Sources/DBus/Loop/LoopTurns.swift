// SPDX-License-Identifier: Apache-2.0

/// The durations of the event loop's turns: the work between two polls of the descriptors, during which all other
/// clients wait.
@DBusActor
public final class LoopTurns {
    /// The longest piece of a turn's work that was done for a caller.
    public struct Work: Sendable {
        /// Whether the answer took that long, and not the call itself.
        public let isAnswer: Bool
        /// The method; empty for a call that names none.
        public let member: String
        /// The interface; nil when the call names none.
        public let interface: String?
        /// The caller.
        public let callerName: String
        /// The caller's user; nil when it is unknown.
        public let userID: UInt32?
        /// The length of the call, or of its answer, in bytes.
        public let byteCount: Int
        /// How long it took.
        public let duration: Duration
    }

    /// Shorter pieces of work are not recorded, in nanoseconds.
    private static let shortest: UInt64 = 1_000_000

    /// The lengths of all turns since the loop began.
    public private(set) var lengths = DurationHistogram()
    private var beginning: UInt64?
    private var longest: (work: Work, nanoseconds: UInt64)?
    private var limit = UInt64.max
    private var report: @DBusActor (_ length: Duration, Work?) -> Void = { _, _ in }

    nonisolated init() {}

    /// Calls `report` after each turn that is longer than `limit`, with its longest piece of work; nil = none was done
    /// for a caller.
    public func reportTurns(
        longerThan limit: Duration, _ report: @escaping @DBusActor (_ length: Duration, Work?) -> Void
    ) {
        self.limit = limit.nanosecondsClamped
        self.report = report
    }

    /// Begins a turn.
    func begin() { beginning = TimerQueue.now() }

    /// Ends the turn.
    func end() {
        guard let beginning else { return }
        let length = TimerQueue.now() - beginning
        lengths.add(microseconds: length / 1000)
        if length > limit { report(.nanoseconds(Int64(clamping: length)), longest?.work) }
        if longest != nil { longest = nil }
    }

    /// Runs a piece of work, and records it if it is the longest of the turn.
    ///
    /// - Parameter description: describes the work and its duration; called only for work that is recorded.
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

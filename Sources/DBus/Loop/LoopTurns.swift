// SPDX-License-Identifier: Apache-2.0

/// How long the turns of the event loop take: what is handled between two looks at the descriptors, during which everybody
/// else waits.
@DBusActor
public final class LoopTurns {
    /// The longest piece of work of a turn that was done for a caller.
    public struct Work: Sendable {
        /// Whether it is the answer to the call that took so long, and not the call itself.
        public let isAnswer: Bool
        /// The method; empty for a call that names none.
        public let member: String
        /// The interface; nil when the call names none.
        public let interface: String?
        /// The caller.
        public let callerName: String
        /// The caller's user; nil when nobody knows.
        public let userID: UInt32?
        /// Bytes of the call, or of its answer.
        public let byteCount: Int
        /// How long it took.
        public let duration: Duration
    }

    /// Shorter pieces of work are not remembered, in nanoseconds.
    private static let shortest: UInt64 = 1_000_000

    /// The lengths of all turns since the loop began.
    public private(set) var lengths = DurationHistogram()
    private var beginning: UInt64?
    private var longest: (work: Work, nanoseconds: UInt64)?
    private var limit = UInt64.max
    private var report: @DBusActor (_ length: Duration, Work?) -> Void = { _, _ in }

    nonisolated init() {}

    /// Calls `report` after each turn that is longer than `limit`, with the work that took the most of it; nil = nothing that
    /// was done for a caller.
    public func reportTurns(
        longerThan limit: Duration, _ report: @escaping @DBusActor (_ length: Duration, Work?) -> Void
    ) {
        self.limit = limit.nanosecondsClamped
        self.report = report
    }

    /// A turn begins.
    func begin() { beginning = TimerQueue.now() }

    /// The turn is over.
    func end() {
        guard let beginning else { return }
        let length = TimerQueue.now() - beginning
        lengths.add(microseconds: length / 1000)
        let longest = longest
        self.longest = nil
        if length > limit { report(.nanoseconds(Int64(clamping: length)), longest?.work) }
    }

    /// Does a piece of work, and remembers it if it is the longest of the turn.
    ///
    /// - Parameter description: says what was done, in which time; called only for work that is remembered.
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

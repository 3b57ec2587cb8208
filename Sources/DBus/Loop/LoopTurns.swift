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

/// A histogram of durations. The width of each bucket is at most a sixteenth of its durations.
public struct DurationHistogram: Sendable {
    /// The number of buckets for each power of two. Durations below 16 microseconds have one bucket per microsecond.
    private static let bucketsPerPower: UInt64 = 16
    /// The longest counted duration in microseconds, more than an hour. Longer durations are counted as this one.
    private static let longestCounted = UInt64(UInt32.max)

    private var counts = [UInt64](repeating: 0, count: bucket(of: longestCounted) + 1)
    private var total: UInt64 = 0
    /// The longest duration in microseconds; 0 if none was counted.
    public private(set) var longest: UInt64 = 0

    /// Creates an empty histogram.
    public init() {}

    /// Counts a duration.
    ///
    /// - Complexity: O(1)
    public mutating func add(microseconds: UInt64) {
        counts[Self.bucket(of: microseconds)] &+= 1
        total &+= 1
        longest = max(longest, microseconds)
    }

    /// Returns a quantile in microseconds; `part` is between 0 and 1. The result is at most a sixteenth too long, and
    /// 0 when nothing was counted.
    ///
    /// - Complexity: O(1), for some hundred buckets
    public func quantile(_ part: Double) -> UInt64 {
        let rank = max(1, UInt64((Double(total) * min(max(part, 0), 1)).rounded(.up)))
        var seen: UInt64 = 0
        for (bucket, count) in counts.enumerated() {
            seen &+= count
            if seen >= rank { return min(Self.longest(in: bucket), longest) }
        }
        return longest
    }

    private static func bucket(of microseconds: UInt64) -> Int {
        let time = min(microseconds, longestCounted)
        guard time >= bucketsPerPower else { return Int(time) }
        let shift = UInt64(UInt64.bitWidth - 1 - time.leadingZeroBitCount - bucketsPerPower.trailingZeroBitCount)
        return Int(shift * bucketsPerPower + (time >> shift))
    }

    private static func longest(in bucket: Int) -> UInt64 {
        let bucket = UInt64(bucket)
        guard bucket >= bucketsPerPower else { return bucket }
        let shift = bucket / bucketsPerPower - 1
        return ((bucket - shift * bucketsPerPower + 1) << shift) - 1
    }
}

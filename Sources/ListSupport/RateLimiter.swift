// SPDX-License-Identifier: Apache-2.0

/// How many messages of one key may be written in how long.
package struct RateLimit: Sendable, Equatable {
    /// The most messages in one interval.
    package var burst: Int
    /// The length of an interval; the first message of a key begins one.
    package var interval: Duration
    /// The most keys that are remembered at once.
    package var keys: Int

    /// Makes a limit.
    package init(burst: Int, interval: Duration, keys: Int) {
        self.burst = burst
        self.interval = interval
        self.keys = keys
    }

    /// What a client may make the daemon write: enough to see what the client does, too little to fill a disk.
    package static let perClient = RateLimit(burst: 20, interval: .seconds(10), keys: 1024)
}

/// Counts messages by key and decides which are written.
///
/// Its memory is bounded by the limit's number of keys: when they are used up, keys whose interval is over are
/// forgotten; if there is none, a new key counts together with every other new one.
package struct RateLimiter: Sendable {
    /// Whether to write a message, or count it.
    package enum Verdict: Sendable, Equatable {
        /// Write it, and say how many of its key were left out before it.
        case write(leftOut: Int)
        /// Leave it out.
        case leaveOut
    }

    private struct Count {
        var intervalStart: ContinuousClock.Instant
        var written: Int
        var leftOut: Int
    }

    private let limit: RateLimit
    private var counts: [String: Count] = [:]

    /// Makes a limiter that has seen nothing.
    package init(limit: RateLimit) {
        self.limit = limit
    }

    /// Counts a message of a key at a time and decides about it.
    ///
    /// - Complexity: O(1), O(keys) when they are used up.
    package mutating func admit(_ key: String, at now: ContinuousClock.Instant) -> Verdict {
        let key = counts[key] != nil || makeRoom(at: now) ? key : ""
        var count = counts[key] ?? Count(intervalStart: now, written: 0, leftOut: 0)
        defer { counts[key] = count }
        var reported = 0
        if count.intervalStart.duration(to: now) >= limit.interval {
            reported = count.leftOut
            count = Count(intervalStart: now, written: 0, leftOut: 0)
        }
        guard count.written < limit.burst else {
            count.leftOut += 1
            return .leaveOut
        }
        count.written += 1
        return .write(leftOut: reported)
    }

    private mutating func makeRoom(at now: ContinuousClock.Instant) -> Bool {
        if counts.count < limit.keys { return true }
        counts = counts.filter { $0.value.intervalStart.duration(to: now) < limit.interval }
        return counts.count < limit.keys
    }
}

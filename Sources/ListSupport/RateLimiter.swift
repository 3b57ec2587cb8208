// SPDX-License-Identifier: Apache-2.0

/// A rate limit: how many messages with the same key may be written within an interval.
package struct RateLimit: Sendable, Equatable {
    /// The maximum number of messages in one interval.
    package var burst: Int
    /// The length of an interval, which begins with the first message of a key.
    package var interval: Duration
    /// The maximum number of keys in memory.
    package var keys: Int

    /// Makes a rate limit.
    package init(burst: Int, interval: Duration, keys: Int) {
        self.burst = burst
        self.interval = interval
        self.keys = keys
    }

    /// The limit for messages that a client causes: enough to see what the client does, too few to fill a disk.
    package static let perClient = RateLimit(burst: 20, interval: .seconds(10), keys: 1024)
}

/// A counter of messages by key that decides which messages are written.
///
/// Its memory is bounded by the limit's number of keys. When that number is reached, keys whose interval is over are
/// evicted. If there are none, all new keys share one count.
package struct RateLimiter: Sendable {
    /// The decision about a message.
    package enum Verdict: Sendable, Equatable {
        /// Write the message. `leftOut` is the number of earlier messages with the same key that were suppressed and
        /// not yet reported.
        case write(leftOut: Int)
        /// Suppress the message. `isFirst` = it is the first one of the interval.
        case leaveOut(isFirst: Bool)
    }

    private struct Count {
        var intervalStart: ContinuousClock.Instant
        var written: Int
        var leftOut: Int
    }

    private let limit: RateLimit
    private var counts: [String: Count] = [:]

    /// Makes a limiter without counts.
    package init(limit: RateLimit) {
        self.limit = limit
    }

    /// Counts a message and decides whether it is written.
    ///
    /// - Complexity: O(1); O(keys) when the maximum number of keys is reached.
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
            return .leaveOut(isFirst: count.leftOut == 1)
        }
        count.written += 1
        return .write(leftOut: reported)
    }

    /// Removes keys whose interval is over if there are too many keys; returns whether another key fits now.
    private mutating func makeRoom(at now: ContinuousClock.Instant) -> Bool {
        if counts.count < limit.keys { return true }
        counts = counts.filter { $0.value.intervalStart.duration(to: now) < limit.interval }
        return counts.count < limit.keys
    }
}

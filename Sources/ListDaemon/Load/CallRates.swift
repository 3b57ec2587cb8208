// SPDX-License-Identifier: Apache-2.0

/// The call rate limits of all users. Each user has a burst of one second's calls, which refills with time.
struct CallRates {
    private struct Bucket {
        var left: Double
        var filled: ContinuousClock.Instant
    }

    /// Above this number of users, the users whose burst is refilled are evicted.
    private static let mostUsers = 1024

    private var buckets: [UInt32: Bucket] = [:]

    /// Consumes one call of a user's rate limit; returns `false` if the limit is reached.
    ///
    /// - Parameter limit: the number of calls per second, at least 1.
    /// - Complexity: O(1), amortised
    mutating func consume(_ user: UInt32, limit: Int, at now: ContinuousClock.Instant = .now) -> Bool {
        if buckets[user] == nil, buckets.count >= Self.mostUsers {
            buckets = buckets.filter { now - $0.value.filled < .seconds(1) }
        }
        var bucket = buckets[user] ?? Bucket(left: Double(limit), filled: now)
        let seconds = max(0, (now - bucket.filled) / .seconds(1))
        bucket = Bucket(left: min(Double(limit), bucket.left + seconds * Double(limit)), filled: now)
        let isLeft = bucket.left >= 1
        if isLeft { bucket.left -= 1 }
        buckets[user] = bucket
        return isLeft
    }
}

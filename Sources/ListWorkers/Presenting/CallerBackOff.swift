// SPDX-License-Identifier: Apache-2.0

/// The back-off of users whose calls have killed workers of a plugin.
///
/// It has no side effects: given the user and the time of each death, it returns how long a user has to wait. Here, a
/// death of a user is the death of a worker in a call of that user. The first one has no consequence, so that a user
/// who meets one fault of a plugin can continue. Each further death doubles the time in which the plugin is not called
/// for that user. So the calls of one user kill the worker at most once a minute, which limits the disturbance of other
/// users' lists.
package struct CallerBackOff: Sendable, Equatable {
    private struct Record: Sendable, Equatable {
        var deaths: Int
        var last: ContinuousClock.Instant
    }

    /// The waiting time of a user after the second death.
    package static let firstWait = Duration.seconds(1)
    /// The maximum waiting time.
    package static let longestWait = Duration.seconds(60)
    /// The time without a further death after which all deaths of a user are forgotten.
    package static let memory = Duration.seconds(600)
    /// The maximum number of recorded users. Beyond it, the user whose last death is the longest ago is forgotten.
    package static let mostUsers = 1024

    private var records: [UInt32: Record] = [:]

    /// Makes a back-off without recorded deaths.
    package init() {}

    /// Records that a worker has died of a user's call.
    ///
    /// - Complexity: O(``mostUsers``).
    package mutating func recordDeath(by user: UInt32, at now: ContinuousClock.Instant) {
        records = records.filter { $0.value.last + Self.memory > now }
        let deaths = records[user]?.deaths ?? 0
        if deaths == 0, records.count >= Self.mostUsers,
            let oldest = records.min(by: { $0.value.last < $1.value.last })?.key
        {
            records[oldest] = nil
        }
        records[user] = Record(deaths: deaths + 1, last: now)
    }

    /// Returns a user's remaining waiting time and number of deaths; nil = the user does not have to wait.
    package func remainingWait(of user: UInt32, at now: ContinuousClock.Instant) -> (time: Duration, deaths: Int)? {
        guard let record = records[user], record.deaths > 1 else { return nil }
        // The exponent is bounded; the wait reaches its limit long before.
        let wait = min(Self.firstWait * (1 << min(record.deaths - 2, 16)), Self.longestWait)
        let end = record.last + wait
        return end > now ? (now.duration(to: end), record.deaths) : nil
    }

    /// Ends all waits, as the plugin was loaded again or in another version.
    package mutating func removeAll() { records = [:] }
}

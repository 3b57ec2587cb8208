// SPDX-License-Identifier: Apache-2.0

/// The users that have to wait because workers of a plugin died of their calls.
///
/// Pure: given who caused a death and when, it says who has to wait. The first death of a user costs nothing, so that a
/// user who meets one fault of a plugin can continue; each further death doubles the time in which the plugin is not
/// called for that user. So the calls of one user disturb the lists of others by at most one death a minute.
package struct CallerBackOff: Sendable, Equatable {
    private struct Record: Sendable, Equatable {
        var deaths: Int
        var last: ContinuousClock.Instant
    }

    /// How long a user waits after the second death.
    package static let firstWait = Duration.seconds(1)
    /// The longest time to wait.
    package static let longestWait = Duration.seconds(60)
    /// A user without a death for this long begins anew.
    package static let memory = Duration.seconds(600)
    /// How many users are remembered; of more, those whose last death is the longest ago are forgotten.
    package static let mostUsers = 1024

    private var records: [UInt32: Record] = [:]

    /// No user has to wait.
    package init() {}

    /// A worker has died of a user's call.
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

    /// How much longer the plugin is not called for a user, and after how many deaths; nil = the plugin is called.
    package func wait(of user: UInt32, at now: ContinuousClock.Instant) -> (time: Duration, deaths: Int)? {
        guard let record = records[user], record.deaths > 1 else { return nil }
        // More doublings are not needed: the wait is at its limit by then.
        let wait = min(Self.firstWait * (1 << min(record.deaths - 2, 16)), Self.longestWait)
        let end = record.last + wait
        return end > now ? (now.duration(to: end), record.deaths) : nil
    }

    /// Another version of the plugin is loaded, or it was loaded again: all waits end.
    package mutating func removeAll() { records = [:] }
}

// SPDX-License-Identifier: Apache-2.0

/// Which users have to wait because workers of a plugin died of their calls.
///
/// Pure: told who caused a death and when, it answers who has to wait. The first death of a user costs nothing, so that whoever
/// meets one fault of a plugin goes on; each further one doubles the time in which the plugin is not called for that user. So
/// what one user's calls do to the lists of others is one death a minute at most, whatever they are about.
package struct CallerBackOff: Sendable, Equatable {
    private struct Record: Sendable, Equatable {
        var deaths: Int
        var last: ContinuousClock.Instant
    }

    /// How long a user waits after the second death.
    package static let firstWait = Duration.seconds(1)
    /// The longest time to wait.
    package static let longestWait = Duration.seconds(60)
    /// A user of whose calls no worker has died for this long begins anew.
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

    /// How long the plugin is not called for a user yet, and of how many deaths; nil = it is.
    package func wait(of user: UInt32, at now: ContinuousClock.Instant) -> (time: Duration, deaths: Int)? {
        guard let record = records[user], record.deaths > 1 else { return nil }
        // No more than so many doublings: the rest is too long anyway.
        let wait = min(Self.firstWait * (1 << min(record.deaths - 2, 16)), Self.longestWait)
        let end = record.last + wait
        return end > now ? (now.duration(to: end), record.deaths) : nil
    }

    /// Another version of the plugin is loaded, or it was loaded again: all waits end.
    package mutating func removeAll() { records = [:] }
}

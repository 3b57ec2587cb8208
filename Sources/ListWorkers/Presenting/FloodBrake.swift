// SPDX-License-Identifier: Apache-2.0

/// A rate limiter for messages that no request asked for: it allows a burst, and then one message per interval.
///
/// It has no side effects: given the time, it returns the delay of the next message (the generic cell rate algorithm of
/// ITU-T I.371).
package struct FloodBrake: Sendable, Equatable {
    private let interval: Duration
    private let tolerance: Duration
    /// The theoretical arrival time of the last message, had all messages kept the interval.
    private var last: ContinuousClock.Instant?

    /// The limit for a worker's unrequested reports about one list or data source. It is higher than people can
    /// perceive, and too low to delay other lists.
    package static let perList = FloodBrake(burst: 256, interval: .milliseconds(2))

    /// Makes a rate limiter that no message has passed yet.
    ///
    /// - Parameters:
    ///   - burst: the number of messages that may follow each other without an interval, at least 1.
    ///   - interval: the interval of the messages in the long run.
    package init(burst: Int, interval: Duration) {
        self.interval = interval
        tolerance = interval * (max(1, burst) - 1)
    }

    /// Admits a message and returns nil, or returns the time after which the caller may ask again.
    package mutating func admit(at now: ContinuousClock.Instant) -> Duration? {
        let due = max((last ?? now - interval) + interval, now)
        let earliest = due - tolerance
        guard now >= earliest else { return now.duration(to: earliest) }
        last = due
        return nil
    }
}

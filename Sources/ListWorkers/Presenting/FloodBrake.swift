// SPDX-License-Identifier: Apache-2.0

/// Slows down unasked messages: a number of them may come at once, then they keep a distance.
///
/// Pure: given the time, it says how long the next message has to wait (the generic cell rate algorithm of ITU-T
/// I.371).
package struct FloodBrake: Sendable, Equatable {
    private let interval: Duration
    private let tolerance: Duration
    /// When the last message would have come if all had kept their distance.
    private var last: ContinuousClock.Instant?

    /// How much a worker may report unasked about one list or data source: more than people can see, too little to
    /// delay other lists.
    package static let perList = FloodBrake(burst: 256, interval: .milliseconds(2))

    /// Makes a brake that has seen nothing.
    ///
    /// - Parameters:
    ///   - burst: how many may come at once, at least 1.
    ///   - interval: the distance that they have to keep in the long run.
    package init(burst: Int, interval: Duration) {
        self.interval = interval
        tolerance = interval * (max(1, burst) - 1)
    }

    /// Lets one through, or says how long it has to wait before it asks again.
    package mutating func admit(at now: ContinuousClock.Instant) -> Duration? {
        let due = max((last ?? now - interval) + interval, now)
        let earliest = due - tolerance
        guard now >= earliest else { return now.duration(to: earliest) }
        last = due
        return nil
    }
}

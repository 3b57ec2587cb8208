// SPDX-License-Identifier: Apache-2.0

/// Slows down what nobody asked for: so many things at once, then one after the other.
///
/// Pure: told the time, it says how long the next one has to wait (the generic cell rate algorithm of ITU-T I.371).
package struct FloodBrake: Sendable, Equatable {
    private let interval: Duration
    private let tolerance: Duration
    /// When the last one would have come if all had kept their distance.
    private var last: ContinuousClock.Instant?

    /// What a worker may say by itself about one list or data source: more than people can see, too little to keep the
    /// daemon from anybody else.
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
    package mutating func take(at now: ContinuousClock.Instant) -> Duration? {
        let due = max((last ?? now - interval) + interval, now)
        let earliest = due - tolerance
        guard now >= earliest else { return now.duration(to: earliest) }
        last = due
        return nil
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Computes the delay before the next attempt: 0.2 s, then twice as long each time, and never more than 3 s.
///
/// Each delay is multiplied by a random factor from 0.5 to 1, so that many machines do not connect at the same moment.
/// It stays short because a failed attempt costs a server that is away nothing, and users wait for its return.
struct BackOff {
    private var attempts = 0

    /// Returns the next delay.
    mutating func nextDelay() -> Duration {
        attempts += 1
        return Self.delay(after: attempts)
    }

    /// Returns the delay after a number of attempts, at least 1.
    static func delay(after attempts: Int) -> Duration {
        let seconds = min(3, 0.2 * Double(1 << min(attempts - 1, 10)))
        return .seconds(seconds * Double.random(in: 0.5...1))
    }
}

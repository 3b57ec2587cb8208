// SPDX-License-Identifier: Apache-2.0

/// How long to wait before the next attempt: from 0.2 s to 30 s, each time twice as long, and never at the same moment as others.
struct BackOff {
    private var attempts = 0

    mutating func next() -> Duration {
        attempts += 1
        return Self.delay(after: attempts)
    }

    /// The wait after so many attempts.
    static func delay(after attempts: Int) -> Duration {
        let seconds = min(30, 0.2 * Double(1 << min(attempts - 1, 10)))
        return .seconds(seconds * Double.random(in: 0.5...1.5))
    }
}

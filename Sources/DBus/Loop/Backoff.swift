// SPDX-License-Identifier: Apache-2.0

/// An exponential backoff: the delay before the next attempt doubles with each failure.
public struct Backoff: Sendable {
    private let shortest: Duration
    private let longest: Duration
    private var delay: Duration

    /// Creates a backoff whose delay begins at `shortest` and never exceeds `longest`.
    public init(from shortest: Duration, upTo longest: Duration) {
        (self.shortest, self.longest, delay) = (shortest, longest, shortest)
    }

    /// Records a failure and returns the delay before the next attempt.
    public mutating func next() -> Duration {
        defer { delay = min(delay * 2, longest) }
        return delay
    }

    /// Records a success: the next delay is the shortest one again.
    public mutating func reset() { delay = shortest }
}

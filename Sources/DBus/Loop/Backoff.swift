// SPDX-License-Identifier: Apache-2.0

/// The time to wait before the next try after a failure: twice as long each time.
public struct Backoff: Sendable {
    private let shortest: Duration
    private let longest: Duration
    private var delay: Duration

    /// Begins with the shortest time; the longest is not exceeded.
    public init(from shortest: Duration, upTo longest: Duration) {
        (self.shortest, self.longest, delay) = (shortest, longest, shortest)
    }

    /// Counts a failure; returns the time to wait.
    public mutating func next() -> Duration {
        defer { delay = min(delay * 2, longest) }
        return delay
    }

    /// Counts a success: the next time is the shortest again.
    public mutating func reset() { delay = shortest }
}

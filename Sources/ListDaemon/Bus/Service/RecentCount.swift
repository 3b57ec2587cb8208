// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ListSupport

/// A counter of events in the last ten seconds: the present second and the nine before it.
struct RecentCount: Sendable {
    private static let seconds: UInt64 = 10

    /// The count of each second, by its number modulo ten.
    private var buckets = [UInt64](repeating: 0, count: Int(seconds))
    /// The newest second in the buckets.
    private var newest: UInt64 = 0

    /// Makes a counter without events.
    init() {}

    /// Adds to the present second.
    ///
    /// - Parameter second: the number of the present second.
    mutating func add(_ count: Int = 1, at second: UInt64 = Self.now) {
        advance(to: second)
        buckets[Int(newest % Self.seconds)] &+= UInt64(clamping: count)
    }

    /// Returns the count of the last ten seconds.
    func total(at second: UInt64 = Self.now) -> UInt64 {
        var present = self
        present.advance(to: second)
        return present.buckets.reduce(0, &+)
    }

    private mutating func advance(to second: UInt64) {
        guard second > newest else { return }
        for passed in max(newest, second - min(second, Self.seconds)) + 1...second {
            buckets[Int(passed % Self.seconds)] = 0
        }
        newest = second
    }

    /// The present second of a clock that never goes backwards.
    static var now: UInt64 { Clock.microseconds(of: CLOCK_MONOTONIC) / 1_000_000 }
}

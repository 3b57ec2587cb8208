// SPDX-License-Identifier: Apache-2.0

/// Schedules the flushes of a list (rules CO-01 to CO-11). At most one flush is scheduled, and its time is never
/// changed.
struct UpdateCoalescer {
    /// The time for which requests are collected before a flush.
    private(set) var configuration: ListOptions.Coalescing

    private var interval: UInt64
    /// The time at which the last flush started, in milliseconds (rule CO-10).
    private var lastStart: UInt64?
    private(set) var timing = FlushTiming.idle

    init(configuration: ListOptions.Coalescing) {
        self.configuration = configuration
        interval = configuration.minimum
    }

    /// Sets the time for which requests are collected. A different configuration starts at its minimum (rule CO-09).
    mutating func setConfiguration(_ new: ListOptions.Coalescing) {
        guard new != configuration else { return }
        configuration = new
        interval = new.minimum
    }

    /// Schedules a flush for a request, unless a flush is scheduled already.
    ///
    /// - Parameter isVisible: whether a view of the list is on screen.
    mutating func requestFlush(now: UInt64, isVisible: Bool) {
        guard timing == .idle else { return }
        guard configuration.isAdaptive else {
            timing = .now
            return
        }
        if !isVisible, configuration.usesMaximumWhenNotVisible {
            timing = .at(now.saturatingAdding(configuration.maximum))
            return
        }
        guard let lastStart, now.saturatingSubtracting(lastStart) <= interval else {
            interval = configuration.minimum
            timing = .now
            return
        }
        timing = .at(lastStart.saturatingAdding(interval))
        interval = min(configuration.maximum, interval.saturatingAdding(configuration.increment))
    }

    /// Records the start of a flush.
    mutating func recordFlushStart(now: UInt64) {
        timing = .idle
        lastStart = now
    }
}

/// An exponential backoff for refused writes: the delay starts at 100 ms and doubles with each refusal, up to 30 s.
struct RetryDelay {
    /// The time of the next attempt, in milliseconds; 0 before the first refusal.
    private(set) var time: UInt64 = 0
    private var interval = shortest

    private static let (shortest, longest): (UInt64, UInt64) = (100, 30_000)

    /// Schedules the next attempt after a refusal, and doubles the delay.
    mutating func recordRefusal(now: UInt64) {
        time = now.saturatingAdding(interval)
        interval = min(RetryDelay.longest, interval * 2)
    }

    /// Resets the delay to its minimum after a success.
    mutating func reset() { interval = RetryDelay.shortest }
}

extension UInt64 {
    func saturatingAdding(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    func saturatingSubtracting(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}

// SPDX-License-Identifier: Apache-2.0

/// Decides when a flush is due (rules CO-01 to CO-11): at most one is pending, and it is never re-timed.
struct UpdateCoalescer {
    /// How long requests are collected.
    private(set) var configuration: ListOptions.Coalescing

    private var interval: UInt64
    /// When the last flush started (rule CO-10).
    private var lastStart: UInt64?
    private(set) var timing = FlushTiming.idle
    private var retry = RetryDelay()
    /// When a refused flush is retried, if no other comes before.
    var retryTime: UInt64 { retry.time }

    init(configuration: ListOptions.Coalescing) {
        self.configuration = configuration
        interval = configuration.minimum
    }

    /// Changes how long requests are collected; another configuration restarts at its minimum (rule CO-09).
    mutating func setConfiguration(_ new: ListOptions.Coalescing) {
        guard new != configuration else { return }
        configuration = new
        interval = new.minimum
    }

    /// Schedules a flush for a request.
    mutating func request(now: UInt64, isVisible: Bool) {
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
    mutating func start(now: UInt64) {
        timing = .idle
        lastStart = now
    }

    /// Records that the store refused a flush: the delay before the next try doubles.
    mutating func refuse(now: UInt64) { retry.refuse(now: now) }

    /// Records that the store accepted a flush: the next refusal has the shortest delay again.
    mutating func accept() { retry.accept() }
}

/// When something that was refused is retried: after 100 ms, then after twice as long each time, up to 30 s.
struct RetryDelay {
    /// When, in milliseconds; 0 = nothing was refused.
    private(set) var time: UInt64 = 0
    private var interval = shortest

    private static let (shortest, longest): (UInt64, UInt64) = (100, 30_000)

    /// Records a refusal.
    mutating func refuse(now: UInt64) {
        time = now.saturatingAdding(interval)
        interval = min(RetryDelay.longest, interval * 2)
    }

    /// Records a success.
    mutating func accept() { interval = RetryDelay.shortest }
}

extension UInt64 {
    func saturatingAdding(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    func saturatingSubtracting(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}

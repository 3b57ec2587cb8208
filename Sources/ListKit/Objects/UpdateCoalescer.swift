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
    /// When what was refused is tried again, if no other flush comes before.
    var retryTime: UInt64 { retry.time }

    init(configuration: ListOptions.Coalescing) {
        self.configuration = configuration
        interval = configuration.minimum
    }

    /// Collects otherwise from now on; another configuration starts over at its minimum (rule CO-09).
    mutating func setConfiguration(_ new: ListOptions.Coalescing) {
        guard new != configuration else { return }
        configuration = new
        interval = new.minimum
    }

    /// A request came in.
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

    /// The flush starts.
    mutating func start(now: UInt64) {
        timing = .idle
        lastStart = now
    }

    /// What has been done already was refused: it waits twice as long each time.
    mutating func refuse(now: UInt64) { retry.refuse(now: now) }

    /// A flush was taken.
    mutating func accept() { retry.accept() }
}

/// When something that was refused is tried again: after 100 ms, then twice as long each time, up to 30 s.
struct RetryDelay {
    /// When, in milliseconds; 0 = nothing was refused.
    private(set) var time: UInt64 = 0
    private var interval = shortest

    private static let (shortest, longest): (UInt64, UInt64) = (100, 30_000)

    /// It was refused.
    mutating func refuse(now: UInt64) {
        time = now.saturatingAdding(interval)
        interval = min(RetryDelay.longest, interval * 2)
    }

    /// It was taken.
    mutating func accept() { interval = RetryDelay.shortest }
}

extension UInt64 {
    func saturatingAdding(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    func saturatingSubtracting(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}

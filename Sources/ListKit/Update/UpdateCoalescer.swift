/// Decides when a flush is due (IGListKit F71, F85, CO rules): at most one is pending, and it is never re-timed.
struct UpdateCoalescer {
    /// How long requests are collected; setting it starts over at the minimum (IGListKit CO-09).
    var configuration: ListAdapter.Coalescing {
        didSet { interval = configuration.minimum }
    }

    private var interval: UInt64
    /// When the last flush started (IGListKit CO-10).
    private var lastStart: UInt64?
    private(set) var timing = FlushTiming.idle
    /// When what was refused is tried again, if no other flush comes before.
    private(set) var retryTime: UInt64 = 0
    private var retryInterval = shortestRetry

    /// How long, in milliseconds, what was refused waits: at first, and at most.
    private static let (shortestRetry, longestRetry): (UInt64, UInt64) = (100, 30_000)

    init(configuration: ListAdapter.Coalescing) {
        self.configuration = configuration
        interval = configuration.minimum
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
    mutating func refuse(now: UInt64) {
        retryTime = now.saturatingAdding(retryInterval)
        retryInterval = min(UpdateCoalescer.longestRetry, retryInterval * 2)
    }

    /// A flush was taken.
    mutating func accept() { retryInterval = UpdateCoalescer.shortestRetry }
}

extension UInt64 {
    func saturatingAdding(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    func saturatingSubtracting(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}

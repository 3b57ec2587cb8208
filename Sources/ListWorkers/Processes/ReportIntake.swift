// SPDX-License-Identifier: Apache-2.0

/// The flow control of a worker's reports. It decides when the daemon pauses reading from the worker.
///
/// It has no side effects. Reading pauses while too many bytes of reports are not handled, and after each burst of
/// reports, so that a worker that reports all the time leaves the event loop time for others.
struct ReportIntake {
    /// The maximum size of the reports that are not handled, in bytes; beyond it, reading pauses.
    private static let pausedAbove = 16 << 20
    /// The maximum number of reports that are read in one ``stretch``.
    private static let reportsInStretch = 256
    /// The time in which ``reportsInStretch`` reports may be read.
    static let stretch = Duration.milliseconds(10)

    /// The number of reports that are not handled yet.
    private var packets = 0
    /// The size of the reports that are not handled yet.
    private var bytes = 0
    private var isBehind = false
    private var stretchStart = ContinuousClock.now
    private var reportsRead = 0

    /// Whether all reports are handled.
    var isEmpty: Bool { packets == 0 }

    /// Whether reading has to pause.
    var mustPause: Bool { isBehind || reportsRead >= Self.reportsInStretch }

    /// Records that a report has arrived.
    ///
    /// - Returns: whether it is the last report of its stretch. The caller then calls ``endStretch()`` after one
    ///   ``stretch``.
    mutating func recordArrival(ofBytes count: Int, at now: ContinuousClock.Instant) -> Bool {
        packets += 1
        bytes += count
        if bytes > Self.pausedAbove { isBehind = true }
        if stretchStart + Self.stretch <= now { (stretchStart, reportsRead) = (now, 0) }
        reportsRead += 1
        return reportsRead == Self.reportsInStretch
    }

    /// Records that a report is handled.
    mutating func recordHandled(bytes count: Int) {
        packets -= 1
        bytes -= count
        if bytes < Self.pausedAbove / 4 { isBehind = false }
    }

    /// Lets the next burst of reports be read.
    mutating func endStretch() { reportsRead = 0 }
}

// SPDX-License-Identifier: Apache-2.0

/// How much of what a worker reports is under way, and whether it is read at present.
///
/// Pure: a worker that reports faster than its reports are handled is not read meanwhile, and a worker that never stops
/// leaves time for others.
struct ReportIntake {
    /// While more than this waits to be handled, the worker is not read, in bytes.
    private static let pausedAbove = 16 << 20
    /// How many reports are read in one stretch of time.
    private static let reportsInStretch = 256
    /// A stretch of time.
    static let stretch = Duration.milliseconds(10)

    /// Reports that are not handled yet, and their bytes.
    private var packets = 0
    private var bytes = 0
    private var isBehind = false
    private var stretchStart = ContinuousClock.now
    private var reportsRead = 0

    /// Whether nothing waits to be handled.
    var isEmpty: Bool { packets == 0 }

    /// Whether nothing more is to be read for now.
    var mustPause: Bool { isBehind || reportsRead >= Self.reportsInStretch }

    /// A report has come.
    ///
    /// - Returns: whether it is the last one of its stretch, after which ``endStretch()`` is due in one ``stretch``.
    mutating func begin(_ count: Int, at now: ContinuousClock.Instant) -> Bool {
        packets += 1
        bytes += count
        if bytes > Self.pausedAbove { isBehind = true }
        if stretchStart + Self.stretch <= now { (stretchStart, reportsRead) = (now, 0) }
        reportsRead += 1
        return reportsRead == Self.reportsInStretch
    }

    /// A report was handled.
    mutating func end(_ count: Int) {
        packets -= 1
        bytes -= count
        if bytes < Self.pausedAbove / 4 { isBehind = false }
    }

    /// Others had their time.
    mutating func endStretch() { reportsRead = 0 }
}

// SPDX-License-Identifier: Apache-2.0

internal import ListWorkers

/// The reports of a presenter that are not handled yet, because there are too many or no revision number is left for
/// them.
struct ReportQueue {
    /// The maximum number of queued reports; the presenter's window stops it long before.
    private static let mostReports = 4096

    private var waiting = WorkQueue<PresenterReport>()
    private var count = 0
    private var brake = FloodBrake.perList
    /// Whether the first report has waited long enough.
    private var firstMayPass = false

    /// The number of milliseconds for which the first report has to wait; nil if it has not.
    private(set) var delay: UInt64?

    /// Whether no report waits.
    var isEmpty: Bool { count == 0 }

    /// Appends reports; returns `false` if there are too many.
    mutating func append(_ reports: [PresenterReport]) -> Bool {
        for report in reports { waiting.append(report) }
        count += reports.count
        return count <= Self.mostReports
    }

    /// Removes and returns the first report, unless it has to wait (``delay``).
    ///
    /// - Parameter isBraked: whether the rate of unrequested reports is limited.
    mutating func popFirst(isBraked: Bool) -> PresenterReport? {
        delay = nil
        // This is called several times for each update, mostly with an empty queue.
        guard count > 0, let report = waiting.popFirst() else { return nil }
        if isBraked, report.isUnrequested, !firstMayPass, let pause = brake.admit(at: .now) {
            waiting.putBack(report)
            delay = UInt64(pause / .milliseconds(1)) + 1
            return nil
        }
        count -= 1
        firstMayPass = false
        return report
    }

    /// Returns a report that has to wait to the front of the queue; the rate limit does not delay it again.
    ///
    /// - Parameter delay: the time to wait, in milliseconds.
    mutating func putBack(_ report: PresenterReport, for delay: UInt64) {
        self.delay = delay
        waiting.putBack(report)
        count += 1
        firstMayPass = true
    }

    /// Drops all reports, because their presenter is gone.
    mutating func removeAll() { (waiting, count, firstMayPass, delay) = (WorkQueue(), 0, false, nil) }
}

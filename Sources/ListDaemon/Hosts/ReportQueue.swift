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

    /// The next step for the first report.
    enum Next {
        case report(PresenterReport)
        /// The report has to wait for this number of milliseconds.
        case wait(UInt64)
        case none
    }

    /// Whether no report waits.
    var isEmpty: Bool { count == 0 }

    /// Appends reports; returns `false` if there are too many.
    mutating func append(_ reports: [PresenterReport]) -> Bool {
        for report in reports { waiting.append(report) }
        count += reports.count
        return count <= Self.mostReports
    }

    /// Removes and returns the first report, or returns how long it has to wait.
    ///
    /// - Parameter isBraked: whether the rate of unrequested reports is limited.
    mutating func popFirst(isBraked: Bool) -> Next {
        // This is called several times for each update, mostly with an empty queue.
        guard count > 0, let report = waiting.popFirst() else { return .none }
        if isBraked, report.isUnrequested, !firstMayPass, let pause = brake.admit(at: .now) {
            waiting.putBack(report)
            return .wait(UInt64(pause / .milliseconds(1)) + 1)
        }
        count -= 1
        firstMayPass = false
        return .report(report)
    }

    /// Returns a report that cannot be handled yet to the front of the queue; the rate limit does not delay it again.
    mutating func putBack(_ report: PresenterReport) {
        waiting.putBack(report)
        count += 1
        firstMayPass = true
    }

    /// Drops all reports, because their presenter is gone.
    mutating func removeAll() { (waiting, count, firstMayPass) = (WorkQueue(), 0, false) }
}

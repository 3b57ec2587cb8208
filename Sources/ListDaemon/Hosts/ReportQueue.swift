// SPDX-License-Identifier: Apache-2.0

internal import ListWorkers

/// Reports of a presenter that are not handled yet: because they are too many, or because no revision is left for them.
struct ReportQueue {
    /// The most reports that may wait; a presenter is held long before by its window.
    private static let mostReports = 4096

    private var waiting = WorkQueue<PresenterReport>()
    private var count = 0
    private var brake = FloodBrake.perList
    /// Whether the first one has waited for as long as it must.
    private var firstMayPass = false

    /// What becomes of the first report.
    enum Next {
        case report(PresenterReport)
        /// It waits for some milliseconds.
        case wait(UInt64)
        case none
    }

    /// Adds reports; false when there are too many.
    mutating func append(_ reports: [PresenterReport]) -> Bool {
        for report in reports { waiting.append(report) }
        count += reports.count
        return count <= Self.mostReports
    }

    /// Takes the first report out, or answers how long it waits.
    ///
    /// - Parameter isBraked: whether unasked reports wait when there are many.
    mutating func popFirst(isBraked: Bool) -> Next {
        // Asked several times for each update, when mostly nothing waits.
        guard count > 0, let report = waiting.popFirst() else { return .none }
        if isBraked, report.isUnasked, !firstMayPass, let pause = brake.admit(at: .now) {
            waiting.putBack(report)
            return .wait(UInt64(pause / .milliseconds(1)) + 1)
        }
        count -= 1
        firstMayPass = false
        return .report(report)
    }

    /// Returns a report that cannot be handled yet to the front; it does not wait for the brake again.
    mutating func putBack(_ report: PresenterReport) {
        waiting.putBack(report)
        count += 1
        firstMayPass = true
    }

    /// Forgets all: whoever reported them is gone.
    mutating func removeAll() { (waiting, count, firstMayPass) = (WorkQueue(), 0, false) }
}

// SPDX-License-Identifier: Apache-2.0

/// Tracks whether a list has all rows of its table, and what was reported and logged.
struct ListHealth {
    /// The time when the list last had all rows of its table, by the wall clock and by the monotonic clock.
    private(set) var synced: (time: UInt64, at: ContinuousClock.Instant)?
    /// The number of times in a row that the list could not be read or updated.
    private var failedReadings = 0
    /// Whether the last attempt to read or update the list has failed.
    var hasFailed: Bool { failedReadings > 0 }
    /// The error that was reported last.
    private var failure: String?
    /// The time of the last report that the list has all rows of its table.
    private var reportedReady: ContinuousClock.Instant?
    /// What the list lacks of its table.
    private var losses = RowLosses()
    /// What the list lacked when its cursor was stored; empty once the whole list was read.
    private var formerOmission = ""

    /// Records that the list has all rows of its table. Returns whether an error was reported before.
    @discardableResult
    mutating func recordSynced() -> Bool {
        defer { failure = nil }
        failedReadings = 0
        synced = (WallClock.now, .now)
        return failure != nil
    }

    /// Records that reading or updating failed, and returns the delay before the next attempt.
    mutating func recordFailedReading() -> Duration {
        failedReadings += 1
        return BackOff.delay(after: failedReadings)
    }

    /// Returns whether to report that the list has all rows of its table: after an error, or a second after the last
    /// report.
    ///
    /// - Parameter isRecovered: whether an error was reported before.
    mutating func shouldReportReady(isRecovered: Bool) -> Bool {
        if !isRecovered, let reportedReady, .now - reportedReady < .seconds(1) { return false }
        reportedReady = .now
        return true
    }

    /// Records an error. Returns the text to report, or `nil` if the same error was reported last.
    mutating func recordFailure(_ message: String) -> String? {
        guard failure != message else { return nil }
        failure = message
        guard let synced else { return message }
        return "\(message); the list is as of \(WallClock.timeOfDay(synced.time))"
    }

    /// What the list lacks of its table, on one line; empty = nothing.
    var omission: String { formerOmission.isEmpty ? losses.text ?? "" : formerOmission }

    /// Continues with what the list lacked when its cursor was stored.
    mutating func restore(omission: String) { formerOmission = omission }

    /// Records what the list lacks of the whole table, or of changed rows. Returns whether ``omission`` has changed.
    mutating func recordLosses(_ new: RowLosses, ofChanged ids: Set<String>?) -> Bool {
        let before = omission
        if let ids {
            losses.replace(ids, with: new)
        } else {
            (losses, formerOmission) = (new, "")
        }
        return omission != before
    }
}

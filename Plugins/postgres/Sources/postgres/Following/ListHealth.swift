// SPDX-License-Identifier: Apache-2.0

/// Tracks whether a list has all rows of its table, and what was reported and logged.
struct ListHealth {
    /// The time when the list last had all rows of its table, by the wall clock and by the monotonic clock.
    private(set) var synced: (time: UInt64, at: ContinuousClock.Instant)?
    /// The number of times in a row that the list could not be read or updated.
    private var failedReadings = 0
    /// The error that was reported last.
    private var failure: String?
    /// The time of the last report that the list has all rows of its table.
    private var reportedReady: ContinuousClock.Instant?
    /// The rows and fields that were left out according to the last log message.
    private var losses = RowReader.Losses()

    /// Records that the list has all rows of its table.
    mutating func recordSynced() {
        failure = nil
        failedReadings = 0
        synced = (WallClock.now, .now)
    }

    /// Records that reading or updating failed, and returns the delay before the next attempt.
    mutating func recordFailedReading() -> Duration {
        failedReadings += 1
        return BackOff.delay(after: failedReadings)
    }

    /// Records that the list has all rows of its table. Returns whether to report it: after an error, or a second
    /// after the last report.
    mutating func recordReady() -> Bool {
        let isFirst = failure != nil || synced == nil
        recordSynced()
        if !isFirst, let reportedReady, .now - reportedReady < .seconds(1) { return false }
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

    /// Records the rows and fields that were left out of the whole list or of changes. Returns whether to log them.
    mutating func recordLosses(_ losses: RowReader.Losses, isWhole: Bool) -> Bool {
        defer { if isWhole || !losses.isEmpty { self.losses = losses } }
        return !losses.isEmpty && losses != self.losses
    }
}

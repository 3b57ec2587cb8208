// SPDX-License-Identifier: Apache-2.0

/// Whether a list has all of its table, and what was reported about that.
struct ListHealth {
    /// When the list last had all of its table: by the wall clock and by the monotonic clock.
    private(set) var synced: (time: UInt64, at: ContinuousClock.Instant)?
    /// How many times in a row the list could not be read or updated.
    private var failedReadings = 0
    /// The error that was reported last.
    private var failure: String?
    /// When it was last reported that the list has all of its table.
    private var toldReady: ContinuousClock.Instant?
    /// What was left out when that was last logged.
    private var losses = RowReader.Losses()

    /// Records that the list has all of its table.
    mutating func isWhole() {
        failure = nil
        failedReadings = 0
        synced = (WallClock.now, .now)
    }

    /// Records that reading or updating failed; returns the wait before the next attempt.
    mutating func readingFailed() -> Duration {
        failedReadings += 1
        return BackOff.delay(after: failedReadings)
    }

    /// Records that the list has all of its table; returns whether to report it: after an error, or after a second.
    mutating func isReadyNews() -> Bool {
        let isNews = failure != nil || synced == nil
        isWhole()
        if !isNews, let toldReady, .now - toldReady < .seconds(1) { return false }
        toldReady = .now
        return true
    }

    /// Records an error; returns the text to report, or nil when it was reported before.
    mutating func news(of message: String) -> String? {
        guard failure != message else { return nil }
        failure = message
        guard let synced else { return message }
        return "\(message); list is as of \(WallClock.timeOfDay(synced.time))"
    }

    /// Records what was left out of the whole list or of changes; returns whether to log it.
    mutating func isNews(_ losses: RowReader.Losses, isWhole: Bool) -> Bool {
        defer { if isWhole || !losses.isEmpty { self.losses = losses } }
        return !losses.isEmpty && losses != self.losses
    }
}

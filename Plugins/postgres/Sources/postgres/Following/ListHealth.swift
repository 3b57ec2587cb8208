// SPDX-License-Identifier: Apache-2.0

/// Whether a list is what its table is, and what it was told about that.
struct ListHealth {
    /// When the list was last known to be whole: for people, and for measuring.
    private(set) var synced: (time: UInt64, at: ContinuousClock.Instant)?
    /// How many times in a row the list could not be read or updated.
    private var failedReadings = 0
    /// What it was told is wrong.
    private var failure: String?
    /// When it was last told that it is whole.
    private var toldReady: ContinuousClock.Instant?
    /// What was left out and is logged.
    private var losses = RowReader.Losses()

    /// The list is whole now.
    mutating func isWhole() {
        failure = nil
        failedReadings = 0
        synced = (WallClock.now, .now)
    }

    /// The list could not be read or updated; returns the wait before the next attempt.
    mutating func readingFailed() -> Duration {
        failedReadings += 1
        return BackOff.delay(after: failedReadings)
    }

    /// The list is whole now; answers whether that is to be told: it was not known, or was told more than a second ago.
    mutating func isReadyNews() -> Bool {
        let isNews = failure != nil || synced == nil
        isWhole()
        if !isNews, let toldReady, .now - toldReady < .seconds(1) { return false }
        toldReady = .now
        return true
    }

    /// Something is wrong; answers what is to be told, if that was not told before.
    mutating func news(of message: String) -> String? {
        guard failure != message else { return nil }
        failure = message
        guard let synced else { return message }
        return "\(message); list is as of \(WallClock.timeOfDay(synced.time))"
    }

    /// Something may have been left out, of the whole list or of what changed; answers whether that is to be logged.
    mutating func isNews(_ losses: RowReader.Losses, isWhole: Bool) -> Bool {
        defer { if isWhole || !losses.isEmpty { self.losses = losses } }
        return !losses.isEmpty && losses != self.losses
    }
}

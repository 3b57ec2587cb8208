// SPDX-License-Identifier: Apache-2.0

/// The clock of a list, and the time of the last call that was requested from its scheduler.
struct FlushSchedule {
    /// The current time in milliseconds.
    private(set) var now: UInt64 = 0
    private var timing = FlushTiming.idle
    /// The number of calls that were requested from the scheduler.
    private var count: UInt64 = 0

    /// Sets the current time. An earlier time is ignored.
    mutating func setTime(_ time: UInt64) { now = max(now, time) }

    /// Records the time of the next flush.
    ///
    /// - Returns: the number of the call to request from the scheduler; `nil` if a call at this time was requested
    ///   already, or if no flush is due.
    mutating func makeCallNumber(for timing: FlushTiming) -> UInt64? {
        guard timing != .idle, timing != self.timing else { return nil }
        self.timing = timing
        count &+= 1
        return count
    }

    /// Records a call of the scheduler.
    ///
    /// - Returns: whether the call is the last one that was requested. An earlier call is outdated and must be
    ///   ignored.
    mutating func acceptCall(number: UInt64) -> Bool {
        guard number == count else { return false }
        timing = .idle
        return true
    }
}

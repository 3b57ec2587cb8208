// SPDX-License-Identifier: Apache-2.0

/// The time of a list, and the last flush that its scheduler was asked for.
struct FlushSchedule {
    /// The time, in milliseconds.
    private(set) var now: UInt64 = 0
    private var timing = FlushTiming.idle
    /// How many calls the scheduler was asked for.
    private var count: UInt64 = 0

    /// Sets the time.
    mutating func setTime(_ new: UInt64) { now = max(now, new) }

    /// Records when a flush is due; returns the number of the call to ask the scheduler for, `nil` if it was asked before.
    mutating func announce(_ new: FlushTiming) -> UInt64? {
        guard new != .idle, new != timing else { return nil }
        timing = new
        count &+= 1
        return count
    }

    /// Records a call of the scheduler; returns whether it is the one that it was last asked for.
    mutating func begin(_ call: UInt64) -> Bool {
        guard call == count else { return false }
        timing = .idle
        return true
    }
}

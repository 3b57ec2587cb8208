// SPDX-License-Identifier: Apache-2.0

/// The clock of a list, and when its scheduler was last asked for a flush.
struct FlushSchedule {
    /// The clock as the host last told it, in milliseconds.
    private(set) var now: UInt64 = 0
    private var timing = FlushTiming.idle
    /// How often the scheduler was asked.
    private var count: UInt64 = 0

    /// Tells the clock.
    mutating func setTime(_ new: UInt64) { now = max(now, new) }

    /// A flush is due; answers the number of the call that the scheduler is to be asked for, `nil` when it was.
    mutating func announce(_ new: FlushTiming) -> UInt64? {
        guard new != .idle, new != timing else { return nil }
        timing = new
        count &+= 1
        return count
    }

    /// The scheduler calls; answers whether that is the call it was last asked for.
    mutating func begin(_ call: UInt64) -> Bool {
        guard call == count else { return false }
        timing = .idle
        return true
    }
}

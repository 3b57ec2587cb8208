// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// The pending turns of one list: its next flush, and the announcement after a quiet period.
final class TurnSchedule: @unchecked Sendable {
    // Sendable: used only on the list's executor.

    /// The number of milliseconds without changes after which a list announces its revision once more.
    private static let quietPeriod: UInt64 = 2000

    private let executor: HostExecutor
    private let clock: HostClock
    /// Whether a turn that is due now is posted.
    private var isPosted = false
    /// Whether the waiting work takes microseconds, so that the bus thread may do it.
    private(set) var isLight = true
    /// The time of a posted turn that is due later; nil = none.
    private var time: UInt64?
    private var lastChange: UInt64 = 0
    private var awaitsQuiet = false

    init(executor: HostExecutor, clock: HostClock) {
        self.executor = executor
        self.clock = clock
    }

    /// Records whether work for the next turn takes microseconds.
    func addWork(isLight: Bool) { self.isLight = self.isLight && isLight }

    /// Records that no work is waiting.
    func markWorkDone() { isLight = true }

    /// The time in milliseconds, which never goes backwards.
    var now: UInt64 { clock.now() }

    /// Posts a turn at its due time, after all earlier work, unless a turn is already posted for the same time or
    /// earlier.
    ///
    /// - Parameter isUrgent: whether the turn is due now, whatever the time.
    func post(_ timing: FlushTiming, isUrgent: Bool, _ turn: @escaping @Sendable () -> Void) {
        switch timing {
        case .idle: break
        case .at(let time) where !isUrgent && time > now:
            if let known = self.time, known <= time { return }
            self.time = time
            clock.run(executor, time - min(time, now)) {
                if self.time == time { self.time = nil }
                turn()
            }
        case .now, .at:
            guard !isPosted else { return }
            isPosted = true
            executor.post(isLight: isLight) {
                self.isPosted = false
                turn()
            }
        }
    }

    /// Records a change of the list; `whenQuiet` is called once no change has followed for the quiet period.
    func recordChange(whenQuiet: @escaping @Sendable () -> Void) {
        lastChange = now
        if !awaitsQuiet { awaitQuiet(for: Self.quietPeriod, whenQuiet: whenQuiet) }
    }

    private func awaitQuiet(for delay: UInt64, whenQuiet: @escaping @Sendable () -> Void) {
        awaitsQuiet = true
        clock.run(executor, delay) { [weak self] in
            guard let self else { return }
            awaitsQuiet = false
            let quiet = now - min(now, lastChange)
            guard quiet < Self.quietPeriod else { return whenQuiet() }
            awaitQuiet(for: Self.quietPeriod - quiet, whenQuiet: whenQuiet)
        }
    }
}

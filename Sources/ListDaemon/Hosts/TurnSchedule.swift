// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// The turns of one list that are still to come: its next flush, and when it has been quiet.
final class TurnSchedule: @unchecked Sendable {
    // Sendable: used on the list's executor only.

    /// How long a list must be quiet before it says its revision once more, in milliseconds.
    private static let quietPeriod: UInt64 = 2000

    private let executor: HostExecutor
    private let clock: HostClock
    /// Whether a turn is posted, and the time for which a later one is.
    private var isPosted = false
    /// Whether what waits takes microseconds, so that the bus thread may do it.
    private(set) var isLight = true
    private var time: UInt64?
    private var lastChange: UInt64 = 0
    private var awaitsQuiet = false

    init(executor: HostExecutor, clock: HostClock) {
        self.executor = executor
        self.clock = clock
    }

    /// Records whether something that waits for the next turn takes microseconds.
    func add(isLight: Bool) { self.isLight = self.isLight && isLight }

    /// Nothing waits any more.
    func workIsDone() { isLight = true }

    /// Milliseconds that never go back.
    var now: UInt64 { clock.now() }

    /// Has a turn taken when it is due, behind what was posted before, unless one is that comes no later.
    ///
    /// - Parameter isUrgent: whether it is due now, whatever the time.
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

    /// The list has changed: when it is quiet afterwards, that is told.
    func noteChange(_ whenQuiet: @escaping @Sendable () -> Void) {
        lastChange = now
        if !awaitsQuiet { awaitQuiet(for: Self.quietPeriod, whenQuiet) }
    }

    private func awaitQuiet(for delay: UInt64, _ whenQuiet: @escaping @Sendable () -> Void) {
        awaitsQuiet = true
        clock.run(executor, delay) { [weak self] in
            guard let self else { return }
            awaitsQuiet = false
            let quiet = now - min(now, lastChange)
            if quiet >= Self.quietPeriod { whenQuiet() } else { awaitQuiet(for: Self.quietPeriod - quiet, whenQuiet) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A thread that repeatedly sleeps for a millisecond, and records the longest time in which it did not run.
///
/// Delays of the machine delay this thread as well. Such delays are not the fault of the tested program.
final class Heartbeat: Sendable {
    private struct State {
        var longest = Duration.zero
        var isOver = false
    }

    private let state = Mutex(State())

    init() {
        Thread { [self] in
            var last = ContinuousClock.now
            while beat(after: last.duration(to: .now)) {
                last = .now
                Thread.sleep(forTimeInterval: 0.001)
            }
        }.start()
    }

    /// Records the time since the previous wake-up. Returns `false` when the thread must end.
    private func beat(after pause: Duration) -> Bool {
        state.withLock { state in
            state.longest = max(state.longest, pause)
            return !state.isOver
        }
    }

    /// Stops the thread. Returns the longest time between two wake-ups.
    func stop() -> Duration {
        state.withLock { state in
            state.isOver = true
            return state.longest
        }
    }
}

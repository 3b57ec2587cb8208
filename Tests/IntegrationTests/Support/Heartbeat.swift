// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A thread that does nothing but sleep for a millisecond again and again, and notes how long it was not let go on.
///
/// What a machine keeps from everybody is not the fault of the program that is looked at.
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

    private func beat(after pause: Duration) -> Bool {
        state.withLock { state in
            state.longest = max(state.longest, pause)
            return !state.isOver
        }
    }

    /// Ends it; returns the longest time between two of its beats.
    func stop() -> Duration {
        state.withLock { state in
            state.isOver = true
            return state.longest
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import ListKit
internal import Synchronization

/// The executor of a ``TestList``, with a clock that the test advances. It runs the timers of section controllers.
final class TestExecutor: ListExecutor {
    private struct Work {
        var due: UInt64
        var run: @Sendable () -> Void
    }

    private struct State {
        var now: UInt64 = 0
        var waiting: [Work] = []
    }

    private let state = Mutex(State())

    func perform(after milliseconds: UInt64, _ work: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.waiting.append(Work(due: state.now &+ milliseconds, run: work))
        }
    }

    /// The time, in milliseconds since the list was made.
    var now: UInt64 { state.withLock { $0.now } }

    /// Removes and returns the next work that is due at or before a time, and advances the clock to its due time.
    /// Without such work, it advances the clock to `end` and returns nil.
    func popNext(until end: UInt64) -> (@Sendable () -> Void)? {
        state.withLock { state in
            let due = state.waiting.indices.filter { state.waiting[$0].due <= end }
            guard let first = due.min(by: { state.waiting[$0].due < state.waiting[$1].due }) else {
                state.now = max(state.now, end)
                return nil
            }
            let work = state.waiting.remove(at: first)
            state.now = max(state.now, work.due)
            return work.run
        }
    }
}

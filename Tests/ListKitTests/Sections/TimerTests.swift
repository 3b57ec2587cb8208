// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Synchronization
import Testing

@Suite("Timers of section controllers")
struct TimerTests {
    /// An executor with a virtual clock, which the test advances.
    final class Executor: ListExecutor {
        private struct State: Sendable {
            var now: UInt64 = 0
            var work: [(due: UInt64, run: @Sendable () -> Void)] = []
        }
        private let state = Mutex(State())

        func perform(after milliseconds: UInt64, _ work: @escaping @Sendable () -> Void) {
            state.withLock { $0.work.append(($0.now + milliseconds, work)) }
        }

        func advance(to time: UInt64) {
            while let next = next(until: time) { next() }
        }

        private func next(until time: UInt64) -> (@Sendable () -> Void)? {
            state.withLock { state in
                let due = state.work.indices.filter { state.work[$0].due <= time }
                guard let first = due.min(by: { state.work[$0].due < state.work[$1].due }) else {
                    state.now = time
                    return nil
                }
                state.now = max(state.now, state.work[first].due)
                return state.work.remove(at: first).run
            }
        }
    }

    private func list(_ executor: Executor) throws -> TestHost {
        let list = try TestHost.letters("a:x", "b:y")
        list.adapter.executor = executor
        _ = try list.open()
        return list
    }

    @Test("context.after is called → its closure is called once after the delay, or never if it is cancelled")
    func once() throws {
        let executor = Executor()
        let list = try list(executor)
        let context = try #require(list.controller("a")?.context)
        var calls = 0
        context.after(.milliseconds(5)) { calls += 1 }
        let cancelled = context.after(.milliseconds(5)) { calls += 100 }
        cancelled.cancel()
        cancelled.cancel()
        executor.advance(to: 4)
        #expect(calls == 0)
        executor.advance(to: 50)
        #expect(calls == 1)
    }

    @Test("context.every is called → its closure is called at intervals of at least one millisecond until cancelled")
    func repeating() throws {
        let executor = Executor()
        let list = try list(executor)
        let context = try #require(list.controller("a")?.context)
        var calls = 0
        let timer = context.every(.microseconds(1)) { calls += 1 }
        executor.advance(to: 10)
        #expect(calls == 10)
        timer.cancel()
        executor.advance(to: 20)
        #expect(calls == 10)
    }

    @Test("a section leaves the list → its timers and thread-safe references no longer call the controller")
    func departed() throws {
        let executor = Executor()
        let list = try list(executor)
        let controller = try #require(list.controller("a"))
        var calls = 0
        controller.context?.every(.milliseconds(1)) { calls += 1 }
        controller.context?.after(.zero - .seconds(1)) { calls += 10 }
        executor.advance(to: 0)
        #expect(calls == 10)
        let reference = ListSectionControllerReference(controller)
        try list.update([letters("b:y")])
        reference.perform { _ in Issue.record("called for a section that is gone") }
        executor.advance(to: 100)
        #expect(calls == 10)
    }

    @Test("a thread-safe reference is used on another thread → its closure runs on the list's executor")
    func reference() throws {
        let executor = Executor()
        let list = try list(executor)
        let reference = ListSectionControllerReference(try #require(list.controller("a")))
        let ids = Mutex<[String]>([])
        reference.perform { controller in ids.withLock { $0.append(controller.id) } }
        #expect(ids.withLock { $0 }.isEmpty)
        executor.advance(to: 0)
        #expect(ids.withLock { $0 } == ["a"])
    }

    @Test("a list has no executor → timers and thread-safe references call nothing")
    func none() throws {
        let list = try TestHost.letters("a:x")
        let context = try #require(list.controller("a")?.context)
        #expect(context.executor == nil)
        context.after(.zero) { Issue.record("called without an executor") }
        ListSectionControllerReference(try #require(list.controller("a"))).perform { _ in
            Issue.record("called without an executor")
        }
    }

    @Test("a delay is unreachably long → it is accepted, but its closure is never called")
    func endless() throws {
        let executor = Executor()
        let list = try list(executor)
        list.controller("a")?.context?.after(.seconds(Int64.max)) { Issue.record("the timer fired") }
        executor.advance(to: 1)
        #expect(list.controller("a") != nil)
    }
}

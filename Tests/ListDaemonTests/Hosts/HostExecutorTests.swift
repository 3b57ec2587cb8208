// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ListDaemon
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("The executor of a worker", .timeLimit(.minutes(2)))
struct HostExecutorTests {
    /// State without a lock. If two threads used it at the same time, the order would change, or the thread sanitizer
    /// would report a data race.
    private final class Journal: @unchecked Sendable {
        // Sendable, because only work of the executor uses it.
        var entries: [(producer: Int, number: Int)] = []
        var isBusy = false
        var overlaps = 0
    }

    @Test("many threads enqueue work → each thread's work runs in order, and no two pieces run at the same time")
    func order() async throws {
        let (executor, journal, count) = (HostExecutor(label: "test"), Journal(), 3000)
        let note: @Sendable (Int, Int) -> Void = { producer, number in
            executor.checkIsolated()
            if journal.isBusy { journal.overlaps += 1 }
            journal.isBusy = true
            journal.entries.append((producer, number))
            journal.isBusy = false
        }
        await withTaskGroup(of: Void.self) { group in
            for producer in 1...3 {
                group.addTask {
                    for number in 0..<count { executor.post(isLight: number % 2 == 0) { note(producer, number) } }
                }
            }
            group.addTask {
                for number in 0..<count {
                    let isFirst = executor.enqueueOnLoop(isLight: number % 3 != 0) { note(0, number) }
                    if isFirst { executor.drainInline() }
                }
            }
        }
        await withCheckedContinuation { done in executor.post { done.resume() } }
        let entries = journal.entries  // all work has finished
        #expect(entries.count == 4 * count && journal.overlaps == 0)
        for producer in 0...3 {
            #expect(entries.filter { $0.producer == producer }.map(\.number) == Array(0..<count))
        }
    }

    @Test("short work is enqueued on the event loop → the loop runs it; long work precedes it → another thread runs it")
    func handOver() async throws {
        let executor = HostExecutor(label: "test")
        let threads = EventLog<(String, UInt)>()
        let outcome: [(String, UInt)] = await withCheckedContinuation { done in
            Thread.detachNewThread {
                let note: @Sendable (String) -> Void = { threads.record(($0, UInt(pthread_self()))) }
                note("own")
                #expect(executor.enqueueOnLoop(isLight: true) { note("light") })
                #expect(!executor.enqueueOnLoop(isLight: true) { executor.post { note("posted") } })
                executor.drainInline()
                executor.post { done.resume(returning: threads.recorded) }
            }
        }
        #expect(outcome.map(\.0) == ["own", "light", "posted"])
        #expect(outcome[0].1 == outcome[1].1 && outcome[2].1 != outcome[0].1)
    }
}

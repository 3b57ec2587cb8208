// SPDX-License-Identifier: Apache-2.0

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
                    for number in 0..<count { executor.post { note(producer, number) } }
                }
            }
        }
        await withCheckedContinuation { done in executor.post { done.resume() } }
        let entries = journal.entries  // all work has finished
        #expect(entries.count == 3 * count && journal.overlaps == 0)
        for producer in 1...3 {
            #expect(entries.filter { $0.producer == producer }.map(\.number) == Array(0..<count))
        }
    }
}

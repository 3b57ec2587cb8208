// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("EventFlow: back-pressure that blocks a source until its events are consumed", .timeLimit(.minutes(5)))
struct EventFlowTests {
    @Test("the flow is stopped while threads are blocked → all threads resume")
    func stop() async throws {
        let (flow, steps) = (EventFlow(), EventLog<Bool>())
        let count = 100
        for _ in 0..<count {
            let thread = Thread {
                steps.record(false)
                flow.wait()
                steps.record(true)
            }
            thread.stackSize = 128 << 10
            thread.start()
        }
        for _ in 0..<count { #expect(try await steps.next(timeout: .seconds(60)) == false) }
        flow.open()
        for _ in 0..<count { #expect(try await steps.next(timeout: .seconds(60)) == true) }
        // A thread that arrives later does not wait.
        flow.wait()
    }

    @Test("an event is consumed → one blocked thread resumes")
    func taken() async throws {
        let (flow, steps) = (EventFlow(), EventLog<Int>())
        Thread.detachNewThread {
            for step in 0..<3 {
                flow.wait()
                steps.record(step)
            }
        }
        for step in 0..<3 {
            #expect(steps.recorded.isEmpty)
            flow.signal()
            #expect(try await steps.next(timeout: .seconds(60)) == step)
        }
        flow.open()
    }
}

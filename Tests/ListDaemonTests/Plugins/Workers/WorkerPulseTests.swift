// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("WorkerPulse: detecting a worker that hangs")
struct WorkerPulseTests {
    private let start = ContinuousClock.now
    private var pulse = WorkerPulse(callbackTimeout: .seconds(5))

    private mutating func check(at seconds: Int, isListening: Bool = true) -> WorkerPulse.Action {
        pulse.check(at: start + .seconds(seconds), isListening: isListening)
    }

    @Test("a pinged worker does not answer → the worker is killed after the callback timeout and a grace period")
    mutating func silence() {
        #expect(check(at: 0) == .ask)
        for second in 1..<10 { #expect(check(at: second) == .none) }
        #expect(check(at: 10) == .giveUp)
    }

    @Test("the worker sends any report → the timeout starts anew")
    mutating func answers() {
        for second in 0..<100 {
            #expect(check(at: second) == (second.isMultiple(of: 9) ? .ask : .none))
            if second % 9 == 8 { pulse.recordAnswer() }
        }
    }

    @Test("no check ran for an hour because the system slept → the hour counts as a single step")
    mutating func lateLooks() {
        #expect(check(at: 0) == .ask)
        #expect(check(at: 3600) == .none)
        for second in 1..<9 { #expect(check(at: 3600 + second) == .none) }
        #expect(check(at: 3609) == .giveUp)
    }

    @Test("delayed checks run one right after the other → they do not count more time than has passed")
    mutating func burst() {
        #expect(check(at: 0) == .ask)
        for _ in 0..<100 { #expect(check(at: 1) == .none) }
    }

    @Test("the daemon pauses reading the worker's reports → the timeout starts when reading resumes")
    mutating func unread() {
        #expect(check(at: 0) == .ask)
        for second in 1..<50 { #expect(check(at: second, isListening: false) == .none) }
        for second in 50..<59 { #expect(check(at: second) == .none) }
        #expect(check(at: 59) == .giveUp)
    }

    @Test("the daemon never reads the worker's reports → no ping is sent")
    mutating func notAsked() {
        for second in 0..<50 { #expect(check(at: second, isListening: false) == .none) }
        #expect(check(at: 50) == .ask)
    }
}

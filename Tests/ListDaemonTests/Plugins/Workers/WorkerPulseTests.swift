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

    private mutating func look(_ seconds: Int, isListening: Bool = true) -> WorkerPulse.Action {
        pulse.check(at: start + .seconds(seconds), isListening: isListening)
    }

    @Test("a pinged worker stays silent → given up after the callback's time limit and a grace period, not before")
    mutating func silence() {
        #expect(look(0) == .ask)
        for second in 1..<10 { #expect(look(second) == .none) }
        #expect(look(10) == .giveUp)
    }

    @Test("the worker sends any report → the time limit starts anew")
    mutating func answers() {
        for second in 0..<100 {
            #expect(look(second) == (second.isMultiple(of: 9) ? .ask : .none))
            if second % 9 == 8 { pulse.recordAnswer() }
        }
    }

    @Test("no check for an hour, because the machine slept → counts as one step")
    mutating func lateLooks() {
        #expect(look(0) == .ask)
        #expect(look(3600) == .none)
        for second in 1..<9 { #expect(look(3600 + second) == .none) }
        #expect(look(3609) == .giveUp)
    }

    @Test("delayed checks run together → count as the time that has passed")
    mutating func burst() {
        #expect(look(0) == .ask)
        for _ in 0..<100 { #expect(look(1) == .none) }
    }

    @Test("the daemon does not read the worker's reports → the silence begins when reading resumes")
    mutating func unread() {
        #expect(look(0) == .ask)
        for second in 1..<50 { #expect(look(second, isListening: false) == .none) }
        for second in 50..<59 { #expect(look(second) == .none) }
        #expect(look(59) == .giveUp)
    }

    @Test("the daemon never reads the worker's reports → the worker is not pinged")
    mutating func notAsked() {
        for second in 0..<50 { #expect(look(second, isListening: false) == .none) }
        #expect(look(50) == .ask)
    }
}

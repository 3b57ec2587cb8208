// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("WorkerPulse: when a silent worker is given up")
struct WorkerPulseTests {
    private let start = ContinuousClock.now
    private var pulse = WorkerPulse(callbackTimeout: .seconds(5))

    private mutating func look(_ seconds: Int, isListening: Bool = true) -> WorkerPulse.Action {
        pulse.look(at: start + .seconds(seconds), isListening: isListening)
    }

    @Test("asked and silent → given up after the callback's limit and a grace period, and not before")
    mutating func silence() {
        #expect(look(0) == .ask)
        for second in 1..<10 { #expect(look(second) == .none) }
        #expect(look(10) == .giveUp)
    }

    @Test("any report → the time starts again")
    mutating func answers() {
        for second in 0..<100 {
            #expect(look(second) == (second.isMultiple(of: 9) ? .ask : .none))
            if second % 9 == 8 { pulse.heard() }
        }
    }

    @Test("no check for an hour, as the machine slept → counts as one step")
    mutating func lateLooks() {
        #expect(look(0) == .ask)
        #expect(look(3600) == .none)
        for second in 1..<9 { #expect(look(3600 + second) == .none) }
        #expect(look(3609) == .giveUp)
    }

    @Test("late checks that run all at once → count as the time that has passed")
    mutating func burst() {
        #expect(look(0) == .ask)
        for _ in 0..<100 { #expect(look(1) == .none) }
    }

    @Test("its reports are not read → the silence begins when they are read again")
    mutating func unread() {
        #expect(look(0) == .ask)
        for second in 1..<50 { #expect(look(second, isListening: false) == .none) }
        for second in 50..<59 { #expect(look(second) == .none) }
        #expect(look(59) == .giveUp)
    }

    @Test("its reports are never read → not even asked")
    mutating func notAsked() {
        for second in 0..<50 { #expect(look(second, isListening: false) == .none) }
        #expect(look(50) == .ask)
    }
}

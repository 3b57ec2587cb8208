// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("When a worker is started, restarted and given up")
struct WorkerLifecycleTests {
    private let start = ContinuousClock.now
    private var lifecycle = WorkerLifecycle()

    /// Lets a running worker die and restart.
    private mutating func dieAndComeBack(at time: Duration) -> WorkerLifecycle.Action {
        let action = lifecycle.didDie(at: start + time)
        if lifecycle.pauseIsOver() == .start { lifecycle.didStart() }
        return action
    }

    @Test("needed → started once, however often it is needed")
    mutating func need() {
        #expect(lifecycle.need() == .start)
        #expect(lifecycle.need() == .none)
        lifecycle.didStart()
        #expect(lifecycle.state == .running)
        #expect(lifecycle.need() == .none)
    }

    @Test("deaths within a minute → longer and longer pauses, and the fifth is the last")
    mutating func backOff() {
        _ = lifecycle.need()
        lifecycle.didStart()
        let actions = (0..<5).map { dieAndComeBack(at: .seconds($0)) }
        #expect(
            actions == [
                .pause(.milliseconds(50)), .pause(.milliseconds(100)), .pause(.milliseconds(200)),
                .pause(.milliseconds(400)), .giveUp,
            ])
        #expect(lifecycle.state == .failed)
        #expect(lifecycle.restartCount == 4)
        #expect(lifecycle.didDie(at: start) == .none)
        #expect(lifecycle.pauseIsOver() == .none)
    }

    @Test(
        "deaths caused by callers → longer pauses up to a maximum, and never given up; other deaths are counted separately"
    )
    mutating func callers() {
        _ = lifecycle.need()
        lifecycle.didStart()
        var pauses: [WorkerLifecycle.Action] = []
        for number in 0..<20 {
            pauses.append(lifecycle.didDie(at: start + .seconds(number), isOfCaller: true))
            if lifecycle.pauseIsOver() == .start { lifecycle.didStart() }
        }
        let first = [50, 100, 200, 400].map { WorkerLifecycle.Action.pause(.milliseconds($0)) }
        #expect(Array(pauses.prefix(4)) == first)
        #expect(pauses.dropFirst(4).allSatisfy { $0 == .pause(.milliseconds(400)) })
        let actions = (20..<25).map { dieAndComeBack(at: .seconds($0)) }
        #expect(actions.dropLast().allSatisfy { $0 == .pause(.milliseconds(400)) } && actions.last == .giveUp)
    }

    @Test("deaths more than a minute apart → short pauses without end")
    mutating func rareDeaths() {
        _ = lifecycle.need()
        lifecycle.didStart()
        for number in 0..<20 {
            #expect(dieAndComeBack(at: .seconds(60 * number)) == .pause(.milliseconds(50)))
        }
        #expect(lifecycle.restartCount == 20)
    }

    @Test("failed and loaded again → deaths count from zero")
    mutating func again() {
        _ = lifecycle.need()
        for number in 0..<5 { _ = dieAndComeBack(at: .seconds(number)) }
        #expect(lifecycle.need() == .start)
        #expect(lifecycle.didDie(at: start + .seconds(6)) == .pause(.milliseconds(50)))
    }

    @Test("dies while it starts → counts as well")
    mutating func diesEarly() {
        _ = lifecycle.need()
        #expect(lifecycle.didDie(at: start) == .pause(.milliseconds(50)))
        #expect(lifecycle.state == .pausing)
    }

    @Test("dismissed during the pause → is not started")
    mutating func dismissed() {
        _ = lifecycle.need()
        _ = lifecycle.didDie(at: start)
        lifecycle.dismiss()
        #expect(lifecycle.pauseIsOver() == .none)
        #expect(lifecycle.need() == .start)
    }

    @Test("dies while a successor loads, which takes over → running, and the end of the pause starts nothing")
    mutating func successorDuringPause() {
        _ = lifecycle.need()
        lifecycle.didStart()
        for number in 0..<3 { _ = dieAndComeBack(at: .seconds(number)) }
        #expect(lifecycle.didDie(at: start + .seconds(3)) == .pause(.milliseconds(400)))
        lifecycle.successorTookOver()
        #expect(lifecycle.state == .running)
        #expect(lifecycle.pauseIsOver() == .none)
        #expect(lifecycle.restartCount == 3)
        // Its deaths count together with those of its predecessor.
        #expect(lifecycle.didDie(at: start + .seconds(4)) == .giveUp)
    }

    @Test("fails while a successor loads, which takes over → running, and deaths count from zero")
    mutating func successorAfterFailure() {
        _ = lifecycle.need()
        lifecycle.didStart()
        for number in 0..<5 { _ = dieAndComeBack(at: .seconds(number)) }
        #expect(lifecycle.state == .failed)
        lifecycle.successorTookOver()
        #expect(lifecycle.state == .running)
        #expect(lifecycle.didDie(at: start + .seconds(5)) == .pause(.milliseconds(50)))
    }

    @Test("a successor takes over from a worker that runs or starts → running, started once")
    mutating func successor() {
        _ = lifecycle.need()
        lifecycle.successorTookOver()
        #expect(lifecycle.state == .running)
        lifecycle.didStart()
        lifecycle.successorTookOver()
        #expect(lifecycle.state == .running)
        #expect(lifecycle.need() == .none)
    }

    @Test("dismissed while a successor loads → stays idle")
    mutating func successorOfNobody() {
        _ = lifecycle.need()
        lifecycle.dismiss()
        lifecycle.successorTookOver()
        #expect(lifecycle.state == .idle)
    }

    @Test("the plugin refuses to load → failed at once")
    mutating func refused() {
        _ = lifecycle.need()
        lifecycle.refuse()
        #expect(lifecycle.state == .failed)
    }
}

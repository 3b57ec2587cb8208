// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Worker lifecycle: start, restart and giving up")
struct WorkerLifecycleTests {
    private let start = ContinuousClock.now
    private var lifecycle = WorkerLifecycle()

    /// Lets a running worker die and restart.
    private mutating func dieAndRestart(at time: Duration) -> WorkerLifecycle.Action {
        let action = lifecycle.didDie(at: start + time)
        if lifecycle.pauseDidEnd() == .start { lifecycle.didStart() }
        return action
    }

    @Test("a worker is requested repeatedly → it is started once")
    mutating func need() {
        #expect(lifecycle.request() == .start)
        #expect(lifecycle.request() == .none)
        lifecycle.didStart()
        #expect(lifecycle.state == .running)
        #expect(lifecycle.request() == .none)
    }

    @Test(
        "deaths follow each other within a minute → the delays increase, and no restart follows the fifth death"
    )
    mutating func backOff() {
        _ = lifecycle.request()
        lifecycle.didStart()
        let actions = (0..<5).map { dieAndRestart(at: .seconds($0)) }
        #expect(
            actions == [
                .pause(.milliseconds(50)), .pause(.milliseconds(100)), .pause(.milliseconds(200)),
                .pause(.milliseconds(400)), .giveUp,
            ])
        #expect(lifecycle.state == .failed)
        #expect(lifecycle.restartCount == 4)
        #expect(lifecycle.didDie(at: start) == .none)
        #expect(lifecycle.pauseDidEnd() == .none)
    }

    @Test(
        "callers cause the deaths → the delays grow up to a maximum, and the worker is always restarted"
    )
    mutating func callers() {
        _ = lifecycle.request()
        lifecycle.didStart()
        var pauses: [WorkerLifecycle.Action] = []
        for number in 0..<20 {
            pauses.append(lifecycle.didDie(at: start + .seconds(number), blaming: .caller))
            if lifecycle.pauseDidEnd() == .start { lifecycle.didStart() }
        }
        let first = [50, 100, 200, 400].map { WorkerLifecycle.Action.pause(.milliseconds($0)) }
        #expect(Array(pauses.prefix(4)) == first)
        #expect(pauses.dropFirst(4).allSatisfy { $0 == .pause(.milliseconds(400)) })
        let actions = (20..<25).map { dieAndRestart(at: .seconds($0)) }
        #expect(actions.dropLast().allSatisfy { $0 == .pause(.milliseconds(400)) } && actions.last == .giveUp)
    }

    @Test("objects cause the deaths → the worker is restarted, until there are more than some bad objects explain")
    mutating func objects() {
        _ = lifecycle.request()
        lifecycle.didStart()
        let actions = (0..<WorkerLifecycle.lastDeathOfObjects).map { number in
            let action = lifecycle.didDie(at: start + .seconds(number), blaming: .object)
            if lifecycle.pauseDidEnd() == .start { lifecycle.didStart() }
            return action
        }
        #expect(!actions.dropLast().contains(.giveUp) && actions.last == .giveUp)
    }

    @Test("deaths are more than a minute apart → the delay is always short, and the worker is always restarted")
    mutating func rareDeaths() {
        _ = lifecycle.request()
        lifecycle.didStart()
        for number in 0..<20 {
            #expect(dieAndRestart(at: .seconds(60 * number)) == .pause(.milliseconds(50)))
        }
        #expect(lifecycle.restartCount == 20)
    }

    @Test("a worker is given up, and its plugin loaded again → deaths are counted from zero")
    mutating func again() {
        _ = lifecycle.request()
        for number in 0..<5 { _ = dieAndRestart(at: .seconds(number)) }
        #expect(lifecycle.request() == .start)
        #expect(lifecycle.didDie(at: start + .seconds(6)) == .pause(.milliseconds(50)))
    }

    @Test("the worker dies during its start → this counts as a death")
    mutating func diesEarly() {
        _ = lifecycle.request()
        #expect(lifecycle.didDie(at: start) == .pause(.milliseconds(50)))
        #expect(lifecycle.state == .pausing)
    }

    @Test("the worker is dismissed during the restart delay → it is not started")
    mutating func dismissed() {
        _ = lifecycle.request()
        _ = lifecycle.didDie(at: start)
        lifecycle.dismiss()
        #expect(lifecycle.pauseDidEnd() == .none)
        #expect(lifecycle.request() == .start)
    }

    @Test(
        "the worker dies, then its loading successor takes over → the state is running, and the restart is cancelled"
    )
    mutating func successorDuringPause() {
        _ = lifecycle.request()
        lifecycle.didStart()
        for number in 0..<3 { _ = dieAndRestart(at: .seconds(number)) }
        #expect(lifecycle.didDie(at: start + .seconds(3)) == .pause(.milliseconds(400)))
        lifecycle.successorDidTakeOver()
        #expect(lifecycle.state == .running)
        #expect(lifecycle.pauseDidEnd() == .none)
        #expect(lifecycle.restartCount == 3)
        // Deaths of the successor are added to those of its predecessor.
        #expect(lifecycle.didDie(at: start + .seconds(4)) == .giveUp)
    }

    @Test(
        "the worker is given up, then its loading successor takes over → the state is running, with no deaths counted"
    )
    mutating func successorAfterFailure() {
        _ = lifecycle.request()
        lifecycle.didStart()
        for number in 0..<5 { _ = dieAndRestart(at: .seconds(number)) }
        #expect(lifecycle.state == .failed)
        lifecycle.successorDidTakeOver()
        #expect(lifecycle.state == .running)
        #expect(lifecycle.didDie(at: start + .seconds(5)) == .pause(.milliseconds(50)))
    }

    @Test("a successor takes over from a running or starting worker → the state is running, after a single start")
    mutating func successor() {
        _ = lifecycle.request()
        lifecycle.successorDidTakeOver()
        #expect(lifecycle.state == .running)
        lifecycle.didStart()
        lifecycle.successorDidTakeOver()
        #expect(lifecycle.state == .running)
        #expect(lifecycle.request() == .none)
    }

    @Test("the worker is dismissed while its successor loads → the state is idle")
    mutating func successorOfNobody() {
        _ = lifecycle.request()
        lifecycle.dismiss()
        lifecycle.successorDidTakeOver()
        #expect(lifecycle.state == .idle)
    }

    @Test("the plugin refuses to load → the worker is given up immediately")
    mutating func refused() {
        _ = lifecycle.request()
        lifecycle.didRefuse()
        #expect(lifecycle.state == .failed)
    }
}

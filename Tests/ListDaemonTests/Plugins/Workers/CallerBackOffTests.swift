// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Back-off for users whose calls killed workers")
struct CallerBackOffTests {
    private let start = ContinuousClock.now
    private var backOff = CallerBackOff()

    @Test(
        "a user's call kills a worker → no delay follows; later deaths → the delays double, up to a minute"
    )
    mutating func doubles() {
        backOff.recordDeath(by: 1000, at: start)
        #expect(backOff.remainingWait(of: 1000, at: start) == nil)
        var waits: [Duration] = []
        var now = start
        for death in 2...10 {
            backOff.recordDeath(by: 1000, at: now)
            #expect(backOff.remainingWait(of: 1000, at: now)?.deaths == death)
            let time = backOff.remainingWait(of: 1000, at: now)?.time ?? .zero
            waits.append(time)
            now += time
            #expect(backOff.remainingWait(of: 1000, at: now) == nil)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        #expect(backOff.remainingWait(of: 1001, at: start) == nil)
    }

    @Test("ten minutes pass without a death, or the plugin is loaded again → the user's next call has no delay")
    mutating func forgets() {
        for _ in 0..<4 { backOff.recordDeath(by: 1, at: start) }
        let later = start + CallerBackOff.memory
        backOff.recordDeath(by: 1, at: later)
        #expect(backOff.remainingWait(of: 1, at: later) == nil)
        backOff.recordDeath(by: 1, at: later)
        #expect(backOff.remainingWait(of: 1, at: later) != nil)
        backOff.removeAll()
        #expect(backOff.remainingWait(of: 1, at: later) == nil)
    }

    @Test("there are more users than can be tracked → the user with the oldest last death is evicted")
    mutating func bounded() {
        for user in 0...UInt32(CallerBackOff.mostUsers) {
            for _ in 0..<2 { backOff.recordDeath(by: user, at: start + .milliseconds(Int(user))) }
        }
        let now = start + .milliseconds(500)
        #expect(backOff.remainingWait(of: 0, at: now) == nil)
        #expect(backOff.remainingWait(of: 1, at: now) != nil)
    }
}

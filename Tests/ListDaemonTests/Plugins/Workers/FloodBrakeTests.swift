// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("FloodBrake: the rate limit of a worker's unsolicited reports")
struct FloodBrakeTests {
    private let start = ContinuousClock.now
    private var brake = FloodBrake(burst: 3, interval: .milliseconds(10))

    @Test("a worker sends a burst of reports → the burst is allowed immediately, and the next report is delayed")
    mutating func burst() {
        #expect((0..<3).map { _ in brake.admit(at: start) } == [nil, nil, nil])
        #expect(brake.admit(at: start) == .milliseconds(10))
        #expect(brake.admit(at: start + .milliseconds(4)) == .milliseconds(6))
        #expect(brake.admit(at: start + .milliseconds(10)) == nil)
        #expect(brake.admit(at: start + .milliseconds(10)) == .milliseconds(10))
    }

    @Test("a worker sends reports endlessly → one report per interval is allowed, however often the limit is checked")
    mutating func endless() {
        var passed = 0
        for step in 0..<1000 where brake.admit(at: start + .milliseconds(step)) == nil { passed += 1 }
        #expect(passed == 2 + 100)
    }

    @Test("a worker sends no reports for a while → exactly one burst is allowed again")
    mutating func quiet() {
        for _ in 0..<3 { _ = brake.admit(at: start) }
        let later = start + .seconds(60)
        #expect((0..<4).map { _ in brake.admit(at: later) } == [nil, nil, nil, .milliseconds(10)])
    }

    @Test("a worker sends one report per interval → no report is delayed")
    mutating func steady() {
        for step in 0..<100 { #expect(brake.admit(at: start + .milliseconds(10) * step) == nil) }
    }
}

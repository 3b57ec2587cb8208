// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("ListHost among a worker, a store, a clock and clients, at random", .timeLimit(.minutes(10)))
struct ListHostRandomTests {
    @Test(
        "writes, refused writes, moves, item changes, deaths of the worker, kills and restarts → each call answered once, no revision twice, what a client remembers of items is what it reads, the store has what was answered",
        arguments: 0..<24)
    func random(seed: UInt64) async throws {
        let world = ListHostWorld(seed: seed)
        for _ in 0..<800 { _ = try await world.step() }
        try await world.settleDown()
        for what in ["answered", "refused", "written", "update", "reload", "items", "deaths"] {
            #expect(world.counts[what, default: 0] > 0, "\(what)")
        }
    }
}

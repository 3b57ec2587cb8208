// SPDX-License-Identifier: Apache-2.0

import DBus
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("ListHost with random behaviour of worker, store, clock and clients", .timeLimit(.minutes(10)))
@DBusActor
struct ListHostRandomTests {
    @Test(
        "calls, failures and restarts are random → each call is answered once, no revision repeats, no write is lost",
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

// SPDX-License-Identifier: Apache-2.0

import Testing

@testable @_spi(Daemon) import ListKit

@Suite("ObjectList with random behaviour of worker, store and clients")
struct ObjectListRandomTests {
    @Test(
        "random requests, failures and restarts → each request is answered once, and mirror and store equal the list",
        arguments: 0..<24)
    func random(seed: Int) throws {
        let world = ObjectListWorld(seed: seed)
        for _ in 0..<1500 { _ = try world.step() }
        try world.finishAllWork()
        for what in ["answered", "refused", "written", "update", "kills", "clean ends"] {
            #expect(world.counts[what, default: 0] > 0, "\(what)")
        }
        if seed % 3 != 0 {
            for what in ["reload", "deaths"] { #expect(world.counts[what, default: 0] > 0, "\(what)") }
            for phase in ["idle", "storing", "presenting"] {
                #expect(world.counts["items changed while \(phase)", default: 0] > 0, "\(phase)")
            }
        }
    }
}

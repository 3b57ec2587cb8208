// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport
import Testing

@Suite("A section controller that changes its source", .timeLimit(.minutes(2)))
@DBusActor
struct TappedSourceTests {
    private func stageList(_ stage: HorrorStage) async throws -> TestAdapter {
        let list = try await stage.makeList("list", "Tap", ["source": .string("horrors/source?nothing")])
        try await list.wait { $0.count == 3 }
        return list
    }

    @Test("a sink is called in didSelectItem and handleAction → the calls are answered, and the list has the changes")
    func taps() async throws {
        let stage = try await HorrorStage("CallbackTimeout=1h")
        let list = try await stageList(stage)
        let view = try await list.openView()
        let id = "from the source 1"
        #expect(try await view.object.call("Select", id, UInt32(0), returning: Bool.self))
        try await list.wait { $0[1].fields["taps"] == .int64(2) }
        #expect(try await view.invoke("tap", item: 0, of: id))
        try await list.wait { $0[1].fields["taps"] == .int64(4) }
        #expect(try await list.items().map { $0.content["taps"] } == [.int64(0), .int64(4), .int64(0)])
        #expect(try await stage.plugin("RestartCount", as: UInt32.self) == 0)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a section controller sends an event that listd refuses → it is the source's error")
    func refused() async throws {
        let stage = try await HorrorStage("CallbackTimeout=1h")
        let list = try await stageList(stage)
        let view = try await list.openView()
        #expect(try await view.invoke("misplace", item: 0, of: "from the source 0"))
        try await list.wait(state: "failed")
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        #expect(stage.stage.listd.standardError.contains("gone"))
    }
}

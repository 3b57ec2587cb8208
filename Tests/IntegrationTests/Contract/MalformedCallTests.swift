// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// Checks that every malformed call gets its own error, and does not affect the daemon.
@Suite("Malformed calls", .timeLimit(.minutes(3)))
@DBusActor
struct MalformedCallTests {
    @Test(
        "two hundred malformed calls → each gets an error that names the mistake, and the daemon is unaffected",
        .rule("ER-02", "WT-03", "WT-16"))
    func table() async throws {
        #expect(MalformedCall.table.count >= 200)
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("stage")
        _ = try await stage.createAdapter("file", ["source": .string("jsonl:\(stage.listd.directory.path)/none")])
        _ = try await adapter.performUpdates([Row("one", "", [:]), Row("two", "", [:])])
        let (view, _, _, _, _, _) = try await adapter.by(stage.client).call(
            "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
            UInt32.self, [String: DBusValue].self)
        _ = try await stage.object(view, "View").call(
            "SetViewport", UInt64(0), 0.0, 0.0, 100.0, 100.0, returning: UInt64.self)
        let rangeView = try await TestView(adapter, ["layout": .string("none")])
        _ = try await rangeView.remote.call(
            "SetVisibleRange", UInt64(0), UInt32(0), UInt32(0), UInt32(0), UInt32(0), returning: UInt64.self)
        let before = try await adapter.objects()
        for call in MalformedCall.table {
            let error = await errorInReply(to: call, stage, adapter.path, view, rangeView.path)
            #expect(error?.name == call.errorName, "\(call.testDescription) \(call.arguments)")
            for word in call.mentions {
                #expect(error?.message.contains(word) == true, "\(call.testDescription): \(error?.message ?? "")")
            }
        }
        let after = try await adapter.objects()
        #expect(after.revision == before.revision)
        #expect(after.rows == before.rows)
        #expect(try await stage.manager.property("AdapterCount", as: UInt32.self) == 2)
        #expect(try await stage.manager.property("ViewCount", as: UInt32.self) == 2)
        #expect(try await rangeView.property("VisibleObjects", as: [String].self) == ["one"])
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    /// Returns the error in the reply to a call; `nil` if the call succeeds.
    private func errorInReply(
        to call: MalformedCall, _ stage: Stage, _ adapter: ObjectPath, _ view: ObjectPath, _ rangeView: ObjectPath
    ) async -> DBusError? {
        do {
            let object =
                switch call.target {
                case .manager: stage.manager
                case .adapter: stage.object(adapter, "Adapter")
                case .view: stage.object(view, "View")
                case .rangeView: stage.object(rangeView, "View")
                case .path(let path, let interface):
                    RemoteObject(
                        stage.client, destination: Listd.name, path: try ObjectPath(path), interface: interface)
                }
            let message = try object.message(call.member) { (message) throws(DBusError) in
                try message.write(values: call.arguments)
            }
            _ = try await stage.client.call(message)
            return nil
        } catch {
            return DBusError(error)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Canonically equivalent Unicode text with different bytes", .timeLimit(.minutes(3)))
@DBusActor
struct EquivalentTextTests {
    private let composed = "\u{e9}"
    private let decomposed = "e\u{301}"

    private func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test(
        "two lists have canonically equivalent names → both exist, and RemoveAdapter removes only the exact name",
        .rule("NA-04"))
    func names() async throws {
        let stage = try await Stage()
        let first = try await stage.createAdapter(composed)
        let second = try await stage.createAdapter(decomposed)
        #expect(first.path != second.path)
        try await stage.manager.call("RemoveAdapter", composed)
        let path = try await stage.manager.call("GetAdapter", decomposed, returning: ObjectPath.self)
        #expect(path == second.path)
        await #expect(throws: DBusError.self) {
            _ = try await stage.manager.call("GetAdapter", composed, returning: ObjectPath.self)
        }
        await stage.stop()
    }

    @Test("two stored lists with equivalent names → each list keeps its objects across a restart")
    func stored() async throws {
        let stages = try StoreStage()
        try await stages.run { stage in
            for name in [composed, decomposed] {
                _ = try await stage.createStored(name).performUpdates([Row("of " + name, "", [:])])
            }
        }
        try await stages.run { stage in
            for name in [composed, decomposed] {
                let rows = try await stage.adapter(name).objects().rows
                #expect(bytes(rows.map(\.id)) == bytes(["of " + name]))
            }
        }
    }

    @Test(
        "objects have equivalent ids, types and keys → all are stored as given, and a patch unsets only the exact key",
        .rule("NA-04"))
    func objects() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        let fields: [String: DBusValue] = [composed: .string("1")]
        _ = try await adapter.performUpdates([
            Row(composed, composed, fields), Row(decomposed, decomposed, fields), Row("3", composed, fields),
        ])
        let rows = try await adapter.objects().rows
        #expect(bytes(rows.map(\.id)) == bytes([composed, decomposed, "3"]))
        #expect(bytes(rows.map(\.type)) == bytes([composed, decomposed, composed]))
        _ = try await adapter.by(stage.client).call(
            "PatchObject", UInt64(0), "3", [String: DBusValue](), [decomposed], returning: UInt64.self)
        #expect(try await adapter.objects().rows[2].fields.count == 1)
        await stage.stop()
    }
}

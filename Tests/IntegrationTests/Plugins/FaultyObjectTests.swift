// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport
import Testing

@Suite("Objects that kill the plugin's worker whenever it shows them", .timeLimit(.minutes(5)))
@DBusActor
struct FaultyObjectTests {
    private func poison(_ id: String, at callback: String) -> Row {
        Row(id, "row", ["do": .string("trap"), "at": .string(callback)])
    }

    /// Waits until the plugin has failed, or the list shows an error item in place of the object at fault.
    private func waitForOutcome(_ list: TestAdapter, _ stage: HorrorStage) async throws -> [String] {
        while true {
            if try await stage.plugin("State", as: String.self) == "failed" { return [] }
            if let reuse = try? await list.items().map(\.reuse), reuse.contains("listd/fault") { return reuse }
            await Task.yield()
        }
    }

    @Test("an appended object traps in didUpdate → only that object is at fault, and the plugin's lists are shown")
    func update() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        let other = try await stage.makeList("other", "Steady")
        _ = try await list.performUpdates([Row("first", "row", [:])])
        _ = try await other.performUpdates([Row("x", "row", [:])])
        _ = try? await list.performUpdates([Row("first", "row", [:]), poison("bad", at: "update")])
        let reuse = try await waitForOutcome(list, stage)
        let state = try await stage.plugin("State", as: String.self)
        let others = try await other.items().map(\.reuse)
        withKnownIssue("five deaths of one object fail the plugin and all of its lists") {
            #expect(reuse == ["horror", "listd/fault"])
            #expect(state == "ready")
            #expect(others == ["steady"])
        }
        _ = await stage.stop()
    }

    @Test("one object traps in item(at:) → it is an error item, and everything around it is shown")
    func item() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        let rows = [Row("first", "row", [:]), poison("bad", at: "item"), Row("last", "row", [:])]
        _ = try await list.performUpdates(rows)
        await withKnownIssue("a call that asks for the items of one bad object is refused as a whole") {
            let reuse = try await list.items().map(\.reuse)
            #expect(reuse == ["horror", "listd/fault", "horror"])
        }
        _ = await stage.stop()
    }

    @Test("WritablePaths names a directory → a source makes its file there; elsewhere → its list has failed")
    func writablePaths() async throws {
        guard Landlock.isThere else { return print("SKIPPED: writable paths, because this kernel has no Landlock") }
        let directory = TemporaryDirectory()
        let stage = try await HorrorStage("WritablePaths=\(directory.path) -/nowhere")
        let good = try await stage.stage.createAdapter(
            "good", ["source": .string("horrors/source?write \(directory.path)/made")])
        try await good.wait { $0.count == 3 }
        #expect(FileManager.default.fileExists(atPath: directory.path + "/made"))
        let bad = try await stage.stage.createAdapter(
            "bad", ["source": .string("horrors/source?write \(directory.path)-made")])
        try await bad.wait(state: "failed")
        #expect(!FileManager.default.fileExists(atPath: directory.path + "-made"))
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("WritablePaths names a path that does not exist → the plugin is not loaded, and the error names it")
    func missingPath() async throws {
        let stage = try await HorrorStage("WritablePaths=/nowhere/at/all")
        let error = await #expect(throws: DBusError.self) { try await stage.load() }
        #expect(error?.message.contains("/nowhere/at/all of WritablePaths") == true)
        _ = await stage.stop()
    }

    @Test("a configured list needs a plugin whose WritablePaths is missing → the log names it for each of its lines")
    func missingPathOfList() async throws {
        let list = "[List]\nSource=horrors/source?nothing\n[Sections]\n*=horrors/Steady\n"
        let stage = try await HorrorStage("WritablePaths=/nowhere/at/all", files: ["a.list": list])
        _ = await stage.stop()
        let said = stage.stage.listd.standardError.split(separator: "\n").filter { $0.contains("/nowhere/at/all") }
        #expect(said.count == 2 && said.allSatisfy { $0.contains("a.list:") }, "\(said)")
    }

    @Test("an action hangs → the error of the call names the hang and the callback")
    func hangsInAction() async throws {
        let stage = try await HorrorStage("CallbackTimeout=1s")
        let list = try await stage.makeList("list", "Horror")
        _ = try await list.performUpdates([Row("x", "row", ["do": .string("loop"), "at": .string("action")])])
        let view = try await list.openView()
        let error = await #expect(throws: DBusError.self) { _ = try await view.invoke("a", item: 0, of: "x") }
        #expect(error?.message.contains("in handleAction of section controller horrors/Horror") == true)
        #expect(error?.message.contains("did not return in time (CallbackTimeout)") == true)
        _ = await stage.stop()
    }

    @Test("a data source hangs while it is made → the error names the hang and its callback")
    func hangsWhenMade() async throws {
        let stage = try await HorrorStage("CallbackTimeout=1s")
        let error = await #expect(throws: DBusError.self) {
            _ = try await stage.stage.createAdapter("hang", ["source": .string("horrors/source?loop in init")])
        }
        #expect(error?.message.contains("CallbackTimeout") == true)
        _ = await stage.stop()
    }
}

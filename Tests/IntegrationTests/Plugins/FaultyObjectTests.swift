// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient
import TestSupport
import Testing

@Suite("Objects that kill the plugin's worker whenever it shows them", .timeLimit(.minutes(5)))
@DBusActor
struct FaultyObjectTests {
    private func poison(_ id: String, at callback: String) -> Row {
        Row(id, "row", ["do": .string("trap"), "at": .string(callback)])
    }

    private let pluginFailed = Listd.error("PluginFailed")

    /// Waits until the list's items have these reuse identifiers. Reads them again whenever the list changes.
    private func wait(for reuse: [String], in list: TestAdapter) async throws {
        let updates = EventLog<Bool>()
        let subscription = try await list.stage.client.subscribe(MatchRule(path: list.path, member: "Updated")) { _ in
            updates.record(true)
        }
        defer { subscription.cancel() }
        while try await list.items().map(\.reuse) != reuse { _ = try await updates.next(timeout: .seconds(60)) }
    }

    @Test(
        "an appended object traps in didUpdate → only that object is at fault, and the plugin's lists are shown",
        .rule("OR-05"))
    func update() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        let other = try await stage.makeList("other", "Steady")
        _ = try await list.performUpdates([Row("first", "row", [:])])
        _ = try await other.performUpdates([Row("x", "row", [:])])
        _ = try await list.performUpdates([Row("first", "row", [:]), poison("bad", at: "update")])
        try await wait(for: ["horror", "listd/fault"], in: list)
        #expect(try await stage.plugin("State", as: String.self) == "ready")
        #expect(try await stage.plugin("RestartCount", as: UInt32.self) == 2)
        #expect(try await other.items().map(\.reuse) == ["steady"])
        // The restart of a worker does not make the object well.
        kill(try await stage.process, SIGKILL)
        try await stage.wait(for: "ready", restarts: 3)
        #expect(try await list.items().map(\.reuse) == ["horror", "listd/fault"])
        #expect(try await stage.plugin("RestartCount", as: UInt32.self) == 3)
        _ = await stage.stop()
    }

    @Test("many objects trap in didUpdate → each is at fault, and the plugin does not fail")
    func manyObjects() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        let bad = (0..<4).map { poison("bad \($0)", at: "update") }
        _ = try await list.performUpdates([Row("first", "row", [:])] + bad)
        try await wait(for: ["horror"] + Array(repeating: "listd/fault", count: 4), in: list)
        #expect(try await stage.plugin("State", as: String.self) == "ready")
        #expect(try await stage.plugin("RestartCount", as: UInt32.self) == 8)
        _ = await stage.stop()
    }

    @Test(
        "GetItems traps in item(at:) of one object → PluginFailed; then it is an error item, and everything around it is shown",
        .rule("OR-03"), .rule("OR-05"))
    func item() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        let rows = [Row("first", "row", [:]), poison("bad", at: "item"), Row("last", "row", [:])]
        let revision = try await list.performUpdates(rows)
        let error = await #expect(throws: DBusError.self) { try await list.items() }
        #expect(error?.name == pluginFailed)
        // The object is at fault before the call is answered.
        #expect(try await list.objects().revision == revision + 1)
        let items = try await list.items()
        #expect(items.map(\.reuse) == ["horror", "listd/fault", "horror"])
        let expected = "the plugin's worker died in item of section controller horrors/Horror on object “bad”"
        #expect(items[1].content == ["error": .string(expected)])
        #expect(try await stage.plugin("RestartCount", as: UInt32.self) == 1)
        let view = try await list.openView()
        let frames = view.picture.inReadingOrder.map { ($0.reuseIdentifier, $0.frame.width, $0.frame.height) }
        #expect(frames.map(\.0) == ["horror", "listd/fault", "horror"])
        #expect(frames.map(\.1) == [100, 100, 100] && frames.map(\.2) == [40, 44, 40])
        let refused = await #expect(throws: DBusError.self) {
            _ = try await view.object.call("Select", "bad", UInt32(0), returning: Bool.self)
        }
        #expect(refused?.name == pluginFailed)
        #expect(stage.stage.listd.standardError.contains("section controller horrors/Horror of object “bad”"))
        _ = await stage.stop()
    }

    @Test(
        "an object at fault is written, reloaded, all are reloaded, or the plugin is loaded → it is shown in one revision",
        arguments: ["write", "ReloadObjects", "ReloadData", "LoadPlugin"])
    func wellAgain(how: String) async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        let once: [String: DBusValue] = [
            "do": .string("trap"), "at": .string("item"), "once": .string(try stage.makeToken("once")),
        ]
        _ = try await list.performUpdates([Row("first", "row", [:]), Row("bad", "row", once)])
        _ = try? await list.items()
        #expect(try await list.items().map(\.reuse) == ["horror", "listd/fault"])
        let (process, revision) = (try await stage.process, try await list.objects().revision)
        switch how {
        case "write": _ = try await list.applyChanges([Upsert("bad", "row", "keep", "", ["at": .string("")])])
        case "ReloadObjects":
            _ = try await list.by(stage.stage.client).call("ReloadObjects", ["bad"], returning: UInt64.self)
        case "ReloadData": _ = try await list.by(stage.stage.client).call("ReloadData", returning: UInt64.self)
        default: try await stage.load()
        }
        try await wait(for: ["horror", "horror"], in: list)
        #expect(try await list.objects().revision == revision + 1)
        #expect(try await stage.process == process)
        _ = await stage.stop()
    }

    @Test("an object's traits trap when the list is opened → it is at fault, and its traits are not asked again")
    func traits() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Traits", ["updater": .string("reload")])
        _ = try await list.performUpdates([Row("first", "row", [:]), poison("bad", at: "traits")])
        try await wait(for: ["steady", "listd/fault"], in: list)
        // The update is a reload, for which the items of all sections are counted again.
        let rows = [Row("new", "row", [:]), Row("first", "row", [:]), poison("bad", at: "traits")]
        _ = try await list.performUpdates(rows)
        #expect(try await list.items().map(\.reuse) == ["steady", "steady", "listd/fault"])
        #expect(try await stage.plugin("RestartCount", as: UInt32.self) == 2)
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

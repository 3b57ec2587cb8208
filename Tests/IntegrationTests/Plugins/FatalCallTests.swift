// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient
import TestSupport
import Testing

@Suite("Viewers' calls that kill the plugin's worker", .timeLimit(.minutes(5)))
@DBusActor
struct FatalCallTests {
    private let pluginFailed = Listd.error("PluginFailed")

    /// Returns an object whose callback always hangs or kills the worker.
    private func poison(_ id: String, at callback: String, _ horror: String = "trap") -> Row {
        Row(id, "row", ["do": .string(horror), "at": .string(callback)])
    }

    private func openView(
        _ list: TestAdapter, _ stage: HorrorStage, _ options: [String: DBusValue] = [:]
    ) async throws -> RemoteObject {
        let (path, _, _, _, _, _) = try await list.by(stage.stage.client).call(
            "OpenView", options, returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
            UInt32.self, [String: DBusValue].self)
        return stage.stage.object(path, "View")
    }

    private func select(_ id: String, _ view: RemoteObject) async throws -> Bool {
        try await view.call("Select", id, UInt32(0), returning: Bool.self, timeout: .seconds(60))
    }

    private func restarts(_ stage: HorrorStage) async throws -> UInt32 {
        try await stage.plugin("RestartCount", as: UInt32.self)
    }

    private func refusal(_ body: @DBusActor @Sendable () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return DBusError(error).name
        }
    }

    @Test(
        "Select kills the worker → calls that name the object are refused until it changes, and it is still shown",
        .rule("OR-03"))
    func selection() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        _ = try await list.performUpdates([poison("poison", at: "selection"), Row("good", "row", [:])])
        let view = try await openView(list, stage)
        let first = await refusal { _ = try await select("poison", view) }
        #expect(first == pluginFailed)
        try await stage.wait(for: "ready", restarts: 1)
        let process = try await stage.process
        for _ in 0..<3 {
            let error = await #expect(throws: DBusError.self) { try await select("poison", view) }
            #expect(error?.name == pluginFailed)
            #expect(error?.message.contains("poison") == true && error?.message.contains("selection") == true)
        }
        let highlighted = await refusal { try await view.call("SetHighlighted", "poison", UInt32(0), true) }
        #expect(highlighted == pluginFailed)
        #expect(try await select("good", view))
        #expect(try await list.items().map(\.reuse) == ["horror", "horror"])
        #expect(try await stage.process == process)
        _ = try await list.applyChanges([Upsert("poison", "row", "keep", "", ["at": .string("nowhere")])])
        #expect(try await select("poison", view))
        #expect(try await stage.process == process)
        #expect(try await restarts(stage) == 1)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("Invoke kills the worker → PluginFailed, and Invoke is refused for that object until the object changes")
    func action() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        _ = try await list.performUpdates([poison("poison", at: "action"), Row("good", "row", [:])])
        let owner = AdapterClient(list.by(try await stage.stage.connect()))
        let heard = EventLog<String>()
        let subscription = try await owner.onInvoked { heard.record("\($0.action) \($0.objectID)") }
        let view = try await openView(list, stage)
        func invoke(_ action: String, _ id: String) async throws -> Bool {
            try await view.call(
                "Invoke", id, UInt32(0), action, [String: DBusValue](), returning: Bool.self, timeout: .seconds(60))
        }
        let first = await refusal { _ = try await invoke("handled", "poison") }
        #expect(first == pluginFailed)
        try await stage.wait(for: "ready", restarts: 1)
        let process = try await stage.process
        for action in ["handled", "another"] {
            let error = await #expect(throws: DBusError.self) { try await invoke(action, "poison") }
            #expect(error?.name == pluginFailed)
            #expect(error?.message.contains("poison") == true && error?.message.contains("handleAction") == true)
        }
        #expect(try await invoke("handled", "good") && heard.recorded == [])
        #expect(try await invoke("another", "good"))
        _ = try await list.applyChanges([Upsert("poison", "row", "keep", "", ["at": .string("nowhere")])])
        #expect(try await invoke("another", "poison"))
        #expect(heard.recorded == ["another good", "another poison"])
        #expect(try await stage.process == process)
        #expect(try await restarts(stage) == 1)
        withExtendedLifetime(subscription) {}
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("GetItems or MoveItem kills the worker → the items are shown with an error item, and the move is refused")
    func itemsAndMoves() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        _ = try await list.performUpdates([
            Row("good", "row", [:]), poison("item", at: "item"), poison("move", at: "move"), Row("last", "row", [:]),
        ])
        func items(_ first: UInt32, _ count: UInt32) async throws -> Int {
            typealias Item = DBusStruct<UInt32, String, UInt32, String, [String: DBusValue]>
            let (_, _, items) = try await list.by(stage.stage.client).call(
                "GetItems", first, count, [String](), returning: UInt64.self, UInt32.self, [Item].self,
                timeout: .seconds(60))
            return items.count
        }
        let first = await refusal { _ = try await items(0, 4) }
        #expect(first == pluginFailed)
        try await stage.wait(for: "ready", restarts: 1)
        #expect(try await items(0, 4) == 4)
        #expect(try await items(2, 2) == 2)
        #expect(try await restarts(stage) == 1)
        let view = try await openView(list, stage)
        for _ in 0..<3 {
            let refused = await refusal {
                _ = try await view.call(
                    "MoveItem", UInt32(2), UInt32(0), UInt32(0), UInt32(0), returning: Bool.self, UInt64.self,
                    timeout: .seconds(60))
            }
            #expect(refused == pluginFailed)
        }
        try await stage.wait(for: "ready", restarts: 2)
        #expect(try await restarts(stage) == 2)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "SetVisibleRange kills the worker → PluginFailed, and the view keeps the former range until it is asked again"
    )
    func visibleRange() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror", ["layout": .string("none")])
        _ = try await list.performUpdates([Row("good", "row", [:]), poison("poison", at: "item")])
        let view = try await openView(list, stage)
        func show(_ last: UInt32) async throws {
            _ = try await view.call(
                "SetVisibleRange", UInt64(0), UInt32(0), UInt32(0), last, UInt32(0), returning: UInt64.self,
                timeout: .seconds(60))
        }
        func shown() async throws -> [String] { try await view.property("VisibleObjects", as: [String].self) }
        try await show(0)
        let first = await refusal { try await show(1) }
        #expect(first == pluginFailed)
        try await stage.wait(for: "ready", restarts: 1)
        #expect(try await shown() == ["good"])
        try await show(1)
        #expect(try await shown() == ["good", "poison"])
        #expect(try await restarts(stage) == 1)
        #expect(try await list.state == "ready")
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("SetViewport kills the worker → PluginFailed, and then every viewport is shown, with an error item")
    func viewport() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        _ = try await list.performUpdates(
            (0..<20).map { $0 == 10 ? poison("poison", at: "item") : Row("r\($0)", "row", [:]) })
        let view = try await openView(list, stage, ["buffer": .double(0)])
        func show(_ y: Double) async throws {
            _ = try await view.call(
                "SetViewport", UInt64(0), 0.0, y, 100.0, 100.0, returning: UInt64.self, timeout: .seconds(60))
        }
        try await show(300)
        let first = await refusal { try await show(320) }
        #expect(first == pluginFailed)
        try await stage.wait(for: "ready", restarts: 1)
        for y in [320.0, 325, 290, 600] { try await show(y) }
        #expect(try await restarts(stage) == 1)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "a call hangs in the worker → the worker is killed after CallbackTimeout, and the repeated call is refused")
    func hang() async throws {
        let stage = try await HorrorStage("CallbackTimeout=1s")
        let list = try await stage.makeList("list", "Horror")
        _ = try await list.performUpdates([poison("poison", at: "selection", "loop")])
        let view = try await openView(list, stage)
        for _ in 0..<3 {
            let refused = await refusal { _ = try await select("poison", view) }
            #expect(refused == pluginFailed)
        }
        try await stage.wait(for: "ready", restarts: 1)
        #expect(try await restarts(stage) == 1)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "one viewer kills the worker with many objects → the plugin does not fail for other users"
    )
    func manyObjects() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        let other = try await stage.makeList("other", "Steady")
        _ = try await other.performUpdates([Row("x", "row", [:])])
        let ids = (0..<20).map { "poison \($0)" }
        _ = try await list.performUpdates(ids.map { poison($0, at: "selection") })
        let view = try await openView(list, stage)
        let tasks = ids.prefix(10).map { id in Task { @DBusActor in try await select(id, view) } }
        for task in tasks { await #expect(throws: DBusError.self) { try await task.value } }
        for id in ids.dropFirst(10) {
            let refused = await refusal { _ = try await select(id, view) }
            #expect(refused == pluginFailed)
        }
        try await stage.waitUntilItRuns()
        #expect(try await stage.plugin("State", as: String.self) == "ready")
        // Only the viewer's own calls have to wait. The other list is served.
        #expect(try await other.performUpdates([Row("x", "row", [:]), Row("y", "row", [:])]) > 0)
        while await refusal({ _ = try await other.items() }) == pluginFailed { await Task.yield() }
        #expect(try await other.items().map(\.reuse) == ["steady", "steady"])
        // After the first death no call waits. After the second death, the viewer's calls wait. A slow machine
        // allows more deaths.
        #expect(try await restarts(stage) < 8)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("closing views kills the worker repeatedly → the views are closed, and the plugin does not fail")
    func closing() async throws {
        let stage = try await HorrorStage()
        let views = try await (0..<6).asyncMap { number in
            let list = try await stage.makeList("list \(number)", "Horror")
            _ = try await list.performUpdates([poison("poison", at: "endDisplay")])
            let view = try await openView(list, stage)
            _ = try await view.call("SetViewport", UInt64(0), 0.0, 0.0, 100.0, 100.0, returning: UInt64.self)
            return view
        }
        for (number, view) in views.enumerated() {
            try await view.call("Close", timeout: .seconds(60))
            try await stage.wait(for: "ready", restarts: UInt32(number + 1))
        }
        #expect(try await stage.stage.manager.property("ViewCount", as: UInt32.self) == 0)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }
}

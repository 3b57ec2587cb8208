// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("Stored lists whose plugin is missing", .timeLimit(.minutes(3)))
@DBusActor
struct MissingPluginTests {
    private static let controllers = DBusValue.dictionary(
        key: "s", value: "s", [DBusValue.Entry(key: .string("*"), value: .string("horrors/Steady"))])

    @Test(
        "a plugin is missing at startup → its list fails, with all objects; the plugin is loaded → the list is ready",
        arguments: [true, false])
    func revived(byLoading: Bool) async throws {
        let stages = try StoreStage()
        let plugins = TemporaryDirectory()
        try HorrorStage.install(.first, in: plugins)
        let arguments = ["--state", stages.state.path, "--plugins", plugins.path]
        let configured = "[List]\n[Sections]\n*=horrors/Steady\n"
        let start = { try await Stage(on: stages.bus, arguments: arguments, files: ["configured.list": configured]) }

        let first = try await start()
        let list = try await first.createAdapter(
            "created", ["section-controllers": Self.controllers, "durability": .string("disk")])
        for adapter in [list, try await first.adapter("configured")] {
            #expect(try await adapter.performUpdates([Row("a", "row", [:]), Row("b", "row", [:])]) == 1)
        }
        let filled = try await first.createAdapter(
            "filled", ["source": .string("horrors/source"), "durability": .string("disk")])
        while try await filled.state != "ready" { await Task.yield() }
        #expect(await first.stop() == ListdProcess.Outcome(status: 0))

        try FileManager.default.removeItem(atPath: plugins.path + "/horrors.so")
        let second = try await start()
        let restored = [try await second.adapter("created"), try await second.adapter("configured")]
        for adapter in restored {
            #expect(try await adapter.state == "failed")
            #expect(try await adapter.items().map(\.reuse) == ["row", "row"])
        }
        #expect(try await second.adapter("filled").state == "failed")
        #expect(try await second.adapter("filled").objects().rows.count == 3)
        // A plugin that is still missing does not prevent a reload.
        try await second.manager.call("Reload")
        #expect(try await restored[0].state == "failed")

        try HorrorStage.install(.first, in: plugins)
        if byLoading {
            _ = try await second.manager.call("LoadPlugin", "horrors", returning: ObjectPath.self)
        } else {
            try await second.manager.call("Reload")
        }
        for adapter in restored {
            #expect(try await adapter.state == "ready")
            #expect(try await adapter.items().map(\.reuse) == ["steady", "steady"])
            #expect(try await adapter.applyChanges([Upsert("c", "row", "last", "", [:])]) > 1)
        }
        while try await second.adapter("filled").state != "ready" { await Task.yield() }
        #expect(try await second.adapter("filled").objects().rows.count == 3)
        #expect(await second.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("another plugin is loaded → no further log line about lists that use the missing plugin")
    func otherLoaded() async throws {
        let stages = try StoreStage()
        let plugins = TemporaryDirectory()
        try HorrorStage.install(.first, in: plugins)
        try HorrorStage.install(.twin, in: plugins)
        let arguments = ["--state", stages.state.path, "--plugins", plugins.path]
        let first = try await Stage(on: stages.bus, arguments: arguments)
        _ = try await first.createAdapter(
            "created", ["section-controllers": Self.controllers, "durability": .string("disk")])
        await first.stop()
        try FileManager.default.removeItem(atPath: plugins.path + "/horrors.so")
        let second = try await Stage(on: stages.bus, arguments: arguments)
        #expect(try await second.adapter("created").state == "failed")
        _ = try await second.manager.call("LoadPlugin", "twin", returning: ObjectPath.self)
        await second.stop()
        let said = second.listd.standardError
        #expect(said.contains("was restored incompletely") && !said.contains("is still incomplete"))
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("Reloads that the store refuses", .timeLimit(.minutes(3)))
@DBusActor
struct RefusedReloadTests {
    private func write(_ text: String?, to name: String, of stage: Stage) throws {
        let file = stage.listd.directory.appending(path: "config/\(name)")
        if let text {
            try text.write(to: file, atomically: true, encoding: .utf8)
        } else {
            try FileManager.default.removeItem(at: file)
        }
    }

    /// Calls Reload and checks that it fails for a list with this reason.
    private func expectRefusedReload(_ stage: Stage, list: String, reason: String) async throws {
        let error = await #expect(throws: DBusError.self) { try await stage.manager.call("Reload") }
        #expect(error?.name == Listd.error("ReloadIncomplete"))
        #expect(error?.message.contains("the list \(list) \(reason): ") == true)
    }

    private func option(_ name: String, of list: TestAdapter) async throws -> DBusValue? {
        try await list.by(list.stage.client).property("Options", as: [String: DBusValue].self)[name]?.unwrapped
    }

    private func listFile(durability word: String) -> String { "[List]\nDurability=\(word)\n" }

    @Test("the store refuses a change from memory to disk → the list stays in memory until the next reload")
    func toDisk() async throws {
        let stages = try StoreStage()
        let stage = try await stages.start(files: ["a.list": listFile(durability: "memory")])
        let list = try await stage.adapter("a")
        #expect(try await list.performUpdates([Row("early", "", [:])]) == 1)
        try stages.hideFile()
        try write(listFile(durability: "disk") + "Layout=none\n", to: "a.list", of: stage)
        try await expectRefusedReload(stage, list: "a", reason: "was not changed")
        #expect(try await option("durability", of: list) == .string("memory"))
        #expect(try await option("layout", of: list) != .string("none"))
        #expect(try await list.objects().revision == 1)
        try stages.restoreFile()
        try await stage.manager.call("Reload")
        #expect(try await option("durability", of: list) == .string("disk"))
        #expect(try await option("layout", of: list) == .string("none"))
        let revision = try await list.applyChanges([Upsert("late", "", "last", "", [:])])
        await stage.kill()
        try await stages.run(files: ["a.list": listFile(durability: "disk") + "Layout=none\n"]) { stage in
            let state = try await stage.adapter("a").objects()
            #expect(state.revision == revision && state.rows.map(\.id) == ["early", "late"])
        }
    }

    @Test("the store refuses a change from disk to memory → the list stays stored until the next reload")
    func toMemory() async throws {
        let stages = try StoreStage()
        let stage = try await stages.start(files: ["a.list": listFile(durability: "disk")])
        let list = try await stage.adapter("a")
        #expect(try await list.performUpdates([Row("early", "", [:])]) == 1)
        try stages.hideFile()
        try write(listFile(durability: "memory"), to: "a.list", of: stage)
        try await expectRefusedReload(stage, list: "a", reason: "was not changed")
        #expect(try await option("durability", of: list) == .string("disk"))
        try stages.restoreFile()
        #expect(try await list.applyChanges([Upsert("late", "", "last", "", [:])]) == 2)
        await stage.kill()
        let second = try await stages.start(files: ["a.list": listFile(durability: "disk")])
        let restored = try await second.adapter("a")
        #expect(try await restored.objects().rows.map(\.id) == ["early", "late"])
        try write(listFile(durability: "memory"), to: "a.list", of: second)
        try await second.manager.call("Reload")
        #expect(try await restored.applyChanges([Upsert("last", "", "last", "", [:])]) == 3)
        await second.kill()
        try await stages.run(files: ["a.list": listFile(durability: "disk")]) { stage in
            let state = try await stage.adapter("a").objects()
            #expect(state.rows.isEmpty)
        }
    }

    @Test(
        "the store refuses new section controllers → the former controllers stay in use until the next reload"
    )
    func otherControllers() async throws {
        let stages = try StoreStage()
        let stage = try await stages.start(files: ["a.list": listFile(durability: "disk")])
        let list = try await stage.adapter("a")
        #expect(try await list.performUpdates([Row("early", "row", [:])]) == 1)
        try stages.hideFile()
        try write(listFile(durability: "disk") + "[Sections]\n*=listd/binding\n", to: "a.list", of: stage)
        try await expectRefusedReload(stage, list: "a", reason: "was not changed")
        try stages.restoreFile()
        #expect(try await list.applyChanges([Upsert("late", "row", "last", "", [:])]) == 2)
        #expect(try await list.items().map(\.reuse) == ["row", "row"])
        try await stage.manager.call("Reload")
        #expect(try await list.items().isEmpty)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "the store refuses to remove a list → the error names the list, which stays until the next reload"
    )
    func removal() async throws {
        let stages = try StoreStage()
        let stage = try await stages.start(
            files: ["a.list": listFile(durability: "disk"), "b.list": listFile(durability: "memory")])
        #expect(try await stage.adapter("a").performUpdates([Row("x", "", [:])]) == 1)
        try stages.hideFile()
        try write(nil, to: "a.list", of: stage)
        try write(nil, to: "b.list", of: stage)
        try await expectRefusedReload(stage, list: "a", reason: "was not removed, although no file configures it")
        #expect(try await stage.names() == ["a"])
        try stages.restoreFile()
        try await stage.manager.call("Reload")
        #expect(try await stage.names() == [])
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        let said = stage.listd.standardError.split(separator: "\n").filter { $0.contains("reloaded the configuration") }
        #expect(said.count == 2 && said.allSatisfy { $0.contains("0 lists added, 1 removed, 0 changed") })
    }
}

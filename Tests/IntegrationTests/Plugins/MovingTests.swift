// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport
import Testing

@Suite("Lists whose section controllers move to another process", .timeLimit(.minutes(5)))
@DBusActor
struct MovingTests {
    /// Returns the text of a list file that names a section controller for all types; `nil` = none.
    private func listFile(_ controller: String?) -> String {
        "[List]\nDurability=memory\n" + (controller.map { "[Sections]\n*=\($0)\n" } ?? "")
    }

    private func write(_ text: String, to name: String, of stage: Stage) throws {
        try text.write(
            to: stage.listd.directory.appending(path: "config/\(name)"), atomically: true, encoding: .utf8)
    }

    private func reload(_ stage: Stage, _ controller: String?) async throws {
        try write(listFile(controller), to: "moving.list", of: stage)
        try await stage.manager.call("Reload")
    }

    @Test(
        "Reload moves a list into a worker and back → objects, revisions, views and slots are preserved"
    )
    func moves() async throws {
        let horrors = try await HorrorStage(files: ["moving.list": listFile(nil)])
        let stage = horrors.stage
        let list = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/moving")
        #expect(
            try await list.performUpdates((0..<50).map { Row("row \($0)", "row", ["value": .int64(Int64($0))]) }) == 1)
        let updates = EventLog<UpdatedSignal>()
        _ = try await stage.client.subscribe(MatchRule(path: list.path, member: "Updated")) { message in
            if let update = try? UpdatedSignal(message), update.kind != "announce" { updates.record(update) }
        }
        let view = try await list.openView()
        var revision: UInt64 = 1
        for (controller, reuse) in [("horrors/Steady", "steady"), (nil, "row"), ("horrors/Steady", "steady")] {
            try await reload(stage, controller)
            #expect(try await list.items().map(\.reuse) == Array(repeating: reuse, count: 50))
            let update = try await updates.next()
            #expect(update.base == revision && update.revision == revision + 1 && update.kind == "reload")
            #expect(update.itemCount == 50)
            let present = try await view.present()
            #expect(view.picture.showsSameItems(as: present))
            #expect(view.picture.inReadingOrder.allSatisfy { $0.reuseIdentifier == reuse })
            // Writes continue with the next revision, and are shown in the view.
            let value = DBusValue.int64(Int64(revision) * 100)
            revision = try await list.applyChanges([Upsert("row 1", "row", "keep", "", ["value": value])])
            #expect(revision == update.revision + 1)
            #expect(try await updates.next().revision == revision)
            #expect(try await list.state == "ready")
            let changed = try await view.present()
            #expect(view.picture.showsSameItems(as: changed))
        }
        #expect(try await list.objects().rows.count == 50)
        #expect(await horrors.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "Reload selects another section controller, which hangs → the list recovers in a new worker"
    )
    func hangsInTraits() async throws {
        let horrors = try await HorrorStage("CallbackTimeout=2s", files: ["moving.list": listFile("horrors/Steady")])
        let list = TestAdapter(stage: horrors.stage, path: "/org/listd/Listd1/adapters/moving")
        #expect(try await list.performUpdates([Row("a", "row", [:])]) == 1)
        let process = try await horrors.process
        try await reload(horrors.stage, "horrors/Traits")
        #expect(try await list.items().map(\.reuse) == ["steady"])
        #expect(try await horrors.process == process)
        let fields: [String: DBusValue] = [
            "do": .string("loop"), "at": .string("traits"), "once": .string(try horrors.makeToken("once")),
        ]
        _ = try? await list.performUpdates([Row("victim", "row", fields)])
        try await horrors.wait(for: "ready", restarts: 1)
        let error = try await horrors.plugin("LastError", as: String.self)
        #expect(error.contains("CallbackTimeout"))
        #expect(error.contains("horrors/Traits on object “victim”"))
        #expect(try await list.items().map(\.reuse) == ["steady"])
        #expect(await horrors.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "a list moves into a worker and back during writes → each call is answered once, and a mirror equals the list"
    )
    func movesUnderLoad() async throws {
        let horrors = try await HorrorStage(files: ["moving.list": listFile(nil)])
        try await whileWriting(on: horrors) { stage in
            for step in 0..<6 { try await reload(stage, step.isMultiple(of: 2) ? "horrors/Steady" : nil) }
        }
        #expect(await horrors.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "a list moves between workers during writes → a mirror equals the list, and the new worker makes the items"
    )
    func movesBetweenWorkers() async throws {
        let horrors = try await HorrorStage(files: ["moving.list": listFile("horrors/Steady")])
        try horrors.install(.twin)
        let list = TestAdapter(stage: horrors.stage, path: "/org/listd/Listd1/adapters/moving")
        let twin = horrors.stage.object("/org/listd/Listd1/plugins/twin", "Plugin")
        try await whileWriting(on: horrors) { stage in
            for step in 0..<6 {
                let isTwin = step.isMultiple(of: 2)
                try await reload(stage, isTwin ? "twin/Steady" : "horrors/Steady")
                #expect(try await Set(list.items().map(\.reuse)) == [isTwin ? "twin" : "steady"])
            }
            #expect(try await twin.property("ProcessID", as: UInt32.self) != horrors.process)
        }
        // Nothing of the list is left in the worker `twin`, so its plugin can be unloaded.
        try await horrors.stage.manager.call("UnloadPlugin", "twin")
        #expect(try await Set(list.items().map(\.reuse)) == ["steady"])
        #expect(await horrors.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("newer plugin files are loaded during writes → each starts a new process, and a mirror equals the list")
    func newerFilesUnderLoad() async throws {
        let horrors = try await HorrorStage(files: ["moving.list": listFile("horrors/Steady")])
        let list = TestAdapter(stage: horrors.stage, path: "/org/listd/Listd1/adapters/moving")
        try await whileWriting(on: horrors) { _ in
            for step in 0..<6 {
                let process = try await horrors.process
                try horrors.install(step.isMultiple(of: 2) ? .second : .first)
                try await horrors.load()
                #expect(try await horrors.process != process)
                let version = DBusValue.string(step.isMultiple(of: 2) ? "2.0" : "1.0")
                #expect(try await list.items().allSatisfy { $0.content["version"] == version })
            }
        }
        #expect(try await horrors.plugin("RestartCount", as: UInt32.self) == 0)
        #expect(await horrors.stop() == ListdProcess.Outcome(status: 0))
    }

    /// Runs `body` while a writer writes to the list. Checks that each write is answered once, and that a view and
    /// a mirror, which has followed all changes, equal the list at the end.
    private func whileWriting(
        on horrors: HorrorStage, _ body: @DBusActor (Stage) async throws -> Void
    ) async throws {
        let stage = horrors.stage
        let list = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/moving")
        let updates = EventLog<UpdatedSignal>()
        _ = try await stage.client.subscribe(MatchRule(path: list.path, member: "Updated")) { message in
            if let update = try? UpdatedSignal(message), update.kind != "announce" { updates.record(update) }
        }
        let view = try await list.openView()
        var mirror = ListMirror(try await list.objects())
        let isDone = Countdown(1)
        let writer = Task { @DBusActor in
            var (number, last): (Int64, UInt64) = (0, 0)
            while !isDone.isOver || number < 50 {
                let revision = try await list.applyChanges([
                    Upsert("row \(number % 7)", "row", "first", "", ["value": .int64(number)])
                ])
                #expect(revision > last)
                (number, last) = (number + 1, revision)
            }
        }
        do {
            try await body(stage)
        } catch {
            isDone.finish()
            try await writer.value
            throw error
        }
        isDone.finish()
        try await writer.value
        let state = try await list.objects()
        var taken: [UpdatedSignal] = []
        while !updates.recorded.isEmpty { taken.append(try await updates.next()) }
        try mirror.apply(taken, leadingTo: state)
        let present = try await view.present()
        #expect(view.picture.showsSameItems(as: present))
    }

    @Test("a plugin is loaded into the daemon → listd sleeps while nothing happens")
    func sleeps() async throws {
        let horrors = try await HorrorStage("[Plugin greenhouse]\nIsolation=none")
        try FixtureCompiler.compileSwift("greenhouse.swift", to: horrors.directory.path + "/greenhouse.so")
        _ = try await horrors.stage.manager.call("LoadPlugin", "greenhouse", returning: ObjectPath.self)
        // A loop that finds work in each turn is hardly ever asleep.
        var asleep = 0
        while asleep < 100 {
            asleep = ProcessStatus(horrors.stage.listd.identifier)?.isAsleep == true ? asleep + 1 : 0
            await Task.yield()
        }
        #expect(await horrors.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "a list has section controllers of two plugins, one in a worker → the error names both, and nothing changes"
    )
    func twoPlugins() async throws {
        let horrors = try await HorrorStage(
            "[Plugin greenhouse]\nIsolation=none", files: ["moving.list": listFile("horrors/Steady")])
        try FixtureCompiler.compileSwift("greenhouse.swift", to: horrors.directory.path + "/greenhouse.so")
        let stage = horrors.stage
        let sections = "[Sections]\na=horrors/Steady\nb=greenhouse/ReadingController\n"
        try write("[List]\nDurability=memory\n" + sections, to: "moving.list", of: stage)
        let refused = await #expect(throws: DBusError.self) { try await stage.manager.call("Reload") }
        #expect(refused?.name == Listd.error("ReloadIncomplete"))
        #expect(refused?.message.contains("moving.list:5: ") == true)
        let controllers = DBusValue.dictionary(
            key: "s", value: "s",
            [
                DBusValue.Entry(key: .string("a"), value: .string("horrors/Steady")),
                DBusValue.Entry(key: .string("b"), value: .string("greenhouse/ReadingController")),
            ])
        let error = await #expect(throws: DBusError.self) {
            try await stage.createAdapter("both", ["section-controllers": controllers])
        }
        #expect(error?.standard == .invalidArgs)
        #expect(error?.message.contains("“horrors” and “greenhouse”") == true)
        let list = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/moving")
        _ = try await list.performUpdates([Row("x", "a", [:])])
        #expect(try await list.items().map(\.reuse) == ["steady"])
        #expect(await horrors.stop() == ListdProcess.Outcome(status: 0))
    }
}

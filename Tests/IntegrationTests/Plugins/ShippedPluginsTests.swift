// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

/// Runs each shipped plugin in the real daemon, with and without a worker: its list in a view, and a change of the
/// list.
@Suite("The shipped plugins", .timeLimit(.minutes(5)))
@DBusActor
struct ShippedPluginsTests {
    @Test(
        "files: a directory of a tree is renamed → its rows keep their ids and slots",
        .enabled(if: PluginStage.isBuilt("files"), "`make test` has not built it"),
        arguments: PluginStage.Isolation.allCases)
    func files(_ isolation: PluginStage.Isolation) async throws {
        let shown = try await PluginStage(
            isolation, source: "files/directory?%d&recursive", controllers: ["*": "files/EntryController"]
        ) { files in
            try files.makeDirectory("b")
            try files.write("12345", to: "b/x.txt")
            try files.write("", to: "a")
        }
        try await shown.wait(for: ["b", "x.txt", "a"])
        #expect(shown.texts(key: "detail") == ["directory", "5 B", "0 B"])
        let slots = shown.view.picture.inReadingOrder.map(\.slot)
        try shown.files.rename("b", "z")
        try await shown.wait(for: ["z", "x.txt", "a"])
        #expect(shown.view.picture.inReadingOrder.map(\.slot) == slots)
        #expect(shown.view.picture.inReadingOrder.map(\.objectID) == ["b", "b/x.txt", "a"])
        try shown.files.write("", to: "z/new")
        try await shown.wait(for: ["z", "new", "x.txt", "a"])
        let signalled = shown.view.picture
        #expect(try await shown.view.resync().shown == signalled.shown)
        #expect(await shown.stage.stop().status == 0)
    }

    @Test(
        "packages: packages are removed and upgraded → the rows and the sticky header follow",
        .enabled(if: PluginStage.isBuilt("packages"), "`make test` has not built it"),
        arguments: PluginStage.Isolation.allCases)
    func packages(_ isolation: PluginStage.Isolation) async throws {
        func stanza(_ name: String, _ version: String = "1.0") -> String {
            "Package: \(name)\nStatus: install ok installed\nVersion: \(version)\nArchitecture: all\n\n"
        }
        let shown = try await PluginStage(
            isolation, source: "packages/installed?%d/status", controllers: ["*": "packages/LetterController"],
            ["sticky-headers": .boolean(true)]
        ) { files in
            let names = (0..<30).map { "a\(100 + $0)" } + ["bash"]
            try files.write(names.map { stanza($0) }.joined(), to: "status")
        }
        try await shown.wait { !$0.shown.isEmpty }
        #expect(shown.texts().prefix(2) == ["a100", "a101"])
        #expect(shown.texts(kind: "header", key: "detail") == ["30 packages"])
        try await shown.view.setViewport(y: 500, seen: shown.view.picture.sequence)
        try await shown.wait { $0.inReadingOrder.first { $0.kind == "header" }?.frame.y == 500 }
        try shown.files.write(stanza("a100") + stanza("a101", "2.0"), to: "status")
        try await shown.wait { $0.inReadingOrder.contains { $0.content["detail"] == .string("2.0") } }
        try await shown.wait(for: ["2 packages"], kind: "header", key: "detail")
        #expect(shown.texts() == ["a100", "a101"])
        #expect(try await shown.property("ObjectCount", as: UInt32.self) == 1)
        #expect(await shown.stage.stop().status == 0)
    }

    @Test(
        "marslink: messages arrive → the view shows them; the weather is selected → the weather section expands",
        .enabled(if: PluginStage.isBuilt("marslink"), "`make test` has not built it"),
        arguments: PluginStage.Isolation.allCases)
    func marslink(_ isolation: PluginStage.Isolation) async throws {
        let shown = try await PluginStage(
            isolation, source: "marslink/feed",
            controllers: [
                "journal": "marslink/JournalSectionController", "message": "marslink/MessageSectionController",
                "weather": "marslink/WeatherSectionController",
            ], settings: "MessageInterval=20ms")
        try await shown.wait { picture in
            picture.inReadingOrder.filter { $0.reuseIdentifier == "message" }.count >= 2
        }
        try await shown.wait { $0.inReadingOrder.first?.objectID == "message-4" }
        #expect(try await shown.view.remote.call("Select", "weather-12", UInt32(0), returning: Bool.self) == false)
        try await shown.wait { picture in
            picture.inReadingOrder.filter { $0.reuseIdentifier == "weather-detail" }.count == 4
        }
        #expect(try await shown.property("ObjectCount", as: UInt32.self) == 10)
        #expect(await shown.stage.stop().status == 0)
    }

    @Test(
        "marslink: a detail of the weather is dragged → the detail has its new position, also after a reload",
        .enabled(if: PluginStage.isBuilt("marslink"), "`make test` has not built it"),
        arguments: PluginStage.Isolation.allCases)
    func dragging(_ isolation: PluginStage.Isolation) async throws {
        let shown = try await PluginStage(
            isolation, source: "push", controllers: ["*": "marslink/WeatherSectionController"])
        let weather: [String: DBusValue] = [
            "date": .int64(0), "high": .int64(1), "low": .int64(-70), "sunrise": .string("5:40"),
            "sunset": .string("18:00"), "condition": .string("clear"),
        ]
        _ = try await shown.adapter.performUpdates([Row("w", "weather", weather)])
        _ = try await shown.view.remote.call("Select", "w", UInt32(0), returning: Bool.self)
        try await shown.wait { $0.shown.count == 5 }
        let (moved, _) = try await shown.view.remote.call(
            "MoveItem", UInt32(0), UInt32(1), UInt32(0), UInt32(4), returning: Bool.self, UInt64.self)
        #expect(moved)
        try await shown.wait { _ in shown.texts().dropFirst() == ["SUNSET", "HIGH", "LOW", "SUNRISE"] }
        _ = try await shown.adapter.by(shown.stage.client).call("ReloadData", returning: UInt64.self)
        _ = try await shown.view.resync()
        #expect(shown.texts().dropFirst() == ["SUNSET", "HIGH", "LOW", "SUNRISE"])
        #expect(await shown.stage.stop().status == 0)
    }

    @Test(
        "journal: a new entry is written → the entry is shown at the top",
        .enabled(if: PluginStage.isBuilt("journal"), "`make test` has not built it"),
        .enabled(if: JournalRemote.isInstalled, "systemd-journal-remote is not installed"),
        arguments: PluginStage.Isolation.allCases)
    func journal(_ isolation: PluginStage.Isolation) async throws {
        let files = TemporaryDirectory()
        let journal = try JournalRemote(file: "\(files.path)/test.journal")
        try journal.write("started", priority: 6)
        try journal.write("broken", priority: 3)
        let shown = try await PluginStage(
            isolation, source: "journal/entries?\(files.path)&lines=10",
            controllers: ["err": "journal/AlertController", "*": "journal/EntryController"])
        try await shown.wait { picture in
            picture.inReadingOrder.filter { $0.kind == "cell" && $0.item == 0 }.map(\.reuseIdentifier) == [
                "alert", "entry",
            ]
        }
        #expect(shown.texts(kind: "header") == ["err"])
        try journal.write("mended", priority: 5)
        try await shown.wait { $0.inReadingOrder.first?.content["title"] == .string("mended") }
        #expect(shown.texts().first == "mended")
        #expect(shown.texts().last == "started")
        journal.end()
        #expect(await shown.stage.stop().status == 0)
    }

    @Test(
        "a source fails → the list has failed, but keeps its objects; the source recovers → the list is ready",
        .enabled(if: PluginStage.isBuilt("packages"), "`make test` has not built it"),
        arguments: PluginStage.Isolation.allCases)
    func failing(_ isolation: PluginStage.Isolation) async throws {
        let stanza = "Package: a\nStatus: install ok installed\n"
        let shown = try await PluginStage(
            isolation, source: "packages/installed?%d/status", controllers: ["*": "packages/LetterController"]
        ) { try $0.write(stanza, to: "status") }
        try await shown.wait(for: ["a"])
        let states = EventLog<String>()
        _ = try await shown.stage.client.subscribe(
            MatchRule(path: shown.adapter.path, member: "PropertiesChanged")
        ) { message in
            let changed = try? message.decode(as: String.self, [String: DBusValue].self, [String].self)
            if case .string(let state) = changed?.1["State"] { states.record(state) }
        }
        try shown.files.rename("status", "elsewhere")
        _ = try await states.next(timeout: .seconds(60)) { $0 == "failed" }
        #expect(shown.texts() == ["a"])
        try shown.files.rename("elsewhere", "status")
        _ = try await states.next(timeout: .seconds(60)) { $0 == "ready" }
        #expect(try await shown.property("State", as: String.self) == "ready")
        #expect(await shown.stage.stop().status == 0)
    }

    @Test(
        "a list is created with an invalid source argument → the error names the argument, and there is no list",
        .enabled(
            if: ["files", "journal", "marslink", "packages"].allSatisfy { PluginStage.isBuilt($0) },
            "`make test` has not built it"),
        arguments: [
            ("files/directory?relative", "relative"), ("files/directory?/a&colour", "colour"),
            ("journal/entries?priority=loud", "loud"), ("journal/entries?lines=0", "lines"),
            ("marslink/feed?here", "here"), ("packages/installed?&all=perhaps", "all"),
        ], PluginStage.Isolation.allCases)
    func badArguments(_ bad: (source: String, named: String), _ isolation: PluginStage.Isolation) async throws {
        let plugin = bad.source.prefix { $0 != "/" }
        let stage = try await Stage(files: ["listd.conf": "[Plugin \(plugin)]\nIsolation=\(isolation.rawValue)\n"])
        var message = ""
        do {
            _ = try await stage.createAdapter("bad", ["source": .string(bad.source)])
            Issue.record("the list was created")
        } catch {
            message = "\(DBusError(error))"
        }
        #expect(message.contains(bad.named))
        #expect(try await stage.manager.property("AdapterCount", as: UInt32.self) == 0)
        await stage.stop()
    }
}

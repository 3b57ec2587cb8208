// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Errors of sources", .timeLimit(.minutes(3)))
@DBusActor
struct SourceErrorTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path + "/rows.jsonl" }

    private func write(_ lines: String...) throws {
        // Renames a new file over the old one, so that no reader sees half of it.
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func start(_ more: String = "") async throws -> Stage {
        try await Stage(files: ["a.list": "[List]\nSource=jsonl:\(path)\n\(more)"])
    }

    @Test(
        "a file is missing → its list fails, and SourceError has the path; the file appears → the list is ready"
    )
    func missing() async throws {
        let stage = try await start()
        let list = try await stage.adapter("a")
        while try await list.state != "failed" { await Task.yield() }
        #expect(try await list.sourceError == "\(path) does not exist; listd waits for it")
        let changes = EventLog<[String: DBusValue]>()
        let rule = MatchRule(path: list.path, interface: StandardInterface.properties, member: "PropertiesChanged")
        let subscription = try await stage.client.subscribe(rule) { message in
            let changed = try? message.decode(as: String.self, [String: DBusValue].self, [String].self)
            if let changed { changes.record(changed.1) }
        }
        try write(#"{"id": "a"}"#)
        let changed = try await changes.next { $0["SourceError"] != nil }
        #expect(changed["SourceError"]?.unwrapped == .string(""))
        #expect(changed["State"]?.unwrapped == .string("ready"))
        #expect(try await list.sourceError == "")
        _ = subscription
        await stage.stop()
    }

    @Test(
        "a line is malformed → the list is ready with the other lines, and SourceError names the malformed line",
        .rule("SO-02"))
    func line() async throws {
        try write(#"{"id": "a"}"#, "nonsense", #"{"id": "b"}"#)
        let stage = try await start()
        let list = try await stage.adapter("a")
        while try await list.state == "loading" { await Task.yield() }
        #expect(try await list.state == "ready")
        #expect(try await list.sourceError.hasPrefix("\(path), line 2: malformed JSON"))
        #expect(try await list.objects().rows.map(\.id) == ["a", "b"])
        try write(#"{"id": "a"}"#, #"{"id": "c"}"#)
        while try await list.sourceError != "" { await Task.yield() }
        #expect(try await list.state == "ready")
        while try await list.objects().rows.map(\.id) != ["a", "c"] { await Task.yield() }
        await stage.stop()
    }

    @Test(
        "the file is removed → the list keeps its objects, with SourceError; a file has no valid line → the list fails",
        .rule("SO-01"))
    func gone() async throws {
        try write(#"{"id": "a"}"#)
        let stage = try await start()
        let list = try await stage.adapter("a")
        while try await list.state != "ready" { await Task.yield() }
        unsafe unlink(path)
        while try await list.sourceError != "\(path) was removed; listd waits for it" { await Task.yield() }
        #expect(try await list.state == "ready")
        try write("nonsense")
        while try await list.state != "failed" { await Task.yield() }
        #expect(try await list.sourceError.hasPrefix("\(path), line 1: malformed JSON"))
        #expect(try await list.objects().rows.map(\.id) == ["a"])
        await stage.stop()
    }

    @Test(
        "a restricted list has a source error → its readers see the text, and other users do not, even in signals",
        .enabled(if: Agent.canBeOthers))
    func restricted() async throws {
        try write(#"{"id": "a"}"#, #"{"secret": 1}"#)
        let stage = try await start("Readers=owner\n")
        let list = try await stage.adapter("a")
        while try await list.state == "loading" { await Task.yield() }
        #expect(try await list.sourceError.contains("secret"))
        let stranger = try await Agent(stage.bus.address, user: Agent.nobody)
        try await stranger.match("interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'")
        let denied = Listd.standardError("AccessDenied")
        #expect(try await stranger.property(list.path, "Adapter", "SourceError").error == denied)
        #expect(try await stranger.property(list.path, "Adapter", "State") == .values(#"["ready"]"#))
        let all = try await stranger.call(
            list.path, StandardInterface.properties, "GetAll", "s", #"["org.listd.Listd1.Adapter"]"#)
        #expect(all.values?.contains("SourceError") == false)
        try write(#"{"id": "a"}"#, #"{"secret": 2}"#, #"{"id": "b"}"#, #"{"other secret": 3}"#)
        while try await list.objects().rows.count < 2 { await Task.yield() }
        try write(#"{"another secret": 4}"#)
        while try await list.state != "failed" { await Task.yield() }
        _ = try await stranger.property(list.path, "Adapter", "State")
        let heard = try await stranger.signals()
        #expect(heard.contains("SourceError") && !heard.contains("secret"))
        await stage.stop()
    }

    @Test("a list has failed or has a source error → systemd's status line counts the list")
    func statusLine() async throws {
        try write(#"{"id": "a"}"#)
        let stage = try await Stage(files: ["a.list": "[List]\nSource=jsonl:\(path)\n", "b.list": "[List]\n"])
        let list = try await stage.adapter("a")
        while try await list.objects().rows.isEmpty { await Task.yield() }
        try write("nonsense")
        #expect(await stage.listd.waitForNotification("STATUS=2 lists, 1 object, 0 views, 1 list failed"))
        try write(#"{"id": "a"}"#, "nonsense", #"{"id": "b"}"#)
        #expect(await stage.listd.waitForNotification("STATUS=2 lists, 2 objects, 0 views, 1 list with a source error"))
        try write(#"{"id": "a"}"#)
        #expect(await stage.listd.waitForNotification("STATUS=2 lists, 1 object, 0 views"))
        await stage.stop()
    }

    @Test("a plugin has failed → systemd's status line counts the plugin, and listctl list prints the reason")
    func plugin() async throws {
        let horrors = try await HorrorStage()
        _ = try await horrors.stage.createAdapter("list", ["source": .string("horrors/source?trap in timer")])
        #expect(await horrors.stage.listd.waitForNotification(", 1 plugin failed"))
        let (status, lines) = try await Listctl.run(horrors.stage.bus.address, "list")
        #expect(status == 0)
        #expect(lines.contains { $0.hasPrefix("listctl: the plugin “horrors” has failed: ") && $0.contains("timer") })
        await horrors.stop()
    }

    @Test("a list has failed → listctl list prints the list's state, and the reason on standard error")
    func listed() async throws {
        let stage = try await start()
        let list = try await stage.adapter("a")
        while try await list.state != "failed" { await Task.yield() }
        let (status, lines) = try await Listctl.run(stage.bus.address, "list")
        #expect(status == 0)
        #expect(lines.contains("listctl: the list “a” has failed: \(path) does not exist; listd waits for it"))
        #expect(lines.contains { $0.hasPrefix("NAME  STATE   OWNER  OBJECTS  SIZE") })
        #expect(lines.contains { $0.hasPrefix("a     failed  root ") })
        let json = try await Listctl.run(stage.bus.address, "--json", "list").lines
        let reason = "does not exist; listd waits for it"
        #expect(json.contains { $0.contains(#""state":"failed""#) && $0.contains(reason) })
        await stage.stop()
    }
}

extension TestAdapter {
    /// The property `SourceError`.
    var sourceError: String {
        get async throws { try await by(stage.client).property("SourceError", as: String.self) }
    }
}

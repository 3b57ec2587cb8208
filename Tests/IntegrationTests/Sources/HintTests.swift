// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport
import Testing

/// Hints about the display of fields: the option `hints`, and hints of sources.
@Suite("Field hints over the bus", .timeLimit(.minutes(3)))
@DBusActor
struct HintTests {
    private func strings(_ hints: [String: String]) -> DBusValue {
        .dictionary(key: "s", value: "s", hints.map { .init(key: .string($0.key), value: .string($0.value)) })
    }

    @Test(
        "a list has hints → every reader gets the hints; a hint is unknown → InvalidArgs",
        arguments: TransportKind.allCases)
    func option(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let words = Dictionary(uniqueKeysWithValues: FieldHint.allCases.map { ("field \($0.rawValue)", $0.rawValue) })
        let adapter = try await stage.createAdapter("list", ["hints": strings(words)])
        let list = AdapterClient(adapter.by(try await stage.connect(transport)))
        #expect(try await list.hints().mapValues(\.rawValue) == words)
        let wrong = await failure { _ = try await stage.createAdapter("other", ["hints": strings(["a": "bits"])]) }
        #expect(wrong == Listd.standardError("InvalidArgs"))
        await stage.stop()
    }

    @Test("a list file with [Hints] → the list has the hints; a reload with other hints → the property Options changes")
    func configured() async throws {
        let stage = try await Stage(files: ["news.list": "[List]\nSource=push\n[Hints]\nsize=bytes\nseen=time-us\n"])
        let adapter = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/news")
        let list = AdapterClient(adapter.by(stage.client))
        #expect(try await list.hints() == ["size": .bytes, "seen": .timeInMicroseconds])
        let changes = EventLog<Bool>()
        let rule = MatchRule(path: adapter.path, member: "PropertiesChanged")
        let subscription = try await stage.client.subscribe(rule) { message in
            let arguments = try? message.decode(as: String.self, [String: DBusValue].self, [String].self)
            if arguments?.1["Options"] != nil { changes.record(true) }
        }
        try "[List]\n[Hints]\nload=percent\n".write(
            toFile: stage.listd.directory.appending(path: "config/news.list").path, atomically: true, encoding: .utf8)
        try await stage.manager.call("Reload")
        #expect(try await list.hints() == ["load": .percent] && changes.recorded.count == 1)
        withExtendedLifetime(subscription) {}
        await stage.stop()
    }

    @Test(
        "a plugin's source has hints → the list has these hints, except for fields whose hint is the list's own",
        arguments: ["worker", "none"])
    func source(isolation: String) async throws {
        let directory = TemporaryDirectory()
        try HorrorStage.install(.first, in: directory)
        let stage = try await Stage(
            arguments: ["--plugins", directory.path],
            files: ["listd.conf": "[Plugin horrors]\nIsolation=\(isolation)\n"])
        let plain = try await stage.createAdapter("plain", ["source": .string("horrors/source")])
        #expect(
            try await AdapterClient(plain.by(stage.client)).hints() == ["count": .percent, "size": .bytes])
        let own = try await stage.createAdapter(
            "own", ["source": .string("horrors/source"), "hints": strings(["size": "permissions", "other": "gid"])])
        #expect(
            try await AdapterClient(own.by(stage.client)).hints()
                == ["count": .percent, "size": .permissions, "other": .groupID])
        await stage.stop()
    }

    @Test("a list follows another list → the follower has that list's hints, except for fields whose hint is its own")
    func follower() async throws {
        let stage = try await Stage(files: ["news.list": "[List]\n[Hints]\nsize=bytes\nseen=time-us\n"])
        let found = try await stage.createFollower("found", of: "news", "", ["hints": strings(["size": "permissions"])])
        let second = try await stage.createFollower("second", of: "found", "limit=3")
        let lists = [found, second].map { AdapterClient($0.by(stage.client)) }
        for list in lists { #expect(try await list.hints() == ["size": .permissions, "seen": .timeInMicroseconds]) }
        let changes = EventLog<Bool>()
        let rule = MatchRule(path: second.path, member: "PropertiesChanged")
        let subscription = try await stage.client.subscribe(rule) { message in
            let arguments = try? message.decode(as: String.self, [String: DBusValue].self, [String].self)
            if arguments?.1["Options"] != nil { changes.record(true) }
        }
        try "[List]\n[Hints]\nload=percent\n".write(
            toFile: stage.listd.directory.appending(path: "config/news.list").path, atomically: true, encoding: .utf8)
        try await stage.manager.call("Reload")
        for list in lists { #expect(try await list.hints() == ["size": .permissions, "load": .percent]) }
        #expect(changes.recorded.count == 1)
        // Without the followed list, the follower has only its own hints.
        try FileManager.default.removeItem(at: stage.listd.directory.appending(path: "config/news.list"))
        try await stage.manager.call("Reload")
        for list in lists { #expect(try await list.hints() == ["size": .permissions]) }
        withExtendedLifetime(subscription) {}
        await stage.stop()
    }

    @Test(
        "the files plugin fills a list → the list has hints for sizes, times, permissions and owners",
        .enabled(if: PluginStage.isBuilt("files"), "`make test` has not built it"))
    func files() async throws {
        let stage = try await PluginStage(
            .worker, source: "files/directory?%d", controllers: ["*": "files/EntryController"])
        let hints = try await AdapterClient(stage.adapter.by(stage.stage.client)).hints()
        #expect(
            hints == ["size": .bytes, "modified": .timeInMicroseconds, "mode": .permissions, "owner": .userID])
        await stage.stage.stop()
    }
}

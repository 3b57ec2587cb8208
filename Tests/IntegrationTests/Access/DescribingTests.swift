// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport
import Testing

/// The descriptions that listd gives of its clients and lists.
@Suite("Descriptions of clients and lists", .timeLimit(.minutes(3)))
@DBusActor
struct DescribingTests {
    private func clients(_ stage: Stage) async throws -> [String: ListDaemonClient.Description] {
        let rows = try await ListDaemonClient(connection: stage.client).clients()
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0) })
    }

    @Test(
        "a client makes calls → ListClients reports its process, calls, views and subscriptions", .rule("NA-07"),
        arguments: TransportKind.allCases)
    func client(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        let before = UInt64(Date().timeIntervalSince1970 * 1_000_000)
        let agent = try await Agent(stage.address(transport))
        for _ in 0..<3 { _ = try await agent.call(Listd.manager, "Manager", "ListViews") }
        let text = String(repeating: "x", count: 10_000)
        _ = try await agent.call(adapter.path, "Adapter", "FindObject", "s", #"["\#(text)"]"#)
        _ = try await agent.call(adapter.path, "Adapter", "Subscribe", "as", "[[]]")
        for _ in 0..<2 { _ = try await agent.call(adapter.path, "Adapter", "OpenView", "a{sv}", "[{}]") }
        let row = try #require(try await clients(stage)[agent.uniqueName]).values
        #expect(row["transport"] == .string(transport.rawValue) && row["user"] == .uint32(geteuid()))
        #expect(row.text("command")?.hasPrefix("python3") == true)
        #expect(row["calls"] == .uint64(7) && row["calls-10s"] == .uint64(7))
        #expect(row["views"] == .uint64(2) && row["subscriptions"] == .uint64(1))
        let bytes = row.number("bytes") ?? 0
        #expect(bytes > 10_000 + 7 * 100 && bytes < 15_000 && row.number("bytes-10s") == bytes)
        #expect((row.number("last-call") ?? 0) >= before)
        guard case .uint32(let process)? = row["pid"] else {
            Issue.record("the process is \(row["pid"] as Any)")
            return
        }
        #expect(FileManager.default.fileExists(atPath: "/proc/\(process)") && process > 1)
        agent.signal(SIGKILL)
        while try await clients(stage)[agent.uniqueName] != nil {}
        #expect(try await clients(stage)[stage.client.uniqueName]?.values["views"] == .uint64(0))
        await stage.stop()
    }

    @Test(
        "a caller is not an administrator → ListClients is refused, and ListAdapters omits byte counts, writer and error",
        .enabled(if: Agent.canBeOthers), arguments: TransportKind.allCases)
    func stranger(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let list = try await stage.createAdapter("list", ["readers": .string("owner")])
        try await list.fill(1)
        let stranger = try await Agent(stage.address(transport), user: Agent.nobody)
        let refused = try await stranger.call(Listd.manager, "Manager", "ListClients")
        #expect(refused.error == Listd.standardError("AccessDenied"))
        let lists = try await stranger.call(Listd.manager, "Manager", "ListAdapters").values ?? ""
        #expect(lists.contains(#""list""#) && lists.contains(#""changes-10s""#) && !lists.contains("bytes"), "\(lists)")
        #expect(lists.contains(#""source-error":"""#) && !lists.contains("last-write"), "\(lists)")
        #expect(try await clients(stage).values.contains { $0.values["user"] == .uint32(Agent.nobody) })
        await stage.stop()
    }

    @Test(
        "lists of clients and of files → ListAdapters reports what each is, and who wrote it last", .rule("NA-07"),
        arguments: TransportKind.allCases)
    func lists(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket(files: ["file.list": "[List]\nDescription=x\n"])
        _ = try await stage.createAdapter("gone", ["source": .string("jsonl:\(stage.listd.directory.path)/none")])
        let source = stage.object("/org/listd/Listd1/adapters/gone", "Adapter")
        var fault = ""
        while fault.isEmpty { fault = try await source.property("SourceError", as: String.self) }
        let began = UInt64(Date().timeIntervalSince1970 * 1_000_000)
        let adapter = try await stage.createAdapter("own")
        _ = try await adapter.performUpdates((0..<3).map { Row("\($0)", "", ["t": .string("text")]) })
        _ = try await adapter.applyChanges(remove: ["1"])
        let view = try await TestView(adapter)
        let daemon = ListDaemonClient(connection: try await stage.connect(transport))
        var lists = try await daemon.adapters()
        #expect(lists.map(\.name) == ["file", "gone", "own"])
        #expect(lists.map(\.path.text) == ["file", "gone", "own"].map { "/org/listd/Listd1/adapters/" + $0 })
        let gone = lists.remove(at: 1).values
        #expect(gone["source-error"] == .string(fault) && fault.contains("none"))
        #expect(lists[0].values["owner"] == .uint32(0) && lists[0].values["bytes"] == .uint64(0))
        let own = lists[1].values
        #expect(
            own["source-error"] == .string("") && own["state"] == .string("ready") && own["source"] == .string("push"))
        #expect(own["owner"] == .uint32(geteuid()) && own["revision"] == .uint64(2))
        #expect(own["objects"] == .uint32(2) && own["items"] == .uint32(2) && own["views"] == .uint32(1))
        #expect(own["changes-10s"] == .uint64(2))
        let (epoch, user) = (
            try await stage.object(adapter.path, "Adapter").property("Epoch", as: String.self), NSUserName()
        )
        #expect(own["epoch"] == .string(epoch) && own["owner-name"] == .string(user))
        #expect(own["last-writer"] == .string(user) && (own.number("last-write") ?? 0) >= began)
        #expect(lists[0].values["last-writer"] == nil && lists[0].values["last-write"] == nil)
        let keys = [
            "state", "owner", "owner-name", "source", "source-error", "epoch", "revision", "objects", "items", "views",
            "changes-10s", "bytes",
        ]
        #expect(Set(lists[0].values.keys) == Set(keys))
        let file = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/file")
        for list in [file, adapter] { _ = try await list.performUpdates([Row("a", "", ["n": .int64(1)])]) }
        let bytes = try await daemon.adapters().filter { $0.name != "gone" }.map { $0.values["bytes"] }
        #expect(bytes[0] == bytes[1] && bytes[0] != .uint64(0))
        #expect(try await stage.statistics()["bytes"].map { .uint64($0) } == bytes[1])
        _ = try await view.property("State", as: String.self)
        await stage.stop()
    }

    @Test(
        "a plugin is loaded → ListPlugins reports its file, its state and its worker's process and memory",
        .rule("NA-07"))
    func plugins() async throws {
        let horrors = try await HorrorStage()
        try await horrors.load()
        let plugin = try #require(try await ListDaemonClient(connection: horrors.stage.client).plugins().first)
        let texts = ["version", "file", "isolation", "state", "error"]
        #expect(plugin.name == "horrors" && Set(plugin.values.keys) == Set(texts + ["restarts", "pid", "memory"]))
        #expect(plugin.values.text("isolation") == "worker" && plugin.values.text("state") == "ready")
        #expect(plugin.values["restarts"] == .uint64(0) && plugin.values["error"] == .string(""))
        #expect(plugin.values["pid"] == .uint32(UInt32(try await horrors.process)))
        #expect(plugin.values.number("memory") ?? 0 > 1 << 20)
        await horrors.stop()
    }
}

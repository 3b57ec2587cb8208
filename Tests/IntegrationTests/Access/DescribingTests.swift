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
    private func clients(_ stage: Stage) async throws -> [String: ListDaemonClient.ClientRow] {
        let rows = try await ListDaemonClient(connection: stage.client).clients()
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0) })
    }

    @Test(
        "a client makes calls → ListClients reports its process, calls, views and subscriptions",
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
        let row = try #require(try await clients(stage)[agent.uniqueName])
        #expect(row.transport == transport.rawValue && row.user == geteuid() && row.command.hasPrefix("python3"))
        #expect(row.numbers["calls"] == 7 && row.numbers["calls-10s"] == 7)
        #expect(row.numbers["views"] == 2 && row.numbers["subscriptions"] == 1)
        let bytes = row.numbers["bytes"] ?? 0
        #expect(bytes > 10_000 + 7 * 100 && bytes < 15_000 && row.numbers["bytes-10s"] == bytes)
        #expect((row.numbers["last-call"] ?? 0) >= before)
        let process = row.numbers["pid"] ?? 0
        #expect(FileManager.default.fileExists(atPath: "/proc/\(process)") && process > 1)
        agent.signal(SIGKILL)
        while try await clients(stage)[agent.uniqueName] != nil {}
        #expect(try await clients(stage)[stage.client.uniqueName]?.numbers["views"] == 0)
        await stage.stop()
    }

    @Test(
        "a caller is not an administrator → ListClients is refused, and DescribeAdapters omits byte counts",
        .enabled(if: Agent.canBeOthers), arguments: TransportKind.allCases)
    func stranger(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        _ = try await stage.createAdapter("list", ["readers": .string("owner")])
        let stranger = try await Agent(stage.address(transport), user: Agent.nobody)
        let refused = try await stranger.call(Listd.manager, "Manager", "ListClients")
        #expect(refused.error == Listd.standardError("AccessDenied"))
        let lists = try await stranger.call(Listd.manager, "Manager", "DescribeAdapters").values ?? ""
        #expect(lists.contains(#""list""#) && lists.contains(#""changes-10s""#) && !lists.contains("bytes"), "\(lists)")
        #expect(!lists.contains("source-error"))
        #expect(try await clients(stage).values.contains { $0.user == Agent.nobody })
        await stage.stop()
    }

    @Test(
        "lists of clients and of files → DescribeAdapters reports state, owner, source, revision and bytes",
        arguments: TransportKind.allCases)
    func lists(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket(files: ["file.list": "[List]\nDescription=x\n"])
        _ = try await stage.createAdapter("gone", ["source": .string("jsonl:\(stage.listd.directory.path)/none")])
        let source = stage.object("/org/listd/Listd1/adapters/gone", "Adapter")
        var fault = ""
        while fault.isEmpty { fault = try await source.property("SourceError", as: String.self) }
        let adapter = try await stage.createAdapter("own")
        _ = try await adapter.performUpdates((0..<3).map { Row("\($0)", "", ["t": .string("text")]) })
        _ = try await adapter.applyChanges(remove: ["1"])
        let view = try await TestView(adapter)
        let daemon = ListDaemonClient(connection: try await stage.connect(transport))
        var lists = try await daemon.adapterDescriptions()
        #expect(lists.map(\.name) == ["file", "gone", "own"])
        let gone = lists.remove(at: 1).values
        #expect(gone["source-error"] == .string(fault) && fault.contains("none"))
        #expect(lists[0].values["owner"] == .uint32(0) && lists[0].values["bytes"] == .uint64(0))
        let own = lists[1].values
        #expect(
            own["source-error"] == .string("") && own["state"] == .string("ready") && own["source"] == .string("push"))
        #expect(own["owner"] == .uint32(geteuid()) && own["revision"] == .uint64(2))
        #expect(own["objects"] == .uint32(2) && own["items"] == .uint32(2) && own["views"] == .uint32(1))
        #expect(own["changes-10s"] == .uint64(2))
        let file = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/file")
        for list in [file, adapter] { _ = try await list.performUpdates([Row("a", "", ["n": .int64(1)])]) }
        let bytes = try await daemon.adapterDescriptions().filter { $0.name != "gone" }.map { $0.values["bytes"] }
        #expect(bytes[0] == bytes[1] && bytes[0] != .uint64(0))
        #expect(try await stage.statistics()["bytes"].map { .uint64($0) } == bytes[1])
        _ = try await view.property("State", as: String.self)
        await stage.stop()
    }
}

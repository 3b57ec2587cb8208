import DBus
import Foundation
import ListClient
import TestSupport
import Testing

/// Who does what, and which lists there are.
@Suite("Clients and lists, described", .timeLimit(.minutes(3)))
@DBusActor
struct DescribingTests {
    private func clients(_ stage: Stage) async throws -> [String: ListDaemonClient.ClientRow] {
        let rows = try await ListDaemonClient(connection: stage.client).clients()
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0) })
    }

    @Test("a client that calls, views and subscribes → its process and what it did", arguments: TransportKind.allCases)
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
        "somebody who is no administrator → no clients",
        .enabled(if: Agent.canBeOthers), arguments: TransportKind.allCases)
    func stranger(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let stranger = try await Agent(stage.address(transport), user: Agent.nobody)
        let refused = try await stranger.call(Listd.manager, "Manager", "ListClients")
        #expect(refused.error == Listd.standardError("AccessDenied"))
        #expect(try await clients(stage).values.contains { $0.user == Agent.nobody })
        await stage.stop()
    }
}

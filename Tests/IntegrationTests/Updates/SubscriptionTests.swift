// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

/// Several subscriptions of one connection, as components of a program share it.
@Suite("Counted subscriptions", .timeLimit(.minutes(2)))
@DBusActor
struct SubscriptionTests {
    private func subscribe(_ adapter: TestAdapter, _ client: Connection, _ events: [String]) async throws -> UInt64 {
        try await adapter.by(client).call("Subscribe", events, returning: UInt64.self, UInt64.self).0
    }

    private func refusal(of number: UInt64, _ adapter: TestAdapter, _ client: Connection) async -> String? {
        do throws(DBusError) {
            try await adapter.by(client).call("Unsubscribe", number)
            return nil
        } catch {
            return error.name
        }
    }

    private func count(of client: Connection, _ stage: Stage) async throws -> DBusValue? {
        let rows = try await ListDaemonClient(connection: stage.client).clients()
        return rows.first { $0.name == client.uniqueName }?.values["subscriptions"]
    }

    @Test(
        "a connection subscribes twice → it gets each signal once, until the last subscription to it ends",
        .rule("AO-07"), arguments: TransportKind.allCases)
    func counted(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list", ["readers": .string("owner")])
        let client = try await stage.connect(transport)
        let heard = EventLog<String>()
        _ = try await client.subscribe(MatchRule(path: adapter.path, interface: Listd.name + ".Adapter")) {
            heard.record($0.member ?? "")
        }
        let all = try await subscribe(adapter, client, [])
        let updates = try await subscribe(adapter, client, ["updates"])
        #expect(all > 0 && updates > all)
        #expect(try await count(of: client, stage) == .uint64(2))
        func write(_ id: String) async throws {
            _ = try await adapter.by(client).call(
                "ApplyChanges", UInt64(0), [String](), [Upsert(id, "", "last", "", [:])], [String: DBusValue](),
                returning: UInt64.self)
        }
        try await write("a")
        #expect(heard.recorded == ["Updated"])
        try await adapter.by(client).call("Unsubscribe", all)
        try await write("b")
        #expect(heard.recorded == ["Updated", "Updated"])
        #expect(try await count(of: client, stage) == .uint64(1))
        try await adapter.by(client).call("Unsubscribe", updates)
        try await write("c")
        #expect(heard.recorded == ["Updated", "Updated"])
        #expect(try await count(of: client, stage) == .uint64(0))
        await stage.stop()
    }

    @Test(
        "Unsubscribe gets a number that has ended or that another connection or list has → InvalidArgs; 0 → never",
        .rule("AO-08"), arguments: TransportKind.allCases)
    func numbers(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let (adapter, other) = (try await stage.createAdapter("list"), try await stage.createAdapter("other"))
        let (client, second) = (try await stage.connect(transport), try await stage.connect(transport))
        let invalid = Listd.standardError("InvalidArgs")
        let number = try await subscribe(adapter, client, ["updates"])
        #expect(await refusal(of: number, adapter, second) == invalid)
        #expect(await refusal(of: number, other, client) == invalid)
        #expect(await refusal(of: number + 1, adapter, client) == invalid)
        #expect(await refusal(of: number, adapter, client) == nil)
        #expect(await refusal(of: number, adapter, client) == invalid)
        for _ in 0..<2 { #expect(await refusal(of: 0, adapter, client) == nil) }
        let next = try await subscribe(adapter, second, ["updates"])
        #expect(next > number)
        #expect(await refusal(of: 0, adapter, client) == nil)
        #expect(try await count(of: second, stage) == .uint64(1))
        _ = try await stage.manager.call("RemoveAdapter", "list")
        #expect(try await count(of: second, stage) == .uint64(0))
        await stage.stop()
    }

    @Test("a connection has SubscriptionsPerConnection subscriptions → LimitsExceeded, until one ends", .rule("ER-03"))
    func limit() async throws {
        let stage = try await Stage(files: ["listd.conf": "[Limits]\nSubscriptionsPerConnection=2\n"])
        let (one, two) = (try await stage.createAdapter("one"), try await stage.createAdapter("two"))
        let first = try await subscribe(one, stage.client, [])
        _ = try await subscribe(two, stage.client, [])
        await #expect(throws: DBusError.self) { _ = try await subscribe(two, stage.client, []) }
        let other = try await stage.connect()
        _ = try await subscribe(two, other, [])
        try await one.by(stage.client).call("Unsubscribe", first)
        _ = try await subscribe(two, stage.client, [])
        await stage.stop()
    }

    @Test("a subscription of the client library is cancelled → listd ends it too", .rule("AO-08"))
    func cancelled() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        let client = try await stage.connect()
        let list = AdapterClient(adapter.by(client))
        let subscriptions = [try await list.onNearEnd { _, _ in }, try await list.onInvoked { _ in }]
        #expect(try await count(of: client, stage) == .uint64(2))
        for subscription in subscriptions { subscription.cancel() }
        _ = try await adapter.by(client).property("Name", as: String.self)
        #expect(try await count(of: client, stage) == .uint64(0))
        await stage.stop()
    }
}

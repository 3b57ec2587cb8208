// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("The limit of waiting bytes per user", .timeLimit(.minutes(2)))
@DBusActor
struct WaitingBytesTests {
    private static let limit = Listd.standardError("LimitsExceeded")

    private func rows(_ count: Int, bytes: Int) -> [Row] {
        let text = DBusValue.string(String(repeating: "x", count: bytes))
        return (0..<count).map { Row("o\($0)", "", ["text": text]) }
    }

    private func updateCall(_ adapter: TestAdapter, by client: Connection, _ rows: [Row]) throws -> Message {
        try adapter.by(client).message("PerformUpdates") { (message) throws(DBusError) in
            try message.write(UInt64(0), rows, [String: DBusValue]())
        }
    }

    /// Waits until no bytes of any user's calls wait.
    private func waitUntilNothingWaits(on stage: Stage) async throws {
        while try await stage.statistics()["waiting-bytes"] ?? 1 > 0 {}
    }

    @Test(
        "waiting payloads reach the user's limit → the next call is refused; on a direct connection, it is left unread",
        arguments: TransportKind.allCases)
    func payloads(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket(
            files: ["listd.conf": "[Limits]\nWaitingBytesPerUser=1M\n"])
        let pause = DBusValue.uint32(3_600_000)
        let adapter = try await stage.createAdapter("slow", ["coalesce-min": pause, "coalesce-max": pause])
        let client = try await stage.connect(transport)
        // The first change is flushed immediately. The later changes wait until the list is removed.
        _ = try await adapter.applyChanges([Upsert("first", "", "last", "", [:])])
        let answers = EventLog<String>()
        for _ in 0..<4 {
            client.call(try updateCall(adapter, by: client, rows(4, bytes: 50 << 10)), timeout: nil) { result in
                if case .failure(let error) = result { answers.record("\(error.name): \(error.message)") }
            }
        }
        while try await stage.statistics()["waiting-bytes"] ?? 0 < 4 * 200 << 10 {}
        let more = try updateCall(adapter, by: client, rows(8, bytes: 50 << 10))
        let outcome = EventLog<DBusError?>()
        client.call(more, timeout: nil) { result in
            if case .failure(let error) = result { outcome.record(error) } else { outcome.record(nil) }
        }
        switch transport {
        case .bus:
            let refusal = try await outcome.next()
            #expect(refusal?.name == Self.limit && refusal?.message.hasSuffix("(WaitingBytesPerUser)") == true)
            #expect(try await stage.statistics()["calls-refused"] == 1)
        case .direct:
            // listd reads neither this call nor any later call.
            for _ in 0..<20 { #expect(try await stage.statistics()["calls-refused"] == 0) }
            #expect(outcome.recorded.isEmpty)
        }
        // Calls that release something are accepted, and so are calls of other users.
        try await adapter.by(stage.client).call("Unsubscribe", UInt64(0))
        if Agent.canBeOthers {
            let other = try await Agent(stage.address(.bus), user: Agent.nobody)
            let text = String(repeating: "x", count: 300 << 10)
            #expect(
                try await other.call(Listd.manager, "Manager", "GetAdapter", "s", "[\"\(text)\"]").error != Self.limit)
        }
        #expect(answers.recorded.isEmpty)
        try await stage.manager.call("RemoveAdapter", "slow")
        if transport == .direct { #expect(try await outcome.next()?.name != Self.limit) }
        try await waitUntilNothingWaits(on: stage)
        await stage.stop()
    }

    @Test(
        "large and small writes on one connection → listd applies them in the order of sending",
        arguments: TransportKind.allCases)
    func order(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("ordered")
        let client = try await stage.connect(transport)
        let answers = EventLog<Int>()
        var expected: [String] = []
        for step in 0..<12 {
            let call: Message
            if step % 3 == 0 {
                call = try updateCall(adapter, by: client, rows(40 * (step + 1), bytes: 4000))
                expected = (0..<40 * (step + 1)).map { "o\($0)" }
            } else {
                call = try adapter.by(client).message("ApplyChanges") { (message) throws(DBusError) in
                    try message.write(
                        UInt64(0), [String](), [Upsert("n\(step)", "", "last", "", [:])], [String: DBusValue]())
                }
                expected.append("n\(step)")
            }
            client.call(call, timeout: nil) { result in if (try? result.get()) != nil { answers.record(step) } }
        }
        var answered: [Int] = []
        for _ in 0..<12 { answered.append(try await answers.next()) }
        #expect(answered == Array(0..<12))
        #expect(try await adapter.objects().rows.map(\.id) == expected)
        try await waitUntilNothingWaits(on: stage)
        await stage.stop()
    }

    @Test("a long call has a wrong argument → its error is that of a short call, and later calls are handled")
    func faults() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("faulty")
        let long = rows(100, bytes: 1000)
        var (short, large) = (rows(1, bytes: 1), long)
        for rows in [0, 1] {
            let row = Row("", "", [:])
            if rows == 0 { short.append(row) } else { large.append(row) }
        }
        for rows in [short, large] {
            let call = try updateCall(adapter, by: stage.client, rows)
            let error = await #expect(throws: DBusError.self) { _ = try await stage.client.call(call) }
            #expect(error?.name == Listd.error("InvalidObject"))
            #expect(error?.message.hasPrefix("objects[\(rows.count - 1)]") == true)
        }
        let wrong = try adapter.by(stage.client).message("PerformUpdates") { (message) throws(DBusError) in
            try message.write(UInt64(0), long, ["animate": DBusValue.boolean(true)])
        }
        let error = await #expect(throws: DBusError.self) { _ = try await stage.client.call(wrong) }
        #expect(error?.standard == .invalidArgs && error?.message.contains("animate") == true)
        _ = try await adapter.performUpdates(long)
        #expect(try await adapter.objects().rows.count == 100)
        await stage.stop()
    }

    @Test(
        "a client sends many calls and exits → its queued calls are dropped", .rule("LD-05"),
        arguments: TransportKind.allCases)
    func departure(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("large")
        _ = try await adapter.performUpdates(rows(40, bytes: 64 << 10))
        for _ in 0..<3 {
            let client = try await stage.connect(transport)
            for _ in 0..<100 {
                let call = try adapter.by(client).message("GetObjects") { (message) throws(DBusError) in
                    try message.write(UInt32(0), UInt32.max)
                }
                client.call(call, timeout: nil) { _ in }
            }
            client.call(try updateCall(adapter, by: client, rows(40, bytes: 64 << 10)), timeout: nil) { _ in }
            while client.outgoingSize > 0 { _ = await client.flush(timeout: .milliseconds(100)) }
            client.close()
        }
        try await waitUntilNothingWaits(on: stage)
        while try await stage.statistics()["waiting-calls"] ?? 1 > 0 {}
        #expect(try await adapter.objects().rows.count == 40)
        await stage.stop()
    }

    @Test(
        "a client sends writes and disconnects without waiting for replies → the writes are applied", .rule("LD-05"))
    func noReply() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("written")
        let client = try await stage.connect()
        // After a client has disconnected, the bus does not know its user. This call makes listd ask the bus in time.
        _ = try await adapter.by(client).call("Subscribe", [String](), returning: UInt64.self, UInt64.self)
        for step in 0..<20 {
            let call = try adapter.by(client).message("ApplyChanges") { (message) throws(DBusError) in
                try message.write(
                    UInt64(0), [String](), [Upsert("n\(step)", "", "last", "", [:])], [String: DBusValue]())
            }
            try client.callWithoutReply(call)
        }
        while client.outgoingSize > 0 { _ = await client.flush(timeout: .milliseconds(100)) }
        client.close()
        let end = ContinuousClock.now + .seconds(20)
        while try await adapter.objects().rows.count < 20, .now < end {}
        #expect(try await adapter.objects().rows.map(\.id) == (0..<20).map { "n\($0)" })
        await stage.stop()
    }
}

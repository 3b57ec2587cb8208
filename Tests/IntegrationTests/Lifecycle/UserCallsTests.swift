// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Calls in flight of one user", .timeLimit(.minutes(1)))
@DBusActor
struct UserCallsTests {
    private static let limit = Listd.standardError("LimitsExceeded")

    private func refusal(_ body: @DBusActor @Sendable () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return DBusError(error).name
        }
    }

    @Test(
        "a user has as many calls in flight as allowed → the next call is refused until another call is answered",
        .rule("LD-01")
    )
    func limit() async throws {
        let stage = try await Stage.withDirectSocket(files: ["listd.conf": "[Limits]\nCallsPerUser=4\n"])
        let pause = DBusValue.uint32(3_600_000)
        let adapter = try await stage.createAdapter("slow", ["coalesce-min": pause, "coalesce-max": pause])
        let view = try await TestView(adapter)
        let (direct, third) = (try await stage.connect(.direct), try await stage.connect(.direct))
        _ = try await adapter.by(third).call("Subscribe", [String](), returning: UInt64.self, UInt64.self)
        // The first change is flushed immediately. The later changes wait until the list is removed.
        _ = try await adapter.applyChanges([Upsert("first", "", "last", "", [:])])
        let answers = EventLog<String>()
        var waiting: UInt64 = 0
        for step in 0..<4 {
            let client = step % 2 == 0 ? stage.client : direct
            let call = try adapter.by(client).message("ApplyChanges") { (message) throws(DBusError) in
                try message.write(
                    UInt64(0), [String](), [Upsert("n\(step)", "", "last", "", [:])], [String: DBusValue]())
            }
            client.call(call, timeout: nil) { answers.record((try? $0.get()) == nil ? "failed" : "answered") }
            guard step < 3 else { continue }
            // A query of statistics counts too. No such query may be in flight when the last call arrives.
            let before = waiting
            while waiting == before { waiting = try await stage.statistics()["waiting-bytes"] ?? 0 }
        }
        let manager = stage.object(Listd.manager, "Manager", by: third)
        var refused: String?
        while refused == nil {
            refused = await refusal { _ = try await manager.call("GetStatistics", returning: [String: UInt64].self) }
        }
        #expect(refused == Self.limit)
        #expect(await refusal { _ = try await stage.statistics() } == Self.limit)
        #expect(await refusal { try await view.setViewport(y: 0) } == Self.limit)
        // Calls that release something are accepted, and other users are not affected.
        try await view.acknowledge(1)
        try await view.remote.call("Close")
        try await adapter.by(third).call("Unsubscribe", UInt64(0))
        if Agent.canBeOthers {
            let other = try await Agent(stage.bus.address, user: Agent.nobody)
            #expect(try await other.call(Listd.manager, "Manager", "GetStatistics", "", "[]").error == nil)
        }
        #expect(answers.recorded.isEmpty)

        // The calls of a disconnected client count until they are completed.
        direct.close()
        for _ in 0..<2 { #expect(try await answers.next() == "failed") }
        try await stage.manager.call("RemoveAdapter", "slow")
        for _ in 0..<2 { #expect(try await answers.next() == "answered") }
        for _ in 0..<10 { #expect(try await stage.statistics()["calls-refused"] ?? 0 >= 3) }
        await stage.stop()
    }
}

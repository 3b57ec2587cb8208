// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("Limits on a real listd", .timeLimit(.minutes(3)))
@DBusActor
struct LimitsTests {
    @Test(
        "a call would exceed a limit of listd.conf → LimitsExceeded; a list is at its limit → removals are accepted",
        .rule("ER-03"))
    func limits() async throws {
        let stage = try await Stage(files: [
            "listd.conf": "[Limits]\nAdaptersPerUser=2\nViewsPerUser=1\nObjectsPerUser=3\nPayloadBytes=1K\n"
        ])
        let adapter = try await stage.createAdapter("one")
        _ = try await stage.createAdapter("two")
        let limit = Listd.standardError("LimitsExceeded")
        #expect(await refusal { _ = try await stage.createAdapter("three") } == limit)
        _ = try await adapter.performUpdates(["a", "b", "c"].map { Row($0, "", [:]) })
        #expect(await refusal { _ = try await adapter.applyChanges([Upsert("d", "", "last", "", [:])]) } == limit)
        _ = try await adapter.applyChanges(remove: ["a"], [Upsert("d", "", "last", "", [:])])
        #expect(try await adapter.objects().rows.map(\.id) == ["b", "c", "d"])
        let big = Row("x", "", ["big": .string(String(repeating: "x", count: 2000))])
        #expect(await refusal { _ = try await adapter.performUpdates([big]) } == Listd.error("PayloadTooLarge"))
        let open: @DBusActor @Sendable () async throws -> Void = {
            _ = try await adapter.by(stage.client).call(
                "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
                UInt32.self, [String: DBusValue].self)
        }
        try await open()
        #expect(await refusal(open) == limit)
        try await stage.manager.call("RemoveAdapter", "two")
        _ = try await stage.createAdapter("three")
        await stage.stop()
    }

    @Test("a source file exceeds the limit, then a reload raises the limit → the file is read")
    func raised() async throws {
        let file = TemporaryDirectory()
        let rows = (0..<100).map { "{\"id\": \"row \($0)\"}\n" }.joined()
        try rows.write(toFile: file.path + "/rows.jsonl", atomically: true, encoding: .utf8)
        let stage = try await Stage(files: [
            "listd.conf": "[Limits]\nFileBytes=1K\n", "a.list": "[List]\nSource=jsonl:\(file.path)/rows.jsonl\n",
        ])
        let list = try await stage.adapter("a")
        while try await list.state != "failed" { await Task.yield() }
        try "[Limits]\nFileBytes=1M\n".write(
            toFile: stage.listd.directory.path + "/config/listd.conf", atomically: true, encoding: .utf8)
        try await stage.manager.call("Reload")
        while try await list.state != "ready" { await Task.yield() }
        #expect(try await list.objects().rows.count == 100)
        await stage.stop()
    }

    @Test(
        "a plugin's object exceeds the limit, then a reload raises the limit → the source sends the object again",
        .enabled(if: PluginStage.isBuilt("files"), "`make test` has not built it"),
        arguments: PluginStage.Isolation.allCases)
    func raisedForPlugin(isolation: PluginStage.Isolation) async throws {
        let directory = TemporaryDirectory()
        let long = String(repeating: "x", count: 40)
        try "".write(toFile: "\(directory.path)/\(long)", atomically: true, encoding: .utf8)
        let settings = "[Plugin files]\nIsolation=\(isolation.rawValue)\n[Limits]\nIdBytes="
        let stage = try await Stage(files: [
            "listd.conf": settings + "20\n", "a.list": "[List]\nSource=files/directory?\(directory.path)\n",
        ])
        let list = try await stage.adapter("a")
        while try await list.state != "failed" { await Task.yield() }
        for limit in ["30", "40"] {
            try (settings + limit + "\n").write(
                toFile: stage.listd.directory.path + "/config/listd.conf", atomically: true, encoding: .utf8)
            try await stage.manager.call("Reload")
        }
        while try await list.state != "ready" { await Task.yield() }
        #expect(try await list.objects().rows.map(\.id) == [long])
        // The source continues after its list was created again.
        try "".write(toFile: "\(directory.path)/y", atomically: true, encoding: .utf8)
        while try await list.objects().rows.count < 2 { await Task.yield() }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "a quota refuses several calls that were waiting together → each is counted once, in the daemon and in a worker"
    )
    func countedRefusals() async throws {
        let horrors = try await HorrorStage("[Limits]\nObjectsPerUser=2")
        let stage = horrors.stage
        let pause: [String: DBusValue] = ["coalesce-min": .uint32(500), "coalesce-max": .uint32(500)]
        let lists = [
            try await stage.createAdapter("here", pause), try await horrors.makeList("in a worker", "Steady", pause),
        ]
        for (index, list) in lists.enumerated() {
            // The first change is flushed immediately. The later changes wait together for the next flush.
            _ = try await list.applyChanges([Upsert("first", "row", "last", "", [:])])
            let answers = EventLog<String>()
            for id in ["a", "b", "c"] {
                let call = try list.by(stage.client).message("ApplyChanges") { (message) throws(DBusError) in
                    let upserts = [Upsert(id, "row", "last", "", [:]), Upsert(id + id, "row", "last", "", [:])]
                    try message.write(UInt64(0), [String](), upserts, [String: DBusValue]())
                }
                stage.client.call(call) {
                    if case .failure(let error) = $0 { answers.record(error.name) } else { answers.record("") }
                }
            }
            for _ in 0..<3 { #expect(try await answers.next() == Listd.standardError("LimitsExceeded")) }
            #expect(try await stage.statistics()["quota-refusals"] == UInt64(3 * (index + 1)))
        }
        await horrors.stop()
    }

    @Test("a user creates 125 lists on several connections → listd logs at most 20 lines in ten seconds")
    func logged() async throws {
        let stage = try await Stage(files: ["listd.conf": "[Limits]\nAdaptersPerUser=1000\n"])
        let begin = ContinuousClock.now
        for number in 0..<5 {
            let client = try await stage.connect()
            let manager = stage.object(Listd.manager, "Manager", by: client)
            for name in (0..<25).map({ "\(number) \($0)" }) {
                let options: [String: DBusValue] = ["durability": .string("memory")]
                _ = try await manager.call("CreateAdapter", name, options, returning: ObjectPath.self)
            }
            client.close()
        }
        // At most 20 lines are logged in ten seconds. The test may take longer than that.
        let intervals = Int(begin.duration(to: .now) / .seconds(10)) + 1
        await stage.stop()
        let said = stage.listd.standardError.split(separator: "\n").filter { $0.contains("was created by user") }
        #expect(!said.isEmpty && said.count <= 20 * intervals)
    }

    @Test("a patch makes an object too large, or options exceed the size limit → PayloadTooLarge, and nothing changes")
    func growth() async throws {
        let stage = try await Stage(files: ["listd.conf": "[Limits]\nObjectBytes=1K\n"])
        let adapter = try await stage.createAdapter("one")
        _ = try await adapter.performUpdates([Row("a", "", [:])])
        let text = DBusValue.string(String(repeating: "x", count: 700))
        let patch: @DBusActor @Sendable (String) async throws -> UInt64 = { key in
            try await adapter.by(stage.client).call(
                "PatchObject", UInt64(0), "a", [key: text], [String](), returning: UInt64.self)
        }
        #expect(try await patch("first") == 2)
        #expect(await refusal { _ = try await patch("second") } == Listd.error("PayloadTooLarge"))
        #expect(try await adapter.objects().rows.first?.fields.keys.sorted() == ["first"])
        let empty = DBusValue.dictionary(
            key: "s", value: "v",
            [.init(key: .string("k"), value: .variant(.string(String(repeating: "x", count: 70_000))))])
        #expect(
            await refusal { _ = try await stage.createAdapter("two", ["empty": empty]) }
                == Listd.error("PayloadTooLarge"))
        await stage.stop()
    }

    @Test(
        "a connection has as many calls in flight as allowed → only calls that release resources are accepted",
        .rule("LD-04"))
    func callsInFlight() async throws {
        let stage = try await Stage(files: ["listd.conf": "[Limits]\nCallsPerConnection=4\n"])
        let pause = DBusValue.uint32(3_600_000)
        let adapter = try await stage.createAdapter("slow", ["coalesce-min": pause, "coalesce-max": pause])
        let view = try await TestView(adapter)
        _ = try await adapter.by(stage.client).call("Subscribe", [String](), returning: UInt64.self, UInt64.self)
        // The first change is flushed immediately. The later changes wait for the coalescing time, or until the list
        // is removed.
        _ = try await adapter.applyChanges([Upsert("first", "", "last", "", [:])])
        let answers = EventLog<String>()
        for step in 0..<4 {
            let call = try adapter.by(stage.client).message("ApplyChanges") { (message) throws(DBusError) in
                try message.write(
                    UInt64(0), [String](), [Upsert("n\(step)", "", "last", "", [:])], [String: DBusValue]())
            }
            stage.client.call(call, timeout: nil) { answers.record((try? $0.get()) == nil ? "refused" : "answered") }
        }
        let limit = Listd.standardError("LimitsExceeded")
        #expect(await refusal { _ = try await stage.statistics() } == limit)
        #expect(await refusal { try await view.setViewport(y: 0) } == limit)
        try await view.acknowledge(1)
        try await view.remote.call("Close")
        try await adapter.by(stage.client).call("Unsubscribe", UInt64(0))
        #expect(answers.recorded.isEmpty)
        let other = try await stage.connect()
        let manager = stage.object(Listd.manager, "Manager", by: other)
        let statistics = try await manager.call("GetStatistics", returning: [String: UInt64].self)
        #expect(statistics["calls-refused"] == 2)
        try await stage.manager.call("RemoveAdapter", "slow")
        for _ in 0..<4 { #expect(try await answers.next() == "answered") }
        #expect(try await stage.statistics()["calls-refused"] == 2)
        await stage.stop()
    }

    private func refusal(_ body: @DBusActor @Sendable () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return DBusError(error).name
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Log lines about refused calls", .timeLimit(.minutes(3)))
@DBusActor
struct RefusalLogTests {
    private func logLines(_ key: String, by stage: Stage) -> [Substring] {
        let lines = stage.listd.standardError.split(separator: "\n")
        return lines.filter { $0.contains("was refused") && $0.contains("(\(key))") }
    }

    /// Runs `body` several times, and checks that it fails each time.
    private func expectRefusals(
        _ count: Int = 3, at place: SourceLocation = #_sourceLocation,
        _ body: @DBusActor @Sendable () async throws -> Void
    ) async {
        for _ in 0..<count {
            await #expect(throws: (any Error).self, sourceLocation: place) { try await body() }
        }
    }

    @Test(
        "calls exceed a limit of any kind → each limit has one log line, which names the user and the limit's key",
        .rule("ER-04"))
    func keys() async throws {
        let stage = try await Stage(files: [
            "listd.conf": "[Limits]\nAdaptersPerUser=2\nViewsPerUser=1\nObjectsPerUser=3\nBytesPerUser=14K\n"
                + "PayloadBytes=6K\nObjectBytes=4K\nIdBytes=100\nFileBytes=1K\nCallsPerConnection=4\n"
        ])
        let begin = ContinuousClock.now
        let list = try await stage.createAdapter("one")
        let other = try await stage.createAdapter("two")
        func text(_ count: Int) -> DBusValue { .string(String(repeating: "x", count: count)) }
        await expectRefusals { _ = try await stage.createAdapter("three") }
        let view = try await list.openView()
        await expectRefusals {
            _ = try await list.by(stage.client).call(
                "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
                UInt32.self, [String: DBusValue].self)
        }
        withExtendedLifetime(view) {}
        await expectRefusals { _ = try await list.performUpdates(["a", "b", "c", "d"].map { Row($0, "", [:]) }) }
        await expectRefusals { _ = try await list.performUpdates([Row("a", "", ["x": text(5000)])]) }
        await expectRefusals { _ = try await list.performUpdates([Row(String(repeating: "i", count: 101), "", [:])]) }
        await expectRefusals { _ = try await list.performUpdates(["a", "b"].map { Row($0, "", ["x": text(3500)]) }) }
        _ = try await list.performUpdates([Row("a", "", ["x": text(3500)])])
        _ = try await list.applyChanges([Upsert("b", "", "last", "", ["x": text(3500)])])
        await expectRefusals { _ = try await other.performUpdates([Row("a", "", ["x": text(3500)])]) }
        await expectRefusals {
            _ = try await list.by(stage.client).call(
                "PatchObject", UInt64(0), "a", ["y": text(3500)], [String](), returning: UInt64.self)
        }
        let file = TemporaryDirectory()
        try String(repeating: "\n", count: 2000).write(toFile: file.path + "/f", atomically: true, encoding: .utf8)
        await expectRefusals {
            let descriptor = FileDescriptor(adopting: unsafe open(file.path + "/f", O_RDONLY | O_CLOEXEC))
            _ = try await list.by(stage.client).call(
                "PerformUpdatesFromFile", UInt64(0), descriptor, "jsonl", [String: DBusValue](), returning: UInt64.self)
        }
        // The next line is logged ten seconds after the first one. A slow machine may take that long.
        let most = Int(begin.duration(to: .now) / .seconds(10)) + 1
        await stage.stop()
        let keys = [
            "AdaptersPerUser", "ViewsPerUser", "ObjectsPerUser", "BytesPerUser", "PayloadBytes", "ObjectBytes",
            "IdBytes", "FileBytes",
        ]
        for key in keys {
            let lines = logLines(key, by: stage)
            #expect((1...most).contains(lines.count), "\(key): \(lines)")
            #expect(lines.allSatisfy { $0.contains("user \(getuid())") }, "\(key): \(lines)")
        }
    }

    @Test("a connection has more calls in flight than allowed → a single log line names CallsPerConnection")
    func callsInFlight() async throws {
        let stage = try await Stage(files: ["listd.conf": "[Limits]\nCallsPerConnection=2\n"])
        let pause = DBusValue.uint32(3_600_000)
        let list = try await stage.createAdapter("slow", ["coalesce-min": pause, "coalesce-max": pause])
        _ = try await list.applyChanges([Upsert("first", "", "last", "", [:])])
        for number in 0..<2 {
            let call = try list.by(stage.client).message("ApplyChanges") { (message) throws(DBusError) in
                try message.write(
                    UInt64(0), [String](), [Upsert("\(number)", "", "last", "", [:])], [String: DBusValue]())
            }
            stage.client.call(call, timeout: nil) { _ in }
        }
        await expectRefusals { _ = try await stage.statistics() }
        await stage.stop()
        #expect(logLines("CallsPerConnection", by: stage).count == 1)
    }

    @Test(
        "a user opens more direct connections than allowed → a single log line names the limit",
        arguments: [
            ("DirectConnections", "DirectConnections=1\nDirectConnectionsPerUser=4\n"),
            ("DirectConnectionsPerUser", "DirectConnectionsPerUser=1\n"),
        ])
    func connections(key: String, limits: String) async throws {
        let stage = try await Stage.withDirectSocket(files: ["listd.conf": "[Limits]\n" + limits])
        let first = try await stage.connect(.direct)
        await expectRefusals { _ = try await stage.connect(.direct) }
        _ = first
        await stage.stop()
        #expect(logLines(key, by: stage).count == 1)
    }

    @Test("two users exceed the same limit → each user has one log line", .enabled(if: Agent.canBeOthers))
    func users() async throws {
        let stage = try await Stage(files: ["listd.conf": "[Limits]\nAdaptersPerUser=1\n"])
        let users = [Agent.nobody, 2]
        for user in users {
            let agent = try await Agent(stage.bus.address, user: user)
            let again = try await Agent(stage.bus.address, user: user)
            _ = try await agent.call(Listd.manager, "Manager", "CreateAdapter", "sa{sv}", "[\"of \(user)\",{}]")
            for client in [agent, again] {
                let answer = try await client.call(Listd.manager, "Manager", "CreateAdapter", "sa{sv}", #"["x",{}]"#)
                #expect(answer.error == Listd.standardError("LimitsExceeded"))
            }
        }
        await stage.stop()
        for user in users {
            #expect(logLines("AdaptersPerUser", by: stage).filter { $0.contains("user \(user)") }.count == 1)
        }
    }

    @Test(
        "a quota refuses a source's objects → retries add no log line; the quota has room → the objects are applied"
    )
    func source() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/rows.jsonl"
        try #"{"id": "a"}\#n{"id": "b"}\#n"#.write(toFile: path, atomically: true, encoding: .utf8)
        let stage = try await Stage(files: ["listd.conf": "[Limits]\nObjectsPerUser=2\n"])
        let other = try await stage.createAdapter("other")
        _ = try await other.performUpdates([Row("x", "", [:])])
        let list = try await stage.createAdapter("list", ["source": .string("jsonl:\(path)")])
        while try await list.state != "failed" { await Task.yield() }
        for views in 7...9 {
            // A change of the users' limits makes listd retry the source's event. A read of the list after Reload is
            // answered after the retry.
            try "[Limits]\nObjectsPerUser=2\nViewsPerUser=\(views)\n".write(
                to: stage.listd.directory.appending(path: "config/listd.conf"), atomically: true, encoding: .utf8)
            try await stage.manager.call("Reload")
            _ = try await list.objects()
        }
        #expect(try await stage.statistics()["quota-refusals"] == 1)
        #expect(logLines("ObjectsPerUser", by: stage).count == 1)
        try await stage.manager.call("RemoveAdapter", "other")
        while try await list.state != "ready" { await Task.yield() }
        #expect(try await list.objects().rows.map(\.id) == ["a", "b"])
        await stage.stop()
    }
}

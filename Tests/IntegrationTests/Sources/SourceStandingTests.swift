// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport
import Testing

/// Tests of a list's last synchronisation with its source: its time, and the source's cursor at that time.
@Suite("Synchronisation status of a list and its source", .timeLimit(.minutes(3)))
@DBusActor
struct SourceStandingTests {
    private func readStatus(
        _ adapter: TestAdapter, by client: Connection? = nil
    ) async throws -> AdapterClient.SourceStatus {
        try await AdapterClient(adapter.by(client ?? adapter.stage.client)).sourceStatus()
    }

    private var now: UInt64 { UInt64(Date().timeIntervalSince1970 * 1_000_000) }

    @Test(
        "clients write a list → the list has no synchronisation time and no cursor", arguments: TransportKind.allCases)
    func pushed(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let list = try await stage.createAdapter("list")
        try await list.fill(3)
        let standing = try await readStatus(list, by: stage.connect(transport))
        #expect(standing.error.isEmpty)
        #expect(standing.synced == 0)
        #expect(standing.position.isEmpty)
        await stage.stop()
    }

    @Test(
        "a list follows a file of JSON lines → equal content has equal cursors, also after a restart",
        arguments: TransportKind.allCases)
    func file(transport: TransportKind) async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/lines"
        func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        try write("{\"id\":\"a\"}\n")
        let files = ["list.list": "[List]\nSource=jsonl:\(path)\n"]
        let began = now
        let stage = try await Stage.withDirectSocket(files: files)
        let list = try await stage.adapter("list")
        let client = try await stage.connect(transport)
        /// Waits until the list has reached a revision.
        func wait(forRevision wanted: UInt64) async throws {
            while try await list.by(client).property("Revision", as: UInt64.self) < wanted { await Task.yield() }
        }
        try await wait(forRevision: 1)
        let first = try await readStatus(list, by: client)
        #expect(first.error.isEmpty)
        #expect(first.synced >= began)
        #expect(first.synced <= now)
        #expect(first.position.hasPrefix("11-"))
        try write("{\"id\":\"b\"}\n")
        try await wait(forRevision: 2)
        let second = try await readStatus(list, by: client)
        #expect(second.position != first.position)
        #expect(second.synced >= first.synced)
        try write("{\"id\":\"c\"}\nno line\n")
        try await wait(forRevision: 3)
        let faulty = try await readStatus(list, by: client)
        #expect(faulty.error.contains("line 2"))
        #expect(faulty.synced >= second.synced)
        try write("{\"id\":\"d\"}\nno line\n")
        try await wait(forRevision: 4)
        #expect(try await readStatus(list, by: client).synced == faulty.synced)
        try write("{\"id\":\"a\"}\n")
        try await wait(forRevision: 5)
        #expect(try await readStatus(list, by: client).synced > faulty.synced)
        #expect(try await readStatus(list, by: client).position == first.position)
        await stage.stop()
        let next = try await Stage.withDirectSocket(files: files)
        let again = try await next.adapter("list")
        while try await again.by(next.client).property("Revision", as: UInt64.self) < 1 { await Task.yield() }
        #expect(try await readStatus(again).position == first.position)
        await next.stop()
    }

    @Test(
        "a user without read access reads a restricted list's synchronisation status → AccessDenied",
        .enabled(if: Agent.canBeOthers))
    func restricted() async throws {
        let stage = try await Stage.withDirectSocket()
        let list = try await stage.createAdapter("list", ["readers": .string("owner")])
        let stranger = try await Agent(stage.address(.direct), user: Agent.nobody)
        for name in ["SourceSynced", "SourcePosition"] {
            #expect(
                try await stranger.property(list.path, "Adapter", name).error == Listd.standardError("AccessDenied"))
        }
        await stage.stop()
    }
}

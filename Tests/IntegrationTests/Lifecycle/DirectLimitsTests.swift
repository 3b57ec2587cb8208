// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Limits of one direct client", .timeLimit(.minutes(1)))
@DBusActor
struct DirectLimitsTests {
    private func row(bytes: Int) -> [Row] {
        [Row("a", "", ["text": .string(String(repeating: "x", count: bytes))])]
    }

    private func write(_ bytes: Int, to adapter: TestAdapter, by client: Connection) async throws(DBusError) -> UInt64 {
        try await adapter.by(client).call(
            "PerformUpdates", UInt64(0), row(bytes: bytes), [String: DBusValue](), returning: UInt64.self)
    }

    @Test(
        "a call exceeds PayloadBytes → PayloadTooLarge; a call exceeds it by over 64 KiB → its client is disconnected"
    )
    func messageSize() async throws {
        let stage = try await Stage.withDirectSocket(files: ["listd.conf": "[Limits]\nPayloadBytes=100K\n"])
        let adapter = try await stage.createAdapter("list")
        let (good, greedy) = (try await stage.connect(.direct), try await stage.connect(.direct))
        #expect(try await write(90 << 10, to: adapter, by: good) == 1)
        let refusal = await #expect(throws: DBusError.self) { try await write(130 << 10, to: adapter, by: good) }
        #expect(refusal?.name == Listd.error("PayloadTooLarge"))
        let end = await #expect(throws: DBusError.self) { try await write(200 << 10, to: adapter, by: greedy) }
        #expect(end?.standard == .disconnected)

        try "[Limits]\nPayloadBytes=1M\n".write(
            toFile: stage.listd.directory.path + "/config/listd.conf", atomically: true, encoding: .utf8)
        try await stage.manager.call("Reload")
        #expect(try await write(200 << 10, to: adapter, by: good) == 2)
        await stage.stop()
    }

    @Test("a message announces a length of 62 MiB → its client is disconnected after the first bytes")
    func announcedSize() async throws {
        let stage = try await Stage.withDirectSocket()
        let user = String(getuid()).utf8.map { String($0, radix: 16) }.joined()
        let stranger = try StrangerSocket(path: stage.listd.directory.appending(path: "direct").path)
        let header: [UInt8] = [UInt8(ascii: "l"), 1, 0, 1, 0, 0, 0xe0, 3, 1, 0, 0, 0, 16, 0, 0, 0]
        stranger.write(Array("\0AUTH EXTERNAL \(user)\r\nBEGIN\r\n".utf8) + header)
        let isDisconnected = stranger.readsToTheEnd()
        #expect(isDisconnected)
        await stage.stop()
    }

    @Test("a user opens too many connections → the last is refused, and a log line names DirectConnectionsPerUser")
    func connections() async throws {
        let stage = try await Stage.withDirectSocket(files: ["listd.conf": "[Limits]\nDirectConnections=8\n"])
        let clients = [try await stage.connect(.direct), try await stage.connect(.direct)]
        let error = await #expect(throws: DBusError.self) { try await stage.connect(.direct) }
        #expect(error?.standard == .limitsExceeded)
        for client in clients {
            #expect(
                try await stage.object(Listd.manager, "Manager", by: client).property("ViewCount", as: UInt32.self) == 0
            )
        }
        await stage.stop()
        let lines = stage.listd.standardError.split(separator: "\n").filter {
            $0.contains("(DirectConnectionsPerUser)")
        }
        #expect(lines.count == 1 && lines.first?.contains("user \(getuid())") == true, "\(stage.listd.standardError)")
    }
}

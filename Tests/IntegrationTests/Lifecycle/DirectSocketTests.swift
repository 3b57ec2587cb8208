// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("The direct socket of a real listd", .timeLimit(.minutes(1)))
@DBusActor
struct DirectSocketTests {
    private func makeStage() async throws -> (stage: Stage, path: String) {
        let stage = try await Stage(arguments: ["--direct", "unix:path=%d/direct"])
        return (stage, stage.listd.directory.appending(path: "direct").path)
    }

    /// Writes bytes as an unauthenticated client, and returns whether listd closes the connection.
    private nonisolated func isDisconnected(_ bytes: [UInt8], at path: String) throws -> Bool {
        let stranger = try StrangerSocket(path: path)
        stranger.write(bytes)
        return stranger.readsToTheEnd()
    }

    @Test("a client writes over the direct socket → a client on the bus sees the same list", .rule("TT-01"))
    func sameList() async throws {
        let (stage, path) = try await makeStage()
        let adapter = try await stage.createAdapter("mail")
        let direct = try await Connection.open(.address("unix:path=" + path))
        let revision = try await adapter.by(direct).call(
            "PerformUpdates", UInt64(0), [Row("a", "", ["title": .string("one")])], [String: DBusValue](),
            returning: UInt64.self)
        #expect(revision == 1)
        let (_, seen, total, rows) = try await adapter.by(stage.client).call(
            "GetObjects", UInt32(0), UInt32(10), returning: String.self, UInt64.self, UInt32.self, [Row].self)
        #expect(seen == 1 && total == 1 && rows.first?.members.0 == "a")
        await stage.stop()
    }

    @Test("clients send garbage before or after authentication → they are disconnected, and other clients are served")
    func garbage() async throws {
        let (stage, path) = try await makeStage()
        let direct = try await Connection.open(.address("unix:path=" + path))
        let adapter = try await stage.createAdapter("mail")
        let user = String(getuid()).utf8.map { String($0, radix: 16) }.joined()
        let admitted = Array("\0AUTH EXTERNAL \(user)\r\nBEGIN\r\n".utf8)
        var random = SeededRandom(seed: 11)
        for round in 0..<20 {
            var bytes = (0..<64).map { _ in UInt8.random(in: 1...255, using: &random) }
            if round % 2 == 1 { bytes = admitted + bytes }
            #expect(try isDisconnected(bytes, at: path), "round \(round)")
            let served = try await adapter.by(direct).call(
                "ReloadObjects", [String](), returning: UInt64.self)
            #expect(served == 0)
        }
        #expect(try await adapter.by(stage.client).property("Revision", as: UInt64.self) == 0)
        await stage.stop()
    }

    @Test(
        "SIGTERM with much data queued for a slow client → the client receives all data, including Closed of its view"
    )
    func ending() async throws {
        let (stage, path) = try await makeStage()
        let adapter = try await stage.createAdapter("large")
        _ = try await adapter.performUpdates([
            Row("large", "", ["text": .string(String(repeating: "x", count: 3 << 20))])
        ])
        let direct = try await Connection.open(.address("unix:path=" + path))
        let heard = EventLog<String>()
        _ = try await direct.subscribe(MatchRule(member: "Closed"), onBus: false) { _ in heard.record("closed") }
        _ = try await adapter.by(direct).call(
            "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
            UInt32.self, [String: DBusValue].self)
        let gone = EventLog<Bool>()
        _ = try await stage.client.subscribe(MatchRule(member: "NameOwnerChanged", arguments: [0: Listd.name])) { _ in
            gone.record(true)
        }
        direct.readingIsPaused = true
        let read = try adapter.by(direct).message("GetObjects") { (message) throws(DBusError) in
            try message.write(UInt32(0), UInt32(1))
        }
        direct.call(read, timeout: nil) { heard.record((try? $0.get()) == nil ? "error" : "answer") }
        // listd reads no further calls of this client while an answer is queued for it.
        while try await stage.statistics()["direct-clients-behind"] ?? 0 == 0 {
            _ = try direct.send(
                try adapter.by(direct).message("GetChanges") { (message) throws(DBusError) in
                    try message.write(UInt64(0))
                })
        }
        stage.listd.send(SIGTERM)
        _ = try await gone.next()
        direct.readingIsPaused = false
        #expect(try await heard.next() == "answer")
        #expect(try await heard.next() == "closed")
        await stage.stop()
    }
}

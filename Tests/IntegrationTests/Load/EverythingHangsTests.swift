// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import TestSupport
import Testing

@Suite(
    "A stopped worker, a hanging store and clients that never read, all at once", .timeLimit(.minutes(5)),
    .enabled(if: LoopDisk.isPossible, "file systems in files cannot be mounted here"))
@DBusActor
struct EverythingHangsTests {
    @Test(
        "worker, store and clients hang → independent calls are answered; all resume → all calls are answered"
    )
    func isServed() async throws {
        let disk = try LoopDisk()
        defer { disk.remove() }
        let horrors = try await HorrorStage(
            "CallbackTimeout=1h", arguments: ["--state", disk.path + "/state"] + TransportKind.arguments)
        let stage = horrors.stage
        let shown = try await horrors.makeList("shown", "Steady")
        #expect(try await shown.performUpdates([Row("x", "row", [:])]) == 1)
        let stored = try await stage.manager.call(
            "CreateAdapter", "stored", [String: DBusValue](), returning: ObjectPath.self)
        let large = try await stage.createAdapter("large")
        let text = DBusValue.string(String(repeating: "x", count: 64 << 10))
        let rows = (0..<40).map { Row("o\($0)", "", ["text": text]) }
        #expect(try await large.performUpdates(rows) == 1)

        let worker = try await horrors.process
        kill(worker, SIGSTOP)
        while !ProcessStatus.threads(of: worker).allSatisfy(\.isStopped) { await Task.yield() }
        try disk.freeze()
        var isFrozen = true
        defer { if isFrozen { try? disk.thaw() } }

        let answers = EventLog<Bool>()
        var deaf: [Connection] = []
        for number in 0..<9 {
            let client = try await stage.connect(number % 2 == 0 ? .bus : .direct)
            deaf.append(client)
            for step in 0..<30 {
                let call =
                    switch number % 3 {
                    case 0: try TestAdapter(stage: stage, path: shown.path).items(by: client)
                    case 1: try large.objects(by: client)
                    default: try TestAdapter(stage: stage, path: stored).addition(of: "n\(number)-\(step)", by: client)
                    }
                client.call(call, timeout: nil) { answers.record((try? $0.get()) != nil) }
            }
            while client.outgoingSize > 0 { _ = await client.flush(timeout: .milliseconds(100)) }
            client.readingIsPaused = true
        }
        // These calls need neither the worker nor the disk nor the client that does not read.
        for transport in TransportKind.allCases {
            let client = try await stage.connect(transport)
            for step in 0..<5 {
                let manager = stage.object(Listd.manager, "Manager", by: client)
                _ = try await manager.call("GetStatistics", returning: [String: UInt64].self)
                let (_, _, total, _) = try await large.by(client).call(
                    "GetObjects", UInt32(step), UInt32(1), returning: String.self, UInt64.self, UInt32.self, [Row].self)
                #expect(total == 40)
                let call = try large.addition(of: "\(transport)-\(step)", by: client)
                _ = try await client.call(call)
                _ = try await large.by(client).call("ReloadData", returning: UInt64.self)
                let call2 = try large.by(client).message("ApplyChanges") { (message) throws(DBusError) in
                    try message.write(UInt64(0), ["\(transport)-\(step)"], [Upsert](), [String: DBusValue]())
                }
                _ = try await client.call(call2)
            }
        }
        #expect(answers.recorded.isEmpty)

        try disk.thaw()
        isFrozen = false
        kill(worker, SIGCONT)
        for client in deaf { client.readingIsPaused = false }
        for _ in 0..<9 * 30 { #expect(try await answers.next(timeout: .seconds(60))) }
        #expect(try await TestAdapter(stage: stage, path: stored).objects().rows.count == 90)
        while try await stage.statistics()["waiting-bytes"] ?? 1 > 0 {}
        #expect(await horrors.stop() == ListdProcess.Outcome(status: 0))
    }
}

extension TestAdapter {
    fileprivate func items(by client: Connection) throws -> Message {
        try by(client).message("GetItems") { (message) throws(DBusError) in
            try message.write(UInt32(0), UInt32.max, [String]())
        }
    }

    fileprivate func objects(by client: Connection) throws -> Message {
        try by(client).message("GetObjects") { (message) throws(DBusError) in try message.write(UInt32(0), UInt32.max) }
    }

    fileprivate func addition(of id: String, by client: Connection) throws -> Message {
        try by(client).message("ApplyChanges") { (message) throws(DBusError) in
            try message.write(UInt64(0), [String](), [Upsert(id, "", "last", "", [:])], [String: DBusValue]())
        }
    }
}

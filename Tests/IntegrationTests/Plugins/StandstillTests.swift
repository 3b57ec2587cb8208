// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient
import TestSupport
import Testing

@Suite("A worker whose process is stopped", .timeLimit(.minutes(5)))
@DBusActor
struct StandstillTests {
    @Test("an idle worker is stopped → listd replaces the worker even without a call, and the list continues")
    func isReplaced() async throws {
        let stage = try await HorrorStage("CallbackTimeout=1s")
        let list = try await stage.makeList("list", "Steady")
        #expect(try await list.performUpdates([Row("x", "row", ["value": .int64(1)])]) == 1)
        let first = try await stage.process
        await ProcessStatus.suspend(first)
        // No call goes to the worker.
        try await stage.wait(for: "ready", restarts: 1)
        let second = try await stage.process
        #expect(second != first)
        #expect(try await stage.plugin("LastError", as: String.self).contains("the worker did not answer within"))
        await ProcessStatus.suspend(second)
        // The third worker answers.
        #expect(try await list.items().map(\.reuse) == ["steady"])
        #expect(try await stage.plugin("RestartCount", as: UInt32.self) == 2)
        #expect(try await stage.process != second)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("SIGTERM before listd detects a stopped worker → listd exits with code 0 and does not wait for the worker")
    func isLeftBehind() async throws {
        let stage = try await HorrorStage("CallbackTimeout=1h")
        let list = try await stage.makeList("list", "Steady")
        #expect(try await list.performUpdates([Row("x", "row", [:])]) == 1)
        let process = try await stage.process
        await ProcessStatus.suspend(process)
        let question = Task { @DBusActor in _ = try await list.items() }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        // Each call gets an answer, or fails when the connection ends.
        await #expect(throws: DBusError.self) { try await question.value }
        while let status = ProcessStatus(process), !status.isZombie { await Task.yield() }
    }

    @Test(
        "calls wait for a stopped worker, and some clients do not read → all other clients are served")
    func othersAreServed() async throws {
        let horrors = try await HorrorStage("CallbackTimeout=1h")
        let stage = horrors.stage
        let list = try await horrors.makeList("list", "Steady")
        #expect(try await list.performUpdates([Row("x", "row", [:])]) == 1)
        let large = try await stage.createAdapter("large")
        let text = DBusValue.string(String(repeating: "x", count: 64 << 10))
        let rows = (0..<40).map { Row("o\($0)", "", ["text": text]) }
        #expect(try await large.performUpdates(rows) == 1)
        await ProcessStatus.suspend(try await horrors.process)
        let answers = EventLog<Bool>()
        var clients: [Connection] = []
        for number in 0..<8 {
            let client = try await stage.connect()
            clients.append(client)
            let (path, member): (ObjectPath, String) =
                number % 2 == 0 ? ("/org/listd/Listd1/adapters/list", "GetItems") : (large.path, "GetObjects")
            for _ in 0..<50 {
                let call = try stage.object(path, "Adapter", by: client).message(member) {
                    (message) throws(DBusError) in
                    if member == "GetItems" {
                        try message.write(UInt32(0), UInt32.max, [String]())
                    } else {
                        try message.write(UInt32(0), UInt32.max)
                    }
                }
                client.call(call, timeout: nil) { answers.record((try? $0.get()) != nil) }
            }
            while client.outgoingSize > 0 { _ = await client.flush(timeout: .milliseconds(100)) }
            client.readingIsPaused = true
        }
        for _ in 0..<3 {
            _ = try await large.performUpdates(rows)
            #expect(try await large.objects().rows.count == 40)
        }
        // What a client calls beyond two answers that it does not read waits, and goes with the client.
        #expect(try await stage.statistics()["waiting-calls"] ?? 0 > 0)
        for client in clients { client.close() }
        while try await stage.statistics()["waiting-calls"] ?? .max > 0 {}
        // Each query to the worker counts 12 bytes until the worker answers. The rest of the call is released.
        while try await stage.statistics()["waiting-bytes"] ?? .max > 4 * 50 * 12 {}
        #expect(try await large.objects().rows.count == 40)
        #expect(await horrors.stop() == ListdProcess.Outcome(status: 0))
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// Checks that listd does not encode answers that a client does not read.
@Suite("Replies that clients do not read", .timeLimit(.minutes(3)))
@DBusActor
struct UnreadAnswersTests {
    /// The number of calls in flight, half of `CallsPerConnection`. Each answer has a megabyte.
    private static let calls = 128

    @Test(
        "a client does not read a hundred large replies → only a few are in memory; the client reads → all are sent"
    )
    func directClientThatDoesNotRead() async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("large")
        let text = DBusValue.string(String(repeating: "x", count: 64 << 10))
        _ = try await adapter.performUpdates((0..<20).map { Row("o\($0)", "", ["text": text]) })
        let lazy = try await stage.connect(.direct)
        // The first answer raises the daemon's memory by the amount that encoding one answer needs.
        #expect(
            try await largePage(adapter, lazy).decode(as: String.self, UInt64.self, UInt32.self, [Row].self).3.count > 8
        )
        let before = try peakMemory(of: stage.listd.identifier)
        let answers = EventLog<Int>()
        lazy.readingIsPaused = true
        for _ in 0..<Self.calls {
            let call = try adapter.by(lazy).message("GetObjects") { (message) throws(DBusError) in
                try message.write(UInt32(0), UInt32.max)
            }
            lazy.call(call, timeout: nil) { answers.record((try? Self.total($0.get())) ?? 0) }
        }
        // listd holds later calls, or does not even read them from the connection.
        while true {
            let statistics = try await stage.statistics()
            if statistics["reads-held"] ?? 0 > 0 || statistics["direct-clients-behind"] ?? 0 > 0 { break }
        }
        // When listd answers later reads of the same list, it has encoded all answers that it will encode for the
        // first client.
        for _ in 0..<20 { _ = try await largePage(adapter, stage.client) }
        let growth = try peakMemory(of: stage.listd.identifier) - before
        #expect(growth < 48 << 20, "\(growth >> 20) MiB for answers that nobody reads")
        #expect(answers.recorded.isEmpty)
        lazy.readingIsPaused = false
        for _ in 0..<Self.calls { #expect(try await answers.next(timeout: .seconds(60)) == 20) }
        let whole = try peakMemory(of: stage.listd.identifier) - before
        #expect(whole < 48 << 20, "\(whole >> 20) MiB at the end")
        await stage.stop()
    }

    @Test(
        "a client requests 100 memory files but reads nothing → 32 are created, and further requests are refused"
    )
    func filesThatNobodyReads() async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("filed")
        try await adapter.fill(10)
        let lazy = try await stage.connect(.direct)
        let answers = EventLog<FileDescriptor?>()
        lazy.readingIsPaused = true
        for _ in 0..<100 {
            lazy.call(try fileCall(adapter, lazy), timeout: nil) { answers.record(try? Self.file($0.get())) }
        }
        while try await stage.statistics()["lent-files"] ?? 0 < 32 {}
        // The limit applies to all connections of a user together.
        let refusal = await #expect(throws: DBusError.self) {
            _ = try await stage.client.call(try fileCall(adapter, stage.client))
        }
        #expect(refusal?.name == Listd.standardError("LimitsExceeded"))
        lazy.readingIsPaused = false
        var files: [FileDescriptor] = []
        for _ in 0..<100 { if let file = try await answers.next() { files.append(file) } }
        #expect(files.count == 32)
        files = []
        while try await stage.statistics()["lent-files"] ?? 1 > 0 {}
        _ = try await stage.client.call(try fileCall(adapter, stage.client))
        await stage.stop()
    }

    @Test("sixty clients request a hundred large replies each, then exit → all calls and memory are released")
    func clientsThatGo() async throws {
        let stage = try await Stage.withDirectSocket(
            files: [
                "listd.conf": """
                [Limits]
                DirectConnections=64
                DirectConnectionsPerUser=64
                CallsPerUser=1M
                WaitingBytesPerUser=1G
                WaitingBytes=16G
                """
            ])
        let adapter = try await stage.createAdapter("large")
        let text = DBusValue.string(String(repeating: "x", count: 64 << 10))
        _ = try await adapter.performUpdates((0..<20).map { Row("o\($0)", "", ["text": text]) })
        var peaks: [Int] = []
        for _ in 0..<3 {
            let clients = try ChildProcess(
                "/usr/bin/python3",
                ["-u", "-c", try Script.text(of: "unread.py")]
                    + [stage.address(.direct), adapter.path.text, "60", "100"])
            #expect(try await clients.lines.next(timeout: .seconds(60)) == "asked")
            // listd notices that a client does not read at the client's next call.
            while try await stage.statistics()["direct-clients-behind"] ?? 0 < 60 {
                clients.write(line: "more")
                #expect(try await clients.lines.next(timeout: .seconds(60)) == "asked")
            }
            clients.write(line: "")
            #expect(try await clients.exit.next(timeout: .seconds(60)) == 0)
            let end = ContinuousClock.now + .seconds(20)
            while try await stage.statistics()["direct-clients-behind"] ?? 0 > 0, .now < end {}
            #expect(try await stage.statistics()["direct-clients-behind"] == 0)
            peaks.append(try peakMemory(of: stage.listd.identifier))
        }
        // Later rounds reuse the memory of the first round.
        #expect(peaks[2] - peaks[0] < 48 << 20, "\(peaks.map { $0 >> 20 }) MiB")
        let newcomer = try await stage.connect(.direct)
        #expect(
            try await largePage(adapter, newcomer).decode(as: String.self, UInt64.self, UInt32.self, [Row].self).2 == 20
        )
        await stage.stop()
    }

    @Test(
        "a client leaves two large replies unread → its later calls wait, and other connections' calls do not",
        .rule("LD-02"))
    func callsBehindUnreadAnswers() async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("large")
        _ = try await adapter.performUpdates([
            Row("large", "", ["text": .string(String(repeating: "x", count: 3 << 20))])
        ])
        let lazy = try await stage.connect(.direct)
        lazy.readingIsPaused = true
        let answers = EventLog<Int>()
        // listd gets all calls at once.
        await ProcessStatus.suspend(stage.listd.identifier)
        for number in 0..<7 {
            let member = number < 2 ? "GetObjects" : "GetItemCounts"
            let call = try adapter.by(lazy).message(member) { (message) throws(DBusError) in
                try message.write(UInt32(0), UInt32(1))
            }
            lazy.call(call, timeout: nil) { _ in answers.record(number) }
        }
        #expect(await lazy.flush(timeout: .seconds(20)))
        kill(stage.listd.identifier, SIGCONT)
        while try await stage.statistics()["reads-held"] ?? 0 < 5 {}
        for _ in 0..<20 { #expect(try await stage.statistics()["waiting-calls"] == 5) }
        lazy.readingIsPaused = false
        var order: [Int] = []
        for _ in 0..<7 { order.append(try await answers.next(timeout: .seconds(60))) }
        #expect(order.first == 0 && order.sorted() == Array(0..<7))
        #expect(try await stage.statistics()["reads-held"] == 5)
        await stage.stop()
    }

    @Test("a direct client calls the driver of the bus and reads nothing → listd stops reading its calls")
    func driverCallsThatNobodyReads() async throws {
        let stage = try await Stage.withDirectSocket()
        let lazy = try await stage.connect(.direct)
        lazy.readingIsPaused = true
        let driver = "org.freedesktop.DBus"
        var call = try Message.methodCall(
            to: driver, path: "/org/freedesktop/DBus", interface: driver, member: "GetNameOwner")
        try call.write("a." + String(repeating: "x", count: 250))
        for _ in 0..<20_000 { try lazy.send(call) }
        let end = ContinuousClock.now + .seconds(20)
        while try await stage.statistics()["direct-clients-behind"] ?? 0 == 0, .now < end {}
        #expect(try await stage.statistics()["direct-clients-behind"] == 1)
        lazy.readingIsPaused = false
        #expect(try await stage.object(Listd.manager, "Manager", by: lazy).property("ViewCount", as: UInt32.self) == 0)
        while try await stage.statistics()["direct-clients-behind"] ?? 1 > 0 {}
        await stage.stop()
    }

    /// Returns a call that requests the list in a memory file.
    private func fileCall(_ adapter: TestAdapter, _ client: Connection) throws -> Message {
        try adapter.by(client).message("GetObjectsByFileDescriptor") { (message) throws(DBusError) in
            try message.write(UInt32(0), UInt32.max, "jsonl")
        }
    }

    /// Requests a page of a megabyte.
    private func largePage(_ adapter: TestAdapter, _ client: Connection) async throws -> Message {
        let call = try adapter.by(client).message("GetObjects") { (message) throws(DBusError) in
            try message.write(UInt32(0), UInt32.max)
        }
        return try await client.call(call)
    }

    /// Returns the memory file of an answer.
    private static func file(_ answer: Message) throws(DBusError) -> FileDescriptor {
        try answer.decode(as: String.self, UInt64.self, UInt32.self, FileDescriptor.self).3
    }

    /// Returns the number of objects in the list, which precedes the page in an answer.
    private static func total(_ answer: Message) throws(DBusError) -> Int {
        try answer.read { (reader) throws(DBusError) in
            reader.skip()
            reader.skip()
            return Int(try reader.readUInt32())
        }
    }

    /// Returns the peak resident memory of a process, in bytes.
    private func peakMemory(of process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first) << 10
    }
}

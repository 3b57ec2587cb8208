// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Log lines about long iterations of the event loop", .timeLimit(.minutes(1)))
struct LongTurnTests {
    /// A log sink that reports each entry to the test.
    private struct TellingSink: LogSink {
        let entries: EventLog<LogEntry>
        func write(_ entry: LogEntry) { entries.record(entry) }
    }

    private static let name = "org.example.Slow"
    private static let path: ObjectPath = "/org/example/Slow"

    @DBusActor
    private final class Slow {
        static let interface = Interface<Slow>(
            LongTurnTests.name,
            [
                .method("Work", in: ["data": "ay"]) { _, call in
                    LongTurnTests.work()
                    call.reply()
                }
            ])
    }

    private static func work() {
        let end = ContinuousClock.now + .milliseconds(80)
        while ContinuousClock.now < end {}
    }

    @Test("a call or other work takes over 50 ms → a log line has the duration and the cause")
    @DBusActor
    func lines() async throws {
        let directory = TemporaryDirectory()
        let server = try Server.listen("unix:path=\(directory.path)/direct.sock")
        let tree = ObjectTree()
        tree.add(ExportedObject(Slow.interface, of: Slow()), at: Self.path)
        server.objects = tree
        let client = try await Connection.openDirect(.address("unix:path=\(directory.path)/direct.sock"))
        let remote = RemoteObject(client, destination: nil, path: Self.path, interface: Self.name)
        let entries = EventLog<LogEntry>()
        Log(level: .notice, sink: TellingSink(entries: entries)).reportLongTurns()
        defer { EventLoop.shared.turns.reportTurns(longerThan: .seconds(3600)) { _, _ in } }

        _ = try await remote.call("Work", [UInt8](repeating: 0, count: 3000))
        var entry: LogEntry
        repeat { entry = try await entries.next() } while !entry.message.contains("org.example.Slow.Work of user ")
        #expect(entry.level == .notice && entry.fields == [.client(":d.1")])
        #expect(entry.message.hasPrefix("the event loop was busy for ") && entry.message.hasSuffix(" bytes)"))

        EventLoop.shared.post { Self.work() }
        repeat { entry = try await entries.next() } while !entry.message.hasSuffix(", but not with a call")
    }
}

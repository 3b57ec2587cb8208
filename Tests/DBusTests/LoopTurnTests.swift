// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import TestSupport
import Testing

@Suite("Iterations of the event loop that take long", .timeLimit(.minutes(1)))
struct LoopTurnTests {
    /// An object whose method calls take long.
    @DBusActor
    private final class Slow {
        static let name = "org.example.Slow"
        static let path: ObjectPath = "/org/example/Slow"

        static let interface = Interface<Slow>(
            name,
            [
                .method("Work", in: ["data": "ay"]) { _, call in
                    LoopTurnTests.blockLoop()
                    call.reply()
                },
                .method("Ask", out: ["data": "ay"]) { _, call in
                    // Replies in a later turn of the loop.
                    EventLoop.shared.addTimer(after: .zero) {
                        call.replyWriting { writer in
                            LoopTurnTests.blockLoop()
                            [UInt8](repeating: 1, count: 5000).encode(to: &writer)
                        }
                    }
                },
            ])
    }

    private static func blockLoop() {
        let end = ContinuousClock.now + .milliseconds(120)
        while ContinuousClock.now < end {}
    }

    @DBusActor
    private func withReports(
        _ body: (EventLog<(length: Duration, work: LoopTurns.Work?)>) async throws -> Void
    ) async throws {
        let reports = EventLog<(length: Duration, work: LoopTurns.Work?)>()
        EventLoop.shared.turns.reportTurns(longerThan: .milliseconds(100)) { reports.record(($0, $1)) }
        defer { EventLoop.shared.turns.reportTurns(longerThan: .seconds(3600)) { _, _ in } }
        try await body(reports)
    }

    @Test(
        "handling a call or its reply takes long → the loop iteration is reported with method, user and bytes",
        arguments: [false, true])
    @DBusActor
    func calls(isAnswer: Bool) async throws {
        let server = try CounterServer()
        server.tree.add(ExportedObject(Slow.interface, of: Slow()), at: Slow.path)
        let client = try await server.client()
        try await withReports { reports in
            let remote = RemoteObject(client, destination: nil, path: Slow.path, interface: Slow.name)
            if isAnswer {
                _ = try await remote.call("Ask", returning: [UInt8].self)
            } else {
                _ = try await remote.call("Work", [UInt8](repeating: 0, count: 3000))
            }
            var found: (length: Duration, work: LoopTurns.Work?)
            repeat { found = try await reports.next() } while found.work?.interface != Slow.name
            let work = try #require(found.work)
            #expect(work.member == (isAnswer ? "Ask" : "Work") && work.isAnswer == isAnswer)
            #expect(work.userID == getuid() && work.callerName == ":d.1")
            #expect(work.byteCount > (isAnswer ? 5000 : 3000) && work.byteCount < (isAnswer ? 5100 : 3300))
            #expect(work.duration >= .milliseconds(120) && found.length >= work.duration)
            let longest = Duration.microseconds(Int64(EventLoop.shared.turns.lengths.longest))
            #expect(longest >= .milliseconds(120))
        }
    }

    @Test(
        "a long loop iteration has no call → it is reported without a method; a shorter iteration → it is only counted")
    @DBusActor
    func other() async throws {
        try await withReports { reports in
            EventLoop.shared.post { Self.blockLoop() }
            var found: (length: Duration, work: LoopTurns.Work?)
            repeat { found = try await reports.next() } while found.work != nil
            #expect(found.length >= .milliseconds(120))
        }
    }

    /// Finds the largest number of calls that are handled in one turn of the loop.
    @DBusActor
    private final class Counting {
        static let path: ObjectPath = "/org/example/Counting"
        static let interface = Interface<Counting>(
            "org.example.Counting",
            [
                .method("Hit", in: ["data": "ay"]) { object, _ in
                    let end = ContinuousClock.now + .microseconds(500)
                    while ContinuousClock.now < end {}
                    object.countCall()
                }
            ])

        private(set) var most = 0
        private var inTurn = 0
        private var left: Int
        let done = EventLog<Void>()

        init(expecting count: Int) { left = count }

        private func countCall() {
            if inTurn == 0 {
                // Timers run once in a turn of the loop, before messages.
                EventLoop.shared.addTimer(after: .zero) { [weak self] in self?.inTurn = 0 }
            }
            inTurn += 1
            most = max(most, inTurn)
            left -= 1
            if left == 0 { done.record(()) }
        }
    }

    @Test("many connections flood the service → each loop iteration handles a few messages per connection")
    @DBusActor
    func manyConnections() async throws {
        let (connections, calls) = (20, 40)
        let server = try CounterServer()
        let counting = Counting(expecting: connections * calls)
        server.tree.add(ExportedObject(Counting.interface, of: counting), at: Counting.path)
        var clients: [Connection] = []
        for _ in 0..<connections { clients.append(try await server.client()) }
        for client in clients {
            for _ in 0..<calls {
                var message = try Message.methodCall(
                    to: nil, path: Counting.path, interface: "org.example.Counting", member: "Hit")
                try message.write([UInt8]())
                try client.callWithoutReply(message)
            }
        }
        try await counting.done.next()
        #expect(counting.most <= connections * 4)
        for client in clients { client.close() }
    }

    @Test(
        "durations of all sizes are recorded → a quantile exceeds the exact value by at most a sixteenth",
        arguments: 0..<20 as Range<UInt64>)
    func histogram(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var histogram = DurationHistogram()
        #expect(histogram.quantile(0.99) == 0 && histogram.longest == 0)
        var times: [UInt64] = []
        for _ in 0..<Int.random(in: 1...2000, using: &random) {
            let time = UInt64.random(in: 0...(1 << UInt64.random(in: 0...31, using: &random)), using: &random)
            times.append(time)
            histogram.add(microseconds: time)
        }
        times.sort()
        for part in [0, 0.01, 0.5, 0.9, 0.99, 1] {
            let exact = times[max(0, Int((Double(times.count) * part).rounded(.up)) - 1)]
            let found = histogram.quantile(part)
            #expect(found >= exact && found <= exact + exact / 16, "\(part): \(found), not \(exact)")
        }
        #expect(histogram.longest == times.last)
        histogram.add(microseconds: .max)
        #expect(histogram.longest == .max && histogram.quantile(1) >= UInt64(UInt32.max))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginAPI
import PluginTestSupport
import Testing

@testable import postgres

@Suite(
    "A server that hangs, stops and returns", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Server.isInstalled, "PostgreSQL's server is not installed"))
struct OutageTests {
    /// Returns the processes of the sessions that poll.
    private func pollingProcesses(_ server: Server) throws -> [Int32] {
        let found = try server.sql(
            "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'listd/%' AND query LIKE 'SELECT listd.poll%'"
        )
        return found.compactMap { Int32($0) }
    }

    @Test("the polling session hangs → the error comes at the time `stale`, and the session is replaced by another")
    func hang() async throws {
        let server = try FollowingTests.serverWithOrders(3)
        let source = try await FollowingTests.follow(server, options: "&stale=2s&write=yes")
        await source.wait { $0.objects.count == 3 && $0.progress.position != nil }
        let session = try #require(try pollingProcesses(server).first)
        kill(session, SIGSTOP)
        defer { kill(session, SIGCONT) }
        let began = ContinuousClock.now
        await source.wait { $0.failure != nil }
        let reported = ContinuousClock.now - began
        #expect(source.failure?.contains("2 s") == true)
        #expect(reported > .milliseconds(1400) && reported < .seconds(4), "\(reported)")
        try server.sql("UPDATE orders SET title = 'after' WHERE id = 1")
        await source.wait { $0.failure == nil && $0.objects[0].fields["title"] == "after" }
        #expect(ContinuousClock.now - began < .seconds(8))
        #expect(try pollingProcesses(server).contains { $0 != session })
        await source.stop()
    }

    @Test("the server hangs → a write is refused within 4 s, and later ones at once; it continues → they succeed")
    func writes() async throws {
        let server = try FollowingTests.serverWithOrders(3)
        let source = try await FollowingTests.follow(server, options: "&write=yes")
        await source.wait { $0.objects.count == 3 && $0.progress.position != nil }
        let processes = try server.processes()
        for process in processes { kill(process, SIGSTOP) }
        defer { for process in processes { kill(process, SIGCONT) } }
        for limit in [Duration.seconds(4), .seconds(1), .seconds(1)] {
            let began = ContinuousClock.now
            await #expect(throws: ListError.self) {
                try await source.write(.patch(id: "1", set: ["title": "x"], unset: []))
            }
            #expect(ContinuousClock.now - began < limit, "\(ContinuousClock.now - began)")
        }
        for process in processes { kill(process, SIGCONT) }
        await source.wait { $0.failure == nil }
        let began = ContinuousClock.now
        while began.duration(to: .now) < .seconds(20) {
            if (try? await source.write(.patch(id: "1", set: ["title": "again"], unset: []))) != nil { break }
            _ = await source.next()
        }
        #expect(try server.sql("SELECT title FROM orders WHERE id = 1") == ["again"])
        await source.stop()
    }

    @Test("the server is away for 6 s → the list continues within 4 s of its return; a recovery is logged")
    func recovery() async throws {
        let server = try FollowingTests.serverWithOrders(3)
        let source = try await FollowingTests.follow(server, options: "&stale=1s")
        await source.wait { $0.objects.count == 3 && $0.progress.position != nil }
        server.stop()
        await source.wait { $0.failure != nil }
        try await Task.sleep(for: .seconds(6))  // the length of the outage is what is tested
        try server.start()
        let began = ContinuousClock.now
        await source.wait { $0.failure == nil }
        #expect(ContinuousClock.now - began < .seconds(4))
        await source.stop()
    }

    @Test("delays between attempts → they grow to 3 s and not beyond")
    func delays() {
        var backOff = BackOff()
        let delays = (0..<200).map { _ in backOff.nextDelay() }
        #expect(delays.allSatisfy { $0 > .zero && $0 <= .seconds(3) })
        #expect(delays.suffix(100).contains { $0 > .seconds(2) })
    }

    @Test("a list is missing for 12 s → it is followed within 4 s of its creation")
    func missing() async throws {
        let server = try Server()
        let source = try await FollowingTests.follow(server)
        await source.wait { $0.failure?.contains("no list") == true }
        try await Task.sleep(for: .seconds(12))  // the length of the absence is what is tested
        try server.sql(
            "CREATE TABLE orders (id int PRIMARY KEY); INSERT INTO orders VALUES (1); SELECT listd.watch('orders', 'orders')"
        )
        let began = ContinuousClock.now
        await source.wait { $0.objects.count == 1 }
        #expect(ContinuousClock.now - began < .seconds(4))
        #expect(source.failure == nil)
        await source.stop()
    }

    @Test("several hosts refuse the connection → the message has each host once and libpq's hint nowhere")
    func hosts() {
        let text = """
            connection to server at "10.0.0.1", port 5432 failed: Connection refused
            \tIs the server running on that host and accepting TCP/IP connections?
            connection to server at "10.0.0.2", port 5432 failed: Connection refused
            \tIs the server running on that host and accepting TCP/IP connections?
            connection to server at "10.0.0.2", port 5432 failed: Connection refused
            """
        #expect(
            text.onOneLine()
                == "connection to server at \"10.0.0.1\", port 5432 failed: Connection refused; "
                + "connection to server at \"10.0.0.2\", port 5432 failed: Connection refused")
    }
}

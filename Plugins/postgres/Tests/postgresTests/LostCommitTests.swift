// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginAPI
import PluginTestSupport
import Testing

@testable import postgres

@Suite(
    "A connection that is lost during COMMIT", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Server.isInstalled, "PostgreSQL's server is not installed"))
struct LostCommitTests {
    /// Writes to a list whose COMMIT takes long, and interrupts the connection while the COMMIT is waiting for
    /// `event`.
    private func write(
        _ prepare: String, waitingFor event: String,
        interrupt: @escaping @Sendable (_ server: Server, _ process: String) throws -> Void
    ) async throws -> (Server, TestSource, ListError?) {
        let server = try FollowingTests.serverWithOrders(1)
        let source = try await FollowingTests.follow(server, options: "&write=yes")
        await source.wait { $0.objects.count == 1 }
        try server.sql(prepare)
        let interruption = Task {
            let question = "SELECT pid FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = '\(event)'"
            while true {
                if let process = try server.sql(question).first { return try interrupt(server, process) }
                // The server does not notify about waiting processes, so they are polled.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        defer { interruption.cancel() }
        do {
            try await source.write(.patch(id: "1", set: ["title": "written"], unset: []))
            return (server, source, nil)
        } catch {
            return (server, source, error)
        }
    }

    private static let slowTrigger = """
        CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(12); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON orders DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait();
        """

    @Test("the connection is lost after the commit → the write succeeds")
    func committed() async throws {
        // The transaction is committed, but COMMIT waits for a standby that does not exist.
        let (server, source, error) = try await write(
            "ALTER SYSTEM SET synchronous_standby_names = 'nobody'; SELECT pg_reload_conf()", waitingFor: "SyncRep"
        ) { try $0.sql("SELECT pg_terminate_backend(\($1))") }
        #expect(error == nil)
        #expect(source.objects.first?.fields["title"] == "written")
        #expect(try server.sql("SELECT title FROM orders") == ["written"])
        await source.stop()
    }

    @Test("the connection is lost before the commit → the write fails, and the message says that nothing was written")
    func aborted() async throws {
        let (server, source, error) = try await write(Self.slowTrigger, waitingFor: "PgSleep") {
            try $0.sql("SELECT pg_terminate_backend(\($1))")
        }
        #expect(error?.code == .sourceUnavailable)
        #expect(error?.message.hasSuffix("nothing was written") == true)
        #expect(try server.sql("SELECT title FROM orders") == ["row 1"])
        await source.stop()
    }

    @Test("the server stops and does not come back → the write fails, and the message says that the outcome is unknown")
    func unknown() async throws {
        let (_, source, error) = try await write(Self.slowTrigger, waitingFor: "PgSleep") { server, _ in
            server.stop(kill: true)
        }
        #expect(error?.code == .sourceUnavailable)
        #expect(error?.message.hasSuffix("the outcome is unknown") == true)
        await source.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import postgres

@Suite(
    "A new generation of the log", .serialized, .timeLimit(.minutes(1)),
    .enabled(if: Server.isInstalled, "PostgreSQL's server is not installed"))
struct GenerationTests {
    @Test("a new generation of the log begins during a transaction → commits that followers have not read stay logged")
    func overlapping() throws {
        let server = try FollowingTests.serverWithOrders(2)
        let (slow, fast) = (try server.openSession(), try server.openSession())
        try slow.sql("BEGIN; SELECT pg_current_xact_id()")
        try fast.sql("BEGIN; UPDATE orders SET title = 'changed' WHERE id = 2")
        // The cursors of a standby's followers stay valid after a crash of the primary.
        let cursor = try #require(try server.sql("SELECT pg_current_snapshot()").first)
        try fast.sql("COMMIT")
        // A crash empties this unlogged table.
        try server.sql("TRUNCATE listd.incarnation")
        try server.sql("SELECT FROM listd.hello()")
        #expect(
            try server.sql("SELECT changed FROM listd.poll('{1}', ARRAY['\(cursor)'], 50000)") == ["1:1"])
        try slow.sql("ROLLBACK")
    }

    @Test("a generation begins after a restore from a backup → log entries with future transaction numbers are removed")
    func foreign() throws {
        let server = try FollowingTests.serverWithOrders(2)
        try server.sql("INSERT INTO listd.change (xid, list, id) VALUES ('4000000000', 1, '2')")
        try server.sql("TRUNCATE listd.incarnation")
        try server.sql("SELECT FROM listd.hello()")
        #expect(try server.sql("SELECT count(*) FROM listd.change WHERE xid = '4000000000'") == ["0"])
    }
}

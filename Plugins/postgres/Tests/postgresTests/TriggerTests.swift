// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginAPI
import PluginTestSupport
import Testing

@testable import postgres

@Suite(
    "Row triggers and statement triggers", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Server.isInstalled, "PostgreSQL's server is not installed"))
struct TriggerTests {
    /// Creates a watched table with two partitions.
    private func makePartitionedTable(triggers: String) throws -> Server {
        let server = try Server()
        try server.sql(
            """
            CREATE TABLE orders (id int PRIMARY KEY, title text) PARTITION BY RANGE (id);
            CREATE TABLE low PARTITION OF orders FOR VALUES FROM (0) TO (100);
            CREATE TABLE high PARTITION OF orders FOR VALUES FROM (100) TO (200);
            INSERT INTO orders VALUES (1, 'a'), (101, 'b');
            SELECT listd.watch('orders', 'orders'\(triggers));
            """)
        return server
    }

    private func keys(_ server: Server) throws -> [String] {
        try server.sql("SELECT coalesce(id, 'all') FROM listd.change ORDER BY xid, id")
    }

    @Test(
        "row triggers are used → direct writes to a partition and replicated writes are logged with old and new keys"
    )
    func rows() async throws {
        let server = try makePartitionedTable(triggers: ", triggers => 'row'")
        let source = try await FollowingTests.follow(server)
        await source.wait { $0.objects.count == 2 }
        try server.sql("INSERT INTO low VALUES (2, 'c'); UPDATE high SET title = 'B' WHERE id = 101")
        await source.wait { $0.objects.map(\.id) == ["1", "2", "101"] && $0.objects[2].fields["title"] == "B" }
        try server.sql("SET session_replication_role = replica; UPDATE orders SET id = 3 WHERE id = 1")
        await source.wait { $0.objects.map(\.id) == ["2", "3", "101"] }
        try server.sql(
            "CREATE TABLE top PARTITION OF orders FOR VALUES FROM (200) TO (300); INSERT INTO top VALUES (200, 'd')")
        await source.wait { $0.objects.map(\.id) == ["2", "3", "101", "200"] }
        try server.sql("TRUNCATE orders")
        await source.wait { $0.objects.isEmpty }
        #expect(source.failure == nil)
        await source.stop()
    }

    @Test(
        "statement triggers are used → direct writes to a partition are not logged; an unknown kind → listd.watch fails"
    )
    func statements() throws {
        let server = try makePartitionedTable(triggers: "")
        try server.sql("DELETE FROM listd.change")
        try server.sql("INSERT INTO low VALUES (2, 'c')")
        #expect(try keys(server).isEmpty)
        try server.sql("INSERT INTO orders VALUES (3, 'd')")
        #expect(try keys(server) == ["3"])
        #expect(throws: Server.Failure.self) {
            try server.sql("SELECT listd.watch('orders', 'orders', triggers => 'rows')")
        }
        #expect(throws: Server.Failure.self) {
            try server.sql("SELECT listd.watch('orders', 'orders', triggers => NULL)")
        }
        #expect(try server.sql("SELECT triggers FROM listd.origin") == ["4"])
    }

    @Test(
        "the kind of triggers is changed and changed back → only triggers of the current kind exist"
    )
    func changedKind() throws {
        let server = try makePartitionedTable(triggers: ", triggers => 'row'")
        #expect(try server.sql("SELECT triggers FROM listd.origin") == ["2"])
        try server.sql(
            "SELECT listd.watch('orders', 'orders'); SELECT listd.watch('orders', 'orders', triggers => 'row')")
        try server.sql("DELETE FROM listd.change")
        try server.sql("UPDATE orders SET title = 'x'")
        #expect(try keys(server) == ["1", "101"])
        try server.sql("SELECT listd.unwatch('orders')")
        #expect(try server.sql("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'listd%'") == ["0"])
    }

    @Test("the extension is updated from 1.0 to 1.3 while a list is followed → old and new triggers log writes")
    func update() async throws {
        let server = try Server(hasExtension: false)
        try server.install([Server.scripts[0]])
        try server.sql(
            """
            CREATE TABLE orders (id int PRIMARY KEY, title text); INSERT INTO orders VALUES (1, 'a');
            SELECT listd.watch('orders', 'orders');
            """)
        let source = try await FollowingTests.follow(server)
        await source.wait { $0.objects.count == 1 }
        let pages = source.pageCount
        for script in Server.scripts.dropFirst() { try server.run(script) }
        try server.sql("INSERT INTO orders VALUES (2, 'b')")
        await source.wait { $0.objects.count == 2 }
        #expect(source.pageCount == pages)
        try server.sql("SELECT listd.watch('orders', 'orders', triggers => 'row')")
        try server.sql("SET session_replication_role = replica; INSERT INTO orders VALUES (3, 'c')")
        await source.wait { $0.objects.count == 3 }
        #expect(try server.sql("SELECT version FROM listd.hello()") == ["1.3"])
        #expect(source.failure == nil)
        await source.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginAPI
import PluginTestSupport
import Testing
@testable import postgres

@Suite(
    "Following a table", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Server.isInstalled, "PostgreSQL's server is not installed"))
struct FollowingTests {
    static func follow(_ server: Server, _ name: String = "orders", user: String = "owner", options: String = "")
        async throws -> TestSource
    {
        let service = try server.addService(user)
        return try await TestSource(
            PostgresPlugin.self, "list", argument: "\(name)&service=\(service)&poll=10ms\(options)")
    }

    static func serverWithOrders(_ rows: Int) throws -> Server {
        let server = try Server()
        try server.sql(
            """
            CREATE TABLE orders (id int PRIMARY KEY, rank numeric NOT NULL, title text);
            CREATE INDEX ON orders (rank, id);
            INSERT INTO orders SELECT i, i, 'row ' || i FROM generate_series(1, \(rows)) i;
            SELECT listd.watch('orders', 'orders');
            """)
        return server
    }

    private func titles(_ source: TestSource) -> [String] { source.objects.map { $0.fields["title"]?.string ?? "-" } }

    @Test("rows are inserted, updated, moved and deleted → the list equals the table, in the same order")
    func follows() async throws {
        let server = try Self.serverWithOrders(3)
        let source = try await Self.follow(server)
        await source.wait { $0.objects.count == 3 }
        #expect(source.objects.map(\.id) == ["1", "2", "3"])
        #expect(titles(source) == ["row 1", "row 2", "row 3"])
        try server.sql("INSERT INTO orders VALUES (4, 1.5, 'between'); UPDATE orders SET title = 'new' WHERE id = 3")
        await source.wait { titles($0) == ["row 1", "between", "row 2", "new"] }
        try server.sql("UPDATE orders SET rank = -rank; DELETE FROM orders WHERE id = 2")
        await source.wait { titles($0) == ["new", "between", "row 1"] }
        try server.sql("UPDATE orders SET id = 9 WHERE id = 3")
        await source.wait { $0.objects.map(\.id) == ["9", "4", "1"] }
        try server.sql("TRUNCATE orders")
        await source.wait { $0.objects.isEmpty }
        #expect(source.failure == nil)
        await source.stop()
    }

    @Test("a table has columns of all supported types → the objects have their values, and no field for NULL")
    func types() async throws {
        let server = try Server()
        try server.sql(
            """
            CREATE TYPE size AS ENUM ('small', 'large');
            CREATE DOMAIN positive AS int4 CHECK (value > 0);
            CREATE TABLE things (id text PRIMARY KEY, type text, a int2, b int4, c int8, d bool, e float4, f float8, g text,
                h numeric, i uuid, j timestamptz, k bytea, l jsonb, m size, n positive, o varchar(9), p timestamptz, q int4);
            INSERT INTO things VALUES ('x', 'thing', -1, 2, 9223372036854775807, true, 1.5, 0.1, 'ä"', 12345678901234567890.10,
                '00000000-0000-0000-0000-000000000001', '2026-11-23 10:00:00.123456Z', '\\x00ff',
                '{"s": "t\\u00e9", "n": 1, "d": 1.5, "b": false, "x": null, "a": [1, "2"], "o": {"k": true}}',
                'large', 7, 'v', 'infinity', NULL);
            SELECT listd.watch('things', 'things');
            """)
        let source = try await Self.follow(server, "things")
        await source.wait { !$0.objects.isEmpty }
        let expected = try ListObject(
            id: "x", type: "thing",
            fields: [
                "a": .int64(-1), "b": .int64(2), "c": .int64(.max), "d": .boolean(true), "e": .double(1.5),
                "f": .double(0.1),
                "g": .string("ä\""), "h": .string("12345678901234567890.10"),
                "i": .string("00000000-0000-0000-0000-000000000001"), "j": .int64(1_795_428_000_123_456),
                "k": .array(element: "y", [.byte(0), .byte(255)]),
                "l": .dictionary(
                    key: "s", value: "v",
                    [
                        .string("s"): .variant(.string("té")), .string("n"): .variant(.int64(1)),
                        .string("d"): .variant(.double(1.5)), .string("b"): .variant(.boolean(false)),
                        .string("a"): .variant(
                            .array(element: "v", [.variant(.int64(1)), .variant(.string("2"))])),
                        .string("o"): .variant(
                            .dictionary(key: "s", value: "v", [.string("k"): .variant(.boolean(true))])),
                    ]),
                "m": .string("large"), "n": .int64(7), "o": .string("v"), "p": .int64(.max),
            ])
        #expect(source.objects == [expected])
        // The same values, read from a change instead of the whole table.
        try server.sql("UPDATE things SET q = 5")
        await source.wait { $0.objects.first?.fields["q"] == 5 }
        #expect(source.objects.first?.fields.patched(set: [:], unset: ["q"]) == expected.fields)
        await source.stop()
    }

    @Test("a transaction begins before another one and commits after it → the changes of both are read")
    func overlapping() async throws {
        let server = try Self.serverWithOrders(1)
        let source = try await Self.follow(server)
        await source.wait { $0.objects.count == 1 }
        let slow = try server.openSession()
        try slow.sql("BEGIN; INSERT INTO orders VALUES (2, 2, 'slow')")
        try server.sql("INSERT INTO orders VALUES (3, 3, 'fast')")
        await source.wait { $0.objects.map(\.id) == ["1", "3"] }
        try slow.sql("COMMIT")
        await source.wait { $0.objects.map(\.id) == ["1", "2", "3"] }
        await source.stop()
    }

    @Test("the source restarts with its cursor → only later changes are read, and the list is not replaced")
    func cursor() async throws {
        let server = try Self.serverWithOrders(100)
        let service = try server.addService()
        let argument = "orders&service=\(service)&poll=10ms"
        let first = try await TestSource(PostgresPlugin.self, "list", argument: argument)
        await first.wait { $0.objects.count == 100 }
        let (cursor, objects) = (first.progress.cursor, first.objects)
        await first.stop()
        try server.sql("INSERT INTO orders VALUES (200, 50.5, 'new'); DELETE FROM orders WHERE id = 1")
        let second = try await TestSource(
            PostgresPlugin.self, "list", argument: argument, cursor: cursor, objects: objects)
        let event = await second.next()
        guard case .upTo(_, .changes(let removed, let upserts)) = event else {
            Issue.record("\(String(describing: event))")
            return
        }
        #expect(removed == ["1"])
        #expect(upserts.map(\.object.id) == ["200"])
        #expect(second.objects.count == 100)
        #expect(second.objects[49].id == "200")
        #expect(second.pageCount == 0)
        await second.stop()
    }

    @Test("the log was pruned beyond the cursor, or the log has a new generation → the whole list is read")
    func whole() async throws {
        let server = try Self.serverWithOrders(10)
        let service = try server.addService()
        let argument = "orders&service=\(service)&poll=10ms"
        let first = try await TestSource(PostgresPlugin.self, "list", argument: argument)
        await first.wait { $0.objects.count == 10 }
        let (cursor, objects) = (first.progress.cursor, first.objects)
        await first.stop()
        try server.sql("DELETE FROM orders WHERE id = 1")
        try server.sql("SELECT listd.prune('0')")
        let second = try await TestSource(
            PostgresPlugin.self, "list", argument: argument, cursor: cursor, objects: objects)
        await second.wait { $0.objects.count == 9 }
        #expect(second.pageCount > 0)
        let pages = second.pageCount
        // A crash ends the generation, and may have undone changes that the list has.
        server.stop(kill: true)
        try server.start()
        try server.sql("DELETE FROM orders WHERE id = 2")
        await second.wait { $0.objects.count == 8 }
        #expect(second.pageCount > pages)
        await second.stop()
    }

    @Test("the log is pruned between the two queries of a poll → the whole list is read, and no change is missed")
    func prunedBetween() async throws {
        let server = try Self.serverWithOrders(4)
        try server.sql(
            """
            ALTER FUNCTION listd.poll RENAME TO asked;
            CREATE FUNCTION listd.poll(
                lists integer[], seen text[], enough integer, OUT snapshot text, OUT generation text, OUT changed text)
            LANGUAGE plpgsql AS $$
            BEGIN
                SELECT a.snapshot, a.generation, a.changed INTO snapshot, generation, changed FROM listd.asked(lists, seen, enough) a;
                IF changed <> '' THEN PERFORM listd.prune('0'); END IF;
            END $$;
            """)
        let service = try server.addService()
        let source = try await TestSource(PostgresPlugin.self, "list", argument: "orders&service=\(service)&poll=1s")
        await source.wait { $0.objects.count == 4 }
        let (first, second) = (try server.openSession(), try server.openSession())
        try first.sql("BEGIN; UPDATE orders SET title = 'first' WHERE id = 1")
        try server.sql("UPDATE orders SET title = 'between' WHERE id = 2")
        await source.wait { titles($0)[1] == "between" }
        // The log keeps the changes made since the running transaction began, and drops those before it.
        try second.sql("BEGIN; UPDATE orders SET title = 'held' WHERE id = 3")
        try first.sql("COMMIT; UPDATE orders SET title = 'last' WHERE id = 4")
        await source.wait { titles($0)[3] == "last" }
        #expect(titles(source) == ["first", "between", "row 3", "last"])
        try second.sql("COMMIT")
        await source.wait { titles($0)[2] == "held" }
        await source.stop()
    }

    @Test("the server restarts cleanly → the list has an error, then continues with the same generation")
    func cleanRestart() async throws {
        let server = try Self.serverWithOrders(10)
        let source = try await Self.follow(server, options: "&stale=200ms")
        await source.wait { $0.objects.count == 10 }
        try server.sql("UPDATE orders SET title = 'seen' WHERE id = 10")
        await source.wait { titles($0).last == "seen" }
        let pages = source.pageCount
        server.stop()
        await source.wait { $0.failure != nil }
        #expect(source.failure?.contains("service=shop-") == true)
        #expect(source.failure?.contains("; the list is as of ") == true)
        #expect(source.objects.count == 10)
        try server.start()
        await source.wait { $0.failure == nil }
        try server.sql("DELETE FROM orders WHERE id = 2")
        await source.wait { $0.objects.count == 9 }
        #expect(source.pageCount == pages)
        await source.stop()
    }

    @Test("a list follows a table, and another list an SQL view of that table → both lists get all changes")
    func severalLists() async throws {
        let server = try Self.serverWithOrders(2000)
        try server.sql(
            """
            CREATE TABLE lines (line int PRIMARY KEY, "order" int, text text);
            INSERT INTO lines VALUES (1, 1, 'a'), (2, 1, 'b');
            CREATE VIEW summary AS SELECT o.id, o.rank, string_agg(l.text, ',' ORDER BY l.line) AS title
                FROM orders o JOIN lines l ON l."order" = o.id GROUP BY o.id;
            SELECT listd.watch('summary', 'summary', origin => 'orders');
            SELECT listd.watch('summary', 'summary', origin => 'lines', key => 'order');
            """)
        let service = try server.addService()
        let long = try await TestSource(PostgresPlugin.self, "list", argument: "orders&service=\(service)&poll=10ms")
        let short = try await TestSource(PostgresPlugin.self, "list", argument: "summary&service=\(service)&poll=10ms")
        await long.wait { $0.objects.count == 2000 }
        await short.wait { $0.objects.count == 1 }
        #expect(titles(short) == ["a,b"])
        try server.sql("INSERT INTO lines VALUES (3, 2, 'c'); UPDATE lines SET text = 'B' WHERE line = 2")
        await short.wait { titles($0) == ["a,B", "c"] }
        try server.sql("DELETE FROM orders WHERE id = 1")
        await short.wait { titles($0) == ["c"] }
        await long.wait { $0.objects.count == 1999 }
        await long.stop()
        await short.stop()
    }
}

@Suite("Cursors of a PostgreSQL list")
struct CursorTests {
    @Test("a cursor is encoded and decoded → it is unchanged; malformed bytes are decoded → the result is nil")
    func bytes() {
        let cursor = ListCursor(generation: "7/a-b", snapshot: "10:20:12,15", fingerprint: "x1")
        #expect(ListCursor(cursor.bytes) == cursor)
        for text in ["", "1 a 10:20: x y", "2 a 10:20: x", "1 a 10:20 x", "1 a x:20: x", "1 a 10:20:a x"] {
            #expect(ListCursor(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("a snapshot → transactions that ended earlier are visible, running and later ones are not")
    func visibleTransactions() {
        let cursor = ListCursor(generation: "g", snapshot: "10:20:12,15", fingerprint: "")
        #expect([9, 10, 11, 13, 19].allSatisfy { cursor.includes($0) })
        #expect(![12, 15, 20, 21].contains { cursor.includes($0) })
    }
}

@Suite("Parsing a row in PostgreSQL's text format")
struct RecordTests {
    @Test(
        "a row with plain, quoted, empty and NULL fields is parsed → the fields have their original values",
        arguments: [
            ("(773:773:,7/a-b,1:2)", ["773:773:", "7/a-b", "1:2"]),
            (#"("7:9:7,8",7/a,"1:2,2:-1")"#, ["7:9:7,8", "7/a", "1:2,2:-1"]),
            (#"(7:7:,,"")"#, ["7:7:", nil, ""]),
        ] as [(String, [String?])])
    func fields(_ row: String, _ expected: [String?]) {
        #expect(QueryResult.fields(of: row) == expected)
    }
}

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

@Suite("Pages passed between two threads")
struct PageHandoffTests {
    @Test("the sender abandons the pages before sending any → the reader gets an error, and the handoff is deallocated")
    func abandonedAtOnce() {
        let pages = PageHandoff<Int>()
        pages.abandon()
        // Two pages, because a handoff that ignored `abandon()` could store the first one.
        #expect(throws: (any Error).self) {
            for _ in 0..<2 { try pages.put([]) }
        }
    }

    @Test("a handoff is abandoned with a page still waiting → the page is freed without a trap")
    func abandonedWithPage() throws {
        let pages = PageHandoff<Int>()
        try pages.put([])
        pages.abandon()
        #expect(throws: (any Error).self) { try pages.put([]) }
    }

    @Test("pages and a result are passed → pages arrive in order, and the result can be read repeatedly")
    func inOrder() throws {
        let pages = PageHandoff<Int>()
        try pages.put([])
        #expect(try pages.next()?.isEmpty == true)
        pages.finish(.success(7))
        #expect(try pages.next() == nil)
        #expect(try pages.next() == nil)
        #expect(pages.end == 7)
    }
}

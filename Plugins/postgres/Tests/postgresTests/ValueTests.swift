// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import PluginTestSupport
import Testing

@testable import postgres

@Suite(
    "Values at the edge of what a list can have", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Server.isInstalled, "PostgreSQL's server is not installed"))
struct ValueTests {
    @Test("infinite and distant times, infinite numbers → the nearest values, and writing them back changes nothing")
    func infinite() async throws {
        let server = try Server()
        try server.sql(
            """
            CREATE TABLE things (id int PRIMARY KEY, at timestamptz, f float8, n numeric);
            INSERT INTO things VALUES (1, 'infinity', 'infinity', 'NaN'), (2, '-infinity', '-infinity', 1),
                (3, '294276-12-31', 'NaN', 2), (4, '4713-01-01 BC', 1e308, 3), (5, '2026-11-27 12:00Z', 0, 4);
            SELECT listd.watch('things', 'things');
            """)
        let source = try await FollowingTests.follow(server, "things", options: "&write=yes")
        await source.wait { $0.objects.count == 5 }
        #expect(source.failure == nil)
        let times = source.objects.map { $0.fields["at"] }
        #expect(
            times == [
                .int64(.max), .int64(-.max), .int64(.max), .int64(-210_863_520_000_000_000),
                .int64(1_795_780_800_000_000),
            ])
        try server.sql("UPDATE things SET n = n")
        await source.wait { $0.objects.count == 5 && $0.failure == nil }
        for object in source.objects.prefix(2) {
            try await source.write(.changes(removed: [], upserts: [.init(object)]))
        }
        #expect(try server.sql("SELECT at FROM things WHERE id < 3 ORDER BY id") == ["infinity", "-infinity"])
        await source.stop()
    }

    @Test("a written value cannot be stored → the error names table, row and column")
    func conversion() async throws {
        let server = try Server()
        try server.sql(
            """
            CREATE TABLE things (id int PRIMARY KEY, small int2, price numeric, title text NOT NULL DEFAULT '-');
            INSERT INTO things VALUES (1, 1, 1, 'a'); SELECT listd.watch('things', 'things');
            """)
        let source = try await FollowingTests.follow(server, "things", options: "&write=yes")
        await source.wait { $0.objects.count == 1 }
        let cases: [(DataSourceWrite.Operation, [String])] = [
            (.patch(id: "1", set: ["small": 70000], unset: []), ["“small”", "“1”", "things"]),
            (
                .changes(
                    removed: [],
                    upserts: [.init(try ListObject(id: "2", fields: ["small": 5, "price": "much"]))]),
                ["“price”", "“2”", "things"]
            ),
            (.changes(removed: [], upserts: [.init(try ListObject(id: "x", fields: ["small": 5]))]), ["“id”", "“x”"]),
        ]
        for (operation, words) in cases {
            do {
                try await source.write(operation)
                Issue.record("the write was accepted: \(operation)")
            } catch {
                #expect(error.code == .invalidObject)
                for word in words { #expect(error.message.contains(word), "\(error.message)") }
            }
        }
        #expect(try server.sql("SELECT id FROM things") == ["1"])
        await source.stop()
    }

    @Test("rows that a list cannot have → the list is ready, and what it lacks is counted and names the first")
    func absent() async throws {
        let server = try Server()
        try server.sql(
            """
            CREATE TABLE rows (id text, rank int, more jsonb);
            CREATE VIEW loose AS SELECT * FROM rows;
            INSERT INTO rows VALUES ('a', 1, '[1]'), ('b', NULL, '{}'), ('', 3, '1'), (repeat('x', 5000), 4, '1');
            SELECT listd.watch('loose', 'loose');
            """)
        let source = try await FollowingTests.follow(server, "loose")
        await source.wait { $0.objects.map(\.id) == ["a"] && $0.omission != nil }
        #expect(source.failure == nil)
        let text = try #require(source.omission)
        #expect(text.contains("3 rows are left out"), "\(text)")
        #expect(text.contains("the first: a row of public.loose has an empty id"), "\(text)")
        try server.sql("UPDATE rows SET rank = 2 WHERE id = 'b'; UPDATE rows SET more = '[1, null]' WHERE id = 'a'")
        await source.wait {
            $0.omission?.contains("2 rows are left out, 1 field is left out") == true
                && $0.objects.map(\.id) == ["a", "b"]
        }
        try server.sql("DELETE FROM rows WHERE length(id) <> 1; UPDATE rows SET more = '[]'")
        await source.wait { $0.omission == nil }
        #expect(source.failure == nil)
        await source.stop()
    }

    @Test(
        "a list lacks a row, and its source restarts with the cursor → it still says so without reading the list again")
    func absentAfterRestart() async throws {
        let server = try FollowingTests.serverWithOrders(2)
        try server.sql("ALTER TABLE orders ALTER rank DROP NOT NULL; UPDATE orders SET rank = NULL WHERE id = 2")
        let service = try server.addService()
        let argument = "orders&service=\(service)&poll=10ms"
        let first = try await TestSource(PostgresPlugin.self, "list", argument: argument)
        await first.wait { $0.objects.count == 1 && $0.omission != nil && $0.progress.position != nil }
        let (cursor, objects) = (first.progress.cursor, first.objects)
        await first.stop()
        let second = try await TestSource(
            PostgresPlugin.self, "list", argument: argument, cursor: cursor, objects: objects)
        await second.wait { $0.omission != nil }
        #expect(second.omission == first.omission)
        #expect(second.pageCount == 0)
        await second.stop()
    }

    @Test("an object lacks fields → its new row has the defaults of their columns; a row that exists loses the fields")
    func defaults() async throws {
        let server = try Server()
        try server.sql(
            """
            CREATE TABLE things (id int PRIMARY KEY, rank numeric NOT NULL, type text DEFAULT 'thing', title text,
                state text NOT NULL DEFAULT 'new', at timestamptz DEFAULT 'epoch');
            SELECT listd.watch('things', 'things');
            """)
        let source = try await FollowingTests.follow(server, "things", options: "&write=yes")
        await source.wait { $0.progress.position != nil }
        try await source.write(.changes(removed: [], upserts: [.init(try ListObject(id: "1", fields: ["title": "a"]))]))
        #expect(try server.sql("SELECT type, title, state, at FROM things") == ["thing|a|new|1970-01-01 00:00:00+00"])
        #expect(source.objects.first?.fields["state"] == "new")
        try await source.write(
            .changes(removed: [], upserts: [.init(try ListObject(id: "1", type: "t", fields: ["state": "old"]))]))
        #expect(source.objects.first?.fields["title"] == nil)
        await source.stop()
    }

    @Test("a write names the column that orders the list → the error says that the position sets it")
    func rank() async throws {
        let server = try FollowingTests.serverWithOrders(2)
        let source = try await FollowingTests.follow(server, options: "&write=yes")
        await source.wait { $0.objects.count == 2 }
        do {
            try await source.write(.patch(id: "1", set: ["rank": 5], unset: []))
            Issue.record("the write was accepted")
        } catch {
            #expect(error.code == .invalidObject)
            #expect(error.message.contains("“rank”") && error.message.contains("order"), "\(error.message)")
            #expect(!error.message.contains("no such column"))
        }
        await source.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginAPI
import PluginTestSupport
import Testing

@testable import postgres

@Suite(
    "Errors in a database", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Server.isInstalled, "PostgreSQL's server is not installed"))
struct BadInputTests {
    /// Waits until the source's error contains all of these words.
    private func wait(_ source: TestSource, toReport words: String...) async {
        await source.wait { source in words.allSatisfy { source.failure?.contains($0) == true } }
    }

    @Test(
        "an invalid argument → the source is not created, and the error names the argument",
        arguments: [
            ("", "name"), ("orders&poll=1ms", "poll"), ("orders&poll=x", "poll"), ("orders&stale=10ms", "stale"),
            ("orders&write=perhaps", "write"), ("orders&password=secret", "password"),
        ])
    func arguments(argument: String, word: String) async throws {
        do {
            _ = try await TestSource(PostgresPlugin.self, "list", argument: argument)
            Issue.record("the source was created")
        } catch {
            let error = try #require(error as? ListError)
            #expect(error.code == .invalidArguments)
            #expect(error.message.contains(word))
        }
    }

    @Test("a service that does not exist → the list's error names the service")
    func service() async throws {
        _ = Server.Services.path
        let source = try await TestSource(PostgresPlugin.self, "list", argument: "orders&service=nowhere")
        await wait(source, toReport: "service=nowhere", "not found")
        await source.stop()
    }

    @Test("a wrong password → the list's error names service and host, and never contains the password")
    func password() async throws {
        let server = try FollowingTests.serverWithOrders(1)
        try server.sql("CREATE ROLE guest LOGIN PASSWORD 'right'")
        try server.requirePasswords()
        let service = try server.addService("guest", more: ["password=wr0ng-secret"])
        let source = try await TestSource(PostgresPlugin.self, "list", argument: "orders&service=\(service)")
        await wait(source, toReport: "service=\(service)", "host \(server.path)", "password authentication failed")
        #expect(source.failure?.contains("wr0ng") == false)
        await source.stop()
    }

    @Test("the extension is missing → the list has an error; the extension is created → the list follows its table")
    func noExtension() async throws {
        let server = try Server(hasExtension: false)
        let source = try await FollowingTests.follow(server)
        await wait(source, toReport: "no extension listd")
        try server.install()
        await wait(source, toReport: "no list “orders”")
        try server.sql("CREATE TABLE orders (id int PRIMARY KEY, title text); INSERT INTO orders VALUES (1, 'a')")
        try server.sql("SELECT listd.watch('orders', 'orders')")
        await source.wait { $0.objects.count == 1 }
        #expect(source.failure == nil)
        await source.stop()
    }

    @Test("an extension of another version → the list's error names both versions")
    func otherVersion() async throws {
        let server = try FollowingTests.serverWithOrders(1)
        try server.sql(
            "CREATE OR REPLACE FUNCTION listd.version() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '2.0' $$")
        let source = try await FollowingTests.follow(server)
        await wait(source, toReport: "version “2.0”", "needs version 1")
        await source.stop()
    }

    @Test("a role lacks rights to the log or the table → its list has an error, and another list is still followed")
    func rights() async throws {
        let server = try FollowingTests.serverWithOrders(2)
        try server.sql(
            """
            CREATE ROLE reader LOGIN;
            CREATE TABLE other (id int PRIMARY KEY); INSERT INTO other VALUES (1);
            SELECT listd.watch('other', 'other'); GRANT SELECT ON other TO reader;
            """)
        let source = try await FollowingTests.follow(server, user: "reader")
        await wait(source, toReport: "permission denied for schema listd")
        try server.sql("GRANT USAGE ON SCHEMA listd TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA listd TO reader")
        await wait(source, toReport: "permission denied for public.orders")
        let other = try await FollowingTests.follow(server, "other", user: "reader")
        await other.wait { $0.objects.count == 1 }
        try server.sql("GRANT SELECT ON orders TO reader")
        await source.wait { $0.objects.count == 2 }
        try server.sql(
            "REVOKE SELECT ON orders FROM reader; INSERT INTO other VALUES (2); DELETE FROM orders WHERE id = 1")
        await wait(source, toReport: "permission denied")
        await other.wait { $0.objects.count == 2 }
        #expect(source.objects.count == 2)
        await source.stop()
        await other.stop()
    }

    @Test("a table has no id → listd.watch fails; a column has an unsupported type → the list has an error")
    func columns() async throws {
        let server = try Server()
        try server.sql("CREATE TABLE nameless (n int); CREATE TABLE odd (id int PRIMARY KEY, place point)")
        #expect(throws: Server.Failure.self) { try server.sql("SELECT listd.watch('n', 'nameless')") }
        try server.sql("SELECT listd.watch('odd', 'odd')")
        let source = try await FollowingTests.follow(server, "odd")
        await wait(source, toReport: "“place”", "point")
        try server.sql("ALTER TABLE odd ALTER place TYPE text USING place::text; INSERT INTO odd VALUES (1, 'here')")
        await source.wait { $0.objects.count == 1 }
        try server.sql("DROP TABLE odd")
        await wait(source, toReport: "gone")
        await source.stop()
    }

    @Test("a row has no id or rank → it is left out; an id is repeated → the list has an error and keeps its objects")
    func ids() async throws {
        let server = try Server()
        try server.sql(
            """
            CREATE TABLE rows (n int, id text, rank int);
            CREATE VIEW loose AS SELECT id, rank, n FROM rows;
            INSERT INTO rows VALUES (1, 'a', 1), (2, NULL, 2), (3, 'c', NULL), (4, '', 4), (5, 'e', 5);
            SELECT listd.watch('loose', 'loose');
            """)
        let source = try await FollowingTests.follow(server, "loose")
        await source.wait { $0.objects.map(\.id) == ["a", "e"] }
        try server.sql("INSERT INTO rows VALUES (6, 'f', 6), (7, NULL, 5); UPDATE rows SET rank = 3 WHERE n = 3")
        await source.wait { $0.objects.map(\.id) == ["a", "c", "e", "f"] }
        try server.sql("INSERT INTO rows VALUES (8, 'a', 8)")
        await wait(source, toReport: "“a”", "more than once")
        #expect(source.objects.map(\.id) == ["a", "c", "e", "f"])
        try server.sql("DELETE FROM rows WHERE n = 8")
        await source.wait { $0.failure == nil }
        await source.stop()
    }

    @Test("a row has 20 MiB → its object has no fields, and all other objects are complete")
    func large() async throws {
        let server = try FollowingTests.serverWithOrders(3)
        try server.sql("UPDATE orders SET title = repeat('x', 20 * 1024 * 1024) WHERE id = 2")
        let source = try await FollowingTests.follow(server)
        await source.wait { $0.objects.count == 3 }
        #expect(source.objects.map { $0.fields.count } == [1, 0, 1])
        try server.sql(
            "UPDATE orders SET title = repeat('y', 9 * 1024 * 1024) WHERE id = 3; UPDATE orders SET title = 'b' WHERE id = 2"
        )
        await source.wait { $0.objects.map { $0.fields.count } == [1, 1, 0] }
        #expect(source.failure == nil)
        await source.stop()
    }

    @Test("a value is not UTF-8, or JSON that a field cannot represent → its field is left out")
    func text() async throws {
        let server = try Server(encoding: "SQL_ASCII")
        try server.sql(
            """
            CREATE TABLE notes (id int PRIMARY KEY, text text, more jsonb);
            INSERT INTO notes VALUES (1, E'caf\\xe9', '{"n": 99999999999999999999}'), (2, E'caf\\xc3\\xa9', '[1]');
            SELECT listd.watch('notes', 'notes');
            """)
        let source = try await FollowingTests.follow(server, "notes")
        await source.wait { $0.objects.count == 2 }
        #expect(source.objects[0].fields.isEmpty)
        #expect(source.objects[1].fields["text"] == "café")
        #expect(source.objects[1].fields.count == 2)
        await source.stop()
    }

    @Test("a trigger is dropped or disabled → the list has an error; the trigger is restored → the list catches up")
    func triggers() async throws {
        let server = try FollowingTests.serverWithOrders(1)
        let source = try await FollowingTests.follow(server)
        await source.wait { $0.objects.count == 1 }
        try server.sql("DROP TRIGGER listd_1_insert ON orders; INSERT INTO orders VALUES (2, 2, 'unseen')")
        await wait(source, toReport: "trigger", "orders")
        try server.sql("SELECT listd.watch('orders', 'orders')")
        await source.wait { $0.objects.count == 2 && $0.failure == nil }
        try server.sql("ALTER TABLE orders DISABLE TRIGGER USER")
        await wait(source, toReport: "trigger")
        try server.sql("INSERT INTO orders VALUES (3, 3, 'unseen'); ALTER TABLE orders ENABLE TRIGGER USER")
        await source.wait { $0.objects.count == 3 }
        await source.stop()
    }

    @Test("a column is added or renamed, or the view is replaced → the list is read again")
    func columnsChange() async throws {
        let server = try FollowingTests.serverWithOrders(1)
        let source = try await FollowingTests.follow(server)
        await source.wait { $0.objects.count == 1 }
        try server.sql("ALTER TABLE orders RENAME title TO name; UPDATE orders SET name = 'x'")
        await source.wait { $0.objects[0].fields["name"] == "x" }
        try server.sql("ALTER TABLE orders ADD amount int DEFAULT 5")
        await source.wait { $0.objects[0].fields["amount"] == 5 }
        #expect(source.objects[0].fields["title"] == nil)
        await source.stop()
    }
}

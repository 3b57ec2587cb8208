// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginAPI
import PluginTestSupport
import Testing

@testable import postgres

@Suite(
    "Writing to a table", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Server.isInstalled, "PostgreSQL's server is not installed"))
struct WritingTests {
    private func ids(_ source: TestSource) -> [String] { source.objects.map(\.id) }

    private func row(_ id: String, _ title: String) throws -> ListObject {
        try ListObject(id: id, fields: ["title": .string(title)])
    }

    private func code(_ body: () async throws -> Void) async -> ListError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? ListError)?.code
        }
    }

    private func makeWritableList(rows: Int) async throws -> (Server, TestSource) {
        let server = try FollowingTests.serverWithOrders(rows)
        let source = try await FollowingTests.follow(server, options: "&write=yes")
        await source.wait { $0.objects.count == rows }
        return (server, source)
    }

    @Test("upserts, removals, patches and moves → table and list have the changes before the write is answered")
    func operations() async throws {
        let (server, source) = try await makeWritableList(rows: 3)
        try await source.write(
            .changes(removed: ["2", "77"], upserts: [.init(try row("4", "four")), .init(try row("1", "one"))]))
        #expect(ids(source) == ["1", "3", "4"])
        #expect(source.objects[0].fields["title"] == "one")
        try await source.write(.changes(removed: [], upserts: [.init(try row("5", "five"), position: .after("1"))]))
        try await source.write(.changes(removed: [], upserts: [.init(try row("6", "six"), position: .before("5"))]))
        #expect(ids(source) == ["1", "6", "5", "3", "4"])
        try await source.write(.move(id: "4", position: .first))
        try await source.write(.move(id: "6", position: .last))
        #expect(ids(source) == ["4", "1", "5", "3", "6"])
        try await source.write(.patch(id: "5", set: [:], unset: ["title"]))
        #expect(source.objects[2].fields["title"] == nil)
        try await source.write(.replace([try row("9", "nine"), try row("1", "uno")]))
        #expect(ids(source) == ["9", "1"])
        #expect(try server.sql("SELECT id, title FROM orders ORDER BY rank") == ["9|nine", "1|uno"])
        await source.stop()
    }

    @Test("repeated inserts after the same row → each new row directly follows that row")
    func places() async throws {
        let (server, source) = try await makeWritableList(rows: 3)
        try server.sql("UPDATE orders SET rank = 1")
        await source.wait { $0.objects.count == 3 }
        var expected = ["1", "2", "3"]
        for number in 10..<30 {
            let anchor = expected[number % expected.count]
            try await source.write(
                .changes(removed: [], upserts: [.init(try row("\(number)", ""), position: .after(anchor))]))
            expected.insert("\(number)", at: (expected.firstIndex(of: anchor) ?? 0) + 1)
            #expect(ids(source) == expected)
        }
        await source.stop()
    }

    @Test(
        "a conditional write finds its row unchanged → the write succeeds; the row is changed or locked → it fails"
    )
    func conditional() async throws {
        let (server, source) = try await makeWritableList(rows: 2)
        try await source.write(.patch(id: "1", set: ["title": "a"], unset: []), isConditional: true)
        #expect(source.objects[0].fields["title"] == "a")
        try server.sql("UPDATE orders SET title = 'elsewhere' WHERE id = 2")
        let outcome = await code {
            try await source.write(.patch(id: "1", set: ["title": "b"], unset: []), isConditional: true)
        }
        #expect(outcome == .revisionConflict)
        await source.wait { $0.objects[1].fields["title"] == "elsewhere" }
        #expect(source.objects[0].fields["title"] == "a")
        let holder = try server.openSession()
        try holder.sql("BEGIN; UPDATE orders SET title = 'held' WHERE id = 2")
        let locked = await code {
            try await source.write(.patch(id: "1", set: ["title": "c"], unset: []), isConditional: true)
        }
        #expect(locked == .sourceUnavailable)
        try holder.sql("ROLLBACK")
        try await source.write(.patch(id: "1", set: ["title": "d"], unset: []), isConditional: true)
        #expect(try server.sql("SELECT title FROM orders ORDER BY id") == ["d", "elsewhere"])
        await source.stop()
    }

    @Test("a write that the table or the list cannot accept → an error with the right code, and the table is unchanged")
    func refused() async throws {
        let (server, source) = try await makeWritableList(rows: 2)
        try server.sql("ALTER TABLE orders ADD CHECK (title <> 'bad')")
        let cases: [(DataSourceWrite.Operation, ListError.Code)] = [
            (.patch(id: "9", set: ["title": "x"], unset: []), .noSuchObject),
            (.patch(id: "1", set: ["colour": "x"], unset: []), .invalidObject),
            (.patch(id: "1", set: ["title": 5], unset: []), .invalidObject),
            (.patch(id: "1", set: ["title": "bad"], unset: []), .invalidObject),
            (.move(id: "9", position: .first), .noSuchObject),
            (
                .changes(
                    removed: [], upserts: [.init(try row("3", "")), .init(try row("4", ""), position: .after("77"))]),
                .noSuchObject
            ),
            (.changes(removed: ["1"], upserts: [.init(try ListObject(id: "3", type: "t"))]), .invalidObject),
            (.changes(removed: ["1"], upserts: [.init(try row("no number", ""))]), .invalidObject),
        ]
        for (operation, expected) in cases {
            #expect(await code { try await source.write(operation) } == expected, "\(operation)")
        }
        #expect(try server.sql("SELECT id, title FROM orders ORDER BY id") == ["1|row 1", "2|row 2"])
        try server.sql(
            "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA listd TO reader; "
                + "GRANT SELECT ON ALL TABLES IN SCHEMA listd TO reader; GRANT SELECT ON orders TO reader")
        let reader = try await FollowingTests.follow(server, user: "reader", options: "&write=yes")
        await reader.wait { $0.objects.count == 2 }
        #expect(await code { try await reader.write(.patch(id: "1", set: ["title": "x"], unset: [])) } == .accessDenied)
        await reader.stop()
        await source.stop()
    }

    @Test("the server is stopped → a write is refused and not repeated later; no option `write` → no write is accepted")
    func cutOff() async throws {
        let (server, source) = try await makeWritableList(rows: 2)
        server.stop()
        #expect(
            await code { try await source.write(.patch(id: "1", set: ["title": "x"], unset: [])) } == .sourceUnavailable
        )
        try server.start()
        await source.wait { $0.failure == nil }
        #expect(try server.sql("SELECT title FROM orders WHERE id = 1") == ["row 1"])
        await source.stop()
        let reader = try await FollowingTests.follow(server)
        #expect(!reader.acceptsWrites)
        await reader.stop()
    }

    @Test("values of all writable types are written → the same values are read back")
    func types() async throws {
        let server = try Server()
        try server.sql(
            """
            CREATE TABLE things (id text PRIMARY KEY, type text, a int4, d bool, f float8, g text, h numeric, j timestamptz,
                k bytea, l jsonb, upper text GENERATED ALWAYS AS (upper(g)) STORED);
            SELECT listd.watch('things', 'things');
            """)
        let source = try await FollowingTests.follow(server, "things", options: "&write=yes")
        await source.wait { $0.progress.position != nil }
        let fields: Fields = [
            "a": 7, "d": .boolean(true), "f": .double(0.1), "g": .string("ä'\"\\"), "h": .string("1.50"),
            "j": .int64(1_795_428_000_123_456), "k": .array(element: "y", [.byte(0), .byte(171)]),
            "l": .dictionary(key: "s", value: "v", [.string("k"): .variant(.string("\n\u{1}é"))]),
        ]
        try await source.write(
            .changes(removed: [], upserts: [.init(try ListObject(id: "x", type: "t", fields: fields))]))
        let read = try #require(source.objects.first)
        #expect(read.type == "t")
        #expect(read.fields["upper"] != nil)
        #expect(read.fields.patched(set: [:], unset: ["upper"]) == fields)
        await source.stop()
    }
}

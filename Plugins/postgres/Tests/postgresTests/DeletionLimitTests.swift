// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import PluginTestSupport
import Testing

@testable import postgres

@Suite(
    "The limit of rows that one call deletes", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Server.isInstalled, "PostgreSQL's server is not installed"))
struct DeletionLimitTests {
    private func makeWritableList(rows: Int, options: String = "") async throws -> (Server, TestSource) {
        let server = try FollowingTests.serverWithOrders(rows)
        let source = try await FollowingTests.follow(server, options: "&write=yes\(options)")
        await source.wait { $0.objects.count == rows }
        return (server, source)
    }

    private func row(_ id: Int) throws -> ListObject { try ListObject(id: "\(id)", fields: ["title": "kept"]) }

    /// Performs a write that must be refused, and returns the error's text.
    private func refusal(_ source: TestSource, _ operation: DataSourceWrite.Operation) async -> String {
        do {
            try await source.write(operation)
            return "the write was accepted"
        } catch {
            return error.code == .limitsExceeded ? error.message : "\(error)"
        }
    }

    @Test("one object replaces a table of 5,000 rows → the write is refused with both numbers, and no row is deleted")
    func replacement() async throws {
        let (server, source) = try await makeWritableList(rows: 5000)
        let single = await refusal(source, .replace([try row(1)]))
        #expect(single.contains("4999 of 5000 rows"))
        #expect(single.contains("delete-limit"))
        #expect(await refusal(source, .replace([])).contains("5000 of 5000 rows"))
        let ids = (1...1500).map(String.init)
        #expect(await refusal(source, .changes(removed: ids, upserts: [])).contains("1500 of 5000 rows"))
        #expect(try server.sql("SELECT count(*) FROM orders") == ["5000"])
        try await source.write(.changes(removed: Array(ids.prefix(1000)), upserts: []))
        #expect(source.objects.count == 4000)
        await source.stop()
    }

    @Test("more than half of more than ten rows are deleted → refused below the limit too; of ten rows → all may go")
    func half() async throws {
        let (server, source) = try await makeWritableList(rows: 20)
        #expect(await refusal(source, .replace(try (1...9).map(row))).contains("11 of 20 rows"))
        try await source.write(.replace(try (1...10).map(row)))
        try await source.write(.replace([try row(30)]))
        #expect(try server.sql("SELECT id FROM orders") == ["30"])
        await source.stop()
    }

    @Test("delete-limit=0 → everything may be deleted; delete-limit=3 → at most three rows")
    func option() async throws {
        let (server, source) = try await makeWritableList(rows: 100, options: "&delete-limit=0")
        try await source.write(.replace([]))
        #expect(try server.sql("SELECT count(*) FROM orders") == ["0"])
        await source.stop()
        let (other, careful) = try await makeWritableList(rows: 100, options: "&delete-limit=3")
        #expect(await refusal(careful, .changes(removed: ["1", "2", "3", "4"], upserts: [])).contains("4 of 100 rows"))
        try await careful.write(.changes(removed: ["1", "2", "3"], upserts: []))
        #expect(try other.sql("SELECT count(*) FROM orders") == ["97"])
        await careful.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginAPI
import PluginTestSupport
import Testing

@testable import postgres

@Suite(
    "Tables that are replaced and renamed", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Server.isInstalled, "PostgreSQL's server is not installed"))
struct ChangedTableTests {
    @Test("a table is replaced by another of its name → listd.watch alone restores the list, and names what it dropped")
    func replaced() async throws {
        let server = try FollowingTests.serverWithOrders(3)
        let source = try await FollowingTests.follow(server)
        await source.wait { $0.objects.count == 3 }
        try server.sql(
            """
            BEGIN;
            CREATE TABLE orders_new (LIKE orders INCLUDING ALL);
            INSERT INTO orders_new SELECT id, rank, 'new ' || id FROM orders WHERE id > 1;
            DROP TABLE orders;
            ALTER TABLE orders_new RENAME TO orders;
            COMMIT;
            """)
        await source.wait { $0.failure != nil }
        let said = try server.sql("SELECT listd.watch('orders', 'orders')")
        #expect(said.contains { $0.contains("no longer watches") })
        await source.wait { $0.failure == nil && $0.objects.count == 2 }
        try server.sql("INSERT INTO orders VALUES (9, 9, 'later')")
        await source.wait { $0.objects.map(\.id) == ["2", "3", "9"] }
        #expect(source.failure == nil)
        #expect(try server.sql("SELECT count(*) FROM listd.origin") == ["1"])
        await source.stop()
    }

    @Test("listd.watch gives a list another table → refused with the remedy; after unwatch → allowed")
    func repointed() throws {
        let server = try FollowingTests.serverWithOrders(3)
        try server.sql("CREATE TABLE types (id int PRIMARY KEY)")
        do {
            try server.sql("SELECT listd.watch('orders', 'types')")
            Issue.record("the list has another table now")
        } catch {
            #expect("\(error)".contains("has the rows of orders, not of types"))
            #expect("\(error)".contains("listd.unwatch('orders')"))
        }
        #expect(try server.sql("SELECT relation FROM listd.list") == ["orders"])
        try server.sql("SELECT listd.unwatch('orders'); SELECT listd.watch('orders', 'types')")
        #expect(try server.sql("SELECT relation FROM listd.list") == ["types"])
    }

    @Test("a table or a column is renamed and its rows change at once → the list has the changes, and never an error")
    func renamed() async throws {
        let server = try FollowingTests.serverWithOrders(3)
        let source = try await FollowingTests.follow(server)
        await source.wait { $0.objects.count == 3 && $0.progress.position != nil }
        try server.sql("ALTER TABLE orders RENAME TO purchases; UPDATE purchases SET title = 'x' WHERE id = 1")
        var failures: [String] = []
        let began = ContinuousClock.now
        await source.wait {
            if let failure = $0.failure { failures.append(failure) }
            return $0.objects[0].fields["title"] == "x"
        }
        #expect(ContinuousClock.now - began < .seconds(3))
        try server.sql("ALTER TABLE purchases RENAME title TO name; UPDATE purchases SET name = 'y' WHERE id = 1")
        await source.wait {
            if let failure = $0.failure { failures.append(failure) }
            return $0.objects[0].fields["name"] == "y"
        }
        #expect(failures.isEmpty)
        await source.stop()
    }

    @Test("a session with session_replication_role = replica writes → statement triggers log it too")
    func replica() async throws {
        let server = try FollowingTests.serverWithOrders(1)
        let source = try await FollowingTests.follow(server)
        await source.wait { $0.objects.count == 1 }
        try server.sql("SET session_replication_role = replica; INSERT INTO orders VALUES (2, 2, 'restored')")
        await source.wait { $0.objects.count == 2 }
        #expect(source.failure == nil)
        await source.stop()
    }
}

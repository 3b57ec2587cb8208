// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import PluginAPI
import PluginTestSupport
import Testing

@testable import postgres

@Suite(
    "Following through a pooler in transaction mode", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Server.isInstalled && Pooler.isInstalled, "PostgreSQL's server or PgBouncer is not installed"))
struct PoolerTests {
    @Test("two lists and other clients share two server sessions → the lists are complete, and writes succeed")
    func follows() async throws {
        let server = try FollowingTests.serverWithOrders(2000)
        try server.sql(
            """
            CREATE TABLE others (id int PRIMARY KEY, text text); INSERT INTO others VALUES (1, 'a');
            SELECT listd.watch('others', 'others');
            """)
        let pooler = try Pooler(before: server)
        let service = try pooler.addService()
        let orders = try await TestSource(
            PostgresPlugin.self, "list", argument: "orders&service=\(service)&poll=10ms&write=yes")
        let others = try await TestSource(PostgresPlugin.self, "list", argument: "others&service=\(service)&poll=10ms")
        await orders.wait { $0.objects.count == 2000 }
        await others.wait { $0.objects.count == 1 }
        // Another client uses the session between two polls.
        for number in 2...30 { try pooler.sql("INSERT INTO others VALUES (\(number), 'b')") }
        await others.wait { $0.objects.count == 30 }
        try pooler.sql("UPDATE orders SET title = 'new' WHERE id = 2000")
        await orders.wait { $0.objects.last?.fields["title"] == "new" }
        try await orders.write(.patch(id: "7", set: ["title": "written"], unset: []))
        #expect(try server.sql("SELECT title FROM orders WHERE id = 7") == ["written"])
        #expect(orders.objects[6].fields["title"] == "written")
        let sessions = try server.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = 'shop' AND pid <> pg_backend_pid()")
        #expect(sessions == ["2"])
        #expect(orders.failure == nil && others.failure == nil)
        await orders.stop()
        await others.stop()
    }

    @Test("the server behind a pooler is killed and started again → the list has an error, then continues")
    func crash() async throws {
        let server = try FollowingTests.serverWithOrders(10)
        let pooler = try Pooler(before: server)
        let source = try await TestSource(
            PostgresPlugin.self, "list", argument: "orders&service=\(try pooler.addService())&poll=10ms&stale=200ms")
        await source.wait { $0.objects.count == 10 }
        server.stop(kill: true)
        await source.wait { $0.failure != nil }
        try server.start()
        try server.sql("DELETE FROM orders WHERE id = 1")
        await source.wait { $0.objects.count == 9 && $0.failure == nil }
        await source.stop()
    }
}

/// A PgBouncer in transaction mode, with two sessions of a server for all clients.
final class Pooler {
    /// The path of the program; `nil` = it is not installed.
    private static let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    static var isInstalled: Bool { program != nil }

    private let server: Server
    private let path: String
    private let process = Process()
    private let output = Pipe()

    init(before server: Server) throws {
        self.server = server
        path = server.path + "/pooler"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        chmod(path, 0o777)
        let settings = """
            [databases]
            shop = host=\(server.path) dbname=shop user=owner
            [pgbouncer]
            pool_mode = transaction
            default_pool_size = 2
            listen_port = 5432
            unix_socket_dir = \(path)
            auth_type = any
            logfile = \(path)/log
            server_login_retry = 1
            query_wait_timeout = 2
            """
        try settings.write(toFile: path + "/pgbouncer.ini", atomically: false, encoding: .utf8)
        let command = (getuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [])
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command + [Self.program ?? "", path + "/pgbouncer.ini"]
        process.standardError = output
        try process.run()
        var text = ""
        while !text.contains("process up") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Server.Failure(description: "PgBouncer ended: \(text)") }
            text += String(decoding: data, as: UTF8.self)
        }
        // Further output is in the log file.
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
    }

    deinit {
        // PgBouncer inherits the blocked signals of a Dispatch thread, including SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        output.fileHandleForReading.readabilityHandler = nil
    }

    /// Runs SQL through the pooler.
    func sql(_ text: String) throws { try server.sql(text, host: path) }

    /// Adds a section for the pooler to the service file, and returns its name.
    func addService() throws -> String { try server.addService(host: path) }
}

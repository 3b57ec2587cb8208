// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// What `listd.hello()` answers when a connection is made.
struct Hello {
    /// Identifies the server's sequence of transaction numbers; numbers of different sequences cannot be compared.
    let generation: String
    let isStandby: Bool
    /// For messages: the service and the host.
    let subject: String

    /// Calls `listd.hello()`.
    ///
    /// - Throws: `refused` when the database has no extension listd, or one of another major version.
    init(_ connection: Connection) throws(PostgresError) {
        subject = connection.subject
        let answer: QueryResult
        do throws(PostgresError) {
            answer = try connection.query("SELECT version, generation, standby FROM listd.hello()")
        } catch {
            // Undefined schema, function or table.
            guard error.isStatement("3F000", "42883", "42P01", "42703") else { throw error }
            throw PostgresError(
                kind: .refused,
                message:
                    "\(connection.subject): the database has no extension listd: CREATE EXTENSION listd, or run listd.sql"
            )
        }
        let version = answer.firstText ?? ""
        guard version.split(separator: ".").first == "1" else {
            throw PostgresError(
                kind: .refused,
                message:
                    "\(connection.subject): its extension listd has version \(version.quoted), and this plugin knows 1")
        }
        guard let generation = answer.text(0, 1) else {
            throw PostgresError(kind: .connection, message: "\(connection.subject): listd.hello() names no generation")
        }
        self.generation = generation
        isStandby = answer.text(0, 2) == "t"
    }
}

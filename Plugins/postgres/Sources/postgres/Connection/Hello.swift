// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The result of `listd.hello()`, which is called on each new connection.
struct Hello {
    /// Identifies the server's sequence of transaction numbers. Numbers of different sequences cannot be compared.
    let generation: String
    let isStandby: Bool
    /// The service and the host, for messages.
    let subject: String

    /// Calls `listd.hello()`.
    ///
    /// - Throws: `refused` if the database does not have the extension listd, or has another major version of it.
    init(_ connection: Connection) throws(PostgresError) {
        subject = connection.subject
        let answer: QueryResult
        do throws(PostgresError) {
            answer = try connection.query("SELECT version, generation, standby FROM listd.hello()")
        } catch {
            // SQLSTATEs of an undefined schema, function, table and column.
            guard error.isStatementFailure(withState: "3F000", "42883", "42P01", "42703") else { throw error }
            throw PostgresError(
                kind: .refused,
                message:
                    "\(connection.subject): the database has no extension listd: run CREATE EXTENSION listd, or the script listd.sql"
            )
        }
        let version = answer.firstText ?? ""
        guard version.split(separator: ".").first == "1" else {
            throw PostgresError(
                kind: .refused,
                message:
                    "\(connection.subject): the extension listd has version \(version.quoted), but this plugin needs version 1"
            )
        }
        guard let generation = answer.text(0, 1) else {
            throw PostgresError(
                kind: .connection, message: "\(connection.subject): listd.hello() returned no generation")
        }
        self.generation = generation
        isStandby = answer.text(0, 2) == "t"
    }
}

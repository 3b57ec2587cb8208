// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import PluginAPI

/// Executes the client writes of all lists of one service, one transaction after the other. It has a connection and
/// a queue of its own, so that waiting for a lock does not delay polls.
final class ServiceWriter: @unchecked Sendable {
    // The queue owns the connection.

    enum Outcome: Sendable {
        /// The write was committed, in a transaction of this generation.
        case written(transaction: UInt64, generation: String)
        case refused(ListError)
        /// Nothing was written, but the same write may succeed when it is repeated.
        case conflict(ListError)
    }

    /// The time that the connection stays open after the last write.
    private static let idleTimeout = DispatchTimeInterval.seconds(10)
    /// The time for the answer to BEGIN. A session that hangs is then replaced by another one.
    private static let beginTimeout = Duration.seconds(2)
    /// The time for the answer to other statements, a little more than the server's own limit (15 s).
    private static let statementTimeout = Duration.seconds(16)

    private let address: ServiceAddress
    private let queue: DispatchQueue
    private var connection: Connection?
    private var uses = 0

    init(_ address: ServiceAddress) {
        self.address = address
        queue = DispatchQueue(label: "org.listd.postgres.write.\(address.service)")
    }

    /// Executes a write. Calls `done` on the queue with the outcome.
    func write(
        _ write: DataSourceWrite, to list: ListDescription, deletingAtMost limit: Int, generation: String,
        done: @escaping @Sendable (Outcome) -> Void
    ) {
        queue.async { [self] in
            var outcome = perform(write, to: list, limit, generation)
            // Retry once after a concurrent insert of the same id, a serialization failure or a deadlock.
            if case .conflict = outcome { outcome = perform(write, to: list, limit, generation) }
            if case .conflict(let error) = outcome { outcome = .refused(error) }
            done(outcome)
            uses += 1
            queue.asyncAfter(deadline: .now() + Self.idleTimeout) { [self, uses] in
                if uses == self.uses { connection = nil }
            }
        }
    }

    private func perform(
        _ write: DataSourceWrite, to list: ListDescription, _ limit: Int, _ generation: String
    ) -> Outcome {
        let (connection, transaction): (Connection, UInt64)
        do {
            connection = try openConnection(to: generation)
            transaction = try prepare(write, to: list, limit, generation, on: connection)
        } catch {
            // A connection that cannot roll back is closed, which aborts the transaction.
            if let alive = self.connection, (try? alive.query("ROLLBACK", within: Self.beginTimeout)) == nil {
                self.connection = nil
            }
            let isConflict =
                (error as? PostgresError)?.isStatementFailure(withState: "23505", "40001", "40P01") ?? false
            return isConflict ? .conflict(Self.clientError(error)) : .refused(Self.clientError(error))
        }
        do throws(PostgresError) {
            try connection.query("COMMIT", within: Self.statementTimeout)
            return .written(transaction: transaction, generation: generation)
        } catch {
            guard case .connection = error.kind else {
                self.connection = nil
                return .refused(Self.clientError(error))
            }
            self.connection = nil
            return queryOutcome(of: transaction, generation, error)
        }
    }

    /// Returns a connection to the server with the generation that the list follows.
    private func openConnection(to generation: String) throws -> Connection {
        if let connection, connection.isAlive { return connection }
        connection = nil
        let new = try Connection(address)
        let hello = try Hello(new)
        guard hello.generation == generation else {
            throw ListError(
                .sourceUnavailable,
                "\(hello.subject.quoted): the transaction numbers have a new generation, as after a failover; nothing was written"
            )
        }
        connection = new
        return new
    }

    /// Runs all statements before COMMIT, and returns the number of the transaction.
    private func prepare(
        _ write: DataSourceWrite, to list: ListDescription, _ limit: Int, _ generation: String,
        on connection: Connection
    ) throws -> UInt64 {
        do throws(PostgresError) { try connection.query("BEGIN", within: Self.beginTimeout) } catch {
            // The connection of the last write was closed meanwhile, or its session hangs, but the server may be
            // reachable.
            guard case .connection = error.kind, uses > 0 else { throw error }
            self.connection = nil
            let fresh = try openConnection(to: generation)
            try fresh.query("BEGIN", within: Self.beginTimeout)
            return try runStatements(of: write, to: list, limit, generation, on: fresh)
        }
        return try runStatements(of: write, to: list, limit, generation, on: connection)
    }

    private func runStatements(
        of write: DataSourceWrite, to list: ListDescription, _ limit: Int, _ generation: String,
        on connection: Connection
    ) throws -> UInt64 {
        try connection.query("SET LOCAL statement_timeout = '15s'")
        try connection.query("SET LOCAL lock_timeout = '\(write.isConditional ? 1 : 5)s'")
        if write.isConditional { try lock(list, ifUnchangedSince: write.cursor, generation, on: connection) }
        try RowWriter(connection, list, deletionLimit: limit, timeout: Self.statementTimeout).perform(write.operation)
        let number = try connection.query("SELECT pg_current_xact_id()::text").firstText.flatMap { UInt64($0) }
        guard let number else {
            throw PostgresError(
                kind: .connection, message: "\(connection.subject): the server returned no transaction number")
        }
        return number
    }

    /// Locks the tables against other writers, and throws `revisionConflict` if there are changes since the list's
    /// cursor.
    private func lock(
        _ list: ListDescription, ifUnchangedSince bytes: [UInt8]?, _ generation: String, on connection: Connection
    ) throws {
        let conflict = ListError(
            .revisionConflict, "the list \(list.name.quoted) has changed in the database since that revision")
        guard let cursor = bytes.flatMap(ListCursor.init), cursor.generation == generation else { throw conflict }
        try connection.query(
            "LOCK TABLE \(list.origins.joined(separator: ", ")) IN SHARE ROW EXCLUSIVE MODE")
        let changed = try connection.query(
            """
            SELECT FROM listd.since($1::int4, $2::pg_snapshot) UNION ALL
            SELECT FROM listd.pruned WHERE xid > pg_snapshot_xmin($2::pg_snapshot) LIMIT 1
            """, ["\(list.number)", cursor.snapshot])
        if changed.count > 0 { throw conflict }
    }

    // MARK: Outcomes

    /// Queries the outcome of a transaction whose connection was lost during COMMIT, for at most 8 s.
    private func queryOutcome(of transaction: UInt64, _ generation: String, _ error: PostgresError) -> Outcome {
        let deadline = ContinuousClock.now + .seconds(8)
        var backOff = BackOff()
        repeat {
            if let connection = try? openConnection(to: generation),
                let status = try? connection.query("SELECT pg_xact_status($1::text::xid8)", ["\(transaction)"])
                    .firstText
            {
                switch status {
                case "committed": return .written(transaction: transaction, generation: generation)
                case "aborted":
                    return .refused(ListError(.sourceUnavailable, "\(error.message); nothing was written"))
                default: break  // in progress
                }
            }
            let wait = backOff.nextDelay().components
            _ = DispatchSemaphore(value: 0).wait(
                timeout: .now()
                    + .milliseconds(Int(wait.seconds) * 1000 + Int(wait.attoseconds / 1_000_000_000_000_000)))
        } while .now < deadline
        return .refused(
            ListError(.sourceUnavailable, "\(error.message) during the commit: the outcome is unknown"))
    }

    /// Returns the error for the client whose write was not committed.
    private static func clientError(_ error: any Error) -> ListError {
        if let error = error as? ListError { return error }
        guard let error = error as? PostgresError, case .statement(let state) = error.kind else {
            let message = (error as? PostgresError)?.message ?? "\(error)"
            return ListError(.sourceUnavailable, "\(message); nothing was written")
        }
        switch state.prefix(2) {
        case "22", "23": return ListError(.invalidObject, error.message)  // a value, a constraint
        case "42" where state == "42501": return ListError(.accessDenied, error.message)
        default: return ListError(.sourceUnavailable, "\(error.message); nothing was written")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The connection to a service; after a loss it is opened again, with growing waits.
struct ServiceLink {
    private let address: ServiceAddress
    /// nil = there is no connection.
    private(set) var connection: Connection?
    /// The server's generation of transaction numbers; empty before the first connection.
    private(set) var generation = ""
    private(set) var isStandby = false
    /// When to connect next.
    private(set) var nextAttempt = ContinuousClock.now
    /// The last error; nil after an answer.
    private(set) var trouble: PostgresError?
    private var backOff = BackOff()

    init(_ address: ServiceAddress) { self.address = address }

    /// Connects if there is no connection and it is time to; returns whether there is a new connection.
    mutating func connectIfNeeded(_ logger: PluginLogger) -> Bool {
        if let connection, !connection.isAlive { self.connection = nil }
        guard connection == nil, nextAttempt <= .now else { return false }
        do throws(PostgresError) {
            let connection = try Connection(address)
            let hello = try Hello(connection)
            if !generation.isEmpty, generation != hello.generation {
                logger.notice(
                    "\(hello.subject): another generation of transaction numbers, as after a failover; all its lists are read again"
                )
            }
            generation = hello.generation
            isStandby = hello.isStandby
            self.connection = connection
            backOff = BackOff()
            return true
        } catch {
            lose(error)
            return false
        }
    }

    /// Records the loss of the connection.
    mutating func lose(_ error: PostgresError) {
        connection = nil
        trouble = error
        nextAttempt = .now + backOff.next()
    }

    /// Records that the service refused a poll; returns the wait before the next one.
    mutating func refuse(_ error: PostgresError) -> Duration {
        trouble = PostgresError(kind: .refused, message: error.message)
        return backOff.next()
    }

    /// Records an answer.
    mutating func answered() { trouble = nil }
}

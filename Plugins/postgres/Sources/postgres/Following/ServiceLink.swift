// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The connection to a service. After a loss, it is opened again, with increasing delays.
struct ServiceLink {
    private let address: ServiceAddress
    /// The open connection; `nil` = none.
    private(set) var connection: Connection?
    /// The server's generation of transaction numbers; empty before the first connection.
    private(set) var generation = ""
    private(set) var isStandby = false
    /// The time of the next attempt to connect.
    private(set) var nextAttempt = ContinuousClock.now
    /// The last error; `nil` after an answer of the server.
    private(set) var trouble: PostgresError?
    private var backOff = BackOff()

    init(_ address: ServiceAddress) { self.address = address }

    /// Connects if there is no connection and the time of the next attempt has come. Returns whether there is a new
    /// connection.
    mutating func connectIfNeeded(_ logger: PluginLogger) -> Bool {
        if let connection, !connection.isAlive { self.connection = nil }
        guard connection == nil, nextAttempt <= .now else { return false }
        do throws(PostgresError) {
            let connection = try Connection(address)
            let hello = try Hello(connection)
            if !generation.isEmpty, generation != hello.generation {
                logger.notice(
                    "\(hello.subject): the transaction numbers have a new generation, as after a failover; reading all lists again"
                )
            }
            generation = hello.generation
            isStandby = hello.isStandby
            self.connection = connection
            backOff = BackOff()
            return true
        } catch {
            recordLoss(error)
            return false
        }
    }

    /// Records the loss of the connection.
    mutating func recordLoss(_ error: PostgresError) {
        connection = nil
        trouble = error
        nextAttempt = .now + backOff.nextDelay()
    }

    /// Records that the service refused a poll, and returns the delay before the next poll.
    mutating func recordRefusal(_ error: PostgresError) -> Duration {
        trouble = PostgresError(kind: .refused, message: error.message)
        return backOff.nextDelay()
    }

    /// Records an answer of the server.
    mutating func recordAnswer() { trouble = nil }
}

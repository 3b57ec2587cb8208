// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The connection to a service: made anew when it is lost, ever more rarely.
struct ServiceLink {
    private let address: ServiceAddress
    /// nil = there is none now.
    private(set) var connection: Connection?
    /// The run of transaction numbers of the server; empty before the first connection.
    private(set) var generation = ""
    private(set) var isStandby = false
    /// When the next connection is tried.
    private(set) var nextAttempt = ContinuousClock.now
    /// Why the service does not answer, or refuses to.
    private(set) var trouble: PostgresError?
    private var backOff = BackOff()

    init(_ address: ServiceAddress) { self.address = address }

    /// Connects, if there is no connection and it is time for one; answers whether there is a new one.
    mutating func connectIfNeeded(_ logger: PluginLogger) -> Bool {
        if let connection, !connection.isAlive { self.connection = nil }
        guard connection == nil, nextAttempt <= .now else { return false }
        do throws(PostgresError) {
            let connection = try Connection(address)
            let hello = try Hello(connection)
            if !generation.isEmpty, generation != hello.generation {
                logger.notice("\(hello.subject): another run of the database; its lists are read anew")
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

    /// The service does not answer.
    mutating func lose(_ error: PostgresError) {
        connection = nil
        trouble = error
        nextAttempt = .now + backOff.next()
    }

    /// The service answers, and refuses to; answers how long to wait before it is asked again.
    mutating func refuse(_ error: PostgresError) -> Duration {
        trouble = PostgresError(kind: .refused, message: error.message)
        return backOff.next()
    }

    /// All is well.
    mutating func answered() { trouble = nil }
}

// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import PluginAPI
internal import Synchronization

/// The connection to a service. After a loss, it is opened again, with increasing delays.
final class ServiceLink {
    // A class, because it is read while it waits for an answer (`onSilence`). It belongs to the follower's thread.
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
    ///
    /// - Parameter onSilence: called about every 0.1 s while there is no answer, with the time since the last data; also
    ///   by the new connection (``Connection/whileSilent(_:)``).
    func connectIfNeeded(_ logger: PluginLogger, onSilence: @escaping (Duration) -> Bool) -> Bool {
        if let connection, !connection.isAlive { self.connection = nil }
        guard connection == nil, nextAttempt <= .now else { return false }
        do throws(PostgresError) {
            let connection = try connect(onSilence)
            connection.whileSilent(onSilence)
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

    /// Connects on another thread, as libpq blocks for up to 3 s for each host.
    private func connect(_ onSilence: (Duration) -> Bool) throws(PostgresError) -> Connection {
        let attempt = Attempt()
        DispatchQueue.global().async { [address] in attempt.run(to: address) }
        let began = ContinuousClock.now
        while true {
            if let outcome = attempt.outcome(within: .milliseconds(100)) { return try outcome.get() }
            _ = onSilence(began.duration(to: .now))
        }
    }

    /// An attempt to connect, which passes its outcome from one thread to another.
    private final class Attempt: Sendable {
        private let made = Mutex<Result<Connection, PostgresError>?>(nil)
        private let finished = DispatchSemaphore(value: 0)

        func run(to address: ServiceAddress) {
            made.withLock { made in
                made = Result { () throws(PostgresError) in try Connection(address) }
            }
            finished.signal()
        }

        /// Returns the outcome, or `nil` if there is none after this time.
        func outcome(within time: DispatchTimeInterval) -> sending Result<Connection, PostgresError>? {
            guard finished.wait(timeout: .now() + time) == .success else { return nil }
            return made.withLock { $0.take() }
        }
    }

    /// Records the loss of the connection.
    func recordLoss(_ error: PostgresError) {
        connection = nil
        trouble = error
        nextAttempt = .now + backOff.nextDelay()
    }

    /// Records that the service refused a poll, and returns the delay before the next poll.
    func recordRefusal(_ error: PostgresError) -> Duration {
        trouble = PostgresError(kind: .refused, message: error.message)
        return backOff.nextDelay()
    }

    /// Records an answer of the server.
    func recordAnswer() { trouble = nil }
}

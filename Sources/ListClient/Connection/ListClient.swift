// SPDX-License-Identifier: Apache-2.0

public import DBus

/// A self-restoring connection to listd. It waits for the daemon, and reconnects after the bus or the daemon has
/// ended.
///
/// The client is isolated to `DBusActor`. `onChange` is called for every new daemon process, including each restart,
/// and when no daemon is available. The connection ends with `close` or when the client is released.
@DBusActor
public final class ListClient {
    /// The state of the client, which has at most one connection, attempt or timer at a time.
    private enum ConnectionState {
        case idle
        case connecting
        case connected(Connection)
        case waiting(LoopTimer)
        case closed
    }

    private let address: BusAddress
    private let onChange: @DBusActor (Availability) -> Void
    private var state = ConnectionState.idle
    private var subscription: Subscription?
    private var backoff = Backoff(from: .milliseconds(100), upTo: .seconds(10))

    /// Whether a daemon is available for calls.
    public enum Availability {
        /// A daemon runs and can be called through this client.
        case available(ListDaemonClient)
        /// The bus is reachable, but no daemon owns listd's name.
        case noDaemon
        /// The bus is not reachable because of this error. The client retries automatically.
        case noBus(DBusError)
    }

    /// Creates a client. Call `start` to connect.
    public init(address: BusAddress, onChange: @escaping @DBusActor (Availability) -> Void) {
        self.address = address
        self.onChange = onChange
    }

    isolated deinit { close() }

    /// Connects, and reconnects until `close`. A second call does nothing.
    public func start() {
        guard case .idle = state else { return }
        connect()
    }

    /// Ends the connection and all attempts to connect. `onChange` is not called any more.
    public func close() {
        let last = state
        state = .closed
        subscription?.cancel()
        subscription = nil
        switch last {
        case .connected(let connection): connection.close()
        case .waiting(let timer): timer.cancel()
        case .idle, .connecting, .closed: break
        }
    }

    /// Begins an attempt to connect. The task does not retain the client, so the client can be released during the
    /// attempt.
    private func connect() {
        state = .connecting
        Task { @DBusActor [weak self, address] in
            do throws(DBusError) {
                let connection = try await Connection.open(address)
                guard let self, case .connecting = self.state else { return connection.close() }
                self.didOpen(connection)
            } catch {
                self?.handleFailure(error)
            }
        }
    }

    private func handleFailure(_ error: DBusError) {
        guard case .connecting = state else { return }
        retryLater()
        onChange(.noBus(error))
    }

    private func didOpen(_ connection: Connection) {
        state = .connected(connection)
        connection.onDisconnect { [weak self, weak connection] in
            self?.handleEnd(of: connection, error: .disconnected("the connection has ended"))
        }
        Task { @DBusActor [weak self] in
            do throws(DBusError) {
                // A watch must not retain the connection that it watches.
                let subscription = try await connection.watchOwner(of: ListdName.bus) {
                    [weak self, weak connection] owner in
                    self?.handleOwner(owner, on: connection)
                }
                guard let self, self.isCurrent(connection) else { return }
                self.subscription = subscription
                self.backoff.reset()
            } catch {
                self?.handleEnd(of: connection, error: error)
            }
        }
    }

    private func isCurrent(_ connection: Connection?) -> Bool {
        if case .connected(let current) = state { current === connection } else { false }
    }

    private func handleOwner(_ owner: String?, on connection: Connection?) {
        guard let connection, isCurrent(connection) else { return }
        guard owner != nil else { return onChange(.noDaemon) }
        onChange(.available(ListDaemonClient(connection: connection)))
    }

    /// Handles the end of a connection. Several events report the same end; only the first of them has an effect.
    private func handleEnd(of connection: Connection?, error: DBusError) {
        guard let connection, isCurrent(connection) else { return }
        subscription = nil
        retryLater()
        connection.close()
        onChange(.noBus(error))
    }

    private func retryLater() {
        state = .waiting(
            EventLoop.shared.addTimer(after: backoff.next()) { [weak self] in
                guard let self, case .waiting = self.state else { return }
                self.connect()
            })
    }
}

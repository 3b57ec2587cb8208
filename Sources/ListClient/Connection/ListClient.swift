// SPDX-License-Identifier: Apache-2.0

public import DBus

/// A connection to listd that restores itself: it waits for the daemon, and reconnects after the bus or the daemon
/// ended.
///
/// Owned by `DBusActor`. `onChange` is called for every new daemon process (a restart is a new one) and when there is
/// none. The connection ends with `close`, at the latest when the client is released.
@DBusActor
public final class ListClient {
    /// The state of the connection: it has one connection, one attempt or one timer at a time.
    private enum State {
        case idle
        case connecting
        case connected(Connection)
        case waiting(LoopTimer)
        case closed
    }

    private let address: BusAddress
    private let onChange: @DBusActor (Availability) -> Void
    private var state = State.idle
    private var subscription: Subscription?
    private var backoff = Backoff(from: .milliseconds(100), upTo: .seconds(10))

    /// Whether a daemon can be called.
    public enum Availability {
        /// A daemon runs; this client calls it.
        case available(ListDaemonClient)
        /// The bus is there, but listd's name has no owner.
        case noDaemon
        /// There is no bus, for this error. The client tries again by itself.
        case noBus(DBusError)
    }

    /// Makes a client; call `start` to connect.
    public init(address: BusAddress, onChange: @escaping @DBusActor (Availability) -> Void) {
        self.address = address
        self.onChange = onChange
    }

    isolated deinit { close() }

    /// Connects, and reconnects until `close`; a second call does nothing.
    public func start() {
        guard case .idle = state else { return }
        connect()
    }

    /// Ends the connection and all attempts; `onChange` is not called any more.
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

    /// The task does not retain the client, so a client can be released during an attempt.
    private func connect() {
        state = .connecting
        Task { @DBusActor [weak self, address] in
            do throws(DBusError) {
                let connection = try await Connection.open(address)
                guard let self, case .connecting = self.state else { return connection.close() }
                self.opened(connection)
            } catch {
                self?.failed(error)
            }
        }
    }

    private func failed(_ error: DBusError) {
        guard case .connecting = state else { return }
        retry()
        onChange(.noBus(error))
    }

    private func opened(_ connection: Connection) {
        state = .connected(connection)
        connection.onDisconnect { [weak self, weak connection] in
            self?.ended(connection, .disconnected("the connection has ended"))
        }
        Task { @DBusActor [weak self] in
            do throws(DBusError) {
                // A watcher must not retain the connection that it watches.
                let subscription = try await connection.watchOwner(of: ListdName.bus) {
                    [weak self, weak connection] owner in
                    self?.ownerChanged(owner, connection)
                }
                guard let self, self.isCurrent(connection) else { return }
                self.subscription = subscription
                self.backoff.reset()
            } catch {
                self?.ended(connection, error)
            }
        }
    }

    private func isCurrent(_ connection: Connection?) -> Bool {
        if case .connected(let current) = state { current === connection } else { false }
    }

    private func ownerChanged(_ owner: String?, _ connection: Connection?) {
        guard let connection, isCurrent(connection) else { return }
        guard owner != nil else { return onChange(.noDaemon) }
        onChange(.available(ListDaemonClient(connection: connection)))
    }

    /// The end of a connection is reported in several ways; the first report counts.
    private func ended(_ connection: Connection?, _ error: DBusError) {
        guard let connection, isCurrent(connection) else { return }
        subscription = nil
        retry()
        connection.close()
        onChange(.noBus(error))
    }

    private func retry() {
        state = .waiting(
            EventLoop.shared.addTimer(after: backoff.next()) { [weak self] in
                guard let self, case .waiting = self.state else { return }
                self.connect()
            })
    }
}

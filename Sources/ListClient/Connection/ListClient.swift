public import DBus

/// A way to listd that mends itself: it connects, waits for the daemon, and comes back when the bus or the daemon went.
///
/// Owned by `DBusActor`. `onChange` is told of every new daemon process (a restart is a new one) and of its absence. The
/// connection ends with `close`, at the latest when the client is dropped.
@DBusActor
public final class ListClient {
    /// How far it is; there is one connection, one attempt or one timer at a time.
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

    /// Whether there is a daemon.
    public enum Availability {
        /// This one answers.
        case available(ListDaemonClient)
        /// The bus is there, but nobody owns listd's name.
        case noDaemon
        /// There is no bus: the error says why. The client tries again by itself.
        case noBus(DBusError)
    }

    /// Makes a client that has yet to `start`.
    public init(address: BusAddress, onChange: @escaping @DBusActor (Availability) -> Void) {
        self.address = address
        self.onChange = onChange
    }

    isolated deinit { close() }

    /// Connects and goes on doing so until `close`; more than once it does nothing.
    public func start() {
        guard case .idle = state else { return }
        connect()
    }

    /// Ends the connection and all tries; `onChange` is not called any more.
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

    /// The attempt belongs to nobody: a client that is dropped meanwhile does not wait for it.
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
                // Who watches must not keep alive what it watches through.
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

    /// However many ways a connection's end is heard of, the first one counts.
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

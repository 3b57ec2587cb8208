public import DBus

/// A way to listd that mends itself: it connects, waits for the daemon, and comes back when the bus or the daemon went.
///
/// Owned by `DBusActor`. `onChange` is told of every new daemon process (a restart is a new one) and of its absence.
@DBusActor
public final class ListClient {
    private let address: BusAddress
    private let onChange: @DBusActor (Availability) -> Void
    private var connection: Connection?
    private var subscription: Subscription?
    private var delay = ListClient.shortestDelay
    private var isClosed = false

    /// Whether there is a daemon.
    public enum Availability {
        /// This one answers.
        case available(ListDaemonClient)
        /// The bus is there, but nobody owns listd's name.
        case noDaemon
        /// There is no bus: the error says why. The client tries again by itself.
        case noBus(DBusError)
    }

    private static let shortestDelay = Duration.milliseconds(100)
    private static let longestDelay = Duration.seconds(10)

    /// Makes a client that has yet to `start`.
    public init(address: BusAddress, onChange: @escaping @DBusActor (Availability) -> Void) {
        self.address = address
        self.onChange = onChange
    }

    /// Connects and goes on doing so until `close`.
    public func start() {
        Task { @DBusActor in await connect() }
    }

    /// Ends the connection and all tries.
    public func close() {
        isClosed = true
        subscription?.cancel()
        connection?.close()
        (subscription, connection) = (nil, nil)
    }

    private func connect() async {
        guard !isClosed else { return }
        do throws(DBusError) {
            let connection = try await Connection.open(address)
            guard !isClosed else { return connection.close() }
            self.connection = connection
            connection.onDisconnect { [weak self] in self?.disconnected() }
            subscription = try await connection.watchOwner(of: ListdName.bus) { [weak self] owner in
                self?.ownerChanged(owner, connection)
            }
            delay = Self.shortestDelay
        } catch {
            onChange(.noBus(error))
            retry()
        }
    }

    private func ownerChanged(_ owner: String?, _ connection: Connection) {
        guard owner != nil else { return onChange(.noDaemon) }
        onChange(.available(ListDaemonClient(connection: connection)))
    }

    private func disconnected() {
        guard !isClosed else { return }
        (connection, subscription) = (nil, nil)
        onChange(.noBus(.disconnected("the connection has ended")))
        retry()
    }

    private func retry() {
        connection?.close()
        connection = nil
        EventLoop.shared.addTimer(after: delay) { [weak self] in self?.start() }
        delay = min(delay * 2, Self.longestDelay)
    }
}

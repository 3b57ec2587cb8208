// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A server for direct connections: D-Bus from program to program, without a bus between them.
///
/// Clients authenticate as their Unix user with EXTERNAL only, and `admits` decides about each. Connections, and
/// unauthenticated ones, are counted for each user and limited: libdbus itself has no such limit. The server implements
/// as much of `org.freedesktop.DBus` as client libraries need to treat it as a bus (`BusDriver`).
@DBusActor
public final class Server {
    /// The limits of a server.
    public struct Configuration: Sendable {
        /// The bus names that the server claims to own.
        public var names: [String] = []
        /// More connections than this get `LimitsExceeded` and are closed.
        public var maximumConnections = 128
        /// More connections of one user than this get `LimitsExceeded` and are closed.
        public var maximumConnectionsPerUser = Int.max
        /// How long a client may take to authenticate.
        public var authenticationTimeout = Duration.seconds(10)
        /// A client that sends a larger message is disconnected.
        public var maximumMessageSize = 64 << 20
        /// Larger messages to a client are refused here.
        public var maximumAnswerSize = 64 << 20
        /// A client is disconnected when nothing more arrives of a message that it has begun for this time, while it is
        /// read; nil = no limit.
        public var messageTimeout: Duration?
        /// Descriptors in one message.
        public var maximumDescriptors = 16
        /// Match rules of one connection.
        public var maximumMatchRules = 512
        /// Whether a client is admitted at all.
        public var admits: @DBusActor (Credentials) -> Bool = { _ in true }

        /// Default limits for a server with these names.
        public init(names: [String] = []) {
            self.names = names
        }
    }

    /// The reason why a client is refused.
    public enum Refusal: Equatable, Sendable {
        /// The server has its maximum of connections.
        case connections(limit: Int)
        /// The user has its maximum of connections.
        case connectionsOfUser(limit: Int)

        /// The error that the client gets.
        public var message: String {
            switch self {
            case .connections(let limit): "there are \(limit) direct connections, and no more are served"
            case .connectionsOfUser(let limit): "the user has \(limit) direct connections, and no more are served"
            }
        }
    }

    /// The limits of this server.
    public private(set) var configuration: Configuration
    /// The objects that calls on its connections reach.
    public var objects: ObjectTree? {
        didSet {
            for served in peers where served.isAdmitted { served.connection?.objects = objects }
        }
    }

    private let listener: Listener
    private var peers: [ServedPeer] = []
    private var counts = ConnectionCounts()
    private var nextNumber: UInt64 = 1
    private var connectionHandlers: [@DBusActor (Peer) -> Void] = []
    /// Called with each client that is refused.
    public var onRefusal: (@DBusActor (Peer, Refusal) -> Void)?
    /// Called with each client that is disconnected for `messageTimeout`, and the bytes that had arrived of the
    /// message.
    public var onUnfinishedMessage: (@DBusActor (Peer, _ bytes: Int) -> Void)?

    /// The maximum of connections of one user; nil = that of the configuration.
    public var connectionsOfUser: (@DBusActor (UInt32) -> Int)?
    /// Decides for which messages there is room; nil = for all. Set it before clients connect.
    public var account: (any IncomingAccount)?

    /// The unique name of the server itself for its clients.
    nonisolated static let ownName = ":d.0"

    /// Changes the limits of connections, and the time for authentication, for later connections; present ones stay.
    public func limit(connections: Int, perUser: Int, authenticationTimeout: Duration) {
        configuration.maximumConnections = connections
        configuration.maximumConnectionsPerUser = perUser
        configuration.authenticationTimeout = authenticationTimeout
    }

    /// Changes the maximum size of messages, from the next one of each client on.
    public func limit(messageSize: Int) {
        guard messageSize != configuration.maximumMessageSize else { return }
        configuration.maximumMessageSize = messageSize
        for served in peers { served.connection?.transport.limit(messageSize: messageSize) }
    }

    private init(_ listener: Listener, _ configuration: Configuration) {
        self.listener = listener
        self.configuration = configuration
        unsafe listener.setAcceptor { [weak self] raw in unsafe self?.accept(raw) }
    }

    /// The address for clients, with the server's GUID.
    public var address: String { listener.address }

    /// Whether clients wait that cannot be accepted, because the process has no descriptor left.
    public var isStarved: Bool { listener.isStarved }

    /// Called when `isStarved` becomes true.
    public var onStarvation: (@DBusActor () -> Void)? {
        get { listener.starvationHandler }
        set { listener.setStarvationHandler(newValue) }
    }

    /// Calls `handler` with each client that was admitted.
    public func onConnection(_ handler: @escaping @DBusActor (Peer) -> Void) {
        connectionHandlers.append(handler)
    }

    /// The admitted clients that have not left.
    public var connectedPeers: [Peer] { peers.filter(\.isAdmitted).map(\.peer) }

    /// Waits until all queued messages are written to the clients' sockets, at most for `timeout`.
    public func flush(timeout: Duration) async {
        let flushes = connectedPeers.compactMap(\.connection).map { connection in
            Task { @DBusActor in await connection.flush(timeout: timeout) }
        }
        for flush in flushes { _ = await flush.value }
    }

    /// Stops listening and closes every connection.
    public func close() {
        guard listener.close() else { return }
        for served in peers { served.connection?.close() }
    }
}

// MARK: - Listening

extension Server {
    /// Listens on an address such as `unix:path=/run/listd/direct.sock`; an old socket file is replaced.
    ///
    /// - Throws: `BadAddress`, `AddressInUse`, `FileNotFound` and the like.
    public static func listen(
        _ address: String, _ configuration: Configuration = Configuration()
    ) throws(DBusError) -> Server {
        Server(try Listener(address), configuration)
    }
}

// MARK: - Connections

extension Server {
    /// Accepts a new connection; libdbus closes it unless it is referenced here.
    private func accept(_ raw: OpaquePointer) {
        guard let credentials = unsafe Credentials(ofPeerOf: raw),
            let place = counts.place(
                for: credentials.userID, limit: configuration.maximumConnections,
                limitPerUser: connectionsOfUser?(credentials.userID) ?? configuration.maximumConnectionsPerUser)
        else { return }
        unsafe dbus_connection_ref(raw)
        unsafe dbus_connection_set_max_message_unix_fds(raw, configuration.maximumDescriptors)
        guard let transport = try? unsafe Transport(adopting: raw) else { return }
        transport.limit(messageSize: configuration.maximumMessageSize)
        transport.endsWhilePaused = true  // the clients have left
        let served = ServedPeer(server: self, name: ":d.\(nextNumber)", credentials: credentials, place: place)
        nextNumber += 1
        peers.append(served)
        counts.add(place, of: credentials.userID)
        transport.setUserCheck(UserCheck(userID: credentials.userID, isAllowed: configuration.admits(credentials)))
        if let timeout = configuration.messageTimeout { limit(served.peer, transport, timeout) }
        served.start(
            Connection(
                transport: transport, role: .served(served), maximumMessageSize: configuration.maximumAnswerSize),
            authenticationTimeout: configuration.authenticationTimeout)
    }

    private func limit(_ peer: Peer, _ transport: Transport, _ timeout: Duration) {
        transport.limitUnfinishedMessages(
            UnfinishedLimits(
                timeout: timeout, maximumSize: configuration.maximumMessageSize,
                reserve: { [weak self] in self?.account?.reserve($0, for: peer) ?? true },
                release: { [weak self] in self?.account?.release($0, of: peer) },
                onTimeout: { [weak self] in self?.onUnfinishedMessage?(peer, $0) }))
    }

    /// Resumes reading the clients for whose messages there was no room, if there is some now.
    public func retryUnfinishedMessages() {
        for served in peers { served.connection?.transport.retryUnfinishedMessage() }
    }

    func admitted(_ served: ServedPeer) {
        served.connection?.objects = objects
        for handler in connectionHandlers { handler(served.peer) }
    }

    func left(_ served: ServedPeer) {
        peers.removeAll { $0 === served }
        if let user = served.peer.credentials?.userID { counts.remove(served.place, of: user) }
    }

    /// The owner of a name here: the server for its own names, and its clients for their unique ones; nil = none.
    func owner(of name: String) -> String? {
        if name == Bus.name { return Bus.name }
        if name == Server.ownName || configuration.names.contains(name) { return Server.ownName }
        return peers.contains { $0.isAdmitted && $0.peer.name == name } ? name : nil
    }
}

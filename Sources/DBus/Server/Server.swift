// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A server for direct connections, over which programs use D-Bus without a bus between them.
///
/// Clients authenticate as their Unix user, only with EXTERNAL, and `admits` decides about each client. libdbus
/// itself does not limit connections per user, so the server counts and limits them, including unauthenticated ones.
/// It implements as much of `org.freedesktop.DBus` as client libraries need to treat it as a bus (`BusDriver`).
@DBusActor
public final class Server {
    /// The limits of a server.
    public struct Configuration: Sendable {
        /// The bus names that the server appears to own.
        public var names: [String] = []
        /// The maximum number of connections. Further connections get `LimitsExceeded` and are closed.
        public var maximumConnections = 128
        /// The maximum number of connections of one user. Further connections get `LimitsExceeded` and are closed.
        public var maximumConnectionsPerUser = Int.max
        /// The maximum duration of a client's authentication.
        public var authenticationTimeout = Duration.seconds(10)
        /// The maximum size of received messages in bytes. The sender of a larger message is disconnected.
        public var maximumMessageSize = 64 << 20
        /// The maximum size of sent messages in bytes. Sending a larger message fails.
        public var maximumAnswerSize = 64 << 20
        /// The maximum time without progress while an incomplete message is being read, after which its sender is
        /// disconnected; nil for no limit.
        public var messageTimeout: Duration?
        /// The number of bytes of broadcasts that a client has not read above which no more are sent to it. It is more
        /// than what is sent at once, which a client that reads cannot have read yet.
        public var maximumUnreadBroadcasts = 4 << 20
        /// The maximum number of descriptors in a message.
        public var maximumDescriptors = 16
        /// The maximum number of match rules of a connection.
        public var maximumMatchRules = 512
        /// Returns whether a client may connect.
        public var admits: @DBusActor (Credentials) -> Bool = { _ in true }

        /// Creates a configuration with default limits and these bus names.
        public init(names: [String] = []) {
            self.names = names
        }
    }

    /// A reason why a client is refused.
    public enum Refusal: Equatable, Sendable {
        /// The server has reached its maximum number of connections.
        case connections(limit: Int)
        /// The user has reached its maximum number of connections.
        case connectionsOfUser(limit: Int)

        /// The error message that the client gets.
        public var message: String {
            switch self {
            case .connections(let limit): "the server has reached its limit of \(limit) direct connections"
            case .connectionsOfUser(let limit): "the user has reached the limit of \(limit) direct connections"
            }
        }
    }

    /// The limits of this server.
    public private(set) var configuration: Configuration
    /// The objects that calls of clients can reach.
    public var objects: ObjectTree? {
        didSet {
            for served in peers where served.isAdmitted { served.connection?.objects = objects }
        }
    }

    private let listener: Listener
    private var peers: [ServedPeer] = []
    /// The clients that are not read until there is room for their messages, in the order in which they began to wait.
    private var waitingForRoom: [ServedPeer] = []
    private var counts = ConnectionCounts()
    private var nextNumber: UInt64 = 1
    private var connectionHandlers: [@DBusActor (Peer) -> Void] = []
    /// Called with each client that is refused.
    public var onRefusal: (@DBusActor (Peer, Refusal) -> Void)?
    /// Called with each client that is disconnected for exceeding `messageTimeout`, and with the number of bytes of
    /// the message that had arrived.
    public var onUnfinishedMessage: (@DBusActor (Peer, _ bytes: Int) -> Void)?

    /// Called with a client for each broadcast that is not sent to it, because it has not read earlier ones.
    public var onDroppedBroadcast: (@DBusActor (Peer) -> Void)?
    /// Called with each client that calls `org.freedesktop.DBus`, which the server answers itself, before the answer.
    public var onDriverCall: (@DBusActor (Peer) -> Void)?

    /// Returns the maximum number of connections of a user. If nil, the maximum of the configuration applies.
    public var connectionsOfUser: (@DBusActor (UInt32) -> Int)?
    /// The account that reserves room for incomplete messages; nil for unlimited room. Set it before clients connect.
    public var account: (any IncomingAccount)?

    /// The server's own unique name.
    nonisolated static let ownName = ":d.0"

    /// Changes the limits of connections and the authentication timeout for new connections. Existing connections
    /// stay.
    public func limit(connections: Int, perUser: Int, authenticationTimeout: Duration) {
        configuration.maximumConnections = connections
        configuration.maximumConnectionsPerUser = perUser
        configuration.authenticationTimeout = authenticationTimeout
    }

    /// Changes the maximum size of received messages, beginning with the next message of each client.
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

    /// The address for clients, which includes the server's GUID.
    public var address: String { listener.address }

    /// Whether clients are waiting that cannot be accepted because the process can open no more descriptors.
    public var isStarved: Bool { listener.isStarved }

    /// Called when `isStarved` becomes true.
    public var onStarvation: (@DBusActor () -> Void)? {
        get { listener.starvationHandler }
        set { listener.setStarvationHandler(newValue) }
    }

    /// Calls `handler` with each client that is admitted from now on.
    public func onConnection(_ handler: @escaping @DBusActor (Peer) -> Void) {
        connectionHandlers.append(handler)
    }

    /// The admitted clients that have not disconnected.
    public var connectedPeers: [Peer] { peers.filter(\.isAdmitted).map(\.peer) }

    /// Waits until all queued messages are written to the clients' sockets, for at most `timeout`.
    public func flush(timeout: Duration) async {
        let flushes = connectedPeers.compactMap(\.connection).map { connection in
            Task { @DBusActor in await connection.flush(timeout: timeout) }
        }
        for flush in flushes { _ = await flush.value }
    }

    /// Stops listening and closes all connections.
    public func close() {
        guard listener.close() else { return }
        for served in peers { served.connection?.close() }
    }
}

// MARK: - Listening

extension Server {
    /// Listens on an address such as `unix:path=/run/listd/direct.sock`. An old socket file is replaced.
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
    /// Accepts a new connection. libdbus closes a connection that is not retained here.
    private func accept(_ raw: OpaquePointer) {
        guard let credentials = unsafe Credentials(ofPeerOf: raw),
            let decision = counts.decide(
                for: credentials.userID, limit: configuration.maximumConnections,
                limitPerUser: connectionsOfUser?(credentials.userID) ?? configuration.maximumConnectionsPerUser)
        else { return }
        unsafe dbus_connection_ref(raw)
        unsafe dbus_connection_set_max_message_unix_fds(raw, configuration.maximumDescriptors)
        guard let transport = try? unsafe Transport(adopting: raw) else { return }
        transport.limit(messageSize: configuration.maximumMessageSize)
        transport.endsWhilePaused = true  // a client that closes its socket has left
        let served = ServedPeer(server: self, name: ":d.\(nextNumber)", credentials: credentials, decision: decision)
        nextNumber += 1
        peers.append(served)
        counts.add(decision, of: credentials.userID)
        transport.setUserCheck(UserCheck(userID: credentials.userID, isAllowed: configuration.admits(credentials)))
        if let timeout = configuration.messageTimeout { limitUnfinishedMessages(of: served, transport, timeout) }
        served.start(
            Connection(
                transport: transport, role: .served(served), maximumMessageSize: configuration.maximumAnswerSize),
            authenticationTimeout: configuration.authenticationTimeout)
    }

    private func limitUnfinishedMessages(of served: ServedPeer, _ transport: Transport, _ timeout: Duration) {
        let peer = served.peer
        transport.limitUnfinishedMessages(
            UnfinishedLimits(
                timeout: timeout, maximumSize: configuration.maximumMessageSize,
                reserve: { [weak self, weak served] bytes in
                    guard let self, let served else { return true }
                    return reserve(bytes, for: served)
                },
                release: { [weak self] in self?.account?.release($0, of: peer) },
                onTimeout: { [weak self] in self?.onUnfinishedMessage?(peer, $0) }))
    }

    /// Reserves room for a message of a client, or lets the client wait for it.
    private func reserve(_ bytes: Int, for served: ServedPeer) -> Bool {
        guard let account, !account.reserve(bytes, for: served.peer) else { return true }
        waitingForRoom.append(served)
        return false
    }

    /// Resumes reading from clients that were paused for lack of room, as far as there is room now.
    ///
    /// - Returns: the number of clients that were looked at.
    @discardableResult
    public func retryUnfinishedMessages() -> Int {
        let waiting = waitingForRoom
        waitingForRoom = []
        for served in waiting { served.connection?.transport.retryUnfinishedMessage() }
        return waiting.count
    }

    func didAdmit(_ served: ServedPeer) {
        served.connection?.objects = objects
        for handler in connectionHandlers { handler(served.peer) }
    }

    func removePeer(_ served: ServedPeer) {
        peers.removeAll { $0 === served }
        waitingForRoom.removeAll { $0 === served }
        if let user = served.peer.credentials?.userID { counts.remove(served.decision, of: user) }
    }

    /// Returns the owner of a name on this server: the server for its own names, a client for its unique name; nil if
    /// the name has no owner.
    func owner(of name: String) -> String? {
        if name == Bus.name { return Bus.name }
        if name == Server.ownName || configuration.names.contains(name) { return Server.ownName }
        return peers.contains { $0.isAdmitted && $0.peer.name == name } ? name : nil
    }
}

/// Counts the connections of a server by user: served connections, and refused connections, which only receive an
/// error.
///
/// The user is the one that the kernel reports for a new connection, so unauthenticated connections are counted too.
struct ConnectionCounts {
    /// The decision about a new connection.
    enum Decision: Equatable {
        case served
        /// The first call is answered with the reason, and then the connection is closed.
        case refused(Server.Refusal)
    }

    /// The maximum numbers of refused connections that may be open at the same time, of all users and of one user.
    static let refusedAtOnce = 16
    static let refusedOfUserAtOnce = 4

    private typealias Numbers = (served: Int, refused: Int)

    private var users: [UInt32: Numbers] = [:]
    private var all: Numbers = (0, 0)

    /// Decides about a new connection of a user; nil means that it must be closed at once.
    ///
    /// - Complexity: O(1)
    func decide(for user: UInt32, limit: Int, limitPerUser: Int) -> Decision? {
        let own = users[user] ?? (0, 0)
        let refusal: Server.Refusal
        if own.served >= limitPerUser {
            refusal = .connectionsOfUser(limit: limitPerUser)
        } else if all.served >= limit {
            refusal = .connections(limit: limit)
        } else {
            return .served
        }
        guard own.refused < Self.refusedOfUserAtOnce, all.refused < Self.refusedAtOnce else { return nil }
        return .refused(refusal)
    }

    /// Counts a new connection.
    mutating func add(_ decision: Decision, of user: UInt32) { change(decision, of: user, by: 1) }

    /// Removes a closed connection from the counts.
    mutating func remove(_ decision: Decision, of user: UInt32) { change(decision, of: user, by: -1) }

    private mutating func change(_ decision: Decision, of user: UInt32, by difference: Int) {
        var own = users[user] ?? (0, 0)
        switch decision {
        case .served:
            own.served += difference
            all.served += difference
        case .refused:
            own.refused += difference
            all.refused += difference
        }
        users[user] = own.served == 0 && own.refused == 0 ? nil : own
    }
}

/// An account of the memory for messages that clients have begun to send and that are still incomplete.
@DBusActor
public protocol IncomingAccount: AnyObject {
    /// Reserves room for a whole message, until `release`. Called when the header of the message has arrived.
    ///
    /// Returns `false` when there is no room. The server then stops reading from the client until
    /// `Server.retryUnfinishedMessages`, which calls this function again.
    ///
    /// Small messages are not reserved.
    func reserve(_ bytes: Int, for peer: Peer) -> Bool
    /// Releases reserved room. Called when the message is complete and about to be handled, or when its connection
    /// ends.
    func release(_ bytes: Int, of peer: Peer)
}

/// A check that a connection authenticates as the user whom the kernel reported for it, and that this user is
/// admitted.
///
/// By default, libdbus admits root and the server's own user, regardless of what the server allows.
final class UserCheck: Sendable {
    private let userID: UInt32
    private let isAllowed: Bool

    init(userID: UInt32, isAllowed: Bool) {
        self.userID = userID
        self.isAllowed = isAllowed
    }

    static let check: DBusAllowUnixUserFunction = { _, userID, data in
        guard let data = unsafe data else { return 0 }
        let check = unsafe Unmanaged<UserCheck>.fromOpaque(data).takeUnretainedValue()
        return check.isAllowed && UInt(check.userID) == userID ? 1 : 0
    }

    static let release: DBusFreeFunction = { data in
        if let data = unsafe data { unsafe Unmanaged<UserCheck>.fromOpaque(data).release() }
    }
}

extension Transport {
    /// Sets the check that libdbus calls when the other end authenticates.
    func setUserCheck(_ check: UserCheck) {
        unsafe withRaw { raw in
            unsafe dbus_connection_set_unix_user_function(
                raw, UserCheck.check, Unmanaged.passRetained(check).toOpaque(), UserCheck.release)
        }
    }
}

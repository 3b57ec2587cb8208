// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A server for direct connections: D-Bus from program to program, without a bus between them.
///
/// Clients prove their Unix user with EXTERNAL and nothing else, and `admits` decides about each. Connections, and the
/// ones that have not proved anything yet, are counted for each user and limited: libdbus itself knows no such limit. The
/// server answers as much of `org.freedesktop.DBus` as client libraries need to take it for a bus (`BusDriver`).
@safe
@DBusActor
public final class Server {
    /// What a server allows.
    public struct Configuration: Sendable {
        /// The bus names that clients find us under here.
        public var names: [String] = []
        /// More connections than this get `LimitsExceeded` and are closed.
        public var maximumConnections = 128
        /// More connections of one user than this get `LimitsExceeded` and are closed.
        public var maximumConnectionsPerUser = Int.max
        /// How long a client may take to prove who it is.
        public var authenticationTimeout = Duration.seconds(10)
        /// A client that sends a larger message is thrown off.
        public var maximumMessageSize = 64 << 20
        /// Larger messages to a client are refused here.
        public var maximumAnswerSize = 64 << 20
        /// A client is thrown off when nothing more arrives of a message that it has begun, for so long while it is read;
        /// nil = it may take its time.
        public var messageTimeout: Duration?
        /// Descriptors in one message.
        public var maximumDescriptors = 16
        /// Match rules of one connection.
        public var maximumMatchRules = 512
        /// Whether a client may come in at all.
        public var admits: @DBusActor (Credentials) -> Bool = { _ in true }

        /// Defaults for a server that clients find under these names.
        public init(names: [String] = []) {
            self.names = names
        }
    }

    /// Why a client is refused.
    public enum Refusal: Equatable, Sendable {
        /// There are as many connections as there may be.
        case connections(limit: Int)
        /// Its user has as many connections as one may have.
        case connectionsOfUser(limit: Int)

        /// What the client is told.
        public var message: String {
            switch self {
            case .connections(let limit): "there are \(limit) direct connections, and no more are served"
            case .connectionsOfUser(let limit): "the user has \(limit) direct connections, and no more are served"
            }
        }
    }

    /// What this server allows.
    public private(set) var configuration: Configuration
    /// What calls on its connections reach.
    public var objects: ObjectTree? {
        didSet {
            for served in peers where served.isAdmitted { served.connection?.objects = objects }
        }
    }

    /// Owned by this object, used on the loop thread only; given back by `close`, at the latest by `deinit`.
    private nonisolated(unsafe) var raw: OpaquePointer?
    private let watches = WatchTable()
    private(set) var peers: [ServedPeer] = []
    private var counts = ConnectionCounts()
    private var nextNumber: UInt64 = 1
    private var connectionHandlers: [@DBusActor (Peer) -> Void] = []
    /// Whether a connection came since the socket was ready last.
    fileprivate var hasAccepted = false
    /// Whether clients wait that cannot be taken in, because the process has no descriptor left.
    public private(set) var isStarved = false
    /// Called when `isStarved` becomes true.
    public var onStarvation: (@DBusActor () -> Void)?
    /// Called with each client that is refused.
    public var onRefusal: (@DBusActor (Peer, Refusal) -> Void)?
    /// Called with each client that is thrown off for `messageTimeout`, and the bytes that had arrived of the message.
    public var onUnfinishedMessage: (@DBusActor (Peer, _ bytes: Int) -> Void)?

    /// How many connections one user may have; nil = as many as the configuration says.
    public var connectionsOfUser: (@DBusActor (UInt32) -> Int)?
    /// Says for which messages there is room; nil = for all. Set it before clients come.
    public var account: (any IncomingAccount)?

    /// The name under which the server itself is known to its clients.
    nonisolated static let ownName = ":d.0"

    /// Allows other numbers of connections, and another time for each, from the next one on; those that are there stay.
    public func limit(connections: Int, perUser: Int, authenticationTimeout: Duration) {
        configuration.maximumConnections = connections
        configuration.maximumConnectionsPerUser = perUser
        configuration.authenticationTimeout = authenticationTimeout
    }

    /// Allows messages of another size, from the next one of each client on.
    public func limit(messageSize: Int) {
        guard messageSize != configuration.maximumMessageSize else { return }
        configuration.maximumMessageSize = messageSize
        for served in peers { served.connection?.transport.limit(messageSize: messageSize) }
    }

    private init(adopting raw: OpaquePointer, _ configuration: Configuration) throws(DBusError) {
        unsafe self.raw = unsafe raw
        self.configuration = configuration
        try setUp()
    }

    deinit {
        guard let raw = unsafe raw else { return }
        let orphan = unsafe OrphanedServer(raw: raw, watches: watches)
        EventLoop.shared.post { orphan.close() }
    }

    /// The address for clients, with the server's identity.
    public var address: String {
        guard let raw = unsafe raw, let text = unsafe dbus_server_get_address(raw) else { return "" }
        defer { unsafe dbus_free(text) }
        return unsafe String(cString: text)
    }

    /// Calls `handler` with each client that was let in.
    public func onConnection(_ handler: @escaping @DBusActor (Peer) -> Void) {
        connectionHandlers.append(handler)
    }

    /// The clients that were let in and are still there.
    public var connectedPeers: [Peer] { peers.filter(\.isAdmitted).map(\.peer) }

    /// Waits until everything that was sent to the clients is written to their sockets, at most for `timeout`.
    public func flush(timeout: Duration) async {
        let flushes = connectedPeers.compactMap(\.connection).map { connection in
            Task { @DBusActor in await connection.flush(timeout: timeout) }
        }
        for flush in flushes { _ = await flush.value }
    }

    /// Stops listening and closes every connection.
    public func close() {
        guard let raw = unsafe raw else { return }
        unsafe self.raw = nil
        unsafe OrphanedServer(raw: raw, watches: watches).close()
        for served in peers { served.connection?.close() }
    }
}

// MARK: - Listening

extension Server {
    /// Listens on an address such as `unix:path=/run/listd/direct.sock`; a socket that was left behind there is replaced.
    ///
    /// - Throws: `BadAddress`, `AddressInUse`, `FileNotFound` and the like.
    public static func listen(
        _ address: String, _ configuration: Configuration = Configuration()
    ) throws(DBusError) -> Server {
        guard !address.utf8.contains(0) else { throw DBusError(.badAddress, "the address contains a NUL character") }
        let raw = try unsafe LibdbusError.check { error in unsafe dbus_server_listen(address, error) }
        return try unsafe Server(adopting: raw, configuration)
    }

    private func setUp() throws(DBusError) {
        guard let raw = unsafe raw else { return }
        let acceptor = Acceptor(server: self)
        let succeeded = unsafe AuthenticationMechanisms.withExternal { mechanisms in
            unsafe dbus_server_set_auth_mechanisms(raw, mechanisms) != 0
                && dbus_server_set_watch_functions(
                    raw, WatchTable.addWatch, WatchTable.removeWatch, WatchTable.toggleWatch,
                    watches.retainedForLibdbus(), WatchTable.release) != 0
                && dbus_server_set_timeout_functions(
                    raw, WatchTable.addTimeout, WatchTable.removeTimeout, WatchTable.toggleTimeout,
                    watches.retainedForLibdbus(), WatchTable.release) != 0
        }
        watches.onActivity = { [weak self] in self?.socketWasHandled() }
        unsafe dbus_server_set_new_connection_function(
            raw, Acceptor.accept, Unmanaged.passRetained(acceptor).toOpaque(), Acceptor.release)
        if !succeeded { throw DBusError(.noMemory, "no memory for a server") }
    }
}

// MARK: - Want of descriptors

extension Server {
    /// How long a socket rests whose clients cannot be taken in.
    private static let rest = Duration.milliseconds(100)

    /// Lets the socket rest if it was ready and nothing came of it: accept(2) fails without a descriptor, and the client stays
    /// in the queue, so that the socket would be ready again at once and for ever.
    private func socketWasHandled() {
        let wasStarved = isStarved
        isStarved = !hasAccepted
        hasAccepted = false
        guard isStarved else { return }
        watches.readingIsPaused = true
        EventLoop.shared.addTimer(after: Self.rest) { [weak self] in self?.watches.readingIsPaused = false }
        if !wasStarved { onStarvation?() }
    }
}

/// A server without an owner; whoever holds this is the only one.
@safe
private struct OrphanedServer: @unchecked Sendable {
    let raw: OpaquePointer
    let watches: WatchTable

    @DBusActor
    func close() {
        unsafe dbus_server_disconnect(raw)
        unsafe dbus_server_set_watch_functions(raw, nil, nil, nil, nil, nil)
        unsafe dbus_server_set_timeout_functions(raw, nil, nil, nil, nil, nil)
        watches.removeAll()
        unsafe dbus_server_unref(raw)
    }
}

/// What libdbus holds of a server, to hand it new connections.
private final class Acceptor: Sendable {
    @DBusActor private weak var server: Server?

    @DBusActor
    init(server: Server) {
        self.server = server
    }

    static let accept: DBusNewConnectionFunction = { _, connection, data in
        guard let connection = unsafe connection, let data = unsafe data else { return }
        let acceptor = unsafe Unmanaged<Acceptor>.fromOpaque(data).takeUnretainedValue()
        nonisolated(unsafe) let raw = unsafe connection  // libdbus calls on the loop thread
        DBusActor.assumeIsolated {
            acceptor.server?.hasAccepted = true
            unsafe acceptor.server?.accept(raw)
        }
    }

    static let release: DBusFreeFunction = { data in
        if let data = unsafe data { unsafe Unmanaged<Acceptor>.fromOpaque(data).release() }
    }
}

// MARK: - Connections

extension Server {
    /// Takes a new connection in; one that is not referenced here is closed by libdbus.
    fileprivate func accept(_ raw: OpaquePointer) {
        guard let credentials = unsafe Credentials(ofPeerOf: raw),
            let place = counts.place(
                for: credentials.userID, limit: configuration.maximumConnections,
                limitPerUser: connectionsOfUser?(credentials.userID) ?? configuration.maximumConnectionsPerUser)
        else { return }
        unsafe dbus_connection_ref(raw)
        unsafe dbus_connection_set_max_message_unix_fds(raw, configuration.maximumDescriptors)
        guard let transport = try? unsafe Transport(adopting: raw) else { return }
        transport.limit(messageSize: configuration.maximumMessageSize)
        transport.endsWhilePaused = true  // nobody is left to be answered
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

    /// Reads the clients again for whose messages there was no room, if there is some now.
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

    /// Who has a name here: the server's own names, and its clients' unique ones; nil = nobody.
    func owner(of name: String) -> String? {
        if name == Bus.name { return Bus.name }
        if name == Server.ownName || configuration.names.contains(name) { return Server.ownName }
        return peers.contains { $0.isAdmitted && $0.peer.name == name } ? name : nil
    }
}

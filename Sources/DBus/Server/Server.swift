internal import CDBus

/// A server for direct connections: D-Bus from program to program, without a bus between them.
///
/// Clients prove their Unix user with EXTERNAL and nothing else, and `admits` decides about each. Connections, and the
/// ones that have not proved anything yet, are counted and limited: libdbus itself knows no such limit. The server answers
/// as much of `org.freedesktop.DBus` as client libraries need to take it for a bus (`BusDriver`).
@safe
@DBusActor
public final class Server {
    /// What a server allows.
    public struct Configuration: Sendable {
        /// The bus names that clients find us under here.
        public var names: [String] = []
        /// More connections than this get `LimitsExceeded` and are closed.
        public var maximumConnections = 128
        /// How long a client may take to prove who it is.
        public var authenticationTimeout = Duration.seconds(10)
        /// A client that sends a larger message is thrown off; larger ones to it are refused here.
        public var maximumMessageSize = 64 << 20
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
    private var nextNumber: UInt64 = 1
    private var connectionHandlers: [@DBusActor (Peer) -> Void] = []
    /// Whether a connection came since the socket was ready last.
    fileprivate var hasAccepted = false
    /// Whether clients wait that cannot be taken in, because the process has no descriptor left.
    public private(set) var isStarved = false
    /// Called when `isStarved` becomes true.
    public var onStarvation: (@DBusActor () -> Void)?
    /// Called when a client is refused because there are as many connections as are allowed.
    public var onRefusal: (@DBusActor (Peer) -> Void)?

    /// The name under which the server itself is known to its clients.
    nonisolated static let ownName = ":d.0"

    /// Allows so many connections, and connections so much time, from the next one on; those that are there stay.
    public func limit(connections: Int, authenticationTimeout: Duration) {
        configuration.maximumConnections = connections
        configuration.authenticationTimeout = authenticationTimeout
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
    /// Connections beyond the limit that may be there at once to be told so.
    private static let refusedAtOnce = 16

    /// Takes a new connection in; one that is not referenced here is closed by libdbus.
    fileprivate func accept(_ raw: OpaquePointer) {
        guard peers.count < configuration.maximumConnections + Server.refusedAtOnce else { return }
        unsafe dbus_connection_ref(raw)
        unsafe dbus_connection_set_max_message_size(raw, configuration.maximumMessageSize)
        unsafe dbus_connection_set_max_message_unix_fds(raw, configuration.maximumDescriptors)
        guard let transport = try? unsafe Transport(adopting: raw), let credentials = transport.peerCredentials else {
            return
        }
        transport.endsWhilePaused = true  // nobody is left to be answered
        let isOverLimit = peers.count >= configuration.maximumConnections
        let served = ServedPeer(
            server: self, name: ":d.\(nextNumber)", credentials: credentials, isOverLimit: isOverLimit)
        nextNumber += 1
        peers.append(served)
        transport.setUserCheck(UserCheck(userID: credentials.userID, isAllowed: configuration.admits(credentials)))
        served.start(
            Connection(
                transport: transport, role: .served(served), maximumMessageSize: configuration.maximumMessageSize),
            authenticationTimeout: configuration.authenticationTimeout)
    }

    func admitted(_ served: ServedPeer) {
        served.connection?.objects = objects
        for handler in connectionHandlers { handler(served.peer) }
    }

    func left(_ served: ServedPeer) {
        peers.removeAll { $0 === served }
    }

    /// Who has a name here: the server's own names, and its clients' unique ones; nil = nobody.
    func owner(of name: String) -> String? {
        if name == Bus.name { return Bus.name }
        if name == Server.ownName || configuration.names.contains(name) { return Server.ownName }
        return peers.contains { $0.isAdmitted && $0.peer.name == name } ? name : nil
    }
}

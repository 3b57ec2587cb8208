// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A program that calls this program: a connection on the bus, or the other end of a direct connection.
///
/// Each peer has one object until it disconnects, so peers are compared with `===`.
@DBusActor
public final class Peer {
    /// The connection through which the peer is reached; nil when this connection has ended.
    public private(set) weak var connection: Connection?
    /// The peer's unique name: `:1.42` on a bus, `:d.3` for a client of this program's server, empty for a server to
    /// which this program connected.
    public nonisolated let name: String
    /// The peer's credentials; nil if the peer left before the bus reported them.
    public private(set) var credentials: Credentials?
    /// Whether the peer has disconnected. Its name is never reused.
    public private(set) var hasDeparted = false
    /// The number of the peer's calls that are not answered yet.
    public private(set) var callsInFlight = 0
    private var departureHandlers: [@DBusActor () -> Void] = []
    /// Takes the answers to the peer's calls, as closures that send them, because they must follow a message that is not
    /// sent yet; nil = answers are sent at once.
    private(set) var answerHolder: (@DBusActor (@escaping @DBusActor () -> Void) -> Void)?

    init(connection: Connection?, name: String, credentials: Credentials?) {
        self.connection = connection
        self.name = name
        self.credentials = credentials
    }

    /// Sets the connection through which the peer is reached.
    func setConnection(_ connection: Connection) { self.connection = connection }

    /// Sets the credentials that the bus reported.
    func setCredentials(_ credentials: Credentials?) { self.credentials = credentials }

    /// Counts a new call of the peer.
    func beginCall() { callsInFlight += 1 }

    /// Counts a call of the peer as finished: it was answered, or needs no answer.
    func endCall() { callsInFlight -= 1 }

    /// Calls `handler` once, when the peer has disconnected. If it has already disconnected, `handler` runs on the
    /// next turn of the loop.
    public func onDeparture(_ handler: @escaping @DBusActor () -> Void) {
        guard !hasDeparted else {
            EventLoop.shared.addTimer(after: .zero, handler)
            return
        }
        departureHandlers.append(handler)
    }

    func markDeparted() {
        guard !hasDeparted else { return }
        hasDeparted = true
        let handlers = departureHandlers
        departureHandlers = []
        for handler in handlers { handler() }
    }

    /// Passes the answers to the peer's calls to `holder` from now on, which sends them later; nil ends this.
    package func holdAnswers(_ holder: (@DBusActor (@escaping @DBusActor () -> Void) -> Void)?) {
        answerHolder = holder
    }

    /// Sends a message to this peer alone.
    ///
    /// - Returns: the serial, as `Connection.send` does.
    /// - Throws: the errors of `Connection.send`.
    @discardableResult
    public func send(_ message: Message) throws(DBusError) -> UInt32 {
        guard let connection, !hasDeparted else { throw .disconnected("the peer \(name.quoted) has disconnected") }
        guard connection.isBus else { return try connection.send(message) }
        var message = message
        try message.setDestination(name)
        return try connection.send(message)
    }
}

/// The credentials of a program, as the kernel reports them.
public struct Credentials: Equatable, Sendable {
    /// The Unix user id.
    public let userID: UInt32
    /// The process id; nil when the bus does not report it.
    public let processID: Int32?

    /// Creates credentials from the values that the kernel or a bus reports.
    public init(userID: UInt32, processID: Int32?) {
        self.userID = userID
        self.processID = processID
    }
}

extension Credentials {
    /// Reads the answer of `GetConnectionCredentials`; nil when it has no user.
    ///
    /// Entries of other names are skipped: a newer bus adds some, such as `ProcessFD` with a descriptor.
    init?(answer: Message) {
        var (user, process): (UInt32?, UInt32?)
        try? answer.read { (reader) throws(DBusError) in
            try reader.array { (peers) throws(DBusError) in
                while !peers.atEnd {
                    try peers.dictionaryEntry { (entry) throws(DBusError) in
                        switch try entry.readString() {
                        case "UnixUserID":
                            user = try entry.variant { (value) throws(DBusError) in try value.readUInt32() }
                        case "ProcessID":
                            process = try entry.variant { (value) throws(DBusError) in try value.readUInt32() }
                        default: break
                        }
                    }
                }
            }
        }
        guard let user else { return nil }
        self.init(userID: user, processID: process.flatMap(Int32.init(exactly:)))
    }
}

extension Transport {
    /// The credentials of the other end of the socket, from the kernel; nil for a connection without a Unix socket.
    var peerCredentials: Credentials? {
        descriptor.flatMap { Credentials(ofPeerOf: $0) }
    }
}

extension Credentials {
    /// Reads the credentials of the process that opened the connection, from the kernel. This works before
    /// authentication.
    init?(ofPeerOf raw: OpaquePointer) {
        var descriptor: Int32 = -1
        guard unsafe dbus_connection_get_socket(raw, &descriptor) != 0 else { return nil }
        self.init(ofPeerOf: descriptor)
    }

    fileprivate init?(ofPeerOf socket: Int32) {
        var found = listd_peer_credentials()
        guard unsafe listd_get_peer_credentials(socket, &found) == 0 else { return nil }
        self.init(userID: found.uid, processID: found.pid)
    }
}

/// The peers of one connection. On a bus, these are all connections that have called this program and have not left.
@DBusActor
final class PeerRegistry {
    /// A peer and its calls, which are queued until the bus has reported the peer's credentials.
    private enum KnownPeer {
        case asking(Peer, waiting: [Message])
        case known(Peer)

        var peer: Peer {
            switch self {
            case .asking(let peer, _), .known(let peer): peer
            }
        }
    }

    private var peers: [String: KnownPeer] = [:]
    /// The peer at the other end of a direct connection.
    private var direct: Peer?
    private var departureHandlers: [@DBusActor (String) -> Void] = []
    private var watchesDepartures = false

    nonisolated init() {}

    /// Handles a call from a bus. The call is dispatched when the credentials of its sender are known. The calls of
    /// one sender keep their order.
    ///
    /// - Complexity: O(1)
    func handleBusCall(_ call: Message, on connection: Connection) {
        guard let name = call.sender else { return }
        switch peers[name] {
        case .known(let peer): connection.dispatch(call, from: peer)
        case .asking(let peer, var waiting):
            waiting.append(call)
            peers[name] = .asking(peer, waiting: waiting)
        case nil:
            let peer = Peer(connection: connection, name: name, credentials: nil)
            peers[name] = .asking(peer, waiting: [call])
            watchDepartures(on: connection)
            requestCredentials(of: peer, on: connection)
        }
    }

    /// Returns the peer at the other end of a direct connection; the first call creates it with `make`.
    func directPeer(_ make: () -> Peer) -> Peer {
        let peer = direct ?? make()
        direct = peer
        return peer
    }

    /// Calls `handler` with the unique name of every connection that leaves the bus.
    func onDeparture(on connection: Connection, _ handler: @escaping @DBusActor (_ uniqueName: String) -> Void) {
        departureHandlers.append(handler)
        if connection.isBus { watchDepartures(on: connection) }
    }

    /// Removes and returns all peers after the connection has ended.
    func removeAll() -> [Peer] {
        let all = peers.values.map(\.peer) + (direct.map { [$0] } ?? [])
        (peers, direct, departureHandlers, watchesDepartures) = ([:], nil, [], false)
        return all
    }
}

// MARK: - Credentials and departures

extension PeerRegistry {
    /// Subscribes once to all departures. The bus processes this before any later call, so no departure is missed.
    private func watchDepartures(on connection: Connection) {
        guard !watchesDepartures else { return }
        watchesDepartures = true
        var rule = MatchRule(sender: Bus.name, interface: Bus.name, member: "NameOwnerChanged")
        rule.arguments = [2: ""]
        connection.subscribeWithoutWaiting(rule) { [weak self] message in
            guard let (name, _, _) = try? message.decode(as: String.self, String.self, String.self) else { return }
            self?.handleDeparture(of: name)
        }
    }

    private func handleDeparture(of name: String) {
        guard Names.isUniqueName(name) else { return }
        remove(name)?.markDeparted()
        for handler in departureHandlers { handler(name) }
    }

    private func remove(_ name: String) -> Peer? {
        guard let entry = peers[name] else { return nil }
        // An entry whose credentials were requested is removed when the answer arrives.
        if case .known = entry { peers[name] = nil }
        return entry.peer
    }

    private func requestCredentials(of peer: Peer, on connection: Connection) {
        guard let question = try? connection.makeBusCall("GetConnectionCredentials", argument: peer.name) else {
            return dispatchWaitingCalls(of: peer, credentials: nil, on: connection)
        }
        connection.call(question) { [weak self, weak connection] result in
            guard let connection else { return }
            let credentials = (try? result.get()).flatMap(Credentials.init(answer:))
            self?.dispatchWaitingCalls(of: peer, credentials: credentials, on: connection)
        }
    }

    /// Stores the credentials that the bus reported, and dispatches the queued calls in order.
    private func dispatchWaitingCalls(of peer: Peer, credentials: Credentials?, on connection: Connection) {
        guard case .asking(let asked, let waiting)? = peers[peer.name], asked === peer else { return }
        peer.setCredentials(credentials)
        peers[peer.name] = peer.hasDeparted ? nil : .known(peer)
        for message in waiting { connection.dispatch(message, from: peer) }
    }
}

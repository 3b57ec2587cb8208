// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A client of the server, from its connection until its departure.
@DBusActor
final class ServedPeer {
    /// The progress of the client's authentication.
    private enum Admission {
        /// Not authenticated yet. The timer closes the connection if this takes too long.
        case authenticating(LoopTimer)
        case admitted
        /// Authenticated, but too many connections are open. The first call gets this as an error. The timer closes
        /// the connection.
        case refused(LoopTimer)
    }

    let peer: Peer
    private(set) var connection: Connection?
    private var admission: Admission?
    private weak var server: Server?
    /// The decision whether the client is served or refused.
    let decision: ConnectionCounts.Decision
    private(set) var matchRules: [MatchRule] = []
    private(set) var hasCalledHello = false
    /// The approximate bytes of broadcasts that the client has not read. They are at most what is queued for it, so that
    /// a large answer on its way does not count as broadcasts.
    private var unreadBroadcasts = 0
    /// The approximate length of a broadcast's header in bytes.
    private static let headerSize = 256
    private let driver = ObjectTree()

    init(server: Server, name: String, credentials: Credentials, decision: ConnectionCounts.Decision) {
        self.server = server
        self.decision = decision
        peer = Peer(connection: nil, name: name, credentials: credentials)
        driver.add(ExportedObject(BusDriver.interface, of: BusDriver(server: server, client: self)), at: Bus.path)
    }

    var isAdmitted: Bool {
        if case .admitted = admission { true } else { false }
    }

    func start(_ connection: Connection, authenticationTimeout: Duration) {
        self.connection = connection
        connection.setPeer(peer)
        let timer = EventLoop.shared.addTimer(after: authenticationTimeout) { [weak connection] in connection?.close() }
        admission = .authenticating(timer)
        connection.onDisconnect { [weak self] in self?.handleDisconnect() }
    }

    /// Handles the call of `Hello`.
    ///
    /// - Throws: `Failed` when the client has already called it.
    func recordHello() throws(DBusError) {
        guard !hasCalledHello else { throw .failed("the connection has already called Hello") }
        hasCalledHello = true
    }

    private func handleDisconnect() {
        switch admission {
        case .authenticating(let timer), .refused(let timer): timer.cancel()
        case .admitted, nil: break
        }
        admission = nil
        server?.removePeer(self)
        connection = nil
    }
}

// MARK: - Messages

extension ServedPeer: ServedClient {
    /// Called after the connection has read or written something, so authentication may be complete.
    func didProgress(_ connection: Connection) {
        guard case .authenticating(let timer)? = admission, connection.transport.isAuthenticated else { return }
        switch decision {
        case .served:
            timer.cancel()
            admission = .admitted
            server?.didAdmit(self)
        case .refused: admission = .refused(timer)
        }
    }

    /// Passes calls to the name of the bus to the driver, and all other calls to the objects. A `sender` set by the
    /// client is ignored.
    func didReceiveCall(_ message: Message, on connection: Connection) {
        if case .refused(let refusal) = decision {
            return refuse(Call(message: message, connection: connection, peer: peer), refusal)
        }
        guard message.destination == Bus.name || (message.destination == nil && message.interface == Bus.name) else {
            return connection.dispatch(message, from: peer)
        }
        server?.onDriverCall?(peer)
        driver.dispatch(Call(message: message, connection: connection, peer: peer, replySender: Bus.name))
    }

    private func refuse(_ call: Call, _ refusal: Server.Refusal) {
        server?.onRefusal?(peer, refusal)
        call.fail(DBusError.limitsExceeded(refusal.message))
        call.connection.onDrain(below: 0) { [weak connection] in connection?.close() }
    }

    /// Clients that treat the server as a bus need a sender.
    var senderName: String { Server.ownName }

    /// Returns whether a broadcast is sent to the client: it has a match rule for it, and reads what is sent.
    func receives(_ broadcast: Message) -> Bool {
        guard isAdmitted, isSubscribed(to: broadcast), let server, let connection else { return false }
        unreadBroadcasts = min(unreadBroadcasts, connection.outgoingSize)
        guard unreadBroadcasts <= server.configuration.maximumUnreadBroadcasts else {
            server.onDroppedBroadcast?(peer)
            return false
        }
        unreadBroadcasts += broadcast.bodySize + Self.headerSize
        return true
    }

    private func isSubscribed(to message: Message) -> Bool {
        matchRules.contains { rule in
            (rule.sender.map { server?.owner(of: $0) == Server.ownName } ?? true)
                && rule.matchesIgnoringSender(message)
        }
    }
}

// MARK: - Match rules

extension ServedPeer {
    func addMatch(_ rule: MatchRule, limit: Int) throws(DBusError) {
        guard matchRules.count < limit else {
            throw .limitsExceeded("the connection has reached its limit of \(limit) match rules")
        }
        matchRules.append(rule)
    }

    func removeMatch(_ rule: MatchRule) throws(DBusError) {
        guard let index = matchRules.firstIndex(of: rule) else {
            throw DBusError(.matchRuleNotFound, "the connection has no such match rule")
        }
        matchRules.remove(at: index)
    }
}

/// A bus driver for one client of the server, with the methods that client libraries and `busctl --address=` need.
@DBusActor
final class BusDriver {
    private weak var server: Server?
    private weak var client: ServedPeer?

    init(server: Server, client: ServedPeer) {
        self.server = server
        self.client = client
    }

    static let interface = Interface<BusDriver>(
        Bus.name,
        [
            .function("Hello", out: "unique_name") { (driver, call) in
                try driver.client?.recordHello()
                return call.peer.name
            },
            .function("AddMatch", in: ["rule"]) { (driver, _, rule: String) in
                let limit = driver.server?.configuration.maximumMatchRules ?? 0
                try driver.client?.addMatch(try MatchRule(parsing: rule), limit: limit)
            },
            .function("RemoveMatch", in: ["rule"]) { (driver, _, rule: String) in
                try driver.client?.removeMatch(try MatchRule(parsing: rule))
            },
            .function("GetNameOwner", in: ["name"], out: "unique_name") { (driver, _, name: NameArgument) in
                guard let owner = driver.server?.owner(of: name.text) else {
                    throw DBusError(.nameHasNoOwner, "the name \(name.text.quoted) has no owner on this server")
                }
                return owner
            },
            .function("NameHasOwner", in: ["name"], out: "has_owner") { (driver, _, name: NameArgument) in
                driver.server?.owner(of: name.text) != nil
            },
        ])
}

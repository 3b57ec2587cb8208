// SPDX-License-Identifier: Apache-2.0

/// One client of our server, from its connection to its departure.
@DBusActor
final class ServedPeer {
    /// The state of its authentication.
    private enum State {
        /// Not authenticated yet; a timer limits that.
        case authenticating(LoopTimer)
        case admitted
        /// Accepted when there were too many: its first call gets that as an error.
        case refused(LoopTimer)
    }

    let peer: Peer
    private(set) var connection: Connection?
    private var state: State?
    private weak var server: Server?
    /// Whether it is served, or the reason why not.
    let place: ConnectionCounts.Place
    private(set) var matchRules: [MatchRule] = []
    private(set) var hasCalledHello = false
    private let driver = ObjectTree()

    init(server: Server, name: String, credentials: Credentials, place: ConnectionCounts.Place) {
        self.server = server
        self.place = place
        peer = Peer(connection: nil, name: name, credentials: credentials)
        driver.add(ExportedObject(BusDriver.interface, of: BusDriver(server: server, client: self)), at: Bus.path)
    }

    var isAdmitted: Bool {
        if case .admitted = state { true } else { false }
    }

    func start(_ connection: Connection, authenticationTimeout: Duration) {
        self.connection = connection
        connection.serve(peer)
        let timer = EventLoop.shared.addTimer(after: authenticationTimeout) { [weak connection] in connection?.close() }
        state = .authenticating(timer)
        connection.onDisconnect { [weak self] in self?.left() }
    }

    /// Handles Hello of the client.
    ///
    /// - Throws: `Failed` when the client had called it before.
    func greet() throws(DBusError) {
        guard !hasCalledHello else { throw .failed("Hello was called before") }
        hasCalledHello = true
    }

    private func left() {
        switch state {
        case .authenticating(let timer), .refused(let timer): timer.cancel()
        case .admitted, nil: break
        }
        state = nil
        server?.left(self)
        connection = nil
    }
}

// MARK: - Messages

extension ServedPeer: ServedClient {
    /// The connection has read or written something, so it may be authenticated now.
    func didProgress(_ connection: Connection) {
        guard case .authenticating(let timer)? = state, connection.transport.isAuthenticated else { return }
        switch place {
        case .served:
            timer.cancel()
            state = .admitted
            server?.admitted(self)
        case .refused: state = .refused(timer)
        }
    }

    /// Calls to the bus' name go to the driver, all others to the objects. The `sender` that a client sets is ignored.
    func receivedCall(_ message: Message, on connection: Connection) {
        if case .refused(let refusal) = place {
            return refuse(Call(message: message, connection: connection, peer: peer), refusal)
        }
        guard message.destination == Bus.name || (message.destination == nil && message.interface == Bus.name) else {
            return connection.dispatch(message, from: peer)
        }
        driver.dispatch(Call(message: message, connection: connection, peer: peer, replySender: Bus.name))
    }

    private func refuse(_ call: Call, _ refusal: Server.Refusal) {
        server?.onRefusal?(peer, refusal)
        call.fail(DBusError.limitsExceeded(refusal.message))
        call.connection.onDrain(below: 0) { [weak connection] in connection?.close() }
    }

    /// Clients that treat us as a bus need the sender of a message.
    func stamp(_ message: Message) throws(DBusError) {
        if message.sender == nil { try message.setSender(Server.ownName) }
    }

    /// Whether a broadcast is for this client.
    func wants(_ message: Message) -> Bool {
        isAdmitted
            && matchRules.contains { rule in
                (rule.sender.map { server?.owner(of: $0) == Server.ownName } ?? true)
                    && rule.matchesIgnoringSender(message)
            }
    }
}

// MARK: - Match rules

extension ServedPeer {
    func addMatch(_ rule: MatchRule, limit: Int) throws(DBusError) {
        guard matchRules.count < limit else {
            throw .limitsExceeded("the connection has \(limit) match rules already")
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

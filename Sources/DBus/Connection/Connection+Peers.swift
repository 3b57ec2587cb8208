// SPDX-License-Identifier: Apache-2.0

internal import CDBus

extension Connection {
    /// Takes a call in: finds out who sends it, then dispatches it. The calls of one sender keep their order.
    func receivedCall(_ message: Message) {
        switch role {
        case .bus: receivedBusCall(message)
        case .direct: dispatch(message, from: directPeer())
        case .served(let served): served.received(message, on: self)
        }
    }

    private func receivedBusCall(_ message: Message) {
        guard let sender = message.sender else { return }
        switch peers.arrival(of: message, from: sender, on: self) {
        case .dispatch(let peer): dispatch(message, from: peer)
        case .held: break
        case .ask(let peer):
            watchDepartures()
            askCredentials(of: peer)
        }
    }

    private func dispatch(_ message: Message, from peer: Peer) {
        dispatch(Call(message: message, connection: self, peer: peer))
    }

    /// Answers a call, or hands it to the method that will.
    func dispatch(_ call: Call) {
        guard let objects else { return call.fail(DBusError.unknownObject(call.path)) }
        objects.dispatch(call)
    }

    /// The other end of a connection that we have opened ourselves.
    private func directPeer() -> Peer {
        if let peer = peers.direct { return peer }
        let peer = Peer(connection: self, name: "", credentials: transport.peerCredentials)
        peers.direct = peer
        return peer
    }
}

// MARK: - Credentials and departures

extension Connection {
    /// Calls `handler` with the unique name of everyone who leaves the bus.
    ///
    /// One match rule serves all of them, for `Peer.onDeparture` too.
    public func onDeparture(_ handler: @escaping @DBusActor (_ uniqueName: String) -> Void) {
        peers.departureHandlers.append(handler)
        if isBus { watchDepartures() }
    }

    /// Asks once for all departures. The bus handles it before whatever we ask next, so nobody slips through.
    private func watchDepartures() {
        guard !peers.watchesDepartures else { return }
        peers.watchesDepartures = true
        var rule = MatchRule(sender: Bus.name, interface: Bus.name, member: "NameOwnerChanged")
        rule.arguments = [2: ""]
        let subscription = Subscription(rule: rule, onBus: true, connection: self) { [weak self] message in
            guard let (name, _, _) = try? message.decode(as: String.self, String.self, String.self) else { return }
            self?.departed(name)
        }
        subscriptions.add(subscription)
        _ = addMatch(rule.text)
    }

    private func departed(_ name: String) {
        guard Names.isUniqueName(name) else { return }
        peers.remove(name)?.depart()
        for handler in peers.departureHandlers { handler(name) }
    }

    private func askCredentials(of peer: Peer) {
        guard let question = try? busCall("GetConnectionCredentials", peer.name) else { return resolved(peer, nil) }
        call(question) { [weak self] result in
            let reply = try? result.get()
            self?.resolved(peer, (try? reply?.decode(as: [String: DBusValue].self)).flatMap(Credentials.init(options:)))
        }
    }

    private func resolved(_ peer: Peer, _ credentials: Credentials?) {
        for message in peers.resolve(peer, credentials) { dispatch(message, from: peer) }
    }

    /// A call of the bus itself with one text.
    func busCall(_ member: String, _ argument: String) throws(DBusError) -> Message {
        let message = try Message.methodCall(to: Bus.name, path: Bus.path, interface: Bus.name, member: member)
        try message.write(argument)
        return message
    }
}

extension Credentials {
    /// From the answer of `GetConnectionCredentials`; nil when it names no user.
    init?(options: [String: DBusValue]) {
        guard case .uint32(let userID)? = options["UnixUserID"] else { return nil }
        self.userID = userID
        if case .uint32(let processID)? = options["ProcessID"] {
            self.processID = Int32(exactly: processID)
        } else {
            processID = nil
        }
    }
}

extension Transport {
    /// Who is at the other end of the socket, as the kernel knows; nil for another kind of connection.
    var peerCredentials: Credentials? {
        descriptor.flatMap { Credentials(ofPeerOf: $0) }
    }
}

extension Credentials {
    /// Who has opened the connection, as the kernel knows, before it has proved anything.
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

// SPDX-License-Identifier: Apache-2.0

/// The peers of one connection: on a bus all that have called us and are still there.
@DBusActor
final class PeerRegistry {
    /// A peer, and its calls that wait until the bus has answered who it is.
    private enum Entry {
        case asking(Peer, waiting: [Message])
        case known(Peer)

        var peer: Peer {
            switch self {
            case .asking(let peer, _), .known(let peer): peer
            }
        }
    }

    private var entries: [String: Entry] = [:]
    /// The one other end of a direct connection.
    private var direct: Peer?
    private var departureHandlers: [@DBusActor (String) -> Void] = []
    private var watchesDepartures = false

    nonisolated init() {}

    /// A call has come on a bus: it is dispatched when the bus has answered who sends it. The calls of one sender keep their
    /// order.
    ///
    /// - Complexity: O(1)
    func receivedBusCall(_ call: Message, on connection: Connection) {
        guard let name = call.sender else { return }
        switch entries[name] {
        case .known(let peer): connection.dispatch(call, from: peer)
        case .asking(let peer, var waiting):
            waiting.append(call)
            entries[name] = .asking(peer, waiting: waiting)
        case nil:
            let peer = Peer(connection: connection, name: name, credentials: nil)
            entries[name] = .asking(peer, waiting: [call])
            watchDepartures(on: connection)
            askCredentials(of: peer, on: connection)
        }
    }

    /// The other end of a connection that is not a bus, which is made by the first who asks.
    func direct(_ make: () -> Peer) -> Peer {
        let peer = direct ?? make()
        direct = peer
        return peer
    }

    /// Calls `handler` with the unique name of everyone who leaves the bus.
    func onDeparture(on connection: Connection, _ handler: @escaping @DBusActor (_ uniqueName: String) -> Void) {
        departureHandlers.append(handler)
        if connection.isBus { watchDepartures(on: connection) }
    }

    /// Forgets everybody, when the connection has ended.
    func removeAll() -> [Peer] {
        let all = entries.values.map(\.peer) + (direct.map { [$0] } ?? [])
        (entries, direct, departureHandlers, watchesDepartures) = ([:], nil, [], false)
        return all
    }
}

// MARK: - Credentials and departures

extension PeerRegistry {
    /// Asks once for all departures. The bus handles it before whatever we ask next, so nobody slips through.
    private func watchDepartures(on connection: Connection) {
        guard !watchesDepartures else { return }
        watchesDepartures = true
        var rule = MatchRule(sender: Bus.name, interface: Bus.name, member: "NameOwnerChanged")
        rule.arguments = [2: ""]
        connection.subscribeAtOnce(rule) { [weak self] message in
            guard let (name, _, _) = try? message.decode(as: String.self, String.self, String.self) else { return }
            self?.departed(name)
        }
    }

    private func departed(_ name: String) {
        guard Names.isUniqueName(name) else { return }
        remove(name)?.depart()
        for handler in departureHandlers { handler(name) }
    }

    private func remove(_ name: String) -> Peer? {
        guard let entry = entries[name] else { return nil }
        if case .known = entry { entries[name] = nil }  // one that is being asked about is removed with the answer
        return entry.peer
    }

    private func askCredentials(of peer: Peer, on connection: Connection) {
        guard let question = try? connection.busCall("GetConnectionCredentials", peer.name) else {
            return resolve(peer, nil, on: connection)
        }
        connection.call(question) { [weak self, weak connection] result in
            guard let connection else { return }
            let reply = try? result.get()
            let credentials = (try? reply?.decode(as: [String: DBusValue].self)).flatMap(Credentials.init(options:))
            self?.resolve(peer, credentials, on: connection)
        }
    }

    /// The bus has answered: the calls that waited are dispatched in their order.
    private func resolve(_ peer: Peer, _ credentials: Credentials?, on connection: Connection) {
        guard case .asking(let asked, let waiting)? = entries[peer.name], asked === peer else { return }
        peer.identify(as: credentials)
        entries[peer.name] = peer.hasDeparted ? nil : .known(peer)
        for message in waiting { connection.dispatch(message, from: peer) }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The peers of one connection. On a bus, these are all connections that have called this program and have not left.
@DBusActor
final class PeerRegistry {
    /// A peer and its calls, which are queued until the bus has reported the peer's credentials.
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
        switch entries[name] {
        case .known(let peer): connection.dispatch(call, from: peer)
        case .asking(let peer, var waiting):
            waiting.append(call)
            entries[name] = .asking(peer, waiting: waiting)
        case nil:
            let peer = Peer(connection: connection, name: name, credentials: nil)
            entries[name] = .asking(peer, waiting: [call])
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
        let all = entries.values.map(\.peer) + (direct.map { [$0] } ?? [])
        (entries, direct, departureHandlers, watchesDepartures) = ([:], nil, [], false)
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
        guard let entry = entries[name] else { return nil }
        // An entry whose credentials were requested is removed when the answer arrives.
        if case .known = entry { entries[name] = nil }
        return entry.peer
    }

    private func requestCredentials(of peer: Peer, on connection: Connection) {
        guard let question = try? connection.makeBusCall("GetConnectionCredentials", argument: peer.name) else {
            return dispatchWaitingCalls(of: peer, credentials: nil, on: connection)
        }
        connection.call(question) { [weak self, weak connection] result in
            guard let connection else { return }
            let reply = try? result.get()
            let credentials = (try? reply?.decode(as: [String: DBusValue].self)).flatMap(Credentials.init(options:))
            self?.dispatchWaitingCalls(of: peer, credentials: credentials, on: connection)
        }
    }

    /// Stores the credentials that the bus reported, and dispatches the queued calls in order.
    private func dispatchWaitingCalls(of peer: Peer, credentials: Credentials?, on connection: Connection) {
        guard case .asking(let asked, let waiting)? = entries[peer.name], asked === peer else { return }
        peer.setCredentials(credentials)
        entries[peer.name] = peer.hasDeparted ? nil : .known(peer)
        for message in waiting { connection.dispatch(message, from: peer) }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The peers of one connection: on a bus all that have called us and are still there.
@DBusActor
struct PeerRegistry {
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

    /// What to do with a call.
    enum Arrival {
        case dispatch(Peer)
        /// It was put behind the others of its sender.
        case held
        /// It was put aside; the bus has to be asked about this new peer.
        case ask(Peer)
    }

    private var entries: [String: Entry] = [:]
    /// The one other end of a direct connection.
    var direct: Peer?
    var departureHandlers: [@DBusActor (String) -> Void] = []
    var watchesDepartures = false

    nonisolated init() {}

    /// - Complexity: O(1)
    mutating func arrival(of call: Message, from name: String, on connection: Connection) -> Arrival {
        switch entries[name] {
        case .known(let peer): return .dispatch(peer)
        case .asking(let peer, var waiting):
            waiting.append(call)
            entries[name] = .asking(peer, waiting: waiting)
            return .held
        case nil:
            let peer = Peer(connection: connection, name: name, credentials: nil)
            entries[name] = .asking(peer, waiting: [call])
            return .ask(peer)
        }
    }

    /// The bus has answered: the calls that waited, in their order.
    mutating func resolve(_ peer: Peer, _ credentials: Credentials?) -> [Message] {
        guard case .asking(let asked, let waiting)? = entries[peer.name], asked === peer else { return [] }
        peer.credentials = credentials
        entries[peer.name] = peer.hasDeparted ? nil : .known(peer)
        return waiting
    }

    /// A unique name has left the bus.
    mutating func remove(_ name: String) -> Peer? {
        guard let entry = entries[name] else { return nil }
        if case .known = entry { entries[name] = nil }  // one that is being asked about is removed with the answer
        return entry.peer
    }

    mutating func removeAll() -> [Peer] {
        let all = entries.values.map(\.peer) + (direct.map { [$0] } ?? [])
        self = PeerRegistry()
        return all
    }
}

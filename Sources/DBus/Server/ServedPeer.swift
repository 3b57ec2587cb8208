/// The other end of a connection to our own server.
@DBusActor
final class ServedPeer {
    let peer: Peer

    init(peer: Peer) {
        self.peer = peer
    }

    func stamp(_ message: Message) throws(DBusError) {}
    func progress(_ connection: Connection) {}
    func received(_ message: Message, on connection: Connection) { connection.dispatch(message, from: peer) }
    func wants(_ message: Message) -> Bool { true }
}

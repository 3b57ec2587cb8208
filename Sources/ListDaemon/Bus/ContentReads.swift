internal import DBus

/// The calls that are answered with contents of lists, each perhaps with a megabyte or more.
///
/// A client may send hundreds of them before it reads the first answer, so their answers must not be made as fast as
/// they are asked for: at most ``underWayAtOnce`` of one peer are under way, and none begins while much waits to be sent
/// on its connection. The others wait in their order, as calls; they count as in flight.
@DBusActor
final class ContentReads {
    /// Begins a read; what it is given is called once, when the call has its answer.
    typealias Read = @DBusActor (_ finished: @escaping @DBusActor () -> Void) -> Void

    /// How many reads of one peer are under way together: the list is asked while the bus takes an answer.
    static let underWayAtOnce = 2

    /// The reads of one peer.
    private final class Line {
        let peer: Peer
        var underWay = 0
        var waiting: [Read] = []
        var awaitsRoom = false

        init(_ peer: Peer) { self.peer = peer }
    }

    private var lines: [ObjectIdentifier: Line] = [:]
    private let onWait: @DBusActor () -> Void

    /// - Parameter onWait: called for each read that has to wait.
    nonisolated init(onWait: @escaping @DBusActor () -> Void) {
        self.onWait = onWait
    }

    /// Begins a read now, or when those before it are answered and the peer has taken in what was sent.
    func perform(for peer: Peer, _ read: @escaping Read) {
        let line = lines[ObjectIdentifier(peer)] ?? Line(peer)
        lines[ObjectIdentifier(peer)] = line
        line.waiting.append(read)
        proceed(line)
        if !line.waiting.isEmpty { onWait() }
    }

    /// Forgets a peer that has left.
    func forget(_ peer: Peer) { lines[ObjectIdentifier(peer)] = nil }

    private func proceed(_ line: Line) {
        while line.underWay < Self.underWayAtOnce, !line.waiting.isEmpty, hasRoom(line) {
            line.underWay += 1
            let read = line.waiting.removeFirst()
            read { [weak self] in
                line.underWay -= 1
                self?.proceed(line)
            }
        }
        if line.underWay == 0, line.waiting.isEmpty, lines[ObjectIdentifier(line.peer)] === line { forget(line.peer) }
    }

    private func hasRoom(_ line: Line) -> Bool {
        guard !line.awaitsRoom, let connection = line.peer.connection else { return false }
        let limit = connection.isBus ? Transports.heldAbove : DirectClients.behindAbove
        guard connection.outgoingSize > limit else { return true }
        line.awaitsRoom = true
        connection.onDrain(below: limit / 2) { [weak self] in
            line.awaitsRoom = false
            self?.proceed(line)
        }
        return false
    }
}

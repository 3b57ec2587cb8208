internal import DBus

/// The large answers that are made and not sent yet: users take turns by bytes.
///
/// An answer is written on another thread, when its connection has taken what was sent before: so that little waits in front
/// of an answer to somebody else on the bus, and what one client does not read takes no memory.
@DBusActor
final class AnswerTurns {
    /// The bytes of a turn.
    private static let quantum = 64 << 10
    /// How many answers are written together for one connection of listd's: one while the other one is sent.
    private static let underWayAtOnce = 2
    /// While more than this waits to be sent on the bus, no answer is written for it: somebody else's waits behind that.
    private static let mostWaitingOnBus = 512 << 10

    /// An answer, and what to call when it is sent.
    private struct Waiting: Sendable {
        let call: Call
        let write: @Sendable (inout MessageWriter) throws(DBusError) -> Void
        let finished: @DBusActor @Sendable () -> Void
    }

    /// A connection of listd's, on a bus with many clients behind it, and what is written for it.
    private final class Way {
        weak var connection: Connection?
        var underWay = 0
        var awaitsDrain = false
        /// Called when it has sent most of what waited.
        var onDrain: [@DBusActor () -> Void] = []
        /// What was sent and is on the accounts until the other end has taken it.
        var sent: [(user: UInt32, bytes: Int)] = []
        var queue: FairQueue<ObjectIdentifier, Waiting>

        init(_ connection: Connection, quantum: Int) {
            self.connection = connection
            queue = FairQueue(quantum: quantum)
        }
    }

    private var ways: [ObjectIdentifier: Way] = [:]
    private let admission: Admission
    private let coding: WorkTurns
    /// How many answers of each user are written.
    private var underWay: [UInt32: Int] = [:]
    /// Users whose accounts have no room for their next answers.
    private var withoutRoom: Set<UInt32> = []

    init(admission: Admission, coding: WorkTurns) {
        self.admission = admission
        self.coding = coding
        admission.onRoom { [weak self] in self?.hasRoom() }
    }

    /// Answers a call with what `write` writes, about so many bytes, when its turn has come.
    func answer(
        _ call: Call, size: Int, _ write: @escaping @Sendable (inout MessageWriter) throws(DBusError) -> Void,
        finished: @escaping @DBusActor @Sendable () -> Void
    ) {
        guard call.connection.isConnected, !call.peer.hasDeparted else {
            call.abandon()
            return finished()
        }
        let way = way(of: call.connection)
        way.queue.append(
            Waiting(call: call, write: write, finished: finished), size: size, user: call.peer.account,
            connection: ObjectIdentifier(call.peer))
        proceed(way)
    }

    /// Forgets what waits for a peer that has left.
    func forget(_ peer: Peer) {
        for way in ways.values {
            for waiting in way.queue.removeAll(for: ObjectIdentifier(peer), of: peer.account) {
                waiting.call.abandon()
                waiting.finished()
            }
        }
    }

    private func way(of connection: Connection) -> Way {
        if let way = ways[ObjectIdentifier(connection)] { return way }
        let way = Way(connection, quantum: Self.quantum)
        ways[ObjectIdentifier(connection)] = way
        for user in withoutRoom { way.queue.hold(user) }
        connection.onDisconnect { [weak self] in self?.end(way, ObjectIdentifier(connection)) }
        return way
    }

    private func end(_ way: Way, _ key: ObjectIdentifier) {
        ways[key] = nil
        taken(way)
        let handlers = way.onDrain
        way.onDrain = []
        for handler in handlers { handler() }
        while let piece = way.queue.popFirst() {
            piece.element.call.abandon()
            piece.element.finished()
        }
        for user in withoutRoom {
            way.queue.release(user)
            while let piece = way.queue.popFirst() {
                piece.element.call.abandon()
                piece.element.finished()
            }
        }
    }

    private func proceed(_ way: Way) {
        while way.underWay < Self.underWayAtOnce, isDrained(way), let piece = way.queue.first() {
            guard reserve(piece.size, for: piece.user) else {
                withoutRoom.insert(piece.user)
                for way in ways.values { way.queue.hold(piece.user) }
                continue
            }
            _ = way.queue.popFirst()
            begin(piece, on: way)
        }
    }

    /// A user may always have one answer, however large it is.
    private func reserve(_ size: Int, for user: UInt32) -> Bool {
        if admission.reserve(size, for: user) { return true }
        guard underWay[user] == nil else { return false }
        admission.adopt(size, for: user)
        return true
    }

    private func begin(_ piece: FairQueue<ObjectIdentifier, Waiting>.Piece, on way: Way) {
        let (waiting, size, user) = (piece.element, piece.size, piece.user)
        way.underWay += 1
        underWay[user, default: 0] += 1
        let finish: @DBusActor @Sendable (Int) -> Void = { [weak self] bytes in
            guard let self else { return }
            way.underWay -= 1
            underWay[user] = underWay[user].flatMap { $0 > 1 ? $0 - 1 : nil }
            way.queue.correct(piece, by: bytes - size)
            noteSent(bytes, reserved: size, for: user, on: way)
            if way.connection?.isConnected == true, !isDrained(way) {
                way.onDrain.append(waiting.finished)
            } else {
                waiting.finished()
            }
            proceed(way)
        }
        do throws(DBusError) {
            let answer = try waiting.call.prepareAnswer(waiting.write)
            coding.perform(for: waiting.call.peer, size: size) {
                answer.write()
            } finish: {
                if waiting.call.peer.hasDeparted { waiting.call.abandon() }
                finish(answer.send())
            }
        } catch {
            waiting.call.fail(error)
            finish(0)
        }
    }
}

// MARK: - What is sent

extension AnswerTurns {
    /// False while much waits to be sent; goes on when it is less.
    private func isDrained(_ way: Way) -> Bool {
        guard !way.awaitsDrain, let connection = way.connection else { return false }
        let limit = connection.isBus ? Self.mostWaitingOnBus : DirectClients.behindAbove
        guard connection.outgoingSize > limit else { return true }
        way.awaitsDrain = true
        connection.onDrain(below: limit / 2) { [weak self] in
            way.awaitsDrain = false
            self?.drained(way)
        }
        return false
    }

    private func drained(_ way: Way) {
        let handlers = way.onDrain
        way.onDrain = []
        for handler in handlers { handler() }
        proceed(way)
    }

    /// Keeps an answer on the account until all is taken that was sent on its connection.
    private func noteSent(_ bytes: Int, reserved: Int, for user: UInt32, on way: Way) {
        guard let connection = way.connection, connection.isConnected, bytes > 0 else {
            return admission.release(reserved, of: user)
        }
        if way.sent.isEmpty {
            connection.onDrain(below: Self.mostWaitingOnBus / 8) { [weak self] in self?.taken(way) }
        }
        way.sent.append((user, reserved))
    }

    private func taken(_ way: Way) {
        let sent = way.sent
        way.sent = []
        for (user, bytes) in sent { admission.release(bytes, of: user) }
    }

    /// Lets users go on whose accounts may have room again.
    private func hasRoom() {
        guard !withoutRoom.isEmpty else { return }
        let users = withoutRoom
        withoutRoom = []
        for way in Array(ways.values) {
            for user in users { way.queue.release(user) }
            proceed(way)
        }
    }
}

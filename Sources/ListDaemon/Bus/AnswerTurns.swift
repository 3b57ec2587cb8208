// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The large messages for single clients, answers and pictures, that are made and not sent yet: users take turns by bytes.
///
/// A message is written on another thread, once its connection has sent the earlier ones: so little is queued before an
/// answer to another client of the bus, and answers that one client does not read take no memory. Messages for one
/// client are sent in the order in which they came here.
@DBusActor
final class AnswerTurns {
    /// The bytes of a turn.
    private static let quantum = 64 << 10
    /// How many messages are written together for one connection of listd's: one while the other one is sent.
    private static let underWayAtOnce = 2
    /// While more than this is queued for the bus, no message is written for it, as it would delay those of others.
    private static let mostWaitingOnBus = 512 << 10

    /// How often a message is written again on another thread because its content changed; then it is written on the
    /// event loop's.
    private static let mostAttempts = 3

    private typealias Piece = FairQueue<ObjectIdentifier, LargeMessage>.Piece

    /// A connection of listd's, on a bus with many clients behind it, and what is written for it.
    private final class Way {
        fileprivate weak var connection: Connection?
        fileprivate var underWay = 0
        fileprivate var awaitsDrain = false
        /// Called when it has sent most of what waited.
        fileprivate var onDrain: [@DBusActor () -> Void] = []
        /// Sent messages that stay on the accounts until the other end has received them.
        fileprivate var sent: [(user: UInt32, bytes: Int)] = []
        fileprivate var queue: FairQueue<ObjectIdentifier, LargeMessage>

        init(_ connection: Connection, quantum: Int) {
            self.connection = connection
            queue = FairQueue(quantum: quantum)
        }
    }

    private var ways: [ObjectIdentifier: Way] = [:]
    private let admission: Admission
    private let coding: WorkTurns
    /// How many messages are written for each user.
    private var underWay: [UInt32: Int] = [:]
    /// Users whose accounts have no room for their next messages.
    private var withoutRoom: Set<UInt32> = []
    /// Called when nothing waits any more.
    private var onEmpty: [@DBusActor () -> Void] = []

    init(admission: Admission, coding: WorkTurns) {
        self.admission = admission
        self.coding = coding
        admission.onRoom { [weak self] in self?.hasRoom() }
    }

    /// Has a message of about so many bytes written and sent when its turn has come.
    func send(_ message: LargeMessage, size: Int) {
        guard let connection = message.receiver.connection, connection.isConnected, !message.receiver.hasDeparted else {
            return message.giveUp()
        }
        let way = way(of: connection)
        way.queue.append(
            message, size: size, user: message.receiver.account, connection: ObjectIdentifier(message.receiver))
        proceed(way)
    }

    /// Calls `handler` once nothing waits to be written.
    func whenEmpty(_ handler: @escaping @DBusActor () -> Void) {
        if isEmpty { handler() } else { onEmpty.append(handler) }
    }

    private var isEmpty: Bool { ways.values.allSatisfy { $0.underWay == 0 && $0.queue.count == 0 } }

    /// Forgets what waits for a peer that has left.
    func forget(_ peer: Peer) {
        for way in ways.values {
            for message in way.queue.removeAll(for: ObjectIdentifier(peer), of: peer.account) { message.giveUp() }
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
        for user in withoutRoom { way.queue.release(user) }
        while let piece = way.queue.popFirst() { piece.element.giveUp() }
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

    /// A user may always have one message, however large it is.
    private func reserve(_ size: Int, for user: UInt32) -> Bool {
        if admission.reserve(size, for: user) { return true }
        guard underWay[user] == nil else { return false }
        admission.adopt(size, for: user)
        return true
    }

    private func begin(_ piece: Piece, on way: Way) {
        way.underWay += 1
        underWay[piece.user, default: 0] += 1
        write(piece, on: way, attempt: 1)
    }

    /// Writes a message again until its content is still current when it is sent.
    private func write(_ piece: Piece, on way: Way, attempt: Int) {
        let message = piece.element
        let stamp = message.stamp()
        do throws(DBusError) {
            let prepared = try message.prepare()
            guard attempt <= Self.mostAttempts else {
                prepared.write()
                return finish(piece, message.send(.success(prepared)), on: way)
            }
            coding.perform(for: message.receiver, size: piece.size) {
                prepared.write()
            } finish: { [weak self] in
                guard message.receiver.hasDeparted || message.stamp() == stamp else {
                    self?.write(piece, on: way, attempt: attempt + 1)
                    return
                }
                let bytes = message.send(.success(prepared))
                self?.finish(piece, bytes, on: way)
            }
        } catch {
            finish(piece, message.send(.failure(error)), on: way)
        }
    }

    private func finish(_ piece: Piece, _ bytes: Int, on way: Way) {
        let (size, user) = (piece.size, piece.user)
        way.underWay -= 1
        underWay[user] = underWay[user].flatMap { $0 > 1 ? $0 - 1 : nil }
        way.queue.correct(piece, by: bytes - size)
        noteSent(bytes, reserved: size, for: user, on: way)
        if way.connection?.isConnected == true, !isDrained(way) {
            way.onDrain.append(piece.element.finished)
        } else {
            piece.element.finished()
        }
        proceed(way)
        guard !onEmpty.isEmpty, isEmpty else { return }
        let handlers = onEmpty
        onEmpty = []
        for handler in handlers { handler() }
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

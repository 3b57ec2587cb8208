// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The queue of large messages for single clients (answers and pictures) that are not sent yet. Users take turns.
///
/// A message is encoded on another thread, after its connection has sent the earlier ones. So only little is queued
/// before an answer to another client of the bus, and answers that a client does not read take no memory. Messages
/// for one client are sent in the order of their arrival here.
@DBusActor
final class AnswerTurns {
    /// The maximum number of messages that are encoded at the same time for one connection: the next one while one is
    /// sent.
    private static let underWayAtOnce = 2
    /// The number of bytes queued for the bus above which no message is encoded for it, because more would delay
    /// other messages.
    private static let mostWaitingOnBus = 512 << 10

    /// The number of times that a message is encoded on another thread, if its content keeps changing. After that, it
    /// is encoded on the event loop's thread.
    private static let mostAttempts = 3

    private typealias Piece = UserTurns<LargeMessage>.Piece

    /// A connection of listd, which may be a bus with many clients, and the messages that are queued for it.
    private final class OutgoingQueue {
        fileprivate weak var connection: Connection?
        fileprivate var underWay = 0
        fileprivate var awaitsDrain = false
        /// The handlers to call when the connection has sent most of its queue.
        fileprivate var onDrain: [@DBusActor () -> Void] = []
        /// The sent messages that stay on their users' accounts until the receivers have read them.
        fileprivate var sent: [(user: UInt32, bytes: Int)] = []
        fileprivate var queue = UserTurns<LargeMessage>()

        init(_ connection: Connection) { self.connection = connection }
    }

    private var queues: [ObjectIdentifier: OutgoingQueue] = [:]
    private let accounts: CallQueue
    private let coding: WorkTurns
    /// The number of messages that are being encoded for each user.
    private var underWay: [UInt32: Int] = [:]
    /// The users whose accounts have no room for their next messages.
    private var withoutRoom: Set<UInt32> = []
    /// The handlers to call when no message is queued any more.
    private var onEmpty: [@DBusActor () -> Void] = []

    init(accounts: CallQueue, coding: WorkTurns) {
        self.accounts = accounts
        self.coding = coding
        accounts.onBytesReleased { [weak self] in self?.resumeUsers() }
    }

    /// Queues a message, which is encoded and sent in its turn.
    func send(_ message: LargeMessage) {
        guard let connection = message.receiver.connection, connection.isConnected, !message.receiver.hasDeparted else {
            return message.discard()
        }
        let outgoing = outgoingQueue(of: connection)
        outgoing.queue.append(
            message, user: message.receiver.account, connection: ObjectIdentifier(message.receiver))
        proceed(outgoing)
    }

    /// Calls `handler` once no message is queued any more.
    func whenEmpty(_ handler: @escaping @DBusActor () -> Void) {
        if isEmpty { handler() } else { onEmpty.append(handler) }
    }

    private var isEmpty: Bool { queues.values.allSatisfy { $0.underWay == 0 && $0.queue.count == 0 } }

    /// Drops the messages for a peer that has left.
    func removeMessages(for peer: Peer) {
        for outgoing in queues.values {
            for message in outgoing.queue.removeAll(for: ObjectIdentifier(peer), of: peer.account) { message.discard() }
        }
    }

    private func outgoingQueue(of connection: Connection) -> OutgoingQueue {
        if let outgoing = queues[ObjectIdentifier(connection)] { return outgoing }
        let outgoing = OutgoingQueue(connection)
        queues[ObjectIdentifier(connection)] = outgoing
        for user in withoutRoom { outgoing.queue.hold(user) }
        connection.onDisconnect { [weak self] in self?.remove(outgoing, of: ObjectIdentifier(connection)) }
        return outgoing
    }

    private func remove(_ outgoing: OutgoingQueue, of key: ObjectIdentifier) {
        queues[key] = nil
        releaseSent(of: outgoing)
        let handlers = outgoing.onDrain
        outgoing.onDrain = []
        for handler in handlers { handler() }
        for user in withoutRoom { outgoing.queue.release(user) }
        while let piece = outgoing.queue.popFirst() { piece.element.discard() }
    }

    /// Starts encoding queued messages, as many as the limits allow.
    private func proceed(_ outgoing: OutgoingQueue) {
        while outgoing.underWay < Self.underWayAtOnce, isDrained(outgoing), let piece = outgoing.queue.first {
            guard reserve(piece.element.size, for: piece.user) else {
                withoutRoom.insert(piece.user)
                for outgoing in queues.values { outgoing.queue.hold(piece.user) }
                continue
            }
            _ = outgoing.queue.popFirst()
            begin(piece, on: outgoing)
        }
    }

    /// Reserves bytes for a message; returns `false` if there is no room for them now. Each user may always have one
    /// message, however large it is.
    private func reserve(_ size: Int, for user: UInt32) -> Bool {
        if accounts.reserve(size, for: user) { return true }
        guard underWay[user] == nil else { return false }
        accounts.reserveUnchecked(size, for: user)
        return true
    }

    private func begin(_ piece: Piece, on outgoing: OutgoingQueue) {
        outgoing.underWay += 1
        underWay[piece.user, default: 0] += 1
        write(piece, on: outgoing, attempt: 1)
    }

    /// Encodes a message, and repeats that until its content is still current when it is sent.
    private func write(_ piece: Piece, on outgoing: OutgoingQueue, attempt: Int) {
        let message = piece.element
        guard !message.isOver else { return finish(piece, sentBytes: 0, on: outgoing) }
        let stamp = message.stamp()
        do throws(DBusError) {
            let make = try message.read()
            guard attempt <= Self.mostAttempts else {
                let outcome = Result { () throws(DBusError) in try make() }
                return finish(piece, sentBytes: message.send(outcome), on: outgoing)
            }
            coding.perform(for: message.receiver) {
                Result { () throws(DBusError) in try make().encoded() }
            } finish: { [weak self] outcome in
                guard message.isOver || message.receiver.hasDeparted || message.stamp() == stamp else {
                    self?.write(piece, on: outgoing, attempt: attempt + 1)
                    return
                }
                let bytes = message.send(outcome)
                self?.finish(piece, sentBytes: bytes, on: outgoing)
            }
        } catch {
            finish(piece, sentBytes: message.send(.failure(error)), on: outgoing)
        }
    }

    private func finish(_ piece: Piece, sentBytes bytes: Int, on outgoing: OutgoingQueue) {
        let (size, user) = (piece.element.size, piece.user)
        outgoing.underWay -= 1
        underWay[user] = underWay[user].flatMap { $0 > 1 ? $0 - 1 : nil }
        recordSent(bytes, reserved: size, for: user, on: outgoing)
        if outgoing.connection?.isConnected == true, !isDrained(outgoing) {
            outgoing.onDrain.append(piece.element.finished)
        } else {
            piece.element.finished()
        }
        proceed(outgoing)
        guard !onEmpty.isEmpty, isEmpty else { return }
        let handlers = onEmpty
        onEmpty = []
        for handler in handlers { handler() }
    }
}

// MARK: - Sending

extension AnswerTurns {
    /// Returns whether the connection's queue is short enough for another message. If it is not, sending continues as
    /// soon as it is.
    private func isDrained(_ outgoing: OutgoingQueue) -> Bool {
        guard !outgoing.awaitsDrain, let connection = outgoing.connection else { return false }
        let limit = connection.isBus ? Self.mostWaitingOnBus : DirectClients.behindAbove
        guard connection.outgoingSize > limit else { return true }
        outgoing.awaitsDrain = true
        connection.onDrain(below: limit / 2) { [weak self] in
            outgoing.awaitsDrain = false
            self?.handleDrain(of: outgoing)
        }
        return false
    }

    /// Calls the waiting handlers, and continues with the queue, after the connection has sent enough.
    private func handleDrain(of outgoing: OutgoingQueue) {
        let handlers = outgoing.onDrain
        outgoing.onDrain = []
        for handler in handlers { handler() }
        proceed(outgoing)
    }

    /// Keeps the bytes of a sent message reserved until the connection's queue is almost empty.
    private func recordSent(_ bytes: Int, reserved: Int, for user: UInt32, on outgoing: OutgoingQueue) {
        guard let connection = outgoing.connection, connection.isConnected, bytes > 0 else {
            return accounts.release(reserved, of: user)
        }
        if outgoing.sent.isEmpty {
            connection.onDrain(below: Self.mostWaitingOnBus / 8) { [weak self] in self?.releaseSent(of: outgoing) }
        }
        outgoing.sent.append((user, reserved))
    }

    /// Releases the bytes of the sent messages from their users' accounts.
    private func releaseSent(of outgoing: OutgoingQueue) {
        let sent = outgoing.sent
        outgoing.sent = []
        for (user, bytes) in sent { accounts.release(bytes, of: user) }
    }

    /// Resumes the turns of users whose accounts may have room again.
    private func resumeUsers() {
        guard !withoutRoom.isEmpty else { return }
        let users = withoutRoom
        withoutRoom = []
        for outgoing in Array(queues.values) {
            for user in users { outgoing.queue.release(user) }
            proceed(outgoing)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListWorkers

/// The messages to single clients that cannot be sent at once: large answers and pictures, and what must follow them.
///
/// A large message waits until its user has the turn on its connection, the connection has sent most of the earlier
/// messages, and the user's account has room. Only then is it encoded, on another thread. So answers that a client
/// does not read take no memory, and little is queued before an answer to another client of the bus.
@DBusActor
final class Outbox {
    /// Encodes the contents of a message.
    typealias Body = @Sendable (inout MessageWriter) throws(DBusError) -> Void
    /// Makes a message from contents that were read, on any thread.
    typealias Maker = @Sendable () throws(DBusError) -> Message

    /// The maximum bytes of a message that is encoded on the event loop's thread, and sent at once.
    static let largestAtOnce = 16 << 10
    /// The maximum number of messages that are encoded at the same time for one connection: the next one while one is
    /// sent.
    private static let encodedAtOnce = 2
    /// The number of queued bytes from which on a connection counts as having sent its messages.
    private static let littleQueued = 64 << 10
    /// The number of times that a message is encoded on another thread, if its contents keep changing. After that, it
    /// is encoded on the event loop's thread.
    private static let mostEncodings = 3

    /// A large message, which is encoded and sent in its turn.
    @DBusActor
    private final class LargeMessage {
        let peer: Peer
        /// The approximate length in bytes.
        let size: Int
        /// Returns a number that grows whenever the contents change.
        let stamp: @DBusActor () -> UInt64
        /// Reads the contents.
        let read: @DBusActor () throws(DBusError) -> Maker
        /// Sends the message, or handles the error because of which there is none; nil = its receiver has left.
        private var deliver: (@DBusActor (Result<Message, DBusError>?) -> Void)?

        init(
            to peer: Peer, size: Int, stamp: @escaping @DBusActor () -> UInt64,
            _ read: @escaping @DBusActor () throws(DBusError) -> Maker,
            deliver: @escaping @DBusActor (Result<Message, DBusError>?) -> Void
        ) {
            (self.peer, self.size, self.stamp, self.read, self.deliver) = (peer, size, stamp, read, deliver)
        }

        /// Whether the message was sent or dropped.
        var isOver: Bool { deliver == nil }

        /// Returns the closure that sends the message, once.
        func takeDelivery() -> (@DBusActor (Result<Message, DBusError>?) -> Void)? {
            defer { deliver = nil }
            return deliver
        }
    }

    /// The messages to one peer that are sent in order.
    private final class Line {
        /// The large message for which the others wait.
        fileprivate var first: LargeMessage?
        /// The other messages, as closures that send them or put a large one first.
        fileprivate var later = WorkQueue<(isAnswer: Bool, send: @DBusActor () -> Void)>()
        /// The number of answers among them.
        fileprivate var answers = 0
    }

    /// A connection of listd, which may be a bus with many clients, and the large messages that wait for it.
    private final class Exit {
        fileprivate weak var connection: Connection?
        fileprivate var waiting = UserTurns<LargeMessage>()
        /// The number of messages that are being encoded.
        fileprivate var underWay = 0
        fileprivate var awaitsDrain = false
        /// The bytes of sent messages that stay on their users' accounts until the receivers have read them.
        fileprivate var sent: [(user: UInt32, bytes: Int)] = []

        init(_ connection: Connection) { self.connection = connection }
    }

    private var lines: [ObjectIdentifier: Line] = [:]
    private var exits: [ObjectIdentifier: Exit] = [:]
    private let accounts: CallQueue
    private let jobs: Jobs
    /// The number of messages that are being encoded for each user.
    private var underWay: [UInt32: Int] = [:]
    /// The users whose accounts have no room for their next messages.
    private var withoutRoom: Set<UInt32> = []
    /// Called when no large message waits any more.
    private var emptyHandler: (@DBusActor () -> Void)?

    init(accounts: CallQueue, jobs: Jobs) {
        (self.accounts, self.jobs) = (accounts, jobs)
        accounts.onBytesReleased { [weak self] in self?.resumeUsers() }
    }

    /// Answers a call with about `size` bytes, at once or in its turn.
    ///
    /// - Parameters:
    ///   - isInOrder: whether later signals and answers to the caller follow the answer.
    ///   - stamp: returns a number that grows whenever the caller may receive signals of changed contents before the
    ///     answer. The contents are then read again, so that the answer is not older than the signals.
    ///   - read: reads the contents; the returned closure encodes them.
    func answer(
        _ call: Call, size: Int, isInOrder: Bool = false, stamp: @escaping @DBusActor () -> UInt64 = { 0 },
        _ read: @escaping @DBusActor () throws(DBusError) -> Body
    ) {
        guard size > Self.largestAtOnce else {
            do throws(DBusError) { call.replyWriting(try read()) } catch { call.fail(error) }
            return
        }
        let begin = { @DBusActor [self] in
            let message = LargeMessage(to: call.peer, size: size, stamp: stamp) { () throws(DBusError) in
                try call.makingAnswer(try read())
            } deliver: { outcome in
                switch outcome {
                case .success(let message): call.reply(with: message)
                case .failure(let error): call.fail(error)
                case nil: call.abandon()
                }
            }
            if isInOrder { hold(message) }
            append(message)
        }
        if isInOrder { sendInOrder(to: call.peer, isAnswer: true, begin) } else { begin() }
    }

    /// Sends a signal to one client, after all earlier messages in order and before all later ones.
    ///
    /// - Parameters:
    ///   - size: returns the approximate bytes when the earlier messages are sent.
    ///   - stamp: returns a number that grows whenever the contents change; they are then encoded again.
    ///   - read: reads the contents when the signal's turn has come.
    ///   - send: sends the message, or handles the error because of which there is none; not called if the client has
    ///     left.
    func send(
        to peer: Peer, size: @escaping @DBusActor () -> Int = { 0 }, stamp: @escaping @DBusActor () -> UInt64 = { 0 },
        _ read: @escaping @DBusActor () throws(DBusError) -> Maker,
        send: @escaping @DBusActor (Result<Message, DBusError>) -> Void
    ) {
        sendInOrder(to: peer, isAnswer: false) { [self] in
            guard !peer.hasDeparted else { return }
            let size = size()
            guard size > Self.largestAtOnce else { return send(Result { () throws(DBusError) in try read()() }) }
            let message = LargeMessage(to: peer, size: size, stamp: stamp, read) { outcome in
                if let outcome { send(outcome) }
            }
            hold(message)
            append(message)
        }
    }

    /// Drops the messages to a peer that has left.
    func drop(_ peer: Peer) {
        for exit in exits.values {
            for message in exit.waiting.removeAll(for: ObjectIdentifier(peer), of: peer.account) {
                deliver(message, nil)
            }
        }
    }

    /// Waits until all large messages are sent, but at most 500 ms for clients that do not read.
    func drain() async {
        guard !isEmpty else { return }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let finish = { @DBusActor [self] in
                if emptyHandler != nil { continuation.resume() }
                emptyHandler = nil
            }
            emptyHandler = finish
            EventLoop.shared.addTimer(after: .milliseconds(500), finish)
        }
    }

    private var isEmpty: Bool { exits.values.allSatisfy { $0.underWay == 0 && $0.waiting.count == 0 } }
}

// MARK: - The order of one peer's messages

extension Outbox {
    /// Whether messages to a peer wait for an earlier one.
    func isWaiting(for peer: Peer) -> Bool { lines[ObjectIdentifier(peer)] != nil }

    /// Whether an answer to a peer waits for an earlier message.
    func hasAnswer(for peer: Peer) -> Bool { lines[ObjectIdentifier(peer)].map { $0.answers > 0 } ?? false }

    /// Sends all messages to a peer that are in order at once, without waiting for turns and room.
    func flush(_ peer: Peer) {
        while !peer.hasDeparted, let message = lines[ObjectIdentifier(peer)]?.first {
            deliver(message, Result { () throws(DBusError) in try message.read()() })
        }
    }

    /// Runs `send` now, or after the messages that wait.
    private func sendInOrder(to peer: Peer, isAnswer: Bool, _ send: @escaping @DBusActor () -> Void) {
        guard let line = lines[ObjectIdentifier(peer)] else { return send() }
        line.later.append((isAnswer, send))
        if isAnswer { line.answers += 1 }
    }

    /// Lets later messages to the receiver wait for a large one.
    private func hold(_ message: LargeMessage) {
        let peer = message.peer
        let line = lines[ObjectIdentifier(peer)] ?? Line()
        line.first = message
        lines[ObjectIdentifier(peer)] = line
        peer.holdAnswers { [weak self] send in
            if let self { sendInOrder(to: peer, isAnswer: true, send) } else { send() }
        }
    }

    /// Sends a message, handles its error, or drops it if its receiver has left, once; and then what waits for it.
    ///
    /// - Returns: the number of bytes that were sent.
    @discardableResult
    private func deliver(_ message: LargeMessage, _ outcome: Result<Message, DBusError>?) -> Int {
        guard let deliver = message.takeDelivery() else { return 0 }
        let (peer, outcome) = (message.peer, message.peer.hasDeparted ? nil : outcome)
        let line = lines[ObjectIdentifier(peer)].flatMap { $0.first === message ? $0 : nil }
        if line != nil { peer.holdAnswers(nil) }  // the message itself may be an answer
        deliver(outcome)
        if let line { sendWaiting(line, to: peer) }
        return (try? outcome?.get().bodySize) ?? 0
    }

    /// Sends the messages that waited for the first one, up to the next large one.
    private func sendWaiting(_ line: Line, to peer: Peer) {
        line.first = nil
        while line.first == nil, let next = line.later.popFirst() {
            if next.isAnswer { line.answers -= 1 }
            next.send()
        }
        if line.first == nil, lines[ObjectIdentifier(peer)] === line { lines[ObjectIdentifier(peer)] = nil }
    }
}

// MARK: - Turns

extension Outbox {
    private func append(_ message: LargeMessage) {
        guard let connection = message.peer.connection, connection.isConnected, !message.peer.hasDeparted else {
            deliver(message, nil)
            return
        }
        let exit = exit(of: connection)
        exit.waiting.append(message, user: message.peer.account, connection: ObjectIdentifier(message.peer))
        proceed(exit)
    }

    private func exit(of connection: Connection) -> Exit {
        let key = ObjectIdentifier(connection)
        if let exit = exits[key] { return exit }
        let exit = Exit(connection)
        exits[key] = exit
        for user in withoutRoom { exit.waiting.hold(user) }
        connection.onDisconnect { [weak self] in self?.remove(exit, key) }
        return exit
    }

    private func remove(_ exit: Exit, _ key: ObjectIdentifier) {
        exits[key] = nil
        releaseSent(of: exit)
        for user in withoutRoom { exit.waiting.release(user) }
        while let piece = exit.waiting.popFirst() { deliver(piece.element, nil) }
    }

    /// Starts encoding messages, as many as the limits allow.
    private func proceed(_ exit: Exit) {
        while exit.underWay < Self.encodedAtOnce, isDrained(exit), let piece = exit.waiting.first {
            let (message, user) = (piece.element, piece.user)
            guard message.isOver || reserve(message.size, for: user) else {
                withoutRoom.insert(user)
                for exit in exits.values { exit.waiting.hold(user) }
                continue
            }
            _ = exit.waiting.popFirst()
            guard !message.isOver else { continue }
            exit.underWay += 1
            underWay[user, default: 0] += 1
            encode(message, for: user, on: exit, attempt: 1)
        }
        if let emptyHandler, isEmpty { emptyHandler() }
    }

    /// Reserves bytes for a message; returns `false` if there is no room for them now. Each user may always have one
    /// message, however large it is.
    private func reserve(_ size: Int, for user: UInt32) -> Bool {
        if accounts.reserve(size, for: user) { return true }
        guard underWay[user] == nil else { return false }
        accounts.reserveUnchecked(size, for: user)
        return true
    }

    /// Encodes a message, and repeats that until its contents are still current when it is sent.
    private func encode(_ message: LargeMessage, for user: UInt32, on exit: Exit, attempt: Int) {
        let stamp = message.stamp()
        do throws(DBusError) {
            let make = try message.read()
            guard attempt <= Self.mostEncodings else {
                return finish(message, Result { () throws(DBusError) in try make() }, for: user, on: exit)
            }
            jobs.run(for: message.peer) {
                Result { () throws(DBusError) in try make().encoded() }
            } finish: { [self] outcome in
                if message.isOver || message.peer.hasDeparted || message.stamp() == stamp {
                    finish(message, outcome, for: user, on: exit)
                } else {
                    encode(message, for: user, on: exit, attempt: attempt + 1)
                }
            }
        } catch {
            finish(message, .failure(error), for: user, on: exit)
        }
    }

    private func finish(
        _ message: LargeMessage, _ outcome: Result<Message, DBusError>, for user: UInt32, on exit: Exit
    ) {
        let sent = deliver(message, outcome)
        exit.underWay -= 1
        underWay.decrement(user)
        if let connection = exit.connection, connection.isConnected, sent > 0 {
            if exit.sent.isEmpty {
                connection.onDrain(below: Self.littleQueued) { [weak self] in self?.releaseSent(of: exit) }
            }
            exit.sent.append((user, message.size))
        } else {
            accounts.release(message.size, of: user)
        }
        proceed(exit)
    }

    /// Releases the bytes of sent messages from their users' accounts.
    private func releaseSent(of exit: Exit) {
        let sent = exit.sent
        exit.sent = []
        for (user, bytes) in sent { accounts.release(bytes, of: user) }
    }

    /// Returns whether the connection's queue is short enough for another message. If it is not, sending continues as
    /// soon as it is.
    private func isDrained(_ exit: Exit) -> Bool {
        guard !exit.awaitsDrain, let connection = exit.connection else { return false }
        exit.awaitsDrain = connection.awaitsDrain { [weak self] in
            exit.awaitsDrain = false
            self?.proceed(exit)
        }
        return !exit.awaitsDrain
    }

    /// Resumes the turns of users whose accounts may have room again.
    private func resumeUsers() {
        guard !withoutRoom.isEmpty else { return }
        let users = withoutRoom
        withoutRoom = []
        for exit in Array(exits.values) {
            for user in users { exit.waiting.release(user) }
            proceed(exit)
        }
    }
}

extension Connection {
    /// The number of queued bytes above which no large message is encoded for the connection: on the bus, more would
    /// delay messages to other clients, and a direct client with more counts as not reading.
    private var mostQueued: Int { isBus ? 512 << 10 : 1 << 20 }

    /// Calls `handler` when few bytes are queued again, or the connection has ended. Returns `false`, without calling it, if
    /// few are queued now.
    func awaitsDrain(_ handler: @escaping @DBusActor () -> Void) -> Bool {
        guard outgoingSize > mostQueued else { return false }
        onDrain(below: mostQueued / 2, handler)
        return true
    }
}

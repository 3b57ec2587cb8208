// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// A large message for one client, which is sent in its turn. Its contents are read on the event loop's thread,
/// encoded on another thread, and sent from the event loop's thread.
struct LargeMessage: Sendable {
    /// Encodes the contents.
    typealias Body = @Sendable (inout MessageWriter) throws(DBusError) -> Void
    /// Makes the message from contents that were read, on any thread.
    typealias Maker = @Sendable () throws(DBusError) -> Message

    /// The client that receives the message.
    let receiver: Peer
    /// The approximate length in bytes.
    let size: Int
    /// Returns a counter that changes whenever the contents have changed.
    let stamp: @DBusActor @Sendable () -> UInt64
    /// Reads the contents.
    let read: @DBusActor @Sendable () throws(DBusError) -> Maker
    private let deliver: @DBusActor @Sendable (Result<Message, DBusError>) -> Void
    private let delivery = Delivery()
    /// Called once, either after `send`, when the connection has sent most of its queue, or instead of `send`.
    let finished: @DBusActor @Sendable () -> Void
    private let abandon: @DBusActor @Sendable () -> Void

    /// Whether the message was sent or dropped.
    @DBusActor
    private final class Delivery: Sendable {
        var isOver = false

        nonisolated init() {}
    }

    /// Whether the message was sent before its turn, so that nothing is left to do in its turn.
    @DBusActor var isOver: Bool { delivery.isOver }

    /// Sends the message, or handles the encoding error; returns the number of bytes sent. A message is sent once.
    @DBusActor
    @discardableResult
    func send(_ outcome: Result<Message, DBusError>) -> Int {
        guard !delivery.isOver else { return 0 }
        delivery.isOver = true
        deliver(outcome)
        return receiver.hasDeparted ? 0 : (try? outcome.get().bodySize) ?? 0
    }

    /// Encodes and sends the message now, before its turn.
    @DBusActor
    func sendNow() {
        if !delivery.isOver { send(Result { () throws(DBusError) in try read()() }) }
    }

    /// Makes the answer to a call.
    ///
    /// - Parameter isInOrder: whether the receiver's later messages are held back until the answer is sent.
    @DBusActor
    init(
        answering call: Call, size: Int, isInOrder: Bool = false,
        stamp: @escaping @DBusActor @Sendable () -> UInt64 = { 0 },
        finished: @escaping @DBusActor @Sendable () -> Void,
        body makeBody: @escaping @DBusActor @Sendable () throws(DBusError) -> Body
    ) {
        receiver = call.peer
        self.size = size
        self.stamp = stamp
        read = { () throws(DBusError) in try call.makingAnswer(try makeBody()) }
        deliver = { outcome in
            if call.peer.hasDeparted { call.abandon() }
            let reply = {
                switch outcome {
                case .success(let message): call.reply(with: message)
                case .failure(let error): call.fail(error)
                }
            }
            if isInOrder { call.peer.releaseHeld(behind: reply) } else { reply() }
        }
        self.finished = finished
        abandon = {
            call.abandon()
            if isInOrder { call.peer.releaseHeld() }
        }
    }

    /// Makes a signal to a peer; the peer's later messages are held back until it is sent.
    init(
        to peer: Peer, size: Int, stamp: @escaping @DBusActor @Sendable () -> UInt64,
        _ signal: @escaping @DBusActor @Sendable () throws(DBusError) -> Maker,
        _ send: @escaping @DBusActor @Sendable (Result<Message, DBusError>) -> Void
    ) {
        receiver = peer
        self.size = size
        self.stamp = stamp
        read = signal
        deliver = { outcome in
            if !peer.hasDeparted { send(outcome) }
            peer.releaseHeld()
        }
        finished = {}
        abandon = { peer.releaseHeld() }
    }

    /// Drops the message, because its receiver has left.
    @DBusActor
    func discard() {
        if !delivery.isOver {
            delivery.isOver = true
            abandon()
        }
        finished()
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// A message for one client that is written when its turn has come: its contents are taken on the event loop's thread, written
/// on another one, and sent from the first.
struct LargeMessage: Sendable {
    /// Writes the contents.
    typealias Body = @Sendable (inout MessageWriter) throws(DBusError) -> Void

    /// Whom it is for.
    let receiver: Peer
    /// Another number when what it says has changed since it was taken.
    let stamp: @DBusActor @Sendable () -> UInt64
    /// Takes the contents.
    let prepare: @DBusActor @Sendable () throws(DBusError) -> PreparedMessage
    /// Sends it, or says why it could not be written, and answers how many bytes were sent; called once.
    let send: @DBusActor @Sendable (Result<PreparedMessage, DBusError>) -> Int
    /// Called once behind `send`, when its connection has sent most of what waited, or instead of it.
    let finished: @DBusActor @Sendable () -> Void
    private let abandon: @DBusActor @Sendable () -> Void

    /// The answer to a call.
    ///
    /// - Parameter isInOrder: whether its receiver holds back what comes behind it.
    @DBusActor
    init(
        answering call: Call, isInOrder: Bool = false, stamp: @escaping @DBusActor @Sendable () -> UInt64 = { 0 },
        finished: @escaping @DBusActor @Sendable () -> Void,
        taking take: @escaping @DBusActor @Sendable () throws(DBusError) -> Body
    ) {
        receiver = call.peer
        self.stamp = stamp
        prepare = { () throws(DBusError) in try call.prepareAnswer(try take()) }
        send = { outcome in
            if call.peer.hasDeparted { call.abandon() }
            var bytes = 0
            let reply = {
                switch outcome {
                case .success(let prepared): bytes = call.reply(with: prepared)
                case .failure(let error): call.fail(error)
                }
            }
            if isInOrder { call.peer.releaseHeld(behind: reply) } else { reply() }
            return bytes
        }
        self.finished = finished
        abandon = {
            call.abandon()
            if isInOrder { call.peer.releaseHeld() }
        }
    }

    /// A signal to a peer which holds back what comes behind it.
    init(
        to peer: Peer, _ signal: @escaping @DBusActor @Sendable () throws(DBusError) -> PreparedMessage,
        _ send: @escaping @DBusActor @Sendable (Result<Message, DBusError>) -> Void
    ) {
        receiver = peer
        stamp = { 0 }
        prepare = signal
        self.send = { outcome in
            var bytes = 0
            if !peer.hasDeparted {
                let message = Result { () throws(DBusError) in try outcome.get().consume() }
                bytes = (try? message.get().bodySize) ?? 0
                send(message)
            }
            peer.releaseHeld()
            return bytes
        }
        finished = {}
        abandon = { peer.releaseHeld() }
    }

    /// Ends it unsent: its receiver has left.
    @DBusActor
    func giveUp() {
        abandon()
        finished()
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A method call that has arrived: it is answered exactly once, now or later.
///
/// The first answer counts. When a call is dropped without an answer its caller gets an error, so that nobody waits in
/// vain. A caller that wants no answer gets none, whatever is called here.
@DBusActor
public final class Call {
    /// The call as it came.
    public let message: Message
    /// Where it came from, and where its answer goes.
    public let connection: Connection
    /// Who sent it.
    public let peer: Peer
    /// The signature that the answer must have; nil until the method is known.
    var replySignature: Signature?
    /// The sender that the answer names; nil = us.
    var replySender: String?
    /// Looks at an error before it becomes the answer; true = it sees to another answer itself.
    package var onFailure: (@DBusActor (any Error) -> Bool)?
    /// Told of the error that becomes the answer.
    package var onError: (@DBusActor (Call, any Error) -> Void)?
    /// Called once, before the answer is sent.
    package var onAnswer: (@DBusActor () -> Void)?
    /// True once an answer was given.
    public private(set) var isAnswered = false

    init(message: Message, connection: Connection, peer: Peer) {
        self.message = message
        self.connection = connection
        self.peer = peer
        peer.callsInFlight += 1
    }

    deinit {
        guard !isAnswered else { return }
        let (message, connection, peer, onAnswer) = (message, connection, peer, onAnswer)
        EventLoop.shared.post {
            let call = Call(message: message, connection: connection, peer: peer)
            call.onAnswer = onAnswer
            peer.callsInFlight -= 1  // the one that was dropped
            call.fail(DBusError.failed("the call was dropped without an answer"))
        }
    }

    /// The object that is called.
    public var path: ObjectPath { message.path ?? .root }
    /// The interface that the caller named; nil when it named none.
    public var interface: String? { message.interface }
    /// The method that is called.
    public var member: String { message.member ?? "" }

    /// Answers with typed values.
    public func reply<each Value: DBusEncodable>(_ values: repeat each Value) {
        replyWriting { writer in
            repeat (each values).encode(to: &writer)
        }
    }

    /// Answers with values that `body` writes; what it throws, or what does not fit the method's results, becomes the
    /// error that the caller gets.
    public func replyWriting(_ body: (inout MessageWriter) throws(DBusError) -> Void) {
        answer { () throws(DBusError) in
            let reply = try message.methodReturn()
            if let replySignature { try reply.write(replySignature, body) }
            return reply
        }
    }

    /// Answers with an error; any Swift error is turned into its D-Bus form.
    public func fail(_ error: any Error) {
        if let onFailure, !isAnswered, onFailure(error) { return }
        if !isAnswered { onError?(self, error) }
        answer { () throws(DBusError) in try message.errorReply(DBusError(error)) }
    }

    /// Ends the call without an answer: its caller has left.
    package func abandon() {
        guard !isAnswered else { return }
        isAnswered = true
        finish()
    }

    private func finish() {
        peer.callsInFlight -= 1
        onAnswer?()
        onAnswer = nil
    }

    func answer(_ make: () throws(DBusError) -> Message) {
        guard !isAnswered else { return }
        isAnswered = true
        guard !message.noReplyExpected, connection.isConnected else { return finish() }
        EventLoop.shared.turns.measure(self) {
            let reply = Result { () throws(DBusError) in try make() }
            peer.sendInOrder { [self] in
                finish()
                send(reply)
            }
            return try? reply.get()
        }
    }

    private func send(_ reply: Result<Message, DBusError>) {
        do throws(DBusError) {
            try send(reply.get())
        } catch {
            // Too large, or not what the table says: the caller learns that, and the connection lives on.
            if let reply = try? message.errorReply(error) { try? send(reply) }
        }
    }

    private func send(_ reply: Message) throws(DBusError) {
        if let replySender { try reply.setSender(replySender) }
        try connection.send(reply)
    }
}

extension Call {
    /// The arguments as typed values.
    ///
    /// - Throws: `InvalidArgs` when the table has other types.
    public func arguments<each Value: DBusDecodable>(
        as types: repeat (each Value).Type
    ) throws(DBusError) -> (repeat each Value) {
        try message.decode(as: repeat each types)
    }
}

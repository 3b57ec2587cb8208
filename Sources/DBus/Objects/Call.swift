// SPDX-License-Identifier: Apache-2.0

/// A received method call, which is answered exactly once, now or later.
///
/// The first answer counts. When a call is released without an answer its caller gets an error, so that it does not
/// wait in vain. A caller that expects no answer gets none, whatever is called here.
@DBusActor
public final class Call {
    /// The received message.
    public let message: Message
    /// The connection that it came from, to which its answer goes.
    public let connection: Connection
    /// Its sender.
    public let peer: Peer
    /// The sender in the answer's header; nil = this connection's name.
    private let replySender: String?
    /// The signature that the answer must have; nil until the method is known.
    private var replySignature: Signature?
    private var failureHandler: (@DBusActor (any Error) -> Bool)?
    private var errorHandler: (@DBusActor (Call, any Error) -> Void)?
    private var answerHandler: (@DBusActor () -> Void)?
    /// True once an answer was given.
    public private(set) var isAnswered = false

    init(message: Message, connection: Connection, peer: Peer, replySender: String? = nil) {
        self.message = message
        self.connection = connection
        self.peer = peer
        self.replySender = replySender
        peer.beginCall()
    }

    deinit {
        guard !isAnswered else { return }
        let (message, connection, peer) = (message, connection, peer)
        let (replySender, answerHandler) = (replySender, answerHandler)
        EventLoop.shared.post {
            let call = Call(message: message, connection: connection, peer: peer, replySender: replySender)
            call.answerHandler = answerHandler
            peer.endCall()  // the call that was released
            call.fail(DBusError.failed("the call was dropped without an answer"))
        }
    }

    /// Sets the signature of the answer, once the method is known.
    func setReplySignature(_ signature: Signature) { replySignature = signature }

    /// Calls `handler` with an error before it becomes the answer; if it returns true, it answers itself. Nil = no
    /// handler.
    package func onFailure(_ handler: (@DBusActor (any Error) -> Bool)?) { failureHandler = handler }

    /// Calls `handler` with the error that becomes the answer.
    package func onError(_ handler: @escaping @DBusActor (Call, any Error) -> Void) { errorHandler = handler }

    /// Calls `handler` once, before the answer is sent.
    package func onAnswer(_ handler: @escaping @DBusActor () -> Void) { answerHandler = handler }

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

    /// Answers with values that `body` writes; an error that it throws, or values of other types than the method's
    /// results, become the error that the caller gets.
    public func replyWriting(_ body: (inout MessageWriter) throws(DBusError) -> Void) {
        answer { () throws(DBusError) in
            let reply = try message.methodReturn()
            if let replySignature { try reply.write(replySignature, body) }
            return reply
        }
    }

    /// Answers with an error; any Swift error is turned into its D-Bus form.
    public func fail(_ error: any Error) {
        if let failureHandler, !isAnswered, failureHandler(error) { return }
        if !isAnswered { errorHandler?(self, error) }
        answer { () throws(DBusError) in try message.errorReply(DBusError(error)) }
    }

    /// Ends the call without an answer, as its caller has left.
    package func abandon() {
        guard !isAnswered else { return }
        isAnswered = true
        finish()
    }

    private func finish() {
        peer.endCall()
        answerHandler?()
        answerHandler = nil
    }

    private func answer(_ make: () throws(DBusError) -> Message) {
        guard !isAnswered else { return }
        isAnswered = true
        guard !message.noReplyExpected, connection.isConnected else { return finish() }
        measure {
            let reply = Result { () throws(DBusError) in try make() }
            peer.sendInOrder { [self] in
                finish()
                send(reply)
            }
            return reply
        } bytesOfAnswer: {
            (try? $0.get())?.bodySize
        }
    }

    /// Runs work for the call, which the event loop counts as the call's if it takes long.
    ///
    /// - Parameter bytesOfAnswer: the length of the answer that was made; nil = none was.
    @discardableResult
    func measure<Result>(_ work: () -> Result, bytesOfAnswer: (Result) -> Int?) -> Result {
        EventLoop.shared.turns.measure(work) { result, duration in
            let answer = bytesOfAnswer(result)
            return LoopTurns.Work(
                isAnswer: answer != nil, member: member, interface: interface, callerName: peer.name,
                userID: peer.credentials?.userID, byteCount: answer ?? message.size, duration: duration)
        }
    }

    private func send(_ reply: Result<Message, DBusError>) {
        do throws(DBusError) {
            try send(reply.get())
        } catch {
            // Too large, or of other types than the table has: the caller gets an error, and the connection lives on.
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

    /// Moves the body out of the call, which then keeps no memory for it.
    ///
    /// - Throws: `NoMemory`.
    public func detachBody() throws(DBusError) -> DetachedBody { try DetachedBody(message) }
}

// MARK: - Prepared answers

extension Call {
    /// Makes an answer with values that `body` writes, on another thread.
    ///
    /// - Throws: `Failed` when the method is not known.
    public func prepareAnswer(
        _ body: @escaping @Sendable (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> PreparedMessage {
        guard let replySignature else { throw .failed("the call has no method yet") }
        return try PreparedMessage(message.methodReturn(), replySignature, body)
    }

    /// Sends the prepared answer, or the error with which writing it failed.
    ///
    /// - Returns: the number of sent bytes, 0 for an error.
    @discardableResult
    public func reply(with prepared: PreparedMessage) -> Int {
        guard !isAnswered else { return 0 }
        do throws(DBusError) {
            let message = try prepared.consume()
            answer { () throws(DBusError) in message }
            return message.bodySize
        } catch {
            fail(error)
            return 0
        }
    }
}

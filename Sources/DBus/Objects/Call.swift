// SPDX-License-Identifier: Apache-2.0

/// A received method call, which is answered exactly once, now or later.
///
/// Only the first answer is sent. When a call is released without an answer, its caller gets an error, so that the
/// caller does not wait until its timeout. If the caller expects no answer, none is sent, whichever function is
/// called here.
@DBusActor
public final class Call {
    /// The received message.
    public private(set) var message: Message
    /// The connection on which the call arrived and the answer is sent.
    public let connection: Connection
    /// The sender of the call.
    public let peer: Peer
    /// The sender in the header of the answer; nil for the name of this connection.
    private let replySender: String?
    /// The signature that the answer must have; nil until the method was found.
    private var replySignature: Signature?
    private var failureHandler: (@DBusActor (any Error) -> Bool)?
    private var errorHandler: (@DBusActor (Call, any Error) -> Void)?
    private var answerHandler: (@DBusActor () -> Void)?
    /// Whether the call was answered.
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
            peer.endCall()  // the released call has begun it, and `call` has begun it again
            call.fail(DBusError.failed("the call was released without an answer"))
        }
    }

    /// Sets the signature of the answer, once the method was found.
    func setReplySignature(_ signature: Signature) { replySignature = signature }

    /// Sets a handler that is called with an error before the error becomes the answer. A handler that returns `true`
    /// answers the call itself. Nil removes the handler.
    package func onFailure(_ handler: (@DBusActor (any Error) -> Bool)?) { failureHandler = handler }

    /// Sets a handler that is called with the error that becomes the answer.
    package func onError(_ handler: @escaping @DBusActor (Call, any Error) -> Void) { errorHandler = handler }

    /// Adds a handler that is called once, when the answer was sent, or when it is known that none will be.
    package func onAnswer(_ handler: @escaping @DBusActor () -> Void) {
        guard let earlier = answerHandler else { return answerHandler = handler }
        answerHandler = {
            earlier()
            handler()
        }
    }

    /// The path of the called object.
    public var path: ObjectPath { message.path ?? .root }
    /// The interface that the caller specified; nil if the caller specified none.
    public var interface: String? { message.interface }
    /// The name of the called method.
    public var member: String { message.member ?? "" }

    /// Answers the call with typed values.
    public func reply<each Value: DBusEncodable>(_ values: repeat each Value) {
        replyWriting { writer in
            repeat (each values).encode(to: &writer)
        }
    }

    /// Answers the call with the values that `body` writes. If `body` throws, or writes values of other types than
    /// the method's results, the caller gets an error.
    public func replyWriting(_ body: (inout MessageWriter) throws(DBusError) -> Void) {
        answer { () throws(DBusError) in
            var reply = try message.methodReturn()
            if let replySignature { try reply.write(replySignature, body) }
            return reply
        }
    }

    /// Answers the call with an error. Any Swift error is converted to a D-Bus error.
    public func fail(_ error: any Error) {
        if let failureHandler, !isAnswered, failureHandler(error) { return }
        if !isAnswered { errorHandler?(self, error) }
        answer { () throws(DBusError) in try message.errorReply(DBusError(error)) }
    }

    /// Ends the call without an answer because its caller has disconnected.
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
            let deliver = { @DBusActor [self] in
                send(reply)
                finish()
            }
            if let holder = peer.answerHolder { holder(deliver) } else { deliver() }
            return reply
        } bytesOfAnswer: {
            (try? $0.get())?.bodySize
        }
    }

    /// Runs work for the call. If the work takes long, the event loop attributes it to this call.
    ///
    /// - Parameter bytesOfAnswer: returns the length of the answer that was created; nil if there was none.
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
            // The answer is too large or has other types than the interface table. The caller gets an error, and the
            // connection stays open.
            if let reply = try? message.errorReply(error) { try? send(reply) }
        }
    }

    private func send(_ reply: Message) throws(DBusError) {
        var reply = reply
        if let replySender { reply.sender = replySender }
        try connection.send(reply)
    }
}

extension Call {
    /// Reads the arguments as typed values.
    ///
    /// - Throws: `InvalidArgs` when the method's arguments have other types.
    public func arguments<each Value: DBusDecodable>(
        as types: repeat (each Value).Type
    ) throws(DBusError) -> (repeat each Value) {
        // The call was checked against its method's arguments before, and the reader checks each value again.
        try message.read { (reader) throws(DBusError) in (repeat try (each Value)(from: &reader)) }
    }

    /// Takes the body out of the call, which then no longer holds memory for it.
    public func takeBody() -> MessageBody { message.takeBody() }
}

// MARK: - Answers from other threads

extension Call {
    /// Returns a closure that makes the answer with the values that `body` writes, on any thread.
    ///
    /// - Throws: `Failed` when the method was not found yet.
    public func makingAnswer(
        _ body: @escaping @Sendable (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> @Sendable () throws(DBusError) -> Message {
        guard let replySignature else { throw .failed("the method of the call was not looked up yet") }
        let empty = try message.methodReturn()
        return { () throws(DBusError) in
            var reply = empty
            try reply.write(replySignature, body)
            return reply
        }
    }

    /// Answers the call with a message that was made as an answer to it.
    public func reply(with message: Message) { answer { () throws(DBusError) in message } }
}

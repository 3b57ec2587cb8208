internal import CDBus

/// An answer that is written on another thread: made on the event loop's, written once anywhere, and sent on the event loop's.
///
/// What takes time happens while it is written: the values become bytes, and libdbus checks them.
@safe
public final class PreparedAnswer: @unchecked Sendable {
    // One thread at a time has it: the loop's, then the one that writes, then the loop's again. Whoever hands it on orders
    // these.
    private let call: Call
    private let draft: MessageDraft
    private let signature: Signature
    private let body: @Sendable (inout MessageWriter) throws(DBusError) -> Void
    private var outcome: Result<Written, DBusError> = .failure(.failed("the answer was not written"))

    /// A message that libdbus has checked; whoever holds it is the only one.
    @safe
    private struct Written: @unchecked Sendable {
        let raw: OpaquePointer
        let bodySize: Int
    }

    @DBusActor
    fileprivate init(
        _ call: Call, _ draft: MessageDraft, _ signature: Signature,
        _ body: @escaping @Sendable (inout MessageWriter) throws(DBusError) -> Void
    ) {
        (self.call, self.draft, self.signature, self.body) = (call, draft, signature, body)
    }

    deinit {
        guard case .success(let written) = outcome else { return }
        // Nobody has sent it: it goes where its last reference may be dropped.
        EventLoop.shared.post { _ = unsafe Message(adopting: written.raw) }
    }

    /// Writes it; call it once, on any thread.
    public func write() {
        outcome = Result { () throws(DBusError) in
            let count = try draft.write(signature, limit: Message.largestBody, body)
            return unsafe Written(raw: try draft.make(), bodySize: count)
        }
    }

    /// Answers the call with it, or with why it could not be written.
    ///
    /// - Returns: how many bytes were sent, 0 for an error.
    @DBusActor
    @discardableResult
    public func send() -> Int {
        let result = outcome
        outcome = .failure(.failed("the answer was sent"))
        switch result {
        case .failure(let error):
            call.fail(error)
            return 0
        case .success(let written):
            let message = unsafe Message(adopting: written.raw)
            message.bodySize = written.bodySize
            guard !call.isAnswered else { return 0 }
            call.answer { () throws(DBusError) in message }
            return written.bodySize
        }
    }
}

extension Call {
    /// An answer with values that `body` writes, on another thread.
    ///
    /// - Throws: `Failed` when the method is not known.
    public func prepareAnswer(
        _ body: @escaping @Sendable (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> PreparedAnswer {
        guard let replySignature, let draft = try message.methodReturn().draft else {
            throw .failed("the call has no method yet")
        }
        return PreparedAnswer(self, draft, replySignature, body)
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A message that is written on another thread: made on the event loop's thread, written once on any thread, and sent
/// on the event loop's.
///
/// The slow part happens while it is written: the values become bytes, and libdbus checks them.
@safe
public final class PreparedMessage: @unchecked Sendable {
    // One thread at a time has it: the loop's, then the writing one, then the loop's again. The code that passes it on
    // orders these.
    private let draft: MessageDraft
    private let signature: Signature
    private let body: @Sendable (inout MessageWriter) throws(DBusError) -> Void
    private var outcome: Result<Written, DBusError> = .failure(.failed("the message was not written"))

    /// A message that libdbus has checked; it has a single owner.
    @safe
    private struct Written: @unchecked Sendable {
        let raw: OpaquePointer
        let bodySize: Int
    }

    @DBusActor
    init(
        _ message: Message, _ signature: Signature,
        _ body: @escaping @Sendable (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        guard let draft = message.draft else { throw .failed("the message was made already") }
        (self.draft, self.signature, self.body) = (draft, signature, body)
    }

    deinit {
        guard case .success(let written) = outcome else { return }
        // It was not consumed: it is passed to the thread on which its last reference may be released.
        EventLoop.shared.post { _ = unsafe Message(adopting: written.raw) }
    }

    /// Writes it; call it once, on any thread.
    public func write() {
        outcome = Result { () throws(DBusError) in
            let count = try draft.write(signature, limit: Message.largestBody, body)
            return unsafe Written(raw: try draft.make(), bodySize: count)
        }
    }

    /// The message, once.
    ///
    /// - Throws: the reason why it could not be written.
    @DBusActor
    public func consume() throws(DBusError) -> Message {
        let result = outcome
        outcome = .failure(.failed("the message was consumed already"))
        let written = try result.get()
        return unsafe Message(adopting: written.raw, bodySize: written.bodySize)
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A message that is created on the event-loop thread, written once on any thread, and sent on the event-loop thread.
///
/// Writing is the slow part: it encodes the values, and libdbus validates the bytes.
@safe
public final class PreparedMessage: @unchecked Sendable {
    // Only one thread at a time uses this object: the loop's, then the one that writes, then the loop's again. The
    // code that passes it on orders these accesses.
    private let draft: MessageDraft
    private let signature: Signature
    private let body: @Sendable (inout MessageWriter) throws(DBusError) -> Void
    private var outcome: Result<Written, DBusError> = .failure(.failed("the message was not written"))

    /// A message that libdbus has validated; it has a single owner.
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
        guard let draft = message.draft else { throw .failed("the message was already sent or read") }
        (self.draft, self.signature, self.body) = (draft, signature, body)
    }

    deinit {
        guard case .success(let written) = outcome else { return }
        // Nobody consumed the message, so it is released on the loop thread, as libdbus requires.
        EventLoop.shared.post { _ = unsafe Message(adopting: written.raw) }
    }

    /// Writes the message; call this once, on any thread.
    public func write() {
        outcome = Result { () throws(DBusError) in
            let count = try draft.write(signature, limit: Message.largestBody, body)
            return unsafe Written(raw: try draft.makeMessage(), bodySize: count)
        }
    }

    /// Returns the written message. Only the first call succeeds.
    ///
    /// - Throws: the reason why the message could not be written.
    @DBusActor
    public func consume() throws(DBusError) -> Message {
        let result = outcome
        outcome = .failure(.failed("the message was already consumed"))
        let written = try result.get()
        return unsafe Message(adopting: written.raw, bodySize: written.bodySize)
    }
}

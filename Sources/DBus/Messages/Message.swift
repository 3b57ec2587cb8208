// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// A libdbus message, to be sent or received.
///
/// Only the event-loop thread uses it: the type is isolated to `DBusActor`, and when another thread releases the last
/// reference, libdbus' message is passed to the loop thread. A sent message cannot be changed.
@safe
@DBusActor
public final class Message {
    /// The draft, until the message is sent or read and libdbus' message is created; nil afterwards, and for received
    /// messages.
    private(set) var draft: MessageDraft?
    /// libdbus' message, owned by this object and used on the loop thread only; released in `deinit`. Nil while
    /// `draft` exists.
    nonisolated(unsafe) private(set) var made: OpaquePointer?
    /// The length in bytes of the body that was written here; 0 for a received message.
    public private(set) var bodySize: Int
    /// The length in bytes of a received message; known once its body was read.
    private(set) var knownSize: Int?
    /// The length in bytes of the body of libdbus' message; known once it was counted.
    private var countedBody: Int?
    /// Whether an account reserved room for this message while it was incomplete, and has released the room since.
    /// Such a message must not be counted again.
    package private(set) var isAccountedFor = false

    /// The four kinds of messages.
    public enum Kind: Int32, Sendable {
        case methodCall = 1
        case methodReturn = 2
        case error = 3
        case signal = 4
    }

    /// Takes ownership of a reference to libdbus' message.
    init(adopting made: OpaquePointer, bodySize: Int = 0) {
        unsafe self.made = made
        self.bodySize = bodySize
    }

    init(_ header: MessageHeader) {
        draft = MessageDraft(header)
        unsafe made = nil
        bodySize = 0
    }

    /// Stores the message's size as found by a reader; nil if the message has no body.
    func record(size: Int?) { knownSize = size ?? knownSize }

    /// The length in bytes of the body of libdbus' message, which is counted once; nil if there is no such message.
    var madeBodyLength: Int? {
        guard let made = unsafe made else { return nil }
        if let countedBody { return countedBody }
        let count = unsafe MarshalledLength.byteCount(ofBodyOf: made)
        countedBody = count
        return count
    }

    /// Records that the room reserved for this message was released.
    func markAccountedFor() { isAccountedFor = true }

    /// Writes the whole body; `body` appends values that match `signature`.
    ///
    /// - Throws: the writer's failure. The message can then no longer be sent.
    public func write(
        _ signature: Signature, limit: Int = Message.largestBody,
        _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        guard bodySize == 0, let draft else {
            throw .failed("the body of a message can be written only once, before it is sent or read")
        }
        bodySize = -1  // invalid until the body is complete
        bodySize = try draft.write(signature, limit: min(limit, Message.largestBody), body)
    }

    deinit {
        guard let made = unsafe made else { return }
        if EventLoop.shared.isCurrent {
            unsafe dbus_message_unref(made)
        } else {
            // Only this reference is left, so the message moves to the loop thread, which releases it.
            let orphan = unsafe OrphanedMessage(raw: made)
            EventLoop.shared.post { unsafe dbus_message_unref(orphan.raw) }
        }
    }

    /// libdbus' message, created from the draft on first use; it lives as long as this object.
    ///
    /// - Throws: `NoMemory`; `InvalidArgs` with libdbus' reason.
    var raw: OpaquePointer {
        get throws(DBusError) {
            if let made = unsafe made { return unsafe made }
            guard let draft else { throw .failed("the message has neither a draft nor a libdbus message") }
            let new = try unsafe draft.makeMessage()
            unsafe made = new
            self.draft = nil
            return unsafe new
        }
    }
}

extension Message {
    /// Transfers libdbus' message to a new owner, who must release it on the loop thread. This object keeps a copy of
    /// the header, without the signature of the body.
    ///
    /// - Throws: `NoMemory`.
    func detach() throws(DBusError) -> OpaquePointer {
        knownSize = size
        let whole = try unsafe raw
        guard let header = unsafe Message.header(of: whole) else {
            throw DBusError(.noMemory, "out of memory while copying the header of a message")
        }
        unsafe made = header
        countedBody = nil
        return unsafe whole
    }

    /// Returns a method call with the header of another call and no body; nil when there is no memory.
    private static func header(of whole: OpaquePointer) -> OpaquePointer? {
        guard
            let header = unsafe dbus_message_new_method_call(
                nil, dbus_message_get_path(whole), dbus_message_get_interface(whole), dbus_message_get_member(whole))
        else { return nil }
        guard unsafe dbus_message_set_sender(header, dbus_message_get_sender(whole)) != 0 else {
            unsafe dbus_message_unref(header)
            return nil
        }
        unsafe dbus_message_set_no_reply(header, dbus_message_get_no_reply(whole))
        unsafe dbus_message_set_allow_interactive_authorization(
            header, dbus_message_get_allow_interactive_authorization(whole))
        unsafe dbus_message_set_serial(header, dbus_message_get_serial(whole))
        return unsafe header
    }
}

/// A message without Swift references that is passed to the loop thread; no other thread refers to it.
@safe
private struct OrphanedMessage: @unchecked Sendable {
    let raw: OpaquePointer
}

// MARK: - Making messages

extension Message {
    /// Creates a method call. A call without a destination goes to the other end of a direct connection.
    ///
    /// - Throws: `InvalidArgs` with the invalid name.
    public static func methodCall(
        to destination: String?, path: ObjectPath, interface: String?, member: String
    ) throws(DBusError) -> Message {
        if let interface { try Names.checkInterface(interface) }
        try Names.checkMember(member)
        if let destination { try Names.checkBusName(destination) }
        return Message(
            MessageHeader(.methodCall, path: path, interface: interface, member: member, destination: destination))
    }

    /// Creates a signal.
    ///
    /// - Throws: `InvalidArgs` with the invalid name.
    public static func signal(path: ObjectPath, interface: String, member: String) throws(DBusError) -> Message {
        try Names.checkInterface(interface)
        try Names.checkMember(member)
        return Message(signalAt: path, interface: interface, member: member)
    }

    /// Creates a signal whose names are known to be valid.
    convenience init(signalAt path: ObjectPath, interface: String, member: String) {
        self.init(
            MessageHeader(.signal, path: path, interface: interface, member: member, flags: .noReplyExpected))
    }

    /// Creates the answer to this method call.
    public func methodReturn() throws(DBusError) -> Message { Message(try replyHeader(.methodReturn)) }

    /// Creates an error answer to this method call. The error text is truncated to 1 KiB, and control characters are
    /// escaped.
    public func errorReply(_ error: DBusError) throws(DBusError) -> Message {
        let reply = Message(try replyHeader(.error, errorName: error.name))
        try reply.write(ErrorText.sendable(error.message))
        return reply
    }

    private func replyHeader(_ kind: Kind, errorName: String? = nil) throws(DBusError) -> MessageHeader {
        try checkIsCall()
        return MessageHeader(
            kind, errorName: errorName, replySerial: serial, destination: sender, flags: .noReplyExpected)
    }

    /// Checks that the message is a received call; libdbus can only answer a message with a serial.
    private func checkIsCall() throws(DBusError) {
        guard kind == .methodCall, serial != 0 else {
            throw .invalidArgs("only a received method call can be answered")
        }
    }

    /// Copies the message so that the copy can be changed and sent again. The copy has no sender.
    public func copy() throws(DBusError) -> Message {
        guard let made = try unsafe dbus_message_copy(raw) else { throw WriteFailure.noMemory.error }
        unsafe dbus_message_set_sender(made, nil)
        return unsafe Message(adopting: made, bodySize: bodySize)
    }

    /// Returns the message itself, or a copy if it was sent or received. libdbus aborts the process when a sent or
    /// received message is changed.
    func modifiable() throws(DBusError) -> Message { isFinal ? try copy() : self }

    /// Whether the message was sent or received.
    var isFinal: Bool { serial != 0 }
}

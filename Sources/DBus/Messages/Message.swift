// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// A libdbus message, to be sent or received.
///
/// It is used on the event-loop thread only: the type is isolated to `DBusActor`, and releasing the last reference on
/// another thread passes the message to that thread. Once sent it cannot be changed.
@safe
@DBusActor
public final class Message {
    /// The draft, until libdbus makes the message when it is sent or read; nil from then on, and for received messages.
    private(set) var draft: MessageDraft?
    /// libdbus' message. Owned by this object, used on the loop thread only; released in `deinit`.
    nonisolated(unsafe) private(set) var made: OpaquePointer?
    /// The length of the body as written here; 0 for a received message.
    public private(set) var bodySize: Int
    /// The length of a received message, once its body was read.
    private(set) var knownSize: Int?
    /// The length of the body of a message of libdbus, once it was counted.
    private var countedBody: Int?
    /// Whether an account reserved room for it before it was complete, and has released that: it must not be reserved
    /// again.
    package private(set) var isAccountedFor = false

    /// The four kinds of messages.
    public enum Kind: Int32, Sendable {
        case methodCall = 1
        case methodReturn = 2
        case error = 3
        case signal = 4
    }

    /// Takes over a reference.
    init(adopting made: OpaquePointer, bodySize: Int = 0) {
        unsafe self.made = made
        self.bodySize = bodySize
    }

    init(_ header: MessageHeader) {
        draft = MessageDraft(header)
        unsafe made = nil
        bodySize = 0
    }

    /// Stores the body that reading has found; nil = there is none.
    func record(size: Int?) { knownSize = size ?? knownSize }

    /// The length of the body of libdbus' message, which is counted once; nil while there is none.
    var madeBodyLength: Int? {
        guard let made = unsafe made else { return nil }
        if let countedBody { return countedBody }
        let count = unsafe MarshalledLength.count(ofBodyOf: made)
        countedBody = count
        return count
    }

    /// Records that the reserved room was released.
    func markAccountedFor() { isAccountedFor = true }

    /// Writes the whole body; `body` appends values that fit `signature`.
    ///
    /// - Throws: the writer's failure: the message then refuses to be sent.
    public func write(
        _ signature: Signature, limit: Int = Message.largestBody,
        _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        guard bodySize == 0, let draft else {
            throw .failed("the message has its body already, or was read without one")
        }
        bodySize = -1  // until it is complete
        bodySize = try draft.write(signature, limit: min(limit, Message.largestBody), body)
    }

    deinit {
        guard let made = unsafe made else { return }
        if EventLoop.shared.isCurrent {
            unsafe dbus_message_unref(made)
        } else {
            // The only reference moves to the loop thread, which releases it there.
            let orphan = unsafe OrphanedMessage(raw: made)
            EventLoop.shared.post { unsafe dbus_message_unref(orphan.raw) }
        }
    }

    /// libdbus' message, which is made now if it was not; it lives as long as this object.
    ///
    /// - Throws: `NoMemory`; `InvalidArgs` with libdbus' reason.
    var raw: OpaquePointer {
        get throws(DBusError) {
            if let made = unsafe made { return unsafe made }
            guard let draft else { throw .failed("a message is neither being made nor made") }
            let new = try unsafe draft.make()
            unsafe made = new
            self.draft = nil
            return unsafe new
        }
    }
}

extension Message {
    /// Transfers libdbus' message to a new owner, who releases it on the loop thread; the header stays here, except for
    /// the body's types.
    ///
    /// - Throws: `NoMemory`.
    func detach() throws(DBusError) -> OpaquePointer {
        knownSize = size
        let whole = try unsafe raw
        guard let header = unsafe Message.header(of: whole) else {
            throw DBusError(.noMemory, "no memory for the header of a message")
        }
        unsafe made = header
        countedBody = nil
        return unsafe whole
    }

    /// A method call with another one's header, without a body; nil when there is no memory.
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

/// A message whose last Swift reference is gone, on its way to the loop thread; no other thread has it.
@safe
private struct OrphanedMessage: @unchecked Sendable {
    let raw: OpaquePointer
}

// MARK: - Making messages

extension Message {
    /// A method call; without a destination it goes to the other end of a direct connection.
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

    /// A signal.
    ///
    /// - Throws: `InvalidArgs` with the invalid name.
    public static func signal(path: ObjectPath, interface: String, member: String) throws(DBusError) -> Message {
        try Names.checkInterface(interface)
        try Names.checkMember(member)
        return Message(signalAt: path, interface: interface, member: member)
    }

    /// A signal whose names are known to be valid.
    convenience init(signalAt path: ObjectPath, interface: String, member: String) {
        self.init(
            MessageHeader(.signal, path: path, interface: interface, member: member, flags: .noReplyExpected))
    }

    /// The answer to this method call.
    public func methodReturn() throws(DBusError) -> Message { Message(try answer(.methodReturn)) }

    /// The error answer to this method call; its message is cut to 1 KiB, and control characters in it are escaped.
    public func errorReply(_ error: DBusError) throws(DBusError) -> Message {
        let reply = Message(try answer(.error, errorName: error.name))
        try reply.write(ErrorText.message(error.message))
        return reply
    }

    private func answer(_ kind: Kind, errorName: String? = nil) throws(DBusError) -> MessageHeader {
        try checkIsCall()
        return MessageHeader(
            kind, errorName: errorName, replySerial: serial, destination: sender, flags: .noReplyExpected)
    }

    /// libdbus answers only a message with a serial.
    private func checkIsCall() throws(DBusError) {
        guard kind == .methodCall, serial != 0 else { throw .invalidArgs("only a received method call has answers") }
    }

    /// A copy that can still be changed and sent, to another receiver; it does not keep the sender.
    public func copy() throws(DBusError) -> Message {
        guard let made = try unsafe dbus_message_copy(raw) else { throw WriteFailure.noMemory.error }
        unsafe dbus_message_set_sender(made, nil)
        return unsafe Message(adopting: made, bodySize: bodySize)
    }

    /// The message itself, or a copy if it was sent or received: libdbus ends the process when those are changed.
    func unsent() throws(DBusError) -> Message { isFinal ? try copy() : self }

    /// True once it was sent, and of every received one.
    var isFinal: Bool { serial != 0 }
}

internal import CDBus
internal import Glibc

/// A message of libdbus, on its way out or as it came in.
///
/// It is touched on the event-loop thread only: the type is isolated to `DBusActor`, and the last reference, wherever it
/// is dropped, hands the message to that thread. Once sent it cannot be changed.
@safe
@DBusActor
public final class Message {
    /// Owned by this object, used on the loop thread only; given back in `deinit`.
    nonisolated(unsafe) let raw: OpaquePointer
    /// Bytes of the body, as written here; 0 for a received message.
    public internal(set) var bodySize = 0

    /// The four kinds of messages.
    public enum Kind: Int32, Sendable {
        case methodCall = 1
        case methodReturn = 2
        case error = 3
        case signal = 4
    }

    /// Takes over a reference.
    init(adopting raw: OpaquePointer) {
        unsafe self.raw = raw
    }

    /// Takes over a new message; libdbus answers none when there is no memory.
    convenience init(new raw: OpaquePointer?) throws(DBusError) {
        guard let raw = unsafe raw else { throw DBusError(.noMemory, "no memory for a message") }
        unsafe self.init(adopting: raw)
    }

    deinit {
        if EventLoop.shared.isCurrent {
            unsafe dbus_message_unref(raw)
        } else {
            // The only reference moves to the loop thread, which drops it there.
            let orphan = unsafe OrphanedMessage(raw: raw)
            EventLoop.shared.post { unsafe dbus_message_unref(orphan.raw) }
        }
    }
}

/// A message whose last Swift reference is gone, on its way to the loop thread; nobody else has it.
@safe
private struct OrphanedMessage: @unchecked Sendable {
    let raw: OpaquePointer
}

// MARK: - Making messages

extension Message {
    /// A method call; without a destination it is for the other end of a direct connection.
    ///
    /// - Throws: `InvalidArgs` naming the name that D-Bus does not allow.
    public static func methodCall(
        to destination: String?, path: ObjectPath, interface: String?, member: String
    ) throws(DBusError) -> Message {
        if let interface { try Names.checkInterface(interface) }
        try Names.checkMember(member)
        let message = try unsafe Message(
            new: path.text.withCString { path in
                unsafe member.withCString { member in unsafe dbus_message_new_method_call(nil, path, nil, member) }
            })
        if let destination { try message.setDestination(destination) }
        guard let interface else { return message }
        guard unsafe interface.withCString({ unsafe dbus_message_set_interface(message.raw, $0) }) != 0 else {
            throw DBusError(.noMemory, "no memory for a message")
        }
        return message
    }

    /// A signal.
    ///
    /// - Throws: `InvalidArgs` naming the name that D-Bus does not allow.
    public static func signal(path: ObjectPath, interface: String, member: String) throws(DBusError) -> Message {
        try Names.checkInterface(interface)
        try Names.checkMember(member)
        return try Message(signalAt: path, interface: interface, member: member)
    }

    /// A signal whose names are known to be right.
    convenience init(signalAt path: ObjectPath, interface: String, member: String) throws(DBusError) {
        try unsafe self.init(
            new: path.text.withCString { path in
                unsafe interface.withCString { interface in
                    unsafe member.withCString { member in unsafe dbus_message_new_signal(path, interface, member) }
                }
            })
    }

    /// The answer to this method call.
    public func methodReturn() throws(DBusError) -> Message {
        try checkIsCall()
        return try unsafe Message(new: dbus_message_new_method_return(raw))
    }

    /// The error answer to this method call; a NUL in the message ends it.
    public func errorReply(_ error: DBusError) throws(DBusError) -> Message {
        try checkIsCall()
        return try unsafe Message(new: dbus_message_new_error(raw, error.name, error.message))
    }

    /// libdbus wants a serial to answer to.
    private func checkIsCall() throws(DBusError) {
        guard kind == .methodCall, serial != 0 else { throw .invalidArgs("only a received method call has answers") }
    }

    /// A copy that can still be changed and sent, to another receiver; it does not keep the sender.
    public func copy() throws(DBusError) -> Message {
        let copy = try unsafe Message(new: dbus_message_copy(raw))
        copy.bodySize = bodySize
        unsafe dbus_message_set_sender(copy.raw, nil)
        return copy
    }

    /// The message itself, or a copy when it was sent or received: libdbus ends the process when those are changed.
    func unsent() throws(DBusError) -> Message { isFinal ? try copy() : self }

    /// True once it was sent, and of every received one.
    private var isFinal: Bool { serial != 0 }

    private func checkUnsent() throws(DBusError) {
        if isFinal { throw .invalidArgs("a message that was sent or received cannot be changed; change a copy") }
    }
}

// MARK: - The header

extension Message {
    /// What kind of message it is; nil for one of a later protocol.
    public var kind: Kind? { unsafe Kind(rawValue: dbus_message_get_type(raw)) }
    /// 0 before it is sent.
    public var serial: UInt32 { unsafe dbus_message_get_serial(raw) }
    /// Which message this answers; 0 = none.
    public var replySerial: UInt32 { unsafe dbus_message_get_reply_serial(raw) }
    /// The unique name of whoever sent it; a bus vouches for it, a direct peer does not.
    public var sender: String? { unsafe text(dbus_message_get_sender(raw)) }
    /// Whom it is for; nil = everybody, or the other end of a direct connection.
    public var destination: String? { unsafe text(dbus_message_get_destination(raw)) }
    /// The interface of the member; a method call may have none.
    public var interface: String? { unsafe text(dbus_message_get_interface(raw)) }
    /// The method's or the signal's name.
    public var member: String? { unsafe text(dbus_message_get_member(raw)) }
    /// The error's name; nil for another kind of message.
    public var errorName: String? { unsafe text(dbus_message_get_error_name(raw)) }
    /// The object that is called, or that emits; nil for answers.
    public var path: ObjectPath? { unsafe text(dbus_message_get_path(raw)).map(ObjectPath.init(unchecked:)) }
    /// The types of the body.
    public var signature: Signature { unsafe Signature(unchecked: text(dbus_message_get_signature(raw)) ?? "") }

    /// True when the caller wants no answer, not even an error.
    public var noReplyExpected: Bool { unsafe dbus_message_get_no_reply(raw) != 0 }

    /// True when a service may be started for this call.
    public var autoStart: Bool { unsafe dbus_message_get_auto_start(raw) != 0 }

    /// True when the caller is ready to be asked for a password.
    public var allowInteractiveAuthorization: Bool {
        unsafe dbus_message_get_allow_interactive_authorization(raw) != 0
    }

    /// Says whether the caller wants an answer; `Connection.call` and `callWithoutReply` do it themselves.
    public func setNoReplyExpected(_ flag: Bool) throws(DBusError) {
        try checkUnsent()
        unsafe dbus_message_set_no_reply(raw, flag ? 1 : 0)
    }

    /// Says whether a service may be started for this call.
    public func setAutoStart(_ flag: Bool) throws(DBusError) {
        try checkUnsent()
        unsafe dbus_message_set_auto_start(raw, flag ? 1 : 0)
    }

    /// Says whether the user may be asked for a password.
    public func setAllowInteractiveAuthorization(_ flag: Bool) throws(DBusError) {
        try checkUnsent()
        unsafe dbus_message_set_allow_interactive_authorization(raw, flag ? 1 : 0)
    }

    /// Makes it for one receiver (a signal: unicast).
    ///
    /// - Throws: `InvalidArgs` for a name that D-Bus does not allow, or a message that was sent.
    public func setDestination(_ name: String) throws(DBusError) {
        try checkUnsent()
        try Names.checkBusName(name)
        guard unsafe name.withCString({ unsafe dbus_message_set_destination(raw, $0) }) != 0 else {
            throw DBusError(.noMemory, "no memory for a message")
        }
    }

    func setSender(_ name: String) throws(DBusError) {
        try checkUnsent()
        guard unsafe name.withCString({ unsafe dbus_message_set_sender(raw, $0) }) != 0 else {
            throw DBusError(.noMemory, "no memory for a message")
        }
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }

    /// An upper bound of the header's bytes: only the path is longer than 255, and a bus may add a sender.
    var headerSizeBound: Int {
        unsafe 2048 + (dbus_message_get_path(raw).map { unsafe strlen($0) } ?? 0)
    }

    /// What an error message says, as an error; nil for another kind of message.
    public var error: DBusError? {
        guard kind == .error else { return nil }
        let message = try? read { (reader) throws(DBusError) in try reader.readString() }
        return DBusError(name: errorName ?? StandardError.failed.rawValue, message: message ?? "")
    }
}

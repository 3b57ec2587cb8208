// SPDX-License-Identifier: Apache-2.0

internal import CDBus

extension Message {
    /// What kind of message it is; nil for one of a later protocol.
    public var kind: Kind? {
        unsafe draft?.kind ?? made.flatMap { unsafe Kind(rawValue: dbus_message_get_type($0)) }
    }
    /// 0 before it is sent.
    public var serial: UInt32 { unsafe made.map { unsafe dbus_message_get_serial($0) } ?? 0 }
    /// Which message this answers; 0 = none.
    public var replySerial: UInt32 {
        unsafe draft?.replySerial ?? made.map { unsafe dbus_message_get_reply_serial($0) } ?? 0
    }
    /// The unique name of whoever sent it; a bus vouches for it, a direct peer does not.
    public var sender: String? { unsafe draft?.sender ?? text(dbus_message_get_sender) }
    /// Whom it is for; nil = everybody, or the other end of a direct connection.
    public var destination: String? { unsafe draft?.destination ?? text(dbus_message_get_destination) }
    /// The interface of the member; a method call may have none.
    public var interface: String? { unsafe draft?.interface ?? text(dbus_message_get_interface) }
    /// The method's or the signal's name.
    public var member: String? { unsafe draft?.member ?? text(dbus_message_get_member) }
    /// The error's name; nil for another kind of message.
    public var errorName: String? { unsafe draft?.errorName ?? text(dbus_message_get_error_name) }
    /// The object that is called, or that emits; nil for answers.
    public var path: ObjectPath? {
        unsafe draft?.path ?? text(dbus_message_get_path).map(ObjectPath.init(unchecked:))
    }
    /// The types of the body.
    public var signature: Signature {
        unsafe draft?.signature ?? Signature(unchecked: text(dbus_message_get_signature) ?? "")
    }

    /// True when the caller wants no answer, not even an error.
    public var noReplyExpected: Bool { unsafe draft?.noReplyExpected ?? flag(dbus_message_get_no_reply) }

    /// True when a service may be started for this call.
    public var autoStart: Bool { unsafe draft?.autoStart ?? flag(dbus_message_get_auto_start) }

    /// True when the caller is ready to be asked for a password.
    public var allowInteractiveAuthorization: Bool {
        unsafe draft?.allowInteractiveAuthorization ?? flag(dbus_message_get_allow_interactive_authorization)
    }

    private func text(_ field: (OpaquePointer?) -> UnsafePointer<CChar>?) -> String? {
        guard let made = unsafe made, let text = unsafe field(made) else { return nil }
        return unsafe String(cString: text)
    }

    private func flag(_ field: (OpaquePointer?) -> dbus_bool_t) -> Bool {
        unsafe made.map { unsafe field($0) != 0 } ?? false
    }

    /// Says whether the caller wants an answer; `Connection.call` and `callWithoutReply` do it themselves.
    public func setNoReplyExpected(_ flag: Bool) throws(DBusError) {
        try unsafe change(\.noReplyExpected, to: flag, dbus_message_set_no_reply)
    }

    /// Says whether a service may be started for this call.
    public func setAutoStart(_ flag: Bool) throws(DBusError) {
        try unsafe change(\.autoStart, to: flag, dbus_message_set_auto_start)
    }

    /// Says whether the user may be asked for a password.
    public func setAllowInteractiveAuthorization(_ flag: Bool) throws(DBusError) {
        try unsafe change(
            \.allowInteractiveAuthorization, to: flag, dbus_message_set_allow_interactive_authorization)
    }

    /// Makes it for one receiver (a signal: unicast).
    ///
    /// - Throws: `InvalidArgs` for a name that D-Bus does not allow, or a message that was sent.
    public func setDestination(_ name: String) throws(DBusError) {
        try Names.checkBusName(name)
        try unsafe change(\.destination, to: name, dbus_message_set_destination)
    }

    func setSender(_ name: String) throws(DBusError) {
        try unsafe change(\.sender, to: name, dbus_message_set_sender)
    }

    // The header is changed where it is: in the draft, or in libdbus' message.

    private func change(
        _ field: ReferenceWritableKeyPath<MessageDraft, Bool>, to flag: Bool,
        _ set: (OpaquePointer?, dbus_bool_t) -> Void
    ) throws(DBusError) {
        try checkUnsent()
        draft?[keyPath: field] = flag
        if let made = unsafe made { unsafe set(made, flag ? 1 : 0) }
    }

    private func change(
        _ field: ReferenceWritableKeyPath<MessageDraft, String?>, to text: String,
        _ set: (OpaquePointer?, UnsafePointer<CChar>?) -> dbus_bool_t
    ) throws(DBusError) {
        try checkUnsent()
        draft?[keyPath: field] = text
        guard let made = unsafe made else { return }
        if unsafe text.withCString({ unsafe set(made, $0) }) == 0 { throw WriteFailure.noMemory.error }
    }

    private func checkUnsent() throws(DBusError) {
        if isFinal { throw .invalidArgs("a message that was sent or received cannot be changed; change a copy") }
    }

    /// An upper bound of the header's bytes: only the path is longer than 255, and a bus may add a sender.
    var headerSizeBound: Int { 2048 + (path?.text.utf8.count ?? 0) }

    /// What an error message says, as an error; nil for another kind of message.
    public var error: DBusError? {
        guard kind == .error else { return nil }
        let message = try? read { (reader) throws(DBusError) in try reader.readString() }
        return DBusError(name: errorName ?? StandardError.failed.rawValue, message: message ?? "")
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import CDBus

extension Message {
    /// The kind of message; nil for a kind that this version of the protocol does not define.
    public var kind: Kind? {
        unsafe draft?.header.kind ?? made.flatMap { unsafe Kind(rawValue: dbus_message_get_type($0)) }
    }
    /// The serial of the message; 0 until it is sent.
    public var serial: UInt32 { unsafe made.map { unsafe dbus_message_get_serial($0) } ?? 0 }
    /// The serial of the call that this message answers; 0 if it is not an answer.
    public var replySerial: UInt32 {
        unsafe draft?.header.replySerial ?? made.map { unsafe dbus_message_get_reply_serial($0) } ?? 0
    }
    /// The unique name of the sender. A bus guarantees it, a direct peer does not.
    public var sender: String? { unsafe draft?.header.sender ?? headerText(dbus_message_get_sender) }
    /// The bus name of the receiver; nil for a broadcast signal, or on a direct connection.
    public var destination: String? { unsafe draft?.header.destination ?? headerText(dbus_message_get_destination) }
    /// The interface of the member; optional in a method call.
    public var interface: String? { unsafe draft?.header.interface ?? headerText(dbus_message_get_interface) }
    /// The name of the method or signal.
    public var member: String? { unsafe draft?.header.member ?? headerText(dbus_message_get_member) }
    /// The name of the error; nil for other kinds of messages.
    public var errorName: String? { unsafe draft?.header.errorName ?? headerText(dbus_message_get_error_name) }
    /// The object that is called or that emits the signal; nil for answers.
    public var path: ObjectPath? {
        unsafe draft?.header.path ?? headerText(dbus_message_get_path).map(ObjectPath.init(unchecked:))
    }
    /// The signature of the body.
    public var signature: Signature {
        unsafe draft?.signature ?? Signature(unchecked: headerText(dbus_message_get_signature) ?? "")
    }

    /// Whether the caller expects no answer, not even an error (NO_REPLY_EXPECTED).
    public var noReplyExpected: Bool {
        unsafe draft?.header.flags.contains(.noReplyExpected) ?? flag(dbus_message_get_no_reply)
    }

    /// Whether the bus may start a service for this call.
    public var autoStart: Bool {
        unsafe draft.map { !$0.header.flags.contains(.noAutoStart) } ?? flag(dbus_message_get_auto_start)
    }

    /// Whether the caller allows interactive authorization.
    public var allowInteractiveAuthorization: Bool {
        unsafe draft?.header.flags.contains(.allowInteractiveAuthorization)
            ?? flag(dbus_message_get_allow_interactive_authorization)
    }

    private func headerText(_ field: (OpaquePointer?) -> UnsafePointer<CChar>?) -> String? {
        guard let made = unsafe made, let text = unsafe field(made) else { return nil }
        return unsafe String(cString: text)
    }

    private func flag(_ field: (OpaquePointer?) -> dbus_bool_t) -> Bool {
        unsafe made.map { unsafe field($0) != 0 } ?? false
    }

    // The setters change the header where it is stored: in the draft, or in libdbus' message.

    /// Sets whether the caller expects an answer; `Connection.call` and `callWithoutReply` set this themselves.
    public func setNoReplyExpected(_ flag: Bool) throws(DBusError) {
        try checkUnsent()
        draft?.set(.noReplyExpected, to: flag)
        if let made = unsafe made { unsafe dbus_message_set_no_reply(made, flag ? 1 : 0) }
    }

    /// Sets whether the bus may start a service for this call.
    public func setAutoStart(_ flag: Bool) throws(DBusError) {
        try checkUnsent()
        draft?.set(.noAutoStart, to: !flag)
        if let made = unsafe made { unsafe dbus_message_set_auto_start(made, flag ? 1 : 0) }
    }

    /// Sets whether the caller allows interactive authorization.
    public func setAllowInteractiveAuthorization(_ flag: Bool) throws(DBusError) {
        try checkUnsent()
        draft?.set(.allowInteractiveAuthorization, to: flag)
        if let made = unsafe made { unsafe dbus_message_set_allow_interactive_authorization(made, flag ? 1 : 0) }
    }

    /// Sets the receiver's bus name; a signal with a destination is unicast.
    ///
    /// - Throws: `InvalidArgs` for a name that D-Bus does not allow, or when the message was already sent.
    public func setDestination(_ name: String) throws(DBusError) {
        try Names.checkBusName(name)
        try checkUnsent()
        draft?.setDestination(name)
        try unsafe setField(dbus_message_set_destination, to: name)
    }

    func setSender(_ name: String) throws(DBusError) {
        try checkUnsent()
        draft?.setSender(name)
        try unsafe setField(dbus_message_set_sender, to: name)
    }

    private func setField(
        _ field: (OpaquePointer?, UnsafePointer<CChar>?) -> dbus_bool_t, to text: String
    ) throws(DBusError) {
        guard let made = unsafe made else { return }
        if unsafe text.withCString({ unsafe field(made, $0) }) == 0 { throw WriteFailure.noMemory.error }
    }

    private func checkUnsent() throws(DBusError) {
        if isFinal { throw .invalidArgs("a message that was sent or received cannot be changed; change a copy") }
    }

    /// An upper bound of the header's length in bytes. Only the path can exceed 255 bytes, and a bus may add a
    /// sender.
    var headerSizeBound: Int { 2048 + (path?.text.utf8.count ?? 0) }

    /// The error that an error message carries; nil for other kinds of messages.
    public var error: DBusError? {
        guard kind == .error else { return nil }
        let message = try? read { (reader) throws(DBusError) in try reader.readString() }
        return DBusError(name: errorName ?? StandardError.failed.rawValue, message: message ?? "")
    }
}

// MARK: - Comparing

extension Message {
    func hasMember(_ name: String) -> Bool {
        unsafe draft.map { $0.header.member == name } ?? fieldEquals(name, dbus_message_has_member)
    }

    func hasInterface(_ name: String) -> Bool {
        unsafe draft.map { $0.header.interface == name } ?? fieldEquals(name, dbus_message_has_interface)
    }

    func hasPath(_ path: ObjectPath) -> Bool {
        unsafe draft.map { $0.header.path == path } ?? fieldEquals(path.text, dbus_message_has_path)
    }

    /// Whether this is the signal that libdbus itself queues at the end of the connection.
    var isLocalDisconnected: Bool {
        unsafe made.map { unsafe dbus_message_is_signal($0, "org.freedesktop.DBus.Local", "Disconnected") != 0 }
            ?? false
    }

    private func fieldEquals(
        _ text: String, _ field: (OpaquePointer?, UnsafePointer<CChar>?) -> dbus_bool_t
    ) -> Bool {
        // A `String` passed to a C function is copied to the heap; `withCString` passes it in place.
        unsafe made.map { made in unsafe text.withCString { unsafe field(made, $0) != 0 } } ?? false
    }
}

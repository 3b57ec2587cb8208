// SPDX-License-Identifier: Apache-2.0

internal import CDBus

extension Message {
    /// The kind of message; nil for one of a later protocol.
    public var kind: Kind? {
        unsafe draft?.header.kind ?? made.flatMap { unsafe Kind(rawValue: dbus_message_get_type($0)) }
    }
    /// 0 before it is sent.
    public var serial: UInt32 { unsafe made.map { unsafe dbus_message_get_serial($0) } ?? 0 }
    /// The serial of the call that this answers; 0 = none.
    public var replySerial: UInt32 {
        unsafe draft?.header.replySerial ?? made.map { unsafe dbus_message_get_reply_serial($0) } ?? 0
    }
    /// The unique name of the sender; a bus guarantees it, a direct peer does not.
    public var sender: String? { unsafe draft?.header.sender ?? text(dbus_message_get_sender) }
    /// The receiver; nil = all, or the other end of a direct connection.
    public var destination: String? { unsafe draft?.header.destination ?? text(dbus_message_get_destination) }
    /// The interface of the member; a method call may have none.
    public var interface: String? { unsafe draft?.header.interface ?? text(dbus_message_get_interface) }
    /// The method's or the signal's name.
    public var member: String? { unsafe draft?.header.member ?? text(dbus_message_get_member) }
    /// The error's name; nil for another kind of message.
    public var errorName: String? { unsafe draft?.header.errorName ?? text(dbus_message_get_error_name) }
    /// The object that is called, or that emits; nil for answers.
    public var path: ObjectPath? {
        unsafe draft?.header.path ?? text(dbus_message_get_path).map(ObjectPath.init(unchecked:))
    }
    /// The types of the body.
    public var signature: Signature {
        unsafe draft?.signature ?? Signature(unchecked: text(dbus_message_get_signature) ?? "")
    }

    /// True when the caller expects no answer, not even an error (NO_REPLY_EXPECTED).
    public var noReplyExpected: Bool {
        unsafe draft?.header.flags.contains(.noReplyExpected) ?? flag(dbus_message_get_no_reply)
    }

    /// True when a service may be started for this call.
    public var autoStart: Bool {
        unsafe draft.map { !$0.header.flags.contains(.noAutoStart) } ?? flag(dbus_message_get_auto_start)
    }

    /// True when the caller allows interactive authorization.
    public var allowInteractiveAuthorization: Bool {
        unsafe draft?.header.flags.contains(.allowInteractiveAuthorization)
            ?? flag(dbus_message_get_allow_interactive_authorization)
    }

    private func text(_ field: (OpaquePointer?) -> UnsafePointer<CChar>?) -> String? {
        guard let made = unsafe made, let text = unsafe field(made) else { return nil }
        return unsafe String(cString: text)
    }

    private func flag(_ field: (OpaquePointer?) -> dbus_bool_t) -> Bool {
        unsafe made.map { unsafe field($0) != 0 } ?? false
    }

    // The header is changed where it is stored: in the draft, or in libdbus' message.

    /// Sets whether the caller expects an answer; `Connection.call` and `callWithoutReply` do it themselves.
    public func setNoReplyExpected(_ flag: Bool) throws(DBusError) {
        try checkUnsent()
        draft?.set(.noReplyExpected, to: flag)
        if let made = unsafe made { unsafe dbus_message_set_no_reply(made, flag ? 1 : 0) }
    }

    /// Sets whether a service may be started for this call.
    public func setAutoStart(_ flag: Bool) throws(DBusError) {
        try checkUnsent()
        draft?.set(.noAutoStart, to: !flag)
        if let made = unsafe made { unsafe dbus_message_set_auto_start(made, flag ? 1 : 0) }
    }

    /// Sets whether interactive authorization is allowed.
    public func setAllowInteractiveAuthorization(_ flag: Bool) throws(DBusError) {
        try checkUnsent()
        draft?.set(.allowInteractiveAuthorization, to: flag)
        if let made = unsafe made { unsafe dbus_message_set_allow_interactive_authorization(made, flag ? 1 : 0) }
    }

    /// Sets the one receiver (of a signal: unicast).
    ///
    /// - Throws: `InvalidArgs` for a name that D-Bus does not allow, or a message that was sent.
    public func setDestination(_ name: String) throws(DBusError) {
        try Names.checkBusName(name)
        try checkUnsent()
        draft?.setDestination(name)
        try unsafe change(dbus_message_set_destination, to: name)
    }

    func setSender(_ name: String) throws(DBusError) {
        try checkUnsent()
        draft?.setSender(name)
        try unsafe change(dbus_message_set_sender, to: name)
    }

    private func change(
        _ field: (OpaquePointer?, UnsafePointer<CChar>?) -> dbus_bool_t, to text: String
    ) throws(DBusError) {
        guard let made = unsafe made else { return }
        if unsafe text.withCString({ unsafe field(made, $0) }) == 0 { throw WriteFailure.noMemory.error }
    }

    private func checkUnsent() throws(DBusError) {
        if isFinal { throw .invalidArgs("a message that was sent or received cannot be changed; change a copy") }
    }

    /// An upper bound of the header's length: only the path can be longer than 255, and a bus may add a sender.
    var headerSizeBound: Int { 2048 + (path?.text.utf8.count ?? 0) }

    /// The error of an error message; nil for another kind of message.
    public var error: DBusError? {
        guard kind == .error else { return nil }
        let message = try? read { (reader) throws(DBusError) in try reader.readString() }
        return DBusError(name: errorName ?? StandardError.failed.rawValue, message: message ?? "")
    }
}

// MARK: - Comparing

extension Message {
    func hasMember(_ name: String) -> Bool {
        unsafe draft.map { $0.header.member == name } ?? has(name, dbus_message_has_member)
    }

    func hasInterface(_ name: String) -> Bool {
        unsafe draft.map { $0.header.interface == name } ?? has(name, dbus_message_has_interface)
    }

    func hasPath(_ path: ObjectPath) -> Bool {
        unsafe draft.map { $0.header.path == path } ?? has(path.text, dbus_message_has_path)
    }

    /// Whether it is libdbus' own message about the end of the connection.
    var isLocalDisconnected: Bool {
        unsafe made.map { unsafe dbus_message_is_signal($0, "org.freedesktop.DBus.Local", "Disconnected") != 0 }
            ?? false
    }

    private func has(
        _ text: String, _ field: (OpaquePointer?, UnsafePointer<CChar>?) -> dbus_bool_t
    ) -> Bool {
        // A `String` passed directly to a C function is copied to the heap; `withCString` passes it in place.
        unsafe made.map { made in unsafe text.withCString { unsafe field(made, $0) != 0 } } ?? false
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// A connection to a bus that uses plain libdbus. It blocks, and is used by one thread at a time.
final class BareConnection {
    let raw: OpaquePointer

    /// Connects to a bus and registers with `Hello`.
    convenience init(_ address: String) {
        self.init(direct: address)
        var error = DBusError()
        dbus_error_init(&error)
        guard dbus_bus_register(raw, &error) != 0 else {
            fatalError("“Hello” failed on the bus at \(address): \(String(cString: error.message))")
        }
    }

    /// Connects directly to a service, without a bus.
    init(direct address: String) {
        var error = DBusError()
        dbus_error_init(&error)
        guard let raw = dbus_connection_open_private(address, &error) else {
            fatalError("cannot connect to \(address): \(String(cString: error.message))")
        }
        self.raw = raw
        dbus_connection_set_exit_on_disconnect(raw, 0)
    }

    /// Closes the connection, because the bus would go on sending signals to an open connection.
    deinit {
        dbus_connection_close(raw)
        dbus_connection_unref(raw)
    }

    /// Sends a call and waits for its reply.
    @discardableResult
    func call(_ message: BareMessage) -> BareMessage {
        var error = DBusError()
        dbus_error_init(&error)
        guard let reply = dbus_connection_send_with_reply_and_block(raw, message.raw, 60_000, &error) else {
            fatalError("\(message.member): \(String(cString: error.name)): \(String(cString: error.message))")
        }
        return BareMessage(adopting: reply)
    }

    /// Sends all calls without waiting, then waits for all replies.
    func callAll(_ messages: [BareMessage]) {
        let pending = messages.map { message in
            var pending: OpaquePointer?
            dbus_connection_send_with_reply(raw, message.raw, &pending, 60_000)
            return pending
        }
        dbus_connection_flush(raw)
        for call in pending {
            guard let call else { continue }
            dbus_pending_call_block(call)
            guard let reply = dbus_pending_call_steal_reply(call) else { fatalError("a call got no reply") }
            let answer = BareMessage(adopting: reply)
            guard dbus_message_get_type(answer.raw) == DBUS_MESSAGE_TYPE_METHOD_RETURN else {
                fatalError("a call failed: \(String(cString: dbus_message_get_error_name(answer.raw)))")
            }
            dbus_pending_call_unref(call)
        }
    }

    /// Returns the next received message of any type; nil when none arrives within the timeout.
    func nextMessage(timeout milliseconds: Int32) -> BareMessage? {
        while true {
            if let found = dbus_connection_pop_message(raw) { return BareMessage(adopting: found) }
            guard dbus_connection_read_write(raw, milliseconds) != 0 else { exit(0) }
            if milliseconds >= 0, dbus_connection_get_dispatch_status(raw) == DBUS_DISPATCH_COMPLETE { return nil }
        }
    }

    /// Discards all received messages.
    func discardReceivedMessages() {
        while nextMessage(timeout: 0) != nil {}
    }

    func send(_ message: BareMessage) {
        dbus_connection_send(raw, message.raw, nil)
    }

    /// Adds a match rule for signals.
    func addMatchRule(_ rule: String) {
        let call = BareMessage(to: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch")
        call.write { $0.append(rule) }
        self.call(call)
    }

    /// Requests a bus name.
    func requestName(_ name: String) {
        let call = BareMessage(
            to: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName")
        call.write { writer in
            writer.append(name)
            writer.append(UInt32(4))
        }
        self.call(call)
    }

    /// Whether a bus name has an owner.
    func hasOwner(_ name: String) -> Bool {
        let call = BareMessage(
            to: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner")
        call.write { $0.append(name) }
        var reader = self.call(call).reader
        var flag: dbus_bool_t = 0
        dbus_message_iter_get_basic(&reader.iterator, &flag)
        return flag != 0
    }
}

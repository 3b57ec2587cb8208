// SPDX-License-Identifier: Apache-2.0

/// A signal, as it stands in the table of an interface and as it is emitted.
public struct Signal: Sendable {
    /// The member's name.
    public let name: String
    /// What it carries.
    public let arguments: Arguments
    /// Notes in the introspection.
    public let annotations: Annotations

    /// A signal; a name that D-Bus does not allow is the programmer's mistake and traps.
    public init(_ name: String, _ arguments: Arguments = [:], annotations: Annotations = [:]) {
        // trap: signals are written in the program; those that come in are messages
        precondition(Names.isMember(name), "“\(name)” is not a member name")
        self.name = name
        self.arguments = arguments
        self.annotations = annotations
    }
}

extension Message {
    /// A signal of an object, whose arguments `body` writes; send it with `ObjectTree.broadcast` or `Peer.send`.
    ///
    /// - Throws: `InvalidArgs` when the values do not fit the signal's arguments.
    public static func signal(
        _ signal: Signal, of interface: String, at path: ObjectPath,
        _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> Message {
        let message = try Message.signal(path: path, interface: interface, member: signal.name)
        try message.write(signal.arguments.signature, body)
        return message
    }

    /// A signal of an object, whose arguments `body` writes on another thread.
    public static func preparedSignal(
        _ signal: Signal, of interface: String, at path: ObjectPath,
        _ body: @escaping @Sendable (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> PreparedMessage {
        try PreparedMessage(
            Message.signal(path: path, interface: interface, member: signal.name), signal.arguments.signature, body)
    }
}

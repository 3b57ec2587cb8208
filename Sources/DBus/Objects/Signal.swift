// SPDX-License-Identifier: Apache-2.0

/// A signal: its declaration in the table of an interface.
public struct Signal: Sendable {
    /// The member's name.
    public let name: String
    /// Its arguments.
    public let arguments: Arguments
    /// Its annotations.
    public let annotations: Annotations

    /// A signal; an invalid name is a programming error and traps.
    public init(_ name: String, _ arguments: Arguments = [:], annotations: Annotations = [:]) {
        // trap: signals are declared in the program; received ones are messages
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

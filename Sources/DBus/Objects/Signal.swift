// SPDX-License-Identifier: Apache-2.0

/// The declaration of a signal in an interface table.
public struct Signal: Sendable {
    /// The name of the signal.
    public let name: String
    /// The arguments of the signal.
    public let arguments: Arguments
    /// The annotations of the signal.
    public let annotations: Annotations

    /// Declares a signal. An invalid name is a programming error and traps.
    public init(_ name: String, _ arguments: Arguments = [:], annotations: Annotations = [:]) {
        // trap: signals are declared in the program; received signals are messages
        precondition(Names.isMember(name), "“\(name)” is not a member name")
        self.name = name
        self.arguments = arguments
        self.annotations = annotations
    }
}

extension Message {
    /// Creates a signal whose arguments `body` writes. Send it with `ObjectTree.broadcast` or `Peer.send`.
    ///
    /// - Throws: `InvalidArgs` when the values do not match the signal's arguments.
    public static func signal(
        _ signal: Signal, of interface: String, at path: ObjectPath,
        _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> Message {
        var message = try Message.signal(path: path, interface: interface, member: signal.name)
        try message.write(signal.arguments.signature, body)
        return message
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ObjectTree {

    /// Sends a signal with typed arguments to everybody who asked for it.
    ///
    /// - Throws: `InvalidArgs` when the values do not fit the signal's arguments, `LimitsExceeded` when it is too large.
    public func emit<Object, each Value: DBusEncodable>(
        _ signal: Signal, of interface: Interface<Object>, at path: ObjectPath, _ values: repeat each Value
    ) throws(DBusError) {
        let message = Message(signalAt: path, interface: interface.name, member: signal.name)
        try message.write(signal.arguments.signature) { writer in
            repeat (each values).encode(to: &writer)
        }
        try broadcast(message)
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
}

extension Connection {
    /// Sends a signal to everybody on this connection who asked for it.
    public func broadcast(_ message: Message) throws(DBusError) {
        if case .served(let served) = role, !served.wants(message) { return }
        try send(message)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A proxy of an object in another program.
public struct RemoteObject: Sendable {
    /// The connection through which the object is reached.
    public let connection: Connection
    /// The bus name of the object's program; nil on a direct connection.
    public let destination: String?
    /// The path of the object.
    public let path: ObjectPath
    /// The interface whose members are called.
    public let interface: String

    /// Creates a proxy. No message is sent before the first call.
    public init(_ connection: Connection, destination: String?, path: ObjectPath, interface: String) {
        self.connection = connection
        self.destination = destination
        self.path = path
        self.interface = interface
    }

    /// Calls a method with typed arguments and returns its typed results.
    ///
    ///     let path = try await manager.call("GetAdapter", "mail", returning: ObjectPath.self)
    ///
    /// - Throws: the errors of `Connection.call`; `InvalidArgs` when the answer has other types.
    @DBusActor
    public func call<each Argument: DBusEncodable & Sendable, each Output: DBusDecodable>(
        _ member: String, _ arguments: repeat each Argument, returning types: repeat (each Output).Type,
        timeout: Duration? = Connection.defaultTimeout
    ) async throws(DBusError) -> (repeat each Output) {
        var message = try Message.methodCall(to: destination, path: path, interface: interface, member: member)
        try message.write(repeat each arguments)
        let reply = try await connection.call(message, timeout: timeout)
        return try reply.decode(as: repeat each types)
    }

    /// Reads one property.
    @DBusActor
    public func property<Value: DBusDecodable>(_ name: String, as type: Value.Type) async throws(DBusError) -> Value {
        let properties = RemoteObject(
            connection, destination: destination, path: path, interface: StandardInterface.properties)
        return try await properties.call("Get", interface, name, returning: Variant<Value>.self).value
    }
}

// SPDX-License-Identifier: Apache-2.0

extension Connection {
    /// How long a call waits for its answer unless the caller gives a time.
    public nonisolated static let defaultTimeout = Duration.seconds(25)

    /// Sends a call; `completion` runs exactly once, with the answer or with an error: the other end's, `NoReply` after
    /// `timeout` (nil = never), `Disconnected`, or why it could not be sent. It never runs before this returns.
    @discardableResult
    public func call(
        _ message: Message, timeout: Duration? = Connection.defaultTimeout,
        completion: @escaping @DBusActor (Result<Message, DBusError>) -> Void
    ) -> PendingCall {
        do throws(DBusError) {
            let message = try message.unsent()
            try message.setNoReplyExpected(false)
            let serial = try send(message)
            let timer = timeout.map { limit in
                EventLoop.shared.addTimer(after: limit) { [weak self] in
                    self?.calls.remove(serial: serial)?(.failure(.noReply("no answer within \(limit)")))
                }
            }
            calls.add(serial: serial, timer: timer, completion: completion)
            return PendingCall(connection: self, serial: serial)
        } catch {
            EventLoop.shared.post { completion(.failure(error)) }
            return PendingCall(connection: self, serial: 0)
        }
    }

    /// Sends a call and waits for its answer.
    ///
    /// - Throws: the other end's error, `NoReply` after `timeout` (nil = never) or when the task is cancelled,
    ///   `Disconnected`, or why it could not be sent.
    public func call(
        _ message: Message, timeout: Duration? = Connection.defaultTimeout
    ) async throws(DBusError) -> Message {
        let gate = Gate<Message>()
        let pending = call(message, timeout: timeout) { gate.open($0) }
        let result = await withTaskCancellationHandler {
            await gate.result()
        } onCancel: {
            EventLoop.shared.post { pending.cancel() }
        }
        return try result.get()
    }

    /// Sends a call that makes something at the other end, and waits for its answer.
    ///
    /// `late` is handed an answer that comes when nobody waits for it any more: what was made is to be given back.
    /// - Throws: as `call`.
    public func callCreating(
        _ message: Message, timeout: Duration = Connection.defaultTimeout, late: @escaping @DBusActor (Message) -> Void
    ) async throws(DBusError) -> Message {
        let gate = Gate<Message>()
        call(message, timeout: nil) { result in
            if !gate.open(result), case .success(let reply) = result { late(reply) }
        }
        let timer = EventLoop.shared.addTimer(after: timeout) {
            gate.open(.failure(.noReply("no answer within \(timeout)")))
        }
        let result = await withTaskCancellationHandler {
            await gate.result()
        } onCancel: {
            gate.open(.failure(.noReply("the call was cancelled")))
        }
        timer.cancel()
        return try result.get()
    }

    /// Sends a call that wants no answer, and gets none, not even an error.
    public func callWithoutReply(_ message: Message) throws(DBusError) {
        let message = try message.unsent()
        try message.setNoReplyExpected(true)
        try send(message)
    }
}

/// An object of another program, as calls address it.
public struct RemoteObject: Sendable {
    /// The way to it.
    public let connection: Connection
    /// The bus name; nil on a direct connection.
    public let destination: String?
    /// Where it is in the other program's tree.
    public let path: ObjectPath
    /// Which of its interfaces is called.
    public let interface: String

    /// An object to call; nothing is asked or checked before the first call.
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
    /// - Throws: as `Connection.call`; `InvalidArgs` when the answer holds other types.
    @DBusActor
    public func call<each Argument: DBusEncodable & Sendable, each Output: DBusDecodable>(
        _ member: String, _ arguments: repeat each Argument, returning types: repeat (each Output).Type,
        timeout: Duration? = Connection.defaultTimeout
    ) async throws(DBusError) -> (repeat each Output) {
        let message = try Message.methodCall(to: destination, path: path, interface: interface, member: member)
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

/// The interfaces of the specification.
public enum StandardInterface {
    /// The bus itself.
    public static let bus = "org.freedesktop.DBus"
    /// What an object can do, as XML.
    public static let introspectable = "org.freedesktop.DBus.Introspectable"
    /// All objects below one, at once.
    public static let objectManager = "org.freedesktop.DBus.ObjectManager"
    /// Ping and the machine's identity.
    public static let peer = "org.freedesktop.DBus.Peer"
    /// Reading, writing and following properties.
    public static let properties = "org.freedesktop.DBus.Properties"
}

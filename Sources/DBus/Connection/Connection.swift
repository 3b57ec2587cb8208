// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// An object that answers the calls that arrive on a connection.
@DBusActor
protocol CallResponder: AnyObject {
    /// Called when `connection` begins to use this responder.
    func attach(_ connection: Connection)
    /// Called when `connection` stops using this responder.
    func detach(_ connection: Connection)
    /// Called when a call arrives. The responder may answer it now or later.
    func didReceiveCall(_ message: Message, from peer: Peer, on connection: Connection)
}

/// The decisions of a server about the connection to one of its clients.
@DBusActor
protocol ServedClient: AnyObject {
    /// Called when a call arrives. The server may answer it now or later.
    func didReceiveCall(_ message: Message, on connection: Connection)
    /// The sender of messages to the client that have none.
    var senderName: String { get }
    /// Called when bytes were read from the client or written to it.
    func didProgress(_ connection: Connection)
    /// Returns whether a broadcast is sent to the client.
    func receives(_ broadcast: Message) -> Bool
}

/// A connection to a bus, or directly to another program.
///
/// A connection runs on the event-loop thread; once it is open, it never blocks. `objects` answers incoming calls.
/// When the connection ends, for any reason, all pending calls fail with `Disconnected` and the handlers of
/// `onDisconnect` run. A new connection must then be opened. It has another unique name, and match rules and bus
/// names must be requested again.
@DBusActor
public final class Connection {
    /// What is at the other end of a connection.
    enum OtherEnd {
        /// A message bus, which assigned a unique name to this connection.
        case bus(uniqueName: String)
        /// A program to whose server this program connected.
        case direct
        /// A program that connected to this program's server.
        case served(any ServedClient)
    }

    /// The lowest message size limit of a system bus, in bytes. The bus disconnects the sender of a larger message.
    public static let busMessageSize = 32 << 20

    /// The number of messages that one connection handles before other connections and timers run.
    public nonisolated static let messagesPerTurn = Reactor.messagesPerTurn

    let transport: Transport
    private var role: OtherEnd
    /// The size in bytes above which messages are refused with `LimitsExceeded` instead of being sent.
    public var maximumMessageSize: Int
    /// The object that answers calls. If nil, every call gets `UnknownObject`.
    private(set) var responder: (any CallResponder)?
    private let calls = PendingCalls()
    private let matches = MatchTable()
    private let peers = PeerRegistry()
    private let events = ConnectionEvents()
    /// A gate on which the task that opens the connection waits until authentication is complete.
    private var authentication: Gate<Void>?

    init(transport: Transport, role: OtherEnd, maximumMessageSize: Int) {
        self.transport = transport
        self.role = role
        self.maximumMessageSize = maximumMessageSize
        transport.setConnection(self)
    }

    /// Sets the object that answers calls from now on; nil removes it.
    func setResponder(_ responder: (any CallResponder)?) {
        self.responder?.detach(self)
        self.responder = responder
        responder?.attach(self)
    }

    /// Whether the connection has not ended yet.
    public var isConnected: Bool { transport.isConnected }

    /// The unique name of this connection on the bus; empty on a direct connection.
    public var uniqueName: String {
        if case .bus(let name) = role { name } else { "" }
    }

    /// Whether the other end is a message bus. On a bus, calls need a destination, and signals go to the connections
    /// that have a matching rule.
    public var isBus: Bool {
        if case .bus = role { true } else { false }
    }

    /// The number of bytes that are queued or that the other end has not received yet. D-Bus sets no limit, so check
    /// this value before producing more.
    public var outgoingSize: Int { transport.outgoingSize }

    /// Whether reading from the other end is paused, so that its send queue fills up. If a client of this program's
    /// server disconnects while reading is paused, or closes its sending direction, its connection is closed at once
    /// and its unread messages are lost.
    public var readingIsPaused: Bool {
        get { transport.readingIsPaused }
        set { transport.readingIsPaused = newValue }
    }

    /// Queues a message and writes as much as the socket accepts now.
    ///
    /// - Returns: the serial of the message. If the bus cannot deliver the message, it sends an error with this
    ///   serial (`onUndelivered`).
    /// - Throws: `LimitsExceeded` for a message larger than `maximumMessageSize`, `Disconnected`.
    @discardableResult
    public func send(_ message: Message) throws(DBusError) -> UInt32 {
        let bound = message.bodySize + message.headerSizeBound
        guard bound <= maximumMessageSize else {
            throw .limitsExceeded("a message of \(bound) bytes exceeds the limit of \(maximumMessageSize) bytes")
        }
        guard message.sender == nil, case .served(let client) = role else { return try transport.send(message) }
        var message = message
        message.sender = client.senderName
        return try transport.send(message)
    }

    /// Sends a signal, unless the other end is a client of this program's server that has not subscribed to it, or that
    /// leaves too much unread.
    public func broadcast(_ message: Message) throws(DBusError) {
        if case .served(let client) = role, !client.receives(message) { return }
        try send(message)
    }

    /// Ends the connection. Queued messages are lost.
    public func close() {
        guard transport.isConnected else { return }
        transport.close()
        finish()
    }

    /// Fails all pending calls and runs the disconnect handlers; called once, when the connection has ended.
    private func finish() {
        let error = DBusError.disconnected("the connection has ended")
        authentication?.open(.failure(.disconnected("the other end refused the connection during authentication")))
        let waiting = calls.removeAll()
        for completion in waiting { completion(.failure(error)) }
        let departing = peers.removeAll()
        for peer in departing { peer.markDeparted() }
        matches.removeAll()
        let handlers = events.removeEndHandlers()
        for handler in handlers { handler() }
    }
}

// MARK: - Opening

extension Connection {
    /// Waits until the other end has authenticated this connection. Descriptors cannot be sent before that.
    func awaitAuthentication(timeout: Duration) async throws(DBusError) {
        let gate = Gate<Void>()
        authentication = gate
        let timer = EventLoop.shared.addTimer(after: timeout) {
            gate.open(.failure(.noReply("authentication did not complete within \(timeout)")))
        }
        let result = await gate.result()
        timer.cancel()
        authentication = nil
        do throws(DBusError) {
            try result.get()
        } catch {
            close()
            throw error
        }
    }

    /// Stores the unique name with which the bus has answered `Hello`.
    func becomeBusClient(named name: String) {
        role = .bus(uniqueName: name)
    }

    /// Sets the client at the other end of a connection to this program's server: the connection's only peer.
    func setPeer(_ peer: Peer) {
        peer.setConnection(self)
        _ = peers.directPeer { peer }
    }
}

// MARK: - Calls

extension Connection {
    /// The default time that a call waits for its answer.
    public nonisolated static let defaultTimeout = Duration.seconds(25)

    /// Sends a call. `completion` runs exactly once, and never before this function returns. It gets the answer, the
    /// error that the other end sent, `NoReply` after `timeout` (nil for no timeout), `Disconnected`, or the reason
    /// why the call could not be sent.
    @discardableResult
    public func call(
        _ message: Message, timeout: Duration? = Connection.defaultTimeout,
        completion: @escaping @DBusActor (Result<Message, DBusError>) -> Void
    ) -> PendingCall {
        do throws(DBusError) {
            var message = message
            message.noReplyExpected = false
            let serial = try send(message)
            let timer = timeout.map { limit in
                EventLoop.shared.addTimer(after: limit) { [weak self] in
                    self?.calls.remove(serial: serial)?(.failure(.noReply("the call was not answered within \(limit)")))
                }
            }
            calls.add(serial: serial, timer: timer, completion: completion)
            return PendingCall(calls, serial: serial)
        } catch {
            EventLoop.shared.post { completion(.failure(error)) }
            return PendingCall(calls, serial: 0)
        }
    }

    /// Sends a call and waits for its answer.
    ///
    /// - Throws: the error that the other end sent, `NoReply` after `timeout` (nil for no timeout) or when the task
    ///   is cancelled, `Disconnected`, or the reason why the call could not be sent.
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

    /// Sends a call that creates something at the other end, and waits for its answer.
    ///
    /// `late` is called with an answer that arrives after the wait has ended, so that the caller can release what was
    /// created.
    ///
    /// - Throws: the errors of `call`.
    public func callCreating(
        _ message: Message, timeout: Duration = Connection.defaultTimeout, late: @escaping @DBusActor (Message) -> Void
    ) async throws(DBusError) -> Message {
        let gate = Gate<Message>()
        call(message, timeout: nil) { result in
            if !gate.open(result), case .success(let reply) = result { late(reply) }
        }
        let timer = EventLoop.shared.addTimer(after: timeout) {
            gate.open(.failure(.noReply("the call was not answered within \(timeout)")))
        }
        let result = await withTaskCancellationHandler {
            await gate.result()
        } onCancel: {
            gate.open(.failure(.noReply("the call was cancelled")))
        }
        timer.cancel()
        return try result.get()
    }

    /// Sends a call with NO_REPLY_EXPECTED, which gets neither an answer nor an error.
    public func callWithoutReply(_ message: Message) throws(DBusError) {
        var message = message
        message.noReplyExpected = true
        try send(message)
    }

    /// Creates a call of a method of the bus driver that has one string argument.
    func makeBusCall(_ member: String, argument: String) throws(DBusError) -> Message {
        var message = try Message.methodCall(to: Bus.name, path: Bus.path, interface: Bus.name, member: member)
        try message.write(argument)
        return message
    }
}

// MARK: - Signals and events

extension Connection {
    /// Calls `handler` for each message that `rule` matches, in order, until the subscription is cancelled.
    ///
    /// The rule is added to the bus once for all subscriptions that have it. With `onBus: false` it is not added:
    /// unicast signals to this connection arrive without a rule. A direct connection has no bus, so no rule is added.
    ///
    /// - Throws: `MatchRuleInvalid`; the error of the bus, such as `LimitsExceeded` for too many rules;
    ///   `Disconnected`.
    public func subscribe(
        _ rule: MatchRule, onBus: Bool = true, _ handler: @escaping @DBusActor (Message) -> Void
    ) async throws(DBusError) -> Subscription {
        try await matches.subscribe(rule, onBus: onBus, on: self, handler)
    }

    /// Subscribes to a rule that is known to be valid, until the connection ends. The bus processes the rule before
    /// any later call.
    func subscribeWithoutWaiting(_ rule: MatchRule, _ handler: @escaping @DBusActor (Message) -> Void) {
        matches.add(rule, onBus: true, on: self, handler)
    }

    /// Calls `handler` with the unique name of every connection that leaves the bus.
    ///
    /// One match rule serves all these handlers and those of `Peer.onDeparture`.
    public func onDeparture(_ handler: @escaping @DBusActor (_ uniqueName: String) -> Void) {
        peers.onDeparture(on: self, handler)
    }

    /// Calls `handler` once, when either side has ended the connection. If it has already ended, `handler` runs on
    /// the next turn of the loop.
    public func onDisconnect(_ handler: @escaping @DBusActor () -> Void) {
        guard isConnected else {
            EventLoop.shared.addTimer(after: .zero, handler)
            return
        }
        events.addDisconnectHandler(handler)
    }

    /// Calls `handler` for each error that does not answer a call. dbus-daemon sends such an error, with the serial
    /// that `send` returned, for a unicast signal that it had to drop.
    public func onUndelivered(_ handler: @escaping @DBusActor (_ serial: UInt32, _ error: DBusError) -> Void) {
        events.addUndeliveredHandler(handler)
    }

    /// Calls `handler` when the bus gives a name to this connection or takes a name from it.
    public func onName(_ handler: @escaping @DBusActor (NameEvent) -> Void) {
        events.addNameHandler(handler)
    }

    /// Calls `handler` once, as soon as at most `limit` bytes are queued for the other end, or the connection has ended.
    /// If that is already the case, `handler` runs on the next turn of the loop.
    public func onDrain(below limit: Int, _ handler: @escaping @DBusActor () -> Void) {
        guard outgoingSize > limit else {
            EventLoop.shared.addTimer(after: .zero, handler)
            return
        }
        events.addDrainHandler(below: limit, handler)
    }

    /// Waits until all queued messages are written to the socket, for at most `timeout`.
    ///
    /// - Returns: `false` when the connection ended or the timeout expired first.
    public func flush(timeout: Duration) async -> Bool {
        guard outgoingSize > 0 else { return isConnected }
        let gate = Gate<Bool>()
        let timer = EventLoop.shared.addTimer(after: timeout) { gate.open(.success(false)) }
        onDrain(below: 0) { gate.open(.success(true)) }
        onDisconnect { gate.open(.success(false)) }
        let result = await gate.result()
        timer.cancel()
        return (try? result.get()) ?? false
    }
}

// MARK: - Incoming messages

extension Connection {
    /// Handles a received message; the transport passes them on in the order in which the other end sent them.
    func receive(_ message: Message) {
        switch message.kind {
        case .methodCall: handleCall(message)
        case .methodReturn, .error: handleReply(message)
        case .signal: handleSignal(message)
        case nil: break  // a kind of a later protocol version: the specification requires ignoring it
        }
    }

    /// Handles the end of the transport: either side has ended the connection.
    func handleEnd() {
        transport.close()
        finish()
    }

    /// Called when bytes were read or written, so authentication or the outgoing queue may have changed.
    func handleProgress() {
        if transport.isAlive {  // the queue of an ended connection is empty only because it was discarded
            let drained = events.removeDrainHandlers(at: transport.outgoingSize)
            for handler in drained { handler() }
        }
        if case .served(let client) = role { client.didProgress(self) }
        if let gate = authentication, transport.isAuthenticated { gate.open(.success(())) }
    }

    private func handleReply(_ message: Message) {
        if let completion = calls.remove(serial: message.replySerial) {
            return completion(message.error.map { .failure($0) } ?? .success(message))
        }
        if let error = message.error { events.reportUndelivered(message.replySerial, error) }
    }

    private func handleCall(_ message: Message) {
        switch role {
        case .bus: peers.handleBusCall(message, on: self)
        case .direct:
            let peer = peers.directPeer { Peer(connection: self, name: "", credentials: transport.peerCredentials) }
            dispatch(message, from: peer)
        case .served(let client): client.didReceiveCall(message, on: self)
        }
    }

    /// Passes a call to the responder.
    func dispatch(_ message: Message, from peer: Peer) {
        if let responder { return responder.didReceiveCall(message, from: peer, on: self) }
        guard !message.noReplyExpected else { return }
        let reply = try? message.errorReply(.unknownObject(message.path ?? .root))
        if let reply { _ = try? send(reply) }
    }

    private func handleSignal(_ message: Message) {
        if isBus && message.sender == Bus.name { handleBusSignal(message) }
        matches.deliver(message, ignoringSender: !isBus)
    }

    /// Handles a signal that the bus sends to this connection alone: it has acquired or lost a name.
    private func handleBusSignal(_ message: Message) {
        guard message.interface == Bus.name, let member = message.member else { return }
        guard member == "NameAcquired" || member == "NameLost", let name = try? message.decode(as: String.self) else {
            return
        }
        events.reportName(member == "NameLost" ? .lost(name) : .acquired(name))
    }
}

extension Connection {
    /// Connects to a bus and registers with it (`Hello`).
    ///
    /// - Throws: `BadAddress`, `NoServer` and the like when no bus listens at the address, `NoReply` when the bus
    ///   does not answer within `timeout`, `AccessDenied` when authentication is refused.
    public static func open(
        _ address: BusAddress, timeout: Duration = .seconds(10), maximumMessageSize: Int = Connection.busMessageSize
    ) async throws(DBusError) -> Connection {
        let connection = try await openDirect(address, timeout: timeout, maximumMessageSize: maximumMessageSize)
        do throws(DBusError) {
            let bus = RemoteObject(connection, destination: Bus.name, path: Bus.path, interface: Bus.name)
            let name = try await bus.call("Hello", returning: String.self, timeout: timeout)
            connection.becomeBusClient(named: name)
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    /// Connects directly to another program's server, without `Hello`.
    ///
    /// - Throws: `BadAddress`, `NoServer` and the like when no server listens at the address, `Disconnected` when the
    ///   server refuses the connection, `NoReply` when it does not answer within `timeout`.
    public static func openDirect(
        _ address: BusAddress, timeout: Duration = .seconds(10), maximumMessageSize: Int = Message.largestBody
    ) async throws(DBusError) -> Connection {
        let address = try address.resolved()
        guard !address.utf8.contains(0) else { throw DBusError(.badAddress, "the address contains a NUL character") }
        let raw = try unsafe LibdbusError.check { error in
            unsafe dbus_connection_open_private(address, error)
        }
        let connection = Connection(
            transport: try unsafe Transport(adopting: raw), role: .direct, maximumMessageSize: maximumMessageSize)
        try await connection.awaitAuthentication(timeout: timeout)
        return connection
    }
}

/// The calls of one connection that wait for an answer.
///
/// This class returns completions instead of calling them, as a completion may make another call.
@DBusActor
final class PendingCalls {
    typealias Completion = @DBusActor (Result<Message, DBusError>) -> Void

    private var waiting: [UInt32: (timer: LoopTimer?, completion: Completion)] = [:]

    nonisolated init() {}

    func add(serial: UInt32, timer: LoopTimer?, completion: @escaping Completion) {
        waiting[serial] = (timer, completion)
    }

    /// Removes and returns the completion of an answered call; nil when no pending call has this serial.
    func remove(serial: UInt32) -> Completion? {
        guard let (timer, completion) = waiting.removeValue(forKey: serial) else { return nil }
        timer?.cancel()
        return completion
    }

    /// Removes and returns all completions, in the order in which the calls were sent.
    func removeAll() -> [Completion] {
        let calls = waiting.sorted { $0.key < $1.key }.map(\.value)
        waiting = [:]
        for call in calls { call.timer?.cancel() }
        return calls.map(\.completion)
    }
}

/// A handle to cancel a pending call.
@DBusActor
public final class PendingCall {
    private weak var calls: PendingCalls?
    private let serial: UInt32

    init(_ calls: PendingCalls, serial: UInt32) {
        self.calls = calls
        self.serial = serial
    }

    /// Cancels the call: it fails with `NoReply` now, and a later answer is ignored.
    public func cancel() {
        calls?.remove(serial: serial)?(.failure(.noReply("the call was cancelled")))
    }
}

/// The event handlers of one connection.
@DBusActor
final class ConnectionEvents {
    private var disconnectHandlers: [@DBusActor () -> Void] = []
    private var undeliveredHandlers: [@DBusActor (UInt32, DBusError) -> Void] = []
    private var nameHandlers: [@DBusActor (NameEvent) -> Void] = []
    private var drains: [(limit: Int, handler: @DBusActor () -> Void)] = []

    nonisolated init() {}

    /// Removes all handlers and returns those that the end of the connection concerns, which the caller must call.
    func removeEndHandlers() -> [@DBusActor () -> Void] {
        defer { (disconnectHandlers, undeliveredHandlers, nameHandlers, drains) = ([], [], [], []) }
        return disconnectHandlers + drains.map(\.handler)
    }

    func addDisconnectHandler(_ handler: @escaping @DBusActor () -> Void) {
        disconnectHandlers.append(handler)
    }

    func addUndeliveredHandler(_ handler: @escaping @DBusActor (UInt32, DBusError) -> Void) {
        undeliveredHandlers.append(handler)
    }

    func addNameHandler(_ handler: @escaping @DBusActor (NameEvent) -> Void) {
        nameHandlers.append(handler)
    }

    func addDrainHandler(below limit: Int, _ handler: @escaping @DBusActor () -> Void) {
        drains.append((limit, handler))
    }

    func reportUndelivered(_ serial: UInt32, _ error: DBusError) {
        for handler in undeliveredHandlers { handler(serial, error) }
    }

    func reportName(_ event: NameEvent) {
        for handler in nameHandlers { handler(event) }
    }

    /// Removes and returns the drain handlers whose limit is not below `size`; the caller must call them.
    func removeDrainHandlers(at size: Int) -> [@DBusActor () -> Void] {
        guard !drains.isEmpty else { return [] }
        let reached = drains.filter { size <= $0.limit }
        drains.removeAll { size <= $0.limit }
        return reached.map(\.handler)
    }
}

/// A signal of the bus about a name that this connection has acquired or lost.
public enum NameEvent: Equatable, Sendable {
    case acquired(String)
    case lost(String)
}

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

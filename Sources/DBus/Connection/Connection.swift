// SPDX-License-Identifier: Apache-2.0

/// Answers the calls that arrive on a connection.
@DBusActor
protocol CallResponder: AnyObject {
    /// A connection serves its objects from now on.
    func attach(_ connection: Connection)
    /// A connection no longer serves its objects.
    func detach(_ connection: Connection)
    /// A call has arrived, which is answered now or later.
    func receivedCall(_ message: Message, from peer: Peer, on connection: Connection)
}

/// The decisions of a server about the connection of one of its clients.
@DBusActor
protocol ServedClient: AnyObject {
    /// A call has arrived, which is answered now or later.
    func receivedCall(_ message: Message, on connection: Connection)
    /// Completes the header of a message to the client.
    func stamp(_ message: Message) throws(DBusError)
    /// Something was read from the client, or written to it.
    func didProgress(_ connection: Connection)
    /// Whether the client gets a broadcast.
    func wants(_ message: Message) -> Bool
}

/// A connection to a bus, or directly to another program.
///
/// It runs on the event-loop thread, and nothing blocks once the connection is open. Calls that arrive are answered
/// from `objects`. When the connection ends, for any reason, all pending calls fail with `Disconnected` and the
/// handlers of `onDisconnect` run; to continue, open another one: it has another unique name, and match rules and names
/// must be requested again.
@DBusActor
public final class Connection {
    /// The kind of the other end.
    enum Role {
        /// A message bus; it has given this connection a unique name.
        case bus(uniqueName: String)
        /// One program, to whose server this one has connected.
        case direct
        /// One program, which has connected to our server.
        case served(any ServedClient)
    }

    /// The lowest limit of a system bus: it disconnects the sender of a larger message.
    public static let busMessageSize = 32 << 20

    /// The number of messages that one connection handles before other connections and timers get their turn.
    public nonisolated static let messagesPerTurn = Transport.messagesPerTurn

    let transport: Transport
    private var role: Role
    /// Larger messages are refused with `LimitsExceeded` instead of being sent, in bytes.
    public var maximumMessageSize: Int
    /// Answers calls; without it every call gets `UnknownObject`.
    private(set) var responder: (any CallResponder)?
    private let calls = PendingCalls()
    private let subscriptions = Subscriptions()
    private let peers = PeerRegistry()
    private let events = ConnectionEvents()
    /// The task that opens the connection waits here until the other end has authenticated it.
    private var authentication: Gate<Void>?

    init(transport: Transport, role: Role, maximumMessageSize: Int) {
        self.transport = transport
        self.role = role
        self.maximumMessageSize = maximumMessageSize
        transport.setDelegate(self)
    }

    /// Makes another object answer calls from now on; nil = none.
    func setResponder(_ responder: (any CallResponder)?) {
        self.responder?.detach(self)
        self.responder = responder
        responder?.attach(self)
    }

    /// False once the connection has ended.
    public var isConnected: Bool { transport.isConnected }

    /// Our unique name on the bus; empty on a direct connection.
    public var uniqueName: String {
        if case .bus(let name) = role { name } else { "" }
    }

    /// True for a message bus, where a destination is needed and signals go to connections with a matching rule.
    public var isBus: Bool {
        if case .bus = role { true } else { false }
    }

    /// Bytes that the other end has not received yet; D-Bus itself sets no limit, so check this before producing more.
    public var outgoingSize: Int { transport.outgoingSize }

    /// While true, nothing is read from the other end, so that its own queue fills. A client of our server that leaves
    /// meanwhile, or closes its sending direction, is closed at once, and messages that were not read are lost.
    public var readingIsPaused: Bool {
        get { transport.readingIsPaused }
        set { transport.readingIsPaused = newValue }
    }

    /// Queues a message and writes as much as the socket accepts now.
    ///
    /// - Returns: its serial; an error that the bus sends instead of delivering it carries it (`onUndelivered`).
    /// - Throws: `LimitsExceeded` for a message larger than `maximumMessageSize`, `Disconnected`.
    @discardableResult
    public func send(_ message: Message) throws(DBusError) -> UInt32 {
        let bound = message.bodySize + message.headerSizeBound
        guard bound <= maximumMessageSize else {
            throw .limitsExceeded("a message of \(bound) bytes is more than the \(maximumMessageSize) that may be sent")
        }
        let message = try message.unsent()
        if case .served(let client) = role { try client.stamp(message) }
        return try transport.send(message)
    }

    /// Sends a signal to every receiver on this connection that subscribed to it.
    public func broadcast(_ message: Message) throws(DBusError) {
        if case .served(let client) = role, !client.wants(message) { return }
        try send(message)
    }

    /// Ends the connection; queued messages are lost.
    public func close() {
        guard transport.isConnected else { return }
        transport.close()
        finish()
    }

    /// Runs once when the connection has ended.
    private func finish() {
        let error = DBusError.disconnected("the connection has ended")
        authentication?.open(.failure(.disconnected("the other end did not let us in")))
        let waiting = calls.removeAll()
        for completion in waiting { completion(.failure(error)) }
        let departing = peers.removeAll()
        for peer in departing { peer.depart() }
        subscriptions.removeAll()
        let handlers = events.removeDisconnectHandlers()
        for handler in handlers { handler() }
    }
}

// MARK: - Opening

extension Connection {
    /// Until authentication is over, descriptors cannot be sent.
    func awaitAuthentication(_ timeout: Duration) async throws(DBusError) {
        let gate = Gate<Void>()
        authentication = gate
        let timer = EventLoop.shared.addTimer(after: timeout) {
            gate.open(.failure(.noReply("the other end did not let us in within \(timeout)")))
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

    /// The bus has answered Hello.
    func becomeBusClient(_ name: String) {
        role = .bus(uniqueName: name)
        // Messages of other clients arrive on it, too: a handler must not delay those.
        transport.limit(unreleasedBytes: Int.max)
    }

    /// A client of our server: the one peer of its connection is known from the beginning.
    func serve(_ peer: Peer) {
        peer.attach(self)
        _ = peers.direct { peer }
    }
}

// MARK: - Calls

extension Connection {
    /// How long a call waits for its answer unless the caller gives a time.
    public nonisolated static let defaultTimeout = Duration.seconds(25)

    /// Sends a call; `completion` runs exactly once, with the answer or with an error: the other end's, `NoReply` after
    /// `timeout` (nil = never), `Disconnected`, or the reason why it could not be sent. It never runs before this
    /// returns.
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
            return PendingCall(calls, serial: serial)
        } catch {
            EventLoop.shared.post { completion(.failure(error)) }
            return PendingCall(calls, serial: 0)
        }
    }

    /// Sends a call and waits for its answer.
    ///
    /// - Throws: the other end's error, `NoReply` after `timeout` (nil = never) or when the task is cancelled,
    ///   `Disconnected`, or the reason why it could not be sent.
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
    /// `late` gets an answer that arrives after the waiting has ended, to release what was created.
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

    /// Sends a call with NO_REPLY_EXPECTED: it gets no answer, not even an error.
    public func callWithoutReply(_ message: Message) throws(DBusError) {
        let message = try message.unsent()
        try message.setNoReplyExpected(true)
        try send(message)
    }

    /// Calls a method of the bus itself with one text.
    func busCall(_ member: String, _ argument: String) throws(DBusError) -> Message {
        let message = try Message.methodCall(to: Bus.name, path: Bus.path, interface: Bus.name, member: member)
        try message.write(argument)
        return message
    }
}

// MARK: - Signals and events

extension Connection {
    /// Calls `handler` for each message that `rule` matches, in order, until the subscription is cancelled.
    ///
    /// The rule is added to the bus, once for all subscriptions with it. With `onBus: false` it is not: signals that
    /// are sent to this connection alone arrive without a rule. A direct connection has no bus to ask.
    /// - Throws: `MatchRuleInvalid`; the error of the bus, such as `LimitsExceeded` for too many rules; `Disconnected`.
    public func subscribe(
        _ rule: MatchRule, onBus: Bool = true, _ handler: @escaping @DBusActor (Message) -> Void
    ) async throws(DBusError) -> Subscription {
        try await subscriptions.subscribe(rule, onBus: onBus, on: self, handler)
    }

    /// The same for a rule that is known to be valid, until the connection ends; the bus gets it before any later call.
    func subscribeAtOnce(_ rule: MatchRule, _ handler: @escaping @DBusActor (Message) -> Void) {
        subscriptions.add(rule, onBus: true, on: self, handler)
    }

    /// Calls `handler` with the unique name of every connection that leaves the bus.
    ///
    /// One match rule serves all handlers, and `Peer.onDeparture` too.
    public func onDeparture(_ handler: @escaping @DBusActor (_ uniqueName: String) -> Void) {
        peers.onDeparture(on: self, handler)
    }

    /// Calls `handler` once, when either side has ended the connection; on the next turn of the loop if it has ended
    /// already.
    public func onDisconnect(_ handler: @escaping @DBusActor () -> Void) {
        guard isConnected else {
            EventLoop.shared.addTimer(after: .zero, handler)
            return
        }
        events.addDisconnectHandler(handler)
    }

    /// Calls `handler` for each error that answers something other than a call: dbus-daemon sends one for a unicast
    /// signal that it had to drop, with the serial that `send` returned.
    public func onUndelivered(_ handler: @escaping @DBusActor (_ serial: UInt32, _ error: DBusError) -> Void) {
        events.addUndeliveredHandler(handler)
    }

    /// Calls `handler` when the bus gives this connection a name or takes one away.
    public func onName(_ handler: @escaping @DBusActor (NameEvent) -> Void) {
        events.addNameHandler(handler)
    }

    /// Calls `handler` once, as soon as at most `limit` bytes are queued for the other end; on the next turn if that is
    /// so now.
    public func onDrain(below limit: Int, _ handler: @escaping @DBusActor () -> Void) {
        guard outgoingSize > limit else {
            EventLoop.shared.addTimer(after: .zero, handler)
            return
        }
        events.addDrain(below: limit, handler)
    }

    /// Waits until all queued messages are written to the socket, at most for `timeout`.
    ///
    /// - Returns: false when the time was up, or the connection ended, before.
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

// MARK: - What comes in

extension Connection: TransportDelegate {
    func transport(_ transport: Transport, received message: Message) {
        switch message.kind {
        case .methodCall: receivedCall(message)
        case .methodReturn, .error: receivedReply(message)
        case .signal: receivedSignal(message)
        case nil: break  // a kind of a later protocol: ignored, as the specification requires
        }
    }

    func transportDidDisconnect(_ transport: Transport) {
        transport.close()
        finish()
    }

    func transportDidProgress(_ transport: Transport) {
        if transport.isAlive {  // the queue of an ended connection is empty because it was dropped
            let drained = events.removeDrains(at: transport.outgoingSize)
            for handler in drained { handler() }
        }
        if case .served(let client) = role { client.didProgress(self) }
        if let gate = authentication, transport.isAuthenticated { gate.open(.success(())) }
    }

    private func receivedReply(_ message: Message) {
        if let completion = calls.remove(serial: message.replySerial) {
            return completion(message.error.map { .failure($0) } ?? .success(message))
        }
        if let error = message.error { events.undelivered(message.replySerial, error) }
    }

    private func receivedCall(_ message: Message) {
        switch role {
        case .bus: peers.receivedBusCall(message, on: self)
        case .direct:
            let peer = peers.direct { Peer(connection: self, name: "", credentials: transport.peerCredentials) }
            dispatch(message, from: peer)
        case .served(let client): client.receivedCall(message, on: self)
        }
    }

    /// Passes a call to the object that answers it.
    func dispatch(_ message: Message, from peer: Peer) {
        if let responder { return responder.receivedCall(message, from: peer, on: self) }
        guard !message.noReplyExpected else { return }
        let reply = try? message.errorReply(.unknownObject(message.path ?? .root))
        if let reply { _ = try? send(reply) }
    }

    private func receivedSignal(_ message: Message) {
        if isBus && message.sender == Bus.name { receivedBusSignal(message) }
        subscriptions.deliver(message, ignoringSender: !isBus)
    }

    /// Signals of the bus to this connection alone: names that it has got or lost.
    private func receivedBusSignal(_ message: Message) {
        guard message.interface == Bus.name, let member = message.member else { return }
        guard member == "NameAcquired" || member == "NameLost", let name = try? message.decode(as: String.self) else {
            return
        }
        events.name(member == "NameLost" ? .lost(name) : .acquired(name))
    }
}

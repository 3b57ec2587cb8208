// SPDX-License-Identifier: Apache-2.0

/// What answers the calls that come on a connection.
@DBusActor
protocol CallResponder: AnyObject {
    /// A connection shows its objects from now on.
    func attach(_ connection: Connection)
    /// A connection does not show its objects any more.
    func detach(_ connection: Connection)
    /// A call has come, which is answered now or later.
    func receivedCall(_ message: Message, from peer: Peer, on connection: Connection)
}

/// What a server of ours decides about the connection of one of its clients.
@DBusActor
protocol ServedClient: AnyObject {
    /// A call has come, which is answered now or later.
    func receivedCall(_ message: Message, on connection: Connection)
    /// Completes the header of a message to the client.
    func stamp(_ message: Message) throws(DBusError)
    /// Something was read from the client, or written to it.
    func didProgress(_ connection: Connection)
    /// Whether a broadcast is for the client.
    func wants(_ message: Message) -> Bool
}

/// A connection to a bus, or straight to another program.
///
/// All of it runs on the event-loop thread and nothing blocks once the connection is open. Calls that arrive are answered
/// from `objects`. When the connection ends, for whatever reason, everything that was waiting fails with `Disconnected`
/// and the handlers of `onDisconnect` run; to go on, open another one: it has another unique name, and match rules and
/// names have to be asked for again.
@DBusActor
public final class Connection {
    /// What is at the other end.
    enum Role {
        /// A message bus, which knows us by this unique name.
        case bus(uniqueName: String)
        /// One program, which we have called.
        case direct
        /// One program, which has called our server.
        case served(any ServedClient)
    }

    /// The least that a system bus takes: a larger message gets its sender thrown off.
    public static let busMessageSize = 32 << 20

    /// Messages that one connection takes in before others, and timers, have their turn.
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
    /// Whoever opens the connection waits here until the other end has authenticated us.
    private var authentication: Gate<Void>?

    init(transport: Transport, role: Role, maximumMessageSize: Int) {
        self.transport = transport
        self.role = role
        self.maximumMessageSize = maximumMessageSize
        transport.setDelegate(self)
    }

    /// Has another one answer calls from now on; nil = nobody.
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

    /// True for a message bus, where a destination is needed and signals reach whoever matches them.
    public var isBus: Bool {
        if case .bus = role { true } else { false }
    }

    /// Bytes that wait for the other end to take them; D-Bus itself sets no bound, so look before producing more.
    public var outgoingSize: Int { transport.outgoingSize }

    /// While true, nothing that the other end sends is read: its own queue fills instead. A client of our server that goes
    /// meanwhile, or closes its direction of the socket, is closed at once, and what it had sent is lost.
    public var readingIsPaused: Bool {
        get { transport.readingIsPaused }
        set { transport.readingIsPaused = newValue }
    }

    /// Queues a message and writes what the socket takes now.
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

    /// Sends a signal to everybody on this connection who asked for it.
    public func broadcast(_ message: Message) throws(DBusError) {
        if case .served(let client) = role, !client.wants(message) { return }
        try send(message)
    }

    /// Ends the connection; what is still queued is lost.
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
    /// Until it is over, descriptors cannot be sent.
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
        // Other clients' messages come on it, too: whoever keeps some must not keep those back.
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
            return PendingCall(calls, serial: serial)
        } catch {
            EventLoop.shared.post { completion(.failure(error)) }
            return PendingCall(calls, serial: 0)
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

    /// A call of the bus itself with one text.
    func busCall(_ member: String, _ argument: String) throws(DBusError) -> Message {
        let message = try Message.methodCall(to: Bus.name, path: Bus.path, interface: Bus.name, member: member)
        try message.write(argument)
        return message
    }
}

// MARK: - Signals and events

extension Connection {
    /// Calls `handler` for each message that `rule` selects, in their order, until the subscription is cancelled.
    ///
    /// The bus is asked for the rule (once, however many want the same). With `onBus: false` it is not: signals sent to
    /// us alone come without asking. On a direct connection there is nobody to ask.
    /// - Throws: `MatchRuleInvalid`; what the bus answers, such as `LimitsExceeded` for too many rules; `Disconnected`.
    public func subscribe(
        _ rule: MatchRule, onBus: Bool = true, _ handler: @escaping @DBusActor (Message) -> Void
    ) async throws(DBusError) -> Subscription {
        try await subscriptions.subscribe(rule, onBus: onBus, on: self, handler)
    }

    /// The same for a rule that is known to be right, until the connection ends; the bus gets it before whatever is asked next.
    func subscribeAtOnce(_ rule: MatchRule, _ handler: @escaping @DBusActor (Message) -> Void) {
        subscriptions.add(rule, onBus: true, on: self, handler)
    }

    /// Calls `handler` with the unique name of everyone who leaves the bus.
    ///
    /// One match rule serves all of them, for `Peer.onDeparture` too.
    public func onDeparture(_ handler: @escaping @DBusActor (_ uniqueName: String) -> Void) {
        peers.onDeparture(on: self, handler)
    }

    /// Calls `handler` once, when the connection has ended by whichever side; on the next turn when it has already.
    public func onDisconnect(_ handler: @escaping @DBusActor () -> Void) {
        guard isConnected else {
            EventLoop.shared.addTimer(after: .zero, handler)
            return
        }
        events.addDisconnectHandler(handler)
    }

    /// Calls `handler` for each error that answers something other than a call: dbus-daemon sends one for a unicast signal
    /// that it had to drop, with the serial that `send` gave.
    public func onUndelivered(_ handler: @escaping @DBusActor (_ serial: UInt32, _ error: DBusError) -> Void) {
        events.addUndeliveredHandler(handler)
    }

    /// Calls `handler` when the bus gives us a name or takes one away.
    public func onName(_ handler: @escaping @DBusActor (NameEvent) -> Void) {
        events.addNameHandler(handler)
    }

    /// Calls `handler` once, as soon as at most `limit` bytes wait for the other end; on the next turn when that is so now.
    public func onDrain(below limit: Int, _ handler: @escaping @DBusActor () -> Void) {
        guard outgoingSize > limit else {
            EventLoop.shared.addTimer(after: .zero, handler)
            return
        }
        events.addDrain(below: limit, handler)
    }

    /// Waits until everything that was sent is written to the socket, at most for `timeout`.
    ///
    /// - Returns: false when the time was up, or the connection has ended, before.
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
        case nil: break  // a kind of a later protocol: to be ignored, as the specification says
        }
    }

    func transportDidDisconnect(_ transport: Transport) {
        transport.close()
        finish()
    }

    func transportDidProgress(_ transport: Transport) {
        if transport.isAlive {  // the queue of one that has ended is empty because it was thrown away
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

    /// Has a call answered.
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

    /// Signals of the bus to us alone: names that are, or are no longer, ours.
    private func receivedBusSignal(_ message: Message) {
        guard message.interface == Bus.name, let member = message.member else { return }
        guard member == "NameAcquired" || member == "NameLost", let name = try? message.decode(as: String.self) else {
            return
        }
        events.name(member == "NameLost" ? .lost(name) : .acquired(name))
    }
}

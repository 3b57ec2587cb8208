// SPDX-License-Identifier: Apache-2.0

internal import CDBus

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
        case served(ServedPeer)
    }

    /// The least that a system bus takes: a larger message gets its sender thrown off.
    public static let busMessageSize = 32 << 20

    /// Messages that one connection takes in before others, and timers, have their turn.
    public nonisolated static let messagesPerTurn = 1024

    let transport: Transport
    var role: Role
    /// Larger messages are refused with `LimitsExceeded` instead of being sent, in bytes.
    public var maximumMessageSize: Int
    /// What calls on this connection reach; without it every call gets `UnknownObject`.
    public var objects: ObjectTree? {
        didSet {
            oldValue?.detach(self)
            objects?.attach(self)
        }
    }
    var calls = PendingCalls()
    var subscriptions = SubscriptionTable()
    var peers = PeerRegistry()
    var events = ConnectionEvents()
    /// Whoever opens the connection waits here until the other end has authenticated us.
    var authentication: Gate<Void>?

    init(transport: Transport, role: Role, maximumMessageSize: Int) {
        self.transport = transport
        self.role = role
        self.maximumMessageSize = maximumMessageSize
        transport.delegate = self
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
        if case .served(let served) = role { try served.stamp(message) }
        return try transport.send(message)
    }

    /// Ends the connection; what is still queued is lost.
    public func close() {
        guard transport.isConnected else { return }
        transport.close()
        finish()
    }

    /// Runs once when the connection has ended.
    func finish() {
        let error = DBusError.disconnected("the connection has ended")
        authentication?.open(.failure(.disconnected("the other end did not let us in")))
        let waiting = calls.removeAll()
        for completion in waiting { completion(.failure(error)) }
        let departing = peers.removeAll()
        for peer in departing { peer.depart() }
        subscriptions = SubscriptionTable()
        let handlers = events.removeDisconnectHandlers()
        for handler in handlers { handler() }
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
        if case .served(let served) = role { served.progress(self) }
        if let gate = authentication, transport.isAuthenticated { gate.open(.success(())) }
    }

    private func receivedReply(_ message: Message) {
        if let completion = calls.remove(serial: message.replySerial) {
            return completion(message.error.map { .failure($0) } ?? .success(message))
        }
        if let error = message.error { events.undelivered(message.replySerial, error) }
    }
}

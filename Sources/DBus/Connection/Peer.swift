// SPDX-License-Identifier: Apache-2.0

/// A program that calls this program: a connection on the bus, or the other end of a direct connection.
///
/// Each peer has one object until it disconnects, so peers are compared with `===`.
@DBusActor
public final class Peer {
    /// The connection through which the peer is reached; nil when this connection has ended.
    public private(set) weak var connection: Connection?
    /// The peer's unique name: `:1.42` on a bus, `:d.3` for a client of this program's server, empty for a server to
    /// which this program connected.
    public nonisolated let name: String
    /// The peer's credentials; nil if the peer left before the bus reported them.
    public private(set) var credentials: Credentials?
    /// Whether the peer has disconnected. Its name is never reused.
    public private(set) var hasDeparted = false
    /// The number of the peer's calls that are not answered yet.
    public private(set) var callsInFlight = 0
    private var departureHandlers: [@DBusActor () -> Void] = []
    /// Whether messages to the peer are queued because an earlier message is still being prepared.
    package private(set) var isHeld = false
    /// Sends the message that is being prepared, at once.
    private var sendHeld: (@DBusActor () -> Void)?
    /// The number of answers among the queued messages.
    package private(set) var heldAnswers = 0
    /// The queued messages, as closures that send them.
    private var held: [@DBusActor () -> Void] = []

    init(connection: Connection?, name: String, credentials: Credentials?) {
        self.connection = connection
        self.name = name
        self.credentials = credentials
    }

    /// Sets the connection through which the peer is reached.
    func setConnection(_ connection: Connection) { self.connection = connection }

    /// Sets the credentials that the bus reported.
    func setCredentials(_ credentials: Credentials?) { self.credentials = credentials }

    /// Counts a new call of the peer.
    func beginCall() { callsInFlight += 1 }

    /// Counts a call of the peer as finished: it was answered, or needs no answer.
    func endCall() { callsInFlight -= 1 }

    /// Calls `handler` once, when the peer has disconnected. If it has already disconnected, `handler` runs on the
    /// next turn of the loop.
    public func onDeparture(_ handler: @escaping @DBusActor () -> Void) {
        guard !hasDeparted else {
            EventLoop.shared.addTimer(after: .zero, handler)
            return
        }
        departureHandlers.append(handler)
    }

    func markDeparted() {
        guard !hasDeparted else { return }
        hasDeparted = true
        let handlers = departureHandlers
        departureHandlers = []
        for handler in handlers { handler() }
    }

    /// Runs `send` now or, while a message to the peer is being prepared (`hold`), queues it behind that message.
    ///
    /// `Call` sends its answers through this function.
    ///
    /// - Parameter isAnswer: whether the message is the answer to a call.
    package func sendInOrder(isAnswer: Bool = false, _ send: @escaping @DBusActor () -> Void) {
        guard isHeld || !held.isEmpty else { return send() }
        guard isAnswer else { return held.append(send) }
        heldAnswers += 1
        held.append { [self] in
            heldAnswers -= 1
            send()
        }
    }

    /// Makes `sendInOrder` queue messages from now on, until `releaseHeld`.
    ///
    /// - Parameter sendNow: sends the message that is being prepared at once, and calls `releaseHeld`.
    package func hold(_ sendNow: @escaping @DBusActor () -> Void) { (isHeld, sendHeld) = (true, sendNow) }

    /// Sends the message that is being prepared and all queued ones at once.
    package func flush() {
        while isHeld, !hasDeparted, let sendHeld {
            self.sendHeld = nil
            sendHeld()
        }
    }

    /// Sends the queued messages, up to the next one that must be prepared.
    ///
    /// - Parameter first: a closure that sends the prepared message, for which the queued messages waited.
    package func releaseHeld(behind first: () -> Void = {}) {
        (isHeld, sendHeld) = (false, nil)
        let kept = held
        held = []
        first()
        held = kept + held
        // One of these closures may call `sendInOrder`: its message follows the queued messages.
        while !isHeld, !held.isEmpty { held.removeFirst()() }
    }

    /// Sends a message to this peer alone.
    ///
    /// - Returns: the serial, as `Connection.send` does.
    /// - Throws: the errors of `Connection.send`.
    @discardableResult
    public func send(_ message: Message) throws(DBusError) -> UInt32 {
        guard let connection, !hasDeparted else { throw .disconnected("the peer \(name.quoted) has disconnected") }
        guard connection.isBus else { return try connection.send(message) }
        var message = message
        try message.setDestination(name)
        return try connection.send(message)
    }
}

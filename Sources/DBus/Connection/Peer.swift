// SPDX-License-Identifier: Apache-2.0

/// A program that calls us: one connection on a bus, or the other end of a direct one.
///
/// There is one object for each peer until it leaves; compare with `===`.
@DBusActor
public final class Peer {
    /// The connection that reaches it; nil once that has ended.
    public private(set) weak var connection: Connection?
    /// Its unique name: `:1.42` on a bus, `:d.3` at our own server, empty at the other end of a call of ours.
    public nonisolated let name: String
    /// Nil when it left before the bus was asked.
    public private(set) var credentials: Credentials?
    /// True once it has left; its name is never used again.
    public private(set) var hasDeparted = false
    /// The number of its calls that are not answered yet.
    public private(set) var callsInFlight = 0
    private var departureHandlers: [@DBusActor () -> Void] = []
    /// Whether a message is being prepared after which the others must be sent.
    private var isHeld = false
    /// Messages to be sent after it.
    private var held: [@DBusActor () -> Void] = []

    init(connection: Connection?, name: String, credentials: Credentials?) {
        self.connection = connection
        self.name = name
        self.credentials = credentials
    }

    /// Sets the connection that reaches it.
    func attach(_ connection: Connection) { self.connection = connection }

    /// Sets its credentials, from the answer of the bus.
    func identify(as credentials: Credentials?) { self.credentials = credentials }

    /// Counts a call of it.
    func beginCall() { callsInFlight += 1 }

    /// Counts a call of it as answered, or as needing no answer.
    func endCall() { callsInFlight -= 1 }

    /// Calls `handler` once, when it has left; on the next turn if it has left already.
    public func onDeparture(_ handler: @escaping @DBusActor () -> Void) {
        guard !hasDeparted else {
            EventLoop.shared.addTimer(after: .zero, handler)
            return
        }
        departureHandlers.append(handler)
    }

    func depart() {
        guard !hasDeparted else { return }
        hasDeparted = true
        let handlers = departureHandlers
        departureHandlers = []
        for handler in handlers { handler() }
    }

    /// Runs `send` after all ordered messages before: at once, unless a message is being prepared (`hold`).
    ///
    /// Answers of calls keep this order without it.
    package func sendInOrder(_ send: @escaping @DBusActor () -> Void) {
        if isHeld || !held.isEmpty { held.append(send) } else { send() }
    }

    /// Queues ordered messages from now on, until the message that is being prepared was sent.
    package func hold() { isHeld = true }

    /// Sends the queued messages, up to the next one that has to be prepared.
    ///
    /// - Parameter first: sends the message for which the others were queued.
    package func releaseHeld(behind first: () -> Void = {}) {
        isHeld = false
        let kept = held
        held = []
        first()
        held = kept + held
        // A message that one of them sends in order comes after the others.
        while !isHeld, !held.isEmpty { held.removeFirst()() }
    }

    /// Sends a message to this peer alone.
    ///
    /// - Returns: the serial, as of `Connection.send`.
    /// - Throws: as `Connection.send`.
    @discardableResult
    public func send(_ message: Message) throws(DBusError) -> UInt32 {
        guard let connection, !hasDeparted else { throw .disconnected("\(name) has left") }
        guard connection.isBus else { return try connection.send(message) }
        let message = try message.unsent()
        try message.setDestination(name)
        return try connection.send(message)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A program that calls us: one connection of a bus, or the other end of a direct one.
///
/// There is one object for each, as long as it is there; compare with `===`.
@DBusActor
public final class Peer {
    /// The connection that reaches it; nil once that has ended.
    public private(set) weak var connection: Connection?
    /// Its unique name: `:1.42` on a bus, `:d.3` at our own server, empty at the other end of a call of ours.
    public nonisolated let name: String
    /// Nil when it was gone before anybody could be asked.
    public private(set) var credentials: Credentials?
    /// True once it has left; it never comes back under this name.
    public private(set) var hasDeparted = false
    /// Calls of it that are not answered yet.
    public private(set) var callsInFlight = 0
    private var departureHandlers: [@DBusActor () -> Void] = []
    /// Whether a message is being prepared that the others are sent behind.
    private var isHeld = false
    /// What is sent behind it.
    private var held: [@DBusActor () -> Void] = []

    init(connection: Connection?, name: String, credentials: Credentials?) {
        self.connection = connection
        self.name = name
        self.credentials = credentials
    }

    /// The connection that reaches it is there now.
    func attach(_ connection: Connection) { self.connection = connection }

    /// The bus has answered who it is.
    func identify(as credentials: Credentials?) { self.credentials = credentials }

    /// A call of it has come.
    func beginCall() { callsInFlight += 1 }

    /// A call of it was answered, or needs no answer any more.
    func endCall() { callsInFlight -= 1 }

    /// Calls `handler` once, when it has left; on the next turn when it has already.
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

    /// Runs `send` behind what was to be sent in order before: at once, unless a message is being prepared (`hold`).
    ///
    /// Answers of calls keep this order by themselves.
    package func sendInOrder(_ send: @escaping @DBusActor () -> Void) {
        if isHeld || !held.isEmpty { held.append(send) } else { send() }
    }

    /// Keeps what is sent in order from now on, until the message that is being prepared was sent.
    package func hold() { isHeld = true }

    /// Sends what was kept, up to the next message that has to be prepared.
    ///
    /// - Parameter first: sends the message that all of it was kept behind.
    package func releaseHeld(behind first: () -> Void = {}) {
        isHeld = false
        let kept = held
        held = []
        first()
        held = kept + held
        // What one of them sends in order comes behind the others.
        while !isHeld, !held.isEmpty { held.removeFirst()() }
    }

    /// Sends it a signal, or another message, that nobody else gets.
    ///
    /// - Returns: the serial, as `Connection.send`.
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

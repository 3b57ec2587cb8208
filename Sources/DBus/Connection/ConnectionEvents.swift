// SPDX-License-Identifier: Apache-2.0

/// Who wants to hear what of one connection.
@DBusActor
struct ConnectionEvents {
    private var disconnectHandlers: [@DBusActor () -> Void] = []
    private var undeliveredHandlers: [@DBusActor (UInt32, DBusError) -> Void] = []
    private var nameHandlers: [@DBusActor (NameEvent) -> Void] = []
    private var drains: [(limit: Int, handler: @DBusActor () -> Void)] = []

    nonisolated init() {}

    mutating func removeDisconnectHandlers() -> [@DBusActor () -> Void] {
        defer { self = ConnectionEvents() }
        return disconnectHandlers
    }

    mutating func addDisconnectHandler(_ handler: @escaping @DBusActor () -> Void) {
        disconnectHandlers.append(handler)
    }

    mutating func addUndeliveredHandler(_ handler: @escaping @DBusActor (UInt32, DBusError) -> Void) {
        undeliveredHandlers.append(handler)
    }

    mutating func addNameHandler(_ handler: @escaping @DBusActor (NameEvent) -> Void) {
        nameHandlers.append(handler)
    }

    mutating func addDrain(below limit: Int, _ handler: @escaping @DBusActor () -> Void) {
        drains.append((limit, handler))
    }

    func undelivered(_ serial: UInt32, _ error: DBusError) {
        for handler in undeliveredHandlers { handler(serial, error) }
    }

    func name(_ event: NameEvent) {
        for handler in nameHandlers { handler(event) }
    }

    /// Takes out who waits for so small a queue; they are called when nothing here is being changed any more.
    mutating func removeDrains(at size: Int) -> [@DBusActor () -> Void] {
        guard !drains.isEmpty else { return [] }
        let reached = drains.filter { size <= $0.limit }
        drains.removeAll { size <= $0.limit }
        return reached.map(\.handler)
    }
}

/// What the bus says about a name that is, or was, ours.
public enum NameEvent: Equatable, Sendable {
    case acquired(String)
    case lost(String)
}

extension Connection {
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

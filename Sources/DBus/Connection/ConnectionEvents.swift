// SPDX-License-Identifier: Apache-2.0

/// The handlers of one connection's events.
@DBusActor
final class ConnectionEvents {
    private var disconnectHandlers: [@DBusActor () -> Void] = []
    private var undeliveredHandlers: [@DBusActor (UInt32, DBusError) -> Void] = []
    private var nameHandlers: [@DBusActor (NameEvent) -> Void] = []
    private var drains: [(limit: Int, handler: @DBusActor () -> Void)] = []

    nonisolated init() {}

    /// Removes all handlers; the caller must call those that wait for the end.
    func removeDisconnectHandlers() -> [@DBusActor () -> Void] {
        defer { (disconnectHandlers, undeliveredHandlers, nameHandlers, drains) = ([], [], [], []) }
        return disconnectHandlers
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

    func addDrain(below limit: Int, _ handler: @escaping @DBusActor () -> Void) {
        drains.append((limit, handler))
    }

    func undelivered(_ serial: UInt32, _ error: DBusError) {
        for handler in undeliveredHandlers { handler(serial, error) }
    }

    func name(_ event: NameEvent) {
        for handler in nameHandlers { handler(event) }
    }

    /// Removes the handlers that wait for so small a queue; the caller must call them.
    func removeDrains(at size: Int) -> [@DBusActor () -> Void] {
        guard !drains.isEmpty else { return [] }
        let reached = drains.filter { size <= $0.limit }
        drains.removeAll { size <= $0.limit }
        return reached.map(\.handler)
    }
}

/// A signal of the bus about a name that this connection owns, or owned.
public enum NameEvent: Equatable, Sendable {
    case acquired(String)
    case lost(String)
}

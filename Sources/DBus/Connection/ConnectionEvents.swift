// SPDX-License-Identifier: Apache-2.0

/// The event handlers of one connection.
@DBusActor
final class ConnectionEvents {
    private var disconnectHandlers: [@DBusActor () -> Void] = []
    private var undeliveredHandlers: [@DBusActor (UInt32, DBusError) -> Void] = []
    private var nameHandlers: [@DBusActor (NameEvent) -> Void] = []
    private var drains: [(limit: Int, handler: @DBusActor () -> Void)] = []

    nonisolated init() {}

    /// Removes all handlers and returns the disconnect handlers, which the caller must call.
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

// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The choice of a bus.
@DBusActor
enum BusChoice {
    /// The address that the command line chooses; by default the session bus if listd is there, else the system bus.
    static func address(for bus: Request.Bus) async throws(DBusError) -> BusAddress {
        switch bus {
        case .session: return .session
        case .system: return .system
        case .address(let address): return .address(address)
        case .automatic: return await isOnSessionBus() ? .session : .system
        }
    }

    /// A connection to the bus, or to listd itself.
    ///
    /// - Throws: `NoServer` for any reason, be it the address, the socket or the other end.
    static func connect(to address: BusAddress) async throws(DBusError) -> Connection {
        do throws(DBusError) {
            return try await Connection.open(address)
        } catch {
            throw DBusError(.noServer, error.message)
        }
    }

    private static func isOnSessionBus() async -> Bool {
        guard let connection = try? await Connection.open(.session, timeout: .seconds(2)) else { return false }
        defer { connection.close() }
        return (try? await connection.owner(of: ListdName.bus)).flatMap { $0 } != nil
    }
}

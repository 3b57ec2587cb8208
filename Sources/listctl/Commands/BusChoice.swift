// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Functions that choose a bus and connect to it.
@DBusActor
enum BusChoice {
    /// Returns the address of the bus that the command line names. By default that is the session bus if listd is on
    /// it, else the system bus.
    static func address(for bus: Request.Bus) async throws(DBusError) -> BusAddress {
        switch bus {
        case .session: return .session
        case .system: return .system
        case .address(let address): return .address(address)
        case .automatic: return await isOnSessionBus() ? .session : .system
        }
    }

    /// Opens a connection to the bus, or directly to listd.
    ///
    /// - Throws: `NoServer` for every failure: a wrong address, a socket that refuses, or an error of the other end.
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

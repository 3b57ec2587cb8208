// SPDX-License-Identifier: Apache-2.0

internal import CDBus

extension Connection {
    /// Connects to a bus and registers with it (`Hello`).
    ///
    /// - Throws: `BadAddress`, `NoServer` and the like when no bus listens at the address, `NoReply` when the bus
    ///   does not answer within `timeout`, `AccessDenied` when authentication is refused.
    public static func open(
        _ address: BusAddress, timeout: Duration = .seconds(10), maximumMessageSize: Int = Connection.busMessageSize
    ) async throws(DBusError) -> Connection {
        let connection = try await openDirect(address, timeout: timeout, maximumMessageSize: maximumMessageSize)
        do throws(DBusError) {
            let bus = RemoteObject(connection, destination: Bus.name, path: Bus.path, interface: Bus.name)
            let name = try await bus.call("Hello", returning: String.self, timeout: timeout)
            connection.becomeBusClient(named: name)
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    /// Connects directly to another program's server, without `Hello`.
    ///
    /// - Throws: `BadAddress`, `NoServer` and the like when no server listens at the address, `Disconnected` when the
    ///   server refuses the connection, `NoReply` when it does not answer within `timeout`.
    public static func openDirect(
        _ address: BusAddress, timeout: Duration = .seconds(10), maximumMessageSize: Int = Message.largestBody
    ) async throws(DBusError) -> Connection {
        let address = try address.resolved()
        guard !address.utf8.contains(0) else { throw DBusError(.badAddress, "the address contains a NUL character") }
        let raw = try unsafe LibdbusError.check { error in
            unsafe dbus_connection_open_private(address, error)
        }
        let connection = Connection(
            transport: try unsafe Transport(adopting: raw), role: .direct, maximumMessageSize: maximumMessageSize)
        try await connection.awaitAuthentication(timeout: timeout)
        return connection
    }
}

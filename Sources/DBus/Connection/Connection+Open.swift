// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// Where a connection goes.
public enum BusAddress: Equatable, Sendable, CustomStringConvertible {
    /// `DBUS_SESSION_BUS_ADDRESS`, else `$XDG_RUNTIME_DIR/bus`.
    case session
    /// `DBUS_SYSTEM_BUS_ADDRESS`, else `/run/dbus/system_bus_socket`.
    case system
    /// A D-Bus address, such as `unix:path=/run/bus.sock`.
    case address(String)

    /// The address as libdbus reads it.
    ///
    /// - Throws: `BadAddress` when nothing says where the session bus is.
    public func resolved() throws(DBusError) -> String {
        switch self {
        case .address(let address): return address
        case .system: return Self.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket"
        case .session:
            if let address = Self.variable("DBUS_SESSION_BUS_ADDRESS") { return address }
            guard let directory = Self.variable("XDG_RUNTIME_DIR") else {
                throw DBusError(
                    .badAddress, "there is no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
            }
            return "unix:path=" + Self.escape(directory + "/bus")
        }
    }

    /// The place as a person names it.
    public var description: String {
        switch self {
        case .session: "the session bus"
        case .system: "the system bus"
        case .address(let address): address
        }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// A value inside an address (D-Bus specification, "Server Addresses").
    public static func escape(_ value: String) -> String {
        value.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"),
                UInt8(ascii: "."), UInt8(ascii: "*"):
                return String(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16)
                return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
            }
        }.joined()
    }
}

extension Connection {
    /// Connects to a bus and says Hello.
    ///
    /// - Throws: `BadAddress`, `NoServer` and the like when nobody is there, `NoReply` when the bus does not answer within
    ///   `timeout`, `AccessDenied` when authentication is refused.
    public static func open(
        _ address: BusAddress, timeout: Duration = .seconds(10), maximumMessageSize: Int = Connection.busMessageSize
    ) async throws(DBusError) -> Connection {
        let connection = try await openDirect(address, timeout: timeout, maximumMessageSize: maximumMessageSize)
        do throws(DBusError) {
            let bus = RemoteObject(connection, destination: Bus.name, path: Bus.path, interface: Bus.name)
            let name = try await bus.call("Hello", returning: String.self, timeout: timeout)
            connection.becomeBusClient(name)
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    /// Connects straight to another program's server, without Hello.
    ///
    /// - Throws: `BadAddress`, `NoServer` and the like when nobody is there, `Disconnected` when the other end does not
    ///   let us in, `NoReply` when it does not say anything within `timeout`.
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
        try await connection.awaitAuthentication(timeout)
        return connection
    }

    /// Until it is over, descriptors cannot be sent.
    private func awaitAuthentication(_ timeout: Duration) async throws(DBusError) {
        let gate = Gate<Void>()
        authentication = gate
        let timer = EventLoop.shared.addTimer(after: timeout) {
            gate.open(.failure(.noReply("the other end did not let us in within \(timeout)")))
        }
        let result = await gate.result()
        timer.cancel()
        authentication = nil
        do throws(DBusError) {
            try result.get()
        } catch {
            close()
            throw error
        }
    }

    private func becomeBusClient(_ name: String) {
        role = .bus(uniqueName: name)
        // Other clients' messages come on it, too: whoever keeps some must not keep those back.
        transport.limit(unreleasedBytes: Int.max)
    }
}

/// The bus itself, as calls address it.
enum Bus {
    static let name = "org.freedesktop.DBus"
    static let path: ObjectPath = "/org/freedesktop/DBus"
}

// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The address of a message bus.
public enum BusAddress: Equatable, Sendable, CustomStringConvertible {
    /// The session bus: `DBUS_SESSION_BUS_ADDRESS`, or `$XDG_RUNTIME_DIR/bus` if the variable is not set.
    case session
    /// The system bus: `DBUS_SYSTEM_BUS_ADDRESS`, or `/run/dbus/system_bus_socket` if the variable is not set.
    case system
    /// A D-Bus address, such as `unix:path=/run/bus.sock`.
    case address(String)

    /// Returns the address in the form that libdbus parses.
    ///
    /// - Throws: `BadAddress` when no environment variable gives the address of the session bus.
    public func resolved() throws(DBusError) -> String {
        switch self {
        case .address(let address): return address
        case .system:
            return Self.environmentVariable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket"
        case .session:
            if let address = Self.environmentVariable("DBUS_SESSION_BUS_ADDRESS") { return address }
            guard let directory = Self.environmentVariable("XDG_RUNTIME_DIR") else {
                throw DBusError(
                    .badAddress, "there is no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
            }
            return "unix:path=" + Self.escape(directory + "/bus")
        }
    }

    /// The address as text for people.
    public var description: String {
        switch self {
        case .session: "the session bus"
        case .system: "the system bus"
        case .address(let address): address
        }
    }

    private static func environmentVariable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Escapes a value for use in an address (D-Bus specification, "Server Addresses").
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

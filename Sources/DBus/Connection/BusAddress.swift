// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The address of a bus.
public enum BusAddress: Equatable, Sendable, CustomStringConvertible {
    /// `DBUS_SESSION_BUS_ADDRESS`, else `$XDG_RUNTIME_DIR/bus`.
    case session
    /// `DBUS_SYSTEM_BUS_ADDRESS`, else `/run/dbus/system_bus_socket`.
    case system
    /// A D-Bus address, such as `unix:path=/run/bus.sock`.
    case address(String)

    /// The address as libdbus reads it.
    ///
    /// - Throws: `BadAddress` when no variable has the session bus.
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

    /// The address in words for people.
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

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

/// The outcome of a request for a bus name.
public enum NameRequestResult: UInt32, Sendable {
    /// This connection now owns the name.
    case primaryOwner = 1
    /// Another connection owns the name; this connection is queued for it.
    case inQueue = 2
    /// Another connection owns the name, and this connection asked not to be queued.
    case exists = 3
    /// This connection already owned the name.
    case alreadyOwner = 4
}

/// The options of a request for a bus name (D-Bus specification, `RequestName`).
public struct NameRequestFlags: OptionSet, Sendable {
    /// The bits that `RequestName` expects.
    public let rawValue: UInt32

    /// Creates flags from their bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Allows another connection to take the name with `replaceExisting`.
    public static let allowReplacement = NameRequestFlags(rawValue: 1)
    /// Takes the name from an owner that set `allowReplacement`.
    public static let replaceExisting = NameRequestFlags(rawValue: 2)
    /// Fails instead of queueing when the name has an owner.
    public static let doNotQueue = NameRequestFlags(rawValue: 4)
}

extension Connection {
    /// A proxy of the bus driver.
    public var bus: RemoteObject {
        RemoteObject(self, destination: isBus ? Bus.name : nil, path: Bus.path, interface: Bus.name)
    }

    /// Requests a well-known name. Register the objects first: calls may arrive before this function returns.
    ///
    /// - Throws: `AccessDenied` when the policy of the bus forbids it.
    public func requestName(
        _ name: String, _ flags: NameRequestFlags = .doNotQueue
    ) async throws(DBusError) -> NameRequestResult {
        guard Names.isWellKnownName(name) else { throw .invalidArgs("\(name.quoted) is not a bus name") }
        let answer = try await bus.call("RequestName", name, flags.rawValue, returning: UInt32.self)
        guard let result = NameRequestResult(rawValue: answer) else {
            throw .failed("the bus answered RequestName for \(name.quoted) with the unknown code \(answer)")
        }
        return result
    }

    /// Releases a name. Returns `false` when this connection did not own it.
    @discardableResult
    public func releaseName(_ name: String) async throws(DBusError) -> Bool {
        guard Names.isWellKnownName(name) else { throw .invalidArgs("\(name.quoted) is not a bus name") }
        return try await bus.call("ReleaseName", name, returning: UInt32.self) == 1
    }

    /// Returns the unique name of the owner of `name`; nil when nobody owns it.
    public func owner(of name: String) async throws(DBusError) -> String? {
        try Names.checkBusName(name)
        do throws(DBusError) {
            return try await bus.call("GetNameOwner", name, returning: String.self)
        } catch  where error.standard == .nameHasNoOwner {
            return nil
        }
    }

    /// Calls `handler` with the owner of `name` once, and again at every change, in the order of the bus' signals.
    /// The owner is nil when nobody owns the name.
    public func watchOwner(
        of name: String, _ handler: @escaping @DBusActor (_ owner: String?) -> Void
    ) async throws(DBusError) -> Subscription {
        let rule = MatchRule(sender: Bus.name, interface: Bus.name, member: "NameOwnerChanged", arguments: [0: name])
        let watch = OwnerWatch()
        let subscription = try await subscribe(rule) { message in
            guard watch.isKnown, let (_, _, owner) = try? message.decode(as: String.self, String.self, String.self)
            else {
                return
            }
            handler(owner.isEmpty ? nil : owner)
        }
        do throws(DBusError) {
            let owner = try await owner(of: name)
            watch.isKnown = true
            handler(owner)
            return subscription
        } catch {
            subscription.cancel()
            throw error
        }
    }
}

/// Records whether the owner has been queried. Changes that arrive before the answer are ignored, as the answer
/// includes them.
@DBusActor
private final class OwnerWatch {
    fileprivate(set) var isKnown = false
}

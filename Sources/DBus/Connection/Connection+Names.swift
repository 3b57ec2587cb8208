// SPDX-License-Identifier: Apache-2.0

/// The answer of the bus to a request for a name.
public enum NameRequestResult: UInt32, Sendable {
    /// This connection owns it now.
    case primaryOwner = 1
    /// Another connection owns it; this one is next.
    case inQueue = 2
    /// Another connection owns it, and this one did not want to queue.
    case exists = 3
    /// This connection owned it before.
    case alreadyOwner = 4
}

/// How a name is requested (D-Bus specification, `RequestName`).
public struct NameRequestFlags: OptionSet, Sendable {
    /// The bits as `RequestName` takes them.
    public let rawValue: UInt32

    /// Flags from their bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Another connection that asks with `replaceExisting` gets the name.
    public static let allowReplacement = NameRequestFlags(rawValue: 1)
    /// Take the name from an owner that allows that.
    public static let replaceExisting = NameRequestFlags(rawValue: 2)
    /// Fail instead of waiting for the name.
    public static let doNotQueue = NameRequestFlags(rawValue: 4)
}

extension Connection {
    /// A proxy of the bus itself.
    public var bus: RemoteObject {
        RemoteObject(self, destination: isBus ? Bus.name : nil, path: Bus.path, interface: Bus.name)
    }

    /// Requests a well-known name. Register the objects first: calls may arrive before this returns.
    ///
    /// - Throws: `AccessDenied` when the bus' policy forbids it.
    public func requestName(
        _ name: String, _ flags: NameRequestFlags = .doNotQueue
    ) async throws(DBusError) -> NameRequestResult {
        guard Names.isWellKnownName(name) else { throw .invalidArgs("\(name.quoted) is not a bus name") }
        let answer = try await bus.call("RequestName", name, flags.rawValue, returning: UInt32.self)
        guard let result = NameRequestResult(rawValue: answer) else {
            throw .failed("the bus answered \(answer) to the request for \(name.quoted)")
        }
        return result
    }

    /// Releases a name; false when this connection did not own it.
    @discardableResult
    public func releaseName(_ name: String) async throws(DBusError) -> Bool {
        guard Names.isWellKnownName(name) else { throw .invalidArgs("\(name.quoted) is not a bus name") }
        return try await bus.call("ReleaseName", name, returning: UInt32.self) == 1
    }

    /// The unique name of the owner of `name`; nil when it has none.
    public func owner(of name: String) async throws(DBusError) -> String? {
        try Names.checkBusName(name)
        do throws(DBusError) {
            return try await bus.call("GetNameOwner", name, returning: String.self)
        } catch  where error.standard == .nameHasNoOwner {
            return nil
        }
    }

    /// Reports the owner of `name`: once now, then at every change, in the order of the bus' signals; nil = no owner.
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

/// Whether the first answer has arrived: it includes the changes up to then.
@DBusActor
private final class OwnerWatch {
    fileprivate(set) var isKnown = false
}

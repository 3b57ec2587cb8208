// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A bus driver for one client of the server, with the methods that client libraries and `busctl --address=` need.
@DBusActor
final class BusDriver {
    private weak var server: Server?
    private weak var client: ServedPeer?

    init(server: Server, client: ServedPeer) {
        self.server = server
        self.client = client
    }

    static let interface = Interface<BusDriver>(
        Bus.name,
        [
            .function("Hello", out: "unique_name") { (driver, call) in
                try driver.client?.recordHello()
                return call.peer.name
            },
            .function("AddMatch", in: ["rule"]) { (driver, _, rule: String) in
                let limit = driver.server?.configuration.maximumMatchRules ?? 0
                try driver.client?.addMatch(try MatchRule(parsing: rule), limit: limit)
            },
            .function("RemoveMatch", in: ["rule"]) { (driver, _, rule: String) in
                try driver.client?.removeMatch(try MatchRule(parsing: rule))
            },
            .function("GetNameOwner", in: ["name"], out: "unique_name") { (driver, _, name: NameArgument) in
                guard let owner = driver.server?.owner(of: name.text) else {
                    throw DBusError(.nameHasNoOwner, "the name \(name.text.quoted) has no owner on this server")
                }
                return owner
            },
            .function("NameHasOwner", in: ["name"], out: "has_owner") { (driver, _, name: NameArgument) in
                driver.server?.owner(of: name.text) != nil
            },
        ])
}

/// The authentication mechanisms that a server allows: only EXTERNAL.
enum AuthenticationMechanisms {
    /// Calls `body` with a nil-terminated list of the allowed mechanisms.
    static func withExternal<R>(_ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> R) -> R {
        unsafe "EXTERNAL".withCString { name in
            unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: 2) { list in
                unsafe list[0] = unsafe name
                unsafe list[1] = nil
                // trap: no input reaches this, because an allocation of two pointers has an address
                guard let start = list.baseAddress else { preconditionFailure("no buffer of pointers") }
                return unsafe body(start)
            }
        }
    }
}

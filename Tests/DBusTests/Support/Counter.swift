// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport

/// The counter of the README's example, with additional methods for tests. Serves as the object to call.
@DBusActor
final class Counter {
    private(set) var sum: UInt64 = 0
    var limit: UInt32 = 100
    var isSecretVisible = false
    /// Calls that the test has not answered yet.
    let kept = EventLog<Call>()
    /// The calls that have arrived, by member.
    var arrivals: [String] = []

    static let added = Signal("Added", ["amount": "u", "sum": "t"])
    nonisolated static let path: ObjectPath = "/org/example/Counter"
    nonisolated static let name = "org.example.Counter"

    static let interface = Interface<Counter>(
        name,
        [
            .function("Add", in: ["amount"], out: "sum") { (counter, _, amount: UInt32) in
                counter.arrivals.append("Add")
                guard amount <= counter.limit else { throw CounterError.tooMuch(amount) }
                counter.sum += UInt64(amount)
                return counter.sum
            },
            .method("Keep") { counter, call in counter.kept.record(call) },
            .method("Hold", in: ["data": "ay"]) { counter, call in counter.kept.record(call) },
            .method("Drop") { counter, _ in counter.arrivals.append("Drop") },
            .method("Fill", in: ["bytes": "u"], out: ["data": "ay"]) { _, call in
                let count = try call.arguments(as: UInt32.self)
                call.reply([UInt8](repeating: 1, count: Int(count)))
            },
            .method("WrongReply", out: ["number": "u"]) { _, call in call.reply("text") },
            .function("Whoami", out: "who") { (_, call) in
                let user = call.peer.credentials.map { String($0.userID) } ?? "?"
                return "\(call.peer.name) \(user) \(call.peer.credentials?.processID ?? 0)"
            },
            .property("Sum", as: UInt64.self, changes: .emits) { counter, _ in counter.sum },
            .property("Limit", as: UInt32.self, changes: .invalidates) { counter, _ in
                counter.limit
            } set: { (counter, value: UInt32, _) in
                guard value > 0 else { throw DBusError.invalidArgs("“Limit” must be positive") }
                counter.limit = value
            },
            .property("Name", as: String.self, changes: .constant) { _, _ in "counter" },
            .property("Noise", as: Double.self, changes: .silent) { _, _ in 0.5 },
            .property("Broken", as: String.self, changes: .silent) { _, _ in throw CounterError.broken },
            .property(
                "Secret", as: String.self, changes: .emits,
                isVisible: { counter, peer in peer != nil && counter.isSecretVisible }
            ) { _, _ in "hush" },
            .signal(added),
        ])
}

/// An error of the test service that maps to a D-Bus error name.
enum CounterError: DBusErrorConvertible {
    case tooMuch(UInt32)
    case broken

    var dbusError: DBusError {
        switch self {
        case .tooMuch(let amount): DBusError(name: "org.example.Error.TooMuch", message: "\(amount) is too much")
        case .broken: DBusError(name: "org.example.Error.Broken", message: "broken")
        }
    }
}

extension ObjectTree {
    /// A tree with one counter at its path.
    static func withCounter(_ counter: Counter) -> ObjectTree {
        let tree = ObjectTree()
        tree.add(ExportedObject(Counter.interface, of: counter), at: Counter.path)
        return tree
    }
}

extension RemoteObject {
    /// Returns a proxy for the counter at the other end of a connection.
    static func counter(_ connection: Connection, destination: String? = Counter.name) -> RemoteObject {
        RemoteObject(connection, destination: destination, path: Counter.path, interface: Counter.name)
    }
}

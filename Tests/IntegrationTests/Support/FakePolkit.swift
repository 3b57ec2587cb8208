// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport

/// A fake polkit that grants the actions that the test sets, and records the queries.
@DBusActor
final class FakePolkit {
    /// A query, or its cancellation.
    enum Event: Equatable, Sendable {
        case check(action: String, mayAskUser: Bool)
        case cancel
    }

    /// The outcome of a query.
    enum Answer {
        case allowed
        case refused
        /// No answer, as while polkit asks for a password.
        case none
        /// polkit exits without an answer.
        case death
        /// polkit allows the action, but first reports that its rules have changed.
        case allowedAfterChange
    }

    static let name = "org.freedesktop.PolicyKit1"
    static let path: ObjectPath = "/org/freedesktop/PolicyKit1/Authority"

    /// The outcomes by action. Actions without an outcome are refused.
    var answers: [String: Answer] = [:]
    let events = EventLog<Event>()
    private let connection: Connection
    private var open: [Call] = []

    init(on bus: PrivateBus) async throws {
        connection = try await Connection.open(.address(bus.address))
        let tree = ObjectTree()
        connection.objects = tree
        tree.add(ExportedObject(Self.interface, of: self), at: Self.path)
        guard try await connection.requestName(Self.name) == .primaryOwner else {
            throw DBusError.failed("another process owns \(Self.name) on the new bus")
        }
    }

    private static let changed = Signal("Changed")
    private static let interface = Interface<FakePolkit>(
        "org.freedesktop.PolicyKit1.Authority",
        [
            .method(
                "CheckAuthorization",
                in: [
                    "subject": "(sa{sv})", "action_id": "s", "details": "a{ss}", "flags": "u", "cancellation_id": "s",
                ],
                out: ["result": "(bba{ss})"]
            ) { polkit, call in try polkit.check(call) },
            .method("CancelCheckAuthorization", in: ["cancellation_id": "s"]) { polkit, call in
                polkit.events.record(.cancel)
                call.reply()
            },
            .signal(changed),
        ])

    private func check(_ call: Call) throws {
        let (_, action, _, flags, _) = try call.arguments(
            as: DBusStruct<String, [String: DBusValue]>.self, String.self, [String: String].self, UInt32.self,
            String.self)
        events.record(.check(action: action, mayAskUser: flags == 1))
        switch answers[action] ?? .refused {
        case .allowed: reply(to: call, true)
        case .refused: reply(to: call, false)
        case .none: open.append(call)
        case .death: connection.close()
        case .allowedAfterChange:
            try connection.objects?.emit(Self.changed, of: Self.interface, at: Self.path)
            reply(to: call, true)
        }
    }

    private func reply(to call: Call, _ isAllowed: Bool) {
        call.reply(DBusStruct(isAllowed, false, [String: String]()))
    }
}

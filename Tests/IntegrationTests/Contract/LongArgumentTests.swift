// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

/// Checks that errors are short, however long the call's arguments are.
@Suite("Long arguments", .timeLimit(.minutes(3)))
@DBusActor
struct LongArgumentTests {
    /// A text of terminal control characters that is longer than any argument may be.
    private static let long = String(repeating: "\u{1B}\u{85}\u{202E}a", count: 40_000)

    /// A call with one argument that is too long, and the error in its reply.
    private struct Refusal {
        var call: Message
        var error: String
    }

    private func refusal(
        _ object: RemoteObject, _ member: String, _ error: String, _ write: (inout Message) throws(DBusError) -> Void
    ) throws -> Refusal {
        Refusal(call: try object.message(member, write), error: error)
    }

    /// Returns calls in which a name, a word or a path is too long.
    private func names(_ adapter: TestAdapter, _ view: ObjectPath, by client: Connection) throws -> [Refusal] {
        let stage = adapter.stage
        let manager = stage.object(Listd.manager, "Manager", by: client)
        let properties = RemoteObject(
            client, destination: Listd.name, path: Listd.manager, interface: StandardInterface.properties)
        let nowhere = try ObjectPath("/" + String(repeating: "a/", count: 50_000) + "a")
        let invalid = Listd.standardError("InvalidArgs")
        let options: [String: DBusValue] = [Self.long: .boolean(true)]
        let word: [String: DBusValue] = ["duplicates": .string(Self.long)]
        return [
            try refusal(manager, "GetAdapter", invalid) { (call) throws(DBusError) in try call.write(Self.long) },
            try refusal(manager, "RemoveAdapter", invalid) { (call) throws(DBusError) in try call.write(Self.long) },
            try refusal(manager, "RenameAdapter", invalid) { (call) throws(DBusError) in
                try call.write(Self.long, Self.long)
            },
            try refusal(manager, "CreateAdapter", invalid) { (call) throws(DBusError) in
                try call.write(Self.long, [String: DBusValue]())
            },
            try refusal(manager, "CreateAdapter", invalid) { (call) throws(DBusError) in
                try call.write("b", ["layout": DBusValue.string(String(Self.long.prefix(10_000)))])
            },
            try refusal(properties, "Get", Listd.standardError("UnknownInterface")) { (call) throws(DBusError) in
                try call.write(Self.long, "Version")
            },
            try refusal(properties, "Get", Listd.standardError("UnknownProperty")) { (call) throws(DBusError) in
                try call.write("org.listd.Listd1.Manager", Self.long)
            },
            try refusal(properties, "GetAll", Listd.standardError("UnknownInterface")) { (call) throws(DBusError) in
                try call.write(Self.long)
            },
            try refusal(properties, "Set", Listd.standardError("UnknownProperty")) { (call) throws(DBusError) in
                try call.write("", Self.long, DBusValue.byte(0))
            },
            try refusal(adapter.by(client), "GetObjectsByFileDescriptor", invalid) { (call) throws(DBusError) in
                try call.write(UInt32(0), UInt32(1), Self.long)
            },
            try refusal(adapter.by(client), "Subscribe", invalid) { (call) throws(DBusError) in
                try call.write([Self.long])
            },
            try refusal(adapter.by(client), "OpenView", invalid) { (call) throws(DBusError) in
                try call.write(options)
            },
            try refusal(adapter.by(client), "PerformUpdates", invalid) { (call) throws(DBusError) in
                try call.write(UInt64(0), [Row](), options)
            },
            try refusal(adapter.by(client), "PerformUpdates", invalid) { (call) throws(DBusError) in
                try call.write(UInt64(0), [Row](), word)
            },
            try refusal(adapter.by(client), "MoveObject", invalid) { (call) throws(DBusError) in
                try call.write(UInt64(0), "a", Self.long, "")
            },
            try refusal(stage.object(view, "View", by: client), "ScrollTo", invalid) { (call) throws(DBusError) in
                try call.write("a", UInt32(0), Self.long)
            },
            try refusal(
                stage.object(nowhere, "Adapter", by: client), "FindObject", Listd.standardError("UnknownObject")
            ) { (call) throws(DBusError) in try call.write("a") },
        ]
    }

    /// Returns calls in which an id is longer than `IdBytes`, or an object has a key that is too long.
    private func identifiers(_ adapter: TestAdapter, _ view: ObjectPath, by client: Connection) throws -> [Refusal] {
        let (list, shown) = (adapter.by(client), adapter.stage.object(view, "View", by: client))
        let large = Listd.error("PayloadTooLarge")
        let descriptor = try FileDescriptor(duplicating: 0)
        return [
            try refusal(list, "FindObject", large) { (call) throws(DBusError) in try call.write(Self.long) },
            try refusal(list, "MoveObject", large) { (call) throws(DBusError) in
                try call.write(UInt64(0), Self.long, "last", "")
            },
            try refusal(list, "MoveObject", large) { (call) throws(DBusError) in
                try call.write(UInt64(0), "a", "before", Self.long)
            },
            try refusal(list, "PatchObject", large) { (call) throws(DBusError) in
                try call.write(UInt64(0), Self.long, [String: DBusValue](), [String]())
            },
            // Checks run in a fixed order: the revision is compared before the objects are checked.
            try refusal(list, "MoveObject", Listd.error("RevisionConflict")) { (call) throws(DBusError) in
                try call.write(UInt64(99), Self.long, "last", "")
            },
            try refusal(list, "PatchObject", Listd.error("RevisionConflict")) { (call) throws(DBusError) in
                try call.write(UInt64(99), Self.long, [String: DBusValue](), [String]())
            },
            try refusal(list, "PerformUpdates", large) { (call) throws(DBusError) in
                try call.write(UInt64(0), [Row(Self.long, "", [:])], [String: DBusValue]())
            },
            try refusal(list, "PerformUpdates", Listd.error("InvalidObject")) { (call) throws(DBusError) in
                try call.write(
                    UInt64(0), [Row("b", "", [Self.long: .fileDescriptor(descriptor)])], [String: DBusValue]())
            },
            try refusal(shown, "ScrollTo", large) { (call) throws(DBusError) in
                try call.write(Self.long, UInt32(0), "start")
            },
            try refusal(shown, "Select", large) { (call) throws(DBusError) in try call.write(Self.long, UInt32(0)) },
            try refusal(shown, "Deselect", large) { (call) throws(DBusError) in try call.write(Self.long, UInt32(0)) },
            try refusal(shown, "SetHighlighted", large) { (call) throws(DBusError) in
                try call.write(Self.long, UInt32(0), true)
            },
        ]
    }

    @Test(
        "calls with overlong arguments → each error has at most 1 KiB, and quotes at most 64 characters, escaped",
        .rule("ER-01"))
    func refusals() async throws {
        for transport in TransportKind.allCases {
            let stage = try await Stage.withDirectSocket()
            let adapter = try await stage.createAdapter("list")
            _ = try await adapter.performUpdates([Row("a", "", [:])])
            let client = try await stage.connect(transport)
            let view = try await adapter.by(client).call(
                "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self,
                UInt32.self, UInt32.self, [String: DBusValue].self
            ).0
            _ = try await stage.object(view, "View", by: client).call(
                "SetViewport", UInt64(0), 0.0, 0.0, 100.0, 100.0, returning: UInt64.self)
            for refusal in try names(adapter, view, by: client) + identifiers(adapter, view, by: client) {
                let error = await #expect(throws: DBusError.self) { _ = try await client.call(refusal.call) }
                guard let error else { continue }
                let member = refusal.call.member ?? ""
                #expect(error.name == refusal.error, "\(member): \(error.message.prefix(80))")
                #expect(error.message.utf8.count <= 1024, "\(member): \(error.message.utf8.count) bytes")
                #expect(!error.message.unicodeScalars.contains { $0.steersTerminals }, "\(member)")
                // The fixed part of the message contains some of these characters too.
                #expect(error.message.count { $0 == "a" || $0 == "/" } <= 64 + 40, "\(member): \(error.message)")
            }
            #expect(try await adapter.objects().revision == 1)
            await stage.stop()
        }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control or directional character, which may change how a terminal shows the text
    /// around it.
    var steersTerminals: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

/// Checks that introspection of the running daemon equals the installed files, and that signals have the declared
/// types.
@Suite("Introspection of a running daemon", .timeLimit(.minutes(3)))
@DBusActor
struct IntrospectionTests {
    private static let standard = ["Introspectable", "Peer", "Properties"].map { "org.freedesktop.DBus." + $0 }

    private func describe(_ path: ObjectPath, on stage: Stage) async throws -> InterfaceDescription {
        try InterfaceDescription(xml: try await introspect(path, on: stage))
    }

    private func introspect(_ path: ObjectPath, on stage: Stage) async throws -> String {
        let object = RemoteObject(
            stage.client, destination: Listd.name, path: path, interface: "org.freedesktop.DBus.Introspectable")
        return try await object.call("Introspect", returning: String.self)
    }

    @Test("manager, adapter and view are introspected → the results equal the interface files", .rule("NA-01", "NA-05"))
    func interfaces() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("one")
        let (view, _, _, _, _, _) = try await adapter.by(stage.client).call(
            "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
            UInt32.self, [String: DBusValue].self)
        for (path, interface) in [(Listd.manager, "Manager"), (adapter.path, "Adapter"), (view, "View")] {
            try await expectContract(interface, at: path, on: stage)
        }
        await stage.stop()
    }

    @Test("a plugin is loaded → its introspection data equal the interface file, and the tree contains its path")
    func plugin() async throws {
        let horrors = try await HorrorStage()
        try await horrors.load()
        try await expectContract("Plugin", at: HorrorStage.path, on: horrors.stage)
        #expect(try await describe("/org/listd/Listd1/plugins", on: horrors.stage).children == ["horrors"])
        await horrors.stop()
    }

    /// Checks that an object has exactly the members of the interface file, and the standard interfaces.
    private func expectContract(_ interface: String, at path: ObjectPath, on stage: Stage) async throws {
        let live = try await describe(path, on: stage)
        let members = live.interfaces[Listd.name + "." + interface] ?? []
        let contract = try InterfaceDescription.contract(interface)
        #expect(!contract.isEmpty)
        #expect(members.subtracting(contract) == [], "\(interface) has members that its file lacks")
        #expect(contract.subtracting(members) == [], "\(interface) lacks members of its file")
        let text = try InterfaceDescription.text(of: interface, in: try await introspect(path, on: stage))
        #expect(try text == InterfaceDescription.text(of: interface, in: InterfaceDescription.file(interface)))
        let manager = interface == "Manager" ? [StandardInterface.objectManager] : []
        #expect(Set(live.interfaces.keys) == Set(Self.standard + manager + [Listd.name + "." + interface]))
    }

    @Test(
        "every node of the tree is introspected → children are listed, and the manager has all lists and plugins",
        .rule("NA-03", "NA-08"))
    func tree() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("a b")
        let (view, _, _, _, _, _) = try await adapter.by(stage.client).call(
            "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
            UInt32.self, [String: DBusValue].self)
        var seen: [String] = []
        try await walk("/", on: stage, &seen)
        #expect(
            seen == [
                "/", "/org", "/org/freedesktop", "/org/freedesktop/LogControl1", "/org/listd", "/org/listd/Listd1",
                "/org/listd/Listd1/adapters",
                "/org/listd/Listd1/adapters/a_20b", "/org/listd/Listd1/plugins", "/org/listd/Listd1/views", view.text,
            ])
        for path in seen where path != "/org/listd/Listd1" {
            let interfaces = try await describe(ObjectPath(path), on: stage).interfaces.keys
            #expect(!interfaces.contains(StandardInterface.objectManager), "\(path)")
        }
        typealias Managed = [ObjectPath: [String: [String: DBusValue]]]
        let manager = RemoteObject(
            stage.client, destination: Listd.name, path: Listd.manager, interface: StandardInterface.objectManager)
        #expect(Array(try await manager.call("GetManagedObjects", returning: Managed.self).keys) == [adapter.path])
        try await stage.manager.call("RemoveAdapter", "a b")
        let left = try await describe(Listd.manager, on: stage)
        #expect(left.children == ["adapters", "plugins", "views"])
        await stage.stop()
    }

    @Test(
        "any path is pinged → it answers; any other call of a path without an object → UnknownObject", .rule("NA-08"),
        arguments: TransportKind.allCases)
    func peer(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let client = try await stage.connect(transport)
        for path: ObjectPath in ["/", "/nowhere", "/org/listd/Listd1/adapters/none/at/all", "/org/listd/Listd1/views"] {
            func object(_ interface: String) -> RemoteObject {
                RemoteObject(client, destination: Listd.name, path: path, interface: interface)
            }
            _ = try await object(StandardInterface.peer).call("Ping")
            #expect(try await object(StandardInterface.peer).call("GetMachineId", returning: String.self).count == 32)
            guard path == "/nowhere" else { continue }
            for (interface, member) in [
                (StandardInterface.introspectable, "Introspect"), (StandardInterface.peer, "Reset"),
                (Listd.name + ".Adapter", "Ping"),
            ] {
                let error = await #expect(throws: DBusError.self) { _ = try await object(interface).call(member) }
                #expect(error?.standard == .unknownObject, "\(interface).\(member)")
            }
        }
        await stage.stop()
    }

    private func walk(_ path: ObjectPath, on stage: Stage, _ seen: inout [String]) async throws {
        seen.append(path.text)
        for child in try await describe(path, on: stage).children {
            try await walk(ObjectPath(path == .root ? "/" + child : path.text + "/" + child), on: stage, &seen)
        }
    }

    @Test("every signal of a busy list → its signature matches the introspection data", .rule("NA-05", "DT-01"))
    func signals() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("busy", ["working-range": .uint32(2)])
        let seen = EventLog<(interface: String, member: String, signature: String)>()
        _ = try await stage.client.subscribe(MatchRule(sender: Listd.name)) { message in
            seen.record((message.interface ?? "", message.member ?? "", message.signature.text))
        }
        _ = try await adapter.performUpdates((0..<50).map { Row("\($0)", "row", ["n": .int64($0)]) })
        let (path, _, _, _, _, _) = try await adapter.by(stage.client).call(
            "OpenView", ["window": DBusValue.uint32(2)], returning: ObjectPath.self, String.self, UInt64.self,
            UInt32.self, UInt32.self, [String: DBusValue].self)
        let view = stage.object(path, "View")
        for y in stride(from: 0.0, to: 1500, by: 300) {
            _ = try await view.call(
                "SetViewport", UInt64(0), 0.0, y, 320.0, 480.0, returning: UInt64.self)
        }
        _ = try await view.call("Select", "30", UInt32(0), returning: Bool.self)
        _ = try await adapter.applyChanges(remove: ["1"], [Upsert("x", "row", "first", "", [:])])
        try await view.call("Close")
        try await stage.manager.call("RemoveAdapter", "busy")
        var members: Set<String> = []
        for signal in seen.recorded where signal.interface.hasPrefix(Listd.name) {
            let interface = String(signal.interface.dropFirst(Listd.name.count + 1))
            let declared = try InterfaceDescription.contract(interface).first {
                $0.hasPrefix("signal \(signal.member) ")
            }
            let types = declared?.split(separator: " ").filter { !$0.hasSuffix(":") && !$0.hasPrefix("@") }.dropFirst(2)
                .joined()
            #expect(types == signal.signature, "\(interface).\(signal.member)")
            members.insert(signal.member)
        }
        #expect(
            members == [
                "Updated", "DisplayChanged", "WorkingRangeChanged", "SelectionChanged", "Changed", "Stalled", "Closed",
            ])
        let standard = Set(seen.recorded.map(\.member))
        #expect(standard.contains("InterfacesRemoved"))
        await stage.stop()
    }
}

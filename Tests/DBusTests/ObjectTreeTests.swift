// SPDX-License-Identifier: Apache-2.0

import DBus
import FoundationXML
import TestSupport
import Testing

@Suite("The tree of objects")
@DBusActor
struct ObjectTreeTests {
    /// Adds three counters below `/org/example/many`.
    private func addMany(to tree: ObjectTree) {
        for path in ["/org/example/many/a/x", "/org/example/many/a/y", "/org/example/many/b"] as [ObjectPath] {
            tree.add(ExportedObject(Counter.interface, of: Counter()), at: path)
        }
    }

    private func introspect(_ client: Connection, _ path: ObjectPath) async throws -> String {
        try await RemoteObject(
            client, destination: Counter.name, path: path, interface: StandardInterface.introspectable
        )
        .call("Introspect", returning: String.self)
    }

    @Test(
        "any level of the object tree is introspected → all registered and intermediate children are listed")
    func children() async throws {
        let service = try await CounterService.start()
        addMany(to: service.tree)
        let client = try await service.client()
        func children(_ path: ObjectPath) async throws -> [String] {
            try Introspected(try await introspect(client, path)).children
        }
        #expect(try await children("/") == ["org"])
        #expect(try await children("/org") == ["example"])
        #expect(try await children("/org/example") == ["Counter", "many"])
        #expect(try await children("/org/example/many") == ["a", "b"])
        #expect(try await children("/org/example/many/a") == ["x", "y"])
        #expect(try await children("/org/example/many/b") == [])
        #expect(try await children(Counter.path) == [])
        for path in ["/org/example/many/c", "/org/example/many/a/z", "/nothing"] as [ObjectPath] {
            let error = await #expect(throws: DBusError.self) { try await introspect(client, path) }
            #expect(error?.standard == .unknownObject)
        }
        let tree = try await ChildProcess.run(
            "/usr/bin/busctl", ["--address=\(service.bus.address)", "--list", "tree", Counter.name])
        #expect(tree.lines.contains("/org/example/many/a/y"))
    }

    @Test("an object is introspected → an independent XML parser reads the interface table in order")
    func introspection() async throws {
        let service = try await CounterService.start()
        let found = try Introspected(try await introspect(try await service.client(), Counter.path))
        #expect(
            found.interfaces == [
                Counter.name, StandardInterface.introspectable, StandardInterface.properties, StandardInterface.peer,
            ])
        #expect(found.members(of: Counter.name).first == "method Add(amount:u:in sum:t:out)")
        #expect(found.members(of: Counter.name).last == "signal Added(amount:u sum:t)")
        #expect(
            found.members(of: Counter.name).filter { $0.hasPrefix("property") } == [
                "property Sum t read", "property Limit u readwrite invalidates", "property Name s read const",
                "property Noise d read false", "property Broken s read false", "property Secret s read",
            ])
        #expect(
            found.members(of: StandardInterface.properties) == [
                "method Get(interface_name:s:in property_name:s:in value:v:out)",
                "method GetAll(interface_name:s:in properties:a{sv}:out)",
                "method Set(interface_name:s:in property_name:s:in value:v:in)",
                "signal PropertiesChanged(interface_name:s changed_properties:a{sv} invalidated_properties:as)",
            ])
    }

    @Test("an object is removed → its path and empty parent nodes become unknown, and other objects stay")
    func removal() async throws {
        let service = try await CounterService.start()
        service.tree.add(ExportedObject(Counter.interface, of: service.counter), at: "/org/example/deep/down/Counter")
        #expect(service.tree.children(of: "/org/example") == ["Counter", "deep"])
        service.tree.remove(at: "/org/example/deep/down/Counter")
        #expect(service.tree.children(of: "/org/example") == ["Counter"])
        service.tree.remove(at: "/org/example/deep/down/Counter")
        service.tree.remove(at: Counter.path)
        let client = try await service.client()
        let error = await #expect(throws: DBusError.self) {
            try await RemoteObject.counter(client).call("Add", UInt32(1), returning: UInt64.self)
        }
        #expect(error?.standard == .unknownObject)
        #expect(service.tree.children(of: .root) == [])
    }

    @Test("an ObjectManager of some paths → it manages only the objects below these; a kept node stays when empty")
    func managedPaths() async throws {
        typealias Managed = [ObjectPath: [String: [String: DBusValue]]]
        let service = try await CounterService.start()
        service.tree.addObjectManager(at: "/org/example", of: ["/org/example/a", "/org/example/b"])
        service.tree.keepNode(at: "/org/example/c")
        let client = try await service.client()
        let manager = RemoteObject(
            client, destination: Counter.name, path: "/org/example", interface: StandardInterface.objectManager)
        let log = EventLog<String>()
        _ = try await client.subscribe(MatchRule(interface: StandardInterface.objectManager)) { message in
            let path = try? message.read { (reader) throws(DBusError) in try ObjectPath(from: &reader) }
            log.record("\(message.path?.text ?? "") \(message.member ?? "") \(path?.text ?? "")")
        }
        let object = ExportedObject(Counter.interface, of: service.counter)
        for path: ObjectPath in ["/org/example/b/two", "/org/example/a/one", "/org/example/c/three"] {
            service.tree.add(object, at: path)
        }
        let managed = try await manager.call("GetManagedObjects", returning: Managed.self)
        #expect(Set(managed.keys) == ["/org/example/a/one", "/org/example/b/two"])
        service.tree.remove(at: "/org/example/c/three")
        service.tree.remove(at: "/org/example/a/one")
        _ = try await manager.call("GetManagedObjects", returning: Managed.self)
        #expect(
            log.recorded == [
                "/org/example InterfacesAdded /org/example/b/two", "/org/example InterfacesAdded /org/example/a/one",
                "/org/example InterfacesRemoved /org/example/a/one",
            ])
        #expect(service.tree.children(of: "/org/example").contains("c"))
    }

    @Test("an ObjectManager → lists all objects below its path, and announces each object that is added or removed")
    func objectManager() async throws {
        typealias Managed = [ObjectPath: [String: [String: DBusValue]]]
        let service = try await CounterService.start()
        service.tree.addObjectManager(at: "/org/example")
        addMany(to: service.tree)
        let client = try await service.client()
        let manager = RemoteObject(
            client, destination: Counter.name, path: "/org/example", interface: StandardInterface.objectManager)
        let managed = try await manager.call("GetManagedObjects", returning: Managed.self)
        #expect(
            managed.keys.map(\.text).sorted() == [
                "/org/example/Counter", "/org/example/many/a/x", "/org/example/many/a/y", "/org/example/many/b",
            ])
        #expect(managed[Counter.path]?[Counter.name]?["Sum"] == .uint64(0))
        #expect(managed[Counter.path]?[Counter.name]?["Secret"] == nil)

        let log = EventLog<[DBusValue]>()
        let rule = MatchRule(path: "/org/example", interface: StandardInterface.objectManager)
        _ = try await client.subscribe(rule) { log.record((try? $0.values()) ?? []) }
        let object = ExportedObject(Counter.interface, of: service.counter)
        service.tree.add(object, at: "/elsewhere")
        service.tree.add(object, at: "/org/example/second")
        let added = try await log.next()
        #expect(added.first == .objectPath("/org/example/second"))
        guard case .dictionary(_, _, let interfaces) = added[1] else { throw DBusError.failed("not a dictionary") }
        #expect(interfaces.map(\.key) == [.string(Counter.name)])
        service.tree.remove(at: "/org/example/second")
        #expect(try await log.next() == [.objectPath("/org/example/second"), .strings([Counter.name])])
        #expect(try Introspected(try await introspect(client, "/org/example")).interfaces.contains(manager.interface))
    }
}

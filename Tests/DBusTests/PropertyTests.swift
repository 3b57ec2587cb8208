// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Properties")
@DBusActor
struct PropertyTests {
    private func properties(_ client: Connection) -> RemoteObject {
        RemoteObject(client, destination: Counter.name, path: Counter.path, interface: StandardInterface.properties)
    }

    @Test("Get, GetAll and Set → values are read and written, and GetAll omits a property whose getter fails")
    func access() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        let properties = properties(client)
        let all = try await properties.call("GetAll", Counter.name, returning: [String: DBusValue].self)
        let expected: [String: DBusValue] = [
            "Sum": .uint64(0), "Limit": .uint32(100), "Name": .string("counter"), "Noise": .double(0.5),
        ]
        #expect(all == expected)
        #expect(try await properties.call("GetAll", "", returning: [String: DBusValue].self) == expected)
        let none = try await properties.call("GetAll", StandardInterface.peer, returning: [String: DBusValue].self)
        #expect(none.isEmpty)
        var error = await #expect(throws: DBusError.self) {
            try await properties.call("Get", Counter.name, "Broken", returning: DBusValue.self)
        }
        #expect(error?.name == "org.example.Error.Broken")

        try await properties.call("Set", Counter.name, "Limit", DBusValue.uint32(7))
        #expect(service.counter.limit == 7)
        error = await #expect(throws: DBusError.self) {
            try await properties.call("Set", Counter.name, "Limit", DBusValue.uint32(0))
        }
        #expect(error?.standard == .invalidArgs)
        error = await #expect(throws: DBusError.self) {
            try await properties.call("Set", Counter.name, "Limit", DBusValue.string("7"))
        }
        #expect(error?.standard == .invalidArgs)
        #expect(error?.message.contains("“Limit”") == true)
        error = await #expect(throws: DBusError.self) {
            try await properties.call("Set", Counter.name, "Sum", DBusValue.uint64(7))
        }
        #expect(error?.standard == .propertyReadOnly)
        error = await #expect(throws: DBusError.self) {
            try await properties.call("Set", Counter.name, "Colour", DBusValue.uint64(7))
        }
        #expect(error?.standard == .unknownProperty)
        #expect(service.counter.limit == 7)
    }

    @Test("properties change → the signal carries values, names, or nothing, as the interface table declares")
    func changes() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        let log = EventLog<[DBusValue]>()
        let rule = MatchRule(sender: Counter.name, interface: StandardInterface.properties)
        _ = try await client.subscribe(rule) { log.record((try? $0.values()) ?? []) }
        func changed(_ names: [String]) throws {
            try service.tree.propertiesChanged(names, of: Counter.interface, at: Counter.path)
        }
        try changed(["Name", "Noise", "Broken", "Unknown"])
        try changed(["Name", "Secret"])
        #expect(try await log.next() == [.string(Counter.name), .options([:]), .strings(["Secret"])])
        try changed(["Sum", "Limit", "Noise"])
        #expect(
            try await log.next() == [
                .string(Counter.name), .options(["Sum": .uint64(0)]), .strings(["Limit"]),
            ])
        try changed(["Limit"])
        #expect(try await log.next() == [.string(Counter.name), .options([:]), .strings(["Limit"])])
        #expect(throws: DBusError.self) {
            try service.tree.propertiesChanged(["Sum"], of: Counter.interface, at: "/nowhere")
        }
    }

    @Test(
        "a peer without read access to a property → Get returns AccessDenied, GetAll and signals omit the value"
    )
    func visibility() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        let counter = RemoteObject.counter(client)
        let error = await #expect(throws: DBusError.self) {
            try await counter.property("Secret", as: String.self)
        }
        #expect(error?.standard == .accessDenied)
        service.counter.isSecretVisible = true
        #expect(try await counter.property("Secret", as: String.self) == "hush")
        let all = try await properties(client).call("GetAll", Counter.name, returning: [String: DBusValue].self)
        #expect(all["Secret"] == .string("hush"))
    }
}

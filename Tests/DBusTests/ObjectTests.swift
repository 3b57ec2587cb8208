// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("Dispatching calls as interface tables declare")
@DBusActor
struct ObjectTests {
    private func error(
        _ connection: Connection, path: ObjectPath = Counter.path, interface: String? = Counter.name, member: String,
        _ values: DBusValue...
    ) async throws -> DBusError? {
        var message = try Message.methodCall(to: Counter.name, path: path, interface: interface, member: member)
        try message.write(values: values)
        do throws(DBusError) {
            _ = try await connection.call(message)
            return nil
        } catch {
            return error
        }
    }

    @Test("a call has an unknown object, interface, method or property → its error is distinct and contains the name")
    func unknown() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        var found = try await error(client, path: "/org/example/Nothing", member: "Add", .uint32(1))
        #expect(found?.standard == .unknownObject)
        #expect(found?.message.contains("/org/example/Nothing") == true)
        found = try await error(client, path: "/org/example", member: "Add", .uint32(1))
        #expect(found?.standard == .unknownInterface)
        found = try await error(client, interface: "org.example.Other", member: "Add", .uint32(1))
        #expect(found?.standard == .unknownInterface)
        #expect(found?.message.contains("org.example.Other") == true)
        found = try await error(client, member: "Subtract")
        #expect(found?.standard == .unknownMethod)
        #expect(found?.message.contains("Subtract") == true)
        found = try await error(client, interface: nil, member: "Subtract")
        #expect(found?.standard == .unknownMethod)
        #expect(try await error(client, interface: nil, member: "Add", .uint32(1)) == nil)

        let properties = StandardInterface.properties
        found = try await error(
            client, interface: properties, member: "Get", .string(Counter.name), .string("Colour"))
        #expect(found?.standard == .unknownProperty)
        found = try await error(client, interface: properties, member: "Get", .string("org.example.No"), .string("X"))
        #expect(found?.standard == .unknownInterface)
        found = try await error(client, interface: properties, member: "GetAll", .string("org.example.No"))
        #expect(found?.standard == .unknownInterface)
    }

    @Test("arguments do not fit the method → InvalidArgs that names the wrong argument, and the handler does not run")
    func invalidArguments() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        for values in [[], [.string("x")], [.int32(1)], [.uint32(1), .uint32(2)], [.variant(.uint32(1))]]
            as [[DBusValue]]
        {
            var message = try Message.methodCall(
                to: Counter.name, path: Counter.path, interface: Counter.name, member: "Add")
            try message.write(values: values)
            let error = await #expect(throws: DBusError.self) { try await client.call(message) }
            #expect(error?.standard == .invalidArgs)
            if values.count < 2 { #expect(error?.message.contains("“amount”") == true) }
        }
        #expect(service.counter.arrivals.isEmpty)
    }

    @Test("a handler throws its own error type → the caller gets the mapped D-Bus name, and the service continues")
    func mappedError() async throws {
        let service = try await CounterService.start()
        let counter = RemoteObject.counter(try await service.client())
        let error = await #expect(throws: DBusError.self) {
            try await counter.call("Add", UInt32(101), returning: UInt64.self)
        }
        #expect(error == DBusError(name: "org.example.Error.TooMuch", message: "101 is too much"))
        #expect(try await counter.call("Add", UInt32(100), returning: UInt64.self) == 100)
    }

    @Test("a handler drops its call, or replies with undeclared types → the caller gets an error")
    func noAnswer() async throws {
        let service = try await CounterService.start()
        let counter = RemoteObject.counter(try await service.client())
        var error = await #expect(throws: DBusError.self) { try await counter.call("Drop") }
        #expect(error?.standard == .failed)
        error = await #expect(throws: DBusError.self) { try await counter.call("WrongReply") }
        #expect(error?.standard == .invalidArgs)
    }

    @Test("a handler returns, and the call is then answered twice → only the first reply is sent")
    func answeredLater() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        let task = Task { @DBusActor in try await RemoteObject.counter(client).call("Keep") }
        let call = try await service.counter.kept.next()
        #expect(call.peer.callsInFlight == 1)
        #expect(!call.isAnswered)
        call.reply()
        call.fail(DBusError.failed("too late"))
        #expect(call.isAnswered)
        #expect(call.peer.callsInFlight == 0)
        try await task.value
    }

    @Test("the admission check refuses a call → the method does not run, and the caller gets the check's error")
    func admission() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        service.tree.admission = { call in
            if call.member == "Add" { throw DBusError.limitsExceeded("not now") }
        }
        #expect(try await error(client, member: "Add", .uint32(1))?.standard == .limitsExceeded)
        #expect(service.counter.arrivals.isEmpty)
        service.tree.admission = nil
        #expect(try await error(client, member: "Add", .uint32(1)) == nil)
    }

    @Test("org.freedesktop.DBus.Peer is called on any path → Ping is answered, and the machine id is returned")
    func peer() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        for path in ["/", "/org", Counter.path] as [ObjectPath] {
            let peer = RemoteObject(
                client, destination: Counter.name, path: path, interface: StandardInterface.peer)
            try await peer.call("Ping")
            let machine = try String(contentsOfFile: "/etc/machine-id", encoding: .utf8)
            #expect(try await peer.call("GetMachineId", returning: String.self) + "\n" == machine)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

/// Completions and handlers may use the connection, because no state of the connection is being changed while they
/// run.
@Suite("Handlers that use the connection during a call of the connection")
@DBusActor
struct ReentrancyTests {
    private func hello(_ connection: Connection) throws -> Message {
        try Message.methodCall(
            to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "GetId")
    }

    @Test("a completion makes a call → the reply to that call arrives")
    func completion() async throws {
        let bus = try PrivateBus()
        let connection = try await Connection.open(.address(bus.address))
        let answers = EventLog<Int>()
        connection.call(try hello(connection)) { _ in
            guard let again = try? hello(connection) else { return }
            connection.call(again) { _ in answers.record(2) }
            answers.record(1)
        }
        #expect(try await answers.next() == 1)
        #expect(try await answers.next() == 2)
    }

    @Test("a call times out, and its completion makes another call → the reply to that call arrives")
    func timeout() async throws {
        let bus = try PrivateBus()
        let connection = try await Connection.open(.address(bus.address))
        let answers = EventLog<Bool>()
        connection.call(try hello(connection), timeout: .zero) { _ in
            guard let again = try? hello(connection) else { return }
            connection.call(again) { answers.record((try? $0.get()) != nil) }
        }
        #expect(try await answers.next())
    }

    @Test("the connection ends, and the completion of a failed call makes another call → the new call fails too")
    func end() async throws {
        let bus = try PrivateBus()
        let connection = try await Connection.open(.address(bus.address))
        let errors = EventLog<DBusError>()
        connection.call(try hello(connection)) { result in
            if case .failure(let error) = result { errors.record(error) }
            guard let again = try? hello(connection) else { return }
            connection.call(again) { if case .failure(let error) = $0 { errors.record(error) } }
        }
        connection.close()
        #expect(try await errors.next().standard == .disconnected)
        #expect(try await errors.next().standard == .disconnected)
    }

    @Test("a drain handler registers another drain handler → the new handler is called at the next drain")
    func drain() async throws {
        let bus = try PrivateBus()
        let connection = try await Connection.open(.address(bus.address))
        let drains = EventLog<Int>()
        func fill() throws {
            for _ in 0..<64 { try connection.send(try hello(connection)) }
        }
        try fill()
        connection.onDrain(below: 0) {
            drains.record(1)
            try? fill()
            connection.onDrain(below: 0) { drains.record(2) }
        }
        #expect(try await drains.next() == 1)
        #expect(try await drains.next() == 2)
    }
}

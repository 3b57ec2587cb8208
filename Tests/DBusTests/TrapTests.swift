// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("Traps of libdbus: threads, the main loop, queues")
@DBusActor
struct TrapTests {
    @Test("received messages reach libdbus' limit, then other threads release them → reading resumes")
    func dropOnOtherThreads() async throws {
        let server = try CounterServer()
        let client = try await server.client()
        let data = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<80 {
            var message = try Message.methodCall(
                to: nil, path: Counter.path, interface: Counter.name, member: "Hold")
            try message.write(data)
            try client.callWithoutReply(message)
        }
        var held: [Call] = []
        for _ in 0..<60 { held.append(try await server.counter.kept.next()) }
        // libdbus stops reading when more than 63 MiB are held. The last references are released on another thread.
        let box = held
        held = []
        DispatchQueue.global().async { withExtendedLifetime(box) {} }
        for _ in 60..<80 {
            let call = try await server.counter.kept.next()
            DispatchQueue.global().async { withExtendedLifetime(call) {} }
        }
        #expect(
            try await RemoteObject.counter(client, destination: nil).call("Add", UInt32(1), returning: UInt64.self) == 1
        )
    }

    @Test("a flood of messages arrives → timers still fire, and no handler is re-entered")
    func budget() async throws {
        let server = try CounterServer()
        let client = try await server.client()
        let other = try await server.client()
        let object = Reentered(sender: other)
        server.tree.add(ExportedObject(Reentered.interface, of: object), at: "/flood")
        for _ in 0..<2000 {
            try client.callWithoutReply(
                Message.methodCall(to: nil, path: "/flood", interface: "org.example.Flood", member: "Hit"))
        }
        let done = EventLog<Int>()
        object.onFirst = {
            EventLoop.shared.addTimer(after: .zero) { done.record(object.count) }
        }
        object.onLast = { done.record(object.count) }
        #expect(try await done.next() <= 2 * Connection.messagesPerTurn)
        #expect(try await done.next() == 2000)
        #expect(!object.wasReentered)
    }

    @Test("each dispatch status of libdbus → the loop drains, waits, or retries later, and never spins")
    func dispatchStatus() {
        #expect(DispatchStep(status: 0) == .drain)  // DBUS_DISPATCH_DATA_REMAINS
        #expect(DispatchStep(status: 1) == .wait)  // DBUS_DISPATCH_COMPLETE
        #expect(DispatchStep(status: 2) == .retryLater)  // DBUS_DISPATCH_NEED_MEMORY
        #expect(DispatchStep.retryDelay > .zero)
    }

    @Test("many connections open and close at once → every call is answered, although descriptors are reused")
    func churn() async throws {
        let server = try CounterServer { $0.maximumConnections = 1000 }
        let address = server.address
        let rounds = (0..<20).map { _ in
            Task { @DBusActor in
                for _ in 0..<10 {
                    let client = try await Connection.openDirect(.address(address))
                    let counter = RemoteObject.counter(client, destination: nil)
                    _ = try await counter.call("Add", UInt32(1), returning: UInt64.self)
                    client.close()
                }
            }
        }
        for round in rounds { try await round.value }
        #expect(server.counter.sum == 200)
    }

    @Test("the bus process is stopped → sending does not block, and calls time out")
    func stoppedBus() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        service.bus.pause()
        let data = [UInt8](repeating: 1, count: 1 << 16)
        for _ in 0..<100 {
            var message = try Message.signal(path: "/", interface: "org.example.T", member: "T")
            try message.write(data)
            try client.send(message)
        }
        #expect(client.outgoingSize > 5 << 20)
        let error = await #expect(throws: DBusError.self) {
            try await RemoteObject.counter(client).call("Add", UInt32(1), timeout: .milliseconds(20))
        }
        #expect(error?.standard == .noReply)
        let drained = EventLog<Int>()
        client.onDrain(below: 0) { drained.record(client.outgoingSize) }
        service.bus.resume()
        #expect(try await drained.next() == 0)
        #expect(try await RemoteObject.counter(client).call("Add", UInt32(1), returning: UInt64.self) == 2)
    }

    @Test("one message is sent to several connections → each sends a copy, because libdbus locks a sent message")
    func sentTwice() async throws {
        let server = try CounterServer()
        let peers = EventLog<Peer>()
        server.server.onConnection { peers.record($0) }
        let log = EventLog<String>()
        let clients = [try await server.client(), try await server.client()]
        for client in clients {
            _ = try await client.subscribe(MatchRule(member: "Added")) { message in
                log.record("\(client === clients[0] ? "first" : "second") \((try? message.values().count) ?? 0)")
            }
        }
        let message = try Message.signal(Counter.added, of: Counter.name, at: Counter.path) { writer in
            writer.append(1 as UInt32)
            writer.append(1 as UInt64)
        }
        for _ in clients { try await peers.next().send(message) }
        #expect(try await [log.next(), log.next()].sorted() == ["first 2", "second 2"])
    }

    @Test("a message gets bad arguments of any kind → an error is thrown before libdbus is called, which would abort")
    func badArguments() throws {
        func change(_ body: (inout Message) throws -> Void) throws {
            var message = try Message.signal(path: "/", interface: "a.b", member: "A")
            try body(&message)
        }
        let bad: [() throws -> Void] = [
            { _ = try Message.methodCall(to: "no name", path: "/", interface: nil, member: "A") },
            { _ = try Message.methodCall(to: nil, path: "/", interface: "one", member: "A") },
            { _ = try Message.methodCall(to: nil, path: "/", interface: "a.b", member: "A.B") },
            { _ = try Message.methodCall(to: nil, path: "/", interface: nil, member: "A\0") },
            { _ = try Message.signal(path: "/", interface: "", member: "A") },
            { _ = try Message.signal(path: "/", interface: "a.b", member: "") },
            { _ = try ObjectPath(String()) },
            { try change { try $0.setDestination("") } },
            { _ = try Message.signal(path: "/", interface: "a.b", member: "A").methodReturn() },
            { _ = try Message.signal(path: "/", interface: "a.b", member: "A").errorReply(.failed("x")) },
            { _ = try Message.methodCall(to: nil, path: "/", interface: nil, member: "A").methodReturn() },
            { try change { try $0.write("a\0b") } },
        ]
        for attempt in bad { #expect(throws: DBusError.self) { try attempt() } }
        #expect(DBusError(name: "no name", message: "x").standard == .failed)
        #expect(DBusError(name: "a.b\0", message: "x").standard == .failed)
    }
}

/// An object that records whether its method is called while an earlier call of the method still runs.
@DBusActor
private final class Reentered {
    private(set) var count = 0
    private(set) var wasReentered = false
    private var isBusy = false
    var onFirst: () -> Void = {}
    var onLast: () -> Void = {}
    private let sender: Connection

    init(sender: Connection) {
        self.sender = sender
    }

    static let interface = Interface<Reentered>(
        "org.example.Flood",
        [
            .method("Hit") { object, _ in
                if object.isBusy { object.wasReentered = true }
                object.isBusy = true
                object.count += 1
                if object.count == 1 { object.onFirst() }
                if object.count == 2000 { object.onLast() }
                // Sending, and opening connections, inside a handler must not dispatch any message.
                try object.sender.send(Message.signal(path: "/", interface: "org.example.Flood", member: "Noise"))
                object.isBusy = false
            }
        ])
}

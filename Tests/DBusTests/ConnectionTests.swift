// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Connections to a bus")
@DBusActor
struct ConnectionTests {
    @Test(
        "nobody listens on the address, or the address is malformed → opening the connection throws a DBusError",
        arguments: [
            "unix:path=/nonexistent/socket", "nonsense", "unix:", "", "unix:path=/tmp/\0", "tcp:host=localhost",
        ])
    func noServer(address: String) async {
        await #expect(throws: DBusError.self) { try await Connection.open(.address(address)) }
    }

    @Test("the bus does not answer Hello → opening the connection fails with NoReply after the timeout")
    func stoppedBus() async throws {
        let bus = try PrivateBus()
        bus.pause()
        let error = await #expect(throws: DBusError.self) {
            try await Connection.open(.address(bus.address), timeout: .milliseconds(50))
        }
        #expect(error?.standard == .noReply)
        bus.resume()
    }

    @Test("clients request, release and query names → the bus's answers are decoded into the matching cases")
    func names() async throws {
        let bus = try PrivateBus()
        let (first, second) = (
            try await Connection.open(.address(bus.address)), try await Connection.open(.address(bus.address))
        )
        let events = EventLog<NameEvent>()
        first.onName { events.record($0) }
        #expect(try await first.requestName("org.example.A") == .primaryOwner)
        #expect(try await first.requestName("org.example.A") == .alreadyOwner)
        #expect(try await second.requestName("org.example.A") == .exists)
        #expect(try await events.next() == .acquired("org.example.A"))
        #expect(try await second.requestName("org.example.A", []) == .inQueue)
        #expect(try await second.owner(of: "org.example.A") == first.uniqueName)
        #expect(try await first.releaseName("org.example.A"))
        #expect(try await !first.releaseName("org.example.A"))
        #expect(try await events.next() == .lost("org.example.A"))
        #expect(try await first.owner(of: "org.example.A") == second.uniqueName)
        #expect(try await first.owner(of: "org.example.B") == nil)
        await #expect(throws: DBusError.self) { try await first.requestName("no name") }
        await #expect(throws: DBusError.self) { try await first.requestName(":1.7") }
    }

    @Test("the bus policy forbids the client to own a name → AccessDenied")
    func denied() async throws {
        let bus = try PrivateBus(.system(policy: ""))
        let connection = try await Connection.open(.address(bus.address))
        let error = await #expect(throws: DBusError.self) { try await connection.requestName("org.example.A") }
        #expect(error?.standard == .accessDenied)
        #expect(connection.isConnected)
    }

    @Test("a name changes its owner several times → the watcher of the name gets each new owner, in order")
    func watchOwner() async throws {
        let bus = try PrivateBus()
        let watcher = try await Connection.open(.address(bus.address))
        let owners = EventLog<String?>()
        let subscription = try await watcher.watchOwner(of: "org.example.A") { owners.record($0) }
        #expect(try await owners.next() == nil)
        let owner = try await Connection.open(.address(bus.address))
        _ = try await owner.requestName("org.example.A")
        #expect(try await owners.next() == owner.uniqueName)
        owner.close()
        #expect(try await owners.next() == nil)
        subscription.cancel()
    }

    @Test("a reply is late or missing → the call fails with NoReply; the peer has left → it fails with the bus's error")
    func failingCalls() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        let counter = RemoteObject.counter(client)
        var error = await #expect(throws: DBusError.self) {
            try await counter.call("Keep", timeout: .milliseconds(20))
        }
        #expect(error?.standard == .noReply)
        // This late reply is dropped.
        try await service.counter.kept.next().reply()
        #expect(try await counter.call("Add", UInt32(1), returning: UInt64.self) == 1)

        let task = Task { @DBusActor in try await counter.call("Keep", timeout: nil) }
        let kept = try await service.counter.kept.next()
        task.cancel()
        error = await #expect(throws: DBusError.self) { try await task.value }
        #expect(error?.standard == .noReply)
        kept.reply()

        let nobody = RemoteObject.counter(client, destination: "org.example.Nobody")
        error = await #expect(throws: DBusError.self) { try await nobody.call("Add", UInt32(1)) }
        #expect(error?.standard == .serviceUnknown)
    }

    @Test("a call cannot be sent → its completion runs exactly once, after the call has returned")
    func completionOrder() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        client.close()
        let log = EventLog<String>()
        let message = try Message.methodCall(to: Counter.name, path: "/", interface: nil, member: "Add")
        client.call(message) { result in
            if case .failure(let error) = result { log.record(error.name) }
        }
        log.record("returned")
        #expect(try await log.next() == "returned")
        #expect(try await log.next() == StandardError.disconnected.rawValue)
        #expect(throws: DBusError.self) { try client.send(message) }
    }

    @Test("signals follow a reply → they are delivered after the task that awaited the reply resumes")
    func replyThenSignal() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        let log = EventLog<String>()
        _ = try await client.subscribe(MatchRule(interface: Counter.name, member: "Added")) { _ in log.record("signal")
        }
        for _ in 0..<200 {
            let task = Task { @DBusActor in
                try await RemoteObject.counter(client).call("Keep")
                log.record("reply")
            }
            try await service.counter.kept.next().reply()
            try service.tree.emit(Counter.added, of: Counter.interface, at: Counter.path, UInt32(1), UInt64(1))
            try await task.value
            #expect(try await log.next() == "reply")
            #expect(try await log.next() == "signal")
        }
    }

    @Test("the bus is killed → every pending call fails, and the process can connect to a new bus")
    func killedBus() async throws {
        let log = EventLog<String>()
        let service = try await CounterService.start()
        let client = try await service.client()
        let peerLeft = EventLog<String>()
        service.connection.onDeparture { peerLeft.record($0) }
        client.onDisconnect { log.record("disconnected") }
        let waiting = Task { @DBusActor in try await RemoteObject.counter(client).call("Keep") }
        let kept = try await service.counter.kept.next()
        let peer = kept.peer
        peer.onDeparture { peerLeft.record("peer") }

        service.bus.stop()
        #expect(try await log.next() == "disconnected")
        let error = await #expect(throws: DBusError.self) { try await waiting.value }
        #expect(error?.standard == .disconnected)
        #expect(!client.isConnected)
        #expect(try await peerLeft.next() == "peer")
        #expect(peer.hasDeparted)
        kept.reply()  // the caller has left

        let second = try await CounterService.start()
        #expect(try await RemoteObject.counter(second.client()).call("Add", UInt32(3), returning: UInt64.self) == 3)
        client.onDisconnect { log.record("late") }
        #expect(try await log.next() == "late")
    }

    @Test(
        "clients connect and disconnect → each client's user and process are known, and its departure is reported"
    )
    func peers() async throws {
        let service = try await CounterService.start()
        let gone = EventLog<String>()
        service.connection.onDeparture { gone.record($0) }
        for _ in 0..<20 {
            let client = try await service.client()
            let who = try await RemoteObject.counter(client).call("Whoami", returning: String.self)
            #expect(who.hasPrefix("\(client.uniqueName) 0 "))
            #expect(!who.hasSuffix(" 0"))
            let name = client.uniqueName
            client.close()
            #expect(try await gone.next { $0 == name } == name)
        }
    }

    @Test("a client sends a call and disconnects without waiting for the reply → the call is still handled")
    func callAndLeave() async throws {
        let service = try await CounterService.start()
        let result = try await ChildProcess.run(
            "/usr/bin/dbus-send",
            [
                "--bus=\(service.bus.address)", "--type=method_call", "--dest=\(Counter.name)", Counter.path.text,
                "\(Counter.name).Add", "uint32:7",
            ])
        #expect(result.status == 0)
        let client = try await service.client()
        #expect(try await RemoteObject.counter(client).call("Add", UInt32(0), returning: UInt64.self) == 7)
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Traps of libdbus: servers")
@DBusActor
struct ServerTrapTests {
    /// Connects without libdbus, sends `lines`, and prints the server's answers.
    private func rawClient(_ server: CounterServer, _ lines: [String]) throws -> ChildProcess {
        try ChildProcess(
            python: """
                import socket, sys
                s = socket.socket(socket.AF_UNIX)
                s.connect(sys.argv[1])
                s.send(b"\\0")
                for line in sys.argv[2:]:
                    s.send(line.encode() + b"\\r\\n")
                    print(s.recv(1000).decode().strip())
                print("closed" if s.recv(1000) == b"" else "data")
                """, ["\(server.directory.path)/direct.sock"] + lines)
    }

    @Test("a client offers other mechanisms → only EXTERNAL is allowed")
    func externalOnly() async throws {
        let server = try CounterServer()
        let client = try rawClient(server, ["AUTH", "AUTH ANONYMOUS", "AUTH DBUS_COOKIE_SHA1 726f6f74"])
        for _ in 0..<3 { #expect(try await client.lines.next() == "REJECTED EXTERNAL") }
    }

    @Test("a client claims to be another user during authentication → the client is rejected")
    func claimsAnotherUser() async throws {
        let server = try CounterServer()
        let client = try rawClient(server, ["AUTH EXTERNAL 3635353334"])
        #expect(try await client.lines.next() == "REJECTED EXTERNAL")
        #expect(server.server.connectedPeers.isEmpty)
    }

    @Test("a client connects and sends nothing → the server disconnects it after the timeout, and serves other clients")
    func silentClient() async throws {
        let server = try CounterServer { $0.authenticationTimeout = .seconds(2) }
        let silent = try rawClient(server, [])
        let counter = RemoteObject.counter(try await server.client(), destination: nil)
        #expect(try await counter.call("Add", UInt32(1), returning: UInt64.self) == 1)
        #expect(try await silent.lines.next() == "closed")
        #expect(server.server.connectedPeers.count == 1)
    }

    @Test("a client sends garbage → only its connection is closed")
    func garbage() async throws {
        let server = try CounterServer()
        let counter = RemoteObject.counter(try await server.client(), destination: nil)
        let client = try ChildProcess(
            python: """
                import os, socket, sys
                s = socket.socket(socket.AF_UNIX)
                s.connect(sys.argv[1])
                s.send(b"\\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\\r\\n")
                print(s.recv(1000).decode()[:2])
                try:
                    s.send(b"BEGIN\\r\\n" + b"l\\1\\0\\1" + b"\\xff" * 5000)
                    print("closed" if s.recv(1000) == b"" else "data")
                except ConnectionError:
                    print("closed")
                """, ["\(server.directory.path)/direct.sock"])
        #expect(try await client.lines.next() == "OK")
        #expect(try await client.lines.next() == "closed")
        #expect(try await counter.call("Add", UInt32(1), returning: UInt64.self) == 1)
    }

    @Test(
        "no descriptor is free → a new client waits; a descriptor becomes free → the client is served"
    )
    func noDescriptors() async throws {
        let server = try CounterServer()
        let starvations = EventLog<Bool>()
        server.server.onStarvation = { starvations.record(true) }
        let client = try ChildProcess(
            python: """
                import os, socket, sys
                s = socket.socket(socket.AF_UNIX)
                print("ready")
                sys.stdin.readline()
                s.connect(sys.argv[1])
                s.send(b"\\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\\r\\n")
                print(s.recv(1000).decode()[:2])
                """, ["\(server.directory.path)/direct.sock"])
        #expect(try await client.lines.next() == "ready")
        let descriptors = try TakenDescriptors()
        client.write(line: "")
        #expect(try await starvations.next())
        #expect(server.server.isStarved)
        descriptors.closeAll()
        #expect(try await client.lines.next() == "OK")
        #expect(!server.server.isStarved && starvations.recorded.isEmpty)
    }

    @Test("the server accepts only certain users → all other users are refused, including the server's own user")
    func admits() async throws {
        let server = try CounterServer { $0.admits = { $0.userID != 65534 } }
        let call = [
            "--address=\(server.address)", "call", Counter.name, Counter.path.text, Counter.name, "Add", "u", "1",
        ]
        #expect(try await ChildProcess.run("/usr/bin/busctl", call).lines == ["t 1"])
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/busctl"] + call
        #expect(try await ChildProcess.run("/usr/bin/setpriv", nobody).status != 0)
        #expect(server.counter.sum == 1)

        let open = try CounterServer()
        let who = [
            "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/busctl", "--address=\(open.address)", "call",
            Counter.name, Counter.path.text, Counter.name, "Whoami",
        ]
        let lines = try await ChildProcess.run("/usr/bin/setpriv", who).lines
        #expect(lines.first?.contains(" 65534 ") == true)
    }

    @Test(
        "more clients than allowed → the next client gets LimitsExceeded; a client leaves → another is accepted"
    )
    func full() async throws {
        let server = try CounterServer { $0.maximumConnections = 2 }
        func add(_ client: Connection) async throws(DBusError) {
            _ = try await RemoteObject.counter(client, destination: nil).call("Add", UInt32(1), returning: UInt64.self)
        }
        let clients = [try await server.client(), try await server.client()]
        for client in clients { try await add(client) }
        let third = try await server.client()
        let closed = EventLog<String>()
        third.onDisconnect { closed.record("closed") }
        let error = await #expect(throws: DBusError.self) { try await add(third) }
        #expect(error?.standard == .limitsExceeded)
        #expect(try await closed.next() == "closed")
        #expect(server.counter.sum == 2)

        let left = EventLog<String>()
        server.server.connectedPeers[0].onDeparture { left.record("left") }
        clients[0].close()
        #expect(try await left.next() == "left")
        try await add(try await server.client())
        #expect(server.counter.sum == 3)

        // The new limit applies only to later connections.
        server.server.limit(connections: 3, perUser: 8, authenticationTimeout: .seconds(10))
        try await add(try await server.client())
        #expect(server.counter.sum == 4)
        server.server.limit(connections: 1, perUser: 8, authenticationTimeout: .seconds(10))
        try await add(clients[1])
        let refused = try await server.client()
        await #expect(throws: DBusError.self) { try await add(refused) }
    }

    @Test("a message is larger or has more descriptors than the server accepts → only the sender is disconnected")
    func largeMessages() async throws {
        let server = try CounterServer { $0.maximumMessageSize = 1 << 20 }
        let good = RemoteObject.counter(try await server.client(), destination: nil)
        let pipe = Pipe()
        let descriptor = try FileDescriptor(duplicating: pipe.fileHandleForReading.fileDescriptor)
        for body in ["large", "descriptors"] {
            let client = try await server.client()
            let closed = EventLog<String>()
            client.onDisconnect { closed.record("closed") }
            var message = try Message.methodCall(to: nil, path: Counter.path, interface: Counter.name, member: "Hold")
            if body == "large" {
                try message.write([UInt8](repeating: 0, count: 2 << 20))
            } else {
                try message.write([FileDescriptor](repeating: descriptor, count: 17))
            }
            try client.callWithoutReply(message)
            #expect(try await closed.next() == "closed")
        }
        #expect(try await good.call("Add", UInt32(1), returning: UInt64.self) == 1)
    }

    @Test(
        "a client is stopped → its outgoing queue grows; the client continues → the queue is sent"
    )
    func stoppedClient() async throws {
        let server = try CounterServer()
        let peers = EventLog<Peer>()
        server.server.onConnection { peers.record($0) }
        let stopped = try ChildProcess(
            python: """
                import sys, dbus, dbus.bus, dbus.mainloop.glib
                from gi.repository import GLib
                dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
                bus = dbus.bus.BusConnection(sys.argv[1])
                bus.add_match_string("type='signal'")
                print("ready")
                GLib.MainLoop().run()
                """, [server.address])
        #expect(try await stopped.lines.next() == "ready")
        let slow = try await peers.next()
        stopped.signal(SIGSTOP)

        let client = try await Connection.open(.address(server.address))
        let log = EventLog<UInt64>()
        _ = try await client.subscribe(MatchRule(member: "Added")) { message in
            log.record((try? message.decode(as: UInt32.self, UInt64.self).1) ?? 0)
        }
        for number in 0..<20000 as Range<UInt64> {
            try server.tree.emit(Counter.added, of: Counter.interface, at: Counter.path, UInt32(0), number)
        }
        for number in 0..<20000 as Range<UInt64> { #expect(try await log.next() == number) }
        #expect(slow.connection.map { $0.outgoingSize > 1 << 20 } == true)

        let drained = EventLog<String>()
        slow.connection?.onDrain(below: 1000) { drained.record("drained") }
        stopped.signal(SIGCONT)
        #expect(try await drained.next() == "drained")
        stopped.stop()
    }

    @Test("a subscribed client reads nothing → broadcasts are queued up to a limit; it reads again → later ones arrive")
    func unreadBroadcasts() async throws {
        let server = try CounterServer { $0.maximumUnreadBroadcasts = 1 << 20 }
        let peers = EventLog<Peer>()
        server.server.onConnection { peers.record($0) }
        let client = try await Connection.open(.address(server.address))
        let log = EventLog<UInt64>()
        _ = try await client.subscribe(MatchRule(member: "Added")) { message in
            log.record((try? message.decode(as: UInt32.self, UInt64.self).1) ?? 0)
        }
        func emit(_ number: UInt64) throws {
            try server.tree.emit(Counter.added, of: Counter.interface, at: Counter.path, UInt32(0), number)
        }
        let connection = try #require(try await peers.next().connection)
        client.readingIsPaused = true
        for number in 0..<30_000 as Range<UInt64> { try emit(number) }
        #expect(connection.outgoingSize < 3 << 19)
        let drained = EventLog<Void>()
        connection.onDrain(below: 0) { drained.record(()) }
        client.readingIsPaused = false
        try await drained.next()
        try emit(1_000_000)
        var received = 0
        while try await log.next() != 1_000_000 { received += 1 }
        #expect(received > 1000 && received < 30_000)
    }

    @Test("reading from a client is paused → its calls wait; reading resumes → the calls are answered in order")
    func pausedReading() async throws {
        let server = try CounterServer()
        let peers = EventLog<Peer>()
        server.server.onConnection { peers.record($0) }
        let client = try await server.client()
        let counter = RemoteObject.counter(client, destination: nil)
        #expect(try await counter.call("Add", UInt32(1), returning: UInt64.self) == 1)
        let connection = try #require(try await peers.next().connection)
        connection.readingIsPaused = true
        let log = EventLog<UInt64>()
        for _ in 0..<10 {
            var message = try Message.methodCall(to: nil, path: Counter.path, interface: Counter.name, member: "Add")
            try message.write(UInt32(1))
            client.call(message) { log.record((try? $0.get().decode(as: UInt64.self)) ?? 0) }
        }
        let turn = EventLog<Void>()
        EventLoop.shared.addTimer(after: .milliseconds(10)) { turn.record(()) }
        _ = try await turn.next()
        #expect(log.recorded.isEmpty)
        #expect(server.counter.sum == 1)
        connection.readingIsPaused = false
        for number in 2...11 as ClosedRange<UInt64> { #expect(try await log.next() == number) }
    }

    @Test("the server is closed → clients are disconnected, and a new server can listen on the same path")
    func closed() async throws {
        let server = try CounterServer()
        let client = try await server.client()
        let log = EventLog<String>()
        client.onDisconnect { log.record("closed") }
        _ = try await RemoteObject.counter(client, destination: nil).call("Add", UInt32(1), returning: UInt64.self)
        server.server.close()
        #expect(try await log.next() == "closed")
        await #expect(throws: DBusError.self) { try await server.client() }
        let second = try Server.listen(server.address)
        #expect(second.address.hasPrefix(server.address))
        #expect(throws: DBusError.self) { try Server.listen("unix:path=/nonexistent/directory/socket") }
        #expect(throws: DBusError.self) { try Server.listen("nonsense") }
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// The server has paused reading from a client, and the client disconnects.
@Suite("Clients that disconnect while the server has paused reading", .timeLimit(.minutes(1)))
@DBusActor
struct HangUpTests {
    /// Returns a server with one client. The server has paused reading from the client, and the client reads
    /// nothing.
    private func makePausedServer() async throws -> (
        server: CounterServer, client: Connection, peer: Peer, connection: Connection, left: EventLog<Bool>
    ) {
        let server = try CounterServer()
        let peers = EventLog<Peer>()
        server.server.onConnection { peers.record($0) }
        let client = try await server.client()
        _ = try await RemoteObject.counter(client, destination: nil).call("Add", UInt32(1), returning: UInt64.self)
        let peer = try await peers.next()
        let connection = try #require(peer.connection)
        let left = EventLog<Bool>()
        peer.onDeparture { left.record(true) }
        client.readingIsPaused = true
        connection.readingIsPaused = true
        return (server, client, peer, connection, left)
    }

    /// Calls a method whose reply is 4 MiB long.
    private func callFill(on client: Connection) throws {
        var call = try Message.methodCall(to: nil, path: Counter.path, interface: Counter.name, member: "Fill")
        try call.write(UInt32(4 << 20))
        client.call(call) { _ in }
    }

    @Test("a client disconnects while no data is queued for it → the server notices the disconnection")
    func idle() async throws {
        let (server, client, _, _, left) = try await makePausedServer()
        client.close()
        #expect(try await left.next())
        #expect(server.server.connectedPeers.isEmpty)
    }

    @Test(
        "a client disconnects with queued replies and unread calls → the server notices, and drops the replies"
    )
    func behind() async throws {
        let (server, client, _, connection, left) = try await makePausedServer()
        connection.readingIsPaused = false
        try callFill(on: client)
        while connection.outgoingSize == 0 { await awaitLoopTurn() }
        connection.readingIsPaused = true
        for _ in 0..<10 { try callFill(on: client) }
        client.close()
        #expect(try await left.next())
        #expect(server.server.connectedPeers.isEmpty && connection.outgoingSize == 0)
    }

    @Test("the server sends to a client that has disconnected → the failed write reports the disconnection")
    func sending() async throws {
        let (server, client, peer, _, left) = try await makePausedServer()
        client.close()
        // The loop has not run since the client closed, so the server has not seen the end of the stream yet.
        let signal = try Message.signal(path: Counter.path, interface: Counter.name, member: "Added")
        try peer.send(signal)
        #expect(try await left.next())
        #expect(server.server.connectedPeers.isEmpty)
    }

    @Test(
        "a client shuts down only its sending side → treated as disconnected, whether reading is paused or not",
        arguments: [true, false])
    func halfClosed(isPaused: Bool) async throws {
        let server = try CounterServer()
        let peers = EventLog<Peer>()
        server.server.onConnection { peers.record($0) }
        let client = try ChildProcess(
            python: """
                import os, socket, sys
                s = socket.socket(socket.AF_UNIX)
                s.connect(sys.argv[1])
                s.send(b"\\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\\r\\n")
                s.recv(1000)
                s.send(b"BEGIN\\r\\n")
                sys.stdin.readline()
                s.shutdown(socket.SHUT_WR)
                print("closed" if s.recv(1000) == b"" else "data")
                """, ["\(server.directory.path)/direct.sock"])
        let peer = try await peers.next()
        let left = EventLog<Bool>()
        peer.onDeparture { left.record(true) }
        peer.connection?.readingIsPaused = isPaused
        client.write(line: "")
        #expect(try await left.next())
        #expect(try await client.lines.next() == "closed")
        #expect(server.server.connectedPeers.isEmpty)
    }

    /// Suspends for one turn of the event loop.
    private func awaitLoopTurn() async {
        await withCheckedContinuation { continuation in
            EventLoop.shared.addTimer(after: .milliseconds(1)) { continuation.resume() }
        }
    }
}

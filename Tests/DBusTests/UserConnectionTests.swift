// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Direct connections of one user", .timeLimit(.minutes(1)))
@DBusActor
struct UserConnectionTests {
    /// Connects without authenticating. The client exits on an input line or when its connection is closed.
    private func silentClient(_ server: CounterServer) throws -> ChildProcess {
        try ChildProcess(
            python: """
                import socket, sys
                s = socket.socket(socket.AF_UNIX)
                s.connect(sys.argv[1])
                try:
                    s.send(b"\\0AUTH\\r\\n")
                    print("here" if s.recv(1000) else "closed")
                except ConnectionError:
                    print("closed")
                sys.stdin.readline()
                """, ["\(server.directory.path)/direct.sock"])
    }

    private func add(_ client: Connection) async throws(DBusError) -> UInt64 {
        try await RemoteObject.counter(client, destination: nil).call("Add", UInt32(1), returning: UInt64.self)
    }

    @Test("a user has as many unauthenticated connections as allowed → only that user's next connection is refused")
    func silent() async throws {
        let server = try CounterServer {
            $0.maximumConnections = 8
            $0.maximumConnectionsPerUser = 2
        }
        let refusals = EventLog<Server.Refusal>()
        server.server.onRefusal = { refusals.record($1) }
        let silent = [try silentClient(server), try silentClient(server)]
        for client in silent { #expect(try await client.lines.next() == "here") }
        let third = try await server.client()
        let closed = EventLog<String>()
        third.onDisconnect { closed.record("closed") }
        let error = await #expect(throws: DBusError.self) { try await add(third) }
        #expect(error?.standard == .limitsExceeded)
        #expect(error?.message == Server.Refusal.connectionsOfUser(limit: 2).message)
        #expect(try await refusals.next() == .connectionsOfUser(limit: 2))
        #expect(try await closed.next() == "closed")

        let call = [
            "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/busctl", "--address=\(server.address)",
            "call",
            Counter.name, Counter.path.text, Counter.name, "Add", "u", "1",
        ]
        #expect(try await ChildProcess.run("/usr/bin/setpriv", call).lines == ["t 1"])

        silent[0].write(line: "")
        #expect(try await silent[0].exit.next() == 0)
        withExtendedLifetime(silent) {}  // a child process is terminated when it is released
        var sum: UInt64?
        // No event tells when the server has read the end of the stream.
        while sum == nil { sum = try? await add(try await server.client()) }
        #expect(sum == 2)
    }

    @Test(
        "connections exceed the number that can get an error → they are closed without one, and other users are served")
    func flood() async throws {
        let server = try CounterServer {
            $0.maximumConnections = 3
            $0.maximumConnectionsPerUser = 1
        }
        var said: [String] = []
        var clients: [ChildProcess] = []
        for _ in 0..<7 {
            clients.append(try silentClient(server))
            said.append(try await #require(clients.last).lines.next())
        }
        #expect(said == ["here", "here", "here", "here", "here", "closed", "closed"])
        let call = [
            "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/busctl", "--address=\(server.address)",
            "call",
            Counter.name, Counter.path.text, Counter.name, "Add", "u", "1",
        ]
        #expect(try await ChildProcess.run("/usr/bin/setpriv", call).lines == ["t 1"])
        for client in clients { client.write(line: "") }
    }

    @Test("the connection limit changes → only later connections are affected")
    func changed() async throws {
        let server = try CounterServer { $0.maximumConnectionsPerUser = 1 }
        let first = try await server.client()
        #expect(try await add(first) == 1)
        server.server.limit(connections: 8, perUser: 2, authenticationTimeout: .seconds(10))
        #expect(try await add(try await server.client()) == 2)
        server.server.limit(connections: 8, perUser: 0, authenticationTimeout: .seconds(10))
        #expect(try await add(first) == 3)
        let refused = try await server.client()
        await #expect(throws: DBusError.self) { try await add(refused) }
    }
}

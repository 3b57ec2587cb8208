// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Messages that clients begin and do not complete", .timeLimit(.minutes(1)))
@DBusActor
struct UnfinishedMessageTests {
    /// Authenticates, then sends what the words of an input line name. `call` is a complete call, `unknown` is a
    /// call with a header field that D-Bus does not define, a number is that many bytes of the next call, and
    /// `rest` is the remainder of that call. Prints `answer` for each reply, and `closed` at the end.
    private static let script = """
        import os, selectors, socket, struct, sys
        def field(code, kind, text):
            return bytes([code, 1]) + kind + b"\\0" + struct.pack("<I", len(text)) + text + b"\\0"
        def call(serial, more=[]):
            fields = b""
            for code, kind, text in [(1, b"o", b"/org/example/Counter"), (2, b"s", b"org.freedesktop.DBus.Peer"),
                    (3, b"s", b"Ping")] + more:
                fields += b"\\0" * (-len(fields) % 8) + field(code, kind, text)
            header = b"l\\1\\0\\1" + struct.pack("<III", 0, serial, len(fields)) + fields
            return header + b"\\0" * (-len(header) % 8)
        begin = b"\\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\\r\\nBEGIN\\r\\n"
        s = socket.socket(socket.AF_UNIX)
        s.connect(sys.argv[1])
        (serial, done, received, waiting) = (0, 0, None, selectors.DefaultSelector())
        waiting.register(s, selectors.EVENT_READ)
        waiting.register(sys.stdin, selectors.EVENT_READ)
        def read(data):
            global received
            if received is None:  # the answer to AUTH
                data = data[data.index(b"\\n") + 1:]
            received = (received or b"") + data
            while len(received) >= 16:
                body, _, fields = struct.unpack_from("<III", received, 4)
                size = 16 + fields + -fields % 8 + body
                if len(received) < size:
                    break
                print("answer" if received[1] == 2 else "error")
                received = received[size:]
        while True:
            for key, _ in waiting.select():
                if key.fileobj is s:
                    try:
                        data = s.recv(100000)
                    except ConnectionError:
                        data = b""
                    if not data:
                        print("closed")
                        sys.exit()
                    read(data)
                    continue
                out = b""
                for word in os.read(0, 1000).decode().split():
                    if word == "begin":
                        out += begin
                    elif word == "call":
                        serial += 1
                        out += call(serial)
                    elif word == "unknown":
                        serial += 1
                        out += call(serial, [(200, b"s", b"of a later D-Bus")])
                    elif word == "rest":
                        serial += 1
                        out += call(serial)[done:]
                        done = 0
                    else:
                        out += call(serial + 1)[done:done + int(word)]
                        done += int(word)
                s.send(out)
        """

    private func client(_ server: CounterServer) throws -> ChildProcess {
        try ChildProcess(python: Self.script, ["\(server.directory.path)/direct.sock"])
    }

    /// Returns a server, and a log with the byte count of each unfinished message for which a connection was
    /// closed.
    private func makeServer(_ timeout: Duration) throws -> (CounterServer, EventLog<Int>) {
        let server = try CounterServer { $0.messageTimeout = timeout }
        let bytes = EventLog<Int>()
        server.server.onUnfinishedMessage = { bytes.record($1) }
        return (server, bytes)
    }

    private func sleepFor(_ time: Duration) async throws {
        let passed = EventLog<Bool>()
        EventLoop.shared.addTimer(after: time) { passed.record(true) }
        _ = try await passed.next()
    }

    @Test(
        "a message stays incomplete → its connection is closed, and the number of received bytes is reported",
        arguments: [
            (["begin 1"], 1), (["begin 40"], 40), (["begin", "15"], 15), (["begin call 7"], 7),
            (["begin", "call call 50"], 50),
            (["begin", "call", "20", "3"], 23), (["begin call", "10", "rest call 9"], 9),
        ] as [([String], Int)])
    func stalled(lines: [String], bytes: Int) async throws {
        let (server, unfinished) = try makeServer(.milliseconds(200))
        let good = try await server.client()
        let client = try client(server)
        for line in lines { client.write(line: line) }
        var last = ""
        while last != "closed" { last = try await client.lines.next() }
        #expect(try await unfinished.next() == bytes)
        #expect(
            try await RemoteObject.counter(good, destination: nil).call("Add", UInt32(1), returning: UInt64.self) == 1)
    }

    @Test("a client is idle between complete messages → the client stays connected")
    func idle() async throws {
        let (server, unfinished) = try makeServer(.milliseconds(400))
        let (client, other) = (try client(server), try await server.client())
        let counter = RemoteObject.counter(other, destination: nil)
        for line in ["begin", "call", "17", "rest call", "unknown", "unknown call unknown"] { client.write(line: line) }
        var answers = 0
        while answers < 7 { answers += try await client.lines.next() == "answer" ? 1 : 0 }
        // Messages with bodies, and large ones, are complete messages too.
        _ = try await counter.call("Fill", UInt32(1 << 20), returning: [UInt8].self)
        var hold = try Message.methodCall(to: nil, path: Counter.path, interface: Counter.name, member: "Hold")
        try hold.write([UInt8](repeating: 1, count: 3 << 20))
        try other.callWithoutReply(hold)
        _ = try await server.counter.kept.next()
        #expect(try await counter.call("Add", UInt32(1), returning: UInt64.self) == 1)
        try await sleepFor(.milliseconds(1200))
        #expect(unfinished.recorded.isEmpty && server.server.connectedPeers.count == 2)
        client.write(line: "call")
        while try await client.lines.next() != "answer" {}
        #expect(try await counter.call("Add", UInt32(1), returning: UInt64.self) == 2)
    }

    @Test("a message takes longer than the time limit, but each piece arrives within the limit → the call is answered")
    func slow() async throws {
        let (server, unfinished) = try makeServer(.seconds(2))
        let client = try client(server)
        client.write(line: "begin 10")
        for _ in 0..<4 {
            try await sleepFor(.milliseconds(700))
            client.write(line: "10")
        }
        client.write(line: "rest")
        while try await client.lines.next() != "answer" {}
        #expect(unfinished.recorded.isEmpty)
    }

    @Test("reading is paused in the middle of a message → the time limit starts anew when reading resumes")
    func paused() async throws {
        let (server, unfinished) = try makeServer(.milliseconds(200))
        let peers = EventLog<Peer>()
        server.server.onConnection { peers.record($0) }
        let client = try client(server)
        client.write(line: "begin")
        let connection = try #require(try await peers.next().connection)
        client.write(line: "call 20")
        while try await client.lines.next() != "answer" {}
        connection.readingIsPaused = true
        try await sleepFor(.seconds(1))
        #expect(unfinished.recorded.isEmpty && server.server.connectedPeers.count == 1)
        connection.readingIsPaused = false
        #expect(try await unfinished.next() == 20)
        while try await client.lines.next() != "closed" {}
    }

    @Test("no time limit for messages → a client may send a message at any speed")
    func unlimited() async throws {
        let server = try CounterServer()
        let client = try client(server)
        client.write(line: "begin call 20")
        while try await client.lines.next() != "answer" {}
        try await sleepFor(.milliseconds(300))
        client.write(line: "rest")
        while try await client.lines.next() != "answer" {}
        #expect(server.server.connectedPeers.count == 1)
    }
    // MARK: Room

    /// An account that has no room at first.
    @DBusActor
    private final class Account: IncomingAccount {
        var hasRoom = false
        let asked = EventLog<String>()

        func reserve(_ bytes: Int, for peer: Peer) -> Bool {
            asked.record(peer.name)
            return hasRoom
        }

        func release(_ bytes: Int, of peer: Peer) {}
    }

    @Test("messages of three of thirty clients wait for room → only these are looked at, in order")
    func room() async throws {
        let (server, unfinished) = try makeServer(.seconds(30))
        let account = Account()
        server.server.account = account
        let departed = EventLog<String>()
        server.server.onConnection { peer in peer.onDeparture { departed.record(peer.name) } }
        var clients: [Connection] = []
        for _ in 0..<30 { clients.append(try await server.client()) }
        for client in clients {
            _ = try await RemoteObject.counter(client, destination: nil).call("Add", UInt32(1), returning: UInt64.self)
        }
        #expect(server.server.retryUnfinishedMessages() == 0)
        var hold = try Message.methodCall(to: nil, path: Counter.path, interface: Counter.name, member: "Hold")
        try hold.write([UInt8](repeating: 1, count: 1 << 20))
        var waiting: [String] = []
        for place in [20, 3, 11] {
            try clients[place].callWithoutReply(hold)
            waiting.append(try await account.asked.next())
        }
        #expect(server.server.retryUnfinishedMessages() == 3)
        for name in waiting { #expect(try await account.asked.next() == name) }
        clients[3].close()
        #expect(try await departed.next() == waiting[1])
        account.hasRoom = true
        #expect(server.server.retryUnfinishedMessages() == 2)
        for _ in 0..<2 { _ = try await server.counter.kept.next() }
        #expect(server.server.retryUnfinishedMessages() == 0 && unfinished.recorded.isEmpty)
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("Incomplete large messages on several direct connections", .timeLimit(.minutes(2)))
@DBusActor
struct UnfinishedPayloadTests {
    /// Many connections that each send one call in pieces, in turns. The script prints "begun" when each connection
    /// has sent as much as listd reads of its call, and sends the rest after a line of input. Then it prints
    /// "answer" or "closed" for each connection.
    private static let script = """
        import os, select, socket, struct, sys, time
        address, clients, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        def field(code, kind, text):
            return bytes([code, 1]) + kind + b"\\0" + struct.pack("<I", len(text)) + text + b"\\0"
        fields = b""
        for code, kind, text in [(1, b"o", b"/org/listd/Listd1"), (2, b"s", b"org.listd.Listd1.Manager"),
                (3, b"s", b"GetAdapter")]:
            fields += b"\\0" * (-len(fields) % 8) + field(code, kind, text)
        fields += b"\\0" * (-len(fields) % 8) + b"\\x08\\1g\\0\\1s\\0"
        body = struct.pack("<I", size) + b"x" * size + b"\\0"
        header = b"l\\1\\0\\1" + struct.pack("<III", len(body), 1, len(fields)) + fields
        message = header + b"\\0" * (-len(header) % 8) + body
        def connect():
            s = socket.socket(socket.AF_UNIX)
            s.connect(address)
            s.sendall(b"\\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\\r\\n")
            assert s.recv(1000).startswith(b"OK")
            s.sendall(b"BEGIN\\r\\n")
            s.setblocking(False)
            return s
        left = {connect(): memoryview(message) for _ in range(clients)}
        def push(limit):
            moved = False
            for s in left:
                if len(left[s]) > limit:
                    try:
                        left[s] = left[s][s.send(left[s][:min(1 << 16, len(left[s]) - limit)]):]
                        moved = True
                    except BlockingIOError:
                        pass
            return moved
        quiet = 0
        while quiet < 20:
            quiet = 0 if push(1000) else quiet + 1
            if quiet:
                time.sleep(0.02)
        print("begun", flush=True)
        sys.stdin.readline()
        waiting = dict.fromkeys(left, True)
        while waiting:
            writers = [s for s in waiting if left[s]]
            readable, _, _ = select.select(list(waiting), writers, [])
            push(0)
            for s in readable:
                try:
                    data = s.recv(100000)
                except ConnectionError:
                    data = b""
                print("answer" if data else "closed", flush=True)
                del waiting[s]
        """

    @Test(
        "incomplete messages together exceed the limit of waiting bytes → listd stays below it and answers all calls"
    )
    func deadlock() async throws {
        let stage = try await Stage.withDirectSocket(
            files: ["listd.conf": "[Limits]\nPayloadBytes=4M\nWaitingBytesPerUser=10M\nDirectConnectionsPerUser=20\n"])
        let clients = try ChildProcess(
            python: Self.script, [stage.listd.directory.appending(path: "direct").path, "8", "\(3 << 20)"])
        #expect(try await clients.lines.next(timeout: .seconds(60)) == "begun")
        // Three messages fit completely. The other messages are not read yet.
        let waiting = try await stage.statistics()["waiting-bytes"] ?? 0
        #expect(waiting > 9 << 20 && waiting <= 10 << 20, "\(waiting)")
        clients.write(line: "")
        for _ in 0..<8 { #expect(try await clients.lines.next(timeout: .seconds(60)) == "answer") }
        while try await stage.statistics()["waiting-bytes"] ?? 1 > 0 {}
        await stage.stop()
    }

    @Test(
        "each message exceeds the limit of waiting bytes → listd receives one message at a time and answers all calls")
    func oversized() async throws {
        let stage = try await Stage.withDirectSocket(
            files: ["listd.conf": "[Limits]\nWaitingBytesPerUser=1M\nWaitingBytes=2M\nDirectConnectionsPerUser=20\n"])
        let clients = try ChildProcess(
            python: Self.script, [stage.listd.directory.appending(path: "direct").path, "4", "\(3 << 20)"])
        #expect(try await clients.lines.next(timeout: .seconds(60)) == "begun")
        #expect(try await stage.statistics()["waiting-bytes"] ?? 0 < 4 << 20)
        clients.write(line: "")
        for _ in 0..<4 { #expect(try await clients.lines.next(timeout: .seconds(60)) == "answer") }
        while try await stage.statistics()["waiting-bytes"] ?? 1 > 0 {}
        await stage.stop()
    }

    @Test("clients with incomplete messages exit → the reserved bytes are released")
    func departure() async throws {
        let stage = try await Stage.withDirectSocket()
        let clients = try ChildProcess(
            python: Self.script, [stage.listd.directory.appending(path: "direct").path, "8", "\(15 << 20)"])
        #expect(try await clients.lines.next(timeout: .seconds(60)) == "begun")
        let waiting = try await stage.statistics()["waiting-bytes"] ?? 0
        #expect(waiting >= 60 << 20 && waiting <= 64 << 20, "\(waiting)")
        clients.stop()
        while try await stage.statistics()["waiting-bytes"] ?? 1 > 0 {}
        await stage.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon

@Suite("The queue of calls", .timeLimit(.minutes(1)))
@DBusActor
struct CallQueueTests {
    /// A server whose calls are admitted to a queue, and a client of it.
    @DBusActor
    private final class Stage {
        let handled = EventLog<String>()
        let arrived = EventLog<String>()
        let tree = ObjectTree()
        let queue: CallQueue
        let client: Connection
        private let server: Server
        private let directory: TemporaryDirectory

        /// - Parameter isHeld: whether the calls of the client are held back.
        init(isHeld: Bool, _ change: (inout Limits) -> Void) async throws {
            directory = TemporaryDirectory()
            queue = CallQueue(onWait: { _ in }) { [handled] in handled.record($0.member) }
            change(&queue.limits)
            server = try Server.listen("unix:path=\(directory.path)/direct.sock")
            server.objects = tree
            client = try await Connection.openDirect(.address("unix:path=\(directory.path)/direct.sock"))
            tree.onArrival { [queue, arrived] call in
                if isHeld { queue.hold(call.peer) }
                do throws(ListError) { try queue.admit(call) } catch { call.fail(error) }
                arrived.record(call.member)
            }
        }

        /// Sends a call that gets no answer, and waits until it has arrived.
        func send(_ member: String, bytes: Int = 0) async throws {
            var call = try Message.methodCall(to: nil, path: "/", interface: "org.example.Test", member: member)
            try call.write([UInt8](repeating: 0, count: bytes))
            client.call(call, timeout: nil) { _ in }
            _ = try await arrived.next()
        }
    }

    @Test(
        "a client whose calls wait sends more than its limit of calls that release something → they do not wait",
        .rule("LD-04"))
    func exemptCalls() async throws {
        let stage = try await Stage(isHeld: true) { $0.callsPerConnection = 4 }
        for _ in 0..<4 { try await stage.send("SetViewport") }
        for _ in 0..<100 { try await stage.send("Ack") }
        #expect(stage.queue.waitingCalls == 4)
        #expect(stage.handled.recorded == [String](repeating: "Ack", count: 100))
    }

    @Test("a call that releases something has a megabyte of arguments → its bytes count like those of any call")
    func exemptBytes() async throws {
        let stage = try await Stage(isHeld: true) { $0.waitingBytesPerUser = 1 << 19 }
        try await stage.send("Ack", bytes: 1 << 20)
        #expect(stage.queue.waitingCalls == 0 && stage.queue.waitingBytes == 0)
        try await stage.send("Ack", bytes: 1 << 10)
        #expect(stage.queue.waitingCalls == 1)
    }
}

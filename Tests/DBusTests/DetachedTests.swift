// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DBus

@Suite("Encoding and decoding bodies off the bus thread", .timeLimit(.minutes(1)))
@DBusActor
struct DetachedTests {
    /// Sends a call from one connection to another, and returns the call as it arrived.
    private func sendCall(
        of signature: Signature, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) async throws -> (
        call: Call, answer: EventLog<Result<Message, DBusError>>, server: CounterServer, client: Connection
    ) {
        let server = try CounterServer()
        let arrivals = EventLog<Call>()
        server.tree.onArrival { arrivals.record($0) }
        let client = try await server.client()
        var message = try Message.methodCall(to: nil, path: Counter.path, interface: Counter.name, member: "Add")
        try message.write(signature, body)
        let answer = EventLog<Result<Message, DBusError>>()
        client.call(message) { answer.record($0) }
        return (try await arrivals.next(), answer, server, client)
    }

    @Test(
        "a body is received → its length equals the encoded length",
        arguments: 0..<40 as Range<UInt64>)
    func length(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let types = (0..<4).map { _ in random.signature(depth: 3) }
        let values = try types.map { try random.value(of: Signature($0)) }
        let signature = try Signature(types.joined())
        let (call, _, _, _) = try await sendCall(of: signature) { writer in
            for value in values { value.append(to: &writer) }
        }
        var written = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
        try written.write(values: values)
        #expect(call.message.bodySize == written.bodySize)
        call.abandon()
    }

    @Test("a body is taken out of its call → another thread reads the body, and the call is answered as usual")
    func body() async throws {
        let rows = (0..<1000).map { "row \($0)" }
        let (call, answer, server, client) = try await sendCall(of: "asu") { writer in
            rows.encode(to: &writer)
            writer.append(UInt32(5))
        }
        let size = call.message.size
        let body = call.takeBody()
        let read = await Task.detached {
            Result { () throws(DBusError) in
                try body.read { (reader) throws(DBusError) in
                    (try [String](from: &reader), try reader.readUInt32())
                }
            }
        }.value
        #expect(try read.get().0 == rows && read.get().1 == 5)
        #expect(call.message.bodySize == 0 && call.message.size == size && call.member == "Add")
        #expect(call.interface == Counter.name && call.path == Counter.path && !call.message.noReplyExpected)
        call.setReplySignature("s")
        let make = try call.makingAnswer { $0.append("done") }
        let reply = try await Task.detached { try make().encoded() }.value
        call.reply(with: reply)
        #expect(try await answer.next().get().decode(as: String.self) == "done")
        withExtendedLifetime((server, client)) {}
    }

    @Test(
        "a reply cannot be encoded → the caller gets an error; the call is answered again → the second reply is ignored"
    )
    func failure() async throws {
        let (call, answer, server, client) = try await sendCall(of: "") { _ in }
        call.setReplySignature("s")
        let unsent = try call.makingAnswer { $0.append("never") }()
        let faulty = try call.makingAnswer { $0.append(UInt32(1)) }
        let outcome = await Task.detached { Result { () throws(DBusError) in try faulty() } }.value
        call.fail(try #require(throws: DBusError.self) { try outcome.get() })
        #expect(try await answer.next().isFailure)
        call.reply(with: unsent)
        #expect(answer.recorded.isEmpty)
        withExtendedLifetime((server, client)) {}
    }

    @Test("the objects of an ObjectManager are encoded one by one → the reply is the same as when encoded together")
    func managedObjects() async throws {
        let server = try CounterServer()
        server.tree.addObjectManager(at: "/org")
        for number in 0..<9 {
            let path = try ObjectPath("/org/many/n\(String(repeating: "x", count: number))")
            server.tree.add(ExportedObject(Counter.interface, of: Counter()), at: path)
        }
        let client = try await server.client()
        let manager = RemoteObject(client, destination: nil, path: "/org", interface: StandardInterface.objectManager)
        typealias Objects = [ObjectPath: [String: [String: DBusValue]]]
        let atOnce = try await manager.call("GetManagedObjects", returning: Objects.self)
        let sizes = EventLog<Int>()
        server.tree.onManagedObjects { call, objects in
            objects.collect { size in
                sizes.record(size)
                call.replyWriting(objects.body)
            }
        }
        #expect(try await manager.call("GetManagedObjects", returning: Objects.self) == atOnce)
        #expect(atOnce.count >= 9)
        #expect(try await sizes.next() > 9 * 100)
    }
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}

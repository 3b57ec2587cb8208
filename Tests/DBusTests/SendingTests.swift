// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Sending messages")
@DBusActor
struct SendingTests {
    @Test("a call is received → the sizes of its header and body are known before and after the body is read")
    func receivedSize() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        let bytes = [UInt8](repeating: 7, count: 1000)
        var hold = try Message.methodCall(
            to: Counter.name, path: Counter.path, interface: Counter.name, member: "Hold")
        try hold.write(bytes)
        try client.callWithoutReply(hold)
        let message = try await service.counter.kept.next().message
        let size = message.size
        #expect(size > 1000 && size < 1400)
        for _ in 0..<2 { #expect(try message.decode(as: [UInt8].self) == bytes) }
        #expect(message.size == size)
    }

    @Test("one signal is sent to several peers of a bus → each peer gets a copy, and the signal itself is unchanged")
    func unicast() async throws {
        let service = try await CounterService.start()
        let log = EventLog<String>()
        var clients: [Connection] = []
        for index in 0..<3 {
            let client = try await service.client()
            _ = try await client.subscribe(MatchRule(member: "Added"), onBus: false) { message in
                log.record("\(index) \(message.destination == client.uniqueName)")
            }
            var hold = try Message.methodCall(
                to: Counter.name, path: Counter.path, interface: Counter.name, member: "Hold")
            try hold.write([UInt8]())
            try client.callWithoutReply(hold)
            clients.append(client)
        }
        var peers: [Peer] = []
        for _ in 0..<3 {
            let call = try await service.counter.kept.next()
            peers.append(call.peer)
        }
        let message = try Message.signal(Counter.added, of: Counter.name, at: Counter.path) { writer in
            writer.append(1 as UInt32)
            writer.append(1 as UInt64)
        }
        for peer in peers { try peer.send(message) }
        #expect(try await [log.next(), log.next(), log.next()].sorted() == ["0 true", "1 true", "2 true"])
        #expect(message.destination == nil && message.serial == 0 && message.sender == nil)

        let gone = EventLog<String>()
        peers[0].onDeparture { gone.record("gone") }
        clients[0].close()
        #expect(try await gone.next() == "gone")
        #expect(throws: DBusError.self) { try peers[0].send(message) }
    }

    @Test("a call message is sent a second time → it is a separate call with its own reply")
    func calledTwice() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        var message = try Message.methodCall(
            to: Counter.name, path: Counter.path, interface: Counter.name, member: "Add")
        try message.write(UInt32(2))
        #expect(try await client.call(message).decode(as: UInt64.self) == 2)
        #expect(try await client.call(message).decode(as: UInt64.self) == 4)
        try client.callWithoutReply(message)
        #expect(try await client.call(message).decode(as: UInt64.self) == 8)
    }

    @Test("a call message with flags → the receiver gets the same flags")
    func flags() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        var message = try Message.methodCall(
            to: Counter.name, path: Counter.path, interface: Counter.name, member: "Keep")
        message.allowInteractiveAuthorization = true
        message.autoStart = false
        client.call(message) { _ in }
        let call = try await service.counter.kept.next()
        #expect(call.message.allowInteractiveAuthorization)
        #expect(!call.message.autoStart)
        #expect(!call.message.noReplyExpected)
        #expect(call.message.sender == client.uniqueName)
        call.reply()
    }

    @Test("a match rule names a sender on a direct connection → signals match, because the peer is the only sender")
    func directSender() async throws {
        let server = try CounterServer()
        let peers = EventLog<Peer>()
        server.server.onConnection { peers.record($0) }
        let client = try await server.client()
        let log = EventLog<String>()
        _ = try await client.subscribe(MatchRule(sender: Counter.name, member: "Added")) { _ in log.record("signal") }
        try await peers.next().send(
            Message.signal(Counter.added, of: Counter.name, at: Counter.path) { writer in
                writer.append(1 as UInt32)
                writer.append(1 as UInt64)
            })
        #expect(try await log.next() == "signal")
    }

    @Test("a connection is flushed → the call returns after all bytes, after the timeout, or when the peer disconnects")
    func flush() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        #expect(await client.flush(timeout: .seconds(1)))
        func fill() throws {
            for _ in 0..<50 {
                var signal = try Message.signal(path: "/", interface: "org.example.T", member: "T")
                try signal.write([UInt8](repeating: 0, count: 1 << 16))
                try client.send(signal)
            }
        }
        service.bus.pause()
        try fill()
        #expect(await !client.flush(timeout: .milliseconds(10)))
        let task = Task { @DBusActor in await client.flush(timeout: .seconds(20)) }
        service.bus.resume()
        #expect(await task.value)
        service.bus.pause()
        try fill()
        let last = Task { @DBusActor in await client.flush(timeout: .seconds(20)) }
        service.bus.stop()
        #expect(await !last.value)
    }

    @Test("a handler cancels another subscription during a message → that subscription does not get the message")
    func cancelledInside() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        let log = EventLog<String>()
        let rule = MatchRule(member: "Added")
        let second = Holder()
        _ = try await client.subscribe(rule) { _ in
            log.record("first")
            second.subscription?.cancel()
        }
        second.subscription = try await client.subscribe(rule) { _ in log.record("second") }
        _ = try await client.subscribe(rule) { _ in log.record("third") }
        try service.tree.emit(Counter.added, of: Counter.interface, at: Counter.path, UInt32(1), UInt64(1))
        #expect(try await log.next() == "first")
        #expect(try await log.next() == "third")
    }
}

@DBusActor
private final class Holder {
    var subscription: Subscription?
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Subscriptions to the signals of a name")
@DBusActor
struct SubscriptionTests {
    private let rule = MatchRule(sender: Counter.name, interface: Counter.name, member: "Added")

    private func emit(_ service: CounterService) throws {
        try service.tree.emit(Counter.added, of: Counter.interface, at: Counter.path, UInt32(1), UInt64(1))
    }

    @Test(
        "the first subscribing task is cancelled at any moment → the second task still gets the signals",
        arguments: 0..<8)
    func cancelled(turns: Int) async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        let first = Task { @DBusActor in try await client.subscribe(rule) { _ in } }
        for _ in 0..<turns { _ = try await client.owner(of: Counter.name) }
        first.cancel()
        let heard = EventLog<String>()
        let second = try await client.subscribe(rule) { _ in heard.record("second") }
        try emit(service)
        #expect(try await heard.next() == "second")
        _ = await first.result
        try emit(service)
        #expect(try await heard.next() == "second")
        second.cancel()
    }

    @Test("many tasks subscribe at once and some of them are cancelled → the remaining tasks get the signals")
    func together() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        let heard = EventLog<Int>()
        let tasks = (0..<6).map { number in
            Task { @DBusActor in try await client.subscribe(rule) { _ in heard.record(number) } }
        }
        for task in tasks.prefix(3) { task.cancel() }
        for task in tasks.prefix(3) { _ = await task.result }
        for task in tasks.dropFirst(3) { _ = try await task.value }
        try emit(service)
        #expect(try await heard.next { $0 == 3 } == 3)
        #expect(try await heard.next() == 4)
        #expect(try await heard.next() == 5)
    }

    @Test(
        "the bus refuses another match rule → all waiting tasks get LimitsExceeded; later subscriptions succeed"
    )
    func refused() async throws {
        let service = try await CounterService.start(on: .limited(["max_match_rules_per_connection": 2]))
        let client = try await service.client()
        // Subscribing to the signals of a name needs two rules: for the name's owner, and for the signals. The
        // subscriptions without a name, `other` and `full`, need one rule each. The bus accepts two rules, so that
        // `rule` fits only after both have been cancelled.
        let other = try await client.subscribe(MatchRule(interface: "org.example.Other")) { _ in }
        let full = try await client.subscribe(MatchRule(interface: "org.example.Full")) { _ in }
        for _ in 0..<3 {
            let tasks = (0..<3).map { _ in Task { @DBusActor in try await client.subscribe(rule) { _ in } } }
            for task in tasks {
                let error = await #expect(throws: DBusError.self) { try await task.value }
                #expect(error?.standard == .limitsExceeded)
            }
        }
        other.cancel()
        for _ in 0..<3 {
            let tasks = (0..<3).map { _ in Task { @DBusActor in try await client.subscribe(rule) { _ in } } }
            for task in tasks {
                let error = await #expect(throws: DBusError.self) { try await task.value }
                #expect(error?.standard == .limitsExceeded)
            }
        }
        full.cancel()
        let heard = EventLog<String>()
        _ = try await client.subscribe(rule) { _ in heard.record("heard") }
        try emit(service)
        #expect(try await heard.next() == "heard")
    }

    @Test(
        "a task waits for the bus to confirm a subscription → cancellation ends the wait"
    )
    func silentBus() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        service.bus.pause()
        let first = Task { @DBusActor in try await client.subscribe(rule) { _ in } }
        first.cancel()
        let error = await #expect(throws: DBusError.self) { try await first.value }
        #expect(error?.standard == .noReply)
        service.bus.resume()
        let heard = EventLog<String>()
        _ = try await client.subscribe(rule) { _ in heard.record("heard") }
        try emit(service)
        #expect(try await heard.next() == "heard")
    }
}

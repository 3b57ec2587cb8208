// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@Suite("Connecting to listd")
@DBusActor
struct ListClientTests {
    private func text(_ availability: ListClient.Availability) -> String {
        switch availability {
        case .available: "available"
        case .noDaemon: "no daemon"
        case .noBus(let error): error.name
        }
    }

    /// Waits longer than one retry interval, so that another attempt would have been made.
    private func waitForRetry() async throws {
        let log = EventLog<Void>()
        EventLoop.shared.addTimer(after: .milliseconds(400)) { log.record(()) }
        try await log.next()
    }

    @Test("the bus refuses to report name owners → each attempt causes one message, and attempts do not overlap")
    func refusedRule() async throws {
        let bus = try PrivateBus(.limited(["max_match_rules_per_connection": 0]))
        let events = EventLog<String>()
        let client = ListClient(address: .address(bus.address)) { events.record(text($0)) }
        client.start()
        client.start()
        for _ in 0..<4 { #expect(try await events.next() == StandardError.limitsExceeded.rawValue) }
        client.close()
    }

    @Test("the daemon appears, the daemon leaves, or the bus ends → the client calls back once for each event")
    func comesAndGoes() async throws {
        let bus = try PrivateBus()
        let events = EventLog<String>()
        let client = ListClient(address: .address(bus.address)) { events.record(text($0)) }
        client.start()
        #expect(try await events.next() == "no daemon")
        let daemon = try await Connection.open(.address(bus.address))
        _ = try await daemon.requestName(ListdName.bus)
        #expect(try await events.next() == "available")
        daemon.close()
        #expect(try await events.next() == "no daemon")
        bus.stop()
        #expect(try await events.next() == StandardError.disconnected.rawValue)
        #expect(try await events.next() != StandardError.disconnected.rawValue)
        client.close()
    }

    @Test("a client is closed at any moment → its callbacks are not called afterwards", arguments: 0..<6)
    func closed(turns: Int) async throws {
        let bus = try PrivateBus(.limited(turns.isMultiple(of: 2) ? [:] : ["max_match_rules_per_connection": 0]))
        let other = try await Connection.open(.address(bus.address))
        let events = EventLog<String>()
        let client = ListClient(address: .address(bus.address)) { events.record(text($0)) }
        client.start()
        for _ in 0..<(turns / 2) { _ = try await other.owner(of: ListdName.bus) }
        client.close()
        while !events.recorded.isEmpty { _ = try await events.next() }
        try await waitForRetry()
        #expect(events.recorded == [])
    }

    @Test("a client is closed in the callback that reports a missing bus → the client does not try to connect again")
    func closedInside() async throws {
        let events = EventLog<String>()
        var client: ListClient?
        client = ListClient(address: .address("unix:path=/nonexistent/socket")) {
            events.record(text($0))
            client?.close()
        }
        client?.start()
        _ = try await events.next()
        try await waitForRetry()
        #expect(events.recorded == [])
        client = nil
    }

    @Test("clients are released without close → their connections end")
    func dropped() async throws {
        let bus = try PrivateBus()
        let other = try await Connection.open(.address(bus.address))
        let gone = EventLog<String>()
        other.onDeparture { gone.record($0) }
        let names = { @DBusActor () async throws -> [String] in
            try await other.bus.call("ListNames", returning: [String].self).filter { $0.hasPrefix(":") }
        }
        let before = try await names().count
        let events = EventLog<String>()
        var clients = (0..<10).map { _ in ListClient(address: .address(bus.address)) { events.record(text($0)) } }
        for client in clients { client.start() }
        for _ in clients { #expect(try await events.next() == "no daemon") }
        #expect(try await names().count == before + clients.count)
        clients = []
        for _ in 0..<10 { _ = try await gone.next() }
        #expect(try await names().count == before)
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("A service and a client on a real bus")
struct FirstLightTests {
    @Test("a method is called → its signal arrives, then its typed reply")
    @DBusActor
    func callAndSignal() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        let remote = RemoteObject.counter(client)
        #expect(try await remote.call("Add", UInt32(5), returning: UInt64.self) == 5)
        #expect(try await remote.property("Sum", as: UInt64.self) == 5)

        let log = EventLog<String>()
        _ = try await client.subscribe(MatchRule(sender: "org.example.Counter", member: "Added")) { message in
            guard let (amount, sum) = try? message.decode(as: UInt32.self, UInt64.self) else { return }
            log.record("\(amount) \(sum)")
        }
        try service.tree.emit(Counter.added, of: Counter.interface, at: Counter.path, UInt32(1), UInt64(6))
        #expect(try await log.next() == "1 6")
    }
}

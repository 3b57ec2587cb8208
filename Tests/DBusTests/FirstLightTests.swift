import DBus
import TestSupport
import Testing

/// A small service, as the README shows it.
@DBusActor
final class Counter {
    private(set) var sum: UInt64 = 0
    static let added = Signal("Added", ["amount": "u", "sum": "t"])
    static let path: ObjectPath = "/org/example/Counter"

    static let interface = Interface<Counter>(
        "org.example.Counter",
        [
            .function("Add", in: ["amount"], out: "sum") { (counter, _, amount: UInt32) in
                counter.sum += UInt64(amount)
                return counter.sum
            },
            .property("Sum", as: UInt64.self, changes: .emits) { counter, _ in counter.sum },
            .signal(added),
        ])
}

@Suite("A service and a client on a real bus")
struct FirstLightTests {
    @Test("a method is called → its typed answer arrives, and the signal before it")
    @DBusActor
    func callAndSignal() async throws {
        let bus = try PrivateBus()
        let service = try await Connection.open(.address(bus.address))
        let tree = ObjectTree()
        let counter = Counter()
        tree.add(ExportedObject(Counter.interface, of: counter), at: Counter.path)
        service.objects = tree
        #expect(try await service.requestName("org.example.Counter") == .primaryOwner)

        let client = try await Connection.open(.address(bus.address))
        let remote = RemoteObject(
            client, destination: "org.example.Counter", path: Counter.path, interface: "org.example.Counter")
        #expect(try await remote.call("Add", UInt32(5), returning: UInt64.self) == 5)
        #expect(try await remote.property("Sum", as: UInt64.self) == 5)

        let log = EventLog<String>()
        _ = try await client.subscribe(MatchRule(sender: "org.example.Counter", member: "Added")) { message in
            guard let (amount, sum) = try? message.decode(as: UInt32.self, UInt64.self) else { return }
            log.record("\(amount) \(sum)")
        }
        try tree.emit(Counter.added, of: Counter.interface, at: Counter.path, UInt32(1), UInt64(6))
        #expect(try await log.next() == "1 6")
    }
}

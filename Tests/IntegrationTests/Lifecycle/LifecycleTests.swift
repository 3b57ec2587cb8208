// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import TestSupport
import Testing

@Suite("Startup and shutdown of listd", .timeLimit(.minutes(3)))
@DBusActor
struct LifecycleTests {
    @Test("there is no bus → listd exits with code 69 and logs every address that it tried")
    func noBus() async throws {
        let (outcome, text) = try await ListdProcess.run(bus: "unix:path=/nonexistent/bus")
        #expect(outcome == ListdProcess.Outcome(status: 69))
        #expect(text.contains("/nonexistent/bus"))
    }

    @Test("the bus name is taken → listd exits with code 69, and the owner of the name is unaffected")
    func nameTaken() async throws {
        let stage = try await Stage()
        let (outcome, text) = try await ListdProcess.run(bus: stage.bus.address)
        #expect(outcome == ListdProcess.Outcome(status: 69))
        #expect(text.contains("org.listd.Listd1"))
        _ = try await stage.createAdapter("still")
        await stage.stop()
    }

    @Test(
        "a command-line option is unknown → listd exits with code 64",
        arguments: ["--nonsense", "--log-level=loud", "--bus"])
    func usage(argument: String) async throws {
        let (outcome, text) = try await ListdProcess.run(bus: "unix:path=/tmp/x", arguments: [argument])
        #expect(outcome == ListdProcess.Outcome(status: 64))
        #expect(text.contains("--"))
    }

    @Test(
        "SIGTERM or SIGINT while updates wait → the updates are answered, views are closed, and listd exits with 0",
        arguments: [SIGTERM, SIGINT])
    func ending(signal: Int32) async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter(
            "slow", ["coalesce-min": .uint32(60_000), "coalesce-max": .uint32(60_000)])
        let (path, _, _, _, _, _) = try await adapter.by(stage.client).call(
            "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
            UInt32.self, [String: DBusValue].self)
        let closed = EventLog<String>()
        _ = try await stage.client.subscribe(MatchRule(path: path, member: "Closed"), onBus: false) { message in
            closed.record((try? message.decode(as: String.self)) ?? "")
        }
        _ = try await adapter.performUpdates([Row("a", "", [:])])
        // Without the signal, later updates would be flushed only after a minute.
        let late = EventLog<UInt64>()
        let call = try adapter.by(stage.client).message("PerformUpdates") { (message) throws(DBusError) in
            try message.write(UInt64(0), [Row("a", "", [:]), Row("b", "", [:])], [String: DBusValue]())
        }
        stage.client.call(call) { late.record((try? $0.get().decode(as: UInt64.self)) ?? 0) }
        _ = try await adapter.objects()
        let started = ContinuousClock.now
        stage.listd.send(signal)
        #expect(try await late.next() == 2)
        #expect(try await closed.next() == "shutting-down")
        #expect(await stage.listd.finish() == ListdProcess.Outcome(status: 0))
        #expect(ContinuousClock.now - started < .seconds(10))
    }

    @Test(
        "SIGTERM while a client reads and opens views in a loop → no reply claims that the list does not exist",
        arguments: TransportKind.allCases)
    func readingToTheEnd(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        var adapters: [TestAdapter] = []
        for number in 0..<10 {
            let adapter = try await stage.createAdapter("list\(number)")
            try await adapter.fill(5)
            adapters.append(adapter)
        }
        let client = try await stage.connect(transport)
        let errors = EventLog<String>()
        stage.listd.send(SIGTERM)
        for number in 0..<100_000 where client.isConnected {
            let remote = adapters[number % adapters.count].by(client)
            if number < 200 {
                let call = try remote.message("OpenView") { (message) throws(DBusError) in
                    try message.write([String: DBusValue]())
                }
                client.call(call) { if case .failure(let error) = $0 { errors.record(error.name) } }
            }
            do {
                _ = try await remote.call(
                    "GetObjects", UInt32(0), UInt32(1), returning: String.self, UInt64.self, UInt32.self, [Row].self)
            } catch {
                errors.record(DBusError(error).name)
                break
            }
        }
        #expect(await stage.listd.finish() == ListdProcess.Outcome(status: 0))
        // After the exit, the bus name has no owner.
        let expected: Set<String> = [
            Listd.error("ShuttingDown"), Listd.standardError("Disconnected"), Listd.standardError("NoReply"),
            Listd.standardError("ServiceUnknown"), Listd.standardError("NameHasNoOwner"),
        ]
        #expect(expected.isSuperset(of: errors.recorded), "\(errors.recorded)")
    }

    @Test("systemd's watchdog is enabled → listd sends keep-alive messages, and a status line with counts")
    func watched() async throws {
        let bus = try PrivateBus()
        let listd = try await ListdProcess.start(bus: bus.address, environment: ["WATCHDOG_USEC": "300000"])
        let client = try await Connection.open(.address(bus.address))
        for _ in 0..<2 { #expect(await listd.waitForNotification("WATCHDOG=1")) }
        _ = try await manager(client).call(
            "CreateAdapter", "one", ["durability": DBusValue.string("memory")], returning: ObjectPath.self)
        #expect(await listd.waitForNotification("STATUS=1 list, 0 objects, 0 views"))
        #expect(await listd.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("the bus is killed and restarted → listd reconnects with its lists, and views are closed")
    func busRestart() async throws {
        let bus = MortalBus()
        let first = try bus.start()
        let listd = try await ListdProcess.start(bus: bus.address)
        let client = try await Connection.open(.address(bus.address))
        let adapter = try await manager(client).call(
            "CreateAdapter", "kept", ["durability": DBusValue.string("memory")], returning: ObjectPath.self)
        let remote = RemoteObject(
            client, destination: Listd.name, path: adapter, interface: Listd.name + ".Adapter")
        _ = try await remote.call(
            "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
            UInt32.self, [String: DBusValue].self)
        #expect(try await manager(client).property("ViewCount", as: UInt32.self) == 1)
        bus.kill(first)
        let second = try bus.start()
        let again = try await Connection.open(.address(bus.address))
        let owners = EventLog<String>()
        let watch = try await again.watchOwner(of: Listd.name) { if let owner = $0 { owners.record(owner) } }
        _ = try await owners.next()
        watch.cancel()
        #expect(try await manager(again).call("GetAdapter", "kept", returning: ObjectPath.self) == adapter)
        // The view ends on the list's executor, after the last signal that the test receives.
        while try await manager(again).property("ViewCount", as: UInt32.self) > 0 {}
        #expect(await listd.stop().status == 0)
        bus.kill(second)
    }

    private func manager(_ client: Connection) -> RemoteObject {
        RemoteObject(client, destination: Listd.name, path: Listd.manager, interface: Listd.name + ".Manager")
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Direct connections")
@DBusActor
struct ServerTests {
    @Test("two programs connect directly → the server serves both, each with a unique name")
    func twoClients() async throws {
        let server = try CounterServer()
        let names = EventLog<String>()
        server.server.onConnection { names.record($0.name) }
        let clients = [try await server.client(), try await server.client()]
        #expect(
            try await RemoteObject.counter(clients[0], destination: nil).call("Add", UInt32(2), returning: UInt64.self)
                == 2)
        #expect(
            try await RemoteObject.counter(clients[1], destination: nil).call("Add", UInt32(3), returning: UInt64.self)
                == 5)
        #expect(try await [names.next(), names.next()].sorted() == [":d.1", ":d.2"])
        #expect(server.server.connectedPeers.count == 2)
        withExtendedLifetime(clients) {}
    }

    @Test("a client library treats the server as a bus → Hello, AddMatch, names and broadcasts work", .rule("TT-01"))
    func asABus() async throws {
        let server = try CounterServer()
        let client = try await Connection.open(.address(server.address))
        #expect(client.uniqueName == ":d.1")
        #expect(try await client.owner(of: Counter.name) == ":d.0")
        #expect(try await client.owner(of: "org.example.Nobody") == nil)
        #expect(try await client.bus.call("NameHasOwner", ":d.1", returning: Bool.self))

        let log = EventLog<UInt64>()
        let subscription = try await client.subscribe(MatchRule(sender: Counter.name, member: "Added")) { message in
            log.record((try? message.decode(as: UInt32.self, UInt64.self).1) ?? 0)
        }
        try server.tree.emit(Counter.added, of: Counter.interface, at: Counter.path, UInt32(1), UInt64(7))
        #expect(try await log.next() == 7)

        subscription.cancel()
        #expect(try await RemoteObject.counter(client).call("Add", UInt32(1), returning: UInt64.self) == 1)
        try server.tree.emit(Counter.added, of: Counter.interface, at: Counter.path, UInt32(1), UInt64(8))
        #expect(try await RemoteObject.counter(client).call("Add", UInt32(1), returning: UInt64.self) == 2)
        #expect(log.recorded.isEmpty)
    }

    @Test("busctl --address= calls, introspects and lists the tree → works as on a bus")
    func busctl() async throws {
        let server = try CounterServer()
        let base = ["--address=\(server.address)", "--timeout=5"]
        let call = try await ChildProcess.run(
            "/usr/bin/busctl", base + ["call", Counter.name, Counter.path.text, Counter.name, "Add", "u", "41"])
        #expect(call.lines == ["t 41"])
        let tree = try await ChildProcess.run("/usr/bin/busctl", base + ["--list", "tree", Counter.name])
        #expect(tree.lines.contains("/org/example/Counter"))
        let found = try await ChildProcess.run(
            "/usr/bin/busctl", base + ["introspect", Counter.name, Counter.path.text, Counter.name])
        #expect(found.lines.contains { $0.hasPrefix(".Sum") && $0.contains(" t ") && $0.contains("41") })
    }

    @Test("dbus-python connects and listens → proxies, properties and signals work")
    func dbusPython() async throws {
        let server = try CounterServer()
        let python = try ChildProcess(
            python: """
                import sys, dbus, dbus.bus, dbus.mainloop.glib
                from gi.repository import GLib
                dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
                bus = dbus.bus.BusConnection(sys.argv[1])
                counter = bus.get_object("org.example.Counter", "/org/example/Counter")
                loop = GLib.MainLoop()
                bus.add_signal_receiver(lambda a, s: (print("signal", int(a), int(s)), loop.quit()),
                    "Added", "org.example.Counter", "org.example.Counter", "/org/example/Counter")
                print("sum", int(counter.Add(dbus.UInt32(3), dbus_interface="org.example.Counter")))
                print("property", int(counter.Get("org.example.Counter", "Sum",
                    dbus_interface="org.freedesktop.DBus.Properties")))
                loop.run()
                """, [server.address])
        #expect(try await python.lines.next() == "sum 3")
        #expect(try await python.lines.next() == "property 3")
        try server.tree.emit(Counter.added, of: Counter.interface, at: Counter.path, UInt32(3), UInt64(3))
        #expect(try await python.lines.next() == "signal 3 3")
    }

    @Test("GDBus connects and listens → a proxy, its cached properties and signals work")
    func gdbus() async throws {
        let server = try CounterServer()
        let python = try ChildProcess(
            python: """
                import sys
                from gi.repository import Gio, GLib
                bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1],
                    Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
                proxy = Gio.DBusProxy.new_sync(bus, Gio.DBusProxyFlags.DO_NOT_AUTO_START, None, "org.example.Counter",
                    "/org/example/Counter", "org.example.Counter", None)
                print("owner", proxy.get_name_owner())
                loop = GLib.MainLoop()
                proxy.connect("g-signal", lambda p, s, n, args: (print("signal", n, args.unpack()), loop.quit()))
                print("sum", proxy.call_sync("Add", GLib.Variant("(u)", (4,)), 0, 5000, None).unpack())
                print("cached", proxy.get_cached_property("Name").unpack())
                loop.run()
                """, [server.address])
        #expect(try await python.lines.next() == "owner :d.0")
        #expect(try await python.lines.next() == "sum (4,)")
        #expect(try await python.lines.next() == "cached counter")
        try server.tree.emit(Counter.added, of: Counter.interface, at: Counter.path, UInt32(4), UInt64(4))
        #expect(try await python.lines.next() == "signal Added (4, 4)")
    }

    @Test("a client leaves → its departure is reported once")
    func leaving() async throws {
        let server = try CounterServer()
        let log = EventLog<String>()
        server.server.onConnection { peer in
            log.record("came \(peer.name)")
            peer.onDeparture { log.record("left \(peer.name)") }
        }
        let client = try await server.client()
        _ = try await RemoteObject.counter(client, destination: nil).call("Add", UInt32(1), returning: UInt64.self)
        #expect(try await log.next() == "came :d.1")
        client.close()
        #expect(try await log.next() == "left :d.1")
        #expect(server.server.connectedPeers.isEmpty)
    }

    @Test("a call arrives → the user and the process of its caller are known")
    func credentials() async throws {
        let server = try CounterServer()
        let lines = try await ChildProcess.run(
            "/usr/bin/busctl",
            ["--address=\(server.address)", "call", Counter.name, Counter.path.text, Counter.name, "Whoami"]
        ).lines
        #expect(lines.first?.hasPrefix("s \":d.1 0 ") == true)
        #expect(lines.first?.hasSuffix(" 0\"") == false)
    }
}

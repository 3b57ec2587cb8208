// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Traps of libdbus: limits of the bus, unwanted replies")
@DBusActor
struct BusTrapTests {
    @Test("a reply exceeds the bus's size limit → the caller gets LimitsExceeded, and the service stays connected")
    func largeAnswer() async throws {
        let service = try await CounterService.start(on: .tiny, maximumMessageSize: 65536)
        let counter = RemoteObject.counter(try await service.client())
        let error = await #expect(throws: DBusError.self) {
            try await counter.call("Fill", UInt32(70000), returning: [UInt8].self)
        }
        #expect(error?.standard == .limitsExceeded)
        #expect(try await counter.call("Fill", UInt32(50000), returning: [UInt8].self).count == 50000)
        #expect(service.connection.isConnected)
        #expect(throws: DBusError.self) {
            var signal = try Message.signal(path: "/", interface: "org.example.T", member: "T")
            try signal.write([UInt8](repeating: 0, count: 70000))
            try service.connection.send(signal)
        }
    }

    @Test("a reply exceeds the bus's size limit, and the service has no own limit → the bus disconnects the service")
    func thrownOff() async throws {
        let service = try await CounterService.start(on: .tiny)
        let log = EventLog<String>()
        service.connection.onDisconnect { log.record("thrown off") }
        let counter = RemoteObject.counter(try await service.client())
        await #expect(throws: DBusError.self) {
            try await counter.call("Fill", UInt32(70000), returning: [UInt8].self)
        }
        #expect(try await log.next() == "thrown off")
    }

    @Test("the bus drops unicast signals to a stopped client → the sender is notified of each dropped signal")
    func undelivered() async throws {
        let service = try await CounterService.start(on: .tiny)
        let stopped = try ChildProcess(
            python: """
                import sys, dbus.bus
                bus = dbus.bus.BusConnection(sys.argv[1])
                print(bus.get_unique_name())
                sys.stdin.readline()
                """, [service.bus.address])
        let name = try await stopped.lines.next()
        stopped.signal(SIGSTOP)
        let log = EventLog<(UInt32, DBusError)>()
        service.connection.onUndelivered { log.record(($0, $1)) }
        var serials: Set<UInt32> = []
        for _ in 0..<400 {
            var signal = try Message.signal(path: "/", interface: "org.example.T", member: "T")
            try signal.write([UInt8](repeating: 0, count: 4000))
            try signal.setDestination(name)
            serials.insert(try service.connection.send(signal))
        }
        let (serial, error) = try await log.next()
        #expect(serials.contains(serial))
        #expect(error.standard == .limitsExceeded)
        #expect(service.connection.isConnected)
        stopped.stop()
    }

    @Test("a call flagged NO_REPLY_EXPECTED → the service sends neither a reply nor an error")
    func noReply() async throws {
        let service = try await CounterService.start()
        let python = try ChildProcess(
            python: """
                import sys, dbus, dbus.bus, dbus.mainloop.glib, dbus.lowlevel
                from gi.repository import GLib
                dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
                bus = dbus.bus.BusConnection(sys.argv[1])
                loop = GLib.MainLoop()
                seen = []
                def see(bus, message):
                    if message.get_type() in (2, 3) and message.get_sender() != "org.freedesktop.DBus":
                        seen.append((message.get_type(), message.get_reply_serial()))
                    return 1
                bus.add_message_filter(see)
                def send(path, interface, member, *args, wanted=False):
                    message = dbus.lowlevel.MethodCallMessage("org.example.Counter", path, interface, member)
                    if args: message.append(*args, signature="u" * len(args))
                    message.set_no_reply(not wanted)
                    return bus.send_message(message)
                c = "org.example.Counter"
                send("/org/example/Counter", c, "Add", 5)
                send("/org/example/Counter", c, "Add", 500)
                send("/org/example/Counter", c, "Add")
                send("/org/example/Counter", c, "Drop")
                send("/org/example/Counter", c, "Nothing")
                send("/org/example/Counter", "org.freedesktop.DBus.Peer", "Ping")
                send("/nowhere", c, "Add", 5)
                last = send("/org/example/Counter", c, "Add", 1, wanted=True)
                context = loop.get_context()
                while not any(serial == last for _, serial in seen): context.iteration(True)
                print(len(seen), seen[0][0])
                """, [service.bus.address])
        #expect(try await python.lines.next() == "1 2")
        #expect(service.counter.sum == 6)
    }

    @Test("a call makes the service emit signals → the signals arrive before the reply")
    func signalsBeforeReply() async throws {
        let service = try await CounterService.start()
        let client = try await service.client()
        let log = EventLog<String>()
        _ = try await client.subscribe(MatchRule(member: "Added")) { _ in log.record("signal") }
        let task = Task { @DBusActor in
            try await RemoteObject.counter(client).call("Keep")
            log.record("reply")
        }
        let call = try await service.counter.kept.next()
        try service.tree.emit(Counter.added, of: Counter.interface, at: Counter.path, UInt32(1), UInt64(1))
        call.reply()
        try await task.value
        #expect(log.recorded == ["signal", "reply"])
    }
}

// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("listctl when listd does not answer in time", .timeLimit(.minutes(3)))
struct ListctlSlowDaemonTests {
    /// A fake listd with one list. The first two calls of the chosen method time out.
    private static let daemon = """
        import sys, dbus, dbus.service, dbus.mainloop.glib
        from gi.repository import GLib
        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        bus = dbus.bus.BusConnection(sys.argv[1])
        left = {sys.argv[2]: 2}
        def late(method):
            if left.get(method, 0) > 0:
                left[method] -= 1
                raise dbus.exceptions.DBusException("nobody answers", name="org.freedesktop.DBus.Error.NoReply")
        PATH = "/org/listd/Listd1/adapters/st"
        class Manager(dbus.service.Object):
            @dbus.service.method("org.listd.Listd1.Manager", in_signature="s", out_signature="o")
            def GetAdapter(self, name): late("GetAdapter"); return PATH
        class Adapter(dbus.service.Object):
            @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
            def Get(self, interface, name): return "ready" if name == "State" else ""
            @dbus.service.method("org.listd.Listd1.Adapter", in_signature="as", out_signature="tt")
            def Subscribe(self, events): late("Subscribe"); return 1, 1
            @dbus.service.method("org.listd.Listd1.Adapter", in_signature="uu", out_signature="stua(ssa{sv})")
            def GetObjects(self, offset, limit): late("GetObjects"); return "e", 1, 1, [("a", "t", {"k": "v"})]
            @dbus.service.signal("org.listd.Listd1.Adapter", signature="t")
            def SelectionChanged(self, revision): pass
        name = dbus.service.BusName("org.listd.Listd1", bus)
        manager, adapter = Manager(bus, "/org/listd/Listd1"), Adapter(bus, PATH)
        print("ready")
        GLib.timeout_add(50, lambda: adapter.SelectionChanged(7) or True)
        GLib.MainLoop().run()
        """

    private func start(late method: String, on bus: PrivateBus) async throws -> ChildProcess {
        let daemon = try ChildProcess(python: Self.daemon, [bus.address, method])
        #expect(try await daemon.lines.next(timeout: .seconds(60)) == "ready")
        return daemon
    }

    @Test(
        "reads time out → watch prints one message and retries until the list is printed",
        arguments: ["GetAdapter", "Subscribe", "GetObjects"])
    func watch(method: String) async throws {
        let bus = try PrivateBus()
        let daemon = try await start(late: method, on: bus)
        let watching = try Listctl.start(bus.address, "watch", "st")
        let first = try await watching.lines.next(timeout: .seconds(60))
        #expect(first == "listctl: listd does not answer; trying again")
        #expect(try await watching.lines.next(timeout: .seconds(60)).hasSuffix("read anew, 1 object"))
        watching.stop()
        daemon.stop()
    }

    @Test("a subscription times out → monitor prints one message and subscribes again")
    func monitor() async throws {
        let bus = try PrivateBus()
        let daemon = try await start(late: "Subscribe", on: bus)
        let watching = try Listctl.start(bus.address, "monitor", "st")
        let said = try await watching.lines.next(timeout: .seconds(60)) { $0.hasPrefix("listctl: ") }
        #expect(said == "listctl: listd does not answer; trying again")
        #expect(try await watching.lines.next(timeout: .seconds(60)).hasSuffix("  st  SelectionChanged  7"))
        watching.stop()
        daemon.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A service on dbus-python that answers every call with the call's own arguments, of any type.
enum PythonEcho {
    static let script = """
        import sys, dbus, dbus.bus, dbus.mainloop.glib, dbus.lowlevel
        from gi.repository import GLib
        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        bus = dbus.bus.BusConnection(sys.argv[1])
        def echo(bus, message):
            if message.get_type() != 1 or message.get_interface() != "org.example.Echo":
                return 1
            reply = dbus.lowlevel.MethodReturnMessage(message)
            reply.append(*message.get_args_list(), signature=message.get_signature())
            bus.send_message(reply)
            return 0
        bus.add_message_filter(echo)
        print(bus.get_unique_name())
        GLib.MainLoop().run()
        """

    /// Starts the service on a bus; returns the process and its unique name.
    static func start(on bus: PrivateBus) async throws -> (ChildProcess, String) {
        let process = try ChildProcess(python: script, [bus.address])
        return (process, try await process.lines.next())
    }
}

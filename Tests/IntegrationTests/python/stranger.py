# SPDX-License-Identifier: Apache-2.0
"""Calls the manager of listd on one connection: ADDRESS METHOD:ARGUMENT…; prints "ok" or the error's name for each call."""

import sys

import dbus
import dbus.bus

bus = dbus.bus.BusConnection(sys.argv[1])
listd = bus.get_object("org.listd.Listd1", "/org/listd/Listd1", introspect=False)
manager = dbus.Interface(listd, "org.listd.Listd1.Manager")
for call in sys.argv[2:]:
    method, argument = call.split(":")
    try:
        if method == "LogLevel":
            log = bus.get_object("org.listd.Listd1", "/org/freedesktop/LogControl1", introspect=False)
            dbus.Interface(log, "org.freedesktop.DBus.Properties").Set("org.freedesktop.LogControl1", method, dbus.String(argument, variant_level=1))
        elif method == "CreateAdapter":
            manager.CreateAdapter(argument, dbus.Dictionary({}, signature="sv"))
        else:
            getattr(manager, method)(argument)
        print("ok")
    except dbus.DBusException as error:
        print(error.get_dbus_name())

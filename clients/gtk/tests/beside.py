#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what assistive technologies find of a GtkListView and of a ListdFlowView that show the same list: beside.py PROGRAM LISTD

PROGRAM is tests/beside.c, on a display that is there. LISTD is the listd to test with, unless the environment has one. Roles,
states, attributes and the order of the rows are asked for on the bus of AT-SPI, as a screen reader does: what the rows of GTK say of
themselves, those of a flow view say too. Neither GTK 4.8 nor 4.18 hands out there which of how many a row is; it knows that of the rows
of a flow view, which tests/test-flow.c looks at."""
import os
import subprocess
import sys
import tempfile
import time
from gi.repository import Gio, GLib

ROOT = "/org/a11y/atspi/accessible/root"
PATH = "/org/listd/Listd1"
LIST = "beside"


class Node:
    """An accessible. Nothing is kept of it: each question goes to the program."""

    bus = None

    def __init__(self, reference):
        self.owner, self.path = reference

    def ask(self, method, interface="org.a11y.atspi.Accessible", parameters=None):
        return self.bus.call_sync(self.owner, self.path, interface, method, parameters, None, 0, 10000).unpack()[0]

    def name(self):
        return self.ask("Get", "org.freedesktop.DBus.Properties", GLib.Variant("(ss)", ("org.a11y.atspi.Accessible", "Name")))

    def children(self):
        return [Node(reference) for reference in self.ask("GetChildren")]

    def find(self, name):
        if self.name() == name:
            return self
        return next((found for child in self.children() if (found := child.find(name))), None)

    def text(self):
        """Its name, or that of what is in it."""
        return self.name() or next((text for child in self.children() if (text := child.text())), "")

    def describe(self):
        low, high = self.ask("GetState")
        return {"role": self.ask("GetRoleName"), "attributes": self.ask("GetAttributes"), "states": high << 32 | low}


def find_list(name):
    for reference in Node(("org.a11y.atspi.Registry", ROOT)).ask("GetChildren"):
        found = Node(reference).find(name)
        if found:
            return found
    return None


def wait_for(what, condition):
    end = time.monotonic() + 30
    while True:
        try:
            value = condition()
        except GLib.Error:
            # What went while it was looked at.
            value = None
        if value:
            return value
        if time.monotonic() > end:
            sys.exit(f"beside: this never became true: {what}")
        time.sleep(0.1)


def call(path, interface, method, parameters):
    session = Gio.bus_get_sync(Gio.BusType.SESSION)
    session.call_sync("org.listd.Listd1", path, f"org.listd.Listd1.{interface}", method, parameters, None, 0, -1)


def create():
    try:
        call(PATH, "Manager", "CreateAdapter", GLib.Variant("(sa{sv})", (LIST, {})))
    except GLib.Error:
        # listd is not there yet.
        return False
    return True


def change(removed, upserts):
    call(f"{PATH}/adapters/{LIST}", "Adapter", "ApplyChanges", GLib.Variant("(tasa(ssssa{sv})a{sv})", (0, removed, upserts, {})))


def row(number, where="last"):
    return (f"o{number}", "", where, "", {"text": GLib.Variant("s", f"row {number}")})


def texts(view):
    return [child.text() for child in view.children()]


def expect_as_much(gtk, flow):
    """What GTK says of its widget is said of the other one."""
    said, heard = gtk.describe(), flow.describe()
    if said["role"] != heard["role"] or said["attributes"].items() - heard["attributes"].items() or said["states"] & ~heard["states"]:
        sys.exit(f"beside: of GtkListView there is {said}, of ListdFlowView {heard}")


def compare(gtk, flow, expected):
    """Both have exactly these rows, in this order, and say the same of them."""
    wait_for(f"{expected} in both", lambda: texts(gtk) == expected and texts(flow) == expected)
    for index, (one, other) in enumerate(zip(gtk.children(), flow.children())):
        expect_as_much(one, other)
        if other.ask("GetIndexInParent") != index:
            sys.exit(f"beside: {expected[index]} is not the row {index} of its list")


def look():
    change([], [row(number) for number in range(30)])
    gtk, flow = (wait_for(name, lambda name=name: find_list(name)) for name in ("GtkListView", "ListdFlowView"))
    expect_as_much(gtk, flow)
    # Of a long list, what is near the screen.
    shown = wait_for("rows", lambda: (rows := texts(flow)) and "row 9" in rows and rows)
    if shown != [f"row {number}" for number in range(len(shown))]:
        sys.exit(f"beside: ListdFlowView has the rows {shown}")
    # What is kept to be used again is no row.
    change([f"o{number}" for number in range(3, 30)], [])
    compare(gtk, flow, ["row 0", "row 1", "row 2"])
    change([], [row(30, "first"), row(31, "first"), ("o1", "", "first", "", {"text": GLib.Variant("s", "row 1")})])
    wait_for("rows in both", lambda: len(texts(gtk)) == 5 and sorted(texts(gtk)) == sorted(texts(flow)))
    compare(gtk, flow, texts(gtk))
    for view in (gtk, flow):
        print(view.name(), view.describe(), *(f"{row.text()}: {row.describe()}" for row in view.children()), sep="\n  ")


def main():
    if "LISTD_BESIDE" not in os.environ:
        # A session of its own.
        with tempfile.TemporaryDirectory() as folder:
            own = {"LISTD_BESIDE": folder, "XDG_RUNTIME_DIR": folder, "HOME": folder, "GTK_A11Y": "atspi"}
            return subprocess.call(["dbus-run-session", "--", sys.executable, __file__, *sys.argv[1:]], env=os.environ | own)
    folder, address = os.environ["LISTD_BESIDE"], os.environ["DBUS_SESSION_BUS_ADDRESS"]
    listd = os.environ.get("LISTD", sys.argv[2])
    programs = [subprocess.Popen([listd, "--bus", address, "--direct", "none", "--config", f"{folder}/config", "--state", "none"])]
    try:
        wait_for("a listd", create)
        programs.append(subprocess.Popen([sys.argv[1], LIST, address]))
        address = Gio.bus_get_sync(Gio.BusType.SESSION).call_sync(
            "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, -1).unpack()[0]
        Node.bus = Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION)
        look()
    finally:
        for program in reversed(programs):
            program.terminate()
            program.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())

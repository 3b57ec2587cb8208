# SPDX-License-Identifier: Apache-2.0
"""A small client of listd on python3-dbus: a mirror of a list, and a view that can compare itself with the daemon's.

The signals that a call causes are queued before its reply. So they have arrived after a blocking call, and `drain` dispatches them
without waiting.
"""

import dbus
import dbus.bus
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

SERVICE = "org.listd.Listd1"
MANAGER = "/org/listd/Listd1"

DBusGMainLoop(set_as_default=True)


def connect(address):
    return dbus.bus.BusConnection(address)


def interface(bus, path, name):
    return dbus.Interface(bus.get_object(SERVICE, path, introspect=False), SERVICE + "." + name)


def drain():
    context = GLib.MainContext.default()
    while context.iteration(False):
        pass


def plain(value):
    """Returns the value without dbus-python's types, for comparing and printing."""
    if isinstance(value, dict):
        return {plain(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dbus.Boolean):
        return bool(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, int):
        return int(value)
    return str(value) if isinstance(value, str) else value


class Adapter:
    """Calls on one adapter, with the signatures of the contract."""

    def __init__(self, bus, path):
        self.bus, self.path = bus, path
        self.calls = interface(bus, path, "Adapter")

    def apply(self, removed=(), upserts=()):
        return self.calls.ApplyChanges(
            dbus.UInt64(0), dbus.Array(removed, "s"), dbus.Array(upserts, "(ssssa{sv})"), dbus.Dictionary({}, "sv"))

    def objects(self):
        """All objects, in pages."""
        found = []
        while True:
            _, _, total, page = self.calls.GetObjects(dbus.UInt32(len(found)), dbus.UInt32(2**32 - 1))
            found += plain(page)
            if len(found) >= total or not page:
                return found


class Mirror:
    """The ids of a list. After the first read, only `Updated` signals change them."""

    def __init__(self, adapter):
        self.adapter = adapter
        self.revision, self.gaps = None, 0
        adapter.bus.add_signal_receiver(
            self.updated, "Updated", SERVICE + ".Adapter", SERVICE, adapter.path)
        _, revision, _, _ = adapter.calls.GetObjects(dbus.UInt32(0), dbus.UInt32(0))
        self.ids = [row[0] for row in adapter.objects()]
        self.revision = int(revision)

    def updated(self, epoch, base, revision, kind, animated, sections, items, batch, item_batch, details):
        if self.revision is None or revision <= self.revision:
            return
        if base != self.revision or kind == "reload":
            self.gaps += base != self.revision
            self.ids = [row[0] for row in self.adapter.objects()]
        else:
            # The signal has only the indices of inserted objects, so the mirror reads their ids.
            self.ids = apply_batch(self.ids, batch)
            for index in [i for i, name in enumerate(self.ids) if name is None]:
                _, _, _, page = self.adapter.calls.GetObjects(dbus.UInt32(index), dbus.UInt32(1))
                self.ids[index] = str(page[0][0])
        self.revision = int(revision)


def apply_batch(old, batch):
    """Applies a section batch; inserted positions are None."""
    deletes, inserts, moves, _ = batch
    gone = {i for first, length in deletes for i in range(first, first + length)} | {f for f, _ in moves}
    new = [row for i, row in enumerate(old) if i not in gone]
    added = {i: None for first, length in inserts for i in range(first, first + length)}
    added.update({to: old[start] for start, to in moves})
    for index in sorted(added):
        new.insert(index, added[index])
    return new


class View:
    """A viewport whose picture is updated by `Changed` signals alone."""

    def __init__(self, adapter, options=()):
        path, _, _, _, _, _ = adapter.calls.OpenView(dbus.Dictionary(dict(options), "sv"))
        self.path, self.calls = path, interface(adapter.bus, path, "View")
        self.sequence, self.content_size, self.offset, self.slots = 0, [0.0, 0.0], [0.0, 0.0], {}
        self.reason, self.changes = None, 0
        for member in ("Changed", "Closed"):
            adapter.bus.add_signal_receiver(
                getattr(self, "on_" + member.lower()), member, SERVICE + ".View", SERVICE, path)

    def on_changed(self, sequence, revision, content_size, offset, released, shown, placed, rebound, details):
        assert sequence == self.sequence + 1, f"sequence {sequence} after {self.sequence}"
        self.sequence, self.content_size, self.offset = int(sequence), plain(content_size), plain(offset)
        self.changes += 1
        for slot in released:
            del self.slots[int(slot)]
        for slot, *rest in plain(shown):
            assert slot not in self.slots, f"slot {slot} is shown twice"
            self.slots[slot] = rest
        for slot, section, item, frame, z in plain(placed):
            row = self.slots[slot]
            row[1], row[2], row[5], row[6] = section, item, frame, z
        for slot, content in plain(rebound):
            self.slots[slot][7] = content

    def on_closed(self, reason):
        self.reason = str(reason)

    def set_viewport(self, x, y, width, height):
        # The client scrolls by itself, so no signal arrives while the same items are shown.
        self.offset = [x, y]
        answer = self.calls.SetViewport(
            dbus.UInt64(self.sequence), dbus.Double(x), dbus.Double(y), dbus.Double(width), dbus.Double(height))
        drain()
        assert answer == self.sequence, f"SetViewport answered {answer}, the last Changed was {self.sequence}"

    def check(self):
        """Compares the picture with the daemon's."""
        drain()
        sequence, _, content_size, offset, shown, _ = self.calls.Resync()
        drain()
        there = {slot: rest for slot, *rest in plain(shown)}
        assert sequence >= self.sequence
        self.sequence = int(sequence)
        assert there == self.slots, f"the picture differs from the daemon's:\n{there}\n{self.slots}"
        assert plain(content_size) == self.content_size, f"{plain(content_size)} != {self.content_size}"
        assert plain(offset) == self.offset, f"{plain(offset)} != {self.offset}"

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""converge.py ADDRESS ADAPTER DROP SEED: a client that keeps a list and a view up to date by signals alone.

The client drops about one in DROP signals (0 = none), as a bus or a careless program might. It reads commands from standard input:

    until REVISION   follow the list up to REVISION, compare both copies with the daemon's, and print "equal …"

If a copy differs, or an exception is raised, the client exits with a message.
"""

import random
import sys

import dbus
import dbus.bus
from gi.repository import GLib

import listd

LIMITS = "org.freedesktop.DBus.Error.LimitsExceeded"
NO_REPLY = "org.freedesktop.DBus.Error.NoReply"
GONE = "org.listd.Listd1.Error.RevisionGone"


def patient(call, *arguments):
    """Calls repeatedly until the bus, whose small queues may be full, delivers the call and its answer."""
    while True:
        try:
            return call(*arguments, timeout=5)
        except dbus.DBusException as error:
            if error.get_dbus_name() not in (LIMITS, NO_REPLY):
                raise
            GLib.usleep(2000)


class Copy:
    """A copy of a list's objects, updated by the contract's rule for clients. None is an object that must be read.

    The copy reads such objects when all received signals are applied, so that a slow client reads once for many signals. Then it
    calls seen().
    """

    def __init__(self, bus, path, lossy):
        self.calls = listd.interface(bus, path, "Adapter")
        # The last revision that the connection has heard of, in a signal that may be dropped.
        self.heard = 0
        self.lossy, self.revision, self.rows, self.gaps = lossy, -1, [], 0
        self.is_due, self.seen = False, lambda: None
        bus.add_signal_receiver(self.updated, "Updated", listd.SERVICE + ".Adapter", None, path)
        patient(self.calls.Subscribe, dbus.Array(["updates"], "s"))
        self.read_all()

    def updated(self, epoch, base, revision, kind, animated, sections, items, batch, item_batch, details):
        self.heard = max(self.heard, int(revision))
        if self.lossy():
            return
        if revision > self.revision:
            if kind == "update" and base == self.revision:
                self.apply(revision, kind, batch, item_batch)
            else:
                self.gaps += 1
                self.catch_up()
        if not self.is_due:
            self.is_due = True
            GLib.idle_add(self.read)

    def read(self):
        self.is_due = False
        self.fill()
        self.seen()
        return False

    def apply(self, revision, kind, batch, item_batch):
        if kind == "reload":
            return self.read_all()
        deletes, inserts, moves, reloads = listd.plain(batch)
        rows = list(self.rows)
        for first, length in reloads:
            rows[first:first + length] = [None] * length
        item_deletes, item_inserts, item_moves, item_reloads = listd.plain(item_batch)
        for section in [s for s, _ in item_deletes + item_reloads] + [m[0] for m in item_moves]:
            rows[section] = None
        rows = listd.apply_batch(rows, batch)
        for section in [s for s, _ in item_inserts] + [m[2] for m in item_moves]:
            rows[section] = None
        self.rows, self.revision = rows, int(revision)

    def catch_up(self):
        while True:
            try:
                current, batches = patient(self.calls.GetChanges, "", dbus.UInt64(self.revision))
            except dbus.DBusException as error:
                if error.get_dbus_name() != GONE:
                    raise
                return self.read_all()
            for base, revision, kind, _, _, batch, item_batch in batches:
                if base == self.revision:
                    self.apply(revision, kind, batch, item_batch)
            if self.revision >= current:
                return

    def fill(self):
        """Reads missing objects. If an answer has a later revision, catches up first and reads again."""
        while None in self.rows:
            first = self.rows.index(None)
            last = first
            while last < len(self.rows) and self.rows[last] is None:
                last += 1
            _, revision, _, page = patient(self.calls.GetObjects, dbus.UInt32(first), dbus.UInt32(last - first))
            if revision == self.revision:
                self.rows[first:first + len(page)] = listd.plain(page)
            else:
                self.catch_up()

    def read_all(self):
        while True:
            revision, rows = None, []
            while True:
                _, now, total, page = patient(self.calls.GetObjects, dbus.UInt32(len(rows)), dbus.UInt32(500))
                if revision is not None and now != revision:
                    break
                revision = now
                rows += listd.plain(page)
                if len(rows) >= total:
                    self.revision, self.rows = int(revision), rows
                    return


class Viewer(listd.View):
    """A view that acknowledges each picture, and resyncs when a signal is missing."""

    def __init__(self, adapter, lossy, copy):
        self.lossy, self.resyncs, self.copy = lossy, 0, copy
        super().__init__(adapter)
        adapter.bus.add_signal_receiver(self.on_stalled, "Stalled", listd.SERVICE + ".View", None, self.path)

    def on_changed(self, sequence, *rest):
        heard = self.copy.heard
        assert rest[0] >= heard, f"picture {sequence} of revision {rest[0]} came after Updated to {heard}"
        if self.lossy() or sequence <= self.sequence:
            return
        if sequence != self.sequence + 1:
            return self.resync()
        super().on_changed(sequence, *rest)
        self.calls.Ack(dbus.UInt64(self.sequence), ignore_reply=True)

    def on_stalled(self, sequence, revision):
        self.resync()

    def resync(self):
        self.resyncs += 1
        sequence, _, content_size, offset, shown, _ = patient(self.calls.Resync)
        self.sequence = int(sequence)
        self.content_size, self.offset = listd.plain(content_size), listd.plain(offset)
        self.slots = {slot: rest for slot, *rest in listd.plain(shown)}

    def look(self, y):
        patient(self.calls.SetViewport, dbus.UInt64(self.sequence), 0.0, y, 320.0, 480.0)


def compare(copy, view):
    """Checks that copy and view equal the daemon's. Call this when the list does not change any more."""
    patient(copy.calls.GetObjects, dbus.UInt32(0), dbus.UInt32(0))
    listd.drain()  # reads signals that were sent before that answer
    mine = copy.rows
    copy.read_all()
    assert mine == copy.rows, "the list differs from the daemon's:\n%r\n%r" % (mine, copy.rows)
    slots, sequence = view.slots, view.sequence
    view.resync()
    if sequence == view.sequence:
        assert slots == view.slots, "the view differs from the daemon's:\n%r\n%r" % (slots, view.slots)


def main(address, path, drop, seed):
    rng = random.Random(seed)

    def lossy():
        return drop > 0 and rng.randrange(drop) == 0

    bus = listd.connect(address)
    adapter = listd.Adapter(bus, path)
    copy = Copy(bus, path, lossy)
    view = Viewer(adapter, lossy, copy)
    view.look(0.0)
    loop = GLib.MainLoop()
    goal = []

    def look():
        if not goal and rng.randrange(4) == 0:
            view.look(rng.uniform(0, 3000))

    copy.seen = look

    def step():
        if goal and copy.revision >= goal[0]:
            loop.quit()
        elif goal:
            copy.catch_up()  # the last signals may be among the dropped ones
            copy.fill()
        return True

    def read_command(channel, _):
        line = channel.readline()
        if not line:
            sys.exit(0)
        goal.append(int(line.split()[1]))
        return True

    def failed(kind, value, trace):
        sys.__excepthook__(kind, value, trace)
        sys.stderr.flush()
        sys.exit(1)

    sys.excepthook = failed
    GLib.timeout_add(20, step)
    GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, read_command)
    print("ready", flush=True)
    loop.run()
    compare(copy, view)
    print("equal at %d: %d objects, %d gaps, %d resyncs" % (copy.revision, len(copy.rows), copy.gaps, view.resyncs))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))

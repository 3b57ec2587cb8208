#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plays a scenario (README.md): play.py FILE TRANSPORT."""

import json
import pathlib
import shutil
import signal
import sys
import time

import dbus
import dbus.bus

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "clients/python/tests"), str(ROOT / "Tests/Scenarios")]

from proxy import Proxy, path_of  # noqa: E402
from stage import Stage  # noqa: E402

NAME = "scenario"
#: The name of the follower, in a scenario with a filter.
FILTERED = "filtered"
#: The time limit in seconds for the follower to match its base list.
PATIENCE = 20
SERVICE = "org.listd.Listd1"


class Failure(Exception):
    pass


def value(plain):
    """Converts a JSON value to the type of the contract's mapping. {"u": 5} is a count."""
    if isinstance(plain, bool):
        return dbus.Boolean(plain)
    if isinstance(plain, int):
        return dbus.Int64(plain)
    if isinstance(plain, float):
        return dbus.Double(plain)
    if isinstance(plain, list):
        return dbus.Array([value(element) for element in plain], "v")
    if isinstance(plain, dict):
        if list(plain) == ["u"]:
            return dbus.UInt32(plain["u"])
        return fields(plain)
    return dbus.String(plain)


def fields(plain):
    return dbus.Dictionary({key: value(member) for key, member in plain.items()}, "sv")


def plain(there):
    """Converts a value of dbus-python to a JSON value."""
    if isinstance(there, dict):
        return {str(key): plain(member) for key, member in there.items()}
    if isinstance(there, (list, tuple)):
        return [plain(member) for member in there]
    if isinstance(there, dbus.Boolean):
        return bool(there)
    for kind in (int, float, str):
        if isinstance(there, kind):
            return kind(there)
    raise Failure(f"a scenario cannot contain a {type(there).__name__}")


def full(given):
    """Returns an object with defaults for missing keys."""
    given = {"id": given} if isinstance(given, str) else given
    return {"type": "", "fields": {}, "position": "keep", "anchor": ""} | given


class Play:
    def __init__(self, head, transport):
        self.options = head.get("options", {})
        #: The source argument of the follower, after "?". None = the client follows the list itself.
        self.argument = head.get("filter")
        self.stage = Stage(transport, state=True)
        self.stage.start()
        relay = self.stage.directory / "relay.sock"
        self.proxy = Proxy(str(relay), path_of(self.stage.address))
        self.address = f"unix:path={relay}"
        self.is_cut_off = False
        self.connect()

    def connect(self):
        self.bus = dbus.bus.BusConnection(self.stage.bus.address)
        self.manager = dbus.Interface(self.object("/org/listd/Listd1"), SERVICE + ".Manager")

    def object(self, path):
        return self.bus.get_object(SERVICE, path, introspect=False)

    def adapter(self, name):
        return dbus.Interface(self.object(f"/org/listd/Listd1/adapters/{name}"), SERVICE + ".Adapter")

    @property
    def list(self):
        return self.adapter(NAME)

    @property
    def followed(self):
        """Returns the name of the list that the client follows."""
        return NAME if self.argument is None else FILTERED

    # MARK: steps

    def begin(self):
        """Creates the list, and the follower if the scenario has one."""
        self.create()
        if self.argument is not None:
            self.manager.CreateAdapter(FILTERED, fields({"source": f"list:{NAME}?{self.argument}"}))

    def create(self, _=True):
        self.manager.CreateAdapter(NAME, fields(self.options))

    def filter(self, argument):
        if self.argument is None:
            raise Failure("the scenario's first line has no filter that could be changed")
        self.adapter(FILTERED).SetSourceArgument(argument)
        self.argument = argument

    def remove(self, _):
        self.manager.RemoveAdapter(NAME)

    def replace(self, objects):
        rows = [full(row) for row in objects]
        body = dbus.Array([(row["id"], row["type"], fields(row["fields"])) for row in rows], "(ssa{sv})")
        self.list.PerformUpdates(dbus.UInt64(0), body, fields({}))

    def apply(self, change):
        rows = [full(row) for row in change.get("upsert", [])]
        upserts = [(row["id"], row["type"], row["position"], row["anchor"], fields(row["fields"])) for row in rows]
        removed = dbus.Array(change.get("remove", []), "s")
        self.list.ApplyChanges(dbus.UInt64(0), removed, dbus.Array(upserts, "(ssssa{sv})"), fields({}))

    def patch(self, change):
        unset = dbus.Array(change.get("unset", []), "s")
        self.list.PatchObject(dbus.UInt64(0), change["id"], fields(change.get("set", {})), unset)

    def move(self, change):
        self.list.MoveObject(dbus.UInt64(0), change["id"], change["position"], change.get("anchor", ""))

    def reload(self, ids):
        if ids is None:
            self.list.ReloadData()
        else:
            self.list.ReloadObjects(dbus.Array(ids, "s"))

    def kill(self, what):
        self.bus.close()
        if what == "bus":
            self.stage.bus.kill()
            self.stage.kill()
            self.stage.bus.start()
        else:
            self.stage.kill()
        self.stage.start()
        self.connect()

    def restart(self, _):
        self.bus.close()
        self.stage.kill(signal.SIGTERM)
        self.stage.start()
        self.connect()

    def forget(self, _):
        self.bus.close()
        self.stage.kill()
        shutil.rmtree(self.stage.directory / "state")
        self.stage.start()
        self.connect()
        self.begin()

    def lose(self, is_losing):
        self.proxy.lose(is_losing)
        self.is_cut_off = is_losing

    def stall(self, is_stalled):
        self.proxy.stall(is_stalled)
        self.is_cut_off = is_stalled

    # MARK: checks

    def objects(self, name):
        """Returns the revision and the objects of a list of the daemon."""
        adapter = self.adapter(name)
        rows = []
        while True:
            _, revision, total, page = adapter.GetObjects(dbus.UInt32(len(rows)), dbus.UInt32(2**32 - 1))
            rows += [{"id": str(id), "type": str(type), "fields": plain(given)} for id, type, given in page]
            if len(rows) >= total:
                return int(revision), rows

    def wait_for_follower(self, ids):
        """Waits until the follower has these ids and the base list's objects, but at most PATIENCE seconds. Returns its objects()."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                base = {row["id"]: row for row in self.objects(NAME)[1]}
            except dbus.DBusException as error:
                if error.get_dbus_name() != "org.freedesktop.DBus.Error.UnknownObject":
                    raise
                base = {}  # the base list is removed
            revision, objects = self.objects(FILTERED)
            is_there = [row["id"] for row in objects] == ids and all(base.get(row["id"]) == row for row in objects)
            if is_there or time.monotonic() > end:
                return revision, objects
            time.sleep(0.01)

    def check(self, ids):
        revision, objects = self.objects(NAME) if self.argument is None else self.wait_for_follower(ids)
        there = [row["id"] for row in objects]
        if there != ids:
            raise Failure(f"the list has the ids {there}, but the scenario expects {ids}")
        if self.is_cut_off:
            return
        ask({"expect": {"revision": revision, "objects": objects}})


def ask(message):
    """Sends a command to the client under test, and waits until the client has executed it."""
    print(json.dumps(message), flush=True)
    answer = sys.stdin.readline().strip()
    if answer != "ok":
        raise Failure(answer or "the client has ended")


STEPS = {
    *("replace", "apply", "patch", "move", "reload", "kill", "restart", "forget"),
    *("remove", "create", "lose", "stall", "filter"),
}


def main():
    # When SIGTERM ends the test, the child processes must end too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    file, transport = sys.argv[1:]
    lines = [json.loads(line) for line in open(file, encoding="utf-8") if line.strip()]
    play = Play(lines[0], transport)
    try:
        play.begin()
        ask({"follow": play.followed, "address": play.address})
        for number, line in enumerate(lines[1:], 2):
            ids = line.pop("ids", None)
            try:
                for step, argument in line.items():
                    if step not in STEPS:
                        raise Failure(f"unknown step {step!r}")
                    getattr(play, step)(argument)
                if ids is not None:
                    play.check(ids)
            except (Failure, dbus.DBusException) as error:
                print(f"{file}:{number}: {error}", file=sys.stderr)
                return 1
    finally:
        play.stage.close()
    print(json.dumps({"end": True}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""agent.py ADDRESS: a client that executes commands. Each command is a line of JSON, and so is each answer.

["call", path, interface, member, signature, arguments] -> "ok [...]" or "error NAME MESSAGE"
["begin", count, path, interface, member, signature, arguments]
                                                        -> "ok []" when COUNT calls are sent; the client then stops reading
["outcomes"]                                            -> "ok ["ok" or an error's NAME ...]" for all calls of "begin"
["feed", text]                                          -> "ok []"; the text is written into the pipes, which are then closed
["match", rule]                                         -> "ok []"; matching signals are recorded
["signals"]                                             -> "ok [[path, member, arguments] ...]", and clears the record

Inside a variant, the argument {"u": 5} is a 5 of the D-Bus type u. {"pipe": 0} is the reading end of a new pipe. The signals that a
call causes are queued before its reply, so they are recorded when the call is answered.
"""

import json
import os
import sys

import dbus
import dbus.bus
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

pipes = []


def pipe(_):
    reading, writing = os.pipe()
    pipes.append(writing)
    end = dbus.types.UnixFd(reading)  # a copy
    os.close(reading)
    return end


TYPES = {"pipe": pipe, "u": dbus.UInt32, "t": dbus.UInt64, "d": dbus.Double, "x": dbus.Int64}


def typed(value):
    if isinstance(value, dict):
        if len(value) == 1 and next(iter(value)) in TYPES:
            (code, inner), = value.items()
            return TYPES[code](inner)
        return {k: typed(v) for k, v in value.items()}
    if isinstance(value, list):
        return [typed(v) for v in value]
    return value


def short(value):
    """Truncates long texts and lists, which tests only compare with expectations."""
    if isinstance(value, (list, tuple)):
        return [short(v) for v in value[:50]]
    return value[:50] if isinstance(value, str) else value


def text(value):
    return json.dumps(value, default=str, sort_keys=True, separators=(",", ":"))


def main(address):
    DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(address)
    seen = []
    outcomes = []

    def record(_, message):
        if message.get_type() == 4 and message.get_path() != "/org/freedesktop/DBus":
            seen.append([message.get_path(), message.get_member(), short(message.get_args_list())])
        return 1  # DBUS_HANDLER_RESULT_NOT_YET_HANDLED

    bus.add_message_filter(record)
    print("ready", bus.get_unique_name(), flush=True)
    for line in sys.stdin:
        command, *rest = json.loads(line)
        try:
            if command == "call":
                path, interface, member, signature, arguments = rest
                reply = bus.call_blocking(
                    "org.listd.Listd1", path, interface, member, signature, typed(arguments), timeout=60)
                answer = [] if reply is None else list(reply) if isinstance(reply, tuple) else [reply]
            elif command == "begin":
                count, path, interface, member, signature, arguments = rest
                for _ in range(count):
                    place = len(outcomes)
                    outcomes.append(None)

                    def done(*_, place=place):
                        outcomes[place] = "ok"

                    def failed(error, place=place):
                        outcomes[place] = error.get_dbus_name()

                    bus.call_async(
                        "org.listd.Listd1", path, interface, member, signature, typed(arguments), done, failed,
                        timeout=60)
                bus.flush()
                answer = []
            elif command == "outcomes":
                while None in outcomes:
                    GLib.MainContext.default().iteration(True)
                answer = outcomes[:]
                outcomes.clear()
            elif command == "feed":
                for descriptor in pipes:
                    os.write(descriptor, rest[0].encode())
                    os.close(descriptor)
                pipes.clear()
                answer = []
            elif command == "match":
                bus.add_match_string(rest[0])
                answer = []
            else:
                context = GLib.MainContext.default()
                while context.iteration(False):
                    pass
                answer, seen = seen[:], []
            print("ok", text(answer), flush=True)
        except dbus.DBusException as error:
            print("error", error.get_dbus_name(), str(error).replace("\n", " "), flush=True)


main(sys.argv[1])

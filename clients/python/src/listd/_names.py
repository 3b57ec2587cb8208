# SPDX-License-Identifier: Apache-2.0
"""The bus names, paths and interfaces of listd."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from ._errors import InvalidArgs

BUS_NAME = "org.listd.Listd1"
MANAGER_PATH = "/org/listd/Listd1"
ADAPTERS_PATH = MANAGER_PATH + "/adapters"
PLUGINS_PATH = MANAGER_PATH + "/plugins"
MANAGER = BUS_NAME + ".Manager"
ADAPTER = BUS_NAME + ".Adapter"
VIEW = BUS_NAME + ".View"
PLUGIN = BUS_NAME + ".Plugin"
LOG_CONTROL_PATH = "/org/freedesktop/LogControl1"
LOG_CONTROL = "org.freedesktop.LogControl1"
OBJECT_MANAGER = "org.freedesktop.DBus.ObjectManager"
PROPERTIES = "org.freedesktop.DBus.Properties"
DIRECT_ADDRESS = "unix:path=/run/listd/direct.sock"


def escape(name: str) -> str:
    """Returns a name as the last element of an object path. A byte that is not an ASCII letter or digit becomes ``_xx``, and so
    does a leading digit."""
    try:
        data = name.encode()
    except UnicodeEncodeError:
        raise InvalidArgs("the name contains a surrogate, which is not a character") from None
    if len(data) > 255:
        raise InvalidArgs(f"the name has {len(data)} bytes; 255 are allowed")
    if not data:
        return "_"
    return "".join(
        chr(byte) if chr(byte).isascii() and chr(byte).isalnum() and not (place == 0 and chr(byte).isdigit()) else f"_{byte:02x}"
        for place, byte in enumerate(data)
    )


def unescape(path: str) -> str:
    """Returns the name in an object path. An element that is not an escaped name is returned unchanged."""
    element = path.rpartition("/")[2]
    if element == "_":
        return ""
    data = bytearray()
    place = 0
    try:
        while place < len(element):
            if element[place] == "_":
                data.append(int(element[place + 1 : place + 3], 16))
                place += 3
            else:
                data.append(ord(element[place]))
                place += 1
        return data.decode()
    except ValueError:
        return element


def adapter_path(name: str) -> str:
    """Returns the object path of a list."""
    return f"{ADAPTERS_PATH}/{escape(name)}"


def plugin_path(name: str) -> str:
    """Returns the object path of a plugin."""
    return f"{PLUGINS_PATH}/{escape(name)}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Returns the end of a message about an unknown name: a similar known name, if there is one."""
    near = get_close_matches(name.lower().replace("-", "_"), sorted(known), 1)
    return f": did you mean {near[0]!r}?" if near else ""

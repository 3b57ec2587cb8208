#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Waits for a text on the screen, as assistive technologies see it, and prints where it is: accessible.py TEXT [SECONDS]

Each line is an accessible on the way to the text: its role, its name, and its attributes. The bus of the session must be there."""
import sys
import time
import gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib


def find(accessible, text, way):
    way = way + [accessible]
    if accessible.get_name() == text:
        return way
    for index in range(accessible.get_child_count()):
        child = accessible.get_child_at_index(index)
        found = child is not None and find(child, text, way)
        if found:
            return found
    return None


def main():
    text, seconds = sys.argv[1], float(sys.argv[2]) if sys.argv[2:] else 30
    end = time.monotonic() + seconds
    Atspi.init()
    while time.monotonic() < end:
        try:
            way = find(Atspi.get_desktop(0), text, [])
        except GLib.Error:
            # What went while it was looked at.
            way = None
        if way:
            for accessible in way:
                states = accessible.get_state_set()
                marks = [name for name, state in (("selected", Atspi.StateType.SELECTED), ("focused", Atspi.StateType.FOCUSED))
                         if states.contains(state)]
                print(accessible.get_role_name(), repr(accessible.get_name()), dict(accessible.get_attributes() or {}), *marks)
            return 0
        time.sleep(0.1)
    print(f"accessible: nobody shows: {text}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())

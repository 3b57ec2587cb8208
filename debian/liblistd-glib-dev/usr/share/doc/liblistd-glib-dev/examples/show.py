#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the first rows of a list, and prints them again when they change: show.py NAME [ADDRESS]"""
import sys
import gi
gi.require_version("Listd", "1.0")
from gi.repository import GLib, Gio, Listd

client = Listd.Client.new_for_address(sys.argv[2]) if sys.argv[2:] else Listd.Client.new(Gio.BusType.SYSTEM)
rows = Listd.List.new(client, sys.argv[1])
rows.set_visible_range(0, 25)
rows.connect("content-changed", lambda rows, first, n: [
    print(i, rows[i].get_id(), rows[i].format("text"), flush=True) for i in range(first, first + n)])
GLib.MainLoop().run()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A window with a list: show.py NAME [ADDRESS]"""
import sys
import gi
gi.require_version("ListdGtk4", "1.0")
from gi.repository import ListdGtk4, Listd, Gtk, Gio


def on_activate(app):
    client = Listd.Client.new_for_address(sys.argv[2]) if sys.argv[2:] else Listd.Client.new(Gio.BusType.SYSTEM)
    view = ListdGtk4.FlowView(client=client, model_name=sys.argv[1])
    view.connect("setup", lambda _view, _cell, _reuse, _kind: Gtk.Label(xalign=0))
    view.connect("bind", lambda _view, label, slot: label.set_text(slot.get_item().format("text")))
    window = Gtk.ApplicationWindow(application=app, default_width=300, default_height=440)
    window.set_child(Gtk.ScrolledWindow(child=view))
    window.present()


app = Gtk.Application(flags=Gio.ApplicationFlags.NON_UNIQUE)
app.connect("activate", on_activate)
app.run()

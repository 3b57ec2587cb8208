#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A window with a list: show.py NAME [ADDRESS]"""
import sys
import gi
gi.require_version("ListdGtk4", "1.0")
from gi.repository import Gio, Gtk, Listd, ListdGtk4


def on_bind(_view, label, slot):
    label.set_text(slot.get_item().format("text"))


def on_activate(app):
    client = Listd.Client.new_for_address(sys.argv[2]) if sys.argv[2:] else Listd.Client.new(Gio.BusType.SYSTEM)
    view = ListdGtk4.FlowView.new(client, sys.argv[1])
    view.connect("setup", lambda _view, _cell, _reuse, _kind: Gtk.Label(xalign=0))
    view.connect("bind", on_bind)
    window = Gtk.ApplicationWindow(application=app, title=sys.argv[1], default_width=300, default_height=440)
    window.set_child(Gtk.ScrolledWindow(child=view))
    window.present()


app = Gtk.Application()
app.connect("activate", on_activate)
app.run()

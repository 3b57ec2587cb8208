// SPDX-License-Identifier: Apache-2.0
baseURLs = [["Gtk", "https://docs.gtk.org/gtk4/"], ["Gio", "https://docs.gtk.org/gio/"], ["GLib", "https://docs.gtk.org/glib/"],
    ["GObject", "https://docs.gtk.org/gobject/"], ["Listd", "https://listd.example/liblistd-glib/"]];

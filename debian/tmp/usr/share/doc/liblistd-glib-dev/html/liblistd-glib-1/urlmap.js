// SPDX-License-Identifier: Apache-2.0
baseURLs = [["Gio", "https://docs.gtk.org/gio/"], ["GLib", "https://docs.gtk.org/glib/"], ["GObject", "https://docs.gtk.org/gobject/"]];

// SPDX-License-Identifier: Apache-2.0
// A window with a list: gjs -m show.js NAME ADDRESS
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';
import Listd from 'gi://Listd?version=1.0';
import ListdGtk4 from 'gi://ListdGtk4?version=1.0';
Gtk.init();
const model = ListdGtk4.Selection.new(Listd.List.new(Listd.Client.new_for_address(ARGV[1]), ARGV[0]));
new Gtk.Window({child: new Gtk.ScrolledWindow({child: Gtk.ListView.new(model, ListdGtk4.text_factory_new('text'))})}).present();
new GLib.MainLoop(null, false).run();

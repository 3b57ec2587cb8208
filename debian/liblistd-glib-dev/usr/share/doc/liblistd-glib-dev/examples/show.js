// SPDX-License-Identifier: Apache-2.0
// Prints the first rows of a list, and prints them again when they change: gjs -m show.js NAME [ADDRESS]
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Listd from 'gi://Listd?version=1.0';

const [name, address] = ARGV;
const client = address ? Listd.Client.new_for_address(address) : Listd.Client.new(Gio.BusType.SYSTEM);
const list = Listd.List.new(client, name);
list.set_visible_range(0, 25);
list.connect('content-changed', (_list, first, n) => {
    for (let i = first; i < first + n; i++)
        print(i, list.get_item(i).get_id(), list.get_item(i).format('text'));
});
new GLib.MainLoop(null, false).run();

// SPDX-License-Identifier: Apache-2.0
// Prints the first rows of a list, and prints them again when they change: show NAME [ADDRESS]
int main (string[] args) {
    var client = args.length > 2 ? new Listd.Client.for_address (args[2]) : new Listd.Client (BusType.SYSTEM);
    var list = new Listd.List (client, args[1]);
    list.set_visible_range (0, 25);
    list.content_changed.connect ((first, n) => {
        for (var i = first; i < first + n; i++) {
            var item = (Listd.Item) list.get_item (i);
            print ("%u %s %s\n", i, item.get_id (), item.format ("text"));
        }
    });
    new MainLoop ().run ();
    return 0;
}

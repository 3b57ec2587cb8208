// SPDX-License-Identifier: Apache-2.0
// A window with a list: valac --pkg listd-gtk4-1 show.vala, then show NAME [ADDRESS]
int main (string[] args) {
    Gtk.init ();
    var client = args.length > 2 ? new Listd.Client.for_address (args[2]) : new Listd.Client (BusType.SYSTEM);
    var view = new Listd.FlowView (client, args[1]);
    view.setup.connect ((cell, reuse, kind) => { return new Gtk.Label (null) { xalign = 0 }; });
    view.bind.connect ((label, slot) => { ((Gtk.Label) label).label = slot.get_item ().format ("text"); });
    var scrolled = new Gtk.ScrolledWindow () { child = view };
    var window = new Gtk.Window () { child = scrolled, default_width = 300, default_height = 440 };
    window.present ();
    new MainLoop ().run ();
    return 0;
}

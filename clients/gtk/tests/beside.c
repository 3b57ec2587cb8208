// SPDX-License-Identifier: Apache-2.0
/* A GtkListView and a ListdFlowView that show the same list, for tests/beside.py: beside NAME [ADDRESS] */
#include <listd-gtk4.h>

static GtkWidget *
on_setup (ListdFlowView *view, ListdCell *cell, const char *reuse_identifier, const char *kind)
{
  return g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, NULL);
}

static void
on_bind (ListdFlowView *view, GtkWidget *label, ListdSlot *slot)
{
  gtk_label_set_text (GTK_LABEL (label), listd_item_get_string (listd_slot_get_item (slot), "text"));
}

static void
add (GtkWidget *box, GtkWidget *view)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL, G_OBJECT_TYPE_NAME (view), -1);
  gtk_box_append (GTK_BOX (box), g_object_new (GTK_TYPE_SCROLLED_WINDOW, "child", view, "hexpand", TRUE, NULL));
}

int
main (int argc, char **argv)
{
  g_autoptr (ListdClient) client = argc > 2 ? listd_client_new_for_address (argv[2]) : listd_client_new (G_BUS_TYPE_SYSTEM);
  GtkWidget *flow, *window, *box;
  ListdList *list;

  gtk_init ();
  box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  flow = listd_flow_view_new (client, argv[1]);
  list = listd_flow_view_get_list (LISTD_FLOW_VIEW (flow));
  g_signal_connect (flow, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (flow, "bind", G_CALLBACK (on_bind), NULL);
  add (box, gtk_list_view_new (listd_selection_new (list), listd_text_factory_new ("text")));
  add (box, flow);
  window = gtk_window_new ();
  gtk_window_set_default_size (GTK_WINDOW (window), 600, 440);
  gtk_window_set_child (GTK_WINDOW (window), box);
  gtk_window_present (GTK_WINDOW (window));
  g_main_loop_run (g_main_loop_new (NULL, FALSE));
}

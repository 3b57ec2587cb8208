// SPDX-License-Identifier: Apache-2.0
/* A window with a list: show NAME [ADDRESS] */
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

int
main (int argc, char **argv)
{
  g_autoptr (ListdClient) client = argc > 2 ? listd_client_new_for_address (argv[2]) : listd_client_new (G_BUS_TYPE_SYSTEM);
  GtkWidget *view, *scrolled, *window;

  gtk_init ();
  view = listd_flow_view_new (client, argv[1]);
  g_signal_connect (view, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (view, "bind", G_CALLBACK (on_bind), NULL);
  scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), view);
  window = gtk_window_new ();
  gtk_window_set_default_size (GTK_WINDOW (window), 300, 440);
  gtk_window_set_child (GTK_WINDOW (window), scrolled);
  gtk_window_present (GTK_WINDOW (window));
  g_main_loop_run (g_main_loop_new (NULL, FALSE));
}

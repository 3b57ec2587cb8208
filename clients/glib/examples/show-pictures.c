// SPDX-License-Identifier: Apache-2.0
/* Prints what a window of 300 x 440 shows of a list, as listd lays it out: show-pictures NAME [ADDRESS] */
#include <listd.h>

static void
on_picture (ListdView *view, gpointer data)
{
  GListModel *slots = listd_view_get_slots (view);

  for (guint i = 0; i < g_list_model_get_n_items (slots); i++)
    {
      g_autoptr (ListdSlot) slot = g_list_model_get_item (slots, i);
      g_print ("slot %u at %g,%g %gx%g: %s\n", listd_slot_get_number (slot), listd_slot_get_x (slot), listd_slot_get_y (slot),
               listd_slot_get_width (slot), listd_slot_get_height (slot), listd_item_get_string (listd_slot_get_item (slot), "text"));
    }
  g_print ("content %gx%g\n", listd_view_get_content_width (view), listd_view_get_content_height (view));
  listd_view_acknowledge (view);
}

int
main (int argc, char **argv)
{
  g_autoptr (ListdClient) client = argc > 2 ? listd_client_new_for_address (argv[2]) : listd_client_new (G_BUS_TYPE_SYSTEM);
  g_autoptr (ListdView) view = listd_view_new (client, argv[1], NULL);

  listd_view_set_viewport (view, 0, 0, 300, 440);
  g_signal_connect (view, "picture", G_CALLBACK (on_picture), NULL);
  g_main_loop_run (g_main_loop_new (NULL, FALSE));
}

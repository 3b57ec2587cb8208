// SPDX-License-Identifier: Apache-2.0
/* Prints the first rows of a list, and prints them again when they change: show NAME [ADDRESS] */
#include <listd.h>

static void
on_content (ListdList *list, guint first, guint n, gpointer field)
{
  for (guint i = first; i < first + n; i++)
    {
      g_autoptr (ListdItem) item = g_list_model_get_item (G_LIST_MODEL (list), i);
      g_autofree char *text = listd_item_format (item, field);
      g_print ("%u %s %s\n", i, listd_item_get_id (item), text);
    }
}

int
main (int argc, char **argv)
{
  g_autoptr (ListdClient) client = argc > 2 ? listd_client_new_for_address (argv[2]) : listd_client_new (G_BUS_TYPE_SYSTEM);
  g_autoptr (ListdList) list = listd_list_new (client, argv[1]);
  listd_list_set_visible_range (list, 0, 25);
  g_signal_connect (list, "content-changed", G_CALLBACK (on_content), "text");
  g_main_loop_run (g_main_loop_new (NULL, FALSE));
}

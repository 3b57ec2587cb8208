// SPDX-License-Identifier: Apache-2.0
/* Puts a row in front of a list: write NAME ID TEXT [ADDRESS] */
#include <listd.h>

static GMainLoop *loop;

static void
on_commit (GObject *transaction, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  guint64 revision = listd_transaction_commit_finish (LISTD_TRANSACTION (transaction), result, &error);

  if (error != NULL)
    g_printerr ("%s\n", error->message);
  else
    g_print ("revision %" G_GUINT64_FORMAT "\n", revision);
  g_main_loop_quit (loop);
}

static void
on_state (ListdList *list, GParamSpec *pspec, char **arguments)
{
  g_autoptr (ListdTransaction) transaction = NULL;

  if (listd_list_get_state (list) != LISTD_LIST_STATE_READY)
    return;
  g_signal_handlers_disconnect_by_data (list, arguments);
  transaction = listd_list_begin (list, 0);
  listd_transaction_upsert (transaction, arguments[2], NULL, LISTD_POSITION_FIRST, NULL,
                            g_variant_new_parsed ("{'text': <%s>}", arguments[3]));
  listd_transaction_commit_async (transaction, NULL, on_commit, NULL);
}

int
main (int argc, char **argv)
{
  g_autoptr (ListdClient) client = argc > 4 ? listd_client_new_for_address (argv[4]) : listd_client_new (G_BUS_TYPE_SYSTEM);
  g_autoptr (ListdList) list = listd_list_new (client, argv[1]);

  loop = g_main_loop_new (NULL, FALSE);
  g_signal_connect (list, "notify::state", G_CALLBACK (on_state), argv);
  g_main_loop_run (loop);
  g_main_loop_unref (loop);
  return 0;
}

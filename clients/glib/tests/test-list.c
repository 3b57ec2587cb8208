// SPDX-License-Identifier: Apache-2.0
/* The model and its calls, with a real listd. */
#include "stage.h"

#include <locale.h>
#include <signal.h>
#include <string.h>

static const char *
text_at (ListdList *list, guint position)
{
  g_autoptr (ListdItem) item = g_list_model_get_item (G_LIST_MODEL (list), position);
  return item != NULL ? g_intern_string (listd_item_get_string (item, "text")) : NULL;
}

static guint
n_items (gpointer list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (list));
}

static void
follows_accidents (gconstpointer data)
{
  Stage *stage = stage_new (GPOINTER_TO_INT (data));
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdList) list = listd_list_new (client, "accidents");
  g_autoptr (ListdItem) item = NULL;

  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_FAILED);
  g_assert_true (g_error_matches (listd_list_get_error (list), LISTD_ERROR, LISTD_ERROR_NO_SUCH_ADAPTER));
  stage_create (stage, "accidents", NULL);
  stage_fill (stage, "accidents", 100);
  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_READY && n_items (list) == 100);
  g_assert_null (listd_list_get_error (list));
  item = g_list_model_get_item (G_LIST_MODEL (list), 50);
  g_assert_false (listd_item_get_loaded (item));
  g_assert_null (listd_item_get_id (item));
  stage_wait (listd_item_get_loaded (item));
  g_assert_cmpstr (listd_item_get_string (item, "text"), ==, "text 50");
  g_assert_cmpint (listd_item_get_int (item, "size"), ==, 50);
  g_assert_cmpstr (listd_item_get_string (item, "size"), ==, "");

  stage_apply (stage, "accidents", "['o3']", "[('new', '', 'first', '', {'text': <'new'>}), ('newer', '', 'first', '', {'text': <'newer'>})]");
  stage_wait (n_items (list) == 101);
  g_assert_cmpuint (listd_list_get_position (list, item), ==, 51);

  stage_stop_listd (stage, SIGKILL);
  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_OFFLINE);
  g_assert_false (listd_client_get_available (client));
  g_assert_cmpuint (n_items (list), ==, 101);
  stage_start_listd (stage);
  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_READY);
  g_assert_cmpuint (listd_list_get_position (list, item), ==, 51);

  stage_restart_bus (stage);
  stage_apply (stage, "accidents", "['new']", NULL);
  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_READY && n_items (list) == 100);
  g_assert_cmpuint (listd_list_get_position (list, item), ==, 50);

  /* Another list of the name: another epoch, and the object of the same id stays. */
  {
    g_autofree char *epoch = g_strdup (listd_list_get_epoch (list));
    g_variant_unref (stage_call (stage, "/org/listd/Listd1", "Manager", "RemoveAdapter", g_variant_new ("(s)", "accidents")));
    stage_create (stage, "accidents", NULL);
    stage_fill (stage, "accidents", 60);
    stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_READY && n_items (list) == 60 && g_strcmp0 (listd_list_get_epoch (list), epoch) != 0);
  }
  stage_free (stage);
}

static void
on_callback (GObject *source, GAsyncResult *result, gpointer place)
{
  stage_keep (source, result, place);
}

static void
writes (void)
{
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (GAsyncResult) made = NULL;
  g_autoptr (ListdList) list = NULL;
  g_autoptr (GError) error = NULL;

  stage_wait (listd_client_get_available (client));
  listd_client_create_list_async (client, "written", NULL, NULL, on_callback, &made);
  stage_wait (made != NULL);
  g_assert_true (listd_client_create_list_finish (client, made, &error));
  list = listd_list_new (client, "written");
  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_READY);

  {
    g_autoptr (ListdTransaction) transaction = listd_list_begin (list, 0);
    g_autoptr (GAsyncResult) done = NULL;
    guint64 revision;

    listd_transaction_upsert (transaction, "a", NULL, LISTD_POSITION_LAST, NULL, g_variant_new_parsed ("{'text': <'A'>}"));
    listd_transaction_upsert (transaction, "gone", "type", LISTD_POSITION_LAST, NULL, g_variant_new_parsed ("{'text': <'?'>}"));
    listd_transaction_upsert (transaction, "b", NULL, LISTD_POSITION_BEFORE, "a", g_variant_new_parsed ("{'text': <'B'>}"));
    listd_transaction_remove (transaction, "gone");
    listd_transaction_commit_async (transaction, NULL, on_callback, &done);
    stage_wait (done != NULL);
    revision = listd_transaction_commit_finish (transaction, done, &error);
    g_assert_no_error (error);
    /* The model has it when the callback runs. */
    g_assert_cmpuint (listd_list_get_revision (list), ==, revision);
    g_assert_cmpuint (n_items (list), ==, 2);
  }
  {
    g_autoptr (ListdTransaction) transaction = listd_list_begin (list, 999);
    g_autoptr (GAsyncResult) done = NULL;

    listd_transaction_remove (transaction, "a");
    listd_transaction_commit_async (transaction, NULL, on_callback, &done);
    stage_wait (done != NULL);
    g_assert_cmpuint (listd_transaction_commit_finish (transaction, done, &error), ==, 0);
    g_assert_error (error, LISTD_ERROR, LISTD_ERROR_REVISION_CONFLICT);
    g_assert_null (strstr (error->message, "GDBus.Error"));
    g_clear_error (&error);
  }
  {
    g_autoptr (ListdTransaction) patch = listd_list_begin (list, 0);
    g_autoptr (ListdTransaction) move = listd_list_begin (list, 0);
    g_autoptr (ListdTransaction) both = listd_list_begin (list, 0);
    g_autoptr (GAsyncResult) patched = NULL;
    g_autoptr (GAsyncResult) moved = NULL;
    g_autoptr (GAsyncResult) refused = NULL;
    g_autoptr (ListdItem) item = g_list_model_get_item (G_LIST_MODEL (list), 0);
    const char *unset[] = { "nothing", NULL };

    stage_wait (listd_item_get_loaded (item));
    listd_transaction_patch (patch, "b", g_variant_new_parsed ("{'text': <'BB'>}"), unset);
    listd_transaction_commit_async (patch, NULL, on_callback, &patched);
    listd_transaction_move (move, "b", LISTD_POSITION_LAST, NULL);
    listd_transaction_commit_async (move, NULL, on_callback, &moved);
    listd_transaction_move (both, "b", LISTD_POSITION_LAST, NULL);
    listd_transaction_remove (both, "b");
    listd_transaction_commit_async (both, NULL, on_callback, &refused);
    stage_wait (patched != NULL && moved != NULL && refused != NULL);
    g_assert_cmpuint (listd_transaction_commit_finish (patch, patched, &error), >, 0);
    g_assert_cmpuint (listd_transaction_commit_finish (move, moved, &error), >, 0);
    g_assert_no_error (error);
    g_assert_cmpuint (listd_transaction_commit_finish (both, refused, &error), ==, 0);
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
    g_clear_error (&error);
    g_assert_cmpuint (listd_list_get_position (list, item), ==, 1);
    stage_wait (g_str_equal (listd_item_get_string (item, "text"), "BB"));
  }
  {
    g_autoptr (GAsyncResult) small = NULL;
    g_autoptr (GAsyncResult) large = NULL;
    GVariantBuilder objects;
    g_autofree char *long_text = g_strnfill (1024 * 1024, 'x');

    listd_list_replace_async (list, g_variant_new_parsed ("[('b', '', {'text': <'3'>}), ('c', '', {'text': <'4'>})]"),
                              listd_list_get_revision (list), NULL, on_callback, &small);
    stage_wait (small != NULL);
    g_assert_cmpuint (listd_list_replace_finish (list, small, &error), ==, listd_list_get_revision (list));
    g_assert_no_error (error);
    g_assert_cmpuint (n_items (list), ==, 2);
    g_variant_builder_init (&objects, G_VARIANT_TYPE ("a(ssa{sv})"));
    for (guint i = 0; i < 20; i++)
      {
        g_autofree char *id = g_strdup_printf ("\"large\" %u\n", i);
        g_variant_builder_add (&objects, "(ss@a{sv})", id, "", g_variant_new_parsed ("{'text': <%s>, 'n': <int64 7>, 'd': <2.0>}", long_text));
      }
    /* Too much for a message, so it goes as a file. */
    listd_list_replace_async (list, g_variant_builder_end (&objects), 0, NULL, on_callback, &large);
    stage_wait (large != NULL);
    g_assert_cmpuint (listd_list_replace_finish (list, large, &error), >, 0);
    g_assert_no_error (error);
    g_assert_cmpuint (n_items (list), ==, 20);
    {
      g_autoptr (ListdItem) item = g_list_model_get_item (G_LIST_MODEL (list), 3);
      stage_wait (listd_item_get_loaded (item));
      g_assert_cmpstr (listd_item_get_id (item), ==, "\"large\" 3\n");
      g_assert_true (g_variant_is_of_type (listd_item_get_value (item, "d"), G_VARIANT_TYPE_DOUBLE));
      g_assert_cmpint (listd_item_get_int (item, "n"), ==, 7);
    }
  }
  {
    g_autoptr (GAsyncResult) removed = NULL;
    listd_client_remove_list_async (client, "written", NULL, on_callback, &removed);
    stage_wait (removed != NULL);
    g_assert_true (listd_client_remove_list_finish (client, removed, &error));
    stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_FAILED && n_items (list) == 0);
  }
  stage_free (stage);
}

static void
finds (void)
{
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdList) list = NULL;
  g_autoptr (GAsyncResult) found = NULL;
  g_autoptr (GAsyncResult) absent = NULL;
  g_autoptr (GAsyncResult) searched = NULL;
  g_autoptr (GAsyncResult) nothing = NULL;
  g_autoptr (GError) error = NULL;

  stage_create (stage, "found", NULL);
  stage_fill (stage, "found", 1000);
  list = listd_list_new (client, "found");
  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_READY);
  listd_list_find_async (list, "o500", NULL, on_callback, &found);
  listd_list_find_async (list, "absent", NULL, on_callback, &absent);
  listd_list_search_async (list, "TEXT 77", 78, FALSE, NULL, on_callback, &searched);
  stage_wait (found != NULL && absent != NULL && searched != NULL);
  listd_list_search_async (list, "no such text", 0, FALSE, NULL, on_callback, &nothing);
  stage_wait (nothing != NULL);
  g_assert_cmpuint (listd_list_find_finish (list, found, &error), ==, 500);
  g_assert_no_error (error);
  g_assert_cmpuint (listd_list_search_finish (list, searched, &error), ==, 770);
  g_assert_cmpuint (listd_list_search_finish (list, nothing, &error), ==, G_MAXUINT);
  g_assert_no_error (error);
  g_assert_cmpuint (listd_list_find_finish (list, absent, &error), ==, G_MAXUINT);
  g_assert_error (error, LISTD_ERROR, LISTD_ERROR_NO_SUCH_OBJECT);
  g_clear_error (&error);

  /* The daemon goes while it is asked. */
  g_clear_object (&found);
  stage_signal (stage, SIGSTOP);
  listd_list_find_async (list, "o500", NULL, on_callback, &found);
  for (guint i = 0; i < 10; i++)
    g_main_context_iteration (NULL, FALSE);
  stage_stop_listd (stage, SIGKILL);
  stage_wait (found != NULL);
  g_assert_cmpuint (listd_list_find_finish (list, found, &error), ==, G_MAXUINT);
  g_assert_nonnull (error);
  stage_free (stage);
}

typedef struct
{
  guint invoked, near_end, displayed, ranges, ranged_items, selections;
  char *action;
} Heard;

static void
on_invoked (ListdList *list, const char *id, guint item, const char *action, GVariant *parameters, guint user, Heard *heard)
{
  heard->invoked++;
  g_free (heard->action);
  heard->action = g_strdup_printf ("%s %u %s", id, item, action);
}

static void
on_near_end (ListdList *list, const char *view, double distance, Heard *heard)
{
  heard->near_end++;
}

static void
on_display (ListdList *list, const char *view, GVariant *begun, GVariant *ended, GVariant *items_begun, GVariant *items_ended, Heard *heard)
{
  heard->displayed += g_variant_n_children (begun);
}

static void
on_range (ListdList *list, const char *view, GVariant *entered, GVariant *exited, GVariant *items_entered, GVariant *items_exited, Heard *heard)
{
  heard->ranges += g_variant_n_children (entered);
  heard->ranged_items += g_variant_n_children (items_entered);
}

static void
on_selection (ListdList *list, GVariant *selected, GVariant *deselected, Heard *heard)
{
  heard->selections++;
}

static void
hears_and_acts (gconstpointer data)
{
  Stage *stage = stage_new (GPOINTER_TO_INT (data));
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdList) list = NULL;
  g_autoptr (ListdItem) item = NULL;
  g_autoptr (GAsyncResult) acted = NULL;
  g_autoptr (GAsyncResult) selected = NULL;
  g_autoptr (GError) error = NULL;
  Heard heard = { 0 };
  const ListdRef refs[] = { { "o1", 0 }, { "o2", 0 } }, others[] = { { "o29", 0 }, { "o1", 0 } };

  stage_create (stage, "heard", "{'near-end-distance': <3.0>, 'working-range': <uint32 2>, 'hints': <{'size': 'bytes'}>}");
  stage_fill (stage, "heard", 30);
  list = listd_list_new (client, "heard");
  g_signal_connect (list, "invoked", G_CALLBACK (on_invoked), &heard);
  g_signal_connect (list, "near-end", G_CALLBACK (on_near_end), &heard);
  g_signal_connect (list, "display-changed", G_CALLBACK (on_display), &heard);
  g_signal_connect (list, "working-range-changed", G_CALLBACK (on_range), &heard);
  g_signal_connect (list, "selection-changed", G_CALLBACK (on_selection), &heard);
  listd_list_set_visible_range (list, 20, 10);
  stage_wait (heard.displayed == 10 && heard.near_end == 1 && heard.ranges == 12);
  g_assert_cmpuint (heard.ranged_items, ==, 0);
  {
    /* A view whose working range counts items names them. */
    g_autoptr (ListdView) view
        = listd_view_new (client, "heard", g_variant_new_parsed ("{'working-range-unit': <'items'>, 'lead': <uint32 3>, 'trail': <uint32 3>}"));

    listd_view_set_viewport (view, 0, 0, 300, 440);
    stage_wait (heard.ranged_items >= 13);
    listd_view_close (view);
  }
  stage_wait (listd_list_get_hints (list) != NULL && listd_list_get_anchor_id (list) != NULL);
  g_assert_cmpstr (listd_list_get_anchor_id (list), ==, "o20");

  item = g_list_model_get_item (G_LIST_MODEL (list), 20);
  g_assert_true (listd_item_get_loaded (item));
  listd_item_invoke_async (item, "open", g_variant_new_parsed ("{'how': <'well'>}"), NULL, on_callback, &acted);
  stage_wait (acted != NULL && heard.invoked == 1);
  g_assert_true (listd_item_invoke_finish (item, acted, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (heard.action, ==, "o20 0 open");

  {
    g_autoptr (ListdItem) chosen = g_list_model_get_item (G_LIST_MODEL (list), 1);
    g_autofree char *size = NULL;

    stage_wait (listd_item_get_loaded (chosen));
    g_assert_false (listd_item_get_selected (chosen));
    listd_list_change_selection_async (list, refs, 2, NULL, 0, NULL, on_callback, &selected);
    stage_wait (selected != NULL && heard.selections == 1 && listd_item_get_selected (chosen));
    g_assert_true (listd_list_change_selection_finish (list, selected, &error));
    size = listd_item_format (chosen, "size");
    g_assert_cmpstr (size, ==, "1 B");
    g_clear_object (&selected);
    listd_list_select_async (list, chosen, FALSE, NULL, on_callback, &selected);
    stage_wait (selected != NULL && !listd_item_get_selected (chosen));
    g_assert_true (listd_list_select_finish (list, selected, &error));
    g_assert_cmpuint (listd_list_get_n_selected (list), ==, 1);
    /* Also what nobody has loaded. */
    g_assert_true (listd_list_is_selected (list, "o2", 0));
    g_assert_false (listd_list_is_selected (list, "o2", 1));
    g_clear_object (&selected);
    listd_list_set_selection_async (list, others, 2, NULL, on_callback, &selected);
    stage_wait (selected != NULL && listd_list_is_selected (list, "o29", 0));
    g_assert_true (listd_list_set_selection_finish (list, selected, &error));
    g_assert_true (listd_list_is_selected (list, "o1", 0) && listd_item_get_selected (chosen));
    g_assert_false (listd_list_is_selected (list, "o2", 0));
    g_assert_cmpuint (listd_list_get_n_selected (list), ==, 2);
  }
  g_signal_handlers_disconnect_by_data (list, &heard);
  g_free (heard.action);
  stage_free (stage);
}

/* What is selected before the list is open is selected when it is, and who looks later is told what is. */
static void
selects_early (void)
{
  static const ListdRef first = { "o1", 0 }, second = { "o2", 0 }, third = { "o3", 0 };
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdList) list = NULL;
  g_autoptr (ListdList) later = NULL;
  g_autoptr (GAsyncResult) selected = NULL;
  g_autoptr (GAsyncResult) refused = NULL;
  g_autoptr (GError) error = NULL;
  Heard heard = { 0 };

  stage_create (stage, "early", NULL);
  stage_fill (stage, "early", 30);
  list = listd_list_new (client, "early");
  listd_list_change_selection_async (list, &first, 1, NULL, 0, NULL, NULL, NULL);
  listd_list_set_selection_async (list, &second, 1, NULL, NULL, NULL);
  listd_list_change_selection_async (list, &third, 1, NULL, 0, NULL, on_callback, &selected);
  stage_wait (selected != NULL && listd_list_get_n_selected (list) == 2);
  g_assert_true (listd_list_change_selection_finish (list, selected, &error));
  g_assert_true (listd_list_is_selected (list, "o2", 0) && listd_list_is_selected (list, "o3", 0));

  later = listd_list_new (client, "early");
  g_signal_connect (later, "selection-changed", G_CALLBACK (on_selection), &heard);
  g_assert_cmpuint (listd_list_get_n_selected (later), ==, 0);
  stage_wait (listd_list_get_n_selected (later) == 2);
  g_assert_cmpuint (heard.selections, ==, 1);
  g_signal_handlers_disconnect_by_data (later, &heard);

  /* The selection ends with the daemon, and stays until that is known. */
  stage_stop_listd (stage, SIGKILL);
  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_OFFLINE);
  g_assert_cmpuint (listd_list_get_n_selected (list), ==, 2);
  listd_list_set_selection_async (list, &first, 1, NULL, on_callback, &refused);
  stage_wait (refused != NULL);
  g_assert_false (listd_list_set_selection_finish (list, refused, &error));
  g_assert_error (error, LISTD_ERROR, LISTD_ERROR_OFFLINE);
  stage_start_listd (stage);
  stage_wait (listd_list_get_n_selected (list) == 0 && listd_list_get_n_selected (later) == 0);
  stage_free (stage);
}

/* A client that is connected already opens a list at once, but not before who made it has connected to its signals. */
static void
hears_late_handlers (void)
{
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdList) list = NULL;
  Heard heard = { 0 };

  stage_create (stage, "late", NULL);
  stage_fill (stage, "late", 30);
  stage_wait (listd_client_get_available (client));
  list = listd_list_new (client, "late");
  g_signal_connect (list, "display-changed", G_CALLBACK (on_display), &heard);
  listd_list_set_visible_range (list, 0, 10);
  stage_wait (heard.displayed == 10);
  g_signal_handlers_disconnect_by_data (list, &heard);
  stage_free (stage);
}

static void
filters (void)
{
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdFilter) filter = listd_filter_new ();
  g_autoptr (ListdList) list = NULL;
  g_autoptr (ListdItem) item = NULL;
  const char *fields[] = { "text", NULL };

  stage_create (stage, "base", NULL);
  stage_fill (stage, "base", 100);
  listd_filter_set_contains (filter, "7", fields);
  listd_filter_set_sort (filter, "size", TRUE);
  list = listd_list_new_filtered (client, "base", filter);
  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_READY && n_items (list) == 19);
  item = g_list_model_get_item (G_LIST_MODEL (list), 0);
  stage_wait (listd_item_get_loaded (item));
  g_assert_cmpstr (listd_item_get_id (item), ==, "o97");

  listd_filter_set_contains (filter, "97", fields);
  listd_list_set_filter (list, filter);
  stage_wait (n_items (list) == 1);
  g_assert_cmpuint (listd_list_get_position (list, item), ==, 0);
  listd_list_set_filter (list, NULL);
  stage_wait (n_items (list) == 100);
  g_assert_cmpuint (listd_list_get_position (list, item), ==, 97);
  stage_stop_listd (stage, SIGKILL);
  stage_start_listd (stage);
  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_READY && n_items (list) == 100);
  g_assert_cmpuint (listd_list_get_position (list, item), ==, 97);
  {
    g_autofree char *path = NULL;
    g_autofree char *name = g_strdup (listd_list_get_name (list));
    g_autoptr (GVariant) reply = NULL;
    g_clear_object (&item);
    g_clear_object (&list);
    do
      {
        g_clear_pointer (&reply, g_variant_unref);
        g_main_context_iteration (NULL, FALSE);
        reply = stage_call (stage, "/org/listd/Listd1", "Manager", "ListAdapters", NULL);
        g_free (path);
        path = g_variant_print (reply, FALSE);
      }
    while (strstr (path, name) != NULL);
  }
  stage_free (stage);
}

static gboolean
begins_with (ListdList *list, const char *id)
{
  g_autoptr (ListdItem) item = g_list_model_get_item (G_LIST_MODEL (list), 0);

  return item != NULL && g_strcmp0 (listd_item_get_id (item), id) == 0;
}

/* Somebody who types does not wait until the list of the first letter is open. */
static void
filters_while_it_opens (void)
{
  Stage *stage = stage_new (STAGE_DIRECT);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  const char *fields[] = { "text", NULL };

  stage_create (stage, "typed", NULL);
  stage_fill (stage, "typed", 100);
  stage_wait (listd_client_get_available (client));
  for (guint turns = 0; turns < 24; turns++)
    {
      g_autoptr (ListdFilter) filter = listd_filter_new ();
      g_autoptr (ListdList) list = NULL;

      listd_filter_set_contains (filter, "7", fields);
      list = listd_list_new_filtered (client, "typed", filter);
      for (guint i = 0; i < turns; i++)
        g_main_context_iteration (NULL, FALSE);
      listd_filter_set_contains (filter, "97", fields);
      listd_list_set_filter (list, filter);
      g_main_context_iteration (NULL, FALSE);
      listd_filter_set_contains (filter, "9", fields);
      listd_list_set_filter (list, filter);
      listd_list_set_visible_range (list, 0, 10);
      stage_wait (begins_with (list, "o9"));
      g_assert_cmpuint (n_items (list), ==, 19);
    }
  stage_free (stage);
}

static void
lists_names (void)
{
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (GAsyncResult) listed = NULL;
  g_autoptr (GListModel) model = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ListdInfo) info = NULL;

  stage_create (stage, "one", NULL);
  stage_fill (stage, "one", 5);
  listd_client_list_names_async (client, NULL, on_callback, &listed);
  stage_wait (listed != NULL);
  model = listd_client_list_names_finish (client, listed, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n_items (model), ==, 1);
  info = g_list_model_get_item (model, 0);
  g_assert_cmpstr (listd_info_get_name (info), ==, "one");
  g_assert_cmpstr (listd_info_get_state (info), ==, "ready");
  g_assert_cmpstr (listd_info_get_source (info), ==, "push");
  g_assert_cmpuint (listd_info_get_n_objects (info), ==, 5);
  stage_create (stage, "and", NULL);
  stage_wait (n_items (model) == 2);
  {
    g_autoptr (ListdInfo) second = g_list_model_get_item (model, 1);
    g_assert_true (second == info);
  }
  g_variant_unref (stage_call (stage, "/org/listd/Listd1", "Manager", "RemoveAdapter", g_variant_new ("(s)", "and")));
  stage_wait (n_items (model) == 1);
  stage_stop_listd (stage, SIGKILL);
  stage_wait (n_items (model) == 0);
  stage_start_listd (stage);
  stage_wait (n_items (model) == 1);
  stage_free (stage);
}

/* Whoever is told may drop everything. */
static void
drop_on_items (GListModel *model, guint a, guint b, guint c, ListdList **list)
{
  g_clear_object (list);
}

static void
drop_on_notify (GObject *object, GParamSpec *pspec, ListdList **list)
{
  g_clear_object (list);
}

static void
drop_on_changed (ListdItem *item, ListdList **list)
{
  g_clear_object (list);
}

static void
drop_on_content (ListdList *self, guint first, guint n, ListdList **list)
{
  g_clear_object (list);
}

static void
ends_in_every_callback (void)
{
  static const char *const signals[] = { "items-changed", "notify::state", "notify::revision", "notify::n-items", "notify::hints", "content-changed" };
  Stage *stage = stage_new (STAGE_DAEMON);
  ListdClient *client = listd_client_new_for_address (stage_address (stage));

  stage_create (stage, "ended", "{'hints': <{'size': 'bytes'}>}");
  stage_fill (stage, "ended", 50);
  stage_wait (listd_client_get_available (client));
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      ListdList *list = listd_list_new (client, "ended");
      gpointer watched = list;

      g_object_add_weak_pointer (G_OBJECT (list), &watched);
      listd_list_set_visible_range (list, 0, 10);
      g_signal_connect (list, signals[i],
                        i == 0   ? G_CALLBACK (drop_on_items)
                        : i == 5 ? G_CALLBACK (drop_on_content)
                                 : G_CALLBACK (drop_on_notify),
                        &list);
      stage_wait (watched == NULL);
    }
  {
    ListdList *list = listd_list_new (client, "ended");
    gpointer watched = list;
    g_autoptr (ListdItem) item = NULL;

    g_object_add_weak_pointer (G_OBJECT (list), &watched);
    stage_wait (n_items (list) == 50);
    item = g_list_model_get_item (G_LIST_MODEL (list), 7);
    g_signal_connect (item, "changed", G_CALLBACK (drop_on_changed), &list);
    stage_wait (watched == NULL);
    g_assert_cmpstr (listd_item_get_string (item, "text"), ==, "text 7");
  }
  {
    /* The client goes with its last list, in the middle of a signal. */
    ListdList *list = listd_list_new (client, "ended");
    gpointer watched = client;

    g_object_add_weak_pointer (G_OBJECT (client), &watched);
    g_object_unref (client);
    g_signal_connect (list, "items-changed", G_CALLBACK (drop_on_items), &list);
    stage_wait (watched == NULL);
  }
  stage_free (stage);
}

static guint depth = 0;

static void
nest (ListdList *list, guint position, guint removed, guint added, Stage *stage)
{
  g_assert_cmpuint (depth, ==, 0);
  depth++;
  /* More comes while this is told. */
  stage_apply (stage, "nested", NULL, "[('nested', '', 'first', '', {})]");
  for (guint i = 0; i < 50; i++)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (200);
    }
  depth--;
}

static void
nested_loops (void)
{
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdList) list = NULL;

  stage_create (stage, "nested", NULL);
  stage_fill (stage, "nested", 10);
  list = listd_list_new (client, "nested");
  g_signal_connect (list, "items-changed", G_CALLBACK (nest), stage);
  stage_wait (n_items (list) == 11 && listd_list_get_state (list) == LISTD_LIST_STATE_READY);
  stage_apply (stage, "nested", "['o5']", NULL);
  stage_wait (n_items (list) == 10);
  g_signal_handlers_disconnect_by_data (list, stage);
  g_assert_cmpstr (text_at (list, 3), !=, NULL);
  stage_free (stage);
}

static void
formats (void)
{
  static const struct
  {
    const char *field, *text;
  } expected[] = {
    { "bytes", "67 KiB" },      { "small", "999 B" },   { "few", "1.5 KiB" },  { "mode", "-rwsr-xr-x" }, { "folder", "drwxrwxrwt" },
    { "owner", "root" },        { "group", "root" },    { "part", "12.5 %" },  { "time", "2022-09-20 17:14" }, { "seconds", "2022-09-20 17:14" },
    { "took", "3 min 20 s" },   { "short", "350 ms" },  { "long", "3 d 4 h" }, { "text", "plain" },      { "flag", "yes" },
    { "number", "42" },         { "byte", "7" },        { "absent", "" },      { "wrong", "no number" },
  };
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdList) list = NULL;
  g_autoptr (ListdItem) item = NULL;

  stage_create (stage, "formats",
                "{'hints': <{'bytes': 'bytes', 'small': 'bytes', 'few': 'bytes', 'mode': 'permissions', 'folder': 'permissions', 'owner': 'uid', "
                "'group': 'gid', 'part': 'percent', 'time': 'time-us', 'seconds': 'time-s', 'took': 'duration-us', 'short': 'duration-us', "
                "'long': 'duration-us', 'wrong': 'bytes'}>}");
  stage_apply (stage, "formats", NULL,
               "[('f', '', 'first', '', {'bytes': <uint64 68608>, 'small': <int64 999>, 'few': <1536.0>, 'mode': <uint32 2541>, 'folder': <uint32 17407>, "
               "'owner': <uint32 0>, 'group': <uint32 0>, 'part': <12.5>, 'time': <int64 1663694040000000>, 'seconds': <int64 1663694040>, "
               "'took': <int64 200000000>, 'short': <int64 350000>, 'long': <int64 273600000000>, 'text': <'plain'>, 'flag': <true>, 'number': <42>, "
               "'byte': <byte 0x07>, 'wrong': <'no number'>})]");
  list = listd_list_new (client, "formats");
  stage_wait (n_items (list) == 1 && listd_list_get_hints (list) != NULL);
  item = g_list_model_get_item (G_LIST_MODEL (list), 0);
  stage_wait (listd_item_get_loaded (item));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autofree char *text = listd_item_format (item, expected[i].field);
      g_assert_cmpstr (text, ==, expected[i].text);
    }
  g_assert_cmpfloat (listd_item_get_double (item, "part"), ==, 12.5);
  g_assert_cmpint (listd_item_get_int (item, "part"), ==, 12);
  /* Bound properties. */
  {
    g_autoptr (GObject) target = G_OBJECT (listd_list_new (client, "absent"));
    GBinding *binding = g_object_bind_property (list, "overscan", target, "overscan", G_BINDING_SYNC_CREATE);
    listd_list_set_overscan (list, 12);
    g_assert_cmpuint (listd_list_get_overscan (LISTD_LIST (target)), ==, 12);
    g_assert_nonnull (binding);
  }
  stage_free (stage);
}

int
main (int argc, char **argv)
{
  g_setenv ("TZ", "UTC", TRUE);
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/list/dbus-daemon: accidents → the model follows, held objects stay", GINT_TO_POINTER (STAGE_DAEMON), follows_accidents);
  g_test_add_data_func ("/list/dbus-broker: accidents → the model follows, held objects stay", GINT_TO_POINTER (STAGE_BROKER), follows_accidents);
  g_test_add_data_func ("/list/direct socket: accidents → the model follows, held objects stay", GINT_TO_POINTER (STAGE_DIRECT),
                        follows_accidents);
  g_test_add_func ("/list/transactions and whole lists → the model has them in the callback", writes);
  g_test_add_func ("/list/an id or a text → its position in the model of that moment", finds);
  g_test_add_data_func ("/list/bus: events, actions and selection → told and done", GINT_TO_POINTER (STAGE_DAEMON), hears_and_acts);
  g_test_add_data_func ("/list/direct socket: events, actions and selection → told and done", GINT_TO_POINTER (STAGE_DIRECT), hears_and_acts);
  g_test_add_func ("/list/a handler that is connected after the list is made → it is told", hears_late_handlers);
  g_test_add_func ("/list/a filter that changes → what stays keeps its object", filters);
  g_test_add_func ("/list/a filter that changes while the list opens → the last one", filters_while_it_opens);
  g_test_add_func ("/list/a selection before the list is open → made when it is, and told to who looks later", selects_early);
  g_test_add_func ("/list/the names of all lists → a model that follows", lists_names);
  g_test_add_func ("/list/the last reference goes in a handler → everything ends", ends_in_every_callback);
  g_test_add_func ("/list/a handler runs the main loop → no signal inside of another", nested_loops);
  g_test_add_func ("/list/hints → texts as listctl shows them", formats);
  return g_test_run ();
}

// SPDX-License-Identifier: Apache-2.0
/* Pictures: what the signals of a view build up is what listd says the whole picture is. */
#include "stage.h"

#include <signal.h>

typedef struct
{
  GHashTable *slots; /* number -> ListdSlot */
  guint pictures;
  ListdView *view;
} Screen;

static void
on_shown (ListdView *view, ListdSlot *slot, Screen *screen)
{
  gpointer number = GUINT_TO_POINTER (listd_slot_get_number (slot));

  g_assert_false (g_hash_table_contains (screen->slots, number));
  g_assert_true (listd_item_get_loaded (listd_slot_get_item (slot)));
  g_hash_table_insert (screen->slots, number, g_object_ref (slot));
}

static void
on_released (ListdView *view, ListdSlot *slot, Screen *screen)
{
  g_assert_true (g_hash_table_remove (screen->slots, GUINT_TO_POINTER (listd_slot_get_number (slot))));
}

static void
on_placed (ListdView *view, ListdSlot *slot, Screen *screen)
{
  g_assert_true (g_hash_table_lookup (screen->slots, GUINT_TO_POINTER (listd_slot_get_number (slot))) == slot);
}

static void
on_picture (ListdView *view, Screen *screen)
{
  screen->pictures++;
  listd_view_acknowledge (view);
}

static void
screen_init (Screen *screen, ListdView *view)
{
  *screen = (Screen){ g_hash_table_new_full (NULL, NULL, NULL, g_object_unref), 0, view };
  g_signal_connect (view, "slot-shown", G_CALLBACK (on_shown), screen);
  g_signal_connect (view, "slot-released", G_CALLBACK (on_released), screen);
  g_signal_connect (view, "slot-placed", G_CALLBACK (on_placed), screen);
  g_signal_connect (view, "slot-bound", G_CALLBACK (on_placed), screen);
  g_signal_connect (view, "picture", G_CALLBACK (on_picture), screen);
}

static void
screen_clear (Screen *screen)
{
  g_signal_handlers_disconnect_by_data (screen->view, screen);
  g_hash_table_unref (screen->slots);
}

/* Without gaps from the top: row `i` of the screen is object `i` of the list. */
static gboolean
shows (Screen *screen, const char *const *ids, guint n)
{
  GHashTableIter iter;
  gpointer slot;

  if (g_hash_table_size (screen->slots) != n || g_list_model_get_n_items (listd_view_get_slots (screen->view)) != n)
    return FALSE;
  g_hash_table_iter_init (&iter, screen->slots);
  while (g_hash_table_iter_next (&iter, NULL, &slot))
    {
      guint section = listd_slot_get_section (slot);
      if (section >= n || !g_str_equal (ids[section], listd_item_get_id (listd_slot_get_item (slot))) || listd_slot_get_y (slot) != section * 44.0
          || listd_slot_get_width (slot) != 300)
        return FALSE;
    }
  return TRUE;
}

static void
follows (void)
{
  static const char *const first[] = { "o0", "o1", "o2" }, *const second[] = { "o2", "x", "o1" };
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdView) view = listd_view_new (client, "pictures", NULL);
  Screen screen;

  screen_init (&screen, view);
  listd_view_set_viewport (view, 0, 0, 300, 1000);
  stage_create (stage, "pictures", NULL);
  stage_fill (stage, "pictures", 3);
  stage_wait (shows (&screen, first, 3));
  g_assert_cmpfloat (listd_view_get_content_height (view), ==, 132);
  stage_apply (stage, "pictures", "['o0']", "[('x', '', 'after', 'o2', {'text': <'x'>}), ('o1', '', 'last', '', {'text': <'other'>})]");
  stage_wait (shows (&screen, second, 3));

  stage_stop_listd (stage, SIGKILL);
  stage_wait (listd_view_get_state (view) == LISTD_VIEW_STATE_OFFLINE);
  g_assert_cmpuint (g_hash_table_size (screen.slots), ==, 3);
  stage_start_listd (stage);
  stage_wait (listd_view_get_state (view) == LISTD_VIEW_STATE_ACTIVE && shows (&screen, second, 3));

  g_variant_unref (stage_call (stage, "/org/listd/Listd1", "Manager", "RemoveAdapter", g_variant_new ("(s)", "pictures")));
  stage_wait (listd_view_get_state (view) == LISTD_VIEW_STATE_FAILED && g_hash_table_size (screen.slots) == 0);
  g_assert_true (g_error_matches (listd_view_get_error (view), LISTD_ERROR, LISTD_ERROR_NO_SUCH_ADAPTER));
  stage_create (stage, "pictures", NULL);
  stage_fill (stage, "pictures", 3);
  stage_wait (shows (&screen, first, 3));
  listd_view_close (view);
  g_assert_cmpint (listd_view_get_state (view), ==, LISTD_VIEW_STATE_CLOSED);
  screen_clear (&screen);
  stage_free (stage);
}

static void
moves_and_scrolls (void)
{
  Stage *stage = stage_new (STAGE_DIRECT);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdView) view = NULL;
  g_autoptr (GAsyncResult) scrolled = NULL;
  g_autoptr (GAsyncResult) moved = NULL;
  g_autoptr (GAsyncResult) early = NULL;
  g_autoptr (GError) error = NULL;
  guint64 revision = 0;
  Screen screen;

  stage_create (stage, "moves", NULL);
  stage_fill (stage, "moves", 1000);
  view = listd_view_new (client, "moves", g_variant_new_parsed ("{'window': <uint32 4>, 'buffer': <0.0>}"));
  screen_init (&screen, view);
  listd_view_scroll_to_async (view, "o1", 0, LISTD_SCROLL_POSITION_START, NULL, stage_keep, &early);
  stage_wait (early != NULL);
  g_assert_false (listd_view_scroll_to_finish (view, early, &error));
  g_assert_error (error, LISTD_ERROR, LISTD_ERROR_OFFLINE);
  g_clear_error (&error);

  listd_view_set_viewport (view, 0, 0, 300, 440);
  stage_wait (g_hash_table_size (screen.slots) == 10);
  listd_view_scroll_to_async (view, "o500", 0, LISTD_SCROLL_POSITION_START, NULL, stage_keep, &scrolled);
  stage_wait (scrolled != NULL);
  g_assert_true (listd_view_scroll_to_finish (view, scrolled, &error));
  g_assert_cmpfloat (listd_view_get_offset_y (view), ==, 22000);
  listd_view_move_item_async (view, 500, 0, 501, 0, NULL, stage_keep, &moved);
  stage_wait (moved != NULL);
  g_assert_true (listd_view_move_item_finish (view, moved, &revision, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (revision, >, 0);

  /* Measured sizes. */
  {
    g_autoptr (ListdSlot) slot = g_list_model_get_item (listd_view_get_slots (view), 0);
    double before = listd_view_get_content_height (view);
    listd_view_report_size (view, slot, 300, 144);
    stage_wait (listd_view_get_content_height (view) == before + 100);
  }
  /* Far more pictures than credit: each is acknowledged, so none stays away. */
  for (guint i = 0; i < 40; i++)
    {
      guint pictures = screen.pictures;
      listd_view_set_viewport (view, 0, i * 1000, 300 + i, 440);
      stage_wait (screen.pictures > pictures);
    }
  screen_clear (&screen);
  stage_free (stage);
}

static guint
first_visible (ListdView *view, double *distance)
{
  GListModel *slots = listd_view_get_slots (view);
  guint first = G_MAXUINT;

  for (guint i = 0; i < g_list_model_get_n_items (slots); i++)
    {
      g_autoptr (ListdSlot) slot = g_list_model_get_item (slots, i);

      if (listd_slot_get_y (slot) + listd_slot_get_height (slot) > listd_view_get_offset_y (view) && listd_slot_get_section (slot) < first)
        {
          first = listd_slot_get_section (slot);
          *distance = listd_view_get_offset_y (view) - listd_slot_get_y (slot);
        }
    }
  return first;
}

static void
returns (void)
{
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdView) view = NULL;
  double distance = 0, offset;
  Screen screen;

  stage_create (stage, "place", NULL);
  stage_fill (stage, "place", 1000);
  view = listd_view_new (client, "place", g_variant_new_parsed ("{'buffer': <0.0>}"));
  screen_init (&screen, view);
  listd_view_set_viewport (view, 0, 0, 300, 440);
  stage_wait (g_hash_table_size (screen.slots) == 10);
  {
    /* What is measured ends with the daemon. */
    g_autoptr (ListdSlot) slot = g_list_model_get_item (listd_view_get_slots (view), 0);
    listd_view_report_size (view, slot, 300, 1044);
    stage_wait (listd_view_get_content_height (view) == 45000);
  }
  listd_view_set_viewport (view, 0, 23012, 300, 440);
  stage_wait (first_visible (view, &distance) == 500 && distance == 12);

  stage_stop_listd (stage, SIGKILL);
  stage_wait (listd_view_get_state (view) == LISTD_VIEW_STATE_OFFLINE);
  stage_start_listd (stage);
  stage_apply (stage, "place", "['o1', 'o2', 'o3']", NULL);
  stage_wait (listd_view_get_state (view) == LISTD_VIEW_STATE_ACTIVE && g_hash_table_size (screen.slots) > 0
              && listd_view_get_revision (view) > 1 && first_visible (view, &distance) == 497 && distance == 12);
  g_assert_cmpfloat (listd_view_get_content_height (view), ==, 44 * 997);
  g_assert_cmpfloat (listd_view_get_offset_y (view), ==, 44 * 497 + 12);

  /* The object went meanwhile: it stays about there. */
  stage_stop_listd (stage, SIGKILL);
  stage_wait (listd_view_get_state (view) == LISTD_VIEW_STATE_OFFLINE);
  offset = listd_view_get_offset_y (view);
  stage_start_listd (stage);
  g_assert_cmpuint (g_list_model_get_n_items (listd_view_get_slots (view)), >, 0);
  stage_apply (stage, "place", "['o500']", NULL);
  stage_wait (listd_view_get_state (view) == LISTD_VIEW_STATE_ACTIVE && listd_view_get_content_height (view) == 44 * 996);
  g_assert_cmpfloat (ABS (listd_view_get_offset_y (view) - offset), <=, 44);

  /* Where the program goes meanwhile wins. */
  stage_stop_listd (stage, SIGKILL);
  stage_wait (listd_view_get_state (view) == LISTD_VIEW_STATE_OFFLINE);
  listd_view_set_viewport (view, 0, 4400, 300, 440);
  stage_start_listd (stage);
  stage_wait (listd_view_get_state (view) == LISTD_VIEW_STATE_ACTIVE && listd_view_get_offset_y (view) == 4400);
  screen_clear (&screen);
  stage_free (stage);
}

/* The items of a view read as those of a list, as soon as the hints are known, and when they are others. */
static void
obeys_hints (void)
{
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdView) view = NULL;
  g_autoptr (ListdSlot) slot = NULL;
  g_autofree char *size = NULL;

  stage_create (stage, "hints", "{'hints': <{'size': 'bytes'}>}");
  stage_apply (stage, "hints", NULL, "[('a', '', 'last', '', {'size': <2000000>})]");
  view = listd_view_new (client, "hints", NULL);
  listd_view_set_viewport (view, 0, 0, 300, 440);
  stage_wait (g_list_model_get_n_items (listd_view_get_slots (view)) == 1 && listd_view_get_hints (view) != NULL);
  slot = g_list_model_get_item (listd_view_get_slots (view), 0);
  size = listd_item_format (listd_slot_get_item (slot), "size");
  g_assert_cmpstr (size, ==, "1.9 MiB");
  stage_free (stage);
}

/* What is drawn beyond the viewport before anybody scrolls there. */
static void
prefetches (void)
{
  Stage *stage = stage_new (STAGE_DIRECT);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdView) view = NULL;

  stage_create (stage, "ahead", NULL);
  stage_fill (stage, "ahead", 100);
  view = listd_view_new (client, "ahead", g_variant_new_parsed ("{'prefetch': <88.0>}"));
  listd_view_set_viewport (view, 0, 0, 300, 440);
  stage_wait (g_list_model_get_n_items (listd_view_get_slots (view)) == 12);
  listd_view_set_viewport (view, 0, 440, 300, 440);
  stage_wait (g_list_model_get_n_items (listd_view_get_slots (view)) == 14);
  stage_free (stage);
}

typedef struct
{
  double y; /* of the program's own viewport, by what the pictures say */
  ListdSlotCause inserted, deleted;
  gboolean animated;
} Told;

static void
on_told_shown (ListdView *view, ListdSlot *slot, Told *told)
{
  if (g_str_equal (listd_item_get_id (listd_slot_get_item (slot)), "new"))
    told->inserted = listd_slot_get_cause (slot);
}

static void
on_told_released (ListdView *view, ListdSlot *slot, Told *told)
{
  if (g_str_equal (listd_item_get_id (listd_slot_get_item (slot)), "o52"))
    told->deleted = listd_slot_get_cause (slot);
}

static void
on_told_picture (ListdView *view, Told *told)
{
  told->y += listd_view_get_shift_y (view);
  told->animated = listd_view_get_animated (view);
  listd_view_acknowledge (view);
}

/* A program that keeps its own position is where listd is, and hears why slots come and go. */
static void
tells_causes (void)
{
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdView) view = NULL;
  g_autoptr (GAsyncResult) scrolled = NULL;
  Told told = { 2200, LISTD_SLOT_CAUSE_SCROLLED, LISTD_SLOT_CAUSE_SCROLLED, FALSE };

  stage_create (stage, "causes", NULL);
  stage_fill (stage, "causes", 1000);
  view = listd_view_new (client, "causes", NULL);
  g_signal_connect (view, "slot-shown", G_CALLBACK (on_told_shown), &told);
  g_signal_connect (view, "slot-released", G_CALLBACK (on_told_released), &told);
  g_signal_connect (view, "picture", G_CALLBACK (on_told_picture), &told);
  listd_view_set_viewport (view, 0, 2200, 300, 440);
  stage_wait (g_list_model_get_n_items (listd_view_get_slots (view)) >= 10 && listd_view_get_offset_y (view) == 2200);
  g_assert_cmpfloat (told.y, ==, 2200);
  g_assert_false (told.animated);

  stage_apply (stage, "causes", "['o52']", "[('new', '', 'after', 'o53', {'text': <'new'>}), ('far', '', 'first', '', {'text': <'far'>})]");
  stage_wait (told.inserted != LISTD_SLOT_CAUSE_SCROLLED);
  g_assert_cmpint (told.inserted, ==, LISTD_SLOT_CAUSE_INSERTED);
  g_assert_cmpint (told.deleted, ==, LISTD_SLOT_CAUSE_DELETED);
  g_assert_true (told.animated);
  g_assert_cmpfloat (told.y, ==, 2244);
  g_assert_cmpfloat (listd_view_get_offset_y (view), ==, 2244);

  listd_view_scroll_to_async (view, "o500", 0, LISTD_SCROLL_POSITION_START, NULL, stage_keep, &scrolled);
  stage_wait (scrolled != NULL);
  g_assert_cmpfloat (told.y, ==, 501 * 44);
  g_assert_cmpfloat (listd_view_get_offset_y (view), ==, told.y);
  g_assert_false (told.animated);
  g_signal_handlers_disconnect_by_data (view, &told);
  stage_free (stage);
}

static void
drop_on_slot (ListdView *self, ListdSlot *slot, ListdView **view)
{
  g_clear_object (view);
}

static void
drop_on_picture (ListdView *self, ListdView **view)
{
  g_clear_object (view);
}

static void
drop_on_notify (GObject *object, GParamSpec *pspec, ListdView **view)
{
  g_clear_object (view);
}

/* Whoever is told may drop the view. */
static void
ends_in_every_callback (void)
{
  static const struct
  {
    const char *signal;
    GCallback handler;
  } signals[] = {
    { "slot-shown", G_CALLBACK (drop_on_slot) },           { "slot-placed", G_CALLBACK (drop_on_slot) },
    { "slot-bound", G_CALLBACK (drop_on_slot) },           { "slot-released", G_CALLBACK (drop_on_slot) },
    { "picture", G_CALLBACK (drop_on_picture) },           { "notify::state", G_CALLBACK (drop_on_notify) },
    { "notify::offset-y", G_CALLBACK (drop_on_notify) },   { "notify::content-height", G_CALLBACK (drop_on_notify) },
    { "notify::revision", G_CALLBACK (drop_on_notify) },   { "notify::hints", G_CALLBACK (drop_on_notify) },
  };
  Stage *stage = stage_new (STAGE_DIRECT);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));

  stage_create (stage, "ended", "{'hints': <{'size': 'bytes'}>}");
  stage_fill (stage, "ended", 50);
  stage_wait (listd_client_get_available (client));
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      ListdView *view = listd_view_new (client, "ended", g_variant_new_parsed ("{'buffer': <0.0>}"));
      gpointer watched = view;
      g_autofree char *upserts = g_strdup_printf ("[('o1', '', 'keep', '', {'text': <'%u'>}), ('n%u', '', 'first', '', {})]", i, i);

      g_object_add_weak_pointer (G_OBJECT (view), &watched);
      g_signal_connect (view, signals[i].signal, signals[i].handler, &view);
      listd_view_set_viewport (view, 0, 0, 300, 440);
      if (view != NULL && !g_str_equal (signals[i].signal, "notify::state"))
        {
          stage_wait (view == NULL || g_list_model_get_n_items (listd_view_get_slots (view)) > 0);
          /* What is left needs a change, or another place. */
          stage_apply (stage, "ended", NULL, upserts);
          if (view != NULL)
            listd_view_set_viewport (view, 0, 880, 300, 440);
        }
      stage_wait (watched == NULL);
    }
  {
    /* By the program's own call. */
    ListdView *view = listd_view_new (client, "ended", NULL), *own = g_object_ref (view);

    stage_wait (listd_view_get_state (view) == LISTD_VIEW_STATE_ACTIVE);
    g_signal_connect (view, "notify::state", G_CALLBACK (drop_on_notify), &own);
    listd_view_close (view);
    g_assert_null (own);
    g_assert_finalize_object (view);
  }
  stage_free (stage);
}

typedef struct
{
  Stage *stage;
  ListdView *view;
  guint opened; /* how often since then */
} Restart;

static void
count_openings (ListdView *view, GParamSpec *pspec, Restart *restart)
{
  restart->opened += listd_view_get_state (view) == LISTD_VIEW_STATE_OPENING;
}

/* listd is restarted, and the view is open again, while this list is still told of what was before. */
static void
restart (GListModel *list, guint position, guint removed, guint added, Restart *restart)
{
  stage_stop_listd (restart->stage, SIGKILL);
  stage_wait (listd_view_get_state (restart->view) == LISTD_VIEW_STATE_OFFLINE);
  stage_start_listd (restart->stage);
  stage_wait (listd_view_get_state (restart->view) == LISTD_VIEW_STATE_ACTIVE);
}

static void
stays_open (gconstpointer data)
{
  static const char *const ids[] = { "last", "late", "o0", "o1", "o2" };
  Stage *stage = stage_new (GPOINTER_TO_INT (data));
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdList) list = NULL;
  g_autoptr (ListdView) view = NULL;
  Restart data_of_handler;
  Screen screen;
  gulong handler;

  stage_create (stage, "late", NULL);
  stage_fill (stage, "late", 3);
  /* The numbers of views begin again with each daemon: the first was the list's, and is the other one's then. */
  list = listd_list_new (client, "late");
  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_READY);
  view = listd_view_new (client, "late", NULL);
  screen_init (&screen, view);
  listd_view_set_viewport (view, 0, 0, 300, 440);
  stage_wait (g_hash_table_size (screen.slots) == 3);
  data_of_handler = (Restart){ stage, view, 0 };
  g_signal_connect (view, "notify::state", G_CALLBACK (count_openings), &data_of_handler);
  handler = g_signal_connect (list, "items-changed", G_CALLBACK (restart), &data_of_handler);
  stage_apply (stage, "late", NULL, "[('late', '', 'first', '', {})]");
  stage_wait (g_list_model_get_n_items (G_LIST_MODEL (list)) == 4);
  g_signal_handler_disconnect (list, handler);
  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_READY);
  stage_apply (stage, "late", NULL, "[('last', '', 'first', '', {})]");
  stage_wait (g_list_model_get_n_items (G_LIST_MODEL (list)) == 5 && shows (&screen, ids, 5));
  g_assert_cmpuint (data_of_handler.opened, ==, 1);
  g_signal_handlers_disconnect_by_data (view, &data_of_handler);
  screen_clear (&screen);
  stage_free (stage);
}

/* The view and listd's own whole picture, while the list, the viewport and its width change. */
static void
random_pictures (void)
{
  Stage *stage = stage_new (STAGE_DAEMON);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdView) view = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint next = 300;
  Screen screen;

  stage_create (stage, "shuffle", NULL);
  stage_fill (stage, "shuffle", 300);
  view = listd_view_new (client, "shuffle", g_variant_new_parsed ("{'window': <uint32 3>}"));
  screen_init (&screen, view);
  for (guint i = 0; i < 200; i++)
    {
      g_autofree char *upserts = g_strdup_printf ("[('o%u', '', '%s', '', {'text': <'%u'>, 'height': <%u.0>})]",
                                                  g_rand_boolean (rand) ? next++ : (guint) g_rand_int_range (rand, 0, next),
                                                  g_rand_boolean (rand) ? "first" : "keep", i, g_rand_int_range (rand, 10, 90));
      guint64 revision = stage_apply (stage, "shuffle", NULL, upserts);

      if (i % 2 == 0)
        listd_view_set_viewport (view, 0, g_rand_int_range (rand, 0, 12000), g_rand_int_range (rand, 100, 900), 600);
      if (i == 120)
        {
          stage_stop_listd (stage, SIGKILL);
          stage_start_listd (stage);
        }
      if (i % 10 == 9)
        {
          /* Rows lie under each other, and cover the viewport. */
          g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (double));
          GHashTableIter iter;
          gpointer slot;
          double sum = 0, top = G_MAXDOUBLE, bottom = 0;

          listd_view_set_viewport (view, 0, 1000, 300 + i, 600);
          stage_wait (listd_view_get_state (view) == LISTD_VIEW_STATE_ACTIVE && listd_view_get_revision (view) >= revision
                      && g_hash_table_size (screen.slots) > 0 && listd_view_get_content_width (view) == 300 + i);
          g_hash_table_iter_init (&iter, screen.slots);
          while (g_hash_table_iter_next (&iter, NULL, &slot))
            {
              sum += listd_slot_get_height (slot);
              top = MIN (top, listd_slot_get_y (slot));
              bottom = MAX (bottom, listd_slot_get_y (slot) + listd_slot_get_height (slot));
              g_assert_cmpfloat (listd_slot_get_width (slot), ==, 300 + i);
            }
          g_assert_cmpfloat (sum, ==, bottom - top);
          g_assert_cmpfloat (top, <=, listd_view_get_offset_y (view));
          g_assert_cmpfloat (bottom, >=, listd_view_get_offset_y (view) + 600);
        }
    }
  screen_clear (&screen);
  stage_free (stage);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/view/changes, a kill and a new list → the slots are those of the list", follows);
  g_test_add_func ("/view/scrolling, moving and measuring → the picture follows", moves_and_scrolls);
  g_test_add_func ("/view/a kill after sizes were measured → the same item at the same place", returns);
  g_test_add_func ("/view/hints of the list → items of slots read as those of the list", obeys_hints);
  g_test_add_func ("/view/prefetch → slots beyond the viewport on both sides", prefetches);
  g_test_add_func ("/view/changes, and a jump → why slots come and go, and how far listd moved the viewport", tells_causes);
  g_test_add_func ("/view/the last reference goes in a handler → everything ends", ends_in_every_callback);
  g_test_add_data_func ("/view/bus: a list that hears late of a restart → the view that is open again stays", GINT_TO_POINTER (STAGE_DAEMON), stays_open);
  g_test_add_data_func ("/view/direct socket: a list that hears late of a restart → the view that is open again stays",
                        GINT_TO_POINTER (STAGE_DIRECT), stays_open);
  g_test_add_func ("/view/random changes, viewports and widths → rows without gaps", random_pictures);
  return g_test_run ();
}

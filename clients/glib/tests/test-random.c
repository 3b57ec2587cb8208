// SPDX-License-Identifier: Apache-2.0
/* A client among random accidents: whatever happens, the model is the list, held objects stay, and a view shows it without gaps.
 *
 *   test-random --seeds 200 --steps 500 [--first SEED] [--kind daemon|broker|direct] */
#include "stage.h"

#include <signal.h>
#include <stdlib.h>

typedef struct
{
  char *id;
  guint section, item;
  char *text;
} Row;

typedef struct
{
  Stage *stage;
  GRand *rand;
  guint seed, step;
  gboolean many; /* several items a section */
  char *path;
  guint next_id;
  GPtrArray *ids;         /* of the objects that are in the list, in any order */
  GHashTable *history;    /* "EPOCH REVISION" -> GPtrArray of Row */
  guint64 written;        /* the newest revision */
  char *epoch;            /* of the list */
  gboolean exists;
  ListdClient *client;
  ListdList *list;
  GPtrArray *held;        /* of ListdItem, referenced */
  GHashTable *places;     /* ListdItem -> position: where the signals say that it is */
  guint n;                /* what the signals say */
  gboolean telling;
  gboolean nested;
  guint signals;
  ListdView *view;
  GHashTable *slots; /* number -> ListdSlot, referenced: what the signals of the view say */
  double width, height; /* of its viewport */
} Client;

static char *kind_name = NULL;
static int n_seeds = 10, n_steps = 100, first_seed = 0;
static guint64 compared = 0, kills = 0, recreations = 0, bus_restarts = 0;

#define CHANCE(client, n) (g_rand_int_range ((client)->rand, 0, (n)) == 0)
#define FAIL(client, ...)                                                                                                                          \
  G_STMT_START                                                                                                                                     \
  {                                                                                                                                                \
    g_autofree char *message = g_strdup_printf (__VA_ARGS__);                                                                                          \
    g_error ("seed %u, step %u: %s", (client)->seed, (client)->step, message);                                                                        \
  }                                                                                                                                                \
  G_STMT_END

static void
row_free (gpointer data)
{
  Row *row = data;
  g_free (row->id);
  g_free (row->text);
  g_free (row);
}

static char *
history_key (const char *epoch, guint64 revision)
{
  return g_strdup_printf ("%s %" G_GUINT64_FORMAT, epoch, revision);
}

/* Asks listd what the list is, and remembers it. */
static void
remember (Client *self)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);
  g_autoptr (GVariant) state = stage_call (self->stage, self->path, "org.freedesktop.DBus.Properties", "Get",
                                           g_variant_new ("(ss)", "org.listd.Listd1.Adapter", "Epoch"));
  g_autoptr (GVariant) value = NULL;
  guint64 revision = 0;
  guint next = 0;

  g_variant_get (state, "(v)", &value);
  g_free (self->epoch);
  self->epoch = g_variant_dup_string (value, NULL);
  for (;;)
    {
      g_autoptr (GVariant) reply
          = stage_call (self->stage, self->path, "Adapter", "GetItems", g_variant_new ("(uuas)", next, G_MAXUINT32, NULL));
      g_autoptr (GVariant) items = NULL;
      GVariantIter iter;
      guint section, item, after;
      const char *id;
      GVariant *content;

      g_variant_get (reply, "(tu@a(ususa{sv}))", &revision, &after, &items);
      g_variant_iter_init (&iter, items);
      while (g_variant_iter_next (&iter, "(u&sus@a{sv})", &section, &id, &item, NULL, &content))
        {
          Row *row = g_new (Row, 1);
          *row = (Row){ g_strdup (id), section, item, NULL };
          if (!g_variant_lookup (content, "text", "s", &row->text))
            row->text = g_strdup ("");
          g_ptr_array_add (rows, row);
          g_variant_unref (content);
        }
      if (after == next || g_variant_n_children (items) == 0)
        break;
      next = after;
    }
  self->written = revision;
  g_hash_table_insert (self->history, history_key (self->epoch, revision), rows);
}

/* Objects */

static GVariant *
random_fields (Client *self)
{
  GVariantBuilder fields, items;

  g_variant_builder_init (&fields, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&fields, "{sv}", "text", g_variant_new_take_string (g_strdup_printf ("text %u", g_rand_int_range (self->rand, 0, 1000))));
  if (self->many)
    {
      g_variant_builder_init (&items, G_VARIANT_TYPE ("aa{sv}"));
      for (int i = g_rand_int_range (self->rand, 0, 4); i > 0; i--)
        {
          GVariantBuilder item;
          g_variant_builder_init (&item, G_VARIANT_TYPE_VARDICT);
          g_variant_builder_add (&item, "{sv}", "id", g_variant_new_take_string (g_strdup_printf ("i%u", g_rand_int_range (self->rand, 0, 6))));
          g_variant_builder_add (&item, "{sv}", "text",
                                 g_variant_new_take_string (g_strdup_printf ("text %u", g_rand_int_range (self->rand, 0, 1000))));
          g_variant_builder_add_value (&items, g_variant_builder_end (&item));
        }
      g_variant_builder_add (&fields, "{sv}", "items", g_variant_builder_end (&items));
    }
  return g_variant_builder_end (&fields);
}

static const char *
random_type (Client *self)
{
  return self->many && !CHANCE (self, 3) ? "many" : "";
}

static const char *
random_id (Client *self)
{
  return g_ptr_array_index (self->ids, g_rand_int_range (self->rand, 0, self->ids->len));
}

static char *
fresh_id (Client *self)
{
  return g_strdup_printf ("o%u", self->next_id++);
}

/* What the tests know of ids is what the list has: it is read back. */
static void
refresh_ids (Client *self)
{
  g_autoptr (GVariant) reply = stage_call (self->stage, self->path, "Adapter", "GetObjects", g_variant_new ("(uu)", 0, 100000));
  g_autoptr (GVariant) objects = g_variant_get_child_value (reply, g_variant_n_children (reply) - 1);
  GVariantIter iter;
  const char *id;

  g_ptr_array_set_size (self->ids, 0);
  g_variant_iter_init (&iter, objects);
  while (g_variant_iter_next (&iter, "(&ssa{sv})", &id, NULL, NULL))
    g_ptr_array_add (self->ids, g_strdup (id));
}

static void
write_something (Client *self)
{
  static const char *const positions[] = { "keep", "first", "last", "before", "after" };
  g_autoptr (GVariant) reply = NULL;
  int dice = g_rand_int_range (self->rand, 0, 20);

  if (dice < 2)
    {
      /* The whole list anew, in another order. */
      GVariantBuilder objects;
      g_variant_builder_init (&objects, G_VARIANT_TYPE ("a(ssa{sv})"));
      for (guint i = self->ids->len; i > 1; i--)
        if (CHANCE (self, 4))
          {
            guint k = g_rand_int_range (self->rand, 0, i);
            gpointer kept = self->ids->pdata[i - 1];
            self->ids->pdata[i - 1] = self->ids->pdata[k];
            self->ids->pdata[k] = kept;
          }
      for (guint i = 0; i < self->ids->len; i++)
        if (!CHANCE (self, 10))
          g_variant_builder_add (&objects, "(ss@a{sv})", g_ptr_array_index (self->ids, i), random_type (self), random_fields (self));
      for (int i = g_rand_int_range (self->rand, 0, 6); i > 0; i--)
        {
          g_autofree char *id = fresh_id (self);
          g_variant_builder_add (&objects, "(ss@a{sv})", id, random_type (self), random_fields (self));
        }
      reply = stage_call (self->stage, self->path, "Adapter", "PerformUpdates", g_variant_new ("(ta(ssa{sv})a{sv})", 0, &objects, NULL));
    }
  else if (dice < 4 && self->ids->len > 0)
    reply = stage_call (self->stage, self->path, "Adapter", "MoveObject",
                        g_variant_new ("(tsss)", 0, random_id (self), positions[g_rand_int_range (self->rand, 1, 5)], random_id (self)));
  else if (dice < 8 && self->ids->len > 0)
    reply = stage_call (self->stage, self->path, "Adapter", "PatchObject",
                        g_variant_new ("(ts@a{sv}as)", 0, random_id (self), random_fields (self), NULL));
  else if (dice == 8)
    reply = stage_call (self->stage, self->path, "Adapter", "ReloadData", NULL);
  else if (dice == 9 && self->ids->len > 0)
    {
      const char *ids[] = { random_id (self), NULL };
      reply = stage_call (self->stage, self->path, "Adapter", "ReloadObjects", g_variant_new ("(^as)", ids));
    }
  else
    {
      GVariantBuilder removed, upserts;
      guint most = self->ids->len > 120 ? 8 : 3;

      g_variant_builder_init (&removed, G_VARIANT_TYPE_STRING_ARRAY);
      g_variant_builder_init (&upserts, G_VARIANT_TYPE ("a(ssssa{sv})"));
      /* An anchor must still be there, so it is either removed or anchored at. */
      if (CHANCE (self, 2))
        for (guint i = g_rand_int_range (self->rand, 0, most); i > 0 && self->ids->len > 0; i--)
          g_variant_builder_add (&removed, "s", random_id (self));
      else
        for (int i = g_rand_int_range (self->rand, 1, 5); i > 0; i--)
          {
            g_autofree char *id = self->ids->len > 0 && CHANCE (self, 3) ? g_strdup (random_id (self)) : fresh_id (self);
            guint position = g_rand_int_range (self->rand, 0, self->ids->len > 0 ? 5 : 3);
            g_variant_builder_add (&upserts, "(ssss@a{sv})", id, random_type (self), positions[position],
                                   position > 2 ? random_id (self) : "", random_fields (self));
          }
      reply = stage_call (self->stage, self->path, "Adapter", "ApplyChanges",
                          g_variant_new ("(tasa(ssssa{sv})a{sv})", 0, &removed, &upserts, NULL));
    }
  refresh_ids (self);
  remember (self);
}

static void
create (Client *self)
{
  g_autoptr (GVariant) options
      = g_variant_ref_sink (g_variant_new_parsed ("{'section-controllers': <{'*': 'listd/single', 'many': 'listd/binding'}>}"));
  g_autoptr (GVariant) reply
      = stage_call (self->stage, "/org/listd/Listd1", "Manager", "CreateAdapter", g_variant_new ("(s@a{sv})", "random", options));
  GVariantBuilder objects;
  g_autoptr (GVariant) written = NULL;

  g_variant_builder_init (&objects, G_VARIANT_TYPE ("a(ssa{sv})"));
  for (guint i = g_rand_int_range (self->rand, 0, 100); i > 0; i--)
    {
      /* Some ids of the list before, some new ones. */
      g_autofree char *id = CHANCE (self, 2) && self->next_id > 100 ? g_strdup_printf ("o%u", self->next_id - i) : fresh_id (self);
      g_variant_builder_add (&objects, "(ss@a{sv})", id, random_type (self), random_fields (self));
    }
  written = stage_call (self->stage, self->path, "Adapter", "PerformUpdates", g_variant_new ("(ta(ssa{sv})a{sv})", 0, &objects, NULL));
  self->exists = TRUE;
  refresh_ids (self);
  remember (self);
}

/* What the model says */

static void
drop (Client *self, guint index)
{
  ListdItem *item = g_ptr_array_index (self->held, index);
  g_hash_table_remove (self->places, item);
  g_ptr_array_remove_index_fast (self->held, index);
}

static void
hold (Client *self, guint position)
{
  ListdItem *item = g_list_model_get_item (G_LIST_MODEL (self->list), position);

  if (item == NULL)
    {
      if (position < self->n)
        FAIL (self, "there is no item at %u of %u", position, self->n);
      return;
    }
  if (g_hash_table_contains (self->places, item))
    {
      if (GPOINTER_TO_UINT (g_hash_table_lookup (self->places, item)) != position)
        FAIL (self, "the object of %u is at %u", GPOINTER_TO_UINT (g_hash_table_lookup (self->places, item)), position);
      g_object_unref (item);
      return;
    }
  g_hash_table_insert (self->places, item, GUINT_TO_POINTER (position));
  g_ptr_array_add (self->held, item);
}

static void
check_identity (Client *self)
{
  if (g_list_model_get_n_items (G_LIST_MODEL (self->list)) != self->n)
    FAIL (self, "the model has %u items, its signals say %u", g_list_model_get_n_items (G_LIST_MODEL (self->list)), self->n);
  for (guint i = 0; i < self->held->len; i++)
    {
      ListdItem *item = g_ptr_array_index (self->held, i);
      guint place = GPOINTER_TO_UINT (g_hash_table_lookup (self->places, item));
      g_autoptr (ListdItem) there = place != G_MAXUINT ? g_list_model_get_item (G_LIST_MODEL (self->list), place) : NULL;

      if (listd_list_get_position (self->list, item) != place)
        FAIL (self, "an object is at %u, its signals say %u", listd_list_get_position (self->list, item), place);
      if (place != G_MAXUINT && there != item)
        FAIL (self, "there are two objects for position %u", place);
    }
}

static void
spin (Client *self)
{
  for (int i = g_rand_int_range (self->rand, 0, 6); i > 0; i--)
    g_main_context_iteration (NULL, FALSE);
}

static void
on_items_changed (GListModel *model, guint position, guint removed, guint added, Client *self)
{
  if (self->telling)
    FAIL (self, "items-changed inside of items-changed");
  self->telling = TRUE;
  self->signals++;
  if (removed > self->n || position > self->n - removed)
    FAIL (self, "items-changed (%u, %u, %u) of %u", position, removed, added, self->n);
  self->n += added - removed;
  for (guint i = 0; i < self->held->len; i++)
    {
      ListdItem *item = g_ptr_array_index (self->held, i);
      guint place = GPOINTER_TO_UINT (g_hash_table_lookup (self->places, item));

      if (place == G_MAXUINT || place < position)
        {
          guint now = listd_list_get_position (self->list, item);
          /* What was taken away may come back with an addition. */
          if (place == G_MAXUINT && now != G_MAXUINT && now >= position && now - position < added)
            g_hash_table_insert (self->places, item, GUINT_TO_POINTER (now));
          continue;
        }
      if (place - position < removed)
        {
          guint now = listd_list_get_position (self->list, item);
          if (now != G_MAXUINT && (now < position || now - position >= added))
            FAIL (self, "an object was taken away at %u and is at %u", place, now);
          g_hash_table_insert (self->places, item, GUINT_TO_POINTER (now));
        }
      else
        g_hash_table_insert (self->places, item, GUINT_TO_POINTER (place + added - removed));
    }
  check_identity (self);
  if (self->n > 0 && CHANCE (self, 3))
    hold (self, g_rand_int_range (self->rand, 0, self->n));
  if (self->held->len > 0 && CHANCE (self, 4))
    drop (self, g_rand_int_range (self->rand, 0, self->held->len));
  if (!self->nested && CHANCE (self, 4))
    {
      self->nested = TRUE;
      spin (self);
      self->nested = FALSE;
      check_identity (self);
    }
  self->telling = FALSE;
}

/* The model is at a revision: its ids are those of the list then. */
static void
on_revision (ListdList *list, GParamSpec *pspec, Client *self)
{
  g_autofree char *key = history_key (listd_list_get_epoch (list), listd_list_get_revision (list));
  GPtrArray *rows = g_hash_table_lookup (self->history, key);

  if (listd_list_get_epoch (list) == NULL)
    return;
  if (rows == NULL)
    return; /* the test has not asked listd yet; others follow */
  if (rows->len != self->n)
    FAIL (self, "the list has %u items at %s, the model %u", rows->len, key, self->n);
  for (guint i = 0; i < self->held->len; i++)
    {
      ListdItem *item = g_ptr_array_index (self->held, i);
      guint place = listd_list_get_position (list, item);

      if (place == G_MAXUINT || !listd_item_get_loaded (item))
        continue;
      compared++;
      if (g_strcmp0 (listd_item_get_id (item), ((Row *) g_ptr_array_index (rows, place))->id) != 0)
        FAIL (self, "at %s position %u is %s, the model says %s", key, place, ((Row *) g_ptr_array_index (rows, place))->id,
              listd_item_get_id (item));
    }
}

/* The view */

static void
on_slot_shown (ListdView *view, ListdSlot *slot, Client *self)
{
  if (!g_hash_table_insert (self->slots, GUINT_TO_POINTER (listd_slot_get_number (slot)), g_object_ref (slot)))
    FAIL (self, "slot %u is shown twice", listd_slot_get_number (slot));
}

static void
on_slot_released (ListdView *view, ListdSlot *slot, Client *self)
{
  if (!g_hash_table_remove (self->slots, GUINT_TO_POINTER (listd_slot_get_number (slot))))
    FAIL (self, "slot %u is released and was not shown", listd_slot_get_number (slot));
}

static void
on_slot_changed (ListdView *view, ListdSlot *slot, Client *self)
{
  if (g_hash_table_lookup (self->slots, GUINT_TO_POINTER (listd_slot_get_number (slot))) != slot)
    FAIL (self, "slot %u is told of and was not shown", listd_slot_get_number (slot));
}

static void
on_picture (ListdView *view, Client *self)
{
  if (g_list_model_get_n_items (listd_view_get_slots (view)) != g_hash_table_size (self->slots))
    FAIL (self, "the view has %u slots, its signals say %u", g_list_model_get_n_items (listd_view_get_slots (view)),
          g_hash_table_size (self->slots));
  /* A program that is late is not told until it has drawn. */
  if (!CHANCE (self, 4))
    listd_view_acknowledge (view);
}

static void
move_viewport (Client *self)
{
  /* Another width and height, or only another place. */
  if (CHANCE (self, 2))
    {
      self->width = g_rand_int_range (self->rand, 100, 900);
      self->height = g_rand_int_range (self->rand, 50, 900);
    }
  listd_view_set_viewport (self->view, 0, g_rand_int_range (self->rand, 0, 5000), self->width, self->height);
}

/* The slots are rows of the list, under each other without a gap, and cover the viewport. */
static gboolean
view_settled (Client *self, GPtrArray *rows, GString *why)
{
  GHashTableIter iter;
  ListdSlot *slot;
  double sum = 0, top = G_MAXDOUBLE, bottom = 0, height = listd_view_get_content_height (self->view), y = listd_view_get_offset_y (self->view);

  listd_view_acknowledge (self->view);
  if (listd_view_get_state (self->view) != (self->exists ? LISTD_VIEW_STATE_ACTIVE : LISTD_VIEW_STATE_FAILED))
    {
      const GError *error = listd_view_get_error (self->view);

      g_string_append_printf (why, "the view is in state %d: %s", listd_view_get_state (self->view), error == NULL ? "no error" : error->message);
      return FALSE;
    }
  g_hash_table_iter_init (&iter, self->slots);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &slot))
    {
      ListdItem *item = listd_slot_get_item (slot);
      Row *row = NULL;

      for (guint i = 0; rows != NULL && i < rows->len; i++)
        {
          Row *candidate = g_ptr_array_index (rows, i);
          if (candidate->section == listd_slot_get_section (slot) && candidate->item == listd_item_get_item (item))
            row = candidate;
        }
      if (row == NULL || g_strcmp0 (row->id, listd_item_get_id (item)) != 0 || g_strcmp0 (row->text, listd_item_get_string (item, "text")) != 0
          || listd_slot_get_width (slot) != self->width)
        {
          g_string_append_printf (why, "slot %u shows %s %u \"%s\" in section %u, %g wide", listd_slot_get_number (slot), listd_item_get_id (item),
                                  listd_item_get_item (item), listd_item_get_string (item, "text"), listd_slot_get_section (slot),
                                  listd_slot_get_width (slot));
          return FALSE;
        }
      sum += listd_slot_get_height (slot);
      top = MIN (top, listd_slot_get_y (slot));
      bottom = MAX (bottom, listd_slot_get_y (slot) + listd_slot_get_height (slot));
    }
  if (rows == NULL || rows->len == 0)
    {
      g_string_append_printf (why, "the list is empty, the view shows %u slots", g_hash_table_size (self->slots));
      return g_hash_table_size (self->slots) == 0;
    }
  /* A viewport beyond the content shows what its buffer reaches: listd does not correct it. */
  if (y >= height || y + self->height <= 0)
    return TRUE;
  if (sum != bottom - top || top > MAX (y, 0) || bottom < MIN (height, y + self->height))
    {
      g_string_append_printf (why, "the view shows %g rows from %g to %g, the viewport is from %g to %g of %g", sum, top, bottom, y, y + self->height,
                              height);
      return FALSE;
    }
  return TRUE;
}

static gboolean
settled (Client *self, GString *why)
{
  g_autofree char *key = NULL;
  GPtrArray *rows;

  g_string_truncate (why, 0);
  if (!self->exists)
    {
      g_string_append_printf (why, "there is no list, and the model has %u items in state %d", self->n, listd_list_get_state (self->list));
      return self->n == 0 && listd_list_get_state (self->list) == LISTD_LIST_STATE_FAILED && view_settled (self, NULL, why);
    }
  if (listd_list_get_state (self->list) != LISTD_LIST_STATE_READY || listd_list_get_revision (self->list) != self->written
      || g_strcmp0 (listd_list_get_epoch (self->list), self->epoch) != 0)
    {
      g_string_append_printf (why, "the model is at %s %" G_GUINT64_FORMAT " in state %d, the list at %s %" G_GUINT64_FORMAT,
                              listd_list_get_epoch (self->list), listd_list_get_revision (self->list), listd_list_get_state (self->list),
                              self->epoch, self->written);
      return FALSE;
    }
  key = history_key (self->epoch, self->written);
  rows = g_hash_table_lookup (self->history, key);
  if (rows->len != self->n)
    {
      g_string_append_printf (why, "the list has %u items, the model %u", rows->len, self->n);
      return FALSE;
    }
  for (guint i = 0; i < self->held->len; i++)
    {
      ListdItem *item = g_ptr_array_index (self->held, i);
      guint place = listd_list_get_position (self->list, item);
      Row *row;

      if (place == G_MAXUINT)
        continue;
      row = g_ptr_array_index (rows, place);
      if (!listd_item_get_loaded (item) || g_strcmp0 (listd_item_get_id (item), row->id) != 0 || listd_item_get_item (item) != row->item
          || g_strcmp0 (listd_item_get_string (item, "text"), row->text) != 0)
        {
          g_string_append_printf (why, "position %u is %s %u \"%s\", the model says %s %u \"%s\"%s", place, row->id, row->item, row->text,
                                  listd_item_get_id (item), listd_item_get_item (item), listd_item_get_string (item, "text"),
                                  listd_item_get_loaded (item) ? "" : ", not loaded");
          return FALSE;
        }
    }
  return view_settled (self, rows, why);
}

static void
settle (Client *self)
{
  g_autoptr (GString) why = g_string_new (NULL);
  gint64 until = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND;
  guint alarm = g_timeout_add (50, stage_wake, NULL);

  while (!settled (self, why) && g_get_monotonic_time () < until)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (alarm);
  if (!settled (self, why))
    FAIL (self, "the model does not become the list: %s", why->str);
  check_identity (self);
  compared += self->held->len + g_hash_table_size (self->slots);
}

static void
scroll (Client *self)
{
  guint first, n;

  if (CHANCE (self, 2))
    move_viewport (self);
  if (self->n == 0)
    return;
  if (CHANCE (self, 3))
    while (self->held->len > 0)
      drop (self, 0);
  first = g_rand_int_range (self->rand, 0, self->n);
  n = g_rand_int_range (self->rand, 1, 30);
  if (CHANCE (self, 4))
    listd_list_set_visible_range (self->list, first, CHANCE (self, 3) ? 0 : n);
  for (guint i = first; i < first + n && i < self->n; i++)
    hold (self, i);
  if (CHANCE (self, 2))
    hold (self, g_rand_int_range (self->rand, 0, self->n));
}

static void
step (Client *self)
{
  int dice = g_rand_int_range (self->rand, 0, 100);

  if (!self->exists)
    {
      if (CHANCE (self, 3))
        create (self);
    }
  else if (dice < 50)
    for (int i = g_rand_int_range (self->rand, 1, 5); i > 0; i--)
      write_something (self); /* the main loop does not run meanwhile */
  else if (dice < 75)
    scroll (self);
  else if (dice < 78)
    {
      stage_stop_listd (self->stage, SIGKILL);
      kills++;
      spin (self);
      stage_start_listd (self->stage);
      refresh_ids (self);
      remember (self);
    }
  else if (dice < 80)
    {
      g_autoptr (GVariant) reply
          = stage_call (self->stage, "/org/listd/Listd1", "Manager", "RemoveAdapter", g_variant_new ("(s)", "random"));
      recreations++;
      self->exists = FALSE;
      if (CHANCE (self, 2))
        create (self);
    }
  else if (dice == 80 && CHANCE (self, 2))
    {
      bus_restarts++;
      stage_restart_bus (self->stage);
      refresh_ids (self);
      remember (self);
    }
  else if (dice < 83)
    {
      stage_signal (self->stage, SIGSTOP);
      scroll (self);
      for (int i = 0; i < 20; i++)
        g_main_context_iteration (NULL, FALSE);
      stage_signal (self->stage, SIGCONT);
    }
  else if (dice < 85)
    {
      static const char *const some[] = { "text", NULL };
      listd_list_set_fields (self->list, CHANCE (self, 2) ? some : NULL);
    }
  else if (dice < 90)
    settle (self);
  else
    spin (self);
  if (CHANCE (self, 3))
    spin (self);
}

static void
run (Stage *stage, guint seed)
{
  Client self = { .stage = stage, .seed = seed, .rand = g_rand_new_with_seed (seed), .many = seed % 2 };

  self.path = stage_path ("random");
  self.ids = g_ptr_array_new_with_free_func (g_free);
  self.history = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  self.held = g_ptr_array_new_with_free_func (g_object_unref);
  self.places = g_hash_table_new (NULL, NULL);
  create (&self);
  self.client = listd_client_new_for_address (stage_address (stage));
  self.list = listd_list_new (self.client, "random");
  if (CHANCE (&self, 2))
    listd_list_set_overscan (self.list, 10);
  g_signal_connect (self.list, "items-changed", G_CALLBACK (on_items_changed), &self);
  g_signal_connect (self.list, "notify::revision", G_CALLBACK (on_revision), &self);
  self.view = listd_view_new (self.client, "random", g_variant_new_parsed ("{'window': <uint32 3>}"));
  self.slots = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  g_signal_connect (self.view, "slot-shown", G_CALLBACK (on_slot_shown), &self);
  g_signal_connect (self.view, "slot-released", G_CALLBACK (on_slot_released), &self);
  g_signal_connect (self.view, "slot-placed", G_CALLBACK (on_slot_changed), &self);
  g_signal_connect (self.view, "slot-bound", G_CALLBACK (on_slot_changed), &self);
  g_signal_connect (self.view, "picture", G_CALLBACK (on_picture), &self);
  self.width = self.height = 300;
  move_viewport (&self);
  for (self.step = 0; self.step < (guint) n_steps; self.step++)
    step (&self);
  if (!self.exists)
    create (&self);
  settle (&self);
  g_signal_handlers_disconnect_by_data (self.list, &self);
  g_signal_handlers_disconnect_by_data (self.view, &self);
  g_object_unref (self.list);
  g_object_unref (self.view);
  g_object_unref (self.client);
  g_hash_table_unref (self.slots);
  g_ptr_array_unref (self.held);
  g_hash_table_unref (self.places);
  g_hash_table_unref (self.history);
  g_ptr_array_unref (self.ids);
  g_rand_free (self.rand);
  {
    g_autoptr (GVariant) reply = stage_call (stage, "/org/listd/Listd1", "Manager", "RemoveAdapter", g_variant_new ("(s)", "random"));
  }
  g_free (self.path);
  g_free (self.epoch);
}

int
main (int argc, char **argv)
{
  const GOptionEntry options[] = {
    { "seeds", 0, 0, G_OPTION_ARG_INT, &n_seeds, "How many seeds", "N" },
    { "steps", 0, 0, G_OPTION_ARG_INT, &n_steps, "How many steps each", "N" },
    { "first", 0, 0, G_OPTION_ARG_INT, &first_seed, "The first seed", "SEED" },
    { "kind", 0, 0, G_OPTION_ARG_STRING, &kind_name, "daemon, broker or direct", "KIND" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  StageKind kind;
  Stage *stage;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    g_error ("%s", error->message);
  kind = g_strcmp0 (kind_name, "broker") == 0 ? STAGE_BROKER : g_strcmp0 (kind_name, "direct") == 0 ? STAGE_DIRECT : STAGE_DAEMON;
  stage = stage_new (kind);
  for (int seed = first_seed; seed < first_seed + n_seeds; seed++)
    run (stage, seed);
  stage_free (stage);
  g_print ("%s: %d seeds of %d steps, %" G_GUINT64_FORMAT " items compared, %" G_GUINT64_FORMAT " kills, %" G_GUINT64_FORMAT
           " lists made again, %" G_GUINT64_FORMAT " restarts of the bus\n",
           kind_name != NULL ? kind_name : "daemon", n_seeds, n_steps, compared, kills, recreations, bus_restarts);
  g_free (kind_name);
  return 0;
}

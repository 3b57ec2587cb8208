// SPDX-License-Identifier: Apache-2.0
#include "listd-update-private.h"

static int
compare_ranges (gconstpointer a, gconstpointer b)
{
  const ListdRange *x = a, *y = b;
  return x->first < y->first ? -1 : x->first > y->first;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const ListdPlace *x = a, *y = b;
  if (x->section != y->section)
    return x->section < y->section ? -1 : 1;
  return x->item < y->item ? -1 : x->item > y->item;
}

static GArray *
ranges_of (GVariant *array)
{
  GArray *ranges = g_array_new (FALSE, FALSE, sizeof (ListdRange));
  GVariantIter iter;
  ListdRange range;

  g_variant_iter_init (&iter, array);
  while (g_variant_iter_next (&iter, "(uu)", &range.first, &range.length))
    if (range.length > 0)
      g_array_append_val (ranges, range);
  g_array_sort (ranges, compare_ranges);
  return ranges;
}

static GArray *
places_of (GVariant *array)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (ListdPlace));
  GVariantIter iter;
  ListdPlace place;

  g_variant_iter_init (&iter, array);
  while (g_variant_iter_next (&iter, "(uu)", &place.section, &place.item))
    g_array_append_val (places, place);
  g_array_sort (places, compare_places);
  return places;
}

static guint64
total (const GArray *ranges)
{
  guint64 sum = 0;
  for (guint i = 0; i < ranges->len; i++)
    sum += LISTD_RANGE (ranges, i)->length;
  return sum;
}

/* The elements outside of the holes stay in their order. FALSE when the holes do not fit. */
static gboolean
append_survivors (GArray *runs, const GArray *old_holes, guint n_old, const GArray *new_holes, guint n_new)
{
  guint from = 0, to = 0, i = 0, j = 0;

  for (;;)
    {
      guint64 room_old, room_new;
      guint length;

      while (i < old_holes->len && LISTD_RANGE (old_holes, i)->first <= from)
        {
          if (LISTD_RANGE (old_holes, i)->first < from)
            return FALSE;
          from += LISTD_RANGE (old_holes, i++)->length;
        }
      while (j < new_holes->len && LISTD_RANGE (new_holes, j)->first <= to)
        {
          if (LISTD_RANGE (new_holes, j)->first < to)
            return FALSE;
          to += LISTD_RANGE (new_holes, j++)->length;
        }
      if (from > n_old || to > n_new)
        return FALSE;
      room_old = (i < old_holes->len ? LISTD_RANGE (old_holes, i)->first : n_old) - from;
      room_new = (j < new_holes->len ? LISTD_RANGE (new_holes, j)->first : n_new) - to;
      length = MIN (room_old, room_new);
      if (length == 0)
        return from == n_old && to == n_new && i == old_holes->len && j == new_holes->len;
      listd_runs_append (runs, from, to, length);
      from += length;
      to += length;
    }
}

/* Whether two of these are the same. */
static gboolean
have_twice (GArray *places)
{
  g_array_sort (places, compare_places);
  for (guint i = 1; i < places->len; i++)
    if (compare_places (LISTD_PLACE (places, i - 1), LISTD_PLACE (places, i)) == 0)
      return TRUE;
  return FALSE;
}

/* FALSE when an item goes twice or comes from two places, or when single items go from a section that is read again as a whole. */
static gboolean
items_fit (const ListdUpdate *self)
{
  g_autoptr (GArray) out = g_array_copy (self->item_deletes);
  g_autoptr (GArray) in = g_array_copy (self->item_inserts);

  for (guint i = 0; i < self->item_moves->len; i++)
    {
      const ListdItemMove *move = &g_array_index (self->item_moves, ListdItemMove, i);
      g_array_append_val (out, move->from);
      g_array_append_val (in, move->to);
    }
  for (guint i = 0; i < out->len; i++)
    if (listd_ranges_have (self->reloads, LISTD_PLACE (out, i)->section))
      return FALSE;
  return !have_twice (out) && !have_twice (in);
}

ListdUpdate *
listd_update_new (const char *epoch, guint64 base, guint64 revision, const char *kind, guint n_sections, guint n_items, gboolean flat,
                  GVariant *sections, GVariant *items)
{
  ListdUpdate *self = g_new0 (ListdUpdate, 1);
  g_autoptr (GVariant) deletes = g_variant_get_child_value (sections, 0);
  g_autoptr (GVariant) inserts = g_variant_get_child_value (sections, 1);
  g_autoptr (GVariant) moves = g_variant_get_child_value (sections, 2);
  g_autoptr (GVariant) reloads = g_variant_get_child_value (sections, 3);
  g_autoptr (GVariant) item_deletes = g_variant_get_child_value (items, 0);
  g_autoptr (GVariant) item_inserts = g_variant_get_child_value (items, 1);
  g_autoptr (GVariant) item_moves = g_variant_get_child_value (items, 2);
  g_autoptr (GVariant) item_reloads = g_variant_get_child_value (items, 3);
  g_autoptr (GArray) old_holes = ranges_of (deletes);
  g_autoptr (GArray) new_holes = ranges_of (inserts);
  GVariantIter iter;
  guint from, to;
  ListdItemMove move;

  g_atomic_ref_count_init (&self->references);
  self->epoch = g_strdup (epoch);
  self->base = base;
  self->revision = revision;
  self->kind = g_str_equal (kind, "reload")     ? LISTD_UPDATE_RELOAD
               : g_str_equal (kind, "announce") ? LISTD_UPDATE_ANNOUNCE
                                                : LISTD_UPDATE_CHANGES;
  self->flat = flat;
  self->n_sections = n_sections;
  self->n_items = n_items;
  self->n_before = n_sections + total (old_holes) - total (new_holes);
  self->runs = g_array_new (FALSE, FALSE, sizeof (ListdRun));
  self->born = ranges_of (inserts);
  self->reloads = ranges_of (reloads);
  self->item_deletes = places_of (item_deletes);
  self->item_inserts = places_of (item_inserts);
  self->item_reloads = places_of (item_reloads);
  self->item_moves = g_array_new (FALSE, FALSE, sizeof (ListdItemMove));
  g_variant_iter_init (&iter, item_moves);
  while (g_variant_iter_next (&iter, "(uuuu)", &move.from.section, &move.from.item, &move.to.section, &move.to.item))
    g_array_append_val (self->item_moves, move);

  if (self->kind != LISTD_UPDATE_CHANGES)
    return self;

  g_variant_iter_init (&iter, moves);
  while (g_variant_iter_next (&iter, "(uu)", &from, &to))
    {
      g_array_append_val (old_holes, ((ListdRange){ from, 1 }));
      g_array_append_val (new_holes, ((ListdRange){ to, 1 }));
    }
  g_array_sort (old_holes, compare_ranges);
  g_array_sort (new_holes, compare_ranges);
  if (!append_survivors (self->runs, old_holes, self->n_before, new_holes, n_sections) || !items_fit (self))
    {
      /* Batches that contradict themselves tell nothing: read the list anew. */
      self->kind = LISTD_UPDATE_RELOAD;
      g_array_set_size (self->runs, 0);
      return self;
    }
  g_variant_iter_init (&iter, moves);
  while (g_variant_iter_next (&iter, "(uu)", &from, &to))
    g_array_append_val (self->runs, ((ListdRun){ from, to, 1 }));
  g_array_sort (self->runs, listd_runs_compare_from);
  return self;
}

ListdUpdate *
listd_update_new_from_signal (GVariant *parameters)
{
  const char *epoch, *kind;
  guint64 base, revision;
  gboolean animated, flat = FALSE;
  guint n_sections, n_items;
  g_autoptr (GVariant) sections = NULL;
  g_autoptr (GVariant) items = NULL;
  g_autoptr (GVariant) details = NULL;

  if (!g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(sttsbuu(a(uu)a(uu)a(uu)a(uu))(a(uu)a(uu)a(uuuu)a(uu))a{sv})")))
    return NULL;
  g_variant_get (parameters, "(&stt&sbuu@(a(uu)a(uu)a(uu)a(uu))@(a(uu)a(uu)a(uuuu)a(uu))@a{sv})", &epoch, &base, &revision, &kind, &animated,
                 &n_sections, &n_items, &sections, &items, &details);
  g_variant_lookup (details, "flat", "b", &flat);
  return listd_update_new (epoch, base, revision, kind, n_sections, n_items, flat, sections, items);
}

ListdUpdate *
listd_update_ref (ListdUpdate *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
listd_update_unref (ListdUpdate *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_array_unref (self->runs);
  g_array_unref (self->born);
  g_array_unref (self->reloads);
  g_array_unref (self->item_deletes);
  g_array_unref (self->item_inserts);
  g_array_unref (self->item_reloads);
  g_array_unref (self->item_moves);
  g_free (self->epoch);
  g_free (self);
}

void
listd_updates_clear (GQueue *updates)
{
  ListdUpdate *update;
  while ((update = g_queue_pop_head (updates)) != NULL)
    listd_update_unref (update);
}

const char *
listd_update_get_epoch (const ListdUpdate *self)
{
  return self->epoch;
}

guint64
listd_update_get_base (const ListdUpdate *self)
{
  return self->base;
}

guint64
listd_update_get_revision (const ListdUpdate *self)
{
  return self->revision;
}

ListdUpdateKind
listd_update_get_kind (const ListdUpdate *self)
{
  return self->kind;
}

guint
listd_update_get_n_before (const ListdUpdate *self)
{
  return self->n_before;
}

guint
listd_update_get_n_sections (const ListdUpdate *self)
{
  return self->n_sections;
}

guint
listd_update_get_n_items (const ListdUpdate *self)
{
  return self->n_items;
}

gboolean
listd_update_get_flat (const ListdUpdate *self)
{
  return self->flat;
}

gboolean
listd_ranges_have (const GArray *ranges, guint number)
{
  guint low = 0, high = ranges->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (LISTD_RANGE (ranges, middle)->first <= number)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 && number - LISTD_RANGE (ranges, low - 1)->first < LISTD_RANGE (ranges, low - 1)->length;
}

guint
listd_places_before (const GArray *places, guint section, guint item)
{
  guint low = 0, high = places->len;
  ListdPlace wanted = { section, item };

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (compare_places (LISTD_PLACE (places, middle), &wanted) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

GArray *
listd_update_holes (const ListdUpdate *self, guint section, gboolean old)
{
  GArray *holes = g_array_new (FALSE, FALSE, sizeof (guint));
  const GArray *places = old ? self->item_deletes : self->item_inserts;

  for (guint i = listd_places_before (places, section, 0); i < places->len && LISTD_PLACE (places, i)->section == section; i++)
    g_array_append_val (holes, LISTD_PLACE (places, i)->item);
  for (guint i = 0; i < self->item_moves->len; i++)
    {
      const ListdItemMove *move = &g_array_index (self->item_moves, ListdItemMove, i);
      const ListdPlace *place = old ? &move->from : &move->to;
      if (place->section == section)
        g_array_append_val (holes, place->item);
    }
  g_array_sort (holes, listd_numbers_compare);
  return holes;
}

gint
listd_update_growth (const ListdUpdate *self, guint old_section, guint new_section)
{
  gint grown = 0;

  if (self->item_deletes->len + self->item_inserts->len + self->item_moves->len == 0)
    return 0;
  grown -= listd_places_before (self->item_deletes, old_section + 1, 0) - listd_places_before (self->item_deletes, old_section, 0);
  grown += listd_places_before (self->item_inserts, new_section + 1, 0) - listd_places_before (self->item_inserts, new_section, 0);
  for (guint i = 0; i < self->item_moves->len; i++)
    {
      const ListdItemMove *move = &g_array_index (self->item_moves, ListdItemMove, i);
      grown -= move->from.section == old_section;
      grown += move->to.section == new_section;
    }
  return grown;
}

gboolean
listd_update_map (const ListdUpdate *self, guint *section, guint *item, gboolean *touched)
{
  const ListdRun *run;
  guint old_section = *section, old_item = *item, place;
  g_autoptr (GArray) out = NULL;
  g_autoptr (GArray) in = NULL;

  if (self->kind == LISTD_UPDATE_ANNOUNCE)
    return TRUE;
  run = listd_runs_find (self->runs, old_section);
  if (run == NULL)
    return FALSE;
  *section = run->to + (old_section - run->from);
  if (listd_ranges_have (self->reloads, old_section))
    *touched = TRUE;
  if (self->item_deletes->len + self->item_inserts->len + self->item_moves->len + self->item_reloads->len == 0)
    return TRUE;

  place = listd_places_before (self->item_reloads, old_section, old_item);
  if (place < self->item_reloads->len && compare_places (LISTD_PLACE (self->item_reloads, place), &(ListdPlace){ old_section, old_item }) == 0)
    *touched = TRUE;
  for (guint i = 0; i < self->item_moves->len; i++)
    {
      const ListdItemMove *move = &g_array_index (self->item_moves, ListdItemMove, i);
      if (move->from.section == old_section && move->from.item == old_item)
        {
          *section = move->to.section;
          *item = move->to.item;
          return TRUE;
        }
    }
  out = listd_update_holes (self, old_section, TRUE);
  for (guint i = 0; i < out->len; i++)
    {
      guint hole = g_array_index (out, guint, i);
      if (hole == old_item)
        return FALSE;
      if (hole < old_item)
        *item -= 1;
    }
  in = listd_update_holes (self, *section, FALSE);
  for (guint i = 0; i < in->len; i++)
    if (g_array_index (in, guint, i) <= *item)
      *item += 1;
  return TRUE;
}

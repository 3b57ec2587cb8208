// SPDX-License-Identifier: Apache-2.0
#include "listd-update.h"

#include <string.h>

typedef struct
{
  guint first, length;
} Range;

typedef struct
{
  guint section, item;
} Place;

typedef struct
{
  Place from, to;
} ItemMove;

struct _ListdUpdate
{
  gatomicrefcount references;
  char *epoch;
  guint64 base, revision;
  ListdUpdateKind kind;
  gboolean flat;
  guint n_before, n_sections, n_items;
  GArray *runs;    /* of ListdRun, sections that stay, ascending by `from` */
  GArray *born;    /* of Range, new numbers */
  GArray *reloads; /* of Range, old numbers */
  GArray *item_deletes, *item_inserts, *item_reloads; /* of Place */
  GArray *item_moves;                                 /* of ItemMove */
};

#define RUN(array, i) (&g_array_index ((array), ListdRun, (i)))
#define RANGE(array, i) (&g_array_index ((array), Range, (i)))
#define PLACE(array, i) (&g_array_index ((array), Place, (i)))

static int
compare_ranges (gconstpointer a, gconstpointer b)
{
  const Range *x = a, *y = b;
  return x->first < y->first ? -1 : x->first > y->first;
}

static int
compare_from (gconstpointer a, gconstpointer b)
{
  const ListdRun *x = a, *y = b;
  return x->from < y->from ? -1 : x->from > y->from;
}

static int
compare_to (gconstpointer a, gconstpointer b)
{
  const ListdRun *x = a, *y = b;
  return x->to < y->to ? -1 : x->to > y->to;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Place *x = a, *y = b;
  if (x->section != y->section)
    return x->section < y->section ? -1 : 1;
  return x->item < y->item ? -1 : x->item > y->item;
}

static GArray *
ranges_of (GVariant *array)
{
  GArray *ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  GVariantIter iter;
  Range range;

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
  GArray *places = g_array_new (FALSE, FALSE, sizeof (Place));
  GVariantIter iter;
  Place place;

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
    sum += RANGE (ranges, i)->length;
  return sum;
}

static void
append_run (GArray *runs, guint from, guint to, guint length)
{
  if (length == 0)
    return;
  if (runs->len > 0)
    {
      ListdRun *last = RUN (runs, runs->len - 1);
      if (last->from + last->length == from && last->to + last->length == to)
        {
          last->length += length;
          return;
        }
    }
  g_array_append_val (runs, ((ListdRun){ from, to, length }));
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

      while (i < old_holes->len && RANGE (old_holes, i)->first <= from)
        {
          if (RANGE (old_holes, i)->first < from)
            return FALSE;
          from += RANGE (old_holes, i++)->length;
        }
      while (j < new_holes->len && RANGE (new_holes, j)->first <= to)
        {
          if (RANGE (new_holes, j)->first < to)
            return FALSE;
          to += RANGE (new_holes, j++)->length;
        }
      if (from > n_old || to > n_new)
        return FALSE;
      room_old = (i < old_holes->len ? RANGE (old_holes, i)->first : n_old) - from;
      room_new = (j < new_holes->len ? RANGE (new_holes, j)->first : n_new) - to;
      length = MIN (room_old, room_new);
      if (length == 0)
        return from == n_old && to == n_new && i == old_holes->len && j == new_holes->len;
      append_run (runs, from, to, length);
      from += length;
      to += length;
    }
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
  ItemMove move;

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
  self->item_moves = g_array_new (FALSE, FALSE, sizeof (ItemMove));
  g_variant_iter_init (&iter, item_moves);
  while (g_variant_iter_next (&iter, "(uuuu)", &move.from.section, &move.from.item, &move.to.section, &move.to.item))
    g_array_append_val (self->item_moves, move);

  if (self->kind != LISTD_UPDATE_CHANGES)
    return self;

  g_variant_iter_init (&iter, moves);
  while (g_variant_iter_next (&iter, "(uu)", &from, &to))
    {
      g_array_append_val (old_holes, ((Range){ from, 1 }));
      g_array_append_val (new_holes, ((Range){ to, 1 }));
    }
  g_array_sort (old_holes, compare_ranges);
  g_array_sort (new_holes, compare_ranges);
  if (!append_survivors (self->runs, old_holes, self->n_before, new_holes, n_sections))
    {
      /* Batches that contradict themselves tell nothing: read the list anew. */
      self->kind = LISTD_UPDATE_RELOAD;
      g_array_set_size (self->runs, 0);
      return self;
    }
  g_variant_iter_init (&iter, moves);
  while (g_variant_iter_next (&iter, "(uu)", &from, &to))
    g_array_append_val (self->runs, ((ListdRun){ from, to, 1 }));
  g_array_sort (self->runs, compare_from);
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

/* The last run that begins at or before `from`, or NULL. */
static const ListdRun *
run_with (const GArray *runs, guint from)
{
  guint low = 0, high = runs->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (RUN (runs, middle)->from <= from)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0 || from - RUN (runs, low - 1)->from >= RUN (runs, low - 1)->length)
    return NULL;
  return RUN (runs, low - 1);
}

static gboolean
in_ranges (const GArray *ranges, guint number)
{
  guint low = 0, high = ranges->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (RANGE (ranges, middle)->first <= number)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 && number - RANGE (ranges, low - 1)->first < RANGE (ranges, low - 1)->length;
}

/* The index of the first place that is not before (section, item). */
static guint
places_from (const GArray *places, guint section, guint item)
{
  guint low = 0, high = places->len;
  Place wanted = { section, item };

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (compare_places (PLACE (places, middle), &wanted) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return x < y ? -1 : x > y;
}

/* The items of a section that are taken out (`old`), or put in (not `old`): ascending. */
static GArray *
holes_in (const ListdUpdate *self, guint section, gboolean old)
{
  GArray *holes = g_array_new (FALSE, FALSE, sizeof (guint));
  const GArray *places = old ? self->item_deletes : self->item_inserts;

  for (guint i = places_from (places, section, 0); i < places->len && PLACE (places, i)->section == section; i++)
    g_array_append_val (holes, PLACE (places, i)->item);
  for (guint i = 0; i < self->item_moves->len; i++)
    {
      const ItemMove *move = &g_array_index (self->item_moves, ItemMove, i);
      const Place *place = old ? &move->from : &move->to;
      if (place->section == section)
        g_array_append_val (holes, place->item);
    }
  g_array_sort (holes, compare_numbers);
  return holes;
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
  run = run_with (self->runs, old_section);
  if (run == NULL)
    return FALSE;
  *section = run->to + (old_section - run->from);
  if (in_ranges (self->reloads, old_section))
    *touched = TRUE;
  if (self->item_deletes->len + self->item_inserts->len + self->item_moves->len + self->item_reloads->len == 0)
    return TRUE;

  place = places_from (self->item_reloads, old_section, old_item);
  if (place < self->item_reloads->len && compare_places (PLACE (self->item_reloads, place), &(Place){ old_section, old_item }) == 0)
    *touched = TRUE;
  for (guint i = 0; i < self->item_moves->len; i++)
    {
      const ItemMove *move = &g_array_index (self->item_moves, ItemMove, i);
      if (move->from.section == old_section && move->from.item == old_item)
        {
          *section = move->to.section;
          *item = move->to.item;
          return TRUE;
        }
    }
  out = holes_in (self, old_section, TRUE);
  for (guint i = 0; i < out->len; i++)
    {
      guint hole = g_array_index (out, guint, i);
      if (hole == old_item)
        return FALSE;
      if (hole < old_item)
        *item -= 1;
    }
  in = holes_in (self, *section, FALSE);
  for (guint i = 0; i < in->len; i++)
    if (g_array_index (in, guint, i) <= *item)
      *item += 1;
  return TRUE;
}

/* Counts */

#define BLOCK 256

struct _ListdCounts
{
  guint n;
  guint32 *counts;
  guint *starts; /* the position of each BLOCK'th section's first item; the last is the number of items */
};

static ListdCounts *
counts_take (guint32 *counts, guint n)
{
  ListdCounts *self = g_new (ListdCounts, 1);
  guint sum = 0;

  self->n = n;
  self->counts = counts;
  self->starts = g_new (guint, n / BLOCK + 2);
  for (guint i = 0; i < n; i++)
    {
      if (i % BLOCK == 0)
        self->starts[i / BLOCK] = sum;
      sum += counts[i];
    }
  self->starts[(n + BLOCK - 1) / BLOCK] = sum;
  return self;
}

ListdCounts *
listd_counts_new (const guint32 *counts, guint n)
{
  return counts_take (g_memdup2 (counts, n * sizeof (guint32)), n);
}

void
listd_counts_free (ListdCounts *self)
{
  if (self == NULL)
    return;
  g_free (self->counts);
  g_free (self->starts);
  g_free (self);
}

guint
listd_counts_get_n_sections (const ListdCounts *self)
{
  return self->n;
}

guint
listd_counts_get_n_items (const ListdCounts *self)
{
  return self->starts[(self->n + BLOCK - 1) / BLOCK];
}

guint
listd_counts_get (const ListdCounts *self, guint section)
{
  return section < self->n ? self->counts[section] : 0;
}

guint
listd_counts_get_start (const ListdCounts *self, guint section)
{
  guint start;

  if (section >= self->n)
    return listd_counts_get_n_items (self);
  start = self->starts[section / BLOCK];
  for (guint i = section - section % BLOCK; i < section; i++)
    start += self->counts[i];
  return start;
}

void
listd_counts_find (const ListdCounts *self, guint position, guint *section, guint *item)
{
  guint low = 0, high = (self->n + BLOCK - 1) / BLOCK, start, i;

  /* The last block that begins at or before the position. */
  while (low + 1 < high)
    {
      guint middle = low + (high - low) / 2;
      if (self->starts[middle] <= position)
        low = middle;
      else
        high = middle;
    }
  start = self->starts[low];
  for (i = low * BLOCK; i < self->n && start + self->counts[i] <= position; i++)
    start += self->counts[i];
  *section = i;
  *item = position - start;
}

gboolean
listd_counts_is_flat (const ListdCounts *self)
{
  for (guint i = 0; i < self->n; i++)
    if (self->counts[i] != 1)
      return FALSE;
  return TRUE;
}

/* Births */

/* Items that an update adds to a section that stays. */
static gint
growth_of (const ListdUpdate *self, guint old_section, guint new_section)
{
  gint grown = 0;

  if (self->item_deletes->len + self->item_inserts->len + self->item_moves->len == 0)
    return 0;
  grown -= places_from (self->item_deletes, old_section + 1, 0) - places_from (self->item_deletes, old_section, 0);
  grown += places_from (self->item_inserts, new_section + 1, 0) - places_from (self->item_inserts, new_section, 0);
  for (guint i = 0; i < self->item_moves->len; i++)
    {
      const ItemMove *move = &g_array_index (self->item_moves, ItemMove, i);
      grown -= move->from.section == old_section;
      grown += move->to.section == new_section;
    }
  return grown;
}

static int
compare_births (gconstpointer a, gconstpointer b)
{
  const ListdBirth *x = a, *y = b;
  if (x->update != y->update)
    return x->update < y->update ? -1 : 1;
  return x->section < y->section ? -1 : x->section > y->section;
}

GArray *
listd_births_new (ListdUpdate *const *updates, guint n_updates)
{
  GArray *births = g_array_new (FALSE, FALSE, sizeof (ListdBirth));

  for (guint u = 0; u < n_updates; u++)
    {
      const ListdUpdate *self = updates[u];

      if (self->flat || self->kind != LISTD_UPDATE_CHANGES)
        continue;
      for (guint i = 0; i < self->born->len; i++)
        for (guint k = 0; k < RANGE (self->born, i)->length; k++)
          {
            guint section = RANGE (self->born, i)->first + k;
            g_array_append_val (births, ((ListdBirth){ u, section, section, 0, TRUE, FALSE }));
          }
      for (guint i = 0; i < self->reloads->len; i++)
        for (guint k = 0; k < RANGE (self->reloads, i)->length; k++)
          {
            guint section = RANGE (self->reloads, i)->first + k;
            const ListdRun *run = run_with (self->runs, section);
            if (run == NULL)
              continue;
            section = run->to + (section - run->from);
            g_array_append_val (births, ((ListdBirth){ u, section, section, 0, TRUE, TRUE }));
          }
    }
  g_array_sort (births, compare_births);
  for (guint b = 0; b < births->len; b++)
    {
      ListdBirth *birth = &g_array_index (births, ListdBirth, b);

      for (guint u = birth->update + 1; u < n_updates && birth->alive; u++)
        {
          const ListdRun *run = run_with (updates[u]->runs, birth->now);
          guint old = birth->now;

          if (updates[u]->kind != LISTD_UPDATE_CHANGES)
            continue;
          if (run == NULL || in_ranges (updates[u]->reloads, old))
            {
              birth->alive = FALSE;
              break;
            }
          birth->now = run->to + (old - run->from);
          birth->grown += growth_of (updates[u], old, birth->now);
        }
    }
  return births;
}

/* Changes */

ListdChange *
listd_change_new (guint n_old, guint n_new, GArray *runs)
{
  ListdChange *self = g_new (ListdChange, 1);
  guint kept = 0;

  g_array_sort (runs, compare_to);
  for (guint i = 0; i < runs->len; i++)
    {
      ListdRun run = *RUN (runs, i);
      ListdRun *last = kept > 0 ? RUN (runs, kept - 1) : NULL;

      if (run.length == 0)
        continue;
      if (last != NULL && last->from + last->length == run.from && last->to + last->length == run.to)
        last->length += run.length;
      else
        *RUN (runs, kept++) = run;
    }
  g_array_set_size (runs, kept);
  self->n_old = n_old;
  self->n_new = n_new;
  self->runs = runs;
  return self;
}

ListdChange *
listd_change_new_identity (guint n)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (ListdRun));
  append_run (runs, 0, 0, n);
  return listd_change_new (n, n, runs);
}

void
listd_change_free (ListdChange *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->runs);
  g_free (self);
}

ListdChange *
listd_change_compose (const ListdChange *first, const ListdChange *second)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (ListdRun));

  for (guint i = 0; i < second->runs->len; i++)
    {
      const ListdRun *later = RUN (second->runs, i);
      guint low = 0, high = first->runs->len;

      /* The first earlier run that ends behind the begin of the later one. */
      while (low < high)
        {
          guint middle = low + (high - low) / 2;
          const ListdRun *earlier = RUN (first->runs, middle);
          if (earlier->to + earlier->length <= later->from)
            low = middle + 1;
          else
            high = middle;
        }
      for (; low < first->runs->len; low++)
        {
          const ListdRun *earlier = RUN (first->runs, low);
          guint begin = MAX (earlier->to, later->from);
          guint end = MIN (earlier->to + earlier->length, later->from + later->length);

          if (earlier->to >= later->from + later->length)
            break;
          append_run (runs, earlier->from + (begin - earlier->to), later->to + (begin - later->from), end - begin);
        }
    }
  return listd_change_new (first->n_old, second->n_new, runs);
}

gboolean
listd_change_map (const ListdChange *self, guint old, guint *now)
{
  /* Runs are ordered by their new place, so this looks at all of them; lists of positions are mapped in one go by the plan. */
  for (guint i = 0; i < self->runs->len; i++)
    {
      const ListdRun *run = RUN (self->runs, i);
      if (old >= run->from && old - run->from < run->length)
        {
          *now = run->to + (old - run->from);
          return TRUE;
        }
    }
  return FALSE;
}

static guint
held_before (const guint *held, guint n_held, guint position)
{
  guint low = 0, high = n_held;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (held[middle] < position)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static int
compare_indirect (gconstpointer a, gconstpointer b, gpointer data)
{
  const GArray *runs = data;
  return compare_from (RUN (runs, *(const guint *) a), RUN (runs, *(const guint *) b));
}

/* The runs that stay in order, as heavy as possible: length, and much more for held positions. Ascending. */
static GArray *
runs_in_order (const ListdChange *self, const guint *held, guint n_held)
{
  guint n = self->runs->len;
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (ListdRun));
  g_autofree guint *by_from = g_new (guint, n + 1);
  g_autofree guint *rank = g_new (guint, n + 1);
  g_autofree guint *best = g_new (guint, n + 1); /* Fenwick tree over ranks: the run with the heaviest chain, plus one */
  g_autofree guint *before = g_new (guint, n + 1);
  g_autofree guint64 *weight = g_new0 (guint64, n + 1);
  guint heaviest = 0;
  gboolean ordered = TRUE;

  for (guint i = 0; i < n; i++)
    {
      by_from[i] = i;
      ordered = ordered && (i == 0 || RUN (self->runs, i - 1)->from < RUN (self->runs, i)->from);
    }
  if (ordered)
    {
      g_array_append_vals (kept, self->runs->data, n);
      return kept;
    }
  g_qsort_with_data (by_from, n, sizeof (guint), compare_indirect, self->runs);
  for (guint i = 0; i < n; i++)
    rank[by_from[i]] = i + 1;
  memset (best, 0, sizeof (guint) * (n + 1));
  for (guint i = 0; i < n; i++)
    {
      const ListdRun *run = RUN (self->runs, i);
      guint64 own = run->length + (guint64) G_MAXUINT32
                                      * (held_before (held, n_held, run->from + run->length) - held_before (held, n_held, run->from));
      guint previous = 0;

      for (guint r = rank[i] - 1; r > 0; r -= r & -r)
        if (best[r] != 0 && (previous == 0 || weight[best[r] - 1] > weight[previous - 1]))
          previous = best[r];
      before[i] = previous;
      weight[i] = own + (previous != 0 ? weight[previous - 1] : 0);
      for (guint r = rank[i]; r <= n; r += r & -r)
        if (best[r] == 0 || weight[best[r] - 1] < weight[i])
          best[r] = i + 1;
      if (heaviest == 0 || weight[heaviest - 1] < weight[i])
        heaviest = i + 1;
    }
  for (guint i = heaviest; i != 0; i = before[i - 1])
    g_array_append_vals (kept, RUN (self->runs, i - 1), 1);
  g_array_sort (kept, compare_to);
  return kept;
}

GArray *
listd_change_plan (const ListdChange *self, const guint *held, guint n_held, guint most)
{
  GArray *splices = g_array_new (FALSE, FALSE, sizeof (ListdSplice));
  g_autoptr (GArray) kept = runs_in_order (self, held, n_held);
  g_autoptr (GArray) between = NULL;
  ListdSplice splice = { 0, 0, 0, 0 };
  guint threshold, joined;

  for (guint i = 0; i <= kept->len; i++)
    {
      guint old = i < kept->len ? RUN (kept, i)->from : self->n_old;
      guint now = i < kept->len ? RUN (kept, i)->to : self->n_new;

      splice.removed = old - splice.old;
      splice.added = now - splice.now;
      if (splice.removed > 0 || splice.added > 0)
        g_array_append_val (splices, splice);
      if (i < kept->len)
        {
          splice.old = old + RUN (kept, i)->length;
          splice.now = now + RUN (kept, i)->length;
        }
    }
  if (splices->len <= most)
    return splices;

  /* Join over the shortest stretches with nobody held in them. */
  between = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 1; i < splices->len; i++)
    {
      const ListdSplice *a = &g_array_index (splices, ListdSplice, i - 1), *b = a + 1;
      guint begin = a->old + a->removed;
      if (held_before (held, n_held, begin) == held_before (held, n_held, b->old))
        g_array_append_val (between, ((guint){ b->old - begin }));
    }
  if (between->len == 0)
    return splices;
  g_array_sort (between, compare_numbers);
  threshold = g_array_index (between, guint, MIN (splices->len - most, between->len) - 1);
  joined = 1;
  for (guint i = 1; i < splices->len; i++)
    {
      ListdSplice *a = &g_array_index (splices, ListdSplice, joined - 1), b = g_array_index (splices, ListdSplice, i);
      guint begin = a->old + a->removed;

      if (b.old - begin <= threshold && held_before (held, n_held, begin) == held_before (held, n_held, b.old))
        {
          a->removed = b.old + b.removed - a->old;
          a->added = b.now + b.added - a->now;
        }
      else
        g_array_index (splices, ListdSplice, joined++) = b;
    }
  g_array_set_size (splices, joined);
  return splices;
}

/* The old sections whose items do not simply stay: ascending, each once. */
static GArray *
special_sections (const ListdUpdate *self)
{
  GArray *special = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) by_to = g_array_copy (self->runs);
  guint kept = 0;

  for (guint i = 0; i < self->reloads->len; i++)
    for (guint k = 0; k < RANGE (self->reloads, i)->length; k++)
      g_array_append_val (special, ((guint){ RANGE (self->reloads, i)->first + k }));
  for (guint i = 0; i < self->item_deletes->len; i++)
    g_array_append_val (special, PLACE (self->item_deletes, i)->section);
  g_array_sort (by_to, compare_to);
  for (guint i = 0; i < self->item_inserts->len + self->item_moves->len; i++)
    {
      guint now = i < self->item_inserts->len ? PLACE (self->item_inserts, i)->section
                                              : g_array_index (self->item_moves, ItemMove, i - self->item_inserts->len).to.section;
      for (guint r = 0; r < by_to->len; r++)
        if (now >= RUN (by_to, r)->to && now - RUN (by_to, r)->to < RUN (by_to, r)->length)
          g_array_append_val (special, ((guint){ RUN (by_to, r)->from + (now - RUN (by_to, r)->to) }));
      if (i >= self->item_inserts->len)
        g_array_append_val (special, g_array_index (self->item_moves, ItemMove, i - self->item_inserts->len).from.section);
    }
  g_array_sort (special, compare_numbers);
  for (guint i = 0; i < special->len; i++)
    if (kept == 0 || g_array_index (special, guint, kept - 1) != g_array_index (special, guint, i))
      g_array_index (special, guint, kept++) = g_array_index (special, guint, i);
  g_array_set_size (special, kept);
  return special;
}

static gboolean
has_number (const GArray *numbers, guint number)
{
  guint place = held_before ((const guint *) (gpointer) numbers->data, numbers->len, number);
  return place < numbers->len && g_array_index (numbers, guint, place) == number;
}

/* One update of a list that is not flat. `born` has the number of items of each birth of this update, by ascending section. */
static ListdChange *
sections_change (const ListdUpdate *self, const ListdCounts *old, ListdCounts **result, const ListdBirth *births, const guint32 *born,
                 guint n_born)
{
  guint32 *counts = g_new0 (guint32, self->n_sections + 1);
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (ListdRun));
  g_autoptr (GArray) special = special_sections (self);
  ListdCounts *now;

  for (guint i = 0; i < self->born->len; i++)
    for (guint k = 0; k < RANGE (self->born, i)->length; k++)
      counts[RANGE (self->born, i)->first + k] = 1;
  for (guint r = 0; r < self->runs->len; r++)
    {
      const ListdRun *run = RUN (self->runs, r);
      memcpy (counts + run->to, old->counts + run->from, run->length * sizeof (guint32));
    }
  for (guint i = 0; i < special->len; i++)
    {
      guint section = g_array_index (special, guint, i);
      const ListdRun *run = run_with (self->runs, section);

      if (run != NULL)
        {
          guint to = run->to + (section - run->from);
          gint64 count = (gint64) counts[to] + growth_of (self, section, to);
          counts[to] = MAX (count, 0);
        }
    }
  for (guint i = 0; i < n_born; i++)
    counts[births[i].section] = born[i];
  for (guint i = 0; self->flat && i < self->n_sections; i++)
    counts[i] = 1;
  now = counts_take (counts, self->n_sections);

  for (guint r = 0; r < self->runs->len; r++)
    {
      const ListdRun *run = RUN (self->runs, r);
      guint from = listd_counts_get_start (old, run->from), to = listd_counts_get_start (now, run->to);
      guint next = held_before ((const guint *) (gpointer) special->data, special->len, run->from);
      guint done = 0;

      while (done < run->length)
        {
          guint stop = next < special->len ? MIN (g_array_index (special, guint, next) - run->from, run->length) : run->length;
          guint length = 0, old_count, new_count;
          g_autoptr (GArray) out = NULL;
          g_autoptr (GArray) in = NULL;

          for (; done < stop; done++)
            length += old->counts[run->from + done];
          append_run (runs, from, to, length);
          from += length;
          to += length;
          if (done == run->length)
            break;
          old_count = old->counts[run->from + done];
          new_count = counts[run->to + done];
          if (in_ranges (self->reloads, run->from + done))
            append_run (runs, from, to, MIN (old_count, new_count));
          else
            {
              out = holes_in (self, run->from + done, TRUE);
              in = holes_in (self, run->to + done, FALSE);
              for (guint i = 0, k = 0; i < old_count; i++)
                {
                  if (has_number (out, i))
                    continue;
                  while (has_number (in, k))
                    k++;
                  if (k >= new_count)
                    break;
                  append_run (runs, from + i, to + k++, 1);
                }
            }
          from += old_count;
          to += new_count;
          done++;
          next++;
        }
    }
  for (guint i = 0; i < self->item_moves->len; i++)
    {
      const ItemMove *move = &g_array_index (self->item_moves, ItemMove, i);
      if (move->from.item < listd_counts_get (old, move->from.section) && move->to.item < listd_counts_get (now, move->to.section))
        g_array_append_val (runs, ((ListdRun){ listd_counts_get_start (old, move->from.section) + move->from.item,
                                               listd_counts_get_start (now, move->to.section) + move->to.item, 1 }));
    }
  *result = now;
  return listd_change_new (listd_counts_get_n_items (old), listd_counts_get_n_items (now), runs);
}

static ListdCounts *
flat_counts (guint n)
{
  guint32 *counts = g_new (guint32, n + 1);
  for (guint i = 0; i < n; i++)
    counts[i] = 1;
  return counts_take (counts, n);
}

ListdChange *
listd_updates_change (ListdUpdate *const *updates, guint n_updates, guint n_sections, ListdCounts **counts, const GArray *births,
                      const guint32 *asked)
{
  gboolean flat = *counts == NULL;
  g_autoptr (ListdChange) change = listd_change_new_identity (flat ? n_sections : listd_counts_get_n_items (*counts));
  guint birth = 0, alive = 0;

  for (guint u = 0; flat && u < n_updates; u++)
    flat = updates[u]->flat || updates[u]->kind == LISTD_UPDATE_ANNOUNCE
           || (updates[u]->born->len + updates[u]->reloads->len + updates[u]->item_deletes->len + updates[u]->item_inserts->len == 0
               && updates[u]->item_moves->len == 0);
  if (!flat && *counts == NULL)
    *counts = flat_counts (n_sections);

  for (guint u = 0; u < n_updates; u++)
    {
      ListdUpdate *update = updates[u];
      ListdChange *step, *composed;

      if (update->kind == LISTD_UPDATE_ANNOUNCE)
        continue;
      if (flat)
        step = listd_change_new (update->n_before, update->n_sections, g_array_copy (update->runs));
      else
        {
          guint first = birth;
          g_autoptr (GArray) born = g_array_new (FALSE, FALSE, sizeof (guint32));
          ListdCounts *now;

          for (; births != NULL && birth < births->len && g_array_index (births, ListdBirth, birth).update == u; birth++)
            {
              const ListdBirth *newborn = &g_array_index (births, ListdBirth, birth);
              gint64 count = 1;

              if (newborn->alive)
                count = (gint64) asked[alive++] - newborn->grown;
              else if (newborn->reloaded)
                for (guint r = 0; r < update->runs->len; r++)
                  if (newborn->section >= RUN (update->runs, r)->to
                      && newborn->section - RUN (update->runs, r)->to < RUN (update->runs, r)->length)
                    count = listd_counts_get (*counts, RUN (update->runs, r)->from + (newborn->section - RUN (update->runs, r)->to));
              g_array_append_val (born, ((guint32){ MAX (count, 0) }));
            }
          step = sections_change (update, *counts, &now, births != NULL ? &g_array_index (births, ListdBirth, first) : NULL,
                                  (const guint32 *) (gpointer) born->data, born->len);
          listd_counts_free (*counts);
          *counts = now;
        }
      composed = listd_change_compose (change, step);
      listd_change_free (step);
      listd_change_free (change);
      change = composed;
    }
  if (!flat && listd_counts_is_flat (*counts))
    g_clear_pointer (counts, listd_counts_free);
  return g_steal_pointer (&change);
}

GArray *
listd_clusters_new (const guint *positions, guint n, guint gap, guint longest)
{
  GArray *clusters = g_array_new (FALSE, FALSE, sizeof (ListdCluster));

  for (guint i = 0; i < n; i++)
    {
      ListdCluster *last = clusters->len > 0 ? &g_array_index (clusters, ListdCluster, clusters->len - 1) : NULL;

      if (last != NULL && positions[i] - last->first < longest && positions[i] - (last->first + last->length - 1) <= gap)
        {
          last->length = positions[i] - last->first + 1;
          last->count++;
        }
      else
        g_array_append_val (clusters, ((ListdCluster){ positions[i], 1, 1 }));
    }
  return clusters;
}

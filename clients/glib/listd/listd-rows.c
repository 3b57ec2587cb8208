// SPDX-License-Identifier: Apache-2.0
#include "listd-rows.h"

/* More splices than this are joined where nobody holds an item between them. */
#define MOST_SPLICES 16

typedef enum
{
  OLD,     /* nothing was told */
  REMOVED, /* the removal was told, the addition not yet */
  NEW,
} SpliceState;

/* A change that is being told. */
typedef struct
{
  const ListdChange *change;
  GArray *splices; /* of ListdSplice */
  SpliceState *states;
  GPtrArray *aside; /* items between their old and their new place; referenced */
} Telling;

struct _ListdRows
{
  ListdList *list; /* unowned: the list that the rows are part of */
  GPtrArray *items; /* unowned, ascending by position */
  guint n, n_sections;
  ListdCounts *counts;
  Telling *telling;
};

#define ITEM(rows, i) ((ListdItem *) g_ptr_array_index ((rows)->items, (i)))
#define SPLICE(telling, i) (&g_array_index ((telling)->splices, ListdSplice, (i)))

ListdRows *
listd_rows_new (ListdList *list)
{
  ListdRows *self = g_new0 (ListdRows, 1);

  self->list = list;
  self->items = g_ptr_array_new ();
  return self;
}

void
listd_rows_free (ListdRows *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->items->len; i++)
    ITEM (self, i)->rows = NULL;
  g_ptr_array_unref (self->items);
  listd_counts_free (self->counts);
  g_free (self);
}

guint
listd_rows_get_n (ListdRows *self)
{
  return self->n;
}

guint
listd_rows_get_n_sections (ListdRows *self)
{
  return self->n_sections;
}

const GPtrArray *
listd_rows_get_items (ListdRows *self)
{
  return self->items;
}

const ListdCounts *
listd_rows_get_counts (ListdRows *self)
{
  return self->counts;
}

/* The index of the first item at or behind a position. */
static guint
index_of (ListdRows *self, guint position)
{
  guint low = 0, high = self->items->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (ITEM (self, middle)->position < position)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

ListdItem *
listd_rows_peek (ListdRows *self, guint position)
{
  guint index = index_of (self, position);
  return index < self->items->len && ITEM (self, index)->position == position ? ITEM (self, index) : NULL;
}

/* Where a position of the half-told list will be. */
static guint
target_of (Telling *telling, guint position)
{
  guint64 start = 0;      /* of the stretch that is looked at, in the half-told list */
  guint old = 0, now = 0; /* the same in the old and in the new list */
  guint target;

  for (guint i = 0; i < telling->splices->len; i++)
    {
      const ListdSplice *splice = SPLICE (telling, i);
      guint kept = splice->old - old;

      if (position < start + kept)
        return now + (position - start);
      start += kept;
      switch (telling->states[i])
        {
        case OLD:
          if (position < start + splice->removed)
            return listd_change_map (telling->change, splice->old + (position - start), &target) ? target : LISTD_NO_POSITION;
          start += splice->removed;
          break;
        case REMOVED:
          break;
        case NEW:
          if (position < start + splice->added)
            return splice->now + (position - start);
          start += splice->added;
          break;
        }
      old = splice->old + splice->removed;
      now = splice->now + splice->added;
    }
  return now + (position - start);
}

ListdItem *
listd_rows_get (ListdRows *self, guint position)
{
  guint index = index_of (self, position);
  ListdItem *item;

  if (position >= self->n)
    return NULL;
  if (index < self->items->len && ITEM (self, index)->position == position)
    return g_object_ref (ITEM (self, index));
  item = listd_item_new (self->list, position);
  item->rows = self;
  if (self->telling != NULL)
    item->target = target_of (self->telling, position);
  g_ptr_array_insert (self->items, index, item);
  return item;
}

/* The item is in no place any more. */
static void
leave (ListdItem *item)
{
  item->position = LISTD_NO_POSITION;
  item->rows = NULL;
}

gboolean
listd_rows_is_held (ListdItem *item)
{
  /* A toggle reference would not tell: language bindings have one of their own, and with two of them neither is called. */
  return g_atomic_int_get ((gint *) &G_OBJECT (item)->ref_count) > (item->slot != LISTD_NO_SLOT ? 1 : 0);
}

void
listd_rows_forget (gpointer rows, ListdItem *item)
{
  ListdRows *self = rows;
  guint index = index_of (self, item->position);

  g_assert (index < self->items->len && ITEM (self, index) == item);
  g_ptr_array_remove_index (self->items, index);
  leave (item);
}

void
listd_rows_locate (ListdRows *self, guint position, guint *section, guint *item)
{
  if (self->counts != NULL)
    listd_counts_find (self->counts, position, section, item);
  else
    {
      *section = position;
      *item = 0;
    }
}

guint
listd_rows_get_position (ListdRows *self, guint section, guint item)
{
  if (section >= self->n_sections)
    return LISTD_NO_POSITION;
  if (self->counts == NULL)
    return item == 0 ? section : LISTD_NO_POSITION;
  return item < listd_counts_get (self->counts, section) ? listd_counts_get_start (self->counts, section) + item : LISTD_NO_POSITION;
}

static int
compare_targets (gconstpointer a, gconstpointer b)
{
  guint x = (*(ListdItem *const *) a)->target, y = (*(ListdItem *const *) b)->target;
  return x < y ? -1 : x > y;
}

/* Takes `removed` positions away at `position` and puts `added` there, the `first` of which is so numbered in the new list. */
static void
splice (ListdRows *self, Telling *telling, guint position, guint removed, guint added, guint first)
{
  guint begin = index_of (self, position), end = index_of (self, position + removed);
  g_autoptr (GPtrArray) entering = g_ptr_array_new ();

  for (guint i = begin; i < end; i++)
    {
      ListdItem *item = ITEM (self, i);

      leave (item);
      if (item->target != LISTD_NO_POSITION)
        g_ptr_array_add (telling->aside, g_object_ref (item));
    }
  if (end > begin)
    g_ptr_array_remove_range (self->items, begin, end - begin);
  for (guint i = begin; i < self->items->len; i++)
    ITEM (self, i)->position += added - removed;
  self->n += added - removed;

  for (guint i = 0; i < telling->aside->len && added > 0; i++)
    {
      ListdItem *item = g_ptr_array_index (telling->aside, i);
      if (item->position == LISTD_NO_POSITION && item->target >= first && item->target - first < added)
        g_ptr_array_add (entering, item);
    }
  g_ptr_array_sort (entering, compare_targets);
  for (guint i = 0; i < entering->len; i++)
    {
      ListdItem *item = g_ptr_array_index (entering, i);

      item->position = position + (item->target - first);
      if (listd_rows_peek (self, item->position) != NULL)
        item->position = LISTD_NO_POSITION;
      else
        {
          item->rows = self;
          g_ptr_array_insert (self->items, index_of (self, item->position), item);
        }
    }
  g_list_model_items_changed (G_LIST_MODEL (self->list), position, removed, added);
}

static gboolean
holds_mover (ListdRows *self, const ListdSplice *change)
{
  guint begin = index_of (self, change->old), end = index_of (self, change->old + change->removed);

  for (guint i = begin; i < end; i++)
    if (ITEM (self, i)->target != LISTD_NO_POSITION)
      return TRUE;
  return FALSE;
}

static void
free_aside (gpointer data)
{
  ListdItem *item = data;

  item->target = LISTD_NO_POSITION;
  g_object_unref (item);
}

void
listd_rows_apply (ListdRows *self, const ListdChange *change, ListdCounts *counts, guint n_sections)
{
  Telling telling = { change, NULL, NULL, NULL };
  g_autofree guint *held = g_new (guint, self->items->len + 1);
  g_autofree ListdRun *by_from = g_memdup2 (change->runs->data, change->runs->len * sizeof (ListdRun));
  g_autoptr (GHashTable) targets = g_hash_table_new (NULL, NULL); /* of items that move */
  guint n_held = 0;

  g_assert (self->telling == NULL);
  g_assert (change->n_old == self->n);

  for (guint i = 0; i < self->items->len; i++)
    held[n_held++] = ITEM (self, i)->position;
  /* One pass over the runs would do for many items; there are few. */
  if (n_held < 8 || change->runs->len < 8)
    for (guint i = 0; i < self->items->len; i++)
      {
        ITEM (self, i)->target = LISTD_NO_POSITION;
        listd_change_map (change, held[i], &ITEM (self, i)->target);
      }
  else
    {
      for (guint i = 0; i < self->items->len; i++)
        ITEM (self, i)->target = LISTD_NO_POSITION;
      for (guint r = 0; r < change->runs->len; r++)
        for (guint i = index_of (self, by_from[r].from); i < self->items->len && ITEM (self, i)->position - by_from[r].from < by_from[r].length;
             i++)
          ITEM (self, i)->target = by_from[r].to + (ITEM (self, i)->position - by_from[r].from);
    }
  telling.splices = listd_change_plan (change, held, n_held, MOST_SPLICES);
  telling.states = g_new0 (SpliceState, telling.splices->len + 1);
  telling.aside = g_ptr_array_new_with_free_func (free_aside);
  listd_counts_free (self->counts);
  self->counts = counts;
  self->n_sections = n_sections;
  self->telling = &telling;

  /* A place that a known item enters must wait until the item has left its old place: no item is in the model twice. */
  for (guint i = 0; i < telling.splices->len; i++)
    if (holds_mover (self, SPLICE (&telling, i)))
      for (guint k = index_of (self, SPLICE (&telling, i)->old);
           k < self->items->len && ITEM (self, k)->position - SPLICE (&telling, i)->old < SPLICE (&telling, i)->removed; k++)
        if (ITEM (self, k)->target != LISTD_NO_POSITION)
          g_hash_table_add (targets, GUINT_TO_POINTER (ITEM (self, k)->target));
  for (guint i = telling.splices->len; i-- > 0;)
    {
      const ListdSplice *next = SPLICE (&telling, i);
      gboolean later = FALSE;
      GHashTableIter iter;
      gpointer target;

      g_hash_table_iter_init (&iter, targets);
      while (!later && g_hash_table_iter_next (&iter, &target, NULL))
        later = GPOINTER_TO_UINT (target) >= next->now && GPOINTER_TO_UINT (target) - next->now < next->added;
      if (later)
        {
          telling.states[i] = REMOVED;
          if (next->removed > 0)
            splice (self, &telling, next->old, next->removed, 0, next->now);
        }
      else
        {
          telling.states[i] = NEW;
          splice (self, &telling, next->old, next->removed, next->added, next->now);
        }
    }
  for (guint i = 0; i < telling.splices->len; i++)
    if (telling.states[i] == REMOVED)
      {
        const ListdSplice *next = SPLICE (&telling, i);
        telling.states[i] = NEW;
        splice (self, &telling, next->now, 0, next->added, next->now);
      }
  self->telling = NULL;
  for (guint i = 0; i < self->items->len; i++)
    ITEM (self, i)->target = LISTD_NO_POSITION;
  g_array_unref (telling.splices);
  g_free (telling.states);
  g_ptr_array_unref (telling.aside);
}

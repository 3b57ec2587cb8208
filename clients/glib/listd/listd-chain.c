// SPDX-License-Identifier: Apache-2.0
#include "listd-chain.h"
#include "listd-update-private.h"

#include <string.h>

/* Births */

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
        for (guint k = 0; k < LISTD_RANGE (self->born, i)->length; k++)
          {
            guint section = LISTD_RANGE (self->born, i)->first + k;
            g_array_append_val (births, ((ListdBirth){ u, section, section, 0, TRUE, FALSE }));
          }
      for (guint i = 0; i < self->reloads->len; i++)
        for (guint k = 0; k < LISTD_RANGE (self->reloads, i)->length; k++)
          {
            guint section = LISTD_RANGE (self->reloads, i)->first + k;
            const ListdRun *run = listd_runs_find (self->runs, section);
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
          const ListdRun *run = listd_runs_find (updates[u]->runs, birth->now);
          guint old = birth->now;

          if (updates[u]->kind != LISTD_UPDATE_CHANGES)
            continue;
          if (run == NULL || listd_ranges_have (updates[u]->reloads, old))
            {
              birth->alive = FALSE;
              break;
            }
          birth->now = run->to + (old - run->from);
          birth->grown += listd_update_growth (updates[u], old, birth->now);
        }
    }
  return births;
}

/* Changes */

/* The old sections whose items do not simply stay: ascending, each once. */
static GArray *
special_sections (const ListdUpdate *self)
{
  GArray *special = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) by_to = g_array_copy (self->runs);
  guint kept = 0;

  for (guint i = 0; i < self->reloads->len; i++)
    for (guint k = 0; k < LISTD_RANGE (self->reloads, i)->length; k++)
      g_array_append_val (special, ((guint){ LISTD_RANGE (self->reloads, i)->first + k }));
  for (guint i = 0; i < self->item_deletes->len; i++)
    g_array_append_val (special, LISTD_PLACE (self->item_deletes, i)->section);
  g_array_sort (by_to, listd_runs_compare_to);
  for (guint i = 0; i < self->item_inserts->len + self->item_moves->len; i++)
    {
      guint now = i < self->item_inserts->len ? LISTD_PLACE (self->item_inserts, i)->section
                                              : g_array_index (self->item_moves, ListdItemMove, i - self->item_inserts->len).to.section;
      for (guint r = 0; r < by_to->len; r++)
        if (now >= LISTD_RUN (by_to, r)->to && now - LISTD_RUN (by_to, r)->to < LISTD_RUN (by_to, r)->length)
          g_array_append_val (special, ((guint){ LISTD_RUN (by_to, r)->from + (now - LISTD_RUN (by_to, r)->to) }));
      if (i >= self->item_inserts->len)
        g_array_append_val (special, g_array_index (self->item_moves, ListdItemMove, i - self->item_inserts->len).from.section);
    }
  g_array_sort (special, listd_numbers_compare);
  for (guint i = 0; i < special->len; i++)
    if (kept == 0 || g_array_index (special, guint, kept - 1) != g_array_index (special, guint, i))
      g_array_index (special, guint, kept++) = g_array_index (special, guint, i);
  g_array_set_size (special, kept);
  return special;
}

/* One update of a list that is not flat. `born` has the number of items of each birth of this update, by ascending section. */
static ListdChange *
sections_change (const ListdUpdate *self, const ListdCounts *old, ListdCounts **result, const ListdBirth *births, const guint32 *born,
                 guint n_born)
{
  const guint32 *before = listd_counts_get_all (old);
  guint32 *counts = g_new0 (guint32, self->n_sections + 1);
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (ListdRun));
  g_autoptr (GArray) special = special_sections (self);
  ListdCounts *now;

  for (guint i = 0; i < self->born->len; i++)
    for (guint k = 0; k < LISTD_RANGE (self->born, i)->length; k++)
      counts[LISTD_RANGE (self->born, i)->first + k] = 1;
  for (guint r = 0; r < self->runs->len; r++)
    {
      const ListdRun *run = LISTD_RUN (self->runs, r);
      memcpy (counts + run->to, before + run->from, run->length * sizeof (guint32));
    }
  for (guint i = 0; i < special->len; i++)
    {
      guint section = g_array_index (special, guint, i);
      const ListdRun *run = listd_runs_find (self->runs, section);

      if (run != NULL)
        {
          guint to = run->to + (section - run->from);
          gint64 count = (gint64) counts[to] + listd_update_growth (self, section, to);
          counts[to] = MAX (count, 0);
        }
    }
  for (guint i = 0; i < n_born; i++)
    counts[births[i].section] = born[i];
  for (guint i = 0; self->flat && i < self->n_sections; i++)
    counts[i] = 1;
  now = listd_counts_new_take (counts, self->n_sections);

  for (guint r = 0; r < self->runs->len; r++)
    {
      const ListdRun *run = LISTD_RUN (self->runs, r);
      guint from = listd_counts_get_start (old, run->from), to = listd_counts_get_start (now, run->to);
      guint next = listd_numbers_before ((const guint *) (gpointer) special->data, special->len, run->from);
      guint done = 0;

      while (done < run->length)
        {
          guint stop = next < special->len ? MIN (g_array_index (special, guint, next) - run->from, run->length) : run->length;
          guint length = 0, old_count, new_count;
          g_autoptr (GArray) out = NULL;
          g_autoptr (GArray) in = NULL;

          for (; done < stop; done++)
            length += before[run->from + done];
          listd_runs_append (runs, from, to, length);
          from += length;
          to += length;
          if (done == run->length)
            break;
          old_count = before[run->from + done];
          new_count = counts[run->to + done];
          if (listd_ranges_have (self->reloads, run->from + done))
            listd_runs_append (runs, from, to, MIN (old_count, new_count));
          else
            {
              out = listd_update_holes (self, run->from + done, TRUE);
              in = listd_update_holes (self, run->to + done, FALSE);
              for (guint i = 0, k = 0; i < old_count; i++)
                {
                  if (listd_numbers_have (out, i))
                    continue;
                  while (listd_numbers_have (in, k))
                    k++;
                  if (k >= new_count)
                    break;
                  listd_runs_append (runs, from + i, to + k++, 1);
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
      const ListdItemMove *move = &g_array_index (self->item_moves, ListdItemMove, i);
      if (move->from.item < listd_counts_get (old, move->from.section) && move->to.item < listd_counts_get (now, move->to.section))
        g_array_append_val (runs, ((ListdRun){ listd_counts_get_start (old, move->from.section) + move->from.item,
                                               listd_counts_get_start (now, move->to.section) + move->to.item, 1 }));
    }
  *result = now;
  return listd_change_new (listd_counts_get_n_items (old), listd_counts_get_n_items (now), runs);
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
    *counts = listd_counts_new_flat (n_sections);

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
                  if (newborn->section >= LISTD_RUN (update->runs, r)->to
                      && newborn->section - LISTD_RUN (update->runs, r)->to < LISTD_RUN (update->runs, r)->length)
                    count = listd_counts_get (*counts, LISTD_RUN (update->runs, r)->from + (newborn->section - LISTD_RUN (update->runs, r)->to));
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

// SPDX-License-Identifier: Apache-2.0
#include "listd-change.h"

#include <string.h>

/* Numbers and runs */

int
listd_numbers_compare (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return x < y ? -1 : x > y;
}

guint
listd_numbers_before (const guint *numbers, guint n, guint number)
{
  guint low = 0, high = n;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (numbers[middle] < number)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

gboolean
listd_numbers_have (const GArray *numbers, guint number)
{
  guint place = listd_numbers_before ((const guint *) (gpointer) numbers->data, numbers->len, number);
  return place < numbers->len && g_array_index (numbers, guint, place) == number;
}

int
listd_runs_compare_from (gconstpointer a, gconstpointer b)
{
  const ListdRun *x = a, *y = b;
  return x->from < y->from ? -1 : x->from > y->from;
}

int
listd_runs_compare_to (gconstpointer a, gconstpointer b)
{
  const ListdRun *x = a, *y = b;
  return x->to < y->to ? -1 : x->to > y->to;
}

void
listd_runs_append (GArray *runs, guint from, guint to, guint length)
{
  if (length == 0)
    return;
  if (runs->len > 0)
    {
      ListdRun *last = LISTD_RUN (runs, runs->len - 1);
      if (last->from + last->length == from && last->to + last->length == to)
        {
          last->length += length;
          return;
        }
    }
  g_array_append_val (runs, ((ListdRun){ from, to, length }));
}

const ListdRun *
listd_runs_find (const GArray *runs, guint from)
{
  guint low = 0, high = runs->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (LISTD_RUN (runs, middle)->from <= from)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0 || from - LISTD_RUN (runs, low - 1)->from >= LISTD_RUN (runs, low - 1)->length)
    return NULL;
  return LISTD_RUN (runs, low - 1);
}

/* Changes */

/* Cuts what one run has of the run before it, on the side by which they are ascending. */
static void
cut_overlaps (GArray *runs, gboolean old)
{
  guint kept = 0, next = 0;

  for (guint i = 0; i < runs->len; i++)
    {
      ListdRun run = *LISTD_RUN (runs, i);
      guint begin = old ? run.from : run.to;
      guint cut = begin < next ? MIN (next - begin, run.length) : 0;

      if (cut == run.length)
        continue;
      *LISTD_RUN (runs, kept++) = (ListdRun){ run.from + cut, run.to + cut, run.length - cut };
      next = begin + run.length;
    }
  g_array_set_size (runs, kept);
}

ListdChange *
listd_change_new (guint n_old, guint n_new, GArray *runs)
{
  ListdChange *self = g_new (ListdChange, 1);
  gboolean ordered = TRUE;
  guint kept = 0;

  for (guint i = 0; i < runs->len; i++)
    {
      ListdRun run = *LISTD_RUN (runs, i);

      if (run.length > 0 && run.from < n_old && run.to < n_new)
        *LISTD_RUN (runs, kept++) = (ListdRun){ run.from, run.to, MIN (run.length, MIN (n_old - run.from, n_new - run.to)) };
    }
  g_array_set_size (runs, kept);
  g_array_sort (runs, listd_runs_compare_to);
  cut_overlaps (runs, FALSE);
  for (guint i = 1; i < runs->len && ordered; i++)
    ordered = LISTD_RUN (runs, i - 1)->from + LISTD_RUN (runs, i - 1)->length <= LISTD_RUN (runs, i)->from;
  if (!ordered)
    {
      g_array_sort (runs, listd_runs_compare_from);
      cut_overlaps (runs, TRUE);
      g_array_sort (runs, listd_runs_compare_to);
    }

  kept = 0;
  for (guint i = 0; i < runs->len; i++)
    {
      ListdRun run = *LISTD_RUN (runs, i);
      ListdRun *last = kept > 0 ? LISTD_RUN (runs, kept - 1) : NULL;

      if (last != NULL && last->from + last->length == run.from && last->to + last->length == run.to)
        last->length += run.length;
      else
        *LISTD_RUN (runs, kept++) = run;
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
  listd_runs_append (runs, 0, 0, n);
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
      const ListdRun *later = LISTD_RUN (second->runs, i);
      guint low = 0, high = first->runs->len;

      /* The first earlier run that ends behind the begin of the later one. */
      while (low < high)
        {
          guint middle = low + (high - low) / 2;
          const ListdRun *earlier = LISTD_RUN (first->runs, middle);
          if (earlier->to + earlier->length <= later->from)
            low = middle + 1;
          else
            high = middle;
        }
      for (; low < first->runs->len; low++)
        {
          const ListdRun *earlier = LISTD_RUN (first->runs, low);
          guint begin = MAX (earlier->to, later->from);
          guint end = MIN (earlier->to + earlier->length, later->from + later->length);

          if (earlier->to >= later->from + later->length)
            break;
          listd_runs_append (runs, earlier->from + (begin - earlier->to), later->to + (begin - later->from), end - begin);
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
      const ListdRun *run = LISTD_RUN (self->runs, i);
      if (old >= run->from && old - run->from < run->length)
        {
          *now = run->to + (old - run->from);
          return TRUE;
        }
    }
  return FALSE;
}

static int
compare_indirect (gconstpointer a, gconstpointer b, gpointer data)
{
  const GArray *runs = data;
  return listd_runs_compare_from (LISTD_RUN (runs, *(const guint *) a), LISTD_RUN (runs, *(const guint *) b));
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
      ordered = ordered && (i == 0 || LISTD_RUN (self->runs, i - 1)->from < LISTD_RUN (self->runs, i)->from);
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
      const ListdRun *run = LISTD_RUN (self->runs, i);
      guint64 own = run->length + (guint64) G_MAXUINT32
                                      * (listd_numbers_before (held, n_held, run->from + run->length)
                                         - listd_numbers_before (held, n_held, run->from));
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
    g_array_append_vals (kept, LISTD_RUN (self->runs, i - 1), 1);
  g_array_sort (kept, listd_runs_compare_to);
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
      guint old = i < kept->len ? LISTD_RUN (kept, i)->from : self->n_old;
      guint now = i < kept->len ? LISTD_RUN (kept, i)->to : self->n_new;

      splice.removed = old - splice.old;
      splice.added = now - splice.now;
      if (splice.removed > 0 || splice.added > 0)
        g_array_append_val (splices, splice);
      if (i < kept->len)
        {
          splice.old = old + LISTD_RUN (kept, i)->length;
          splice.now = now + LISTD_RUN (kept, i)->length;
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
      if (listd_numbers_before (held, n_held, begin) == listd_numbers_before (held, n_held, b->old))
        g_array_append_val (between, ((guint){ b->old - begin }));
    }
  if (between->len == 0)
    return splices;
  g_array_sort (between, listd_numbers_compare);
  threshold = g_array_index (between, guint, MIN (splices->len - most, between->len) - 1);
  joined = 1;
  for (guint i = 1; i < splices->len; i++)
    {
      ListdSplice *a = &g_array_index (splices, ListdSplice, joined - 1), b = g_array_index (splices, ListdSplice, i);
      guint begin = a->old + a->removed;

      if (b.old - begin <= threshold && listd_numbers_before (held, n_held, begin) == listd_numbers_before (held, n_held, b.old))
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

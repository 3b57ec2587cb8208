// SPDX-License-Identifier: Apache-2.0
#include "listd-counts.h"

#define BLOCK 256

struct _ListdCounts
{
  guint n;
  guint32 *counts;
  guint *starts; /* the position of each BLOCK'th section's first item; the last is the number of items */
};

ListdCounts *
listd_counts_new_take (guint32 *counts, guint n)
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
  return listd_counts_new_take (g_memdup2 (counts, n * sizeof (guint32)), n);
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

const guint32 *
listd_counts_get_all (const ListdCounts *self)
{
  return self->counts;
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

ListdCounts *
listd_counts_new_flat (guint n)
{
  guint32 *counts = g_new (guint32, n + 1);
  for (guint i = 0; i < n; i++)
    counts[i] = 1;
  return listd_counts_new_take (counts, n);
}

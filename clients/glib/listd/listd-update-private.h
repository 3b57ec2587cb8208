// SPDX-License-Identifier: Apache-2.0
/* What an update is, for the files that compute with it. */
#pragma once

#include "listd-change.h"
#include "listd-update.h"

G_BEGIN_DECLS

typedef struct
{
  guint first, length;
} ListdRange;

typedef struct
{
  guint section, item;
} ListdPlace;

typedef struct
{
  ListdPlace from, to;
} ListdItemMove;

/* An update as it came, but sorted. */
struct _ListdUpdate
{
  gatomicrefcount references;
  char *epoch;
  guint64 base, revision;
  ListdUpdateKind kind;
  gboolean flat;
  guint n_before, n_sections, n_items;
  GArray *runs;    /* of ListdRun, sections that stay, ascending by `from` */
  GArray *born;    /* of ListdRange, new numbers */
  GArray *reloads; /* of ListdRange, old numbers */
  GArray *item_deletes, *item_inserts, *item_reloads; /* of ListdPlace */
  GArray *item_moves;                                 /* of ListdItemMove */
};

#define LISTD_RANGE(array, i) (&g_array_index ((array), ListdRange, (i)))
#define LISTD_PLACE(array, i) (&g_array_index ((array), ListdPlace, (i)))

gboolean listd_ranges_have (const GArray *ranges, guint number);
/* How many places are before (section, item). */
guint listd_places_before (const GArray *places, guint section, guint item);
/* The items of a section that are taken out (`old`), or put in (not `old`): ascending. */
GArray *listd_update_holes (const ListdUpdate *update, guint section, gboolean old);
/* How many items more a section has that stays. */
gint listd_update_growth (const ListdUpdate *update, guint old_section, guint new_section);

G_END_DECLS

// SPDX-License-Identifier: Apache-2.0
/* Where the positions of a list go: no bus, no objects, no signals. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* `length` elements that were at `from` and are at `to`. */
typedef struct
{
  guint from, to, length;
} ListdRun;

/* Replace `removed` positions of the old list at `old` by `added` ones of the new list at `now`. */
typedef struct
{
  guint old, removed, now, added;
} ListdSplice;

/* Ascending numbers: how many are less than one, and whether it is among them. */
guint listd_numbers_before (const guint *numbers, guint n, guint number);
gboolean listd_numbers_have (const GArray *numbers, guint number);
int listd_numbers_compare (gconstpointer a, gconstpointer b);

#define LISTD_RUN(array, i) (&g_array_index ((array), ListdRun, (i)))

/* Joins the run to the last one when they are neighbours. */
void listd_runs_append (GArray *runs, guint from, guint to, guint length);
/* The run that has `from`, of runs ascending by `from`, or NULL. */
const ListdRun *listd_runs_find (const GArray *runs, guint from);
int listd_runs_compare_from (gconstpointer a, gconstpointer b);
int listd_runs_compare_to (gconstpointer a, gconstpointer b);

/* Where the items of a list went. */
typedef struct
{
  guint n_old, n_new;
  GArray *runs; /* of ListdRun, ascending by `to`, disjoint on both sides, neighbours joined */
} ListdChange;

ListdChange *listd_change_new_identity (guint n);
/* Takes the runs, in any order. No element is in two of them afterwards, and none outside of the list: who is first has it. */
ListdChange *listd_change_new (guint n_old, guint n_new, GArray *runs);
void listd_change_free (ListdChange *change);
ListdChange *listd_change_compose (const ListdChange *first, const ListdChange *second);
gboolean listd_change_map (const ListdChange *change, guint old, guint *now);
/* The fewest splices that keep what can stay in order; above `most`, those with nobody held between them are joined.
 * `held` are ascending positions in the old list. */
GArray *listd_change_plan (const ListdChange *change, const guint *held, guint n_held, guint most);

/* The runs of neighbours among ascending positions: `first`, `length` in positions and `count` of members. */
typedef struct
{
  guint first, length, count;
} ListdCluster;

GArray *listd_clusters_new (const guint *positions, guint n, guint gap, guint longest);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ListdChange, listd_change_free)

G_END_DECLS

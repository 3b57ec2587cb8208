// SPDX-License-Identifier: Apache-2.0
/* What an update does to positions: no bus, no objects, no signals. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  LISTD_UPDATE_CHANGES,
  LISTD_UPDATE_RELOAD,
  LISTD_UPDATE_ANNOUNCE,
} ListdUpdateKind;

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

/* One `Updated` of an adapter, or one batch of `GetChanges`. */
typedef struct _ListdUpdate ListdUpdate;

ListdUpdate *listd_update_new (const char *epoch, guint64 base, guint64 revision, const char *kind, guint n_sections, guint n_items,
                               gboolean flat, GVariant *sections, GVariant *items);
ListdUpdate *listd_update_new_from_signal (GVariant *parameters);
ListdUpdate *listd_update_ref (ListdUpdate *update);
void listd_update_unref (ListdUpdate *update);
const char *listd_update_get_epoch (const ListdUpdate *update);
guint64 listd_update_get_base (const ListdUpdate *update);
guint64 listd_update_get_revision (const ListdUpdate *update);
ListdUpdateKind listd_update_get_kind (const ListdUpdate *update);
guint listd_update_get_n_sections (const ListdUpdate *update);
guint listd_update_get_n_items (const ListdUpdate *update);
gboolean listd_update_get_flat (const ListdUpdate *update);
/* Where an item is after the update; FALSE when it is gone. `touched` becomes TRUE when its content may have changed. */
gboolean listd_update_map (const ListdUpdate *update, guint *section, guint *item, gboolean *touched);

/* How many items each section has. A flat list needs none. */
typedef struct _ListdCounts ListdCounts;

ListdCounts *listd_counts_new (const guint32 *counts, guint n);
void listd_counts_free (ListdCounts *counts);
guint listd_counts_get_n_sections (const ListdCounts *counts);
guint listd_counts_get_n_items (const ListdCounts *counts);
guint listd_counts_get (const ListdCounts *counts, guint section);
/* The position of the section's first item. */
guint listd_counts_get_start (const ListdCounts *counts, guint section);
/* The section and item of a position that is in the list. */
void listd_counts_find (const ListdCounts *counts, guint position, guint *section, guint *item);
gboolean listd_counts_is_flat (const ListdCounts *counts);

/* A section whose number of items an update does not tell. */
typedef struct
{
  guint update;      /* index of the update that brought it */
  guint section;     /* its number after that update */
  guint now;         /* its number after the last update */
  gint grown;        /* items that later updates added */
  gboolean alive;    /* nobody deleted or reloaded it since */
  gboolean reloaded; /* it was there before the update */
} ListdBirth;

/* The sections that a chain of updates brings with unknown numbers of items, followed to the end of the chain. */
GArray *listd_births_new (ListdUpdate *const *updates, guint n_updates);

/* Where the items of a list went. */
typedef struct
{
  guint n_old, n_new;
  GArray *runs; /* of ListdRun, ascending by `to`, neighbours joined */
} ListdChange;

ListdChange *listd_change_new_identity (guint n);
ListdChange *listd_change_new (guint n_old, guint n_new, GArray *runs);
void listd_change_free (ListdChange *change);
ListdChange *listd_change_compose (const ListdChange *first, const ListdChange *second);
gboolean listd_change_map (const ListdChange *change, guint old, guint *now);
/* The fewest splices that keep what can stay in order; above `most`, those with nobody held between them are joined.
 * `held` are ascending positions in the old list. */
GArray *listd_change_plan (const ListdChange *change, const guint *held, guint n_held, guint most);

/* What a chain of updates does to items. `counts` is replaced by those after the chain; NULL stands for a flat list. `asked` are the
 * numbers of items after the chain of the births that are alive, in order. */
ListdChange *listd_updates_change (ListdUpdate *const *updates, guint n_updates, guint n_sections, ListdCounts **counts, const GArray *births,
                                   const guint32 *asked);

/* The runs of neighbours among ascending positions: `first`, `length` in positions and `count` of members. */
typedef struct
{
  guint first, length, count;
} ListdCluster;

GArray *listd_clusters_new (const guint *positions, guint n, guint gap, guint longest);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ListdUpdate, listd_update_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ListdCounts, listd_counts_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ListdChange, listd_change_free)

G_END_DECLS

// SPDX-License-Identifier: Apache-2.0
/* How many items each section of a list has, and so where each begins: no bus, no objects, no signals. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* How many items each section has. A flat list needs none. */
typedef struct _ListdCounts ListdCounts;

/* Takes the array. */
ListdCounts *listd_counts_new_take (guint32 *counts, guint n);
ListdCounts *listd_counts_new (const guint32 *counts, guint n);
/* Of `n` sections with one item each. */
ListdCounts *listd_counts_new_flat (guint n);
void listd_counts_free (ListdCounts *counts);
guint listd_counts_get_n_sections (const ListdCounts *counts);
guint listd_counts_get_n_items (const ListdCounts *counts);
guint listd_counts_get (const ListdCounts *counts, guint section);
/* That of each section. */
const guint32 *listd_counts_get_all (const ListdCounts *counts);
/* The position of the section's first item. */
guint listd_counts_get_start (const ListdCounts *counts, guint section);
/* The section and item of a position that is in the list. */
void listd_counts_find (const ListdCounts *counts, guint position, guint *section, guint *item);
gboolean listd_counts_is_flat (const ListdCounts *counts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ListdCounts, listd_counts_free)

G_END_DECLS

// SPDX-License-Identifier: Apache-2.0
/* The items of a list that somebody knows, in their places, and the telling of what became of them. */
#pragma once

#include "listd-private.h"

G_BEGIN_DECLS

typedef struct _ListdRows ListdRows;

ListdRows *listd_rows_new (ListdList *list);
void listd_rows_free (ListdRows *rows);
guint listd_rows_get_n (ListdRows *rows);
guint listd_rows_get_n_sections (ListdRows *rows);
/* The item at a position, made when nobody has it. Transfer full. */
ListdItem *listd_rows_get (ListdRows *rows, guint position);
ListdItem *listd_rows_peek (ListdRows *rows, guint position);
/* All items that are known, by ascending position. Owned by the rows, and not to be kept over a signal. */
const GPtrArray *listd_rows_get_items (ListdRows *rows);
/* Whether anybody but the list holds the item. */
gboolean listd_rows_is_held (ListdItem *item);

void listd_rows_locate (ListdRows *rows, guint position, guint *section, guint *item);
/* LISTD_NO_POSITION when there is no such item. */
guint listd_rows_get_position (ListdRows *rows, guint section, guint item);
/* NULL for a flat list. */
const ListdCounts *listd_rows_get_counts (ListdRows *rows);

/* Moves to another state of the list. Emits `items-changed`: at each, the model is exactly what the signals told so far. */
void listd_rows_apply (ListdRows *rows, const ListdChange *change, ListdCounts *counts, guint n_sections);

G_END_DECLS

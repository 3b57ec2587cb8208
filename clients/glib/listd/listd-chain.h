// SPDX-License-Identifier: Apache-2.0
/* What updates, one after the other, do to the items of a list. */
#pragma once

#include "listd-change.h"
#include "listd-counts.h"
#include "listd-update.h"

G_BEGIN_DECLS

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

/* What a chain of updates does to items. `counts` is replaced by those after the chain; NULL stands for a flat list. `asked` are the
 * numbers of items after the chain of the births that are alive, in order. */
ListdChange *listd_updates_change (ListdUpdate *const *updates, guint n_updates, guint n_sections, ListdCounts **counts, const GArray *births,
                                   const guint32 *asked);

G_END_DECLS

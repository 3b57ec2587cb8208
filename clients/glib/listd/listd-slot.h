// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "listd-private.h"

G_BEGIN_DECLS

typedef struct
{
  double x, y, width, height;
  gint64 z;
} ListdFrame;

ListdSlot *listd_slot_new (guint number);
void listd_slot_show (ListdSlot *slot, ListdItem *item, const char *kind);
/* TRUE when something is another. The slot shows an item. */
gboolean listd_slot_place (ListdSlot *slot, guint section, guint item, const ListdFrame *frame);

G_END_DECLS

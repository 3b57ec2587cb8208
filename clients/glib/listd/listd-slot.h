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
void listd_slot_set_cause (ListdSlot *slot, ListdSlotCause cause);
/* A slot that lies where its frame says travels nowhere: `sticky` is FALSE. TRUE when something is another. */
gboolean listd_slot_set_travel (ListdSlot *slot, gboolean sticky, double first, double last);

G_END_DECLS

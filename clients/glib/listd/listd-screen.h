// SPDX-License-Identifier: Apache-2.0
/* The slots of a view, as its pictures leave them. */
#pragma once

#include "listd-slot.h"

G_BEGIN_DECLS

typedef struct _ListdScreen ListdScreen;

typedef enum
{
  LISTD_SLOT_SHOWN,
  LISTD_SLOT_RELEASED,
  LISTD_SLOT_PLACED,
  LISTD_SLOT_BOUND,
} ListdSlotEvent;

typedef void (*ListdSlotFunc) (gpointer view, ListdSlotEvent event, ListdSlot *slot);

/* What a picture says of the whole view. */
typedef struct
{
  guint64 sequence, revision;
  double width, height, x, y; /* of the content, of the viewport in it */
  double shift_x, shift_y;    /* how far listd moved the viewport by itself since the picture before */
  gboolean animated;
  double sticky_edge;
} ListdPictureHead;

ListdScreen *listd_screen_new (gpointer view, ListdSlotFunc func);
void listd_screen_free (ListdScreen *screen);
/* The slots that show something, in no order. */
GListModel *listd_screen_get_slots (ListdScreen *screen);
/* The first item of the list that meets a rectangle, or NULL. Transfer full. */
ListdSlot *listd_screen_get_first (ListdScreen *screen, double x, double y, double width, double height);
/* The slot that shows an item, or NULL. Transfer full. */
ListdSlot *listd_screen_get_slot_of (ListdScreen *screen, const char *id, guint item);
ListdPictureHead listd_screen_take (ListdScreen *screen, GVariant *picture);
/* Releases all slots. */
void listd_screen_clear (ListdScreen *screen);

G_END_DECLS

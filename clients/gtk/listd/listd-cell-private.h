// SPDX-License-Identifier: Apache-2.0
/* What the flow view knows of a cell. */
#pragma once

#include "listd-cell.h"

G_BEGIN_DECLS

typedef struct
{
  double x, y, width, height;
} ListdRect;

struct _ListdCell
{
  GtkWidget parent_instance;

  GtkWidget *child;
  ListdSlot *slot; /* NULL while the cell is free */
  char *reuse, *kind;
  gboolean made; /* the child is there, from a template or the application */

  ListdRect frame;      /* in the content, as the last picture has it */
  gboolean sticky;      /* it stays at the edge, from `first` to `last` */
  double first, last;
  gint64 z;
  double x, y;          /* where it lay in the viewport before the picture that is being taken */
  ListdRect drawn;      /* the allocation, in the flow view */
  double reported[2];   /* the size that was told last */
  double from_x, from_y; /* where the cell comes from, relative to its frame, at `moved` */
  gint64 moved;          /* 0: it rests */
  double alpha;          /* the opacity that the cell starts with */
  gboolean leaving;      /* what it shows is gone */
  gboolean selected;
  guint place, n; /* which of how many items it is; 0: nobody knows */
  gboolean held; /* somebody drags it */
};

ListdCell *listd_cell_new (const char *kind, const char *reuse);
void listd_cell_set_slot (ListdCell *self, ListdSlot *slot);
/* Whether it, or what is in it, has the focus. */
gboolean listd_cell_has_focus (ListdCell *self);
void listd_cell_set_selected (ListdCell *self, gboolean selected);
/* Tells assistive technologies which of how many items the cell is; 0 when that is not known. */
void listd_cell_set_place (ListdCell *self, guint place, guint n);

G_END_DECLS

// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(LISTD_GTK_INSIDE) && !defined(LISTD_GTK_COMPILATION)
#error "Only <listd-gtk4.h> can be included directly."
#endif

#include <gtk/gtk.h>
#include <listd.h>

G_BEGIN_DECLS

#define LISTD_TYPE_CELL (listd_cell_get_type ())
LISTD_API
G_DECLARE_FINAL_TYPE (ListdCell, listd_cell, LISTD, CELL, GtkWidget)

LISTD_API GtkWidget *listd_cell_get_child (ListdCell *self);
LISTD_API void listd_cell_set_child (ListdCell *self, GtkWidget *child);
LISTD_API ListdSlot *listd_cell_get_slot (ListdCell *self);
LISTD_API ListdItem *listd_cell_get_item (ListdCell *self);
LISTD_API gboolean listd_cell_get_selected (ListdCell *self);
LISTD_API char *listd_cell_get_text (ListdCell *self, GVariant *content, const char *field);

G_END_DECLS

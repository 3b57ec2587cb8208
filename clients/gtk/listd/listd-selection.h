// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(LISTD_GTK_INSIDE) && !defined(LISTD_GTK_COMPILATION)
#error "Only <listd-gtk4.h> can be included directly."
#endif

#include <gtk/gtk.h>
#include <listd.h>

G_BEGIN_DECLS

#define LISTD_TYPE_SELECTION (listd_selection_get_type ())
LISTD_API
G_DECLARE_FINAL_TYPE (ListdSelection, listd_selection, LISTD, SELECTION, GObject)

LISTD_API GtkSelectionModel *listd_selection_new (ListdList *list);
LISTD_API ListdList *listd_selection_get_list (ListdSelection *self);

G_END_DECLS

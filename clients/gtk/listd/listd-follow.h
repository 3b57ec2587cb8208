// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(LISTD_GTK_INSIDE) && !defined(LISTD_GTK_COMPILATION)
#error "Only <listd-gtk4.h> can be included directly."
#endif

#include <gtk/gtk.h>
#include <listd.h>

G_BEGIN_DECLS

LISTD_API void listd_gtk_follow_visible (GtkScrollable *list_view, ListdList *list);
LISTD_API void listd_gtk_stick_to_start (GtkScrollable *list_view, ListdList *list);

G_END_DECLS

// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(LISTD_GTK_INSIDE) && !defined(LISTD_GTK_COMPILATION)
#error "Only <listd-gtk4.h> can be included directly."
#endif

#include <gtk/gtk.h>
#include <listd.h>

G_BEGIN_DECLS

#define LISTD_TYPE_WIDGET_POOL (listd_widget_pool_get_type ())
LISTD_API
G_DECLARE_FINAL_TYPE (ListdWidgetPool, listd_widget_pool, LISTD, WIDGET_POOL, GObject)

LISTD_API ListdWidgetPool *listd_widget_pool_new (void);
LISTD_API guint listd_widget_pool_get_n_widgets (ListdWidgetPool *self);
LISTD_API void listd_widget_pool_clear (ListdWidgetPool *self);

G_END_DECLS

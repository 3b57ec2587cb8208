// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(LISTD_GTK_INSIDE) && !defined(LISTD_GTK_COMPILATION)
#error "Only <listd-gtk4.h> can be included directly."
#endif

#include <gtk/gtk.h>
#include <listd.h>

G_BEGIN_DECLS

LISTD_API GtkExpression *listd_field_expression_new (GType value_type, const char *field);
LISTD_API GtkListItemFactory *listd_text_factory_new (const char *field);

G_END_DECLS

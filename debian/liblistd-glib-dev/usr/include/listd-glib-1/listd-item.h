// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "listd-error.h"

G_BEGIN_DECLS

#define LISTD_TYPE_ITEM (listd_item_get_type ())
LISTD_API
G_DECLARE_FINAL_TYPE (ListdItem, listd_item, LISTD, ITEM, GObject)

LISTD_API const char *listd_item_get_id (ListdItem *self);
LISTD_API guint listd_item_get_item (ListdItem *self);
LISTD_API const char *listd_item_get_reuse_identifier (ListdItem *self);
LISTD_API GVariant *listd_item_get_content (ListdItem *self);
LISTD_API gboolean listd_item_get_loaded (ListdItem *self);
LISTD_API gboolean listd_item_get_selected (ListdItem *self);

LISTD_API GVariant *listd_item_get_value (ListdItem *self, const char *field);
LISTD_API const char *listd_item_get_string (ListdItem *self, const char *field);
LISTD_API gint64 listd_item_get_int (ListdItem *self, const char *field);
LISTD_API double listd_item_get_double (ListdItem *self, const char *field);
LISTD_API char *listd_item_format (ListdItem *self, const char *field);

LISTD_API void listd_item_invoke_async (ListdItem *self, const char *action, GVariant *parameters, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer user_data);
LISTD_API gboolean listd_item_invoke_finish (ListdItem *self, GAsyncResult *result, GError **error);

G_END_DECLS

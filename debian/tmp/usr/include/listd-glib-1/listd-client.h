// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "listd-error.h"

G_BEGIN_DECLS

#define LISTD_TYPE_CLIENT (listd_client_get_type ())
LISTD_API
G_DECLARE_FINAL_TYPE (ListdClient, listd_client, LISTD, CLIENT, GObject)

LISTD_API ListdClient *listd_client_new (GBusType bus);
LISTD_API ListdClient *listd_client_new_for_address (const char *address);
LISTD_API gboolean listd_client_get_available (ListdClient *self);

LISTD_API void listd_client_list_names_async (ListdClient *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
LISTD_API GListModel *listd_client_list_names_finish (ListdClient *self, GAsyncResult *result, GError **error);
LISTD_API void listd_client_create_list_async (ListdClient *self, const char *name, GVariant *options, GCancellable *cancellable,
                                               GAsyncReadyCallback callback, gpointer user_data);
LISTD_API gboolean listd_client_create_list_finish (ListdClient *self, GAsyncResult *result, GError **error);
LISTD_API void listd_client_remove_list_async (ListdClient *self, const char *name, GCancellable *cancellable, GAsyncReadyCallback callback,
                                               gpointer user_data);
LISTD_API gboolean listd_client_remove_list_finish (ListdClient *self, GAsyncResult *result, GError **error);

G_END_DECLS

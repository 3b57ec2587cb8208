// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "listd-list.h"

G_BEGIN_DECLS

/**
 * ListdPosition:
 * @LISTD_POSITION_KEEP: where it is; a new object comes last
 * @LISTD_POSITION_FIRST: first
 * @LISTD_POSITION_LAST: last
 * @LISTD_POSITION_BEFORE: before the anchor
 * @LISTD_POSITION_AFTER: after the anchor
 *
 * Where an object is put.
 */
typedef enum
{
  LISTD_POSITION_KEEP,
  LISTD_POSITION_FIRST,
  LISTD_POSITION_LAST,
  LISTD_POSITION_BEFORE,
  LISTD_POSITION_AFTER,
} ListdPosition;

LISTD_API GType listd_position_get_type (void) G_GNUC_CONST;
#define LISTD_TYPE_POSITION (listd_position_get_type ())

#define LISTD_TYPE_TRANSACTION (listd_transaction_get_type ())
LISTD_API
G_DECLARE_FINAL_TYPE (ListdTransaction, listd_transaction, LISTD, TRANSACTION, GObject)

LISTD_API void listd_transaction_upsert (ListdTransaction *self, const char *id, const char *type, ListdPosition position, const char *anchor,
                                         GVariant *fields);
LISTD_API void listd_transaction_remove (ListdTransaction *self, const char *id);
LISTD_API void listd_transaction_patch (ListdTransaction *self, const char *id, GVariant *set, const char *const *unset);
LISTD_API void listd_transaction_move (ListdTransaction *self, const char *id, ListdPosition position, const char *anchor);
LISTD_API void listd_transaction_set_animated (ListdTransaction *self, gboolean animated);
LISTD_API void listd_transaction_commit_async (ListdTransaction *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                                               gpointer user_data);
LISTD_API guint64 listd_transaction_commit_finish (ListdTransaction *self, GAsyncResult *result, GError **error);

G_END_DECLS

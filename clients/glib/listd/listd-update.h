// SPDX-License-Identifier: Apache-2.0
/* What listd announces of a list: no bus, no objects, no signals. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  LISTD_UPDATE_CHANGES,
  LISTD_UPDATE_RELOAD,
  LISTD_UPDATE_ANNOUNCE,
} ListdUpdateKind;

/* One `Updated` of an adapter, or one batch of `GetChanges`. */
typedef struct _ListdUpdate ListdUpdate;

ListdUpdate *listd_update_new (const char *epoch, guint64 base, guint64 revision, const char *kind, guint n_sections, guint n_items,
                               gboolean flat, GVariant *sections, GVariant *items);
ListdUpdate *listd_update_new_from_signal (GVariant *parameters);
ListdUpdate *listd_update_ref (ListdUpdate *update);
void listd_update_unref (ListdUpdate *update);
/* Empties a queue of updates. */
void listd_updates_clear (GQueue *updates);
const char *listd_update_get_epoch (const ListdUpdate *update);
guint64 listd_update_get_base (const ListdUpdate *update);
guint64 listd_update_get_revision (const ListdUpdate *update);
ListdUpdateKind listd_update_get_kind (const ListdUpdate *update);
/* The sections before it, as far as its own changes tell. */
guint listd_update_get_n_before (const ListdUpdate *update);
guint listd_update_get_n_sections (const ListdUpdate *update);
guint listd_update_get_n_items (const ListdUpdate *update);
gboolean listd_update_get_flat (const ListdUpdate *update);
/* Where an item is after the update; FALSE when it is gone. `touched` becomes TRUE when its content may have changed. */
gboolean listd_update_map (const ListdUpdate *update, guint *section, guint *item, gboolean *touched);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ListdUpdate, listd_update_unref)

G_END_DECLS

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "listd-client.h"
#include "listd-filter.h"
#include "listd-item.h"

G_BEGIN_DECLS

typedef struct _ListdTransaction ListdTransaction;

/**
 * ListdListState:
 * @LISTD_LIST_STATE_OFFLINE: listd is not there; the model keeps what it had
 * @LISTD_LIST_STATE_LOADING: listd is being asked
 * @LISTD_LIST_STATE_READY: the model follows the list
 * @LISTD_LIST_STATE_FAILED: there is no such list, or it may not be read; [property@ListdList:error] says why
 *
 * What a list is doing.
 */
typedef enum
{
  LISTD_LIST_STATE_OFFLINE,
  LISTD_LIST_STATE_LOADING,
  LISTD_LIST_STATE_READY,
  LISTD_LIST_STATE_FAILED,
} ListdListState;

LISTD_API GType listd_list_state_get_type (void) G_GNUC_CONST;
#define LISTD_TYPE_LIST_STATE (listd_list_state_get_type ())

/**
 * ListdListEvents:
 * @LISTD_LIST_EVENTS_NONE: nothing more
 * @LISTD_LIST_EVENTS_DISPLAY: [signal@ListdList::display-changed]
 * @LISTD_LIST_EVENTS_WORKING_RANGE: [signal@ListdList::working-range-changed]
 * @LISTD_LIST_EVENTS_NEAR_END: [signal@ListdList::near-end]
 * @LISTD_LIST_EVENTS_INVOKED: [signal@ListdList::invoked]
 *
 * Which events of a list a program hears, besides the list itself.
 */
typedef enum /*< flags >*/
{
  LISTD_LIST_EVENTS_NONE = 0,
  LISTD_LIST_EVENTS_DISPLAY = 1 << 0,
  LISTD_LIST_EVENTS_WORKING_RANGE = 1 << 1,
  LISTD_LIST_EVENTS_NEAR_END = 1 << 2,
  LISTD_LIST_EVENTS_INVOKED = 1 << 3,
} ListdListEvents;

LISTD_API GType listd_list_events_get_type (void) G_GNUC_CONST;
#define LISTD_TYPE_LIST_EVENTS (listd_list_events_get_type ())

/**
 * ListdRef:
 * @id: the id of an object
 * @item: one of its items
 *
 * The name of an item, for the selection.
 */
typedef struct
{
  const char *id;
  guint item;
} ListdRef;

#define LISTD_TYPE_LIST (listd_list_get_type ())
LISTD_API
G_DECLARE_FINAL_TYPE (ListdList, listd_list, LISTD, LIST, GObject)

LISTD_API ListdList *listd_list_new (ListdClient *client, const char *name);
LISTD_API ListdList *listd_list_new_filtered (ListdClient *client, const char *base, const ListdFilter *filter);
LISTD_API void listd_list_set_filter (ListdList *self, const ListdFilter *filter);

LISTD_API ListdClient *listd_list_get_client (ListdList *self);
LISTD_API const char *listd_list_get_name (ListdList *self);
LISTD_API ListdListState listd_list_get_state (ListdList *self);
LISTD_API const GError *listd_list_get_error (ListdList *self);
LISTD_API guint64 listd_list_get_revision (ListdList *self);
LISTD_API const char *listd_list_get_epoch (ListdList *self);
LISTD_API const char *const *listd_list_get_fields (ListdList *self);
LISTD_API void listd_list_set_fields (ListdList *self, const char *const *fields);
LISTD_API guint listd_list_get_overscan (ListdList *self);
LISTD_API void listd_list_set_overscan (ListdList *self, guint overscan);
LISTD_API const char *listd_list_get_anchor_id (ListdList *self);
LISTD_API GVariant *listd_list_get_hints (ListdList *self);
LISTD_API ListdListEvents listd_list_get_events (ListdList *self);
LISTD_API void listd_list_set_events (ListdList *self, ListdListEvents events);

LISTD_API void listd_list_set_visible_range (ListdList *self, guint first, guint n);
LISTD_API guint listd_list_get_position (ListdList *self, ListdItem *item);

LISTD_API void listd_list_find_async (ListdList *self, const char *id, GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data);
LISTD_API guint listd_list_find_finish (ListdList *self, GAsyncResult *result, GError **error);
LISTD_API void listd_list_search_async (ListdList *self, const char *text, guint from, gboolean backwards, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer user_data);
LISTD_API guint listd_list_search_finish (ListdList *self, GAsyncResult *result, GError **error);
LISTD_API gboolean listd_list_is_selected (ListdList *self, const char *id, guint item);
LISTD_API guint listd_list_get_n_selected (ListdList *self);
LISTD_API void listd_list_set_selection_async (ListdList *self, const ListdRef *refs, gsize n_refs, GCancellable *cancellable,
                                               GAsyncReadyCallback callback, gpointer user_data);
LISTD_API gboolean listd_list_set_selection_finish (ListdList *self, GAsyncResult *result, GError **error);
LISTD_API void listd_list_change_selection_async (ListdList *self, const ListdRef *select, gsize n_select, const ListdRef *deselect,
                                                  gsize n_deselect, GCancellable *cancellable, GAsyncReadyCallback callback,
                                                  gpointer user_data);
LISTD_API gboolean listd_list_change_selection_finish (ListdList *self, GAsyncResult *result, GError **error);
LISTD_API void listd_list_select_async (ListdList *self, ListdItem *item, gboolean selected, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer user_data);
LISTD_API gboolean listd_list_select_finish (ListdList *self, GAsyncResult *result, GError **error);

LISTD_API void listd_list_replace_async (ListdList *self, GVariant *objects, guint64 expected_revision, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data);
LISTD_API guint64 listd_list_replace_finish (ListdList *self, GAsyncResult *result, GError **error);
LISTD_API ListdTransaction *listd_list_begin (ListdList *self, guint64 expected_revision);

G_END_DECLS

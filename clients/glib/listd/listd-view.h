// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "listd-client.h"
#include "listd-item.h"

G_BEGIN_DECLS

/**
 * ListdScrollPosition:
 * @LISTD_SCROLL_POSITION_NEAREST: as near as possible
 * @LISTD_SCROLL_POSITION_START: at the begin of the viewport
 * @LISTD_SCROLL_POSITION_CENTER: in its middle
 * @LISTD_SCROLL_POSITION_END: at its end
 *
 * Where an item comes to lie.
 */
typedef enum
{
  LISTD_SCROLL_POSITION_NEAREST,
  LISTD_SCROLL_POSITION_START,
  LISTD_SCROLL_POSITION_CENTER,
  LISTD_SCROLL_POSITION_END,
} ListdScrollPosition;

LISTD_API GType listd_scroll_position_get_type (void) G_GNUC_CONST;
#define LISTD_TYPE_SCROLL_POSITION (listd_scroll_position_get_type ())

/**
 * ListdViewState:
 * @LISTD_VIEW_STATE_OFFLINE: listd is not there; the slots stay as they were
 * @LISTD_VIEW_STATE_OPENING: listd is being asked
 * @LISTD_VIEW_STATE_ACTIVE: pictures come
 * @LISTD_VIEW_STATE_FAILED: there is no such list, or it may not be read
 * @LISTD_VIEW_STATE_CLOSED: it was closed
 *
 * What a view is doing.
 */
typedef enum
{
  LISTD_VIEW_STATE_OFFLINE,
  LISTD_VIEW_STATE_OPENING,
  LISTD_VIEW_STATE_ACTIVE,
  LISTD_VIEW_STATE_FAILED,
  LISTD_VIEW_STATE_CLOSED,
} ListdViewState;

LISTD_API GType listd_view_state_get_type (void) G_GNUC_CONST;
#define LISTD_TYPE_VIEW_STATE (listd_view_state_get_type ())

/**
 * ListdSlotCause:
 * @LISTD_SLOT_CAUSE_SCROLLED: the viewport moved, and the list did not change there
 * @LISTD_SLOT_CAUSE_INSERTED: what the slot shows is new in the list
 * @LISTD_SLOT_CAUSE_DELETED: what the slot showed is gone
 * @LISTD_SLOT_CAUSE_MOVED: it has another place in the list
 * @LISTD_SLOT_CAUSE_RELOADED: it was made anew where it is
 *
 * Why a picture shows, releases or places a slot.
 */
typedef enum
{
  LISTD_SLOT_CAUSE_SCROLLED,
  LISTD_SLOT_CAUSE_INSERTED,
  LISTD_SLOT_CAUSE_DELETED,
  LISTD_SLOT_CAUSE_MOVED,
  LISTD_SLOT_CAUSE_RELOADED,
} ListdSlotCause;

LISTD_API GType listd_slot_cause_get_type (void) G_GNUC_CONST;
#define LISTD_TYPE_SLOT_CAUSE (listd_slot_cause_get_type ())

#define LISTD_TYPE_SLOT (listd_slot_get_type ())
LISTD_API
G_DECLARE_FINAL_TYPE (ListdSlot, listd_slot, LISTD, SLOT, GObject)

LISTD_API guint listd_slot_get_number (ListdSlot *self);
LISTD_API ListdItem *listd_slot_get_item (ListdSlot *self);
LISTD_API guint listd_slot_get_section (ListdSlot *self);
LISTD_API const char *listd_slot_get_kind (ListdSlot *self);
LISTD_API double listd_slot_get_x (ListdSlot *self);
LISTD_API double listd_slot_get_y (ListdSlot *self);
LISTD_API double listd_slot_get_width (ListdSlot *self);
LISTD_API double listd_slot_get_height (ListdSlot *self);
LISTD_API gint64 listd_slot_get_z (ListdSlot *self);
LISTD_API ListdSlotCause listd_slot_get_cause (ListdSlot *self);
LISTD_API gboolean listd_slot_get_travel (ListdSlot *self, double *first, double *last);

#define LISTD_TYPE_VIEW (listd_view_get_type ())
LISTD_API
G_DECLARE_FINAL_TYPE (ListdView, listd_view, LISTD, VIEW, GObject)

LISTD_API ListdView *listd_view_new (ListdClient *client, const char *name, GVariant *options);
LISTD_API const char *listd_view_get_name (ListdView *self);
LISTD_API ListdViewState listd_view_get_state (ListdView *self);
LISTD_API const GError *listd_view_get_error (ListdView *self);
LISTD_API double listd_view_get_content_width (ListdView *self);
LISTD_API double listd_view_get_content_height (ListdView *self);
LISTD_API double listd_view_get_offset_x (ListdView *self);
LISTD_API double listd_view_get_offset_y (ListdView *self);
LISTD_API double listd_view_get_shift_x (ListdView *self);
LISTD_API double listd_view_get_shift_y (ListdView *self);
LISTD_API gboolean listd_view_get_animated (ListdView *self);
LISTD_API double listd_view_get_sticky_edge (ListdView *self);
LISTD_API guint64 listd_view_get_revision (ListdView *self);
LISTD_API GVariant *listd_view_get_hints (ListdView *self);
LISTD_API GListModel *listd_view_get_slots (ListdView *self);

LISTD_API void listd_view_set_viewport (ListdView *self, double x, double y, double width, double height);
LISTD_API void listd_view_set_on_screen (ListdView *self, gboolean on_screen);
LISTD_API void listd_view_acknowledge (ListdView *self);
LISTD_API void listd_view_report_size (ListdView *self, ListdSlot *slot, double width, double height);
LISTD_API void listd_view_close (ListdView *self);

LISTD_API void listd_view_scroll_to_async (ListdView *self, const char *id, guint item, ListdScrollPosition position,
                                           GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
LISTD_API gboolean listd_view_scroll_to_finish (ListdView *self, GAsyncResult *result, GError **error);
LISTD_API void listd_view_move_item_async (ListdView *self, guint from_section, guint from_item, guint to_section, guint to_item,
                                           GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
LISTD_API gboolean listd_view_move_item_finish (ListdView *self, GAsyncResult *result, guint64 *revision, GError **error);
LISTD_API void listd_view_invoke_async (ListdView *self, ListdSlot *slot, const char *action, GVariant *parameters,
                                        GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
LISTD_API gboolean listd_view_invoke_finish (ListdView *self, GAsyncResult *result, GError **error);

G_END_DECLS

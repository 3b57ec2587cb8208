// SPDX-License-Identifier: Apache-2.0
/* What the files of ListdView share: its face, what keeps it shown, and its calls. */
#pragma once

#include "listd-hints.h"
#include "listd-pictures.h"
#include "listd-private.h"
#include "listd-screen.h"

G_BEGIN_DECLS

/* Where a view was when it ended: the first item in the viewport, and how far the viewport began behind the item's own begin. */
typedef struct
{
  char *id; /* NULL: nowhere, or where the program says */
  guint item;
  double x, y;
  gboolean returning; /* the view was opened there, and has no picture yet */
} ListdViewPlace;

struct _ListdView
{
  GObject parent_instance;

  ListdClient *client;
  char *name;
  char *path;
  GVariant *options;
  ListdQueue queue;

  ListdViewState state;
  GError *error;
  guint serial;
  guint wait;
  GSource *retry, *soon;
  gboolean appeared;
  ListdPictures *pictures;
  ListdScreen *screen;
  ListdHints *hints;
  ListdPictureHead head; /* of the last picture that the slots show */
  gboolean has_viewport, viewport_changed, asking;
  double viewport[4]; /* in the content of the last picture */
  ListdViewPlace place;
  GHashTable *sizes; /* "ITEM id" -> (sudd) */
};

enum
{
  PROP_0,
  PROP_CLIENT,
  PROP_NAME,
  PROP_OPTIONS,
  PROP_STATE,
  PROP_ERROR,
  PROP_CONTENT_WIDTH,
  PROP_CONTENT_HEIGHT,
  PROP_OFFSET_X,
  PROP_OFFSET_Y,
  PROP_SHIFT_X,
  PROP_SHIFT_Y,
  PROP_ANIMATED,
  PROP_STICKY_EDGE,
  PROP_REVISION,
  PROP_SLOTS,
  PROP_HINTS,
  LISTD_VIEW_N_PROPS
};

enum
{
  SLOT_SHOWN,
  SLOT_RELEASED,
  SLOT_PLACED,
  SLOT_BOUND,
  PICTURE,
  LISTD_VIEW_N_SIGNALS
};

extern GParamSpec *listd_view_properties[LISTD_VIEW_N_PROPS];
extern guint listd_view_signals[LISTD_VIEW_N_SIGNALS];

/* The view is open and follows listd as long as it is neither closed nor disposed. */
void listd_view_begin_showing (ListdView *view);
void listd_view_stop_showing (ListdView *view);
void listd_view_end_showing (ListdView *view);
void listd_view_tell_slot (gpointer view, ListdSlotEvent event, ListdSlot *slot);
/* Sends the viewport and sizes that are new, once in a turn of the main loop. */
void listd_view_send_soon (ListdView *view);
/* Calls a method of the view for the application, as listd_client_call() does; without a view, the task fails. */
void listd_view_call (ListdView *view, const char *method, GVariant *parameters, const char *reply_type, GTask *task);

G_END_DECLS

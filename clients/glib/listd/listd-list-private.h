// SPDX-License-Identifier: Apache-2.0
/* What the files of ListdList share: its face, its opening, its selection and its questions. */
#pragma once

#include "listd-follower.h"
#include "listd-hints.h"
#include "listd-private.h"
#include "listd-window.h"

G_BEGIN_DECLS

struct _ListdList
{
  GObject parent_instance;

  ListdClient *client;
  char *name;
  char *path;
  char *base;          /* of a filtered list */
  ListdFilter *filter; /* likewise */

  ListdQueue queue;
  ListdRows *rows;
  ListdFollower *follower;
  ListdWindow *window;

  ListdListState state;
  GError *error;
  guint serial; /* of the opening */
  gboolean opening;
  gboolean appeared; /* while it was opened */
  gboolean resync;
  guint wait; /* milliseconds before it is opened again */
  GSource *retry;
  guint subscriptions[6];
  guint overscan;
  ListdListEvents events;
  ListdHints *hints;
  char *argument; /* the filter that listd is known to have */

  /* listd-list-select.c */
  GHashTable *selected; /* "ITEM id", since somebody asked */
  gboolean wants_selection, asked_selection, knows_selection;
  GQueue wishes; /* of Wish: selections that wait until the list is open */
};

enum
{
  PROP_0,
  PROP_CLIENT,
  PROP_NAME,
  PROP_BASE,
  PROP_FILTER,
  PROP_STATE,
  PROP_ERROR,
  PROP_REVISION,
  PROP_EPOCH,
  PROP_ITEM_TYPE,
  PROP_N_ITEMS,
  PROP_FIELDS,
  PROP_OVERSCAN,
  PROP_ANCHOR_ID,
  PROP_HINTS,
  PROP_EVENTS,
  PROP_N_SELECTED,
  LISTD_LIST_N_PROPS
};

enum
{
  CONTENT_CHANGED,
  DISPLAY_CHANGED,
  WORKING_RANGE_CHANGED,
  NEAR_END,
  INVOKED,
  SELECTION_CHANGED,
  LISTD_LIST_N_SIGNALS
};

extern GParamSpec *listd_list_properties[LISTD_LIST_N_PROPS];
extern guint listd_list_signals[LISTD_LIST_N_SIGNALS];

/* The list follows listd as long as it is not disposed. */
void listd_list_begin_following (ListdList *list);
void listd_list_end_following (ListdList *list);
/* Of the list's queue: its filter, or what else it was opened with, is another. */
void listd_list_send_filter (gpointer list, gpointer data);
void listd_list_open_again (gpointer list, gpointer data);
void listd_list_init_selection (ListdList *list);
/* The selection is another. */
void listd_list_take_selection (ListdList *list, GVariant *selected, GVariant *deselected);
/* The list is open: what was selected before may not be any more, and what waited can be selected. */
void listd_list_open_selection (ListdList *list);
/* There is no list, or it cannot be opened: nothing is selected, and what waits will not be. */
void listd_list_end_selection (ListdList *list, const GError *error);

G_END_DECLS

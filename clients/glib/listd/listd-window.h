// SPDX-License-Identifier: Apache-2.0
/* What of a list is loaded: the view that follows what is visible, and questions for the items that are held elsewhere. */
#pragma once

#include "listd-follower.h"

G_BEGIN_DECLS

typedef struct _ListdWindow ListdWindow;

typedef struct
{
  /* These items have become another. Each has been told already. */
  void (*loaded) (gpointer list, guint first, guint n);
  /* The view ended by itself. */
  void (*closed) (gpointer list, const char *reason);
} ListdWindowFuncs;

ListdWindow *listd_window_new (ListdClient *client, ListdQueue *queue, ListdRows *rows, ListdFollower *follower, const char *path,
                               const ListdWindowFuncs *funcs);
void listd_window_free (ListdWindow *window);
/* The options of OpenView that the window needs. */
void listd_window_add_options (ListdWindow *window, GVariantDict *options);
/* The view is open. */
void listd_window_open (ListdWindow *window, const char *view);
const char *listd_window_get_view (ListdWindow *window);
/* Ends the view, if it is still there, and forgets what it showed. */
void listd_window_close (ListdWindow *window);
void listd_window_set_fields (ListdWindow *window, const char *const *fields);
const char *const *listd_window_get_fields (ListdWindow *window);
/* The range that somebody sees; without it, the items that are held. */
void listd_window_set_range (ListdWindow *window, guint first, guint n);
guint listd_window_get_first (ListdWindow *window);
/* Looks soon what has to be asked. */
void listd_window_refresh (ListdWindow *window);
/* The rows are about to move, and have moved. */
void listd_window_moving (ListdWindow *window, ListdUpdate *const *updates, guint n_updates);
void listd_window_moved (ListdWindow *window, gboolean resync);

ListdWindow *listd_list_get_window (ListdList *list);

G_END_DECLS

// SPDX-License-Identifier: Apache-2.0
/* Keeps the rows of a list at the revisions that listd announces: gaps, unknown numbers of items, reloads and new epochs. */
#pragma once

#include "listd-rows.h"

G_BEGIN_DECLS

typedef struct _ListdFollower ListdFollower;

typedef struct
{
  /* The rows are about to move; the updates are NULL when everything may have changed. */
  void (*moving) (gpointer list, ListdUpdate *const *updates, guint n_updates);
  /* The rows moved. */
  void (*moved) (gpointer list);
  /* What is announced does not fit together: open the list again. */
  void (*lost) (gpointer list);
} ListdFollowerFuncs;

ListdFollower *listd_follower_new (ListdClient *client, ListdQueue *queue, ListdRows *rows, const char *path, const ListdFollowerFuncs *funcs);
void listd_follower_free (ListdFollower *follower);
const char *listd_follower_get_epoch (ListdFollower *follower);
guint64 listd_follower_get_revision (ListdFollower *follower);
/* The list is open, and this is where it was at that moment. */
void listd_follower_start (ListdFollower *follower, const char *epoch, guint64 revision, guint n_sections, guint n_items, gboolean flat);
gboolean listd_follower_is_started (ListdFollower *follower);
/* Whether the rows show a revision of the list, be it an old one. */
gboolean listd_follower_is_filled (ListdFollower *follower);
void listd_follower_stop (ListdFollower *follower);
/* The list is gone, and its rows with it. */
void listd_follower_clear (ListdFollower *follower);
void listd_follower_push (ListdFollower *follower, ListdUpdate *update);
/* Something says that the list has reached this revision. */
void listd_follower_need (ListdFollower *follower, guint64 revision);
/* Where an item of an earlier revision is now. FALSE when it is gone or the way is not known any more. */
gboolean listd_follower_map (ListdFollower *follower, guint64 revision, guint *section, guint *item, gboolean *touched);
/* Calls when the rows are at the revision or later, or the follower stops. */
void listd_follower_when_at (ListdFollower *follower, guint64 revision, ListdEventFunc func, gpointer data, GDestroyNotify destroy);

G_END_DECLS

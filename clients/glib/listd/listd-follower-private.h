// SPDX-License-Identifier: Apache-2.0
/* What the files of the follower share. */
#pragma once

#include "listd-follower.h"

G_BEGIN_DECLS

typedef enum
{
  LISTD_WORK_IDLE,
  LISTD_WORK_ASKING_CHANGES,
  LISTD_WORK_ASKING_COUNTS,
  LISTD_WORK_RELOCATING,
} ListdWork;

/* A known item that is looked for in the list after a reload. */
typedef struct
{
  ListdItem *item; /* referenced */
  gboolean found;
  guint64 revision;
  guint section;
} ListdLost;

/* Reading anew without losing the items that somebody holds. */
typedef struct
{
  char *epoch;
  guint64 base;
  guint n_sections;
  gboolean flat;
  GArray *lost; /* of ListdLost */
  guint next, under_way, searches;
  GArray *counts; /* of guint32, while they are read */
  guint64 counts_revision;
} ListdRelocation;

struct _ListdFollower
{
  ListdClient *client;
  ListdQueue *queue;
  ListdRows *rows;
  char *path;
  const ListdFollowerFuncs *funcs;
  char *epoch;
  guint64 revision;
  guint64 needed;
  gboolean started;
  gboolean filled; /* the rows are those of `epoch` and `revision` */
  ListdWork work;
  guint serial; /* of the work, so that answers to abandoned questions say nothing */
  GQueue pending; /* of ListdUpdate that come next */
  GQueue log;     /* of ListdUpdate that were applied */
  GPtrArray *waiters;
  ListdRelocation *relocation;
  guint attempts;
};

typedef struct
{
  ListdFollower *follower;
  guint serial;
  guint first, count; /* of a question about a range */
  guint lost;         /* of a search */
} ListdAsked;

ListdAsked *listd_follower_asked_new (ListdFollower *follower);
/* Answers to what was asked before say nothing any more. */
void listd_follower_set_work (ListdFollower *follower, ListdWork work);
/* Does what comes next. */
void listd_follower_advance (ListdFollower *follower);
/* The pending updates that follow each other without a gap, a reload or another epoch. */
guint listd_follower_chain_length (ListdFollower *follower, guint64 revision, const char *epoch);
/* Reads the list anew, which is at `base` or later. */
void listd_follower_relocate (ListdFollower *follower, const char *epoch, guint64 base, guint n_sections, gboolean flat);
void listd_relocation_free (ListdRelocation *relocation);

G_END_DECLS

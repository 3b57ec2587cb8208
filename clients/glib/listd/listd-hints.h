// SPDX-License-Identifier: Apache-2.0
/* How people want to see the fields of a list, as long as somebody follows it. */
#pragma once

#include "listd-private.h"

G_BEGIN_DECLS

typedef struct _ListdHints ListdHints;

/* `changed` is called when they are others; `path` is that of the list, and lives as long. */
ListdHints *listd_hints_new (ListdClient *client, ListdQueue *queue, const char *path, void (*changed) (gpointer object));
void listd_hints_free (ListdHints *hints);
/* Asks for them, and hears when they change, until they are followed no more; what was known stays. */
void listd_hints_follow (ListdHints *hints);
void listd_hints_unfollow (ListdHints *hints);
/* A dictionary `a{ss}` from field to hint, or NULL. */
GVariant *listd_hints_get (ListdHints *hints);

G_END_DECLS

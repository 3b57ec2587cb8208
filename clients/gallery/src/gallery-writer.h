// SPDX-License-Identifier: Apache-2.0
/* The processes beside the window. They know it only by listd. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Runs until its parent ends, or its work is done. Roles:
 * `million`, `map` and `others` fill lists; the first two end then, the last one lets messages arrive in the feed;
 * `insert` inserts 50 rows a second in front of the million;
 * `thumbnails` fills the list of photographs, and makes thumbnails of those that are near the screen. */
int gallery_writer_run (const char *role, const char *bus, const char *directory, guint rows);

G_END_DECLS

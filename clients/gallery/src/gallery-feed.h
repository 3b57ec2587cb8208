// SPDX-License-Identifier: Apache-2.0
/* The file that the plugin marslink reads. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Writes the feed of some weeks on Mars. */
void gallery_feed_begin (const char *directory);
/* Lets the next message arrive. FALSE when there are no more. */
gboolean gallery_feed_append (const char *directory);

G_END_DECLS

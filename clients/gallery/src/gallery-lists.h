// SPDX-License-Identifier: Apache-2.0
/* The lists that the gallery shows. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *name;
  GVariant *options; /* of CreateAdapter */
} GalleryList;

/* All of them; the feed is read from a file in `directory`. Those that are `transient` end with the connection that makes them. */
GPtrArray *gallery_lists_new (const char *directory, gboolean transient);

G_END_DECLS

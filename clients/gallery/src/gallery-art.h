// SPDX-License-Identifier: Apache-2.0
/* Pictures that are computed: landscapes in place of photographs, and covers of books. */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

#define GALLERY_PHOTO_WIDTH 392
#define GALLERY_PHOTO_HEIGHT 280

/* Writes a thumbnail as a PNG, whole or not at all. The name tells the time of day. */
gboolean gallery_art_write_landscape (const char *path, guint seed, const char *name);
/* Draws a cover without its text; `light` is whether dark text is readable on it. */
void gallery_art_draw_cover (cairo_t *cairo, double width, double height, guint seed, gboolean *light);

G_END_DECLS

// SPDX-License-Identifier: Apache-2.0
/* A tile of the map, painted from the heights in its item. */
#pragma once

#include <gtk/gtk.h>
#include <listd.h>

G_BEGIN_DECLS

#define GALLERY_TYPE_TILE (gallery_tile_get_type ())
G_DECLARE_FINAL_TYPE (GalleryTile, gallery_tile, GALLERY, TILE, GtkWidget)

GtkWidget *gallery_tile_new (void);
void gallery_tile_show (GalleryTile *self, ListdItem *item);

G_END_DECLS

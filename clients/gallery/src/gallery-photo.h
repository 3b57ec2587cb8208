// SPDX-License-Identifier: Apache-2.0
/* A photograph with its name. Until its thumbnail exists there is a grey place for it; then it fades in. */
#pragma once

#include <gtk/gtk.h>
#include <listd.h>

G_BEGIN_DECLS

#define GALLERY_TYPE_PHOTO (gallery_photo_get_type ())
G_DECLARE_FINAL_TYPE (GalleryPhoto, gallery_photo, GALLERY, PHOTO, GtkWidget)

GtkWidget *gallery_photo_new (void);
void gallery_photo_show (GalleryPhoto *self, ListdItem *item);
gboolean gallery_photo_has_thumbnail (GalleryPhoto *self);

G_END_DECLS

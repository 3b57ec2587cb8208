// SPDX-License-Identifier: Apache-2.0
/* A row with a person: an avatar, a name, a place and a number. */
#pragma once

#include <gtk/gtk.h>
#include <listd.h>

G_BEGIN_DECLS

#define GALLERY_TYPE_PERSON (gallery_person_get_type ())
G_DECLARE_FINAL_TYPE (GalleryPerson, gallery_person, GALLERY, PERSON, GtkWidget)

GtkWidget *gallery_person_new (void);
/* `found` is marked in the name and the place; it may be NULL, as may the item. */
void gallery_person_show (GalleryPerson *self, ListdItem *item, const char *found);
/* The object of the item, or NULL when it is not there yet. */
const char *gallery_person_get_id (GalleryPerson *self);

G_END_DECLS

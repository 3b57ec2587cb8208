// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <listd.h>

G_BEGIN_DECLS

#define GALLERY_TYPE_SERVICE (gallery_service_get_type ())
G_DECLARE_FINAL_TYPE (GalleryService, gallery_service, GALLERY, SERVICE, GObject)

/* Finds the listd on `bus` ("session", "system" or an address), or with NULL one on which this user may make lists, or else starts one
 * on a bus of its own. */
GalleryService *gallery_service_new (const char *bus, guint rows, GError **error);
/* Ends what it started. */
void gallery_service_stop (GalleryService *self);

ListdClient *gallery_service_get_client (GalleryService *self);
/* Where a program that gets `--bus` finds the same listd. */
const char *gallery_service_get_bus (GalleryService *self);
/* Whether the gallery started this listd, so that it may kill it. */
gboolean gallery_service_is_own (GalleryService *self);
/* As kill -9. A listd of the gallery's own comes back after a moment. */
void gallery_service_kill (GalleryService *self);

/* Makes the lists as soon as listd is there, and starts the processes that fill them and make thumbnails. Lists on a listd that is not
 * the gallery's own end with the gallery. */
void gallery_service_begin (GalleryService *self);
/* Whether the long lists are filled. */
gboolean gallery_service_is_filled (GalleryService *self);
/* Why a list could not be made, or NULL. The signal `refused` tells it with the name. */
const char *gallery_service_get_refusal (GalleryService *self, const char *list);
/* Starts another process of this program in a role of gallery-writer.h; it ends with the gallery. */
GSubprocess *gallery_service_run_writer (GalleryService *self, const char *role);

G_END_DECLS

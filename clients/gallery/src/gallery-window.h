// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gallery-screen.h"

G_BEGIN_DECLS

#define GALLERY_TYPE_WINDOW (gallery_window_get_type ())
G_DECLARE_FINAL_TYPE (GalleryWindow, gallery_window, GALLERY, WINDOW, AdwApplicationWindow)

GtkWidget *gallery_window_new (AdwApplication *application, GalleryService *service);
void gallery_window_show_screen (GalleryWindow *self, const char *id);
GalleryScreen *gallery_window_get_screen (GalleryWindow *self);
/* "offline", "starting" or "running", as the window says it. */
const char *gallery_window_get_state (GalleryWindow *self);

G_END_DECLS

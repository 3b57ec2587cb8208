// SPDX-License-Identifier: Apache-2.0
/* A screen of the gallery. */
#pragma once

#include "gallery-service.h"

#include <adwaita.h>
#include <listd-gtk4.h>

G_BEGIN_DECLS

#define GALLERY_TYPE_SCREEN (gallery_screen_get_type ())
G_DECLARE_FINAL_TYPE (GalleryScreen, gallery_screen, GALLERY, SCREEN, AdwBin)

GalleryService *gallery_screen_get_service (GalleryScreen *self);
/* What the title bar says below the title. */
void gallery_screen_set_status (GalleryScreen *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* What stands at the end of the title bar. */
void gallery_screen_set_tools (GalleryScreen *self, GtkWidget *tools);
GtkWidget *gallery_screen_get_tools (GalleryScreen *self);

typedef struct
{
  const char *id, *title, *icon;
  void (*build) (GalleryScreen *screen);
} GalleryScreenKind;

/* All of them, in the order of the sidebar; the last one has no id. */
extern const GalleryScreenKind gallery_screen_kinds[];
GtkWidget *gallery_screen_new (GalleryService *service, const GalleryScreenKind *kind);

/* One of the two widgets of the screen “A Million Rows”. */
typedef struct
{
  GtkWidget *view;
  guint widgets, binds;
} GalleryColumn;

/* The GtkListView and the ListdFlowView of that screen. */
const GalleryColumn *gallery_million_get_columns (GalleryScreen *screen);

void gallery_build_photos (GalleryScreen *screen);
void gallery_build_feed (GalleryScreen *screen);
void gallery_build_million (GalleryScreen *screen);
void gallery_build_search (GalleryScreen *screen);
void gallery_build_map (GalleryScreen *screen);
void gallery_build_folder (GalleryScreen *screen);
void gallery_build_journal (GalleryScreen *screen);
void gallery_build_shelves (GalleryScreen *screen);

G_END_DECLS

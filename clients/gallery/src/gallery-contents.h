// SPDX-License-Identifier: Apache-2.0
/* What is in the lists of the gallery. Everything follows from numbers, so it is the same on every machine. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define GALLERY_PHOTOS 5000
#define GALLERY_SHELVES 24
#define GALLERY_BOOKS 200
#define GALLERY_TILE_SIZE 96
#define GALLERY_MAP_COLUMNS 300
#define GALLERY_MAP_ROWS 200
/* Each tile has the heights of its corners and of the places between, two bytes each. */
#define GALLERY_TILE_SAMPLES 13

char *gallery_person_name (guint number);
const char *gallery_person_place (guint number);

/* The fields of an object, floating. */
GVariant *gallery_contents_person (guint number);
GVariant *gallery_contents_photo (guint number);
GVariant *gallery_contents_tile (guint column, guint row);
GVariant *gallery_contents_shelf (guint shelf);
GVariant *gallery_contents_book (guint shelf, guint book);
/* The height of the land at a place of the map, in tiles; below 0 is the sea. */
double gallery_contents_height (double x, double y);
/* Towns of the map: their number, and the fields of one. */
guint gallery_contents_count_towns (void);
GVariant *gallery_contents_town (guint number);

G_END_DECLS

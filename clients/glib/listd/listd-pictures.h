// SPDX-License-Identifier: Apache-2.0
/* The pictures of one view of listd, in order and without a gap. */
#pragma once

#include "listd-private.h"

G_BEGIN_DECLS

#define LISTD_SLOTS "a(usuuss(dddd)xa{sv})"
/* A picture that follows the one before, and a whole one. */
#define LISTD_PICTURE "(tt(dd)(dd)au" LISTD_SLOTS "a(uuu(dddd)x)a(ua{sv})a{sv})"
#define LISTD_WHOLE_PICTURE "(tt(dd)(dd)" LISTD_SLOTS "a{sv})"

typedef struct _ListdPictures ListdPictures;

typedef struct
{
  /* A LISTD_PICTURE, or, after some were lost, a LISTD_WHOLE_PICTURE. */
  void (*picture) (gpointer owner, GVariant *picture);
  /* listd waits for an acknowledgement. */
  void (*stalled) (gpointer owner);
  /* The view ended by itself, or cannot be read any more. */
  void (*closed) (gpointer owner, const char *reason);
} ListdPicturesFuncs;

ListdPictures *listd_pictures_new (ListdClient *client, ListdQueue *queue, const ListdPicturesFuncs *funcs, gpointer owner);
void listd_pictures_free (ListdPictures *pictures);
/* The view is open. */
void listd_pictures_open (ListdPictures *pictures, const char *view);
/* Ends the view, if it is still there. */
void listd_pictures_close (ListdPictures *pictures);
/* The path of the view; NULL when none is open. */
const char *listd_pictures_get_view (ListdPictures *pictures);
/* The number of the last picture that came; 0 = none has. */
guint64 listd_pictures_get_sequence (ListdPictures *pictures);
guint64 listd_pictures_get_acknowledged (ListdPictures *pictures);
void listd_pictures_acknowledge (ListdPictures *pictures, guint64 sequence);
/* A call of the view was refused: was the view gone? Its end may have come before anybody heard it; then it is told now. TRUE when the
 * view is closed by that. */
gboolean listd_pictures_check (ListdPictures *pictures, const GError *error);
/* Asks for a whole picture; until it comes, there is none. */
void listd_pictures_ask_whole (ListdPictures *pictures);
gboolean listd_pictures_asks_whole (ListdPictures *pictures);

/* Whether a picture is whole. */
#define listd_picture_is_whole(picture) g_variant_is_of_type ((picture), G_VARIANT_TYPE (LISTD_WHOLE_PICTURE))

G_END_DECLS

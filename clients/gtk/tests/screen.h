// SPDX-License-Identifier: Apache-2.0
/* A window that shows a list, and what was on it in each frame. */
#pragma once

#include "listd-gtk4.h"
#include "stage.h"

typedef struct
{
  gint64 time; /* after painting */
  gint64 begun; /* what the frame shows is of this moment */
  double value, position; /* of the adjustment; in the content */
  GHashTable *rows;       /* id -> GINT of the upper edge, in quarters of a pixel */
  double hole;            /* pixels of the viewport that nothing covers, though the list goes on there */
} Frame;

typedef struct
{
  ListdClient *client;
  GtkWidget *window, *scrolled;
  ListdFlowView *view;
  guint setups, binds, unbinds, pictures;
  gboolean records;
  GPtrArray *frames; /* of Frame, while `records` */
  guint n_frames;
  char *text; /* the text that is waited for */
  gint64 text_painted;
  GdkFrameClock *clock;
} Screen;

/* Rows are labels with the field `text`. */
Screen *screen_new (Stage *stage, const char *list, int width, int height, void (*prepare) (ListdFlowView *view));
void screen_free (Screen *screen);
/* Waits until nothing is missing on the screen, and the frame with it is painted. */
void screen_settle (Screen *screen);
void screen_record (Screen *screen);
const char *screen_text (Screen *screen, const char *id);
/* The upper edge of an item on the screen; NAN when it is not there. */
double screen_y (Screen *screen, const char *id);
double screen_x (Screen *screen, const char *id);
/* A cell that is seen, also of an item that is gone. */
ListdCell *screen_cell (Screen *screen, const char *id);
gboolean screen_selected (Screen *screen, const char *id);
double screen_hole (Screen *screen);
GtkAdjustment *screen_adjustment (Screen *screen);
/* Presses a key as a key binding of the view. FALSE when there is none. */
gboolean screen_press (Screen *screen, guint key, GdkModifierType state);
void screen_type (Screen *screen, const char *letters);
const char *screen_focused (Screen *screen);
void screen_wait_frames (Screen *screen, guint n);

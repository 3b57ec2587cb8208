// SPDX-License-Identifier: Apache-2.0
#include "gallery-figures.h"

#include "gallery-person.h"

#include <math.h>
#include <stdlib.h>

#define STEP 20 /* pixels in a frame */
#define FRAMES 600
#define REST 60

typedef enum
{
  FILLING,
  STANDING,
  SCROLLING,
  DONE,
} Phase;

typedef struct
{
  GHashTable *places; /* id of a row on the screen -> where it was in the frame before, in quarters of a pixel */
  guint binds;        /* when the phase began */
  guint wrong;        /* frames in which a row was not where it belonged */
  double worst;       /* pixels */
} Column;

typedef struct
{
  GalleryWindow *window;
  GdkFrameClock *clock;
  Phase phase;
  Column columns[2];
  guint rows; /* when the phase began */
  guint frames, late;
  gint64 painted, longest; /* µs */
} Figures;

static guint
count_rows (Figures *self)
{
  const GalleryColumn *columns = gallery_million_get_columns (gallery_window_get_screen (self->window));

  return g_list_model_get_n_items (G_LIST_MODEL (listd_flow_view_get_list (LISTD_FLOW_VIEW (columns[1].view))));
}

static void
find_rows (GtkWidget *widget, GtkWidget *view, GHashTable *places)
{
  graphene_rect_t bounds;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    if (!GALLERY_IS_PERSON (child))
      find_rows (child, view, places);
    else if (gtk_widget_get_mapped (child) && gallery_person_get_id (GALLERY_PERSON (child)) != NULL && gtk_widget_compute_bounds (child, view, &bounds)
             && bounds.origin.y > -100 && bounds.origin.y < gtk_widget_get_height (view) + 100)
      g_hash_table_insert (places, g_strdup (gallery_person_get_id (GALLERY_PERSON (child))), GINT_TO_POINTER ((int) lroundf (4 * bounds.origin.y)));
}

/* How far the rows that are still on the screen are from where they belong. */
static void
compare_rows (Column *self, GtkWidget *view, int step)
{
  GHashTable *places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  double worst = 0;
  GHashTableIter iter;
  gpointer id, place, before;

  find_rows (view, view, places);
  g_hash_table_iter_init (&iter, places);
  while (self->places != NULL && g_hash_table_iter_next (&iter, &id, &place))
    if (g_hash_table_lookup_extended (self->places, id, NULL, &before))
      worst = MAX (worst, fabs (GPOINTER_TO_INT (before) / 4.0 - step - GPOINTER_TO_INT (place) / 4.0));
  self->wrong += worst > 0.5;
  self->worst = MAX (self->worst, worst);
  g_clear_pointer (&self->places, g_hash_table_unref);
  self->places = places;
}

static void
begin (Figures *self, Phase phase)
{
  const GalleryColumn *columns = gallery_million_get_columns (gallery_window_get_screen (self->window));

  self->phase = phase;
  self->rows = count_rows (self);
  self->frames = self->late = 0;
  self->painted = self->longest = 0;
  for (guint i = 0; i < 2; i++)
    {
      g_clear_pointer (&self->columns[i].places, g_hash_table_unref);
      self->columns[i] = (Column){ .binds = columns[i].binds };
    }
}

static void
print_load (void)
{
  double loads[1] = { 0 };

  if (getloadavg (loads, 1) == 1)
    g_print ("load %.1f on %u processors\n", loads[0], g_get_num_processors ());
}

static void
print_phase (Figures *self, const char *what)
{
  const GalleryColumn *columns = gallery_million_get_columns (gallery_window_get_screen (self->window));

  g_print ("\n%s: %u rows inserted in front, %u frames, %u of them late, the longest took %.0f ms\n", what, count_rows (self) - self->rows,
           self->frames, self->late, self->longest / 1000.0);
  g_print ("%-36s%14s%16s\n", "", "GtkListView", "ListdFlowView");
  g_print ("%-36s%14u%16u\n", "widgets", columns[0].widgets, columns[1].widgets);
  g_print ("%-36s%14u%16u\n", "binds", columns[0].binds - self->columns[0].binds, columns[1].binds - self->columns[1].binds);
  g_print ("%-36s%14u%16u\n", "frames with a row in a wrong place", self->columns[0].wrong, self->columns[1].wrong);
  g_print ("%-36s%11.0f px%13.0f px\n", "the most by which one was wrong", self->columns[0].worst, self->columns[1].worst);
}

static void
set_inserting (Figures *self, gboolean inserting)
{
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (gallery_screen_get_tools (gallery_window_get_screen (self->window))), inserting);
}

/* Each frame is late that comes more than one and a half intervals after the one before. */
static void
on_painted (GdkFrameClock *clock, Figures *self)
{
  const GalleryColumn *columns = gallery_million_get_columns (gallery_window_get_screen (self->window));
  const gint64 now = g_get_monotonic_time (), took = self->painted != 0 ? now - self->painted : 0;
  gint64 interval;

  if (self->phase != STANDING && self->phase != SCROLLING)
    return;
  gdk_frame_clock_get_refresh_info (clock, now, &interval, NULL);
  self->painted = now;
  self->frames++;
  self->late += took * 2 > interval * 3;
  self->longest = MAX (self->longest, took);
  for (guint i = 0; i < 2; i++)
    compare_rows (&self->columns[i], columns[i].view, self->phase == SCROLLING ? STEP : 0);
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Figures *self = data;
  const GalleryColumn *columns = gallery_million_get_columns (gallery_window_get_screen (self->window));

  gtk_widget_queue_draw (widget);
  switch (self->phase)
    {
    case FILLING:
      /* At rest for a while, so that the first binds are over. */
      self->frames = gallery_service_is_filled (gallery_screen_get_service (gallery_window_get_screen (self->window)))
                             && columns[0].binds + columns[1].binds == self->rows && columns[1].widgets > 0
                         ? self->frames + 1
                         : 0;
      self->rows = columns[0].binds + columns[1].binds;
      if (self->frames < REST)
        break;
      g_print ("%u rows, GTK %u.%u.%u\n", count_rows (self), gtk_get_major_version (), gtk_get_minor_version (), gtk_get_micro_version ());
      print_load ();
      set_inserting (self, TRUE);
      begin (self, STANDING);
      break;
    case STANDING:
      if (self->frames < FRAMES)
        break;
      print_phase (self, "Nobody scrolls");
      begin (self, SCROLLING);
      break;
    case SCROLLING:
      if (self->frames < FRAMES)
        {
          for (guint i = 0; i < 2; i++)
            {
              GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (columns[i].view));
              gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + STEP);
            }
          break;
        }
      print_phase (self, "Scrolled by 20 px in each frame");
      g_print ("\n");
      print_load ();
      set_inserting (self, FALSE);
      self->phase = DONE;
      gtk_window_close (GTK_WINDOW (self->window));
      return G_SOURCE_REMOVE;
    case DONE:
      return G_SOURCE_REMOVE;
    }
  return G_SOURCE_CONTINUE;
}

static void
figures_free (gpointer data)
{
  Figures *self = data;

  g_signal_handlers_disconnect_by_data (self->clock, self);
  g_object_unref (self->clock);
  for (guint i = 0; i < 2; i++)
    g_clear_pointer (&self->columns[i].places, g_hash_table_unref);
  g_free (self);
}

void
gallery_figures_take (GalleryWindow *window)
{
  Figures *self = g_new0 (Figures, 1);

  gallery_window_show_screen (window, "million");
  self->window = window;
  self->clock = g_object_ref (gtk_widget_get_frame_clock (GTK_WIDGET (window)));
  g_signal_connect (self->clock, "after-paint", G_CALLBACK (on_painted), self);
  gtk_widget_add_tick_callback (GTK_WIDGET (window), on_tick, self, figures_free);
}

// SPDX-License-Identifier: Apache-2.0
/* What a long list costs, and how calm it is while it changes: test-figures [ROWS]. Numbers are taken after each frame is painted. Those of
 * a GtkListView that shows the same list stand beside if ROWS are given, and are judged by nobody. */
#include "screen.h"

#include <math.h>
#include <stdlib.h>

static guint n_rows = 50000;
/* Times mean something when nobody else uses the machine. */
static gboolean is_quiet;

/* Writers, on a thread and a connection of their own */

typedef struct
{
  char *address, *list;
  guint rate; /* calls in a second; 0: as fast as listd answers */
  gboolean patches;
  gint stop;
  guint done;
  GThread *thread;
} Writer;

static GDBusConnection *
connect_to (const char *address)
{
  return g_dbus_connection_new_for_address_sync (
      address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, NULL);
}

static GVariant *
insert_in_front (const char *id)
{
  GVariantBuilder upserts;

  g_variant_builder_init (&upserts, G_VARIANT_TYPE ("a(ssssa{sv})"));
  g_variant_builder_add_parsed (&upserts, "(%s, '', 'first', '', {'text': <%s>})", id, id);
  return g_variant_new ("(tasa(ssssa{sv})@a{sv})", (guint64) 0, NULL, &upserts, g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0));
}

static GVariant *
patch (const char *id, const char *text)
{
  return g_variant_new ("(ts@a{sv}as)", (guint64) 0, id, g_variant_new_parsed ("{'text': <%s>}", text), NULL);
}

static gpointer
write_on (gpointer data)
{
  Writer *self = data;
  g_autoptr (GDBusConnection) connection = connect_to (self->address);
  g_autofree char *path = stage_path (self->list);
  const gint64 begin = g_get_monotonic_time ();

  while (!g_atomic_int_get (&self->stop))
    {
      g_autofree char *id = g_strdup_printf ("%s%u", self->patches ? "o" : "new", self->patches ? self->done % 20 : self->done);
      g_autofree char *text = g_strdup_printf ("text %u", self->done);
      const char *method = self->patches ? "PatchObject" : "ApplyChanges";
      GVariant *parameters = self->patches ? patch (id, text) : insert_in_front (id);

      /* A fast writer waits for some of its answers only, so that not too much is under way. */
      if (self->rate > 100 && self->done % 32 != 0)
        {
          g_autoptr (GDBusMessage) message
              = g_dbus_message_new_method_call ("org.listd.Listd1", path, "org.listd.Listd1.Adapter", method);
          g_dbus_message_set_body (message, parameters);
          g_dbus_message_set_flags (message, G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED);
          g_assert_true (g_dbus_connection_send_message (connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, NULL, NULL));
        }
      else
        {
          g_autoptr (GVariant) reply = g_dbus_connection_call_sync (connection, "org.listd.Listd1", path, "org.listd.Listd1.Adapter", method,
                                                                    parameters, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
          g_assert_nonnull (reply);
        }
      self->done++;
      if (self->rate > 0)
        {
          const gint64 wait = begin + self->done * G_TIME_SPAN_SECOND / self->rate - g_get_monotonic_time ();
          if (wait > 0)
            g_usleep (wait);
        }
    }
  return NULL;
}

static Writer *
writer_start (Stage *stage, const char *list, guint rate, gboolean patches)
{
  Writer *self = g_new0 (Writer, 1);

  self->address = g_strdup (stage_address (stage));
  self->list = g_strdup (list);
  self->rate = rate;
  self->patches = patches;
  self->thread = g_thread_new ("writer", write_on, self);
  return self;
}

static guint
writer_stop (Writer *self)
{
  guint done;

  g_atomic_int_set (&self->stop, TRUE);
  g_thread_join (self->thread);
  done = self->done;
  g_free (self->address);
  g_free (self->list);
  g_free (self);
  return done;
}

/* Scrolling by steps, one in each frame */

typedef struct
{
  double step;
  guint frames;
} Scroll;

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Scroll *scroll = data;
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (widget));

  if (scroll->frames == 0)
    return G_SOURCE_REMOVE;
  scroll->frames--;
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + scroll->step);
  return G_SOURCE_CONTINUE;
}

static void
scroll_by (Screen *screen, double step, guint frames)
{
  Scroll scroll = { step, frames };

  gtk_widget_add_tick_callback (GTK_WIDGET (screen->view), on_tick, &scroll, NULL);
  stage_wait (scroll.frames == 0);
  screen_wait_frames (screen, 2);
}

typedef struct
{
  guint frames, wrong, backward, holes;
  double worst_hole;
  gint64 longest;
} Movement;

/* How far what is on the screen in two frames moved between them, against how far it was scrolled: by `step`, or as the adjustment says. */
static Movement
movement_of (GPtrArray *frames, double step)
{
  Movement movement = { 0 };

  for (guint i = 1; i < frames->len; i++)
    {
      const Frame *before = frames->pdata[i - 1], *after = frames->pdata[i];
      const int wanted = (int) lround (4 * (step != 0 ? -step : before->value - after->value));
      GHashTableIter iter;
      gpointer id, y;

      movement.frames++;
      movement.longest = MAX (movement.longest, after->time - before->time);
      if (after->hole > 0)
        movement.holes++;
      movement.worst_hole = MAX (movement.worst_hole, after->hole);
      g_hash_table_iter_init (&iter, after->rows);
      while (g_hash_table_iter_next (&iter, &id, &y))
        {
          gpointer old;
          int moved;

          if (!g_hash_table_lookup_extended (before->rows, id, NULL, &old))
            continue;
          moved = GPOINTER_TO_INT (y) - GPOINTER_TO_INT (old);
          if (moved == wanted)
            continue;
          movement.wrong++;
          if (g_getenv ("LISTD_TEST_LOG") != NULL)
            g_printerr ("frame %u: %s at %.2f after %.2f, scrolled by %.2f; position %.2f after %.2f, %.1f ms\n", i, (char *) id,
                        GPOINTER_TO_INT (y) / 4.0, GPOINTER_TO_INT (old) / 4.0, wanted / 4.0, after->position, before->position,
                        (after->time - before->time) / 1000.0);
          if ((wanted <= 0 && moved > 0) || (wanted >= 0 && moved < 0))
            movement.backward++;
          break;
        }
    }
  return movement;
}

static int
compare_times (gconstpointer one, gconstpointer other)
{
  const gint64 a = *(const gint64 *) one, b = *(const gint64 *) other;
  return a < b ? -1 : a > b;
}

static Stage *stage;

/* A GtkListView on the same list */

typedef struct
{
  ListdClient *client;
  ListdList *list;
  GtkWidget *window, *view;
  GdkFrameClock *clock;
  GPtrArray *frames; /* of Frame, while `records` */
  gboolean records;
  guint n_frames, widgets, most, binds;
  char *text; /* that is waited for */
  gint64 text_painted;
} Classic;

static void
on_classic_bind (GtkSignalListItemFactory *factory, GtkListItem *row, Classic *self)
{
  self->binds++;
}

static void
frame_free (gpointer data)
{
  g_hash_table_unref (((Frame *) data)->rows);
  g_free (data);
}

static void
on_classic_painted (GdkFrameClock *clock, Classic *self)
{
  Frame *frame = g_new0 (Frame, 1);

  self->n_frames++;
  frame->time = g_get_monotonic_time ();
  frame->rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  frame->value = gtk_adjustment_get_value (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->view)));
  self->widgets = 0;
  for (GtkWidget *row = gtk_widget_get_first_child (self->view); row != NULL; row = gtk_widget_get_next_sibling (row))
    {
      GtkWidget *label = gtk_widget_get_first_child (row);
      graphene_rect_t bounds;

      self->widgets++;
      if (!GTK_IS_LABEL (label) || !gtk_widget_get_child_visible (row) || !gtk_widget_compute_bounds (row, self->view, &bounds)
          || bounds.origin.y + bounds.size.height <= 0 || bounds.origin.y >= gtk_widget_get_height (self->view))
        continue;
      if (*gtk_label_get_text (GTK_LABEL (label)) != '\0')
        g_hash_table_insert (frame->rows, g_strdup (gtk_label_get_text (GTK_LABEL (label))), GINT_TO_POINTER ((int) lround (4.0 * bounds.origin.y)));
      if (g_strcmp0 (gtk_label_get_text (GTK_LABEL (label)), self->text) == 0 && self->text_painted == 0)
        self->text_painted = frame->time;
    }
  self->most = MAX (self->most, self->widgets);
  if (self->records)
    g_ptr_array_add (self->frames, frame);
  else
    frame_free (frame);
}

static void
classic_init (Classic *self, const char *list)
{
  g_autoptr (GtkSelectionModel) selection = NULL;
  GtkListItemFactory *factory = listd_text_factory_new ("text");
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  *self = (Classic){ .client = listd_client_new_for_address (stage_address (stage)) };
  self->frames = g_ptr_array_new_with_free_func (frame_free);
  self->list = listd_list_new (self->client, list);
  selection = listd_selection_new (self->list);
  g_signal_connect (factory, "bind", G_CALLBACK (on_classic_bind), self);
  self->view = gtk_list_view_new (NULL, factory);
  listd_gtk_follow_visible (GTK_SCROLLABLE (self->view), self->list);
  gtk_list_view_set_model (GTK_LIST_VIEW (self->view), selection);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), self->view);
  self->window = gtk_window_new ();
  gtk_window_set_decorated (GTK_WINDOW (self->window), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (self->window), 400, 600);
  gtk_window_set_child (GTK_WINDOW (self->window), scrolled);
  gtk_window_present (GTK_WINDOW (self->window));
  stage_wait (gtk_widget_get_mapped (self->view) && gtk_widget_get_height (self->view) > 0);
  self->clock = g_object_ref (gtk_widget_get_frame_clock (self->view));
  g_signal_connect_after (self->clock, "after-paint", G_CALLBACK (on_classic_painted), self);
  gtk_widget_queue_draw (self->view);
  stage_wait (self->most > 0);
}

static void
classic_wait (Classic *self, guint n)
{
  const guint until = self->n_frames + n;

  while (self->n_frames < until)
    {
      gtk_widget_queue_draw (self->view);
      g_main_context_iteration (NULL, TRUE);
    }
}

static void
classic_clear (Classic *self)
{
  g_signal_handlers_disconnect_by_data (self->clock, self);
  gtk_window_destroy (GTK_WINDOW (self->window));
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_object_unref (self->clock);
  g_object_unref (self->list);
  g_object_unref (self->client);
  g_ptr_array_unref (self->frames);
  g_free (self->text);
}

static void
classic (void)
{
  const gint64 seconds = 20 * G_TIME_SPAN_SECOND;
  g_autoptr (GDBusConnection) connection = connect_to (stage_address (stage));
  g_autofree char *path = stage_path ("short");
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (gint64));
  Scroll scroll = { 20, 300 };
  Classic self;
  Movement movement;
  Writer *writer;
  guint done, binds;

  classic_init (&self, "long");
  classic_wait (&self, 20);
  gtk_adjustment_set_value (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self.view)), 1000);
  classic_wait (&self, 20);
  writer = writer_start (stage, "long", 50, FALSE);
  self.records = TRUE;
  gtk_widget_add_tick_callback (self.view, on_tick, &scroll, NULL);
  stage_wait (scroll.frames == 0);
  classic_wait (&self, 2);
  self.records = FALSE;
  done = writer_stop (writer);
  movement = movement_of (self.frames, 20);
  g_test_message ("GtkListView: %u widgets; 20 px a frame, %u inserts in front: %u frames, %u not exact, %u backward, longest %.1f ms", self.most, done,
                  movement.frames, movement.wrong, movement.backward, movement.longest / 1000.0);
  classic_clear (&self);

  classic_init (&self, "binds");
  classic_wait (&self, 20);
  binds = self.binds;
  stage_apply (stage, "binds", "@as []", "[('y', '', 'after', 'o3', {'text': <'y'>})]");
  classic_wait (&self, 20);
  g_test_message ("GtkListView: an insert on the screen binds %u rows", self.binds - binds);
  classic_clear (&self);

  classic_init (&self, "short");
  classic_wait (&self, 20);
  for (guint i = 0; i < 300; i++)
    {
      const gint64 begin = g_get_monotonic_time ();
      gint64 took;

      g_free (self.text);
      self.text = g_strdup_printf ("classic %u", i);
      self.text_painted = 0;
      g_dbus_connection_call (connection, "org.listd.Listd1", path, "org.listd.Listd1.Adapter", "PatchObject", patch ("o3", self.text), NULL,
                              G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
      while (self.text_painted == 0 && g_get_monotonic_time () < begin + seconds)
        g_main_context_iteration (NULL, TRUE);
      took = self.text_painted - begin;
      g_array_append_val (times, took);
    }
  g_array_sort (times, compare_times);
  g_test_message ("GtkListView: write to pixel, 300 writes: median %.1f ms, p95 %.1f, worst %.1f", g_array_index (times, gint64, 150) / 1000.0,
                  g_array_index (times, gint64, 285) / 1000.0, g_array_index (times, gint64, 299) / 1000.0);
  classic_clear (&self);
}

static void
million (void)
{
  Screen *screen = screen_new (stage, "long", 400, 600, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  const guint visible = 600 / 44 + 2, buffer = 2 * (240 / 44 + 1);
  GtkAdjustment *adjustment = screen_adjustment (screen);
  g_autofree gint64 *times = g_new (gint64, 200);
  guint most = 0;

  screen_settle (screen);
  for (guint i = 0; i < 200; i++)
    {
      const gint64 begin = g_get_monotonic_time ();
      guint painted;

      gtk_adjustment_set_value (adjustment, g_rand_double_range (rand, 0, n_rows * 44.0 - 600));
      painted = screen->n_frames;
      while (screen_hole (screen) > 0 || screen->n_frames == painted)
        g_main_context_iteration (NULL, TRUE);
      times[i] = g_get_monotonic_time () - begin;
      most = MAX (most, listd_flow_view_get_n_cells (screen->view));
    }
  gtk_adjustment_set_value (adjustment, 0);
  screen_settle (screen);
  gtk_adjustment_set_value (adjustment, 1e12);
  screen_settle (screen);
  {
    g_autofree char *last = g_strdup_printf ("o%u", n_rows - 1);
    stage_wait (screen_y (screen, last) == 600 - 44);
  }
  for (guint i = 1; i < 200; i++)
    for (guint j = i; j > 0 && times[j] < times[j - 1]; j--)
      {
        gint64 other = times[j];
        times[j] = times[j - 1];
        times[j - 1] = other;
      }
  g_test_message ("%u rows: %u widgets at most, %u of them set up; 200 jumps: median %.1f ms, p95 %.1f, worst %.1f", n_rows, most,
                  screen->setups, times[100] / 1000.0, times[190] / 1000.0, times[199] / 1000.0);
  g_assert_cmpuint (most, <=, visible + buffer + 2);
  screen_free (screen);
}

static void
calm (void)
{
  Screen *screen = screen_new (stage, "long", 400, 600, NULL);
  Writer *writer;
  Movement movement;
  guint done;

  screen_settle (screen);
  scroll_by (screen, 100, 10);
  writer = writer_start (stage, "long", 50, FALSE);
  screen_record (screen);
  scroll_by (screen, 20, 300);
  screen->records = FALSE;
  done = writer_stop (writer);
  movement = movement_of (screen->frames, 0);
  g_test_message ("20 px a frame, %u inserts in front: %u frames, %u not exact, %u backward, %u with holes (worst %.0f px), longest %.1f ms", done,
                  movement.frames, movement.wrong, movement.backward, movement.holes, movement.worst_hole, movement.longest / 1000.0);
  g_assert_cmpuint (done, >, 100);
  g_assert_cmpuint (movement.wrong, ==, 0);
  g_assert_cmpuint (movement.holes, ==, 0);

  /* Back to the start, and the same at rest: nothing moves. */
  writer = writer_start (stage, "long", 50, FALSE);
  g_ptr_array_set_size (screen->frames, 0);
  screen->records = TRUE;
  scroll_by (screen, 0, 100);
  done = writer_stop (writer);
  movement = movement_of (screen->frames, 0);
  g_assert_cmpuint (movement.wrong, ==, 0);
  scroll_by (screen, -20, 100);
  movement = movement_of (screen->frames, 0);
  g_assert_cmpuint (movement.wrong, ==, 0);
  g_assert_cmpuint (movement.holes, ==, 0);
  screen_free (screen);
}

static void
write_to_pixel (void)
{
  Screen *screen = screen_new (stage, "short", 400, 600, NULL);
  g_autoptr (GDBusConnection) connection = connect_to (stage_address (stage));
  g_autofree char *path = stage_path ("short");
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (gint64));
  const gint64 frame = 1000000 / 60;

  screen_settle (screen);
  for (guint i = 0; i < 300; i++)
    {
      gint64 begin, took;

      g_free (screen->text);
      screen->text = g_strdup_printf ("written %u", i);
      screen->text_painted = 0;
      begin = g_get_monotonic_time ();
      g_dbus_connection_call (connection, "org.listd.Listd1", path, "org.listd.Listd1.Adapter", "PatchObject", patch ("o3", screen->text), NULL,
                              G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
      stage_wait (screen->text_painted != 0);
      took = screen->text_painted - begin;
      g_array_append_val (times, took);
    }
  g_array_sort (times, compare_times);
  g_test_message ("write to pixel, 300 writes: median %.1f ms, p95 %.1f, worst %.1f", g_array_index (times, gint64, 150) / 1000.0,
                  g_array_index (times, gint64, 285) / 1000.0, g_array_index (times, gint64, 299) / 1000.0);
  if (is_quiet)
    {
      g_assert_cmpint (g_array_index (times, gint64, 150), <=, frame);
      g_assert_cmpint (g_array_index (times, gint64, 299), <=, 3 * frame);
    }
  screen_free (screen);
}

static void
set_window_of_one (ListdFlowView *view)
{
  listd_flow_view_set_options (view, g_variant_new_parsed ("{'window': <uint32 1>}"));
}

/* Pictures come as fast as frames are painted, whatever is written; a view that may have two at once gets twice as many at most. */
static void
flood (void)
{
  const guint seconds = 3;

  for (guint window = 1; window <= 2; window++)
    {
      Screen *screen = screen_new (stage, "short", 400, 600, window == 1 ? set_window_of_one : NULL);
      Writer *writer;
      gint64 begin;
      guint frames, pictures, done;

      screen_settle (screen);
      writer = writer_start (stage, "short", 4000, TRUE);
      begin = g_get_monotonic_time ();
      frames = screen->n_frames;
      pictures = screen->pictures;
      while (g_get_monotonic_time () < begin + seconds * G_TIME_SPAN_SECOND)
        g_main_context_iteration (NULL, TRUE);
      frames = screen->n_frames - frames;
      pictures = screen->pictures - pictures;
      done = writer_stop (writer);
      g_test_message ("%u writes a second, a window of %u: %u pictures in %u frames", done / seconds, window, pictures, frames);
      g_assert_cmpuint (frames, >, 0);
      /* One more may be on its way. */
      g_assert_cmpuint (pictures, <=, window * frames + 2);
      screen_free (screen);
    }
}

static void
one_bind (void)
{
  Screen *screen = screen_new (stage, "binds", 400, 600, NULL);
  guint binds;

  screen_settle (screen);
  binds = screen->binds;
  stage_apply (stage, "binds", "@as []", "[('x', '', 'after', 'o3', {'text': <'x'>})]");
  stage_wait (screen_text (screen, "x") != NULL);
  screen_wait_frames (screen, 2);
  g_assert_cmpuint (screen->binds - binds, ==, 1);
  binds = screen->binds;
  g_variant_unref (stage_call (stage, "/org/listd/Listd1/adapters/binds", "Adapter", "MoveObject",
                               g_variant_new ("(tsss)", (guint64) 0, "o2", "after", "o6")));
  stage_wait (screen_y (screen, "o2") > screen_y (screen, "o6"));
  screen_wait_frames (screen, 20);
  g_assert_cmpuint (screen->binds - binds, ==, 0);
  g_test_message ("an insert binds 1 row, a move %u", screen->binds - binds);
  screen_free (screen);
}

static void
resize (void)
{
  Screen *screen = screen_new (stage, "long", 400, 600, NULL);
  Movement movement;

  screen_settle (screen);
  scroll_by (screen, 100, 5);
  screen_record (screen);
  for (guint i = 0; i < 60; i++)
    {
      gtk_window_set_default_size (GTK_WINDOW (screen->window), 400 + (i % 30) * 10, 600);
      screen_wait_frames (screen, 1);
    }
  screen->records = FALSE;
  movement = movement_of (screen->frames, 0);
  g_test_message ("a resize of %u rows: longest frame %.1f ms, %u frames with holes", n_rows, movement.longest / 1000.0, movement.holes);
  if (is_quiet)
    g_assert_cmpint (movement.longest, <=, 50000);
  screen_free (screen);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  is_quiet = g_getenv ("LISTD_SOAK") != NULL;
  if (argc > 1)
    n_rows = atoi (argv[1]);
  stage = stage_new (STAGE_DAEMON);
  stage_create (stage, "long", "{'durability': <'memory'>}");
  stage_fill (stage, "long", n_rows);
  stage_create (stage, "short", "{'durability': <'memory'>}");
  stage_fill (stage, "short", 100);
  stage_create (stage, "binds", "{'durability': <'memory'>}");
  stage_fill (stage, "binds", 100);
  g_test_add_func ("/figures/million", million);
  g_test_add_func ("/figures/calm", calm);
  g_test_add_func ("/figures/write-to-pixel", write_to_pixel);
  g_test_add_func ("/figures/flood", flood);
  g_test_add_func ("/figures/one-bind", one_bind);
  g_test_add_func ("/figures/resize", resize);
  /* For who wants to compare. */
  if (is_quiet || argc > 1)
    g_test_add_func ("/figures/beside-gtk-list-view", classic);
  result = g_test_run ();
  stage_free (stage);
  return result;
}

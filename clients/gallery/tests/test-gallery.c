// SPDX-License-Identifier: Apache-2.0
/* Opens each screen of the gallery against a real listd, and looks at what it shows. */
#include "gallery-contents.h"
#include "gallery-pane.h"
#include "gallery-person.h"
#include "gallery-photo.h"
#include "gallery-window.h"

#include <glib/gstdio.h>

#define ROWS 3000

static GalleryService *service;
static GalleryWindow *window;
static char *folder;

static gboolean
wake (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

/* Runs the main loop until the condition is true, at most two minutes: other programs may need the machine. */
#define wait_for(condition)                                                                                                                        \
  G_STMT_START                                                                                                                                     \
  {                                                                                                                                                \
    const gint64 until = g_get_monotonic_time () + 120 * G_TIME_SPAN_SECOND;                                                                       \
    const guint alarm = g_timeout_add (100, wake, NULL);                                                                                           \
    while (!(condition) && g_get_monotonic_time () < until)                                                                                        \
      g_main_context_iteration (NULL, TRUE);                                                                                                       \
    g_source_remove (alarm);                                                                                                                       \
    if (!(condition))                                                                                                                              \
      g_error ("%s:%d: this never became true: %s", __FILE__, __LINE__, #condition);                                                               \
  }                                                                                                                                                \
  G_STMT_END

/* The widgets of a type below a widget that are on the screen. */
static void
find (GtkWidget *widget, GType type, GPtrArray *found)
{
  if (!gtk_widget_get_mapped (widget))
    return;
  if (g_type_is_a (G_OBJECT_TYPE (widget), type))
    g_ptr_array_add (found, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    find (child, type, found);
}

static GPtrArray *
find_all (GType type)
{
  GPtrArray *found = g_ptr_array_new ();

  find (GTK_WIDGET (gallery_window_get_screen (window)), type, found);
  return found;
}

static guint
count (GType type)
{
  g_autoptr (GPtrArray) found = find_all (type);

  return found->len;
}

/* The first one of a type; it waits for it. */
static gpointer
get (GType type)
{
  g_autoptr (GPtrArray) found = NULL;

  wait_for (count (type) > 0);
  found = find_all (type);
  return found->pdata[0];
}

static ListdFlowView *
open_screen (const char *id)
{
  gallery_window_show_screen (window, id);
  return get (LISTD_TYPE_FLOW_VIEW);
}

static guint
length (ListdFlowView *view)
{
  return g_list_model_get_n_items (G_LIST_MODEL (listd_flow_view_get_list (view)));
}

static gboolean
shows (GtkWidget *widget, const char *part)
{
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();

  find (widget, GTK_TYPE_LABEL, labels);
  for (guint i = 0; i < labels->len; i++)
    if (strstr (gtk_label_get_text (labels->pdata[i]), part) != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
has_label (const char *part)
{
  return shows (GTK_WIDGET (gallery_window_get_screen (window)), part);
}

static gboolean
has_status (const char *part)
{
  g_autofree char *status = NULL;

  g_object_get (gallery_window_get_screen (window), "status", &status, NULL);
  return status != NULL && strstr (status, part) != NULL;
}

static guint
count_empty_photos (void)
{
  g_autoptr (GPtrArray) photos = find_all (GALLERY_TYPE_PHOTO);
  guint n = 0;

  for (guint i = 0; i < photos->len; i++)
    n += !gallery_photo_has_thumbnail (photos->pdata[i]);
  return n;
}

/* What another process has prepared is more than what is on the screen. */
static void
test_photos (void)
{
  ListdFlowView *view = open_screen ("photos");
  g_autoptr (ListdList) prepared = listd_list_new (gallery_service_get_client (service), "gallery-prepared");
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (view));

  wait_for (length (view) == GALLERY_PHOTOS && count (GALLERY_TYPE_PHOTO) >= 9 && count_empty_photos () == 0);
  wait_for (g_list_model_get_n_items (G_LIST_MODEL (prepared)) > count (GALLERY_TYPE_PHOTO));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (prepared)), <, 200);

  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment));
  wait_for (listd_flow_view_get_cell (view, "4999", 0) != NULL);
  wait_for (count_empty_photos () == 0);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (prepared)), <, 400);
  g_assert_cmpuint (listd_flow_view_get_n_cells (view), <=, 30);
  wait_for (has_label ("Prepared") && has_label ("No. 4999"));
}

static void
test_feed (void)
{
  ListdFlowView *view = open_screen ("feed");
  guint before;
  ListdCell *weather;

  wait_for (length (view) >= 24 && has_label ("Pavel") && has_label ("Sol 16"));
  wait_for (has_label ("The last row of beans has come up."));
  wait_for ((weather = listd_flow_view_get_cell (view, "weather-22", 0)) != NULL);
  before = length (view);
  g_signal_emit_by_name (view, "activate", listd_cell_get_slot (weather));
  wait_for (has_label ("Sunrise") && has_label ("05:43"));
  g_assert_cmpuint (length (view), >=, before + 4);
}

/* Rows in front do not move what is on the screen. */
static void
test_million (void)
{
  ListdFlowView *view = open_screen ("million");
  GtkToggleButton *insert = GTK_TOGGLE_BUTTON (gallery_screen_get_tools (gallery_window_get_screen (window)));
  ListdCell *cell;
  guint inserted;

  wait_for (length (view) == ROWS && has_status ("3,000 rows"));
  wait_for ((cell = listd_flow_view_get_cell (view, "5", 0)) != NULL);
  g_assert_cmpuint (listd_flow_view_get_n_cells (view), <=, 24);
  gtk_toggle_button_set_active (insert, TRUE);
  wait_for (length (view) >= ROWS + 50);
  gtk_toggle_button_set_active (insert, FALSE);
  g_assert_true (listd_flow_view_get_cell (view, "5", 0) != NULL);
  g_assert_cmpuint (listd_flow_view_get_n_cells (view), <=, 24);
  inserted = length (view) - ROWS;
  g_test_message ("%u rows inserted", inserted);
  wait_for (has_label ("widgets"));
}

static void
test_search (void)
{
  ListdFlowView *view = open_screen ("search");
  GtkEditable *entry = get (GTK_TYPE_SEARCH_ENTRY);
  guint all;

  wait_for (length (view) >= ROWS);
  all = length (view);
  gtk_editable_set_text (entry, "ines");
  wait_for (length (view) > 0 && length (view) < all / 10 && has_label ("Ines "));
  wait_for (has_status (" of 3,0"));
  gtk_editable_set_text (entry, "ines wint");
  wait_for (length (view) < 10);
  gtk_editable_set_text (entry, "nobody");
  wait_for (length (view) == 0 && has_label ("No Results Found"));
  gtk_editable_set_text (entry, "");
  wait_for (length (view) >= all);
}

/* Where a row was in each frame; -1000 while it was not there. */
typedef struct
{
  ListdFlowView *view;
  char *id;
  GArray *places; /* of int */
} Film;

static int
place_of (ListdFlowView *view, const char *id)
{
  ListdCell *cell = listd_flow_view_get_cell (view, id, 0);
  graphene_rect_t bounds;

  return cell != NULL && gtk_widget_compute_bounds (GTK_WIDGET (cell), GTK_WIDGET (view), &bounds) ? (int) bounds.origin.y : -1000;
}

static void
on_painted (GdkFrameClock *clock, Film *film)
{
  const int place = place_of (film->view, film->id);

  g_array_append_val (film->places, place);
}

/* Types the last name of a row that goes up when those above it go. Tells at how many places it was seen on its way. */
static guint
count_places_on_the_way (ListdFlowView *view, GtkEditable *entry)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (view));
  Film film = { view, NULL, g_array_new (FALSE, FALSE, sizeof (int)) };
  ListdCell *first = listd_flow_view_get_cell_at (view, 100, 10), *cell = first;
  const char *name, *last = NULL;
  g_autofree char *typed = NULL;
  int from, to = 0, before;
  guint n = 0;

  for (double y = 66; cell == first || strstr (listd_item_get_string (listd_cell_get_item (first), "name"), last) != NULL; y += 56)
    {
      cell = listd_flow_view_get_cell_at (view, 100, y);
      g_assert_nonnull (cell);
      name = listd_item_get_string (listd_cell_get_item (cell), "name");
      last = strrchr (name, ' ') + 1;
    }
  typed = g_utf8_strdown (last, -1);
  film.id = g_strdup (listd_item_get_id (listd_cell_get_item (cell)));
  from = before = place_of (view, film.id);
  g_signal_connect (clock, "after-paint", G_CALLBACK (on_painted), &film);
  gtk_editable_set_text (entry, typed);
  wait_for (has_status (" of ") && place_of (view, film.id) < from && place_of (view, film.id) % 56 == 0 && (to = place_of (view, film.id)) >= 0);
  /* It has come to rest. */
  for (const guint until = film.places->len + 30; film.places->len < until;)
    {
      gtk_widget_queue_draw (GTK_WIDGET (view));
      g_main_context_iteration (NULL, TRUE);
    }
  to = place_of (view, film.id);
  g_signal_handlers_disconnect_by_data (clock, &film);
  for (guint i = 0; i < film.places->len; i++)
    {
      const int place = g_array_index (film.places, int, i);

      g_assert_cmpint (place, <=, before);
      g_assert_cmpint (place, >=, to);
      n += place != before && place != to;
      before = place;
    }
  g_assert_cmpint (to % 56, ==, 0);
  g_assert_cmpint (to, <, from);
  g_test_message ("“%s”: from %d to %d, at %u places between", typed, from, to, n);
  g_array_unref (film.places);
  g_free (film.id);
  return n;
}

/* Goes to the start, until all rows are there, and the first ones on the screen. */
static gboolean
shows_first_rows (ListdFlowView *view)
{
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (view));
  ListdCell *first = listd_flow_view_get_cell_at (view, 100, 10);

  if (gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_lower (adjustment) < ROWS * 56)
    return FALSE;
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_lower (adjustment));
  return first != NULL && listd_slot_get_section (listd_cell_get_slot (first)) == 0 && listd_flow_view_get_cell_at (view, 100, 10 + 8 * 56) != NULL
         && place_of (view, listd_item_get_id (listd_cell_get_item (first))) == 0;
}

/* What stays while somebody types glides to its place, unless the desktop has no animations. */
static void
test_search_glides (void)
{
  ListdFlowView *view = open_screen ("search");
  GtkEditable *entry = get (GTK_TYPE_SEARCH_ENTRY);

  /* A machine that is busy draws few frames while a row glides: it has some tries. */
  for (guint i = 0, n = 0; n < 3; i++)
    {
      g_assert_cmpuint (i, <, 10);
      gtk_editable_set_text (entry, "");
      wait_for (shows_first_rows (view));
      n = count_places_on_the_way (view, entry);
    }
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  gtk_editable_set_text (entry, "");
  wait_for (shows_first_rows (view));
  g_assert_cmpuint (count_places_on_the_way (view, entry), ==, 0);
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", TRUE, NULL);
  gtk_editable_set_text (entry, "");
  wait_for (length (view) >= ROWS);
}

static void
test_map (void)
{
  ListdFlowView *view = open_screen ("map");
  const guint towns = gallery_contents_count_towns ();

  wait_for (length (view) == GALLERY_MAP_COLUMNS * GALLERY_MAP_ROWS + towns);
  /* The tile in the middle of the window. */
  wait_for (listd_flow_view_get_cell (view, "27740", 0) != NULL);
  g_assert_cmpuint (listd_flow_view_get_n_cells (view), >=, 60);
  g_assert_cmpuint (listd_flow_view_get_n_cells (view), <=, 170);
}

/* All shelves together need few widgets. */
static void
test_shelves (void)
{
  ListdFlowView *view = open_screen ("shelves");
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (view));

  wait_for (length (view) == GALLERY_SHELVES && has_label ("Just arrived") && count (GTK_TYPE_DRAWING_AREA) >= 20);
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment));
  wait_for (has_label ("Unfinished") && count (GTK_TYPE_DRAWING_AREA) >= 20);
  g_assert_cmpuint (count (LISTD_TYPE_FLOW_VIEW), <=, 7);
  wait_for (has_status ("4,800 books"));
}

static void
touch (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, "x", 1, NULL));
}

static void
test_folder (void)
{
  ListdFlowView *view = open_screen ("folder");

  wait_for (length (view) == 2 && has_label ("one.txt") && has_status ("2 entries"));
  touch ("three.txt");
  wait_for (length (view) == 3 && has_label ("three.txt"));
}

static void
test_journal (void)
{
  gallery_window_show_screen (window, "journal");
  if (g_getenv ("LISTD_GALLERY_JOURNAL") == NULL)
    wait_for (has_label ("This List Cannot Be Shown") || has_status (" entries"));
  else
    wait_for (has_status ("42 entries") && has_label ("Registering new address record"));
}

static void
on_created (GObject *client, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  listd_client_create_list_finish (LISTD_CLIENT (client), result, &error);
  g_assert_no_error (error);
  *(gboolean *) data = TRUE;
}

/* The spinner ends: with the reason when a source has failed, or with words that there is nothing. */
static void
test_failures (void)
{
  g_autofree char *none = g_build_filename (folder, "none", NULL), *empty = g_build_filename (folder, "empty", NULL);
  const char *const folders[][3] = { { "gallery-none", none, "This List Cannot Be Shown" }, { "gallery-empty", empty, "No Rows" } };
  ListdClient *client = gallery_service_get_client (service);

  g_assert_cmpint (g_mkdir (empty, 0700), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      GtkWidget *shown = gtk_window_new ();
      g_autoptr (ListdList) list = listd_list_new (client, folders[i][0]);
      GtkWidget *pane = gallery_pane_new (gallery_window_get_screen (window), list, gtk_label_new ("a row"));
      g_autoptr (GPtrArray) spinners = g_ptr_array_new ();
      g_autofree char *source = g_strconcat ("files/directory?", folders[i][1], NULL);
      gboolean created = FALSE;

      gtk_window_set_child (GTK_WINDOW (shown), pane);
      gtk_window_present (GTK_WINDOW (shown));
      find (pane, GTK_TYPE_SPINNER, spinners);
      g_assert_cmpuint (spinners->len, ==, 1);
      listd_client_create_list_async (client, folders[i][0], g_variant_new_parsed ("{'source': <%s>}", source), NULL, on_created, &created);
      wait_for (created && shows (pane, folders[i][2]));
      g_assert_true (i > 0 || shows (pane, none));
      g_assert_false (shows (pane, "a row"));
      gtk_window_destroy (GTK_WINDOW (shown));
    }
}

/* The rows stay, and go on. */
static void
test_kill (void)
{
  ListdFlowView *view = open_screen ("million");
  GtkToggleButton *insert = GTK_TOGGLE_BUTTON (gallery_screen_get_tools (gallery_window_get_screen (window)));
  guint rows;

  wait_for (listd_flow_view_get_cell (view, "5", 0) != NULL);
  rows = length (view);
  g_assert_cmpstr (gallery_window_get_state (window), ==, "running");
  gallery_service_kill (service);
  wait_for (g_str_equal (gallery_window_get_state (window), "offline"));
  g_assert_cmpuint (length (view), ==, rows);
  g_assert_true (listd_flow_view_get_cell (view, "5", 0) != NULL);
  g_assert_cmpuint (count (GALLERY_TYPE_PERSON), >, 10);
  wait_for (g_str_equal (gallery_window_get_state (window), "running"));
  g_assert_cmpuint (length (view), ==, rows);
  gtk_toggle_button_set_active (insert, TRUE);
  wait_for (length (view) >= rows + 20);
  gtk_toggle_button_set_active (insert, FALSE);
  g_assert_true (listd_flow_view_get_cell (view, "5", 0) != NULL);
}

int
main (int argc, char **argv)
{
  g_autoptr (AdwApplication) application = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("gallery-folder-XXXXXX", NULL);
  touch ("one.txt");
  touch ("two.txt");
  g_setenv ("LISTD_GALLERY", GALLERY, FALSE);
  g_setenv ("LISTD_GALLERY_FOLDER", folder, TRUE);
  application = adw_application_new ("org.listd.GalleryTest", G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, NULL));
  service = gallery_service_new (NULL, ROWS, &error);
  g_assert_no_error (error);
  g_assert_true (gallery_service_is_own (service));
  gallery_service_begin (service);
  window = GALLERY_WINDOW (gallery_window_new (application, service));
  gtk_window_present (GTK_WINDOW (window));

  g_test_add_func ("/gallery/photos", test_photos);
  g_test_add_func ("/gallery/feed", test_feed);
  g_test_add_func ("/gallery/million", test_million);
  g_test_add_func ("/gallery/search", test_search);
  g_test_add_func ("/gallery/search-glides", test_search_glides);
  g_test_add_func ("/gallery/map", test_map);
  g_test_add_func ("/gallery/shelves", test_shelves);
  g_test_add_func ("/gallery/folder", test_folder);
  g_test_add_func ("/gallery/journal", test_journal);
  g_test_add_func ("/gallery/failures", test_failures);
  g_test_add_func ("/gallery/kill", test_kill);
  status = g_test_run ();

  gtk_window_destroy (GTK_WINDOW (window));
  gallery_service_stop (service);
  return status;
}

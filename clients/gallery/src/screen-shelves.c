// SPDX-License-Identifier: Apache-2.0
/* A list whose rows are lists that scroll sideways. All of them share their widgets. */
#include "gallery-art.h"
#include "gallery-contents.h"
#include "gallery-pane.h"

#define COVER_WIDTH 112
#define COVER_HEIGHT 158

typedef struct
{
  GalleryScreen *screen;
  ListdClient *client;
  ListdWidgetPool *pool;
  guint made, binds; /* of books */
} Shelves;

/* Books */

static void
draw_cover (GtkDrawingArea *area, cairo_t *cairo, int width, int height, gpointer data)
{
  gboolean light;

  gallery_art_draw_cover (cairo, width, height, GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (area), "seed")), &light);
}

static GtkWidget *
on_book_setup (ListdFlowView *view, ListdCell *cell, const char *reuse, const char *kind, Shelves *self)
{
  GtkWidget *area = g_object_new (GTK_TYPE_DRAWING_AREA, "content-width", COVER_WIDTH, "content-height", COVER_HEIGHT, NULL);
  GtkWidget *overlay = g_object_new (GTK_TYPE_OVERLAY, "child", area, "overflow", GTK_OVERFLOW_HIDDEN, "halign", GTK_ALIGN_CENTER, "valign", GTK_ALIGN_START,
                                     "margin-top", 4, NULL);
  GtkWidget *title = g_object_new (GTK_TYPE_LABEL, "wrap", TRUE, "xalign", 0.0, "yalign", 0.0, "margin-top", 12, "margin-start", 10, "margin-end", 8, "lines", 3,
                                   "ellipsize", PANGO_ELLIPSIZE_END, "max-width-chars", 10, NULL);
  GtkWidget *author = g_object_new (GTK_TYPE_LABEL, "ellipsize", PANGO_ELLIPSIZE_END, "max-width-chars", 1, "hexpand", TRUE, NULL);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  self->made++;
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw_cover, NULL, NULL);
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), title);
  gtk_widget_add_css_class (overlay, "cover");
  gtk_widget_add_css_class (title, "heading");
  gtk_widget_add_css_class (author, "caption");
  gtk_box_append (GTK_BOX (box), overlay);
  gtk_box_append (GTK_BOX (box), author);
  return box;
}

static void
count (Shelves *self)
{
  g_autofree char *books = gallery_format_number (GALLERY_SHELVES * GALLERY_BOOKS), *binds = gallery_format_number (self->binds);

  gallery_screen_set_status (self->screen, "%s books in %u shelves: %u widgets, bound %s times", books, GALLERY_SHELVES, self->made, binds);
}

static void
on_book_bind (ListdFlowView *view, GtkWidget *box, ListdSlot *slot, Shelves *self)
{
  ListdItem *item = listd_slot_get_item (slot);
  GtkWidget *overlay = gtk_widget_get_first_child (box), *area = gtk_overlay_get_child (GTK_OVERLAY (overlay));
  GtkWidget *title = gtk_widget_get_last_child (overlay), *author = gtk_widget_get_last_child (box);
  const guint seed = (guint) listd_item_get_int (item, "seed");
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 1, 1);
  cairo_t *cairo = cairo_create (surface);
  gboolean light;

  gallery_art_draw_cover (cairo, 1, 1, seed, &light);
  cairo_destroy (cairo);
  cairo_surface_destroy (surface);
  g_object_set_data (G_OBJECT (area), "seed", GUINT_TO_POINTER (seed));
  gtk_widget_queue_draw (area);
  gallery_set_lines (GTK_LABEL (title), listd_item_get_string (item, "title"));
  gtk_widget_remove_css_class (title, light ? "on-dark" : "on-light");
  gtk_widget_add_css_class (title, light ? "on-light" : "on-dark");
  gtk_label_set_text (GTK_LABEL (author), listd_item_get_string (item, "author"));
  self->binds++;
  count (self);
}

/* Shelves */

/* A GtkScrolledWindow keeps all that a wheel does on it, also what it has no use for. The shelf lets what goes up or down go on to the
 * list of shelves, unless Shift makes that sideways. */
static gboolean
on_wheel (GtkEventControllerScroll *controller, double dx, double dy, GtkWidget *scrolled)
{
  const gboolean sideways = (gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller)) & GDK_SHIFT_MASK) != 0;
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (scrolled);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) other = g_list_model_get_item (controllers, i);
      GtkEventControllerScrollFlags flags;

      if (!GTK_IS_EVENT_CONTROLLER_SCROLL (other) || other == GTK_EVENT_CONTROLLER (controller))
        continue;
      flags = gtk_event_controller_scroll_get_flags (GTK_EVENT_CONTROLLER_SCROLL (other)) & ~GTK_EVENT_CONTROLLER_SCROLL_VERTICAL;
      gtk_event_controller_scroll_set_flags (GTK_EVENT_CONTROLLER_SCROLL (other), sideways ? flags | GTK_EVENT_CONTROLLER_SCROLL_VERTICAL : flags);
    }
  return GDK_EVENT_PROPAGATE;
}

static GtkWidget *
on_setup (ListdFlowView *view, ListdCell *cell, const char *reuse, const char *kind, Shelves *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *name = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "margin-start", 18, "margin-top", 12, NULL);
  GtkWidget *books = listd_flow_view_new (self->client, NULL);
  GtkWidget *scrolled = g_object_new (GTK_TYPE_SCROLLED_WINDOW, "vscrollbar-policy", GTK_POLICY_NEVER, "hscrollbar-policy", GTK_POLICY_EXTERNAL, "child", books,
                                      "vexpand", TRUE, "margin-start", 8, NULL);
  GtkEventController *wheel = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);

  gtk_event_controller_set_propagation_phase (wheel, GTK_PHASE_CAPTURE);
  g_signal_connect (wheel, "scroll", G_CALLBACK (on_wheel), scrolled);
  gtk_widget_add_controller (scrolled, wheel);
  gtk_widget_add_css_class (name, "heading");
  gtk_widget_add_css_class (books, "shelf");
  /* Tab goes from shelf to shelf, not through all their books. */
  listd_flow_view_set_tab_behavior (LISTD_FLOW_VIEW (books), LISTD_TAB_BEHAVIOR_ITEM);
  listd_flow_view_set_pool (LISTD_FLOW_VIEW (books), self->pool);
  g_signal_connect (books, "setup", G_CALLBACK (on_book_setup), self);
  g_signal_connect (books, "bind", G_CALLBACK (on_book_bind), self);
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), scrolled);
  g_object_set_data (G_OBJECT (box), "books", books);
  return box;
}

static void
on_bind (ListdFlowView *view, GtkWidget *box, ListdSlot *slot, Shelves *self)
{
  ListdItem *item = listd_slot_get_item (slot);

  gtk_label_set_text (GTK_LABEL (gtk_widget_get_first_child (box)), listd_item_get_string (item, "name"));
  listd_flow_view_set_model_name (g_object_get_data (G_OBJECT (box), "books"), listd_item_get_string (item, "list"));
}

static void
shelves_free (gpointer data)
{
  Shelves *self = data;

  g_object_unref (self->pool);
  g_free (self);
}

void
gallery_build_shelves (GalleryScreen *screen)
{
  Shelves *self = g_new0 (Shelves, 1);
  GtkWidget *view;

  self->screen = screen;
  self->client = gallery_service_get_client (gallery_screen_get_service (screen));
  self->pool = listd_widget_pool_new ();
  view = listd_flow_view_new (self->client, "gallery-shelves");
  gtk_widget_add_css_class (view, "shelves");
  g_signal_connect (view, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (view, "bind", G_CALLBACK (on_bind), self);
  g_object_set_data_full (G_OBJECT (screen), "shelves", self, shelves_free);
  adw_bin_set_child (ADW_BIN (screen), gallery_pane_new_for_flow (screen, LISTD_FLOW_VIEW (view), 0));
}

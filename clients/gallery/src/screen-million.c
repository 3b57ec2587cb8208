// SPDX-License-Identifier: Apache-2.0
/* The same million rows in a list widget of GTK and in a flow view, while a writer inserts rows in front. */
#include "gallery-pane.h"
#include "gallery-person.h"

typedef struct
{
  GalleryScreen *screen;
  ListdList *list;
  GalleryColumn columns[2];
  GtkWidget *labels[2]; /* their counters */
  GSubprocess *writer;
  guint soon;
} Million;

static gboolean
show_counters (gpointer data)
{
  Million *self = data;
  g_autofree char *rows = gallery_format_number (g_list_model_get_n_items (G_LIST_MODEL (self->list)));

  self->soon = 0;
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *binds = gallery_format_number (self->columns[i].binds);
      g_autofree char *text = g_strdup_printf ("%u widgets, %s binds", self->columns[i].widgets, binds);
      gtk_label_set_text (GTK_LABEL (self->labels[i]), text);
    }
  gallery_screen_set_status (self->screen, "%s rows", rows);
  return G_SOURCE_REMOVE;
}

/* People cannot read more than some numbers in a second. */
static void
count_soon (Million *self)
{
  if (self->soon == 0)
    self->soon = g_timeout_add (100, show_counters, self);
}

/* In GTK's widget */

static void
on_row_setup (GtkListItemFactory *factory, GtkListItem *row, Million *self)
{
  self->columns[0].widgets++;
  gtk_list_item_set_child (row, gallery_person_new ());
  gtk_widget_set_size_request (gtk_list_item_get_child (row), -1, 56);
}

static void
on_row_teardown (GtkListItemFactory *factory, GtkListItem *row, Million *self)
{
  self->columns[0].widgets--;
}

static void
show_row (GtkListItem *row)
{
  gallery_person_show (GALLERY_PERSON (gtk_list_item_get_child (row)), gtk_list_item_get_item (row), NULL);
}

static void
on_row_bind (GtkListItemFactory *factory, GtkListItem *row, Million *self)
{
  self->columns[0].binds++;
  g_signal_connect_object (gtk_list_item_get_item (row), "changed", G_CALLBACK (show_row), row, G_CONNECT_SWAPPED);
  show_row (row);
  count_soon (self);
}

static void
on_row_unbind (GtkListItemFactory *factory, GtkListItem *row, Million *self)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (row), show_row, row);
}

static GtkWidget *
make_list_view (Million *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkWidget *view;

  g_signal_connect (factory, "setup", G_CALLBACK (on_row_setup), self);
  g_signal_connect (factory, "teardown", G_CALLBACK (on_row_teardown), self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_row_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_row_unbind), self);
  view = gtk_list_view_new (listd_selection_new (self->list), factory);
  self->columns[0].view = view;
  listd_gtk_follow_visible (GTK_SCROLLABLE (view), self->list);
  return gallery_pane_new (self->screen, self->list, g_object_new (GTK_TYPE_SCROLLED_WINDOW, "hscrollbar-policy", GTK_POLICY_NEVER, "child", view, NULL));
}

/* In the flow view */

static GtkWidget *
on_setup (ListdFlowView *view, ListdCell *cell, const char *reuse, const char *kind, Million *self)
{
  return gallery_person_new ();
}

static void
on_bind (ListdFlowView *view, GtkWidget *person, ListdSlot *slot, Million *self)
{
  self->columns[1].binds++;
  self->columns[1].widgets = listd_flow_view_get_n_cells (view);
  gallery_person_show (GALLERY_PERSON (person), listd_slot_get_item (slot), NULL);
  count_soon (self);
}

static GtkWidget *
make_column (Million *self, guint i, GtkWidget *pane)
{
  GtkWidget *box = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "hexpand", TRUE, NULL);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *title = g_object_new (GTK_TYPE_LABEL, "label", i == 0 ? "GtkListView" : "ListdFlowView", "xalign", 0.0, "hexpand", TRUE, NULL);
  GtkWidget *label = gtk_label_new (NULL);

  self->labels[i] = label;
  gtk_widget_add_css_class (title, "heading");
  gtk_widget_add_css_class (label, "numeric");
  gtk_widget_add_css_class (label, "caption");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_add_css_class (head, "pane-title");
  gtk_box_append (GTK_BOX (head), title);
  gtk_box_append (GTK_BOX (head), label);
  gtk_box_append (GTK_BOX (box), head);
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (box), pane);
  return box;
}

static void
end_writer (Million *self)
{
  if (self->writer != NULL)
    g_subprocess_send_signal (self->writer, SIGTERM);
  g_clear_object (&self->writer);
}

static void
on_insert (GtkToggleButton *button, Million *self)
{
  end_writer (self);
  if (gtk_toggle_button_get_active (button))
    self->writer = gallery_service_run_writer (gallery_screen_get_service (self->screen), "insert");
}

static void
million_free (gpointer data)
{
  Million *self = data;

  end_writer (self);
  g_clear_handle_id (&self->soon, g_source_remove);
  g_signal_handlers_disconnect_by_data (self->list, self);
  g_object_unref (self->list);
  g_free (self);
}

const GalleryColumn *
gallery_million_get_columns (GalleryScreen *screen)
{
  return ((Million *) g_object_get_data (G_OBJECT (screen), "million"))->columns;
}

void
gallery_build_million (GalleryScreen *screen)
{
  Million *self = g_new0 (Million, 1);
  ListdClient *client = gallery_service_get_client (gallery_screen_get_service (screen));
  GtkWidget *box = g_object_new (GTK_TYPE_BOX, "homogeneous", FALSE, NULL);
  GtkWidget *flow = listd_flow_view_new (client, "gallery-million");
  GtkWidget *insert = gtk_toggle_button_new_with_label ("Insert 50 a Second in Front");

  self->screen = screen;
  self->columns[1].view = flow;
  self->list = g_object_ref (listd_flow_view_get_list (LISTD_FLOW_VIEW (flow)));
  listd_list_set_overscan (self->list, 60);
  listd_flow_view_set_selection_mode (LISTD_FLOW_VIEW (flow), GTK_SELECTION_MULTIPLE);
  listd_flow_view_set_stick_to_start (LISTD_FLOW_VIEW (flow), FALSE);
  g_signal_connect (flow, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (flow, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (insert, "toggled", G_CALLBACK (on_insert), self);
  g_signal_connect_swapped (self->list, "items-changed", G_CALLBACK (count_soon), self);
  g_object_set_data_full (G_OBJECT (screen), "million", self, million_free);
  gtk_box_append (GTK_BOX (box), make_column (self, 0, make_list_view (self)));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_VERTICAL));
  gtk_box_append (GTK_BOX (box), make_column (self, 1, gallery_pane_new_for_flow (screen, LISTD_FLOW_VIEW (flow), 0)));
  gallery_screen_set_tools (screen, insert);
  adw_bin_set_child (ADW_BIN (screen), box);
  show_counters (self);
}

// SPDX-License-Identifier: Apache-2.0
/* Search as you type in a million rows. The filtered list is one of listd's, so its rows move to their places. */
#include "gallery-pane.h"
#include "gallery-person.h"

#define WIDTH 640

typedef struct
{
  GalleryScreen *screen;
  ListdList *all, *found;
  ListdFlowView *view;
  char *text;
  gboolean changed; /* and not told to the list yet */
} Search;

static void
show_status (Search *self)
{
  g_autofree char *all = gallery_format_number (g_list_model_get_n_items (G_LIST_MODEL (self->all)));
  g_autofree char *found = gallery_format_number (g_list_model_get_n_items (G_LIST_MODEL (self->found)));

  if (self->text != NULL && *self->text != '\0')
    gallery_screen_set_status (self->screen, "%s of %s rows", found, all);
  else
    gallery_screen_set_status (self->screen, "%s rows", all);
}

/* A filter that is set while the list is being opened could be lost. */
static void
apply (Search *self)
{
  static const char *const fields[] = { "name", "place", NULL };
  g_autoptr (ListdFilter) filter = NULL;

  if (!self->changed || listd_list_get_state (self->found) != LISTD_LIST_STATE_READY)
    return;
  self->changed = FALSE;
  filter = listd_filter_new ();
  listd_filter_set_contains (filter, self->text, fields);
  listd_list_set_filter (self->found, filter);
}

/* Rows that stay are not bound again. */
static void
mark_rows (Search *self)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->view)); child != NULL; child = gtk_widget_get_next_sibling (child))
    if (LISTD_IS_CELL (child) && listd_cell_get_item (LISTD_CELL (child)) != NULL)
      gallery_person_show (GALLERY_PERSON (listd_cell_get_child (LISTD_CELL (child))), listd_cell_get_item (LISTD_CELL (child)), self->text);
}

static void
on_search (GtkEditable *entry, Search *self)
{
  g_free (self->text);
  self->text = g_strdup (gtk_editable_get_text (entry));
  self->changed = TRUE;
  mark_rows (self);
  apply (self);
  show_status (self);
}

static GtkWidget *
on_setup (ListdFlowView *view, ListdCell *cell, const char *reuse, const char *kind, Search *self)
{
  return gallery_person_new ();
}

static void
on_bind (ListdFlowView *view, GtkWidget *person, ListdSlot *slot, Search *self)
{
  gallery_person_show (GALLERY_PERSON (person), listd_slot_get_item (slot), self->text);
}

/* What is typed in the window goes into the entry while it is on the screen. */
static void
on_map (GtkSearchEntry *entry, gpointer data)
{
  gtk_search_entry_set_key_capture_widget (entry, GTK_WIDGET (gtk_widget_get_root (GTK_WIDGET (entry))));
}

static void
search_free (gpointer data)
{
  Search *self = data;

  g_signal_handlers_disconnect_by_data (self->all, self);
  g_signal_handlers_disconnect_by_data (self->found, self);
  g_object_unref (self->all);
  g_object_unref (self->found);
  g_free (self->text);
  g_free (self);
}

void
gallery_build_search (GalleryScreen *screen)
{
  Search *self = g_new0 (Search, 1);
  ListdClient *client = gallery_service_get_client (gallery_screen_get_service (screen));
  GtkWidget *entry = g_object_new (GTK_TYPE_SEARCH_ENTRY, "placeholder-text", "A name or a place", "hexpand", TRUE, NULL);
  /* As wide as what the rows below show. */
  GtkWidget *clamp = g_object_new (ADW_TYPE_CLAMP, "maximum-size", WIDTH - 36, "tightening-threshold", WIDTH - 36, "child", entry, "margin-top", 12, "margin-bottom", 12,
                                   "margin-start", 18, "margin-end", 18, NULL);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *view, *pane;

  self->screen = screen;
  self->all = listd_list_new (client, "gallery-million");
  self->found = listd_list_new_filtered (client, "gallery-million", NULL);
  view = listd_flow_view_new (client, listd_list_get_name (self->found));
  self->view = LISTD_FLOW_VIEW (view);
  listd_flow_view_set_stick_to_start (self->view, TRUE);
  g_signal_connect (view, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (view, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (entry, "map", G_CALLBACK (on_map), NULL);
  g_signal_connect (entry, "search-changed", G_CALLBACK (on_search), self);
  g_signal_connect_swapped (self->found, "notify::state", G_CALLBACK (apply), self);
  g_signal_connect_swapped (self->all, "items-changed", G_CALLBACK (show_status), self);
  g_signal_connect_swapped (self->found, "items-changed", G_CALLBACK (show_status), self);
  g_object_set (entry, "search-delay", 60, NULL);
  g_object_set_data_full (G_OBJECT (screen), "search", self, search_free);
  pane = gallery_pane_new_for_flow (screen, self->view, WIDTH);
  gallery_pane_set_base (pane, "gallery-million");
  gallery_pane_set_empty (pane, "No Results Found", "Try another name or place");
  gtk_box_append (GTK_BOX (box), clamp);
  gtk_box_append (GTK_BOX (box), pane);
  adw_bin_set_child (ADW_BIN (screen), box);
  show_status (self);
}

// SPDX-License-Identifier: Apache-2.0
/* Photographs whose thumbnails another process makes, because it hears what is near the screen. */
#include "gallery-pane.h"
#include "gallery-photo.h"

typedef struct
{
  GalleryScreen *screen;
  ListdList *photos, *prepared;
} Photos;

static void
show_status (Photos *self)
{
  g_autofree char *photos = gallery_format_number (g_list_model_get_n_items (G_LIST_MODEL (self->photos)));
  g_autofree char *prepared = gallery_format_number (g_list_model_get_n_items (G_LIST_MODEL (self->prepared)));

  gallery_screen_set_status (self->screen, "%s photographs, %s thumbnails made", photos, prepared);
}

static GtkWidget *
on_setup (ListdFlowView *view, ListdCell *cell, const char *reuse, const char *kind, gpointer data)
{
  return gallery_photo_new ();
}

static void
on_bind (ListdFlowView *view, GtkWidget *photo, ListdSlot *slot, gpointer data)
{
  gallery_photo_show (GALLERY_PHOTO (photo), listd_slot_get_item (slot));
}

/* The list of what was prepared */

static void
on_prepared_setup (GtkListItemFactory *factory, GtkListItem *row, gpointer data)
{
  GtkWidget *box = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "margin-top", 5, "margin-bottom", 5, "margin-start", 12, "margin-end", 6, NULL);

  for (guint i = 0; i < 2; i++)
    {
      GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
      if (i == 1)
        {
          gtk_widget_add_css_class (label, "dim-label");
          gtk_widget_add_css_class (label, "caption");
          gtk_widget_add_css_class (label, "numeric");
        }
      gtk_box_append (GTK_BOX (box), label);
    }
  gtk_list_item_set_child (row, box);
}

static void
show_prepared (GtkListItem *row)
{
  ListdItem *item = gtk_list_item_get_item (row);
  GtkWidget *name = gtk_widget_get_first_child (gtk_list_item_get_child (row)), *fact = gtk_widget_get_next_sibling (name);
  g_autoptr (GDateTime) time = NULL, here = NULL;
  g_autofree char *clock = NULL, *text = NULL;

  if (!listd_item_get_loaded (item))
    {
      gtk_label_set_text (GTK_LABEL (name), "…");
      gtk_label_set_text (GTK_LABEL (fact), "");
      return;
    }
  time = g_date_time_new_from_unix_utc (listd_item_get_int (item, "time") / G_USEC_PER_SEC);
  here = g_date_time_to_local (time);
  clock = g_date_time_format (here, "%H:%M:%S");
  text = g_strdup_printf ("No. %s · %.0f ms · %s", listd_item_get_id (item), listd_item_get_double (item, "took"), clock);
  gtk_label_set_text (GTK_LABEL (name), listd_item_get_string (item, "name"));
  gtk_label_set_text (GTK_LABEL (fact), text);
}

static void
on_prepared_bind (GtkListItemFactory *factory, GtkListItem *row, gpointer data)
{
  g_signal_connect_object (gtk_list_item_get_item (row), "changed", G_CALLBACK (show_prepared), row, G_CONNECT_SWAPPED);
  show_prepared (row);
}

static void
on_prepared_unbind (GtkListItemFactory *factory, GtkListItem *row, gpointer data)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (row), show_prepared, row);
}

static GtkWidget *
make_prepared (Photos *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkWidget *view, *scrolled, *box = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "width-request", 226, NULL);
  GtkWidget *title = g_object_new (GTK_TYPE_LABEL, "label", "Prepared", "xalign", 0.0, NULL);
  GtkWidget *caption = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "wrap", TRUE,
                                     "max-width-chars", 24, NULL);
  GtkWidget *head = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 3, NULL);

  g_signal_connect (factory, "setup", G_CALLBACK (on_prepared_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_prepared_bind), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_prepared_unbind), NULL);
  view = gtk_list_view_new (GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (g_object_ref (self->prepared)))), factory);
  gtk_widget_add_css_class (view, "navigation-sidebar");
  scrolled = g_object_new (GTK_TYPE_SCROLLED_WINDOW, "hscrollbar-policy", GTK_POLICY_NEVER, "vexpand", TRUE, "child", view, NULL);
  listd_gtk_follow_visible (GTK_SCROLLABLE (view), self->prepared);
  listd_gtk_stick_to_start (GTK_SCROLLABLE (view), self->prepared);

  gallery_set_lines (GTK_LABEL (caption), "By another process, which hears what is near the screen");
  gtk_widget_add_css_class (title, "heading");
  gtk_widget_add_css_class (caption, "caption");
  gtk_widget_add_css_class (caption, "dim-label");
  gtk_widget_add_css_class (head, "pane-title");
  gtk_box_append (GTK_BOX (head), title);
  gtk_box_append (GTK_BOX (head), caption);
  gtk_box_append (GTK_BOX (box), head);
  gtk_box_append (GTK_BOX (box), scrolled);
  gtk_widget_add_css_class (box, "side-panel");
  return box;
}

static void
photos_free (gpointer data)
{
  Photos *self = data;

  g_signal_handlers_disconnect_by_data (self->photos, self);
  g_signal_handlers_disconnect_by_data (self->prepared, self);
  g_object_unref (self->photos);
  g_object_unref (self->prepared);
  g_free (self);
}

void
gallery_build_photos (GalleryScreen *screen)
{
  Photos *self = g_new0 (Photos, 1);
  ListdClient *client = gallery_service_get_client (gallery_screen_get_service (screen));
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *view = listd_flow_view_new (client, "gallery-photos");
  GVariant *range = g_variant_new_parsed ("{'working-range-unit': <'items'>, 'lead': <uint32 36>, 'trail': <uint32 12>}");

  self->screen = screen;
  self->photos = g_object_ref (listd_flow_view_get_list (LISTD_FLOW_VIEW (view)));
  self->prepared = listd_list_new (client, "gallery-prepared");
  listd_flow_view_set_options (LISTD_FLOW_VIEW (view), range);
  gtk_widget_add_css_class (view, "photos");
  g_signal_connect (view, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (view, "bind", G_CALLBACK (on_bind), NULL);
  g_signal_connect_swapped (self->photos, "items-changed", G_CALLBACK (show_status), self);
  g_signal_connect_swapped (self->prepared, "items-changed", G_CALLBACK (show_status), self);
  g_object_set_data_full (G_OBJECT (screen), "photos", self, photos_free);
  gtk_box_append (GTK_BOX (box), gallery_pane_new_for_flow (screen, LISTD_FLOW_VIEW (view), 216 * 3));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_VERTICAL));
  gtk_box_append (GTK_BOX (box), make_prepared (self));
  adw_bin_set_child (ADW_BIN (screen), box);
  show_status (self);
}

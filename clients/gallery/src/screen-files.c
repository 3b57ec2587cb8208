// SPDX-License-Identifier: Apache-2.0
/* A directory and the journal of the machine, by the plugins that ship with listd. */
#include "gallery-pane.h"

static GtkWidget *
make_label (const char *class, float xalign)
{
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "xalign", xalign, "ellipsize", PANGO_ELLIPSIZE_END, NULL);

  if (class != NULL)
    gtk_widget_add_css_class (label, class);
  return label;
}

static const char *
get_text (ListdItem *item, const char *field)
{
  const char *text = listd_item_get_string (item, field);

  return text != NULL ? text : "";
}

/* As people write a time: the hour of today, else the day, with its hour if that matters. */
static char *
format_time (gint64 microseconds, gboolean hour)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (microseconds / G_USEC_PER_SEC), now = g_date_time_new_now_local ();

  if (time == NULL)
    return g_strdup ("");
  if (g_date_time_get_year (time) == g_date_time_get_year (now) && g_date_time_get_day_of_year (time) == g_date_time_get_day_of_year (now))
    return g_date_time_format (time, "%H:%M");
  if (g_date_time_get_year (time) == g_date_time_get_year (now))
    return g_date_time_format (time, hour ? "%-d %b %H:%M" : "%-d %b");
  return g_date_time_format (time, "%-d %b %Y");
}

/* A row: icon, title, then two columns. */
static GtkWidget *
on_setup (ListdFlowView *view, ListdCell *cell, const char *reuse, const char *kind, gpointer data)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12), *title = make_label (NULL, 0), *detail = make_label ("dim-label", 1), *time = make_label ("dim-label", 1);

  if (g_str_equal (kind, "header"))
    return make_label ("heading", 0);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (detail, "numeric");
  gtk_widget_add_css_class (time, "numeric");
  gtk_widget_set_size_request (detail, 110, -1);
  gtk_widget_set_size_request (time, 104, -1);
  gtk_box_append (GTK_BOX (box), g_object_new (GTK_TYPE_IMAGE, "pixel-size", 32, NULL));
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), detail);
  gtk_box_append (GTK_BOX (box), time);
  gtk_widget_add_css_class (box, "file-row");
  return box;
}

static void
on_file_bind (ListdFlowView *view, GtkWidget *widget, ListdSlot *slot, gpointer data)
{
  ListdItem *item = listd_slot_get_item (slot);
  const char *names[] = { get_text (item, "icon"), get_text (item, "fallback-icon"), "text-x-generic", NULL };
  g_autoptr (GIcon) icon = NULL;
  g_autofree char *time = NULL;
  GtkWidget *image, *title, *detail;
  gboolean directory;

  if (GTK_IS_LABEL (widget))
    {
      gtk_label_set_text (GTK_LABEL (widget), get_text (item, "title"));
      return;
    }
  image = gtk_widget_get_first_child (widget);
  title = gtk_widget_get_next_sibling (image);
  detail = gtk_widget_get_next_sibling (title);
  directory = g_str_equal (get_text (item, "kind"), "directory");
  icon = g_themed_icon_new_from_names ((char **) names, -1);
  gtk_image_set_from_gicon (GTK_IMAGE (image), icon);
  gtk_label_set_text (GTK_LABEL (title), get_text (item, "title"));
  gtk_label_set_text (GTK_LABEL (detail), directory ? "" : get_text (item, "detail"));
  time = format_time (listd_item_get_int (item, "modified"), FALSE);
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_last_child (widget)), time);
}

static void
on_entry_bind (ListdFlowView *view, GtkWidget *widget, ListdSlot *slot, gpointer data)
{
  ListdItem *item = listd_slot_get_item (slot);
  const gint64 priority = listd_item_get_int (item, "priority");
  GtkWidget *image, *title, *detail;
  g_autofree char *time = NULL;

  if (GTK_IS_LABEL (widget))
    {
      gtk_label_set_text (GTK_LABEL (widget), get_text (item, "title"));
      return;
    }
  image = gtk_widget_get_first_child (widget);
  title = gtk_widget_get_next_sibling (image);
  detail = gtk_widget_get_next_sibling (title);
  /* Only what is wrong has a mark. */
  gtk_image_set_from_icon_name (GTK_IMAGE (image), priority <= 3 ? "dialog-error-symbolic" : priority == 4 ? "dialog-warning-symbolic" : NULL);
  gtk_image_set_pixel_size (GTK_IMAGE (image), 16);
  gtk_widget_remove_css_class (image, priority <= 3 ? "warning" : "error");
  gtk_widget_add_css_class (image, priority <= 3 ? "error" : "warning");
  gtk_label_set_text (GTK_LABEL (title), get_text (item, "title"));
  gtk_label_set_text (GTK_LABEL (detail), get_text (item, "detail"));
  time = format_time (listd_item_get_int (item, "time"), TRUE);
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_last_child (widget)), time);
}

static void
on_items (ListdList *list, guint position, guint removed, guint added, GalleryScreen *screen)
{
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (list));
  g_autofree char *number = gallery_format_number (n);
  const char *place = g_object_get_data (G_OBJECT (screen), "place");

  gallery_screen_set_status (screen, "%s %s%s%s", number, n == 1 ? "entry" : "entries", place != NULL ? " in " : "", place != NULL ? place : "");
}

static void
build (GalleryScreen *screen, const char *name, GCallback bind, const char *empty)
{
  GtkWidget *view = listd_flow_view_new (gallery_service_get_client (gallery_screen_get_service (screen)), name);
  ListdList *list = listd_flow_view_get_list (LISTD_FLOW_VIEW (view));
  GtkWidget *pane;

  gtk_widget_add_css_class (view, "files");
  listd_flow_view_set_stick_to_start (LISTD_FLOW_VIEW (view), TRUE);
  listd_flow_view_set_selection_mode (LISTD_FLOW_VIEW (view), GTK_SELECTION_MULTIPLE);
  listd_flow_view_set_search_field (LISTD_FLOW_VIEW (view), "name");
  g_signal_connect (view, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (view, "bind", bind, NULL);
  g_signal_connect_object (list, "items-changed", G_CALLBACK (on_items), screen, 0);
  pane = gallery_pane_new_for_flow (screen, LISTD_FLOW_VIEW (view), 0);
  gallery_pane_set_empty (pane, empty, NULL);
  adw_bin_set_child (ADW_BIN (screen), pane);
}

void
gallery_build_folder (GalleryScreen *screen)
{
  const char *folder = g_getenv ("LISTD_GALLERY_FOLDER");

  g_object_set_data_full (G_OBJECT (screen), "place", folder != NULL ? g_filename_display_basename (folder) : g_strdup ("Home"), g_free);
  build (screen, "gallery-folder", G_CALLBACK (on_file_bind), "Folder Is Empty");
}

void
gallery_build_journal (GalleryScreen *screen)
{
  build (screen, "gallery-journal", G_CALLBACK (on_entry_bind), "No Entries");
}

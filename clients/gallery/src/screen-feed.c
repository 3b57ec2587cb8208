// SPDX-License-Identifier: Apache-2.0
/* The feed of IGListKit's tutorial, by the section controllers of the plugin marslink: journal, messages, and weather that opens. */
#include "gallery-pane.h"

#include <string.h>

static GtkWidget *
make_label (const char *first, const char *second)
{
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR, "natural-wrap-mode", GTK_NATURAL_WRAP_NONE, NULL);

  if (first != NULL)
    gtk_widget_add_css_class (label, first);
  if (second != NULL)
    gtk_widget_add_css_class (label, second);
  return label;
}

static const char *
get_text (ListdItem *item, const char *field)
{
  const char *text = listd_item_get_string (item, field);

  return text != NULL ? text : "";
}

/* A word as it begins a line. */
static char *
capitalize (const char *word)
{
  g_autofree char *lower = g_utf8_strdown (word, -1), *first = g_utf8_substring (lower, 0, *lower != '\0'), *upper = g_utf8_strup (first, -1);

  return g_strconcat (upper, lower + strlen (first), NULL);
}

/* Numbers with the sign that typography has for them. */
static char *
with_minus (const char *text, gsize length)
{
  g_autofree char *part = g_strndup (text, length);
  g_auto (GStrv) parts = g_strsplit (part, "-", -1);

  return g_strjoinv ("−", parts);
}

/* A header: who, and on which day. */
static GtkWidget *
make_header (void)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12), *day = make_label ("caption", "dim-label");

  gtk_box_append (GTK_BOX (box), adw_avatar_new (32, NULL, TRUE));
  gtk_box_append (GTK_BOX (box), make_label ("heading", NULL));
  gtk_widget_set_hexpand (day, TRUE);
  gtk_label_set_xalign (GTK_LABEL (day), 1);
  gtk_box_append (GTK_BOX (box), day);
  gtk_widget_add_css_class (box, "feed-header");
  return box;
}

static void
show_header (GtkWidget *box, ListdItem *item)
{
  GtkWidget *avatar = gtk_widget_get_first_child (box), *title = gtk_widget_get_next_sibling (avatar), *day = gtk_widget_get_next_sibling (title);
  const char *name = get_text (item, "title"), *kind = get_text (item, "kind");
  const gboolean weather = g_str_equal (kind, "weather");
  g_autofree char *text = g_strdup_printf ("Sol %" G_GINT64_FORMAT, listd_item_get_int (item, "sol"));

  adw_avatar_set_text (ADW_AVATAR (avatar), name);
  adw_avatar_set_show_initials (ADW_AVATAR (avatar), !weather);
  adw_avatar_set_icon_name (ADW_AVATAR (avatar), weather ? "weather-few-clouds-symbolic" : NULL);
  gtk_label_set_text (GTK_LABEL (title), name);
  gtk_label_set_text (GTK_LABEL (day), text);
}

static GtkWidget *
make_weather (void)
{
  GtkWidget *card = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 14), *outer = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *texts = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "hexpand", TRUE, "valign", GTK_ALIGN_CENTER, NULL);

  gtk_box_append (GTK_BOX (card), g_object_new (GTK_TYPE_IMAGE, "pixel-size", 32, NULL));
  gtk_box_append (GTK_BOX (texts), make_label (NULL, NULL));
  gtk_box_append (GTK_BOX (texts), make_label ("caption", "dim-label"));
  gtk_box_append (GTK_BOX (card), texts);
  gtk_box_append (GTK_BOX (card), gtk_image_new_from_icon_name ("pan-end-symbolic"));
  gtk_widget_add_css_class (card, "weather-card");
  gtk_widget_set_hexpand (card, TRUE);
  gtk_box_append (GTK_BOX (outer), card);
  gtk_widget_add_css_class (outer, "feed-text");
  gtk_widget_set_margin_start (outer, 44);
  return outer;
}

static void
show_weather (GtkWidget *outer, ListdItem *item)
{
  GtkWidget *card = gtk_widget_get_first_child (outer), *icon = gtk_widget_get_first_child (card);
  GtkWidget *texts = gtk_widget_get_next_sibling (icon), *arrow = gtk_widget_get_last_child (card);
  const char *condition = get_text (item, "condition"), *detail = get_text (item, "detail"), *end = g_strrstr (detail, ", ");
  g_autofree char *title = capitalize (condition), *degrees = with_minus (detail, end != NULL ? (gsize) (end - detail) : strlen (detail));
  GVariant *expanded = listd_item_get_value (item, "expanded");
  const gboolean open = expanded != NULL && g_variant_is_of_type (expanded, G_VARIANT_TYPE_BOOLEAN) && g_variant_get_boolean (expanded);

  gtk_image_set_from_icon_name (GTK_IMAGE (icon), g_str_equal (condition, "clear")   ? "weather-clear-symbolic"
                                                  : g_str_equal (condition, "storm") ? "weather-storm-symbolic"
                                                                                     : "weather-fog-symbolic");
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_first_child (texts)), title);
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_last_child (texts)), degrees);
  gtk_image_set_from_icon_name (GTK_IMAGE (arrow), open ? "pan-down-symbolic" : "pan-end-symbolic");
}

static GtkWidget *
make_detail (void)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12), *value = make_label ("numeric", NULL);

  gtk_box_append (GTK_BOX (box), make_label ("caption", "dim-label"));
  gtk_widget_set_hexpand (value, TRUE);
  gtk_label_set_xalign (GTK_LABEL (value), 1);
  gtk_box_append (GTK_BOX (box), value);
  gtk_widget_set_margin_start (box, 66);
  gtk_widget_set_margin_end (box, 22);
  gtk_widget_set_margin_bottom (box, 6);
  return box;
}

static GtkWidget *
make_text (const char *class)
{
  GtkWidget *label = make_label (class, NULL), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_box_append (GTK_BOX (box), label);
  gtk_widget_add_css_class (box, "feed-text");
  gtk_widget_set_margin_start (box, 44);
  return box;
}

static GtkWidget *
on_setup (ListdFlowView *view, ListdCell *cell, const char *reuse, const char *kind, gpointer data)
{
  if (g_str_equal (kind, "header"))
    return make_header ();
  if (g_str_equal (reuse, "weather"))
    return make_weather ();
  if (g_str_equal (reuse, "weather-detail"))
    return make_detail ();
  return make_text (g_str_equal (reuse, "message") ? "message-text" : NULL);
}

static void
on_bind (ListdFlowView *view, GtkWidget *widget, ListdSlot *slot, gpointer data)
{
  ListdItem *item = listd_slot_get_item (slot);
  const char *reuse = listd_item_get_reuse_identifier (item);

  if (g_str_equal (listd_slot_get_kind (slot), "header"))
    show_header (widget, item);
  else if (g_str_equal (reuse, "weather"))
    show_weather (widget, item);
  else if (g_str_equal (reuse, "weather-detail"))
    {
      const char *detail = get_text (item, "detail");
      g_autofree char *title = capitalize (get_text (item, "title")), *value = with_minus (detail, strlen (detail));

      gtk_label_set_text (GTK_LABEL (gtk_widget_get_first_child (widget)), title);
      gtk_label_set_text (GTK_LABEL (gtk_widget_get_last_child (widget)), value);
    }
  else
    {
      GtkWidget *label = gtk_widget_get_first_child (widget);
      GVariant *read = listd_item_get_value (item, "read");

      gallery_set_lines (GTK_LABEL (label), get_text (item, "text"));
      if (read != NULL && g_variant_is_of_type (read, G_VARIANT_TYPE_BOOLEAN) && !g_variant_get_boolean (read))
        gtk_widget_add_css_class (label, "unread");
      else
        gtk_widget_remove_css_class (label, "unread");
    }
}

/* The section controllers guess how high a text is; its font is known here alone. */
static void
on_picture (ListdView *pictures, ListdFlowView *view)
{
  GListModel *slots = listd_view_get_slots (pictures);

  for (guint i = 0; i < g_list_model_get_n_items (slots); i++)
    {
      g_autoptr (ListdSlot) slot = g_list_model_get_item (slots, i);
      ListdItem *item = listd_slot_get_item (slot);
      const double width = listd_slot_get_width (slot);
      ListdCell *cell;
      int least, height;

      if (item == NULL || !g_str_equal (listd_slot_get_kind (slot), "cell"))
        continue;
      cell = listd_flow_view_get_cell (view, listd_item_get_id (item), listd_item_get_item (item));
      if (cell == NULL || listd_cell_get_child (cell) == NULL)
        continue;
      gtk_widget_measure (listd_cell_get_child (cell), GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
      gtk_widget_measure (listd_cell_get_child (cell), GTK_ORIENTATION_VERTICAL, MAX ((int) width, least), NULL, &height, NULL, NULL);
      if (ABS (height - listd_slot_get_height (slot)) > 0.5)
        listd_view_report_size (pictures, slot, width, height);
    }
}

static void
on_view (ListdFlowView *view, GParamSpec *pspec, gpointer data)
{
  if (listd_flow_view_get_view (view) != NULL)
    g_signal_connect_object (listd_flow_view_get_view (view), "picture", G_CALLBACK (on_picture), view, G_CONNECT_AFTER);
}

/* The section controller opens the weather, or marks the message as read, when its item is selected. */
static void
on_activate (ListdFlowView *view, ListdSlot *slot, ListdList *list)
{
  listd_list_select_async (list, listd_slot_get_item (slot), TRUE, NULL, NULL, NULL);
}

static void
on_items (ListdList *list, guint position, guint removed, guint added, GalleryScreen *screen)
{
  gallery_screen_set_status (screen, "%u items by the section controllers of a plugin", g_list_model_get_n_items (G_LIST_MODEL (list)));
}

void
gallery_build_feed (GalleryScreen *screen)
{
  GtkWidget *view = listd_flow_view_new (gallery_service_get_client (gallery_screen_get_service (screen)), "gallery-feed");
  ListdList *list = listd_flow_view_get_list (LISTD_FLOW_VIEW (view));

  gtk_widget_add_css_class (view, "feed");
  listd_flow_view_set_stick_to_start (LISTD_FLOW_VIEW (view), TRUE);
  listd_flow_view_set_activate_on_click (LISTD_FLOW_VIEW (view), TRUE);
  g_signal_connect (view, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (view, "bind", G_CALLBACK (on_bind), NULL);
  g_signal_connect (view, "notify::view", G_CALLBACK (on_view), NULL);
  on_view (LISTD_FLOW_VIEW (view), NULL, NULL);
  g_signal_connect_object (view, "activate", G_CALLBACK (on_activate), list, 0);
  g_signal_connect_object (list, "items-changed", G_CALLBACK (on_items), screen, 0);
  adw_bin_set_child (ADW_BIN (screen), gallery_pane_new_for_flow (screen, LISTD_FLOW_VIEW (view), 620));
}

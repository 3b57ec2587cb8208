// SPDX-License-Identifier: Apache-2.0
/* A map of 60,000 tiles: the layout `absolute`, which scrolls both ways. */
#include "gallery-contents.h"
#include "gallery-pane.h"
#include "gallery-tile.h"

#define START_COLUMN 140
#define START_ROW 92

static GtkWidget *
on_setup (ListdFlowView *view, ListdCell *cell, const char *reuse, const char *kind, gpointer data)
{
  GtkWidget *box, *mark, *label;

  if (!g_str_equal (reuse, "town"))
    return gallery_tile_new ();
  box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 5);
  mark = g_object_new (GTK_TYPE_BOX, "valign", GTK_ALIGN_CENTER, NULL);
  label = gtk_label_new (NULL);
  gtk_widget_add_css_class (mark, "town-mark");
  gtk_widget_add_css_class (label, "town");
  gtk_box_append (GTK_BOX (box), mark);
  gtk_box_append (GTK_BOX (box), label);
  gtk_widget_set_direction (box, GTK_TEXT_DIR_LTR);
  return box;
}

static void
on_bind (ListdFlowView *view, GtkWidget *widget, ListdSlot *slot, GalleryScreen *screen)
{
  ListdItem *item = listd_slot_get_item (slot);
  GVariant *large = NULL;
  GtkWidget *label;

  if (GALLERY_IS_TILE (widget))
    {
      gallery_tile_show (GALLERY_TILE (widget), item);
      return;
    }
  label = gtk_widget_get_last_child (widget);
  large = listd_item_get_value (item, "large");
  gtk_label_set_text (GTK_LABEL (label), listd_item_get_string (item, "name"));
  if (large != NULL && g_variant_is_of_type (large, G_VARIANT_TYPE_BOOLEAN) && g_variant_get_boolean (large))
    gtk_widget_add_css_class (label, "large");
  else
    gtk_widget_remove_css_class (label, "large");
}

static void
center (GtkAdjustment *adjustment, guint tile)
{
  gtk_adjustment_set_value (adjustment, (tile + 0.5) * GALLERY_TILE_SIZE - gtk_adjustment_get_page_size (adjustment) / 2);
}

static void
show_status (ListdView *view, GalleryScreen *screen)
{
  ListdFlowView *flow = g_object_get_data (G_OBJECT (screen), "flow");
  g_autofree char *tiles = gallery_format_number (g_list_model_get_n_items (G_LIST_MODEL (listd_flow_view_get_list (flow))));

  /* A place in the middle, as soon as it is there. */
  if (!GPOINTER_TO_INT (g_object_get_data (G_OBJECT (screen), "begun")) && listd_view_get_content_height (view) >= GALLERY_MAP_ROWS * GALLERY_TILE_SIZE)
    {
      g_object_set_data (G_OBJECT (screen), "begun", GINT_TO_POINTER (TRUE));
      center (gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (flow)), START_COLUMN);
      center (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (flow)), START_ROW);
    }
  gallery_screen_set_status (screen, "%s tiles and towns, %u widgets", tiles, listd_flow_view_get_n_cells (flow));
}

static void
on_view (ListdFlowView *flow, GParamSpec *pspec, GalleryScreen *screen)
{
  if (listd_flow_view_get_view (flow) != NULL)
    g_signal_connect_object (listd_flow_view_get_view (flow), "picture", G_CALLBACK (show_status), screen, G_CONNECT_AFTER);
}

void
gallery_build_map (GalleryScreen *screen)
{
  GtkWidget *view = listd_flow_view_new (gallery_service_get_client (gallery_screen_get_service (screen)), "gallery-map");

  gtk_widget_add_css_class (view, "map");
  /* The east is on the right in every language. */
  gtk_widget_set_direction (view, GTK_TEXT_DIR_LTR);
  listd_flow_view_set_buffer (LISTD_FLOW_VIEW (view), GALLERY_TILE_SIZE);
  g_object_set_data (G_OBJECT (screen), "flow", view);
  g_signal_connect (view, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (view, "bind", G_CALLBACK (on_bind), screen);
  g_signal_connect_object (view, "notify::view", G_CALLBACK (on_view), screen, 0);
  on_view (LISTD_FLOW_VIEW (view), NULL, screen);
  adw_bin_set_child (ADW_BIN (screen), gallery_pane_new_for_flow (screen, LISTD_FLOW_VIEW (view), 0));
}

// SPDX-License-Identifier: Apache-2.0
#include "listd-follow.h"

#include <math.h>

/* A list widget of GTK keeps some two hundred rows, of which few are on the screen. Which these are is known from the factory, when
 * it tells of its rows, and else from the adjustment, as if all rows were of one height. */
typedef struct
{
  GtkWidget *widget; /* unowned: this belongs to it */
  ListdList *list;
  GtkAdjustment *adjustment;
  GtkListItemFactory *factory;
  GHashTable *rows; /* of GtkListItem, unowned */
  guint soon;
} Follower;

static gboolean
is_on_screen (GtkWidget *widget, GtkWidget *child)
{
  graphene_rect_t bounds;

  return child != NULL && gtk_widget_get_mapped (child) && gtk_widget_compute_bounds (child, widget, &bounds) && bounds.size.height > 0
         && bounds.origin.y < gtk_widget_get_height (widget) && bounds.origin.y + bounds.size.height > 0;
}

static void
estimate (Follower *self, guint *first, guint *n)
{
  const guint length = g_list_model_get_n_items (G_LIST_MODEL (self->list));
  const double lower = gtk_adjustment_get_lower (self->adjustment);
  const double whole = gtk_adjustment_get_upper (self->adjustment) - lower;

  *first = *n = 0;
  if (whole <= 0 || length == 0)
    return;
  *first = (guint) CLAMP (floor ((gtk_adjustment_get_value (self->adjustment) - lower) / whole * length), 0, length - 1);
  *n = (guint) CLAMP (ceil (gtk_adjustment_get_page_size (self->adjustment) / whole * length) + 1, 1, length - *first);
}

static gboolean
on_soon (gpointer data)
{
  Follower *self = data;
  guint first = G_MAXUINT, last = 0, n;
  GHashTableIter iter;
  gpointer row;

  self->soon = 0;
  if (!gtk_widget_get_mapped (self->widget) || self->adjustment == NULL)
    return G_SOURCE_REMOVE;
  g_hash_table_iter_init (&iter, self->rows);
  while (g_hash_table_iter_next (&iter, &row, NULL))
    if (gtk_list_item_get_position (row) != GTK_INVALID_LIST_POSITION && is_on_screen (self->widget, gtk_list_item_get_child (row)))
      {
        first = MIN (first, gtk_list_item_get_position (row));
        last = MAX (last, gtk_list_item_get_position (row));
      }
  if (first <= last)
    n = last - first + 1;
  else
    estimate (self, &first, &n);
  if (n > 0)
    listd_list_set_visible_range (self->list, first, n);
  return G_SOURCE_REMOVE;
}

/* After the next frame is laid out. */
static void
look_soon (Follower *self)
{
  if (self->soon == 0)
    self->soon = g_idle_add (on_soon, self);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *row, Follower *self)
{
  g_hash_table_add (self->rows, row);
  look_soon (self);
}

static void
on_unbind (GtkListItemFactory *factory, GtkListItem *row, Follower *self)
{
  g_hash_table_remove (self->rows, row);
}

static void
set_factory (Follower *self, GtkListItemFactory *factory)
{
  if (self->factory != NULL)
    g_signal_handlers_disconnect_by_data (self->factory, self);
  g_hash_table_remove_all (self->rows);
  g_set_object (&self->factory, factory);
  if (!GTK_IS_SIGNAL_LIST_ITEM_FACTORY (factory))
    return;
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), self);
}

static void
on_factory (GtkWidget *widget, GParamSpec *pspec, Follower *self)
{
  g_autoptr (GtkListItemFactory) factory = NULL;

  g_object_get (widget, "factory", &factory, NULL);
  set_factory (self, factory);
}

static void
set_adjustment (Follower *self, GtkAdjustment *adjustment)
{
  if (self->adjustment != NULL)
    g_signal_handlers_disconnect_by_data (self->adjustment, self);
  g_set_object (&self->adjustment, adjustment);
  if (adjustment == NULL)
    return;
  g_signal_connect_swapped (adjustment, "value-changed", G_CALLBACK (look_soon), self);
  g_signal_connect_swapped (adjustment, "changed", G_CALLBACK (look_soon), self);
  look_soon (self);
}

static void
on_adjustment (GtkWidget *widget, GParamSpec *pspec, Follower *self)
{
  set_adjustment (self, gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (widget)));
}

static void
follower_free (gpointer data)
{
  Follower *self = data;

  if (self->soon != 0)
    g_source_remove (self->soon);
  set_adjustment (self, NULL);
  set_factory (self, NULL);
  g_signal_handlers_disconnect_by_data (self->list, self);
  g_object_unref (self->list);
  g_hash_table_unref (self->rows);
  g_free (self);
}

/**
 * listd_gtk_follow_visible:
 * @list_view: a [class@Gtk.ListView], a [class@Gtk.GridView] or a [class@Gtk.ColumnView]
 * @list: the list that it shows
 *
 * Tells the list what is really on the screen. Without it, listd takes all rows that the widget keeps for visible, which are some two
 * hundred. Call it before the widget has a model.
 */
void
listd_gtk_follow_visible (GtkScrollable *list_view, ListdList *list)
{
  Follower *self;

  g_return_if_fail (GTK_IS_SCROLLABLE (list_view) && GTK_IS_WIDGET (list_view));
  g_return_if_fail (LISTD_IS_LIST (list));
  g_object_set_data (G_OBJECT (list_view), "listd-follow", NULL);
  self = g_new0 (Follower, 1);
  self->widget = GTK_WIDGET (list_view);
  self->list = g_object_ref (list);
  self->rows = g_hash_table_new (NULL, NULL);
  g_object_set_data_full (G_OBJECT (list_view), "listd-follow", self, follower_free);
  g_signal_connect_swapped (list, "items-changed", G_CALLBACK (look_soon), self);
  g_signal_connect_swapped (list_view, "map", G_CALLBACK (look_soon), self);
  g_signal_connect (list_view, "notify::vadjustment", G_CALLBACK (on_adjustment), self);
  on_adjustment (self->widget, NULL, self);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (list_view), "factory") != NULL)
    {
      g_signal_connect (list_view, "notify::factory", G_CALLBACK (on_factory), self);
      on_factory (self->widget, NULL, self);
    }
}

/* Sticking to the start */

typedef struct
{
  GtkWidget *widget; /* unowned */
  ListdList *list;
} Sticker;

static void
on_items (GListModel *model, guint position, guint removed, guint added, Sticker *self)
{
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->widget));

  if (position == 0 && added > 0 && adjustment != NULL
      && gtk_adjustment_get_value (adjustment) <= gtk_adjustment_get_lower (adjustment))
    gtk_widget_activate_action (self->widget, "list.scroll-to-item", "u", 0);
}

static void
sticker_free (gpointer data)
{
  Sticker *self = data;

  g_signal_handlers_disconnect_by_data (self->list, self);
  g_object_unref (self->list);
  g_free (self);
}

/**
 * listd_gtk_stick_to_start:
 * @list_view: a [class@Gtk.ListView] or a [class@Gtk.GridView]
 * @list: the list that it shows
 *
 * Shows new items at the start when the widget shows the start. By itself it keeps the items that it shows, and new ones wait above
 * them, unseen. Call it when the widget has its model.
 */
void
listd_gtk_stick_to_start (GtkScrollable *list_view, ListdList *list)
{
  Sticker *self;

  g_return_if_fail (GTK_IS_SCROLLABLE (list_view) && GTK_IS_WIDGET (list_view));
  g_return_if_fail (LISTD_IS_LIST (list));
  g_object_set_data (G_OBJECT (list_view), "listd-stick", NULL);
  self = g_new (Sticker, 1);
  *self = (Sticker){ GTK_WIDGET (list_view), g_object_ref (list) };
  g_object_set_data_full (G_OBJECT (list_view), "listd-stick", self, sticker_free);
  /* After the widget has heard of them itself. */
  g_signal_connect_after (list, "items-changed", G_CALLBACK (on_items), self);
}

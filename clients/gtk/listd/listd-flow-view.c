// SPDX-License-Identifier: Apache-2.0
#include "listd-flow-private.h"

#include <math.h>

/**
 * ListdFlowView:
 *
 * A list of listd, laid out by listd: rows, columns, grids and maps, with headers that stay at the edge.
 *
 * Put it into a [class@Gtk.ScrolledWindow]. It keeps as many cells as are on the screen and in the [property@ListdFlowView:buffer]
 * beyond it, whatever the length of the list. What is on the screen stays where it is when the list changes above it, also while
 * somebody scrolls. What an update moves there glides to its place, if who wrote the update said that it may, and
 * [property@Gtk.Settings:gtk-enable-animations] is on.
 *
 * A cell is made by [signal@ListdFlowView::setup], or by a template of its reuse identifier
 * ([method@ListdFlowView.add_template]), and told what to show by [signal@ListdFlowView::bind]. Without both, it is a label with the
 * id of the object.
 *
 * # Actions
 *
 * `list.select-item (subu)`: id, item, whether to keep the other selected items, whether to select a range.
 * `list.scroll-to-item (su)`: id, item. `list.activate-item (su)`: id, item.
 *
 * # CSS nodes
 *
 * The view has the node `listview`, its cells `row` and `header`, and the rectangle that selects `rubberband`.
 */

enum
{
  SETUP,
  BIND,
  UNBIND,
  ACTIVATE,
  POPUP,
  MOVE_REFUSED,
  N_SIGNALS
};

typedef struct
{
  GtkBuilderScope *scope;
  GBytes *ui;
} Template;

static guint signals[N_SIGNALS];

static void
template_free (gpointer data)
{
  Template *template = data;

  g_clear_object (&template->scope);
  g_bytes_unref (template->ui);
  g_free (template);
}

G_DEFINE_FINAL_TYPE_WITH_CODE (ListdFlowView, listd_flow_view, GTK_TYPE_WIDGET, G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL))

GWeakRef *
listd_flow_lend (ListdFlowView *self)
{
  GWeakRef *lent = g_new (GWeakRef, 1);

  g_weak_ref_init (lent, self);
  return lent;
}

ListdFlowView *
listd_flow_return (GWeakRef *lent)
{
  ListdFlowView *self = g_weak_ref_get (lent);

  g_weak_ref_clear (lent);
  g_free (lent);
  return self;
}

/* Cells */

GtkWidget *
listd_flow_emit_setup (ListdFlowView *self, ListdCell *cell)
{
  Template *template = self->templates != NULL ? g_hash_table_lookup (self->templates, cell->reuse) : NULL;
  GtkWidget *child = NULL;

  if (template != NULL)
    {
      g_autoptr (GtkBuilder) builder = gtk_builder_new ();
      g_autoptr (GError) error = NULL;
      gsize length;
      const char *text = g_bytes_get_data (template->ui, &length);

      gtk_builder_set_current_object (builder, G_OBJECT (cell));
      if (template->scope != NULL)
        gtk_builder_set_scope (builder, template->scope);
      if (gtk_builder_extend_with_template (builder, G_OBJECT (cell), LISTD_TYPE_CELL, text, length, &error))
        return NULL;
      g_critical ("the template of \"%s\": %s", cell->reuse, error->message);
    }
  g_signal_emit (self, signals[SETUP], 0, cell, cell->reuse, cell->kind, &child);
  if (child != NULL)
    {
      if (g_object_is_floating (child))
        g_object_ref_sink (child);
      /* The cell has a reference of its own from its parent. */
      if (gtk_widget_get_parent (child) == NULL)
        listd_cell_set_child (cell, child);
      g_object_unref (child);
    }
  else if (listd_cell_get_child (cell) == NULL)
    listd_cell_set_child (cell, g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "ellipsize", PANGO_ELLIPSIZE_END, NULL));
  return NULL;
}

void
listd_flow_emit_bind (ListdFlowView *self, ListdCell *cell)
{
  g_signal_emit (self, signals[BIND], 0, listd_cell_get_child (cell), cell->slot);
}

void
listd_flow_emit_unbind (ListdFlowView *self, ListdCell *cell)
{
  g_signal_emit (self, signals[UNBIND], 0, listd_cell_get_child (cell), cell->slot);
}

void
listd_flow_emit_activate (ListdFlowView *self, ListdCell *cell)
{
  if (cell->slot != NULL)
    g_signal_emit (self, signals[ACTIVATE], 0, cell->slot);
}

void
listd_flow_emit_popup (ListdFlowView *self, ListdCell *cell)
{
  if (cell->slot != NULL)
    g_signal_emit (self, signals[POPUP], 0, cell->slot);
}

void
listd_flow_emit_move_refused (ListdFlowView *self, ListdSlot *slot, const GError *error)
{
  g_signal_emit (self, signals[MOVE_REFUSED], 0, slot, error);
}

/* A label that nobody made shows something at least. */
static void
listd_flow_view_real_bind (ListdFlowView *self, GtkWidget *child, ListdSlot *slot)
{
  ListdItem *item = listd_slot_get_item (slot);

  if (g_signal_has_handler_pending (self, signals[SETUP], 0, TRUE) || !GTK_IS_LABEL (child)
      || (self->templates != NULL && g_hash_table_contains (self->templates, listd_item_get_reuse_identifier (item))))
    return;
  gtk_label_set_text (GTK_LABEL (child), listd_item_get_id (item));
}

/* The view of the list */

static GVariant *
view_options (ListdFlowView *self)
{
  g_auto (GVariantDict) options = G_VARIANT_DICT_INIT (self->options);

  /* One picture is on the screen while the next is drawn. */
  if (!g_variant_dict_contains (&options, "window"))
    g_variant_dict_insert (&options, "window", "u", 2);
  /* What lies beyond the screen is not displayed: nobody sees it. */
  if (!g_variant_dict_contains (&options, "prefetch"))
    g_variant_dict_insert (&options, "prefetch", "d", self->buffer);
  if (!self->stick_to_start && !g_variant_dict_contains (&options, "anchor-at-start"))
    g_variant_dict_insert (&options, "anchor-at-start", "b", TRUE);
  return g_variant_dict_end (&options);
}

static void
on_view_state (ListdView *view, GParamSpec *pspec, ListdFlowView *self)
{
  if (listd_view_get_state (view) == LISTD_VIEW_STATE_ACTIVE)
    {
      listd_flow_scroll_reopen (self);
      listd_view_set_on_screen (view, gtk_widget_get_mapped (GTK_WIDGET (self)));
    }
  gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_BUSY,
                               listd_view_get_state (view) == LISTD_VIEW_STATE_OPENING, -1);
}

static void
close_view (ListdFlowView *self)
{
  if (self->view == NULL)
    return;
  listd_flow_cells_detach_clock (self);
  listd_flow_cells_unfollow (self, self->view);
  listd_view_close (self->view);
  g_clear_object (&self->view);
}

void
listd_flow_open (ListdFlowView *self, gboolean another_list)
{
  close_view (self);
  if (another_list)
    {
      g_clear_object (&self->list);
      listd_flow_select_follow (self);
    }
  if (self->client != NULL && self->name != NULL)
    {
      self->view = listd_view_new (self->client, self->name, view_options (self));
      listd_flow_cells_follow (self, self->view);
      g_signal_connect (self->view, "notify::state", G_CALLBACK (on_view_state), self);
      if (another_list)
        {
          self->list = listd_list_new (self->client, self->name);
          if (self->search_field != NULL)
            listd_list_set_fields (self->list, (const char *const[]){ self->search_field, NULL });
          listd_flow_select_follow (self);
          g_signal_connect_object (self->list, "notify::n-items", G_CALLBACK (listd_flow_cells_tell_places), self, G_CONNECT_SWAPPED);
        }
    }
  listd_flow_scroll_reset (self);
  g_object_notify (G_OBJECT (self), "view");
  if (another_list)
    g_object_notify (G_OBJECT (self), "list");
}

/* What lies above other cells must hide them, unless a theme knows better. */
static const char style[] = "listview > header, listview > row.drag { background-color: @theme_base_color; }"
                            "listview > row.drag { box-shadow: 0 2px 6px alpha(black, 0.3); }";

static void
add_style (GdkDisplay *display)
{
  g_autoptr (GtkCssProvider) provider = NULL;

  if (g_object_get_data (G_OBJECT (display), "listd-style") != NULL)
    return;
  provider = gtk_css_provider_new ();
  gtk_css_provider_load_from_data (provider, style, -1);
  gtk_style_context_add_provider_for_display (display, GTK_STYLE_PROVIDER (provider), GTK_STYLE_PROVIDER_PRIORITY_FALLBACK);
  g_object_set_data_full (G_OBJECT (display), "listd-style", g_steal_pointer (&provider), g_object_unref);
}

/* GtkWidget */

static void
listd_flow_view_realize (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (listd_flow_view_parent_class)->realize (widget);
  add_style (gtk_widget_get_display (widget));
}

static void
listd_flow_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
                         int *natural_baseline)
{
  *minimum = 0;
  *natural = (int) CLAMP (ceil (LISTD_FLOW_VIEW (widget)->axes[orientation].content), 0, 32767);
}

static void
listd_flow_view_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (widget);

  listd_flow_set_page (self, width, height);
  listd_flow_tell_viewport (self);
  listd_flow_cells_allocate (self, width, height);
  listd_flow_pointer_allocate (self);
}

static void
listd_flow_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  GTK_WIDGET_CLASS (listd_flow_view_parent_class)->snapshot (widget, snapshot);
  listd_flow_pointer_snapshot (LISTD_FLOW_VIEW (widget), snapshot);
}

static void
listd_flow_view_map (GtkWidget *widget)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (widget);

  GTK_WIDGET_CLASS (listd_flow_view_parent_class)->map (widget);
  if (self->view != NULL)
    listd_view_set_on_screen (self->view, TRUE);
}

static void
listd_flow_view_unmap (GtkWidget *widget)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (widget);

  listd_flow_cells_detach_clock (self);
  if (self->view != NULL)
    {
      listd_view_acknowledge (self->view);
      listd_view_set_on_screen (self->view, FALSE);
    }
  GTK_WIDGET_CLASS (listd_flow_view_parent_class)->unmap (widget);
}

static void
listd_flow_view_unrealize (GtkWidget *widget)
{
  listd_flow_cells_detach_clock (LISTD_FLOW_VIEW (widget));
  GTK_WIDGET_CLASS (listd_flow_view_parent_class)->unrealize (widget);
}

static gboolean
listd_flow_view_focus (GtkWidget *widget, GtkDirectionType direction)
{
  return listd_flow_keys_focus (LISTD_FLOW_VIEW (widget), direction);
}

static gboolean
listd_flow_view_grab_focus (GtkWidget *widget)
{
  return listd_flow_keys_grab_focus (LISTD_FLOW_VIEW (widget));
}

static void
listd_flow_view_set_focus_child (GtkWidget *widget, GtkWidget *child)
{
  GTK_WIDGET_CLASS (listd_flow_view_parent_class)->set_focus_child (widget, child);
  if (child != NULL && LISTD_IS_CELL (child))
    listd_flow_keys_set_cursor (LISTD_FLOW_VIEW (widget), LISTD_CELL (child));
}

static void
listd_flow_view_direction_changed (GtkWidget *widget, GtkTextDirection previous)
{
  gtk_widget_queue_resize (widget);
  GTK_WIDGET_CLASS (listd_flow_view_parent_class)->direction_changed (widget, previous);
}

/* GObject */

static void
listd_flow_view_dispose (GObject *object)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (object);

  close_view (self);
  g_clear_object (&self->loading);
  g_clear_object (&self->list);
  listd_flow_select_follow (self);
  listd_flow_pointer_dispose (self);
  listd_flow_scroll_dispose (self);
  listd_flow_cells_dispose (self);
  g_clear_object (&self->client);
  g_clear_object (&self->context_menu);
  g_clear_object (&self->pool);
  G_OBJECT_CLASS (listd_flow_view_parent_class)->dispose (object);
}

static void
listd_flow_view_finalize (GObject *object)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (object);

  listd_flow_scroll_finalize (self);
  listd_flow_select_finalize (self);
  listd_flow_keys_finalize (self);
  listd_flow_cells_finalize (self);
  g_clear_pointer (&self->templates, g_hash_table_unref);
  g_clear_pointer (&self->options, g_variant_unref);
  g_free (self->name);
  g_free (self->search_field);
  G_OBJECT_CLASS (listd_flow_view_parent_class)->finalize (object);
}

static void
listd_flow_view_class_init (ListdFlowViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = listd_flow_view_dispose;
  object_class->finalize = listd_flow_view_finalize;
  widget_class->measure = listd_flow_view_measure;
  widget_class->size_allocate = listd_flow_view_size_allocate;
  widget_class->snapshot = listd_flow_view_snapshot;
  widget_class->map = listd_flow_view_map;
  widget_class->unmap = listd_flow_view_unmap;
  widget_class->realize = listd_flow_view_realize;
  widget_class->unrealize = listd_flow_view_unrealize;
  widget_class->focus = listd_flow_view_focus;
  widget_class->grab_focus = listd_flow_view_grab_focus;
  widget_class->set_focus_child = listd_flow_view_set_focus_child;
  widget_class->direction_changed = listd_flow_view_direction_changed;
  gtk_widget_class_set_css_name (widget_class, "listview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LIST);
  listd_flow_keys_class_init (widget_class);

  listd_flow_properties_install (object_class);

  /**
   * ListdFlowView::setup:
   * @self: the view
   * @cell: the cell that gets the widget
   * @reuse_identifier: what kind of item the widget will show
   * @kind: `cell`, `header` or `footer`
   *
   * A widget for a reuse identifier is needed. It is used for many items one after another.
   *
   * Returns: (transfer full) (nullable): a new widget
   */
  signals[SETUP] = g_signal_new ("setup", LISTD_TYPE_FLOW_VIEW, G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_first_wins, NULL, NULL,
                                 GTK_TYPE_WIDGET, 3, LISTD_TYPE_CELL, G_TYPE_STRING, G_TYPE_STRING);
  /**
   * ListdFlowView::bind:
   * @self: the view
   * @widget: the child of a cell
   * @slot: what it shows
   *
   * A widget shows another item now, or its item has another content.
   */
  signals[BIND] = g_signal_new_class_handler ("bind", LISTD_TYPE_FLOW_VIEW, G_SIGNAL_RUN_FIRST, G_CALLBACK (listd_flow_view_real_bind),
                                              NULL, NULL, NULL, G_TYPE_NONE, 2, GTK_TYPE_WIDGET, LISTD_TYPE_SLOT);
  /**
   * ListdFlowView::unbind:
   * @self: the view
   * @widget: the child of a cell
   * @slot: what it showed
   *
   * A widget does not show its item any more, or will be bound again.
   */
  signals[UNBIND] = g_signal_new ("unbind", LISTD_TYPE_FLOW_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, GTK_TYPE_WIDGET,
                                  LISTD_TYPE_SLOT);
  /**
   * ListdFlowView::activate:
   * @self: the view
   * @slot: the slot of an item
   *
   * Somebody activated an item, by a double click or by Enter.
   */
  signals[ACTIVATE]
      = g_signal_new ("activate", LISTD_TYPE_FLOW_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, LISTD_TYPE_SLOT);
  /**
   * ListdFlowView::popup:
   * @self: the view
   * @slot: the slot of an item
   *
   * The [property@ListdFlowView:context-menu] of an item is about to open: it is time to say what its actions are about.
   */
  signals[POPUP] = g_signal_new ("popup", LISTD_TYPE_FLOW_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, LISTD_TYPE_SLOT);
  /**
   * ListdFlowView::move-refused:
   * @self: the view
   * @slot: the slot of an item
   * @error: (nullable): why; %NULL when the section controller refused
   *
   * An item that somebody dragged stays where it was.
   */
  signals[MOVE_REFUSED] = g_signal_new ("move-refused", LISTD_TYPE_FLOW_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                        LISTD_TYPE_SLOT, G_TYPE_ERROR | G_SIGNAL_TYPE_STATIC_SCOPE);
}

static void
listd_flow_view_init (ListdFlowView *self)
{
  self->buffer = 240;
  self->stick_to_start = TRUE;
  self->selection_mode = GTK_SELECTION_MULTIPLE;
  listd_flow_cells_init (self);
  listd_flow_scroll_init (self);
  listd_flow_keys_init (self);
  listd_flow_pointer_init (self);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self), "view");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_MULTI_SELECTABLE, TRUE, -1);
}

/**
 * listd_flow_view_new:
 * @client: (nullable): a client
 * @name: (nullable): the name of a list
 *
 * Makes a widget that shows a list, which need not be there yet.
 *
 * Returns: (transfer floating): a new widget
 */
GtkWidget *
listd_flow_view_new (ListdClient *client, const char *name)
{
  g_return_val_if_fail (client == NULL || LISTD_IS_CLIENT (client), NULL);
  return g_object_new (LISTD_TYPE_FLOW_VIEW, "client", client, "model-name", name, NULL);
}

/**
 * listd_flow_view_add_template:
 * @self: a flow view
 * @reuse_identifier: what the template is for
 * @scope: (nullable): where the functions of the template are looked up
 * @ui: a description for [class@Gtk.Builder], with a `<template class="ListdCell">`
 *
 * Makes the cells of a reuse identifier from a description.
 */
void
listd_flow_view_add_template (ListdFlowView *self, const char *reuse_identifier, GtkBuilderScope *scope, GBytes *ui)
{
  Template *template;

  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  g_return_if_fail (reuse_identifier != NULL);
  g_return_if_fail (scope == NULL || GTK_IS_BUILDER_SCOPE (scope));
  g_return_if_fail (ui != NULL);
  template = g_new (Template, 1);
  *template = (Template){ scope != NULL ? g_object_ref (scope) : NULL, g_bytes_ref (ui) };
  if (self->templates == NULL)
    self->templates = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, template_free);
  g_hash_table_replace (self->templates, g_strdup (reuse_identifier), template);
  listd_flow_cells_forget_spare (self);
}

/**
 * listd_flow_view_get_cell:
 * @self: a flow view
 * @id: the id of an object
 * @item: one of its items
 *
 * The cell that shows an item.
 *
 * Returns: (transfer none) (nullable): the cell; %NULL when none shows it
 */
ListdCell *
listd_flow_view_get_cell (ListdFlowView *self, const char *id, guint item)
{
  GHashTableIter iter;
  ListdCell *cell;

  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), NULL);
  g_return_val_if_fail (id != NULL, NULL);
  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &cell))
    {
      ListdItem *shown = listd_cell_get_item (cell);
      if (g_str_equal (cell->kind, "cell") && listd_item_get_item (shown) == item && g_strcmp0 (listd_item_get_id (shown), id) == 0)
        return cell;
    }
  return NULL;
}

/**
 * listd_flow_view_get_cell_at:
 * @self: a flow view
 * @x: a place in the widget
 * @y: a place in the widget
 *
 * The cell at a place.
 *
 * Returns: (transfer none) (nullable): the uppermost cell there
 */
ListdCell *
listd_flow_view_get_cell_at (ListdFlowView *self, double x, double y)
{
  GtkWidget *picked;

  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), NULL);
  picked = gtk_widget_pick (GTK_WIDGET (self), x, y, GTK_PICK_DEFAULT);
  while (picked != NULL && picked != GTK_WIDGET (self) && !(LISTD_IS_CELL (picked) && gtk_widget_get_parent (picked) == GTK_WIDGET (self)))
    picked = gtk_widget_get_parent (picked);
  return picked != NULL && LISTD_IS_CELL (picked) ? LISTD_CELL (picked) : NULL;
}

/**
 * listd_flow_view_get_n_cells:
 * @self: a flow view
 *
 * How many cells there are, used or not; what waits in a pool does not count.
 *
 * Returns: the number
 */
guint
listd_flow_view_get_n_cells (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), 0);
  return self->n_cells;
}

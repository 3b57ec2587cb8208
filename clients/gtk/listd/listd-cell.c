// SPDX-License-Identifier: Apache-2.0
#include "listd-cell-private.h"

#include <string.h>

#define OPPOSITE(orientation) ((orientation) == GTK_ORIENTATION_HORIZONTAL ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL)

/**
 * ListdCell:
 *
 * The widget of a [class@ListdFlowView] that shows one item, header or footer.
 *
 * A cell is used again for other items of its reuse identifier. Its child is made once, and told what to show by
 * [signal@ListdFlowView::bind], or follows [property@ListdCell:item] by expressions in a template.
 *
 * # CSS nodes
 *
 * A cell has the node `row`, a header or a footer the node `header`; with the style class of its reuse identifier.
 */

enum
{
  PROP_0,
  PROP_CHILD,
  PROP_SLOT,
  PROP_ITEM,
  PROP_SELECTED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void listd_cell_buildable_init (GtkBuildableIface *iface);
static GtkBuildableIface *parent_buildable;

G_DEFINE_FINAL_TYPE_WITH_CODE (ListdCell, listd_cell, GTK_TYPE_WIDGET, G_IMPLEMENT_INTERFACE (GTK_TYPE_BUILDABLE, listd_cell_buildable_init))

static void
listd_cell_add_child (GtkBuildable *buildable, GtkBuilder *builder, GObject *child, const char *type)
{
  if (GTK_IS_WIDGET (child))
    listd_cell_set_child (LISTD_CELL (buildable), GTK_WIDGET (child));
  else
    parent_buildable->add_child (buildable, builder, child, type);
}

static void
listd_cell_buildable_init (GtkBuildableIface *iface)
{
  parent_buildable = g_type_interface_peek_parent (iface);
  iface->add_child = listd_cell_add_child;
}

static GtkSizeRequestMode
listd_cell_get_request_mode (GtkWidget *widget)
{
  ListdCell *self = LISTD_CELL (widget);

  return self->child != NULL ? gtk_widget_get_request_mode (self->child) : GTK_SIZE_REQUEST_CONSTANT_SIZE;
}

static void
listd_cell_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
                    int *natural_baseline)
{
  ListdCell *self = LISTD_CELL (widget);

  if (self->child != NULL && gtk_widget_should_layout (self->child))
    {
      if (for_size >= 0)
        {
          int least;
          gtk_widget_measure (self->child, OPPOSITE (orientation), -1, &least, NULL, NULL, NULL);
          for_size = MAX (for_size, least);
        }
      gtk_widget_measure (self->child, orientation, for_size, minimum, natural, NULL, NULL);
    }
}

/* The list says how large a cell is; a child that needs more than that is cut off. */
static void
listd_cell_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ListdCell *self = LISTD_CELL (widget);
  int least;

  if (self->child == NULL || !gtk_widget_should_layout (self->child))
    return;
  gtk_widget_measure (self->child, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  width = MAX (width, least);
  gtk_widget_measure (self->child, GTK_ORIENTATION_VERTICAL, width, &least, NULL, NULL, NULL);
  gtk_widget_size_allocate (self->child, &(GtkAllocation){ 0, 0, width, MAX (height, least) }, -1);
}

static void
listd_cell_dispose (GObject *object)
{
  ListdCell *self = LISTD_CELL (object);

  g_clear_pointer (&self->child, gtk_widget_unparent);
  g_clear_object (&self->slot);
  G_OBJECT_CLASS (listd_cell_parent_class)->dispose (object);
}

static void
listd_cell_finalize (GObject *object)
{
  ListdCell *self = LISTD_CELL (object);

  g_free (self->reuse);
  g_free (self->kind);
  G_OBJECT_CLASS (listd_cell_parent_class)->finalize (object);
}

static void
listd_cell_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ListdCell *self = LISTD_CELL (object);

  switch (id)
    {
    case PROP_CHILD:
      g_value_set_object (value, self->child);
      break;
    case PROP_SLOT:
      g_value_set_object (value, self->slot);
      break;
    case PROP_ITEM:
      g_value_set_object (value, listd_cell_get_item (self));
      break;
    case PROP_SELECTED:
      g_value_set_boolean (value, self->selected);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_cell_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_CHILD:
      listd_cell_set_child (LISTD_CELL (object), g_value_get_object (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_cell_class_init (ListdCellClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = listd_cell_dispose;
  object_class->finalize = listd_cell_finalize;
  object_class->get_property = listd_cell_get_property;
  object_class->set_property = listd_cell_set_property;
  widget_class->get_request_mode = listd_cell_get_request_mode;
  widget_class->measure = listd_cell_measure;
  widget_class->size_allocate = listd_cell_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "row");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LIST_ITEM);

  /**
   * ListdCell:child: (getter get_child) (setter set_child)
   *
   * What the cell shows its item with.
   */
  properties[PROP_CHILD] = g_param_spec_object ("child", NULL, NULL, GTK_TYPE_WIDGET,
                                                G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  /**
   * ListdCell:slot: (getter get_slot)
   *
   * The slot that the cell shows; %NULL while it shows none.
   */
  properties[PROP_SLOT] = g_param_spec_object ("slot", NULL, NULL, LISTD_TYPE_SLOT, read);
  /**
   * ListdCell:item: (getter get_item)
   *
   * The item of the slot.
   */
  properties[PROP_ITEM] = g_param_spec_object ("item", NULL, NULL, LISTD_TYPE_ITEM, read);
  /**
   * ListdCell:selected: (getter get_selected)
   *
   * Whether the item is selected.
   */
  properties[PROP_SELECTED] = g_param_spec_boolean ("selected", NULL, NULL, FALSE, read);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
listd_cell_init (ListdCell *self)
{
  self->alpha = 1;
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

ListdCell *
listd_cell_new (const char *kind, const char *reuse)
{
  gboolean cell = g_str_equal (kind, "cell");
  ListdCell *self = g_object_new (LISTD_TYPE_CELL, "css-name", cell ? "row" : "header", "focusable", cell, NULL);

  self->kind = g_strdup (kind);
  self->reuse = g_strdup (reuse);
  if (*reuse != '\0')
    gtk_widget_add_css_class (GTK_WIDGET (self), reuse);
  /* A row that can be selected says so before it is. */
  if (cell)
    gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_SELECTED, FALSE, -1);
  return self;
}

void
listd_cell_set_slot (ListdCell *self, ListdSlot *slot)
{
  if (!g_set_object (&self->slot, slot))
    return;
  self->reported[0] = self->reported[1] = -1;
  g_object_freeze_notify (G_OBJECT (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SLOT]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ITEM]);
  g_object_thaw_notify (G_OBJECT (self));
}

gboolean
listd_cell_has_focus (ListdCell *self)
{
  return gtk_widget_get_state_flags (GTK_WIDGET (self)) & GTK_STATE_FLAG_FOCUS_WITHIN;
}

void
listd_cell_set_selected (ListdCell *self, gboolean selected)
{
  if (self->selected == selected)
    return;
  self->selected = selected;
  if (selected)
    gtk_widget_set_state_flags (GTK_WIDGET (self), GTK_STATE_FLAG_SELECTED, FALSE);
  else
    gtk_widget_unset_state_flags (GTK_WIDGET (self), GTK_STATE_FLAG_SELECTED);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_SELECTED, selected, -1);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SELECTED]);
}

void
listd_cell_set_place (ListdCell *self, guint place, guint n)
{
  if (self->place == place && self->n == n)
    return;
  self->place = place;
  self->n = n;
  if (place > 0)
    gtk_accessible_update_relation (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_RELATION_POS_IN_SET, (int) MIN (place, G_MAXINT),
                                    GTK_ACCESSIBLE_RELATION_SET_SIZE, (int) MIN (n, G_MAXINT), -1);
  else
    {
      gtk_accessible_reset_relation (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_RELATION_POS_IN_SET);
      gtk_accessible_reset_relation (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_RELATION_SET_SIZE);
    }
}

/**
 * listd_cell_get_child: (get-property child)
 * @self: a cell
 *
 * What the cell shows its item with.
 *
 * Returns: (transfer none) (nullable): the widget
 */
GtkWidget *
listd_cell_get_child (ListdCell *self)
{
  g_return_val_if_fail (LISTD_IS_CELL (self), NULL);
  return self->child;
}

/**
 * listd_cell_set_child: (set-property child)
 * @self: a cell
 * @child: (nullable): a widget
 *
 * Sets what the cell shows its item with.
 */
void
listd_cell_set_child (ListdCell *self, GtkWidget *child)
{
  g_return_if_fail (LISTD_IS_CELL (self));
  g_return_if_fail (child == NULL || child == self->child || gtk_widget_get_parent (child) == NULL);
  if (self->child == child)
    return;
  g_clear_pointer (&self->child, gtk_widget_unparent);
  self->child = child;
  if (child != NULL)
    gtk_widget_set_parent (child, GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CHILD]);
}

/**
 * listd_cell_get_slot: (get-property slot)
 * @self: a cell
 *
 * The slot that the cell shows.
 *
 * Returns: (transfer none) (nullable): the slot
 */
ListdSlot *
listd_cell_get_slot (ListdCell *self)
{
  g_return_val_if_fail (LISTD_IS_CELL (self), NULL);
  return self->slot;
}

/**
 * listd_cell_get_item: (get-property item)
 * @self: a cell
 *
 * The item of the slot.
 *
 * Returns: (transfer none) (nullable): the item
 */
ListdItem *
listd_cell_get_item (ListdCell *self)
{
  g_return_val_if_fail (LISTD_IS_CELL (self), NULL);
  return self->slot != NULL ? listd_slot_get_item (self->slot) : NULL;
}

/**
 * listd_cell_get_selected: (get-property selected)
 * @self: a cell
 *
 * Whether the item is selected.
 *
 * Returns: whether it is
 */
gboolean
listd_cell_get_selected (ListdCell *self)
{
  g_return_val_if_fail (LISTD_IS_CELL (self), FALSE);
  return self->selected;
}

/**
 * listd_cell_get_text:
 * @self: a cell
 * @content: (nullable): the content of an item
 * @field: the name of a field
 *
 * The text of a field; for templates, whose expressions follow the content:
 *
 * ```xml
 * <closure type="gchararray" function="listd_cell_get_text">
 *   <lookup name="content" type="ListdItem"><lookup name="item">ListdCell</lookup></lookup>
 *   <constant type="gchararray">subject</constant>
 * </closure>
 * ```
 *
 * Returns: (transfer full): the text; empty when there is no such field
 */
char *
listd_cell_get_text (ListdCell *self, GVariant *content, const char *field)
{
  g_return_val_if_fail (LISTD_IS_CELL (self), NULL);
  g_return_val_if_fail (field != NULL, NULL);
  return self->slot != NULL ? listd_item_format (listd_slot_get_item (self->slot), field) : g_strdup ("");
}

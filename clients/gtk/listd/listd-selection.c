// SPDX-License-Identifier: Apache-2.0
#include "listd-selection.h"

/* More than this nobody selects by a range with Shift: each item of it is loaded for its name. */
#define MOST 10000

/**
 * ListdSelection:
 *
 * The selection of a list, which all its viewers share, for the widgets of GTK.
 *
 * An item is selected when the list says so: a section controller may refuse.
 */
struct _ListdSelection
{
  GObject parent_instance;

  ListdList *list;
  GPtrArray *changes; /* of Change: those whose items are not loaded yet */
};

/* A change of the selection by positions, kept as items: they load, and move, before the list can be asked. */
typedef struct
{
  ListdSelection *selection;
  GPtrArray *select, *deselect;
  gboolean only;
  guint waiting;
} Change;

enum
{
  PROP_0,
  PROP_LIST,
  PROP_ITEM_TYPE,
  PROP_N_ITEMS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void model_init (GListModelInterface *iface);
static void selection_init (GtkSelectionModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (ListdSelection, listd_selection, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, model_init)
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SELECTION_MODEL, selection_init))

/* The model */

static GType
get_item_type (GListModel *model)
{
  return LISTD_TYPE_ITEM;
}

static guint
get_n_items (GListModel *model)
{
  return g_list_model_get_n_items (G_LIST_MODEL (LISTD_SELECTION (model)->list));
}

static gpointer
get_item (GListModel *model, guint position)
{
  return g_list_model_get_item (G_LIST_MODEL (LISTD_SELECTION (model)->list), position);
}

static void
model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

/* The selection */

static gboolean
is_selected (GtkSelectionModel *model, guint position)
{
  g_autoptr (ListdItem) item = g_list_model_get_item (G_LIST_MODEL (model), position);

  return item != NULL && listd_item_get_id (item) != NULL
         && listd_list_is_selected (LISTD_SELECTION (model)->list, listd_item_get_id (item), listd_item_get_item (item));
}

static GtkBitset *
get_selection_in_range (GtkSelectionModel *model, guint position, guint n)
{
  GtkBitset *result = gtk_bitset_new_empty ();
  const guint length = get_n_items (G_LIST_MODEL (model));

  if (listd_list_get_n_selected (LISTD_SELECTION (model)->list) == 0)
    return result;
  /* Only loaded items have a name by which they are selected: those that somebody holds. */
  n = position < length ? MIN (n, length - position) : 0;
  for (guint i = position; i < position + MIN (n, MOST); i++)
    if (is_selected (model, i))
      gtk_bitset_add (result, i);
  return result;
}

static void on_loaded (ListdItem *item, GParamSpec *pspec, Change *change);

static void
change_free (Change *self)
{
  for (guint i = 0; i < self->select->len; i++)
    g_signal_handlers_disconnect_by_func (self->select->pdata[i], on_loaded, self);
  for (guint i = 0; i < self->deselect->len; i++)
    g_signal_handlers_disconnect_by_func (self->deselect->pdata[i], on_loaded, self);
  g_ptr_array_unref (self->select);
  g_ptr_array_unref (self->deselect);
  g_free (self);
}

static GArray *
refs_of (GPtrArray *items)
{
  GArray *refs = g_array_sized_new (FALSE, FALSE, sizeof (ListdRef), items->len);

  for (guint i = 0; i < items->len; i++)
    if (listd_item_get_id (items->pdata[i]) != NULL)
      g_array_append_val (refs, ((ListdRef){ listd_item_get_id (items->pdata[i]), listd_item_get_item (items->pdata[i]) }));
  return refs;
}

static void
change_happens (Change *self)
{
  g_autoptr (GArray) select = refs_of (self->select), deselect = refs_of (self->deselect);
  ListdList *list = self->selection->list;

  if (self->only)
    listd_list_set_selection_async (list, (ListdRef *) (gpointer) select->data, select->len, NULL, NULL, NULL);
  else
    listd_list_change_selection_async (list, (ListdRef *) (gpointer) select->data, select->len, (ListdRef *) (gpointer) deselect->data,
                                       deselect->len, NULL, NULL, NULL);
  g_ptr_array_remove_fast (self->selection->changes, self);
}

static void
on_loaded (ListdItem *item, GParamSpec *pspec, Change *change)
{
  g_signal_handlers_disconnect_by_func (item, on_loaded, change);
  if (--change->waiting == 0)
    change_happens (change);
}

static void
change_add (Change *self, GPtrArray *items, guint position)
{
  ListdItem *item = g_list_model_get_item (G_LIST_MODEL (self->selection->list), position);

  if (item == NULL)
    return;
  g_ptr_array_add (items, item);
  if (listd_item_get_loaded (item))
    return;
  self->waiting++;
  g_signal_connect (item, "notify::loaded", G_CALLBACK (on_loaded), self);
}

static gboolean
set_selection (GtkSelectionModel *model, GtkBitset *selected, GtkBitset *mask)
{
  ListdSelection *self = LISTD_SELECTION (model);
  const guint n = get_n_items (G_LIST_MODEL (model));
  GtkBitsetIter iter;
  Change *change;
  guint position;

  change = g_new0 (Change, 1);
  change->selection = self;
  change->select = g_ptr_array_new_with_free_func (g_object_unref);
  change->deselect = g_ptr_array_new_with_free_func (g_object_unref);
  change->only = n > 0 && gtk_bitset_get_size_in_range (mask, 0, n - 1) == n;
  if (gtk_bitset_get_size (selected) > MOST || (!change->only && gtk_bitset_get_size (mask) > MOST))
    {
      change_free (change);
      return FALSE;
    }
  if (gtk_bitset_iter_init_first (&iter, change->only ? selected : mask, &position))
    do
      if (position < n && gtk_bitset_contains (mask, position))
        change_add (change, gtk_bitset_contains (selected, position) ? change->select : change->deselect, position);
    while (gtk_bitset_iter_next (&iter, &position));
  g_ptr_array_add (self->changes, change);
  if (change->waiting == 0)
    change_happens (change);
  return TRUE;
}

static gboolean
change_range (GtkSelectionModel *model, guint position, guint n, gboolean select, gboolean only)
{
  g_autoptr (GtkBitset) range = gtk_bitset_new_range (position, n);
  g_autoptr (GtkBitset) none = gtk_bitset_new_empty ();
  g_autoptr (GtkBitset) all = gtk_bitset_new_range (0, get_n_items (G_LIST_MODEL (model)));

  return set_selection (model, select ? range : none, only ? all : range);
}

static gboolean
select_item (GtkSelectionModel *model, guint position, gboolean only)
{
  return change_range (model, position, 1, TRUE, only);
}

static gboolean
unselect_item (GtkSelectionModel *model, guint position)
{
  return change_range (model, position, 1, FALSE, FALSE);
}

static gboolean
select_range (GtkSelectionModel *model, guint position, guint n, gboolean only)
{
  return change_range (model, position, n, TRUE, only);
}

static gboolean
unselect_range (GtkSelectionModel *model, guint position, guint n)
{
  return change_range (model, position, n, FALSE, FALSE);
}

static gboolean
select_all (GtkSelectionModel *model)
{
  return change_range (model, 0, get_n_items (G_LIST_MODEL (model)), TRUE, TRUE);
}

static gboolean
unselect_all (GtkSelectionModel *model)
{
  listd_list_set_selection_async (LISTD_SELECTION (model)->list, NULL, 0, NULL, NULL, NULL);
  return TRUE;
}

static void
selection_init (GtkSelectionModelInterface *iface)
{
  iface->is_selected = is_selected;
  iface->get_selection_in_range = get_selection_in_range;
  iface->select_item = select_item;
  iface->unselect_item = unselect_item;
  iface->select_range = select_range;
  iface->unselect_range = unselect_range;
  iface->select_all = select_all;
  iface->unselect_all = unselect_all;
  iface->set_selection = set_selection;
}

/* The list */

static void
on_selection (ListdList *list, GVariant *selected, GVariant *deselected, ListdSelection *self)
{
  const guint n = get_n_items (G_LIST_MODEL (self));

  if (n > 0)
    gtk_selection_model_selection_changed (GTK_SELECTION_MODEL (self), 0, n);
}

static void
on_items (GListModel *list, guint position, guint removed, guint added, ListdSelection *self)
{
  g_list_model_items_changed (G_LIST_MODEL (self), position, removed, added);
  if (removed != added)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_ITEMS]);
}

/* An item has its name from now on, and may be one that is selected. */
static void
on_content (ListdList *list, guint first, guint n, ListdSelection *self)
{
  if (n > 0 && listd_list_get_n_selected (list) > 0)
    gtk_selection_model_selection_changed (GTK_SELECTION_MODEL (self), first, n);
}

static void
listd_selection_dispose (GObject *object)
{
  ListdSelection *self = LISTD_SELECTION (object);

  g_ptr_array_set_size (self->changes, 0);
  if (self->list != NULL)
    g_signal_handlers_disconnect_by_data (self->list, self);
  g_clear_object (&self->list);
  G_OBJECT_CLASS (listd_selection_parent_class)->dispose (object);
}

static void
listd_selection_finalize (GObject *object)
{
  g_ptr_array_unref (LISTD_SELECTION (object)->changes);
  G_OBJECT_CLASS (listd_selection_parent_class)->finalize (object);
}

static void
listd_selection_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_LIST:
      g_value_set_object (value, LISTD_SELECTION (object)->list);
      break;
    case PROP_ITEM_TYPE:
      g_value_set_gtype (value, LISTD_TYPE_ITEM);
      break;
    case PROP_N_ITEMS:
      g_value_set_uint (value, get_n_items (G_LIST_MODEL (object)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_selection_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ListdSelection *self = LISTD_SELECTION (object);

  switch (id)
    {
    case PROP_LIST:
      self->list = g_value_dup_object (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_selection_constructed (GObject *object)
{
  ListdSelection *self = LISTD_SELECTION (object);

  G_OBJECT_CLASS (listd_selection_parent_class)->constructed (object);
  g_signal_connect (self->list, "items-changed", G_CALLBACK (on_items), self);
  g_signal_connect (self->list, "content-changed", G_CALLBACK (on_content), self);
  g_signal_connect (self->list, "selection-changed", G_CALLBACK (on_selection), self);
}

static void
listd_selection_class_init (ListdSelectionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->constructed = listd_selection_constructed;
  object_class->dispose = listd_selection_dispose;
  object_class->finalize = listd_selection_finalize;
  object_class->get_property = listd_selection_get_property;
  object_class->set_property = listd_selection_set_property;
  /**
   * ListdSelection:list: (getter get_list)
   *
   * The list.
   */
  properties[PROP_LIST] = g_param_spec_object ("list", NULL, NULL, LISTD_TYPE_LIST,
                                               G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * ListdSelection:item-type:
   *
   * The type of the items.
   */
  properties[PROP_ITEM_TYPE] = g_param_spec_gtype ("item-type", NULL, NULL, LISTD_TYPE_ITEM, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  /**
   * ListdSelection:n-items:
   *
   * The length of the list.
   */
  properties[PROP_N_ITEMS] = g_param_spec_uint ("n-items", NULL, NULL, 0, G_MAXUINT, 0,
                                                G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
listd_selection_init (ListdSelection *self)
{
  self->changes = g_ptr_array_new_with_free_func ((GDestroyNotify) change_free);
}

/**
 * listd_selection_new:
 * @list: a list
 *
 * Makes the model of a [class@Gtk.ListView] or [class@Gtk.ColumnView] that shows a list, with the selection that all viewers of the
 * list share.
 *
 * Returns: (transfer full): a new selection
 */
GtkSelectionModel *
listd_selection_new (ListdList *list)
{
  g_return_val_if_fail (LISTD_IS_LIST (list), NULL);
  return g_object_new (LISTD_TYPE_SELECTION, "list", list, NULL);
}

/**
 * listd_selection_get_list: (get-property list)
 * @self: a selection
 *
 * The list.
 *
 * Returns: (transfer none): the list
 */
ListdList *
listd_selection_get_list (ListdSelection *self)
{
  g_return_val_if_fail (LISTD_IS_SELECTION (self), NULL);
  return self->list;
}

// SPDX-License-Identifier: Apache-2.0
#include "listd-private.h"

/**
 * ListdItem:
 *
 * One item of a list: a row of what is shown.
 *
 * An item that a model hands out may not be loaded yet. It asks for its content by being held, and emits
 * [signal@ListdItem::changed] when the content is there and whenever it has become another. As long as somebody holds it, it is
 * the one object for its place in the list, also when that place moves.
 */

enum
{
  PROP_0,
  PROP_ID,
  PROP_ITEM,
  PROP_REUSE_IDENTIFIER,
  PROP_CONTENT,
  PROP_LOADED,
  PROP_SELECTED,
  N_PROPS
};

enum
{
  CHANGED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (ListdItem, listd_item, G_TYPE_OBJECT)

static void
listd_item_dispose (GObject *object)
{
  ListdItem *self = LISTD_ITEM (object);

  if (self->rows != NULL)
    listd_rows_forget (self->rows, self);
  G_OBJECT_CLASS (listd_item_parent_class)->dispose (object);
}

static void
listd_item_finalize (GObject *object)
{
  ListdItem *self = LISTD_ITEM (object);

  g_weak_ref_clear (&self->owner);
  g_free (self->id);
  g_free (self->reuse_identifier);
  g_clear_pointer (&self->content, g_variant_unref);
  G_OBJECT_CLASS (listd_item_parent_class)->finalize (object);
}

static void
listd_item_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ListdItem *self = LISTD_ITEM (object);

  switch (id)
    {
    case PROP_ID:
      g_value_set_string (value, self->id);
      break;
    case PROP_ITEM:
      g_value_set_uint (value, self->number);
      break;
    case PROP_REUSE_IDENTIFIER:
      g_value_set_string (value, self->reuse_identifier);
      break;
    case PROP_CONTENT:
      g_value_set_variant (value, self->content);
      break;
    case PROP_LOADED:
      g_value_set_boolean (value, self->loaded);
      break;
    case PROP_SELECTED:
      g_value_set_boolean (value, listd_item_get_selected (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_item_class_init (ListdItemClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = listd_item_dispose;
  object_class->finalize = listd_item_finalize;
  object_class->get_property = listd_item_get_property;

  /**
   * ListdItem:id: (getter get_id)
   *
   * The id of the object that the item belongs to; %NULL until it is loaded.
   */
  properties[PROP_ID] = g_param_spec_string ("id", NULL, NULL, NULL, flags);
  /**
   * ListdItem:item: (getter get_item)
   *
   * Which item of its object this is, from 0.
   */
  properties[PROP_ITEM] = g_param_spec_uint ("item", NULL, NULL, 0, G_MAXUINT, 0, flags);
  /**
   * ListdItem:reuse-identifier: (getter get_reuse_identifier)
   *
   * The kind of row that shows the item; %NULL until it is loaded.
   */
  properties[PROP_REUSE_IDENTIFIER] = g_param_spec_string ("reuse-identifier", NULL, NULL, NULL, flags);
  /**
   * ListdItem:content: (getter get_content)
   *
   * The fields, a dictionary `a{sv}`; %NULL until it is loaded.
   */
  properties[PROP_CONTENT] = g_param_spec_variant ("content", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, flags);
  /**
   * ListdItem:loaded: (getter get_loaded)
   *
   * Whether the content is known.
   */
  properties[PROP_LOADED] = g_param_spec_boolean ("loaded", NULL, NULL, FALSE, flags);
  /**
   * ListdItem:selected: (getter get_selected)
   *
   * Whether the item is in the selection that the viewers of the list share.
   */
  properties[PROP_SELECTED] = g_param_spec_boolean ("selected", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  /**
   * ListdItem::changed:
   * @self: the item
   *
   * The content has become known, or another.
   */
  signals[CHANGED] = g_signal_new ("changed", LISTD_TYPE_ITEM, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
listd_item_init (ListdItem *self)
{
  g_weak_ref_init (&self->owner, NULL);
  self->position = self->target = LISTD_NO_POSITION;
  self->slot = LISTD_NO_SLOT;
}

ListdItem *
listd_item_new (gpointer owner, guint position)
{
  ListdItem *self = g_object_new (LISTD_TYPE_ITEM, NULL);

  g_weak_ref_set (&self->owner, owner);
  self->position = position;
  return self;
}

gboolean
listd_item_fill (ListdItem *self, const char *id, guint number, const char *reuse_identifier, GVariant *content)
{
  gboolean same = self->loaded && self->number == number && g_strcmp0 (self->reuse_identifier, reuse_identifier) == 0
                  && g_strcmp0 (self->id, id) == 0 && g_variant_equal (self->content, content);

  self->dirty = FALSE;
  if (same)
    return FALSE;
  if (g_strcmp0 (self->id, id) != 0)
    {
      g_free (self->id);
      self->id = g_strdup (id);
    }
  if (g_strcmp0 (self->reuse_identifier, reuse_identifier) != 0)
    {
      g_free (self->reuse_identifier);
      self->reuse_identifier = g_strdup (reuse_identifier);
    }
  self->number = number;
  g_clear_pointer (&self->content, g_variant_unref);
  self->content = g_variant_ref_sink (content);
  return TRUE;
}

/* The list of an item that is one of a list, transfer full. */
static ListdList *
get_list (ListdItem *self)
{
  g_autoptr (GObject) owner = g_weak_ref_get (&self->owner);

  return LISTD_IS_LIST (owner) ? LISTD_LIST (g_steal_pointer (&owner)) : NULL;
}

static GVariant *
get_hints (ListdItem *self)
{
  g_autoptr (GObject) owner = g_weak_ref_get (&self->owner);
  GVariant *hints = LISTD_IS_LIST (owner)   ? listd_list_get_hints (LISTD_LIST (owner))
                    : LISTD_IS_VIEW (owner) ? listd_view_get_hints (LISTD_VIEW (owner))
                                            : NULL;

  return hints != NULL ? g_variant_ref (hints) : NULL;
}

void
listd_item_emit_changed (ListdItem *self)
{
  GObject *object = g_object_ref (G_OBJECT (self));

  g_object_freeze_notify (object);
  if (!self->loaded)
    {
      self->loaded = TRUE;
      g_object_notify_by_pspec (object, properties[PROP_LOADED]);
      g_object_notify_by_pspec (object, properties[PROP_ID]);
      g_object_notify_by_pspec (object, properties[PROP_ITEM]);
    }
  g_object_notify_by_pspec (object, properties[PROP_REUSE_IDENTIFIER]);
  g_object_notify_by_pspec (object, properties[PROP_CONTENT]);
  g_object_thaw_notify (object);
  g_signal_emit (self, signals[CHANGED], 0);
  g_object_unref (object);
}

void
listd_item_tell_number (ListdItem *self)
{
  if (!self->renumbered)
    return;
  self->renumbered = FALSE;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ITEM]);
}

void
listd_item_set_selected (ListdItem *self, gboolean selected)
{
  if (self->selected == selected)
    return;
  self->selected = selected;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SELECTED]);
}

/**
 * listd_item_get_id: (get-property id)
 * @self: an item
 *
 * The id of the object that the item belongs to.
 *
 * Returns: (nullable): the id, %NULL until the item is loaded
 */
const char *
listd_item_get_id (ListdItem *self)
{
  g_return_val_if_fail (LISTD_IS_ITEM (self), NULL);
  return self->id;
}

/**
 * listd_item_get_item: (get-property item)
 * @self: an item
 *
 * Which item of its object this is.
 *
 * Returns: the number, from 0
 */
guint
listd_item_get_item (ListdItem *self)
{
  g_return_val_if_fail (LISTD_IS_ITEM (self), 0);
  return self->number;
}

/**
 * listd_item_get_reuse_identifier: (get-property reuse-identifier)
 * @self: an item
 *
 * The kind of row that shows the item.
 *
 * Returns: (nullable): the reuse identifier, %NULL until the item is loaded
 */
const char *
listd_item_get_reuse_identifier (ListdItem *self)
{
  g_return_val_if_fail (LISTD_IS_ITEM (self), NULL);
  return self->reuse_identifier;
}

/**
 * listd_item_get_content: (get-property content)
 * @self: an item
 *
 * All fields.
 *
 * Returns: (transfer none) (nullable): a dictionary `a{sv}`, %NULL until the item is loaded
 */
GVariant *
listd_item_get_content (ListdItem *self)
{
  g_return_val_if_fail (LISTD_IS_ITEM (self), NULL);
  return self->content;
}

/**
 * listd_item_get_loaded: (get-property loaded)
 * @self: an item
 *
 * Whether the content is known.
 *
 * Returns: %TRUE from the first [signal@ListdItem::changed] on
 */
gboolean
listd_item_get_loaded (ListdItem *self)
{
  g_return_val_if_fail (LISTD_IS_ITEM (self), FALSE);
  return self->loaded;
}

/**
 * listd_item_get_selected: (get-property selected)
 * @self: an item
 *
 * Whether the item is in the list's selection. The list asks for its selection when this is read for the first time, and the
 * property notifies when it is known.
 *
 * Returns: %TRUE when it is selected
 */
gboolean
listd_item_get_selected (ListdItem *self)
{
  g_autoptr (ListdList) list = NULL;

  g_return_val_if_fail (LISTD_IS_ITEM (self), FALSE);
  list = get_list (self);
  if (list != NULL && self->id != NULL)
    self->selected = listd_list_is_selected (list, self->id, self->number);
  return self->selected;
}

/**
 * listd_item_get_value:
 * @self: an item
 * @field: the name of a field
 *
 * The value of a field. It lives as long as the item has this content.
 *
 * Returns: (transfer none) (nullable): the value, %NULL when there is none or the item is not loaded
 */
GVariant *
listd_item_get_value (ListdItem *self, const char *field)
{
  GVariant *value = NULL;

  g_return_val_if_fail (LISTD_IS_ITEM (self), NULL);
  g_return_val_if_fail (field != NULL, NULL);
  if (self->content == NULL)
    return NULL;
  value = g_variant_lookup_value (self->content, field, NULL);
  if (value == NULL)
    return NULL;
  /* The item keeps what it hands out, until its content is another. */
  {
    g_autofree char *key = g_strconcat ("listd-", field, NULL);
    GVariant *kept = g_object_get_data (G_OBJECT (self), key);

    if (kept != NULL && g_variant_is_of_type (kept, g_variant_get_type (value)) && g_variant_equal (kept, value))
      {
        g_variant_unref (value);
        return kept;
      }
    g_object_set_data_full (G_OBJECT (self), key, value, (GDestroyNotify) g_variant_unref);
    return value;
  }
}

/**
 * listd_item_get_string:
 * @self: an item
 * @field: the name of a field
 *
 * The text of a field.
 *
 * Returns: the text, or "" when the field is no text or not there
 */
const char *
listd_item_get_string (ListdItem *self, const char *field)
{
  const char *text = "";

  g_return_val_if_fail (LISTD_IS_ITEM (self), "");
  g_return_val_if_fail (field != NULL, "");
  if (self->content != NULL)
    g_variant_lookup (self->content, field, "&s", &text);
  return text;
}

static gboolean
number_of (GVariant *value, double *floating, gint64 *whole)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BYTE:
      *whole = g_variant_get_byte (value);
      break;
    case G_VARIANT_CLASS_INT16:
      *whole = g_variant_get_int16 (value);
      break;
    case G_VARIANT_CLASS_UINT16:
      *whole = g_variant_get_uint16 (value);
      break;
    case G_VARIANT_CLASS_INT32:
      *whole = g_variant_get_int32 (value);
      break;
    case G_VARIANT_CLASS_UINT32:
      *whole = g_variant_get_uint32 (value);
      break;
    case G_VARIANT_CLASS_INT64:
      *whole = g_variant_get_int64 (value);
      break;
    case G_VARIANT_CLASS_UINT64:
      *whole = MIN (g_variant_get_uint64 (value), G_MAXINT64);
      *floating = g_variant_get_uint64 (value);
      return TRUE;
    case G_VARIANT_CLASS_BOOLEAN:
      *whole = g_variant_get_boolean (value);
      break;
    case G_VARIANT_CLASS_DOUBLE:
      *floating = g_variant_get_double (value);
      *whole = *floating >= -9.2e18 && *floating <= 9.2e18 ? (gint64) *floating : 0;
      return TRUE;
    default:
      return FALSE;
    }
  *floating = *whole;
  return TRUE;
}

/**
 * listd_item_get_int:
 * @self: an item
 * @field: the name of a field
 *
 * The whole number in a field of any numeric type. A fraction is cut off, and an unsigned number that is too large becomes the
 * largest one.
 *
 * Returns: the number, or 0 when the field is no number or not there
 */
gint64
listd_item_get_int (ListdItem *self, const char *field)
{
  g_autoptr (GVariant) value = NULL;
  double floating;
  gint64 whole = 0;

  g_return_val_if_fail (LISTD_IS_ITEM (self), 0);
  g_return_val_if_fail (field != NULL, 0);
  if (self->content != NULL)
    value = g_variant_lookup_value (self->content, field, NULL);
  return value != NULL && number_of (value, &floating, &whole) ? whole : 0;
}

/**
 * listd_item_get_double:
 * @self: an item
 * @field: the name of a field
 *
 * The number in a field of any numeric type.
 *
 * Returns: the number, or 0 when the field is no number or not there
 */
double
listd_item_get_double (ListdItem *self, const char *field)
{
  g_autoptr (GVariant) value = NULL;
  double floating = 0;
  gint64 whole;

  g_return_val_if_fail (LISTD_IS_ITEM (self), 0);
  g_return_val_if_fail (field != NULL, 0);
  if (self->content != NULL)
    value = g_variant_lookup_value (self->content, field, NULL);
  return value != NULL && number_of (value, &floating, &whole) ? floating : 0;
}

/**
 * listd_item_format:
 * @self: an item
 * @field: the name of a field
 *
 * A field as text for people. The hints of the list, which a view of it has too, say whether a number is a size, a time, permissions or an owner; such a
 * field reads as in `listctl show`, in the language of the program.
 *
 * Returns: (transfer full): the text, "" when there is no such field
 */
char *
listd_item_format (ListdItem *self, const char *field)
{
  g_autoptr (GVariant) value = NULL;
  g_autoptr (GVariant) hints = NULL;
  const char *hint = NULL;

  g_return_val_if_fail (LISTD_IS_ITEM (self), NULL);
  g_return_val_if_fail (field != NULL, NULL);
  if (self->content != NULL)
    value = g_variant_lookup_value (self->content, field, NULL);
  if (value == NULL)
    return g_strdup ("");
  hints = get_hints (self);
  if (hints != NULL)
    g_variant_lookup (hints, field, "&s", &hint);
  return listd_format_value (value, hint);
}

/**
 * listd_item_invoke_async:
 * @self: an item that is loaded
 * @action: the name of an action
 * @parameters: (nullable): a dictionary `a{sv}`; a floating reference is taken
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when the action was handled
 * @user_data: data for the callback
 *
 * Does what an action of the item means: the list's section controller is asked, then the program that owns the list.
 */
void
listd_item_invoke_async (ListdItem *self, const char *action, GVariant *parameters, GCancellable *cancellable, GAsyncReadyCallback callback,
                         gpointer user_data)
{
  g_autoptr (ListdList) list = NULL;
  GTask *task;

  g_return_if_fail (LISTD_IS_ITEM (self));
  g_return_if_fail (action != NULL);
  g_return_if_fail (parameters == NULL || g_variant_is_of_type (parameters, G_VARIANT_TYPE_VARDICT));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_item_invoke_async);
  if (parameters == NULL)
    parameters = g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0);
  list = get_list (self);
  if (list == NULL || self->id == NULL)
    {
      g_variant_unref (g_variant_ref_sink (parameters));
      g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_NO_SUCH_OBJECT, "%s",
                               list == NULL ? _ ("the item is in no list any more") : _ ("the item is not loaded"));
      g_object_unref (task);
      return;
    }
  listd_list_invoke (list, self->id, self->number, action, parameters, task);
}

/**
 * listd_item_invoke_finish:
 * @self: an item
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_item_invoke_async().
 *
 * Returns: whether somebody handled the action; %FALSE without an error when nobody did
 */
gboolean
listd_item_invoke_finish (ListdItem *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}

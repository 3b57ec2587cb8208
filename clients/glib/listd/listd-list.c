// SPDX-License-Identifier: Apache-2.0
#include "listd-list-private.h"

/**
 * ListdList:
 *
 * A list of listd as a [iface@Gio.ListModel] of [class@ListdItem].
 *
 * The model has as many items as the list, and knows the contents of few: of those that somebody holds, or of the range that was
 * given to [method@ListdList.set_visible_range]. It is empty until [property@ListdList:state] is ready. What happens to the list is
 * told by `items-changed`, never from within another; at each such signal the model is exactly what was told so far. When listd is
 * restarted, or the list is replaced by another of its name, the objects of the items that are still there stay.
 */
GParamSpec *listd_list_properties[LISTD_LIST_N_PROPS];
guint listd_list_signals[LISTD_LIST_N_SIGNALS];
#define properties listd_list_properties
#define signals listd_list_signals

static void list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (ListdList, listd_list, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

G_DEFINE_ENUM_TYPE (ListdListState, listd_list_state,
                    G_DEFINE_ENUM_VALUE (LISTD_LIST_STATE_OFFLINE, "offline"),
                    G_DEFINE_ENUM_VALUE (LISTD_LIST_STATE_LOADING, "loading"),
                    G_DEFINE_ENUM_VALUE (LISTD_LIST_STATE_READY, "ready"),
                    G_DEFINE_ENUM_VALUE (LISTD_LIST_STATE_FAILED, "failed"))

G_DEFINE_FLAGS_TYPE (ListdListEvents, listd_list_events,
                     G_DEFINE_ENUM_VALUE (LISTD_LIST_EVENTS_NONE, "none"),
                     G_DEFINE_ENUM_VALUE (LISTD_LIST_EVENTS_DISPLAY, "display"),
                     G_DEFINE_ENUM_VALUE (LISTD_LIST_EVENTS_WORKING_RANGE, "working-range"),
                     G_DEFINE_ENUM_VALUE (LISTD_LIST_EVENTS_NEAR_END, "near-end"),
                     G_DEFINE_ENUM_VALUE (LISTD_LIST_EVENTS_INVOKED, "invoked"))

const char *
listd_list_get_path (ListdList *self)
{
  return self->path;
}

ListdWindow *
listd_list_get_window (ListdList *self)
{
  return self->window;
}

/* GListModel */

static GType
get_item_type (GListModel *model)
{
  return LISTD_TYPE_ITEM;
}

static guint
get_n_items (GListModel *model)
{
  return listd_rows_get_n (LISTD_LIST (model)->rows);
}

static gpointer
get_item (GListModel *model, guint position)
{
  ListdList *self = LISTD_LIST (model);
  ListdItem *item = listd_rows_get (self->rows, position);

  if (item != NULL && item->slot == LISTD_NO_SLOT)
    listd_window_refresh (self->window);
  return item;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

/* GObject */

static void
listd_list_constructed (GObject *object)
{
  ListdList *self = LISTD_LIST (object);

  G_OBJECT_CLASS (listd_list_parent_class)->constructed (object);
  if (self->base != NULL)
    {
      g_autofree char *uuid = g_uuid_string_random ();
      g_free (self->name);
      self->name = g_strconcat ("filtered-", uuid, NULL);
    }
  self->path = listd_path_of_list (self->name != NULL ? self->name : "");
  listd_list_begin_following (self);
}

static void
listd_list_dispose (GObject *object)
{
  ListdList *self = LISTD_LIST (object);

  if (self->client != NULL && self->window != NULL)
    {
      listd_list_end_following (self);
    }
  G_OBJECT_CLASS (listd_list_parent_class)->dispose (object);
}

static void
listd_list_finalize (GObject *object)
{
  ListdList *self = LISTD_LIST (object);

  listd_window_free (self->window);
  listd_follower_free (self->follower);
  listd_rows_free (self->rows);
  listd_queue_clear (&self->queue);
  g_clear_object (&self->client);
  g_clear_error (&self->error);
  g_clear_pointer (&self->hints, listd_hints_free);
  g_hash_table_unref (self->selected);
  listd_filter_free (self->filter);
  g_free (self->argument);
  g_free (self->base);
  g_free (self->name);
  g_free (self->path);
  G_OBJECT_CLASS (listd_list_parent_class)->finalize (object);
}

static void
listd_list_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ListdList *self = LISTD_LIST (object);

  switch (id)
    {
    case PROP_CLIENT:
      g_value_set_object (value, self->client);
      break;
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_BASE:
      g_value_set_string (value, self->base);
      break;
    case PROP_FILTER:
      g_value_set_boxed (value, self->filter);
      break;
    case PROP_STATE:
      g_value_set_enum (value, self->state);
      break;
    case PROP_ERROR:
      g_value_set_boxed (value, self->error);
      break;
    case PROP_REVISION:
      g_value_set_uint64 (value, listd_list_get_revision (self));
      break;
    case PROP_EPOCH:
      g_value_set_string (value, listd_list_get_epoch (self));
      break;
    case PROP_ITEM_TYPE:
      g_value_set_gtype (value, LISTD_TYPE_ITEM);
      break;
    case PROP_N_ITEMS:
      g_value_set_uint (value, listd_rows_get_n (self->rows));
      break;
    case PROP_FIELDS:
      g_value_set_boxed (value, listd_list_get_fields (self));
      break;
    case PROP_OVERSCAN:
      g_value_set_uint (value, self->overscan);
      break;
    case PROP_ANCHOR_ID:
      g_value_set_string (value, listd_list_get_anchor_id (self));
      break;
    case PROP_HINTS:
      g_value_set_variant (value, listd_list_get_hints (self));
      break;
    case PROP_EVENTS:
      g_value_set_flags (value, self->events);
      break;
    case PROP_N_SELECTED:
      g_value_set_uint (value, listd_list_get_n_selected (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_list_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ListdList *self = LISTD_LIST (object);

  switch (id)
    {
    case PROP_CLIENT:
      self->client = g_value_dup_object (value);
      break;
    case PROP_NAME:
      self->name = g_value_dup_string (value);
      break;
    case PROP_BASE:
      self->base = g_value_dup_string (value);
      break;
    case PROP_FILTER:
      if (self->window != NULL)
        listd_list_set_filter (self, g_value_get_boxed (value));
      else
        self->filter = g_value_dup_boxed (value);
      break;
    case PROP_FIELDS:
      listd_list_set_fields (self, g_value_get_boxed (value));
      break;
    case PROP_OVERSCAN:
      listd_list_set_overscan (self, g_value_get_uint (value));
      break;
    case PROP_EVENTS:
      listd_list_set_events (self, g_value_get_flags (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_list_class_init (ListdListClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags made = G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;
  const GParamFlags set = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->constructed = listd_list_constructed;
  object_class->dispose = listd_list_dispose;
  object_class->finalize = listd_list_finalize;
  object_class->get_property = listd_list_get_property;
  object_class->set_property = listd_list_set_property;

  /**
   * ListdList:client: (getter get_client)
   *
   * The client that the list was made with.
   */
  properties[PROP_CLIENT] = g_param_spec_object ("client", NULL, NULL, LISTD_TYPE_CLIENT, made);
  /**
   * ListdList:name: (getter get_name)
   *
   * The name of the list. A filtered list makes up its own.
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, made);
  /**
   * ListdList:base:
   *
   * The name of the list that a filtered list follows.
   */
  properties[PROP_BASE] = g_param_spec_string ("base", NULL, NULL, NULL, made);
  /**
   * ListdList:filter: (setter set_filter)
   *
   * What a filtered list shows of its base.
   */
  properties[PROP_FILTER] = g_param_spec_boxed ("filter", NULL, NULL, LISTD_TYPE_FILTER, set | G_PARAM_CONSTRUCT);
  /**
   * ListdList:state: (getter get_state)
   *
   * What the list is doing.
   */
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, LISTD_TYPE_LIST_STATE, LISTD_LIST_STATE_OFFLINE, read);
  /**
   * ListdList:error: (getter get_error)
   *
   * Why the list failed.
   */
  properties[PROP_ERROR] = g_param_spec_boxed ("error", NULL, NULL, G_TYPE_ERROR, read);
  /**
   * ListdList:revision: (getter get_revision)
   *
   * The revision of the list that the model shows.
   */
  properties[PROP_REVISION] = g_param_spec_uint64 ("revision", NULL, NULL, 0, G_MAXUINT64, 0, read);
  /**
   * ListdList:epoch: (getter get_epoch)
   *
   * What numbers the revisions. It is another when a list was removed and made again.
   */
  properties[PROP_EPOCH] = g_param_spec_string ("epoch", NULL, NULL, NULL, read);
  /**
   * ListdList:item-type:
   *
   * The type of the items.
   */
  properties[PROP_ITEM_TYPE] = g_param_spec_gtype ("item-type", NULL, NULL, LISTD_TYPE_ITEM, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  /**
   * ListdList:n-items:
   *
   * The number of items.
   */
  properties[PROP_N_ITEMS] = g_param_spec_uint ("n-items", NULL, NULL, 0, G_MAXUINT, 0, read);
  /**
   * ListdList:fields: (getter get_fields) (setter set_fields)
   *
   * The fields that are loaded; empty = all.
   */
  properties[PROP_FIELDS] = g_param_spec_boxed ("fields", NULL, NULL, G_TYPE_STRV, set);
  /**
   * ListdList:overscan: (getter get_overscan) (setter set_overscan)
   *
   * How many items before and after the visible ones are loaded with them.
   */
  properties[PROP_OVERSCAN] = g_param_spec_uint ("overscan", NULL, NULL, 0, 4096, 0, set);
  /**
   * ListdList:anchor-id: (getter get_anchor_id)
   *
   * The id of the first visible item.
   */
  properties[PROP_ANCHOR_ID] = g_param_spec_string ("anchor-id", NULL, NULL, NULL, read);
  /**
   * ListdList:hints: (getter get_hints)
   *
   * How people want to see fields: a dictionary `a{ss}` from field to hint.
   */
  properties[PROP_HINTS] = g_param_spec_variant ("hints", NULL, NULL, G_VARIANT_TYPE ("a{ss}"), NULL, read);
  /**
   * ListdList:events: (getter get_events) (setter set_events)
   *
   * The events that the list hears for its signals. A handler that is connected before the list is opened, in the same turn of the
   * main loop, counts too.
   */
  properties[PROP_EVENTS] = g_param_spec_flags ("events", NULL, NULL, LISTD_TYPE_LIST_EVENTS, LISTD_LIST_EVENTS_NONE, set);
  /**
   * ListdList:n-selected: (getter get_n_selected)
   *
   * How many items are in the selection that the viewers of the list share.
   */
  properties[PROP_N_SELECTED] = g_param_spec_uint ("n-selected", NULL, NULL, 0, G_MAXUINT, 0, read);
  g_object_class_install_properties (object_class, LISTD_LIST_N_PROPS, properties);

  /**
   * ListdList::content-changed:
   * @self: the list
   * @position: the first item
   * @n_items: how many, without a gap
   *
   * The contents of items became known, or others. Each item has emitted [signal@ListdItem::changed] before.
   */
  signals[CONTENT_CHANGED] = g_signal_new ("content-changed", LISTD_TYPE_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                           G_TYPE_UINT, G_TYPE_UINT);
  /**
   * ListdList::display-changed:
   * @self: the list
   * @view: the path of a view, of any program
   * @begun: objects that it shows now, `a(us)`: section, id
   * @ended: objects that it shows no more, `a(us)`
   * @items_begun: items that it shows now, `a(usu)`: section, id, item
   * @items_ended: items that it shows no more, `a(usu)`
   *
   * Somebody sees something else of the list.
   */
  signals[DISPLAY_CHANGED] = g_signal_new ("display-changed", LISTD_TYPE_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 5,
                                           G_TYPE_STRING, G_TYPE_VARIANT, G_TYPE_VARIANT, G_TYPE_VARIANT, G_TYPE_VARIANT);
  /**
   * ListdList::working-range-changed:
   * @self: the list
   * @view: the path of a view, of any program
   * @entered: objects that are near now, `a(us)`: section, id
   * @exited: objects that are near no more, `a(us)`
   * @items_entered: items that are near now, `a(usu)`: section, id, item; none for a view whose working range counts sections
   * @items_exited: items that are near no more, `a(usu)`
   *
   * Something else is near what somebody sees.
   */
  signals[WORKING_RANGE_CHANGED] = g_signal_new ("working-range-changed", LISTD_TYPE_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                                 5, G_TYPE_STRING, G_TYPE_VARIANT, G_TYPE_VARIANT, G_TYPE_VARIANT, G_TYPE_VARIANT);
  /**
   * ListdList::near-end:
   * @self: the list
   * @view: the path of a view, of any program
   * @distance: what lies between what it shows and the end
   *
   * Somebody comes near to the end of the list: it is time to add more.
   */
  signals[NEAR_END]
      = g_signal_new ("near-end", LISTD_TYPE_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_DOUBLE);
  /**
   * ListdList::invoked:
   * @self: the list
   * @id: the id of an object
   * @item: one of its items
   * @action: the name of the action
   * @parameters: its parameters, `a{sv}`
   * @user: the number of the user
   *
   * Somebody wants an action to be done. Only the owner of the list hears it.
   */
  signals[INVOKED] = g_signal_new ("invoked", LISTD_TYPE_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 5, G_TYPE_STRING,
                                   G_TYPE_UINT, G_TYPE_STRING, G_TYPE_VARIANT, G_TYPE_UINT);
  /**
   * ListdList::selection-changed:
   * @self: the list
   * @selected: what is selected now, `a(su)`: id, item
   * @deselected: what is selected no more, `a(su)`
   *
   * The selection, which the viewers of the list share, is another, or has become known.
   */
  signals[SELECTION_CHANGED] = g_signal_new ("selection-changed", LISTD_TYPE_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                             G_TYPE_VARIANT, G_TYPE_VARIANT);
}

static void
listd_list_init (ListdList *self)
{
  listd_queue_init (&self->queue, self);
  self->rows = listd_rows_new (self);
  listd_list_init_selection (self);
}

/**
 * listd_list_new:
 * @client: a client
 * @name: the name of a list, which need not be there yet
 *
 * Makes a model of a list.
 *
 * Returns: (transfer full): a new model
 */
ListdList *
listd_list_new (ListdClient *client, const char *name)
{
  g_return_val_if_fail (LISTD_IS_CLIENT (client), NULL);
  g_return_val_if_fail (name != NULL, NULL);
  return g_object_new (LISTD_TYPE_LIST, "client", client, "name", name, NULL);
}

/**
 * listd_list_new_filtered:
 * @client: a client
 * @base: the name of a list
 * @filter: (nullable): what to show of it, and in which order
 *
 * Makes a model of a part of a list. listd filters and sorts; the model costs as little as any other. The list that it makes for
 * that is removed with the model.
 *
 * Returns: (transfer full): a new model
 */
ListdList *
listd_list_new_filtered (ListdClient *client, const char *base, const ListdFilter *filter)
{
  g_return_val_if_fail (LISTD_IS_CLIENT (client), NULL);
  g_return_val_if_fail (base != NULL, NULL);
  return g_object_new (LISTD_TYPE_LIST, "client", client, "base", base, "filter", filter, NULL);
}

/**
 * listd_list_set_filter: (set-property filter)
 * @self: a filtered list
 * @filter: (nullable): what to show now
 *
 * Shows another part of the base, as when somebody types what to search for. What stays keeps its objects.
 */
void
listd_list_set_filter (ListdList *self, const ListdFilter *filter)
{
  ListdFilter *copy;

  g_return_if_fail (LISTD_IS_LIST (self));
  g_return_if_fail (self->base != NULL);
  copy = filter != NULL ? listd_filter_copy (filter) : NULL;
  listd_filter_free (self->filter);
  self->filter = copy;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FILTER]);
  listd_queue_post (&self->queue, listd_list_send_filter, NULL, NULL);
}

/**
 * listd_list_get_client: (get-property client)
 * @self: a list
 *
 * The client that the list was made with.
 *
 * Returns: (transfer none): the client
 */
ListdClient *
listd_list_get_client (ListdList *self)
{
  g_return_val_if_fail (LISTD_IS_LIST (self), NULL);
  return self->client;
}

/**
 * listd_list_get_name: (get-property name)
 * @self: a list
 *
 * The name of the list.
 *
 * Returns: the name
 */
const char *
listd_list_get_name (ListdList *self)
{
  g_return_val_if_fail (LISTD_IS_LIST (self), NULL);
  return self->name;
}

/**
 * listd_list_get_state: (get-property state)
 * @self: a list
 *
 * What the list is doing.
 *
 * Returns: the state
 */
ListdListState
listd_list_get_state (ListdList *self)
{
  g_return_val_if_fail (LISTD_IS_LIST (self), LISTD_LIST_STATE_OFFLINE);
  return self->state;
}

/**
 * listd_list_get_error: (get-property error)
 * @self: a list
 *
 * Why the list failed.
 *
 * Returns: (transfer none) (nullable): the error, %NULL when the state is not failed
 */
const GError *
listd_list_get_error (ListdList *self)
{
  g_return_val_if_fail (LISTD_IS_LIST (self), NULL);
  return self->error;
}

/**
 * listd_list_get_revision: (get-property revision)
 * @self: a list
 *
 * The revision that the model shows.
 *
 * Returns: the revision, 0 as long as there is none
 */
guint64
listd_list_get_revision (ListdList *self)
{
  g_return_val_if_fail (LISTD_IS_LIST (self), 0);
  return listd_follower_get_revision (self->follower);
}

/**
 * listd_list_get_epoch: (get-property epoch)
 * @self: a list
 *
 * What numbers the revisions.
 *
 * Returns: (nullable): the epoch
 */
const char *
listd_list_get_epoch (ListdList *self)
{
  g_return_val_if_fail (LISTD_IS_LIST (self), NULL);
  return listd_follower_get_epoch (self->follower);
}

/**
 * listd_list_get_fields: (get-property fields)
 * @self: a list
 *
 * The fields that are loaded.
 *
 * Returns: (array zero-terminated=1) (transfer none) (nullable): their names; %NULL or empty = all
 */
const char *const *
listd_list_get_fields (ListdList *self)
{
  g_return_val_if_fail (LISTD_IS_LIST (self), NULL);
  return listd_window_get_fields (self->window);
}

/**
 * listd_list_set_fields: (set-property fields)
 * @self: a list
 * @fields: (array zero-terminated=1) (nullable): the names of fields; %NULL or empty = all
 *
 * Loads only some fields of each item.
 */
void
listd_list_set_fields (ListdList *self, const char *const *fields)
{
  g_return_if_fail (LISTD_IS_LIST (self));
  listd_window_set_fields (self->window, fields);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FIELDS]);
  listd_queue_post (&self->queue, listd_list_open_again, NULL, NULL);
}

/**
 * listd_list_get_overscan: (get-property overscan)
 * @self: a list
 *
 * How many items around the visible ones are loaded with them.
 *
 * Returns: the number on each side
 */
guint
listd_list_get_overscan (ListdList *self)
{
  g_return_val_if_fail (LISTD_IS_LIST (self), 0);
  return self->overscan;
}

/**
 * listd_list_set_overscan: (set-property overscan)
 * @self: a list
 * @overscan: the number on each side
 *
 * Loads more than what is visible, so that it is there when somebody scrolls.
 */
void
listd_list_set_overscan (ListdList *self, guint overscan)
{
  g_return_if_fail (LISTD_IS_LIST (self));
  if (self->overscan == overscan)
    return;
  self->overscan = overscan;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OVERSCAN]);
  listd_queue_post (&self->queue, listd_list_open_again, NULL, NULL);
}

/**
 * listd_list_get_anchor_id: (get-property anchor-id)
 * @self: a list
 *
 * The id of the first visible item.
 *
 * Returns: (nullable): the id, %NULL when it is not known
 */
const char *
listd_list_get_anchor_id (ListdList *self)
{
  ListdItem *item;

  g_return_val_if_fail (LISTD_IS_LIST (self), NULL);
  item = listd_rows_peek (self->rows, listd_window_get_first (self->window));
  return item != NULL ? item->id : NULL;
}

/**
 * listd_list_get_hints: (get-property hints)
 * @self: a list
 *
 * How people want to see fields.
 *
 * Returns: (transfer none) (nullable): a dictionary `a{ss}` from field to hint
 */
GVariant *
listd_list_get_hints (ListdList *self)
{
  g_return_val_if_fail (LISTD_IS_LIST (self), NULL);
  return listd_hints_get (self->hints);
}

/**
 * listd_list_get_events: (get-property events)
 * @self: a list
 *
 * The events that the list hears for its signals.
 *
 * Returns: the events
 */
ListdListEvents
listd_list_get_events (ListdList *self)
{
  g_return_val_if_fail (LISTD_IS_LIST (self), LISTD_LIST_EVENTS_NONE);
  return self->events;
}

/**
 * listd_list_set_events: (set-property events)
 * @self: a list
 * @events: the events to hear
 *
 * Hears events of the list. They are broadcast for all viewers, so the list hears only what somebody wants.
 */
void
listd_list_set_events (ListdList *self, ListdListEvents events)
{
  g_return_if_fail (LISTD_IS_LIST (self));
  if (self->events == events)
    return;
  self->events = events;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_EVENTS]);
  listd_queue_post (&self->queue, listd_list_open_again, NULL, NULL);
}

/**
 * listd_list_set_visible_range:
 * @self: a list
 * @first: the position of the first visible item
 * @n: how many are visible; 0 = those that are held
 *
 * Says what is visible, as a widget knows it. Without it, the list takes the largest group of items that somebody holds.
 */
void
listd_list_set_visible_range (ListdList *self, guint first, guint n)
{
  g_return_if_fail (LISTD_IS_LIST (self));
  listd_window_set_range (self->window, first, n);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ANCHOR_ID]);
}

/**
 * listd_list_get_position:
 * @self: a list
 * @item: an item of it
 *
 * Where an item is now.
 *
 * Returns: its position, or %G_MAXUINT when it is not in the list any more
 */
guint
listd_list_get_position (ListdList *self, ListdItem *item)
{
  g_autoptr (GObject) list = NULL;

  g_return_val_if_fail (LISTD_IS_LIST (self), G_MAXUINT);
  g_return_val_if_fail (LISTD_IS_ITEM (item), G_MAXUINT);
  list = g_weak_ref_get (&item->owner);
  return list == G_OBJECT (self) ? item->position : G_MAXUINT;
}

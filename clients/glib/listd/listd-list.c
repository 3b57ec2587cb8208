// SPDX-License-Identifier: Apache-2.0
#include "config.h"
#include "listd-follower.h"
#include "listd-private.h"
#include "listd-window.h"

#include <string.h>

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
struct _ListdList
{
  GObject parent_instance;

  ListdClient *client;
  char *name;
  char *path;
  char *base;          /* of a filtered list */
  ListdFilter *filter; /* likewise */

  ListdQueue queue;
  ListdRows *rows;
  ListdFollower *follower;
  ListdWindow *window;

  ListdListState state;
  GError *error;
  guint serial; /* of the opening */
  gboolean opening;
  gboolean appeared; /* while it was opened */
  gboolean resync;
  guint wait; /* milliseconds before it is opened again */
  GSource *retry;
  guint subscriptions[7];
  guint overscan;
  ListdListEvents events;
  GVariant *hints;

  GHashTable *selected; /* "ITEM id", once somebody asked */
  gboolean asked_selection;
};

enum
{
  PROP_0,
  PROP_CLIENT,
  PROP_NAME,
  PROP_BASE,
  PROP_FILTER,
  PROP_STATE,
  PROP_ERROR,
  PROP_REVISION,
  PROP_EPOCH,
  PROP_ITEM_TYPE,
  PROP_N_ITEMS,
  PROP_FIELDS,
  PROP_OVERSCAN,
  PROP_ANCHOR_ID,
  PROP_HINTS,
  PROP_EVENTS,
  N_PROPS
};

enum
{
  CONTENT_CHANGED,
  DISPLAY_CHANGED,
  WORKING_RANGE_CHANGED,
  NEAR_END,
  INVOKED,
  SELECTION_CHANGED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

static void list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (ListdList, listd_list, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static const GEnumValue states[] = {
  { LISTD_LIST_STATE_OFFLINE, "LISTD_LIST_STATE_OFFLINE", "offline" },
  { LISTD_LIST_STATE_LOADING, "LISTD_LIST_STATE_LOADING", "loading" },
  { LISTD_LIST_STATE_READY, "LISTD_LIST_STATE_READY", "ready" },
  { LISTD_LIST_STATE_FAILED, "LISTD_LIST_STATE_FAILED", "failed" },
  { 0, NULL, NULL },
};

static const GFlagsValue events_values[] = {
  { LISTD_LIST_EVENTS_NONE, "LISTD_LIST_EVENTS_NONE", "none" },
  { LISTD_LIST_EVENTS_DISPLAY, "LISTD_LIST_EVENTS_DISPLAY", "display" },
  { LISTD_LIST_EVENTS_WORKING_RANGE, "LISTD_LIST_EVENTS_WORKING_RANGE", "working-range" },
  { LISTD_LIST_EVENTS_NEAR_END, "LISTD_LIST_EVENTS_NEAR_END", "near-end" },
  { LISTD_LIST_EVENTS_INVOKED, "LISTD_LIST_EVENTS_INVOKED", "invoked" },
  { 0, NULL, NULL },
};

GType
listd_list_state_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("ListdListState", states));
  return type;
}

GType
listd_list_events_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("ListdListEvents", events_values));
  return type;
}

static void open_list (gpointer object, gpointer data);
static void reopen_later (ListdList *self);

ListdClient *
listd_list_get_client_internal (ListdList *self)
{
  return self->client;
}

const char *
listd_list_get_path (ListdList *self)
{
  return self->path;
}

void
listd_list_when_at (ListdList *self, guint64 revision, ListdEventFunc func, gpointer data, GDestroyNotify destroy)
{
  listd_follower_when_at (self->follower, revision, func, data, destroy);
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

/* State */

static void
set_state (ListdList *self, ListdListState state, const GError *error)
{
  gboolean other_error = self->error != error && (self->error == NULL || error == NULL || self->error->domain != error->domain
                                                  || self->error->code != error->code || strcmp (self->error->message, error->message) != 0);

  if (self->state == state && !other_error)
    return;
  g_object_freeze_notify (G_OBJECT (self));
  if (other_error)
    {
      g_clear_error (&self->error);
      self->error = error != NULL ? g_error_copy (error) : NULL;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ERROR]);
    }
  if (self->state != state)
    {
      self->state = state;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
    }
  g_object_thaw_notify (G_OBJECT (self));
}

static void
stop (ListdList *self)
{
  self->serial++;
  self->opening = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (self->subscriptions); i++)
    listd_client_unsubscribe (self->client, &self->subscriptions[i]);
  if (self->retry != NULL)
    {
      g_source_destroy (self->retry);
      g_clear_pointer (&self->retry, g_source_unref);
    }
  self->asked_selection = FALSE;
  listd_window_close (self->window);
  listd_follower_stop (self->follower);
}

static void
notify_n_items (ListdList *self, guint before)
{
  if (listd_rows_get_n (self->rows) != before)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_ITEMS]);
}

/* There is no such list now. */
static void
empty (ListdList *self, const GError *error)
{
  guint before = listd_rows_get_n (self->rows);

  stop (self);
  listd_follower_clear (self->follower);
  notify_n_items (self, before);
  set_state (self, LISTD_LIST_STATE_FAILED, error);
}

/* What the follower and the window say */

static void
on_moving (gpointer object, ListdUpdate *const *updates, guint n_updates)
{
  ListdList *self = object;

  listd_window_moving (self->window, updates, n_updates);
  self->resync = self->resync || updates == NULL;
}

static void
on_moved (gpointer object)
{
  ListdList *self = object;
  gboolean resync = self->resync;
  const GPtrArray *items = listd_rows_get_items (self->rows);
  g_autoptr (GPtrArray) renumbered = g_ptr_array_new_with_free_func (g_object_unref);

  /* Items that came or went before it in its section. */
  if (listd_rows_get_counts (self->rows) != NULL)
    for (guint i = 0; i < items->len; i++)
      {
        ListdItem *item = g_ptr_array_index (items, i);
        guint section, number;
        listd_rows_locate (self->rows, item->position, &section, &number);
        if (item->loaded && item->number != number)
          {
            item->number = number;
            item->renumbered = TRUE;
            g_ptr_array_add (renumbered, g_object_ref (item));
          }
      }
  for (guint i = 0; i < renumbered->len; i++)
    listd_item_tell_number (g_ptr_array_index (renumbered, i));
  self->resync = FALSE;
  self->wait = 0;
  g_object_freeze_notify (G_OBJECT (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_REVISION]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_ITEMS]);
  if (resync)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_EPOCH]);
  g_object_thaw_notify (G_OBJECT (self));
  set_state (self, LISTD_LIST_STATE_READY, NULL);
  listd_window_moved (self->window, resync);
}

static void
reopen (gpointer object, gpointer data)
{
  ListdList *self = object;

  if (GPOINTER_TO_UINT (data) != self->serial || !listd_client_is_up (self->client))
    return;
  stop (self);
  set_state (self, LISTD_LIST_STATE_LOADING, NULL);
  reopen_later (self);
}

static void
on_lost (gpointer object)
{
  ListdList *self = object;
  /* Later: the follower is in the middle of something. */
  listd_queue_post (&self->queue, reopen, GUINT_TO_POINTER (self->serial), NULL);
}

static void
on_loaded (gpointer object, guint first, guint n)
{
  g_signal_emit (object, signals[CONTENT_CHANGED], 0, first, n);
}

static void
gone (gpointer object, gpointer data)
{
  ListdList *self = object;
  g_autoptr (GError) error = NULL;

  if (GPOINTER_TO_UINT (data) != self->serial)
    return;
  error = g_error_new (LISTD_ERROR, LISTD_ERROR_NO_SUCH_ADAPTER, "there is no list \"%.64s\" any more", self->name);
  empty (self, error);
  if (self->appeared)
    reopen_later (self);
}

static void
on_closed (gpointer object, const char *reason)
{
  ListdList *self = object;

  if (g_str_equal (reason, "adapter-removed"))
    {
      self->appeared = FALSE;
      listd_queue_post (&self->queue, gone, GUINT_TO_POINTER (self->serial), NULL);
    }
  else if (!g_str_equal (reason, "shutting-down"))
    on_lost (self);
}

static const ListdFollowerFuncs follower_funcs = { on_moving, on_moved, on_lost };
static const ListdWindowFuncs window_funcs = { on_loaded, on_closed };

ListdWindow *
listd_list_get_window (ListdList *self)
{
  return self->window;
}

/* Signals of the adapter */

typedef struct
{
  guint serial;
  char *member;
  GVariant *parameters;
} AdapterSignal;

static void
adapter_signal_free (gpointer data)
{
  AdapterSignal *signal = data;
  g_free (signal->member);
  g_variant_unref (signal->parameters);
  g_free (signal);
}

static char *
selection_key (const char *id, guint item)
{
  return g_strdup_printf ("%u %s", item, id);
}

static void
update_selected (ListdList *self)
{
  const GPtrArray *items = listd_rows_get_items (self->rows);
  g_autoptr (GPtrArray) loaded = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < items->len; i++)
    if (((ListdItem *) g_ptr_array_index (items, i))->loaded)
      g_ptr_array_add (loaded, g_object_ref (g_ptr_array_index (items, i)));
  for (guint i = 0; i < loaded->len; i++)
    {
      ListdItem *item = g_ptr_array_index (loaded, i);
      listd_item_set_selected (item, listd_list_is_selected (self, item->id, item->number));
    }
}

static void
change_selected (ListdList *self, GVariant *refs, gboolean selected)
{
  GVariantIter iter;
  const char *id;
  guint item;

  g_variant_iter_init (&iter, refs);
  while (g_variant_iter_next (&iter, "(&su)", &id, &item))
    if (selected)
      g_hash_table_add (self->selected, selection_key (id, item));
    else
      {
        g_autofree char *key = selection_key (id, item);
        g_hash_table_remove (self->selected, key);
      }
}

static void
handle_signal (gpointer object, gpointer data)
{
  ListdList *self = object;
  AdapterSignal *signal = data;

  if (signal->serial != self->serial)
    return;
  if (g_str_equal (signal->member, "Updated"))
    {
      g_autoptr (ListdUpdate) update = listd_update_new_from_signal (signal->parameters);
      if (update != NULL)
        listd_follower_push (self->follower, update);
    }
  else if (g_str_equal (signal->member, "SelectionChanged"))
    {
      g_autoptr (GVariant) selected = NULL;
      g_autoptr (GVariant) deselected = NULL;

      g_variant_get (signal->parameters, "(t@a(su)@a(su)@a{sv})", NULL, &selected, &deselected, NULL);
      if (self->selected != NULL)
        {
          change_selected (self, deselected, FALSE);
          change_selected (self, selected, TRUE);
          update_selected (self);
        }
      g_signal_emit (self, signals[SELECTION_CHANGED], 0, selected, deselected);
    }
  else if (g_str_equal (signal->member, "DisplayChanged"))
    {
      const char *view;
      g_autoptr (GVariant) begun = NULL;
      g_autoptr (GVariant) ended = NULL;
      g_autoptr (GVariant) items_begun = NULL;
      g_autoptr (GVariant) items_ended = NULL;

      g_variant_get (signal->parameters, "(&ot@a(us)@a(us)@a(usu)@a(usu)@a{sv})", &view, NULL, &begun, &ended, &items_begun, &items_ended, NULL);
      g_signal_emit (self, signals[DISPLAY_CHANGED], 0, view, begun, ended, items_begun, items_ended);
    }
  else if (g_str_equal (signal->member, "WorkingRangeChanged"))
    {
      const char *view;
      g_autoptr (GVariant) entered = NULL;
      g_autoptr (GVariant) exited = NULL;

      g_variant_get (signal->parameters, "(&ot@a(us)@a(us)@a{sv})", &view, NULL, &entered, &exited, NULL);
      g_signal_emit (self, signals[WORKING_RANGE_CHANGED], 0, view, entered, exited);
    }
  else if (g_str_equal (signal->member, "NearEnd"))
    {
      const char *view;
      double distance;

      g_variant_get (signal->parameters, "(&od@a{sv})", &view, &distance, NULL);
      g_signal_emit (self, signals[NEAR_END], 0, view, distance);
    }
  else if (g_str_equal (signal->member, "Invoked"))
    {
      const char *id, *action;
      guint item, user;
      g_autoptr (GVariant) parameters = NULL;

      g_variant_get (signal->parameters, "(&su&s@a{sv}u@a{sv})", &id, &item, &action, &parameters, &user, NULL);
      g_signal_emit (self, signals[INVOKED], 0, id, item, action, parameters, user);
    }
  else
    {
      const char *interface;
      g_autoptr (GVariant) changed = NULL;
      g_autoptr (GVariant) options = NULL;

      g_variant_get (signal->parameters, "(&s@a{sv}@as)", &interface, &changed, NULL);
      options = g_variant_lookup_value (changed, "Options", G_VARIANT_TYPE_VARDICT);
      if (options != NULL)
        {
          g_clear_pointer (&self->hints, g_variant_unref);
          self->hints = g_variant_lookup_value (options, "hints", G_VARIANT_TYPE ("a{ss}"));
          g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HINTS]);
        }
    }
}

static const struct
{
  const char *member, *type, *interface, *word;
  ListdListEvents event;
  guint signal;
} heard[] = {
  { "Updated", NULL, "Adapter", "updates", LISTD_LIST_EVENTS_NONE, 0 },
  { "SelectionChanged", "(ta(su)a(su)a{sv})", "Adapter", "selection", LISTD_LIST_EVENTS_NONE, 0 },
  { "PropertiesChanged", "(sa{sv}as)", "org.freedesktop.DBus.Properties", NULL, LISTD_LIST_EVENTS_NONE, 0 },
  { "DisplayChanged", "(ota(us)a(us)a(usu)a(usu)a{sv})", "Adapter", "display", LISTD_LIST_EVENTS_DISPLAY, DISPLAY_CHANGED },
  { "WorkingRangeChanged", "(ota(us)a(us)a{sv})", "Adapter", "working-range", LISTD_LIST_EVENTS_WORKING_RANGE, WORKING_RANGE_CHANGED },
  { "NearEnd", "(oda{sv})", "Adapter", "near-end", LISTD_LIST_EVENTS_NEAR_END, NEAR_END },
  { "Invoked", "(susa{sv}ua{sv})", "Adapter", "actions", LISTD_LIST_EVENTS_INVOKED, INVOKED },
};

static void
on_adapter_signal (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
                   GVariant *parameters, gpointer object)
{
  ListdList *self = object;
  AdapterSignal *signal;

  for (guint i = 0; i < G_N_ELEMENTS (heard); i++)
    if (g_str_equal (member, heard[i].member) && heard[i].type != NULL && !g_variant_is_of_type (parameters, G_VARIANT_TYPE (heard[i].type)))
      return;
  signal = g_new (AdapterSignal, 1);
  *signal = (AdapterSignal){ self->serial, g_strdup (member), g_variant_ref (parameters) };
  listd_queue_post (&self->queue, handle_signal, signal, adapter_signal_free);
}

/* Opening */

static void
on_filter_changed (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdList *self = object;

  if (error != NULL && GPOINTER_TO_UINT (data) == self->serial)
    {
      g_debug ("%s: %s", self->name, error->message);
      on_lost (self);
    }
}

static gboolean
on_retry (gpointer data)
{
  ListdList *self = data;

  g_clear_pointer (&self->retry, g_source_unref);
  listd_queue_post (&self->queue, open_list, NULL, NULL);
  return G_SOURCE_REMOVE;
}

static void
reopen_later (ListdList *self)
{
  if (self->retry != NULL)
    return;
  self->retry = listd_client_attach (self->client, g_timeout_source_new (self->wait), on_retry, self, NULL);
  self->wait = CLAMP (self->wait * 2, 25, 10000);
}

static void
failed (ListdList *self, const GError *error)
{
  gboolean absent = listd_error_is (error, LISTD_ERROR_NO_SUCH_ADAPTER) || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_OBJECT);
  gboolean again = self->appeared;
  g_autoptr (GError) plain = NULL;

  if (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_OBJECT))
    plain = g_error_new (LISTD_ERROR, LISTD_ERROR_NO_SUCH_ADAPTER, "there is no list \"%.64s\"", self->name);
  if (absent || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED))
    {
      empty (self, plain != NULL ? plain : error);
      if (again)
        reopen_later (self);
      return;
    }
  stop (self);
  set_state (self, LISTD_LIST_STATE_FAILED, error);
  reopen_later (self);
}

static void
on_opened (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdList *self = object;
  const char *view, *epoch;
  guint64 revision;
  guint n_sections, n_items;
  gboolean flat = FALSE;
  g_autoptr (GVariant) details = NULL;

  if (reply != NULL)
    g_variant_get (reply, "(&o&stuu@a{sv})", &view, &epoch, &revision, &n_sections, &n_items, &details);
  if (GPOINTER_TO_UINT (data) != self->serial)
    {
      if (reply != NULL)
        listd_client_tell (self->client, view, "View", "Close", NULL);
      return;
    }
  if (error != NULL)
    {
      failed (self, error);
      return;
    }
  self->opening = FALSE;
  g_variant_lookup (details, "flat", "b", &flat);
  listd_window_open (self->window, view);
  if (self->selected != NULL)
    {
      /* The selection ends with the daemon. */
      g_clear_pointer (&self->selected, g_hash_table_unref);
      listd_list_is_selected (self, "", 0);
    }
  listd_follower_start (self->follower, epoch, revision, n_sections, n_items, flat);
}

static void
on_hints (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdList *self = object;
  g_autoptr (GVariant) options = NULL;
  GVariant *before = self->hints;

  if (reply == NULL || GPOINTER_TO_UINT (data) != self->serial)
    return;
  g_variant_get (reply, "(v)", &options);
  self->hints = g_variant_is_of_type (options, G_VARIANT_TYPE_VARDICT) ? g_variant_lookup_value (options, "hints", G_VARIANT_TYPE ("a{ss}")) : NULL;
  if (before != self->hints)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HINTS]);
  g_clear_pointer (&before, g_variant_unref);
}

static void
on_subscribed (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdList *self = object;

  if (error != NULL && GPOINTER_TO_UINT (data) == self->serial)
    failed (self, error);
}

static void
ask_view (ListdList *self)
{
  g_auto (GVariantDict) options = G_VARIANT_DICT_INIT (NULL);
  GVariantBuilder words;
  ListdListEvents events = self->events;

  g_variant_builder_init (&words, G_VARIANT_TYPE_STRING_ARRAY);
  for (guint i = 0; i < G_N_ELEMENTS (heard); i++)
    {
      /* Whoever has connected wants to hear it, whatever the property says. */
      if (heard[i].event != 0 && g_signal_has_handler_pending (self, signals[heard[i].signal], 0, TRUE))
        events |= heard[i].event;
      if (heard[i].event != 0 && !(events & heard[i].event))
        continue;
      self->subscriptions[i]
          = listd_client_subscribe (self->client, heard[i].interface, heard[i].member, self->path, FALSE, on_adapter_signal, self);
      if (heard[i].word != NULL)
        g_variant_builder_add (&words, "s", heard[i].word);
    }
  listd_client_ask (self->client, &self->queue, self->path, "Adapter", "Subscribe", g_variant_new ("(as)", &words), NULL, on_subscribed,
                    GUINT_TO_POINTER (self->serial), NULL);
  listd_window_add_options (self->window, &options);
  if (self->overscan > 0)
    g_variant_dict_insert (&options, "overscan-items", "u", self->overscan);
  listd_client_ask (self->client, &self->queue, self->path, "Adapter", "OpenView", g_variant_new ("(@a{sv})", g_variant_dict_end (&options)),
                    "(ostuua{sv})", on_opened, GUINT_TO_POINTER (self->serial), NULL);
  listd_client_ask (self->client, &self->queue, self->path, "org.freedesktop.DBus.Properties", "Get",
                    g_variant_new ("(ss)", LISTD_NAME ".Adapter", "Options"), "(v)", on_hints, GUINT_TO_POINTER (self->serial), NULL);
}

static void
on_created (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdList *self = object;

  if (GPOINTER_TO_UINT (data) != self->serial)
    return;
  if (error != NULL && !listd_error_is (error, LISTD_ERROR_ADAPTER_EXISTS))
    failed (self, error);
  else
    ask_view (self);
}

static char *
source_of (ListdList *self)
{
  g_autofree char *name = g_uri_escape_string (self->base, NULL, FALSE);
  g_autofree char *argument = listd_filter_to_argument (self->filter);
  return *argument != '\0' ? g_strconcat ("list:", name, "?", argument, NULL) : g_strconcat ("list:", name, NULL);
}

static void
open_list (gpointer object, gpointer data)
{
  ListdList *self = object;

  if (!listd_client_is_up (self->client) || self->opening || listd_window_get_view (self->window) != NULL)
    return;
  stop (self);
  self->opening = TRUE;
  self->appeared = FALSE;
  if (self->state != LISTD_LIST_STATE_FAILED || self->error == NULL)
    set_state (self, LISTD_LIST_STATE_LOADING, NULL);
  if (!self->opening)
    return; /* a handler has changed it */
  if (self->base != NULL)
    {
      g_auto (GVariantDict) options = G_VARIANT_DICT_INIT (NULL);
      g_autofree char *source = source_of (self);

      g_variant_dict_insert (&options, "source", "s", source);
      g_variant_dict_insert (&options, "transient", "b", TRUE);
      listd_client_ask (self->client, &self->queue, LISTD_PATH, "Manager", "CreateAdapter",
                        g_variant_new ("(s@a{sv})", self->name, g_variant_dict_end (&options)), "(o)", on_created,
                        GUINT_TO_POINTER (self->serial), NULL);
    }
  else
    ask_view (self);
}

static void
handle_up (gpointer object, gpointer data)
{
  ListdList *self = object;
  self->wait = 0;
  open_list (self, NULL);
}

static void
handle_down (gpointer object, gpointer data)
{
  ListdList *self = object;

  stop (self);
  set_state (self, LISTD_LIST_STATE_OFFLINE, NULL);
}

static void
handle_appeared (gpointer object, gpointer data)
{
  ListdList *self = object;

  /* It counts for an opening that has failed, or will. */
  self->appeared = TRUE;
  if (self->state == LISTD_LIST_STATE_FAILED && !self->opening)
    {
      self->wait = 0;
      open_list (self, NULL);
    }
}

static void
handle_disappeared (gpointer object, gpointer data)
{
  ListdList *self = object;

  self->appeared = FALSE;
  if (listd_window_get_view (self->window) != NULL)
    gone (self, GUINT_TO_POINTER (self->serial));
}

static void
on_up (gpointer object)
{
  listd_queue_post (&LISTD_LIST (object)->queue, handle_up, NULL, NULL);
}

static void
on_down (gpointer object)
{
  listd_queue_post (&LISTD_LIST (object)->queue, handle_down, NULL, NULL);
}

static void
on_appeared (gpointer object, const char *path, GVariant *interfaces)
{
  ListdList *self = object;
  g_autofree char *base = self->base != NULL ? listd_path_of_list (self->base) : NULL;

  if (g_strcmp0 (path, self->path) == 0 || g_strcmp0 (path, base) == 0)
    listd_queue_post (&self->queue, handle_appeared, NULL, NULL);
}

static void
on_disappeared (gpointer object, const char *path)
{
  ListdList *self = object;

  if (g_strcmp0 (path, self->path) == 0)
    listd_queue_post (&self->queue, handle_disappeared, NULL, NULL);
}

static const ListdMemberFuncs member_funcs = { on_up, on_down, on_appeared, on_disappeared };

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
  self->follower = listd_follower_new (self->client, &self->queue, self->rows, self->path, &follower_funcs);
  self->window = listd_window_new (self->client, &self->queue, self->rows, self->follower, self->path, &window_funcs);
  listd_client_add_member (self->client, self, &member_funcs);
}

static void
listd_list_dispose (GObject *object)
{
  ListdList *self = LISTD_LIST (object);

  if (self->client != NULL && self->window != NULL)
    {
      listd_client_remove_member (self->client, self);
      /* Nothing is told any more. */
      self->queue.busy = TRUE;
      listd_queue_clear (&self->queue);
      stop (self);
      if (self->base != NULL)
        listd_client_tell (self->client, LISTD_PATH, "Manager", "RemoveAdapter", g_variant_new ("(s)", self->name));
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
  g_clear_pointer (&self->hints, g_variant_unref);
  g_clear_pointer (&self->selected, g_hash_table_unref);
  listd_filter_free (self->filter);
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
      g_value_set_variant (value, self->hints);
      break;
    case PROP_EVENTS:
      g_value_set_flags (value, self->events);
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
  g_object_class_install_properties (object_class, N_PROPS, properties);

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
   *
   * Something else is near what somebody sees.
   */
  signals[WORKING_RANGE_CHANGED] = g_signal_new ("working-range-changed", LISTD_TYPE_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                                 3, G_TYPE_STRING, G_TYPE_VARIANT, G_TYPE_VARIANT);
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
   * The selection, which the viewers of the list share, is another.
   */
  signals[SELECTION_CHANGED] = g_signal_new ("selection-changed", LISTD_TYPE_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                             G_TYPE_VARIANT, G_TYPE_VARIANT);
}

static void
listd_list_init (ListdList *self)
{
  listd_queue_init (&self->queue, self);
  self->rows = listd_rows_new (self);
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

static void
send_filter (gpointer object, gpointer data)
{
  ListdList *self = object;
  g_autofree char *argument = listd_filter_to_argument (self->filter);

  if (listd_client_is_up (self->client) && listd_window_get_view (self->window) != NULL)
    listd_client_ask (self->client, &self->queue, self->path, "Adapter", "SetSourceArgument", g_variant_new ("(s)", argument), "(t)",
                      on_filter_changed, GUINT_TO_POINTER (self->serial), NULL);
  else if (self->opening)
    on_lost (self);
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
  listd_queue_post (&self->queue, send_filter, NULL, NULL);
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

static void
open_again (gpointer object, gpointer data)
{
  ListdList *self = object;

  if (listd_window_get_view (self->window) == NULL && !self->opening)
    return;
  stop (self);
  open_list (self, NULL);
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
  listd_queue_post (&self->queue, open_again, NULL, NULL);
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
  listd_queue_post (&self->queue, open_again, NULL, NULL);
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
  return self->hints;
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
  listd_queue_post (&self->queue, open_again, NULL, NULL);
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
  g_autoptr (ListdList) list = NULL;

  g_return_val_if_fail (LISTD_IS_LIST (self), G_MAXUINT);
  g_return_val_if_fail (LISTD_IS_ITEM (item), G_MAXUINT);
  list = g_weak_ref_get (&item->list);
  return list == self ? item->position : G_MAXUINT;
}

/* Questions about places */

typedef struct
{
  GTask *task;
  guint64 revision;
  guint section;
} PlaceQuestion;

static void
place_question_free (gpointer data)
{
  PlaceQuestion *question = data;
  g_object_unref (question->task);
  g_free (question);
}

static void
answer_place (gpointer object, gpointer data)
{
  ListdList *self = object;
  PlaceQuestion *question = data;
  guint section = question->section, item = 0, position = LISTD_NO_POSITION;
  gboolean touched = FALSE;

  if (listd_follower_map (self->follower, question->revision, &section, &item, &touched))
    position = listd_rows_get_position (self->rows, section, item);
  if (!g_task_return_error_if_cancelled (question->task))
    g_task_return_int (question->task, (gssize) position);
}

static void
return_error (GTask *task, const GError *error)
{
  g_task_return_error (task, g_error_copy (error));
}

static void
on_place (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdList *self = object;
  GTask *task = data;
  PlaceQuestion *question;

  if (error != NULL)
    {
      return_error (task, error);
      return;
    }
  question = g_new0 (PlaceQuestion, 1);
  question->task = g_object_ref (task);
  if (g_variant_is_of_type (reply, G_VARIANT_TYPE ("(tbus)")))
    {
      gboolean found;

      g_variant_get (reply, "(tbu&s)", &question->revision, &found, &question->section, NULL);
      if (!found)
        {
          g_task_return_int (task, -1);
          place_question_free (question);
          return;
        }
    }
  else
    g_variant_get (reply, "(tusa{sv})", &question->revision, &question->section, NULL, NULL);
  listd_follower_when_at (self->follower, question->revision, answer_place, question, place_question_free);
}

static gboolean
require_up (ListdList *self, GTask *task)
{
  if (listd_client_is_up (self->client))
    return TRUE;
  g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_OFFLINE, "listd is not there");
  g_object_unref (task);
  return FALSE;
}

/**
 * listd_list_find_async:
 * @self: a list
 * @id: the id of an object
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call with the position
 * @user_data: data for the callback
 *
 * Looks where an object is. The position is that in the model at the moment of the callback.
 */
void
listd_list_find_async (ListdList *self, const char *id, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (LISTD_IS_LIST (self));
  g_return_if_fail (id != NULL);
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_list_find_async);
  if (require_up (self, task))
    listd_client_ask (self->client, &self->queue, self->path, "Adapter", "FindObject", g_variant_new ("(s)", id), "(tusa{sv})", on_place, task,
                      g_object_unref);
}

/**
 * listd_list_find_finish:
 * @self: a list
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_list_find_async().
 *
 * Returns: the position of the object's first item, or %G_MAXUINT with an error set; %G_MAXUINT without an error when the object has
 *   no item, or has gone meanwhile
 */
guint
listd_list_find_finish (ListdList *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), G_MAXUINT);
  return (guint) g_task_propagate_int (G_TASK (result), error);
}

/**
 * listd_list_search_async:
 * @self: a list
 * @text: the text to look for
 * @from: the position to begin at, which counts too
 * @backwards: whether to look towards the begin
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call with the position
 * @user_data: data for the callback
 *
 * Looks for the next object that contains a text in one of the list's [property@ListdList:fields]. A client has one search at a
 * time.
 */
void
listd_list_search_async (ListdList *self, const char *text, guint from, gboolean backwards, GCancellable *cancellable,
                         GAsyncReadyCallback callback, gpointer user_data)
{
  static const char *const all[] = { NULL };
  const char *const *fields;
  guint section = from, item;
  GTask *task;

  g_return_if_fail (LISTD_IS_LIST (self));
  g_return_if_fail (text != NULL);
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_list_search_async);
  fields = listd_window_get_fields (self->window);
  if (from < listd_rows_get_n (self->rows))
    listd_rows_locate (self->rows, from, &section, &item);
  if (require_up (self, task))
    listd_client_ask (self->client, &self->queue, self->path, "Adapter", "Search",
                      g_variant_new ("(s^asub)", text, fields != NULL ? fields : all, section, backwards), "(tbus)", on_place, task,
                      g_object_unref);
}

/**
 * listd_list_search_finish:
 * @self: a list
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_list_search_async().
 *
 * Returns: the position of the object's first item at this moment; %G_MAXUINT when nothing was found, or with an error set
 */
guint
listd_list_search_finish (ListdList *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), G_MAXUINT);
  return (guint) g_task_propagate_int (G_TASK (result), error);
}

/* Selection */

static void
on_selection (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdList *self = object;
  g_autoptr (GVariant) value = NULL;

  if (reply == NULL || GPOINTER_TO_UINT (data) != self->serial)
    return;
  g_variant_get (reply, "(v)", &value);
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE ("a(su)")))
    return;
  g_clear_pointer (&self->selected, g_hash_table_unref);
  self->selected = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  change_selected (self, value, TRUE);
  update_selected (self);
}

static void
ask_selection (gpointer object, gpointer data)
{
  ListdList *self = object;

  if (listd_client_is_up (self->client) && GPOINTER_TO_UINT (data) == self->serial)
    listd_client_ask (self->client, &self->queue, self->path, "org.freedesktop.DBus.Properties", "Get",
                      g_variant_new ("(ss)", LISTD_NAME ".Adapter", "SelectedItems"), "(v)", on_selection, GUINT_TO_POINTER (self->serial), NULL);
}

gboolean
listd_list_is_selected (ListdList *self, const char *id, guint number)
{
  g_autofree char *key = NULL;

  if (self->selected == NULL)
    {
      if (!self->asked_selection && listd_window_get_view (self->window) != NULL)
        {
          self->asked_selection = TRUE;
          listd_queue_post (&self->queue, ask_selection, GUINT_TO_POINTER (self->serial), NULL);
        }
      return FALSE;
    }
  key = selection_key (id, number);
  return g_hash_table_contains (self->selected, key);
}

static GVariant *
refs_to_variant (const ListdRef *refs, gsize n)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(su)"));
  for (gsize i = 0; i < n; i++)
    g_variant_builder_add (&builder, "(su)", refs[i].id, refs[i].item);
  return g_variant_builder_end (&builder);
}

static gboolean
require_view (ListdList *self, GTask *task)
{
  if (listd_window_get_view (self->window) != NULL)
    return TRUE;
  if (self->error != NULL)
    g_task_return_error (task, g_error_copy (self->error));
  else
    g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_OFFLINE, "the list \"%.64s\" is not open yet", self->name);
  g_object_unref (task);
  return FALSE;
}

static void
change_selection (ListdList *self, GVariant *select, GVariant *deselect, GTask *task)
{
  g_autoptr (GVariant) parameters = g_variant_ref_sink (g_variant_new ("(@a(su)@a(su))", select, deselect));

  if (require_view (self, task))
    listd_client_call (self->client, listd_window_get_view (self->window), "View", "ChangeSelection", parameters, "(a(su)a(su))", NULL, task);
}

/**
 * listd_list_change_selection_async:
 * @self: a list
 * @select: (array length=n_select): what to select
 * @n_select: their number
 * @deselect: (array length=n_deselect): what to select no more
 * @n_deselect: their number
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when it is done
 * @user_data: data for the callback
 *
 * Changes the selection, which all viewers of the list share. The section controllers may refuse items.
 */
void
listd_list_change_selection_async (ListdList *self, const ListdRef *select, gsize n_select, const ListdRef *deselect, gsize n_deselect,
                                   GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (LISTD_IS_LIST (self));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_list_change_selection_async);
  change_selection (self, refs_to_variant (select, n_select), refs_to_variant (deselect, n_deselect), task);
}

static gboolean
reply_arrived (GAsyncResult *result, GError **error)
{
  g_autoptr (GVariant) reply = g_task_propagate_pointer (G_TASK (result), error);
  return reply != NULL;
}

/**
 * listd_list_change_selection_finish:
 * @self: a list
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_list_change_selection_async().
 *
 * Returns: whether the items could be asked
 */
gboolean
listd_list_change_selection_finish (ListdList *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return reply_arrived (result, error);
}

/**
 * listd_list_select_async:
 * @self: a list
 * @item: an item that is loaded
 * @selected: whether it shall be selected
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when it is done
 * @user_data: data for the callback
 *
 * Selects one item, or selects it no more.
 */
void
listd_list_select_async (ListdList *self, ListdItem *item, gboolean selected, GCancellable *cancellable, GAsyncReadyCallback callback,
                         gpointer user_data)
{
  GTask *task;
  ListdRef ref;

  g_return_if_fail (LISTD_IS_LIST (self));
  g_return_if_fail (LISTD_IS_ITEM (item));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_list_select_async);
  if (item->id == NULL)
    {
      g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_NO_SUCH_OBJECT, "the item is not loaded");
      g_object_unref (task);
      return;
    }
  ref = (ListdRef){ item->id, item->number };
  change_selection (self, refs_to_variant (&ref, selected), refs_to_variant (&ref, !selected), task);
}

/**
 * listd_list_select_finish:
 * @self: a list
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_list_select_async().
 *
 * Returns: whether the item could be asked
 */
gboolean
listd_list_select_finish (ListdList *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return reply_arrived (result, error);
}

/* Actions */

static void
on_invoked (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  GError *error = NULL;
  g_autoptr (GVariant) reply = g_task_propagate_pointer (G_TASK (result), &error);
  gboolean handled;

  if (reply == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  g_variant_get (reply, "(b)", &handled);
  g_task_return_boolean (task, handled);
}

void
listd_list_invoke (ListdList *self, const char *id, guint number, const char *action, GVariant *parameters, GTask *task)
{
  g_autoptr (GVariant) call = g_variant_ref_sink (g_variant_new ("(sus@a{sv})", id, number, action, parameters));

  if (require_view (self, task))
    listd_client_call (self->client, listd_window_get_view (self->window), "View", "Invoke", call, "(b)", NULL,
                       g_task_new (self, g_task_get_cancellable (task), on_invoked, task));
}

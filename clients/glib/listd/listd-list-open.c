// SPDX-License-Identifier: Apache-2.0
/* Keeps a list open and followed, whatever happens to listd and to the list. */
#include "listd-list-private.h"

#include <string.h>

#define properties listd_list_properties
#define signals listd_list_signals

static void open_list (gpointer object, gpointer data);
static void reopen_later (ListdList *self);

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
  listd_queue_cancel (&self->retry);
  listd_hints_unfollow (self->hints);
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
  listd_list_end_selection (self, error);
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
  error = g_error_new (LISTD_ERROR, LISTD_ERROR_NO_SUCH_ADAPTER, _ ("there is no list \"%s\" any more"), self->name);
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

static int
compare_positions (gconstpointer one, gconstpointer other)
{
  const guint a = *(const guint *) one, b = *(const guint *) other;

  return a < b ? -1 : a > b;
}

/* What is loaded reads in another way now. */
static void
on_hints (gpointer object)
{
  ListdList *self = object;
  const GPtrArray *items = listd_rows_get_items (self->rows);
  g_autoptr (GPtrArray) loaded = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GArray) positions = g_array_new (FALSE, FALSE, sizeof (guint));

  g_object_notify_by_pspec (object, properties[PROP_HINTS]);
  for (guint i = 0; i < items->len; i++)
    if (((ListdItem *) items->pdata[i])->loaded)
      {
        g_ptr_array_add (loaded, g_object_ref (items->pdata[i]));
        g_array_append_val (positions, ((ListdItem *) items->pdata[i])->position);
      }
  g_array_sort (positions, compare_positions);
  for (guint i = 0; i < loaded->len; i++)
    listd_item_emit_changed (loaded->pdata[i]);
  for (guint i = 0, n; i < positions->len; i += n)
    {
      const guint first = g_array_index (positions, guint, i);

      for (n = 1; i + n < positions->len && g_array_index (positions, guint, i + n) == first + n;)
        n++;
      g_signal_emit (self, signals[CONTENT_CHANGED], 0, first, n);
    }
}

static const ListdFollowerFuncs follower_funcs = { on_moving, on_moved, on_lost };
static const ListdWindowFuncs window_funcs = { on_loaded, on_closed };

/* Signals of the adapter */

static void
on_updated (ListdList *self, GVariant *parameters)
{
  g_autoptr (ListdUpdate) update = listd_update_new_from_signal (parameters);

  if (update != NULL)
    listd_follower_push (self->follower, update);
}

static void
on_selection_changed (ListdList *self, GVariant *parameters)
{
  g_autoptr (GVariant) selected = NULL;
  g_autoptr (GVariant) deselected = NULL;

  g_variant_get (parameters, "(t@a(su)@a(su)@a{sv})", NULL, &selected, &deselected, NULL);
  listd_list_take_selection (self, selected, deselected);
}

static void
on_display_changed (ListdList *self, GVariant *parameters)
{
  const char *view;
  g_autoptr (GVariant) begun = NULL;
  g_autoptr (GVariant) ended = NULL;
  g_autoptr (GVariant) items_begun = NULL;
  g_autoptr (GVariant) items_ended = NULL;

  g_variant_get (parameters, "(&ot@a(us)@a(us)@a(usu)@a(usu)@a{sv})", &view, NULL, &begun, &ended, &items_begun, &items_ended, NULL);
  g_signal_emit (self, signals[DISPLAY_CHANGED], 0, view, begun, ended, items_begun, items_ended);
}

/* A key is left out when there are none. */
static GVariant *
items_of (GVariant *details, const char *key)
{
  GVariant *items = g_variant_lookup_value (details, key, G_VARIANT_TYPE ("a(usu)"));

  return items != NULL ? items : g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("(usu)"), NULL, 0));
}

static void
on_working_range_changed (ListdList *self, GVariant *parameters)
{
  const char *view;
  g_autoptr (GVariant) entered = NULL;
  g_autoptr (GVariant) exited = NULL;
  g_autoptr (GVariant) details = NULL;
  g_autoptr (GVariant) items_entered = NULL;
  g_autoptr (GVariant) items_exited = NULL;

  g_variant_get (parameters, "(&ot@a(us)@a(us)@a{sv})", &view, NULL, &entered, &exited, &details);
  items_entered = items_of (details, "items-will-enter");
  items_exited = items_of (details, "items-did-exit");
  g_signal_emit (self, signals[WORKING_RANGE_CHANGED], 0, view, entered, exited, items_entered, items_exited);
}

static void
on_near_end (ListdList *self, GVariant *parameters)
{
  const char *view;
  double distance;

  g_variant_get (parameters, "(&od@a{sv})", &view, &distance, NULL);
  g_signal_emit (self, signals[NEAR_END], 0, view, distance);
}

static void
on_invoked (ListdList *self, GVariant *parameters)
{
  const char *id, *action;
  guint item, user;
  g_autoptr (GVariant) details = NULL;

  g_variant_get (parameters, "(&su&s@a{sv}u@a{sv})", &id, &item, &action, &details, &user, NULL);
  g_signal_emit (self, signals[INVOKED], 0, id, item, action, details, user);
}

static const struct
{
  const char *member, *type, *interface;
  void (*func) (ListdList *self, GVariant *parameters);
  const char *word;      /* of Subscribe */
  ListdListEvents event; /* none: always heard */
  guint signal;
} heard[] = {
  { "Updated", NULL, "Adapter", on_updated, "updates", LISTD_LIST_EVENTS_NONE, 0 },
  { "SelectionChanged", "(ta(su)a(su)a{sv})", "Adapter", on_selection_changed, "selection", LISTD_LIST_EVENTS_NONE, 0 },
  { "DisplayChanged", "(ota(us)a(us)a(usu)a(usu)a{sv})", "Adapter", on_display_changed, "display", LISTD_LIST_EVENTS_DISPLAY, DISPLAY_CHANGED },
  { "WorkingRangeChanged", "(ota(us)a(us)a{sv})", "Adapter", on_working_range_changed, "working-range", LISTD_LIST_EVENTS_WORKING_RANGE,
    WORKING_RANGE_CHANGED },
  { "NearEnd", "(oda{sv})", "Adapter", on_near_end, "near-end", LISTD_LIST_EVENTS_NEAR_END, NEAR_END },
  { "Invoked", "(susa{sv}ua{sv})", "Adapter", on_invoked, "actions", LISTD_LIST_EVENTS_INVOKED, INVOKED },
};
G_STATIC_ASSERT (G_N_ELEMENTS (heard) == G_N_ELEMENTS (((ListdList *) NULL)->subscriptions));

static void
on_signal (gpointer object, const char *path, const char *member, GVariant *parameters, gpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (heard); i++)
    if (g_str_equal (member, heard[i].member))
      heard[i].func (object, parameters);
}

/* Opening */

static void
on_filter_changed (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdList *self = object;

  if (error != NULL && GPOINTER_TO_UINT (data) == self->serial)
    {
      g_debug ("%s: %s", self->name, error->message);
      g_clear_pointer (&self->argument, g_free);
      on_lost (self);
    }
}

static void
reopen_later (ListdList *self)
{
  if (self->retry != NULL)
    return;
  listd_queue_post_later (&self->queue, self->client, &self->retry, self->wait, open_list);
  self->wait = CLAMP (self->wait * 2, 25, 10000);
}

static void
failed (ListdList *self, const GError *error)
{
  gboolean absent = listd_error_is (error, LISTD_ERROR_NO_SUCH_ADAPTER) || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_OBJECT);
  gboolean again = self->appeared;
  g_autoptr (GError) plain = NULL;

  if (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_OBJECT))
    plain = g_error_new (LISTD_ERROR, LISTD_ERROR_NO_SUCH_ADAPTER, _ ("there is no list \"%s\""), self->name);
  if (absent || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED))
    {
      empty (self, plain != NULL ? plain : error);
      if (again)
        reopen_later (self);
      return;
    }
  stop (self);
  set_state (self, LISTD_LIST_STATE_FAILED, error);
  listd_list_end_selection (self, error);
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
  if (self->base != NULL)
    listd_list_send_filter (self, NULL);
  listd_list_open_selection (self);
  listd_follower_start (self->follower, epoch, revision, n_sections, n_items, flat);
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
      self->subscriptions[i] = listd_client_subscribe (self->client, &self->queue, self->path, heard[i].interface, heard[i].member,
                                                       heard[i].type, FALSE, on_signal, NULL);
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
  listd_hints_follow (self->hints);
}

static void
on_created (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdList *self = object;

  if (GPOINTER_TO_UINT (data) != self->serial)
    return;
  if (error != NULL && !listd_error_is (error, LISTD_ERROR_ADAPTER_EXISTS))
    {
      failed (self, error);
      return;
    }
  /* It is there from an opening before, with the filter of then. */
  if (error != NULL)
    g_clear_pointer (&self->argument, g_free);
  ask_view (self);
}

static char *
source_of (ListdList *self)
{
  g_autofree char *name = g_uri_escape_string (self->base, NULL, FALSE);

  return *self->argument != '\0' ? g_strconcat ("list:", name, "?", self->argument, NULL) : g_strconcat ("list:", name, NULL);
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
      g_autofree char *source = NULL;

      g_free (self->argument);
      self->argument = listd_filter_to_argument (self->filter);
      source = source_of (self);
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
on_up (gpointer object)
{
  ListdList *self = object;

  /* Not at once: whoever has just made the list is about to say what it hears. */
  listd_queue_cancel (&self->retry);
  self->wait = 0;
  reopen_later (self);
}

static void
on_down (gpointer object)
{
  ListdList *self = object;

  stop (self);
  set_state (self, LISTD_LIST_STATE_OFFLINE, NULL);
}

static void
on_appeared (gpointer object, const char *path)
{
  ListdList *self = object;
  g_autofree char *base = self->base != NULL ? listd_path_of_list (self->base) : NULL;

  if (g_strcmp0 (path, self->path) != 0 && g_strcmp0 (path, base) != 0)
    return;
  /* It counts for an opening that has failed, or will. */
  self->appeared = TRUE;
  if (self->state == LISTD_LIST_STATE_FAILED && !self->opening)
    {
      self->wait = 0;
      open_list (self, NULL);
    }
}

static void
on_disappeared (gpointer object, const char *path)
{
  ListdList *self = object;

  if (g_strcmp0 (path, self->path) != 0)
    return;
  self->appeared = FALSE;
  if (listd_window_get_view (self->window) != NULL)
    gone (self, GUINT_TO_POINTER (self->serial));
}

static const ListdMemberFuncs member_funcs = { on_up, on_down, on_appeared, on_disappeared };

void
listd_list_begin_following (ListdList *self)
{
  self->follower = listd_follower_new (self->client, &self->queue, self->rows, self->path, &follower_funcs);
  self->window = listd_window_new (self->client, &self->queue, self->rows, self->follower, self->path, &window_funcs);
  self->hints = listd_hints_new (self->client, &self->queue, self->path, on_hints);
  listd_client_add_member (self->client, &self->queue, &member_funcs);
}

void
listd_list_end_following (ListdList *self)
{
  listd_client_remove_member (self->client, &self->queue);
  /* Nothing is told any more. */
  self->queue.busy = TRUE;
  listd_queue_clear (&self->queue);
  stop (self);
  listd_list_end_selection (self, NULL);
  if (self->base != NULL)
    listd_client_tell (self->client, LISTD_PATH, "Manager", "RemoveAdapter", g_variant_new ("(s)", self->name));
}

void
listd_list_send_filter (gpointer object, gpointer data)
{
  ListdList *self = object;
  g_autofree char *argument = listd_filter_to_argument (self->filter);

  /* A list that is being opened has its filter looked at when it is open. */
  if (!listd_client_is_up (self->client) || listd_window_get_view (self->window) == NULL || g_strcmp0 (self->argument, argument) == 0)
    return;
  listd_client_ask (self->client, &self->queue, self->path, "Adapter", "SetSourceArgument", g_variant_new ("(s)", argument), "(t)",
                    on_filter_changed, GUINT_TO_POINTER (self->serial), NULL);
  g_free (self->argument);
  self->argument = g_steal_pointer (&argument);
}

void
listd_list_open_again (gpointer object, gpointer data)
{
  ListdList *self = object;

  if (listd_window_get_view (self->window) == NULL && !self->opening)
    return;
  stop (self);
  open_list (self, NULL);
}

void
listd_list_when_at (ListdList *self, guint64 revision, ListdEventFunc func, gpointer data, GDestroyNotify destroy)
{
  listd_follower_when_at (self->follower, revision, func, data, destroy);
}

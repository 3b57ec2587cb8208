// SPDX-License-Identifier: Apache-2.0
#include "listd-client-private.h"

/**
 * ListdClient:
 *
 * A connection to listd.
 *
 * The client connects by itself, follows the daemon when it is restarted, and connects again when the bus comes back. Everything
 * that it calls back runs in the [struct@GLib.MainContext] that was the thread's default when the client was made.
 */
typedef struct
{
  ListdQueue *queue; /* of an object that takes itself out before it goes */
  const ListdMemberFuncs *funcs;
} Member;

enum
{
  PROP_0,
  PROP_BUS,
  PROP_ADDRESS,
  PROP_AVAILABLE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (ListdClient, listd_client, G_TYPE_OBJECT)

static void connect_to_bus (ListdClient *self);

GSource *
listd_client_attach (ListdClient *self, GSource *source, GSourceFunc func, gpointer data, GDestroyNotify destroy)
{
  g_source_set_callback (source, func, data, destroy);
  g_source_attach (source, self->context);
  return source;
}

gboolean
listd_client_is_up (ListdClient *self)
{
  return self->up;
}

guint
listd_client_get_generation (ListdClient *self)
{
  return self->generation;
}

gboolean
listd_client_has_feature (ListdClient *self, const char *feature)
{
  return self->features != NULL && g_strv_contains ((const char *const *) self->features, feature);
}

gboolean
listd_error_is (const GError *error, ListdError code)
{
  return g_error_matches (error, LISTD_ERROR, code);
}

/* Members */

typedef enum
{
  UP,
  DOWN,
  APPEARED,
  DISAPPEARED,
} NewsKind;

typedef struct
{
  const ListdMemberFuncs *funcs;
  NewsKind kind;
  char *path;
} News;

static void
news_free (gpointer data)
{
  News *news = data;
  g_free (news->path);
  g_free (news);
}

static void
handle_news (gpointer object, gpointer data)
{
  const News *news = data;

  switch (news->kind)
    {
    case UP:
      news->funcs->up (object);
      break;
    case DOWN:
      news->funcs->down (object);
      break;
    case APPEARED:
      news->funcs->appeared (object, news->path);
      break;
    case DISAPPEARED:
      news->funcs->disappeared (object, news->path);
      break;
    }
}

static void
add_news (const Member *member, NewsKind kind, const char *path)
{
  News *news = g_new (News, 1);

  *news = (News){ member->funcs, kind, g_strdup (path) };
  listd_queue_add (member->queue, handle_news, news, news_free);
}

void
listd_client_add_member (ListdClient *self, ListdQueue *queue, const ListdMemberFuncs *funcs)
{
  Member *member = g_new (Member, 1);

  *member = (Member){ queue, funcs };
  g_ptr_array_add (self->members, member);
  if (self->up)
    {
      add_news (member, UP, NULL);
      listd_queue_run (queue);
    }
}

void
listd_client_remove_member (ListdClient *self, ListdQueue *queue)
{
  for (guint i = 0; i < self->members->len; i++)
    if (((Member *) g_ptr_array_index (self->members, i))->queue == queue)
      {
        g_ptr_array_remove_index (self->members, i);
        return;
      }
}

/* Members may go, and come, while the others are told. All have the news in their queues before the first handles them: a handler may run
 * a main loop, in which later news come, and nobody hears of those first. */
static void
tell_members (ListdClient *self, NewsKind kind, const char *path)
{
  g_autoptr (GPtrArray) queues = g_ptr_array_new ();
  g_autoptr (GPtrArray) objects = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < self->members->len; i++)
    {
      const Member *member = g_ptr_array_index (self->members, i);
      add_news (member, kind, path);
      g_ptr_array_add (queues, member->queue);
      g_ptr_array_add (objects, g_object_ref (member->queue->object));
    }
  for (guint i = 0; i < queues->len; i++)
    listd_queue_run (queues->pdata[i]);
}

/* The owner of the name */

static void
set_up (ListdClient *self, gboolean up)
{
  if (self->up == up)
    return;
  self->up = up;
  tell_members (self, up ? UP : DOWN, NULL);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_AVAILABLE]);
}

static void
on_list_appeared (gpointer object, const char *path, const char *member, GVariant *parameters, gpointer data)
{
  ListdClient *self = object;
  const char *list;

  g_variant_get_child (parameters, 0, "&o", &list);
  if (self->up)
    tell_members (self, APPEARED, list);
}

static void
on_list_disappeared (gpointer object, const char *path, const char *member, GVariant *parameters, gpointer data)
{
  ListdClient *self = object;
  const char *list;

  g_variant_get_child (parameters, 0, "&o", &list);
  if (self->up)
    tell_members (self, DISAPPEARED, list);
}

typedef struct
{
  GWeakRef client;
  guint generation;
} OwnerCall;

static OwnerCall *
owner_call_new (ListdClient *self)
{
  OwnerCall *call = g_new (OwnerCall, 1);
  g_weak_ref_init (&call->client, self);
  call->generation = self->generation;
  return call;
}

static void
owner_call_free (OwnerCall *call)
{
  g_weak_ref_clear (&call->client);
  g_free (call);
}

static void
on_features (GObject *source, GAsyncResult *result, gpointer data)
{
  OwnerCall *call = data;
  g_autoptr (ListdClient) self = g_weak_ref_get (&call->client);
  g_autoptr (GVariant) reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, NULL);

  if (self != NULL && self->generation == call->generation && self->owner != NULL)
    {
      g_autoptr (GVariant) value = NULL;

      g_clear_pointer (&self->features, g_strfreev);
      if (reply != NULL)
        g_variant_get (reply, "(v)", &value);
      if (value != NULL && g_variant_is_of_type (value, G_VARIANT_TYPE_STRING_ARRAY))
        self->features = g_variant_dup_strv (value, NULL);
      set_up (self, TRUE);
    }
  owner_call_free (call);
}

static void
set_owner (ListdClient *self, const char *owner)
{
  if (owner != NULL && *owner == '\0')
    owner = NULL;
  if (g_strcmp0 (owner, self->owner) == 0)
    return;

  g_object_ref (self);
  self->generation++;
  listd_client_unsubscribe (self, &self->added_subscription);
  listd_client_unsubscribe (self, &self->removed_subscription);
  g_clear_pointer (&self->owner, g_free);
  set_up (self, FALSE);
  /* A handler may have changed the owner meanwhile by a main loop of its own. */
  if (owner != NULL && self->owner == NULL && self->connection != NULL)
    {
      self->owner = g_strdup (owner);
      self->added_subscription = listd_client_subscribe_self (self, self->owner, NULL, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
                                                              NULL, "(oa{sa{sv}})", on_list_appeared);
      self->removed_subscription = listd_client_subscribe_self (self, self->owner, NULL, "org.freedesktop.DBus.ObjectManager",
                                                                "InterfacesRemoved", NULL, "(oas)", on_list_disappeared);
      g_main_context_push_thread_default (self->context);
      g_dbus_connection_call (self->connection, self->owner, LISTD_PATH, "org.freedesktop.DBus.Properties", "Get",
                              g_variant_new ("(ss)", LISTD_NAME ".Manager", "Features"), G_VARIANT_TYPE ("(v)"), G_DBUS_CALL_FLAGS_NONE,
                              G_MAXINT, NULL, on_features, owner_call_new (self));
      g_main_context_pop_thread_default (self->context);
    }
  g_object_unref (self);
}

static void
on_owner_changed (gpointer object, const char *path, const char *member, GVariant *parameters, gpointer data)
{
  const char *owner;

  g_variant_get_child (parameters, 2, "&s", &owner);
  set_owner (object, owner);
}

static void
on_name_owner (GObject *source, GAsyncResult *result, gpointer data)
{
  OwnerCall *call = data;
  g_autoptr (ListdClient) self = g_weak_ref_get (&call->client);
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);

  if (self != NULL && self->generation == call->generation && self->connection == G_DBUS_CONNECTION (source))
    {
      const char *owner;

      if (reply != NULL)
        {
          g_variant_get (reply, "(&s)", &owner);
          set_owner (self, owner);
        }
      else
        /* Its answer says nothing that NameOwnerChanged does not. */
        g_dbus_connection_call (self->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                "StartServiceByName", g_variant_new ("(su)", LISTD_NAME, 0), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL,
                                NULL);
    }
  owner_call_free (call);
}

/* The connection */

static gboolean
on_retry (gpointer data)
{
  ListdClient *self = data;

  g_clear_pointer (&self->retry, g_source_unref);
  connect_to_bus (self);
  return G_SOURCE_REMOVE;
}

static void
retry_later (ListdClient *self)
{
  if (self->retry != NULL)
    return;
  self->retry = listd_client_attach (self, g_timeout_source_new (self->wait), on_retry, self, NULL);
  self->wait = MIN (self->wait * 2, 5000);
}

static void
drop_connection (ListdClient *self)
{
  GDBusConnection *connection;

  if (self->connection == NULL)
    return;
  g_signal_handlers_disconnect_by_data (self->connection, self);
  listd_client_unsubscribe (self, &self->owner_subscription);
  set_owner (self, NULL);
  listd_client_unsubscribe (self, &self->added_subscription);
  listd_client_unsubscribe (self, &self->removed_subscription);
  connection = g_steal_pointer (&self->connection);
  self->generation++;
  if (connection != NULL)
    {
      if (!g_dbus_connection_is_closed (connection))
        g_dbus_connection_close (connection, NULL, NULL, NULL);
      g_object_unref (connection);
    }
}

static void
on_closed (GDBusConnection *connection, gboolean remote, GError *error, gpointer data)
{
  g_autoptr (ListdClient) self = g_object_ref (data);

  drop_connection (self);
  self->wait = 100;
  retry_later (self);
}

static gpointer
weak_ref_new (gpointer object)
{
  GWeakRef *reference = g_new (GWeakRef, 1);
  g_weak_ref_init (reference, object);
  return reference;
}

static void
weak_ref_free (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

static void
on_connected (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ListdClient) self = g_weak_ref_get (data);
  g_autoptr (GError) error = NULL;
  GDBusConnection *connection = g_dbus_connection_new_for_address_finish (result, &error);

  weak_ref_free (data);
  if (self == NULL || self->connection != NULL)
    {
      if (connection != NULL)
        g_dbus_connection_close (connection, NULL, NULL, NULL);
      g_clear_object (&connection);
      return;
    }
  if (connection == NULL)
    {
      g_debug ("connecting failed, trying again in %u ms: %s", (guint) self->wait, error->message);
      retry_later (self);
      return;
    }
  self->connection = connection;
  self->wait = 100;
  g_signal_connect (connection, "closed", G_CALLBACK (on_closed), self);
  self->owner_subscription
      = listd_client_subscribe_self (self, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
                                     LISTD_NAME, "(sss)", on_owner_changed);
  g_main_context_push_thread_default (self->context);
  g_dbus_connection_call (connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner",
                          g_variant_new ("(s)", LISTD_NAME), G_VARIANT_TYPE ("(s)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL, on_name_owner,
                          owner_call_new (self));
  g_main_context_pop_thread_default (self->context);
  if (g_dbus_connection_is_closed (connection))
    on_closed (connection, TRUE, NULL, self);
}

static void
connect_to_bus (ListdClient *self)
{
  g_autofree char *address = g_strdup (self->address);
  g_autoptr (GError) error = NULL;

  if (address == NULL)
    address = g_dbus_address_get_for_bus_sync (self->bus, NULL, &error);
  if (address == NULL)
    {
      g_debug ("there is no address of the bus: %s", error->message);
      retry_later (self);
      return;
    }
  g_main_context_push_thread_default (self->context);
  /* A connection of our own: the shared one ends the program when the session bus goes. The direct socket answers Hello like a bus. */
  g_dbus_connection_new_for_address (address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                     NULL, self->cancellable, on_connected, weak_ref_new (self));
  g_main_context_pop_thread_default (self->context);
}

static void
listd_client_constructed (GObject *object)
{
  ListdClient *self = LISTD_CLIENT (object);

  G_OBJECT_CLASS (listd_client_parent_class)->constructed (object);
  listd_error_quark ();
  self->context = g_main_context_ref_thread_default ();
  connect_to_bus (self);
}

static void
listd_client_dispose (GObject *object)
{
  ListdClient *self = LISTD_CLIENT (object);

  g_cancellable_cancel (self->cancellable);
  if (self->retry != NULL)
    {
      g_source_destroy (self->retry);
      g_clear_pointer (&self->retry, g_source_unref);
    }
  drop_connection (self);
  G_OBJECT_CLASS (listd_client_parent_class)->dispose (object);
}

static void
listd_client_finalize (GObject *object)
{
  ListdClient *self = LISTD_CLIENT (object);

  g_free (self->address);
  g_free (self->owner);
  g_strfreev (self->features);
  g_object_unref (self->cancellable);
  g_ptr_array_unref (self->members);
  g_hash_table_unref (self->subscribers);
  g_main_context_unref (self->context);
  G_OBJECT_CLASS (listd_client_parent_class)->finalize (object);
}

static void
listd_client_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ListdClient *self = LISTD_CLIENT (object);

  switch (id)
    {
    case PROP_BUS:
      g_value_set_enum (value, self->bus);
      break;
    case PROP_ADDRESS:
      g_value_set_string (value, self->address);
      break;
    case PROP_AVAILABLE:
      g_value_set_boolean (value, self->up);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_client_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ListdClient *self = LISTD_CLIENT (object);

  switch (id)
    {
    case PROP_BUS:
      self->bus = g_value_get_enum (value);
      break;
    case PROP_ADDRESS:
      self->address = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_client_class_init (ListdClientClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->constructed = listd_client_constructed;
  object_class->dispose = listd_client_dispose;
  object_class->finalize = listd_client_finalize;
  object_class->get_property = listd_client_get_property;
  object_class->set_property = listd_client_set_property;

  /**
   * ListdClient:bus:
   *
   * The bus on which listd is looked for, unless there is an address.
   */
  properties[PROP_BUS] = g_param_spec_enum ("bus", NULL, NULL, G_TYPE_BUS_TYPE, G_BUS_TYPE_SYSTEM,
                                            G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * ListdClient:address:
   *
   * The D-Bus address of a bus, or of listd's own socket.
   */
  properties[PROP_ADDRESS]
      = g_param_spec_string ("address", NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * ListdClient:available: (getter get_available)
   *
   * Whether listd is there.
   */
  properties[PROP_AVAILABLE]
      = g_param_spec_boolean ("available", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
listd_client_init (ListdClient *self)
{
  self->bus = G_BUS_TYPE_SYSTEM;
  self->wait = 100;
  self->cancellable = g_cancellable_new ();
  self->members = g_ptr_array_new_with_free_func (g_free);
  self->subscribers = listd_subscribers_new ();
}

/**
 * listd_client_new:
 * @bus: %G_BUS_TYPE_SYSTEM for the service of the machine, %G_BUS_TYPE_SESSION for that of the user
 *
 * Makes a client of the listd on a bus. It starts to connect at once.
 *
 * Returns: (transfer full): a new client
 */
ListdClient *
listd_client_new (GBusType bus)
{
  return g_object_new (LISTD_TYPE_CLIENT, "bus", bus, NULL);
}

/**
 * listd_client_new_for_address:
 * @address: the D-Bus address of a bus, or of listd's own socket, as `unix:path=/run/listd/direct.sock`
 *
 * Makes a client of the listd at an address. It starts to connect at once.
 *
 * Returns: (transfer full): a new client
 */
ListdClient *
listd_client_new_for_address (const char *address)
{
  g_return_val_if_fail (address != NULL, NULL);
  return g_object_new (LISTD_TYPE_CLIENT, "address", address, NULL);
}

/**
 * listd_client_get_available: (get-property available)
 * @self: a client
 *
 * Whether listd is there.
 *
 * Returns: %TRUE while listd owns its name and has answered
 */
gboolean
listd_client_get_available (ListdClient *self)
{
  g_return_val_if_fail (LISTD_IS_CLIENT (self), FALSE);
  return self->up;
}

/**
 * listd_client_create_list_async:
 * @self: a client
 * @name: the name of the new list
 * @options: (nullable): its options, a dictionary `a{sv}`; a floating reference is taken
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when the list is there
 * @user_data: data for the callback
 *
 * Creates a list.
 */
void
listd_client_create_list_async (ListdClient *self, const char *name, GVariant *options, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (LISTD_IS_CLIENT (self));
  g_return_if_fail (name != NULL);
  g_return_if_fail (options == NULL || g_variant_is_of_type (options, G_VARIANT_TYPE_VARDICT));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_client_create_list_async);
  if (options == NULL)
    options = g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0);
  listd_client_call (self, LISTD_PATH, "Manager", "CreateAdapter", g_variant_new ("(s@a{sv})", name, options), "(o)", NULL, task);
}

/**
 * listd_client_create_list_finish:
 * @self: a client
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_client_create_list_async().
 *
 * Returns: whether the list was created
 */
gboolean
listd_client_create_list_finish (ListdClient *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return listd_reply_arrived (result, error);
}

/**
 * listd_client_remove_list_async:
 * @self: a client
 * @name: the name of a list
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when the list is gone
 * @user_data: data for the callback
 *
 * Removes a list with all its objects.
 */
void
listd_client_remove_list_async (ListdClient *self, const char *name, GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  GTask *task;

  g_return_if_fail (LISTD_IS_CLIENT (self));
  g_return_if_fail (name != NULL);
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_client_remove_list_async);
  listd_client_call (self, LISTD_PATH, "Manager", "RemoveAdapter", g_variant_new ("(s)", name), "()", NULL, task);
}

/**
 * listd_client_remove_list_finish:
 * @self: a client
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_client_remove_list_async().
 *
 * Returns: whether the list was removed
 */
gboolean
listd_client_remove_list_finish (ListdClient *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return listd_reply_arrived (result, error);
}

char *
listd_path_of_list (const char *name)
{
  GString *path = g_string_new (LISTD_PATH "/adapters/");

  for (const char *c = name; *c != '\0'; c++)
    if (g_ascii_isalpha (*c) || (c != name && g_ascii_isdigit (*c)))
      g_string_append_c (path, *c);
    else
      g_string_append_printf (path, "_%02x", (guchar) *c);
  if (*name == '\0')
    g_string_append_c (path, '_');
  return g_string_free (path, FALSE);
}

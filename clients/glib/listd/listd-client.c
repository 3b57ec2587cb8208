// SPDX-License-Identifier: Apache-2.0
#include "listd-private.h"

/**
 * ListdClient:
 *
 * A connection to listd.
 *
 * The client connects by itself, follows the daemon when it is restarted, and connects again when the bus comes back. Everything
 * that it calls back runs in the [struct@GLib.MainContext] that was the thread's default when the client was made.
 */
struct _ListdClient
{
  GObject parent_instance;

  GBusType bus;
  char *address;
  GMainContext *context;
  GCancellable *cancellable;
  GDBusConnection *connection;
  char *owner;
  char **features;
  gboolean up;
  guint generation; /* of the owner of the name */
  guint64 wait;     /* milliseconds until the next attempt to connect */
  GSource *retry;
  guint owner_subscription, added_subscription, removed_subscription;
  GPtrArray *members; /* of Member */
  GHashTable *rules;  /* subscription -> match rule */
};

typedef struct
{
  gpointer object;
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

GMainContext *
listd_client_get_context (ListdClient *self)
{
  return self->context;
}

gboolean
listd_client_is_up (ListdClient *self)
{
  return self->up;
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

void
listd_client_add_member (ListdClient *self, gpointer object, const ListdMemberFuncs *funcs)
{
  Member *member = g_new (Member, 1);

  *member = (Member){ object, funcs };
  g_ptr_array_add (self->members, member);
  if (self->up)
    funcs->up (object);
}

void
listd_client_remove_member (ListdClient *self, gpointer object)
{
  for (guint i = 0; i < self->members->len; i++)
    if (((Member *) g_ptr_array_index (self->members, i))->object == object)
      {
        g_ptr_array_remove_index (self->members, i);
        return;
      }
}

typedef void (*Telling) (const Member *member, gpointer data);

/* Members may go, and come, while the others are told. */
static void
tell_members (ListdClient *self, Telling telling, gpointer data)
{
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (Member));
  g_autoptr (GPtrArray) objects = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < self->members->len; i++)
    {
      const Member *member = g_ptr_array_index (self->members, i);
      g_array_append_val (members, *member);
      g_ptr_array_add (objects, g_object_ref (member->object));
    }
  for (guint i = 0; i < members->len; i++)
    telling (&g_array_index (members, Member, i), data);
}

static void
tell_up (const Member *member, gpointer data)
{
  member->funcs->up (member->object);
}

static void
tell_down (const Member *member, gpointer data)
{
  member->funcs->down (member->object);
}

static void
tell_appeared (const Member *member, gpointer data)
{
  const char *path;
  g_autoptr (GVariant) interfaces = NULL;

  g_variant_get (data, "(&o@a{sa{sv}})", &path, &interfaces);
  if (member->funcs->appeared != NULL)
    member->funcs->appeared (member->object, path, interfaces);
}

static void
tell_disappeared (const Member *member, gpointer data)
{
  const char *path;

  g_variant_get (data, "(&oas)", &path, NULL);
  if (member->funcs->disappeared != NULL)
    member->funcs->disappeared (member->object, path);
}

/* Signals */

typedef struct
{
  GWeakRef object;
  GDBusSignalCallback callback;
} Subscriber;

static void
subscriber_free (gpointer data)
{
  Subscriber *subscriber = data;
  g_weak_ref_clear (&subscriber->object);
  g_free (subscriber);
}

static void
on_subscribed (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
               GVariant *parameters, gpointer data)
{
  Subscriber *subscriber = data;
  g_autoptr (GObject) object = g_weak_ref_get (&subscriber->object);

  if (object != NULL)
    subscriber->callback (connection, sender, path, interface, member, parameters, object);
}

/* GDBus would complain loudly of a rule for a connection that has just been closed. */
static void
send_rule (ListdClient *self, const char *method, const char *rule)
{
  g_dbus_connection_call (self->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method,
                          g_variant_new ("(s)", rule), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
}

static void
add_rule (ListdClient *self, guint subscription, const char *sender, const char *interface, const char *member, const char *path,
          const char *argument)
{
  GString *rule = g_string_new (NULL);

  g_string_append_printf (rule, "type='signal',sender='%s',interface='%s',member='%s'", sender, interface, member);
  if (path != NULL)
    g_string_append_printf (rule, ",path='%s'", path);
  if (argument != NULL)
    g_string_append_printf (rule, ",arg0='%s'", argument);
  send_rule (self, "AddMatch", rule->str);
  g_hash_table_insert (self->rules, GUINT_TO_POINTER (subscription), g_string_free (rule, FALSE));
}

guint
listd_client_subscribe (ListdClient *self, const char *interface, const char *member, const char *path, gboolean unicast,
                        GDBusSignalCallback callback, gpointer object)
{
  g_autofree char *full = strchr (interface, '.') != NULL ? g_strdup (interface) : g_strconcat (LISTD_NAME ".", interface, NULL);
  Subscriber *subscriber;
  guint subscription;

  if (self->owner == NULL)
    return 0;
  subscriber = g_new (Subscriber, 1);
  g_weak_ref_init (&subscriber->object, object);
  subscriber->callback = callback;
  g_main_context_push_thread_default (self->context);
  subscription = g_dbus_connection_signal_subscribe (self->connection, self->owner, full, member, path, NULL,
                                                     G_DBUS_SIGNAL_FLAGS_NO_MATCH_RULE, on_subscribed, subscriber, subscriber_free);
  if (!unicast)
    add_rule (self, subscription, self->owner, full, member, path, NULL);
  g_main_context_pop_thread_default (self->context);
  return subscription;
}

void
listd_client_unsubscribe (ListdClient *self, guint *subscription)
{
  guint id = *subscription;
  const char *rule;

  *subscription = 0;
  if (id == 0 || self->connection == NULL)
    return;
  g_dbus_connection_signal_unsubscribe (self->connection, id);
  rule = g_hash_table_lookup (self->rules, GUINT_TO_POINTER (id));
  if (rule != NULL)
    {
      send_rule (self, "RemoveMatch", rule);
      g_hash_table_remove (self->rules, GUINT_TO_POINTER (id));
    }
}

/* Calls */

typedef struct
{
  ListdClient *client;
  guint generation;
  GWeakRef object;
  ListdQueue *queue;
  char *reply_type;
  ListdReplyFunc func;
  gpointer data;
  GDestroyNotify destroy;
  GVariant *reply;
  GError *error;
} Question;

static void
question_free (gpointer data)
{
  Question *question = data;

  if (question->destroy != NULL)
    question->destroy (question->data);
  g_weak_ref_clear (&question->object);
  g_clear_pointer (&question->reply, g_variant_unref);
  g_clear_error (&question->error);
  g_free (question->reply_type);
  g_object_unref (question->client);
  g_free (question);
}

static void
answer (gpointer object, gpointer data)
{
  Question *question = data;

  /* The answers of an owner that is gone say nothing about the present one. */
  if (question->generation != question->client->generation)
    {
      g_clear_pointer (&question->reply, g_variant_unref);
      if (question->error == NULL)
        question->error = g_error_new (LISTD_ERROR, LISTD_ERROR_OFFLINE, "listd went away before it answered");
    }
  question->func (object, question->reply, question->error, question->data);
}

static GVariant *
checked (GVariant *reply, const char *type, GError **error)
{
  if (reply == NULL || type == NULL || g_variant_is_of_type (reply, G_VARIANT_TYPE (type)))
    return reply;
  g_set_error (error, LISTD_ERROR, LISTD_ERROR_PROTOCOL, "listd answered %s in place of %s: this library is for another version",
               g_variant_get_type_string (reply), type);
  g_variant_unref (reply);
  return NULL;
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Question *question = data;
  g_autoptr (GObject) object = g_weak_ref_get (&question->object);

  question->reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &question->error);
  question->reply = checked (question->reply, question->reply_type, &question->error);
  if (question->error != NULL)
    g_dbus_error_strip_remote_error (question->error);
  if (object == NULL)
    question_free (question);
  else
    listd_queue_post (question->queue, answer, question, question_free);
}

static char *
interface_name (const char *interface)
{
  return strchr (interface, '.') != NULL ? g_strdup (interface) : g_strconcat (LISTD_NAME ".", interface, NULL);
}

void
listd_client_ask (ListdClient *self, ListdQueue *queue, const char *path, const char *interface, const char *method, GVariant *parameters,
                  const char *reply_type, ListdReplyFunc func, gpointer data, GDestroyNotify destroy)
{
  g_autofree char *full = interface_name (interface);
  Question *question = g_new0 (Question, 1);

  question->client = g_object_ref (self);
  question->generation = self->generation;
  g_weak_ref_init (&question->object, queue->object);
  question->queue = queue;
  question->reply_type = g_strdup (reply_type);
  question->func = func;
  question->data = data;
  question->destroy = destroy;
  if (self->owner == NULL)
    {
      /* Who asks is about to hear that listd is gone. */
      if (parameters != NULL)
        g_variant_unref (g_variant_ref_sink (parameters));
      question->error = g_error_new (LISTD_ERROR, LISTD_ERROR_OFFLINE, "listd is not there");
      listd_queue_post (queue, answer, question, question_free);
      return;
    }
  g_main_context_push_thread_default (self->context);
  g_dbus_connection_call (self->connection, self->owner, path, full, method, parameters, NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START, G_MAXINT, NULL,
                          on_answer, question);
  g_main_context_pop_thread_default (self->context);
}

void
listd_client_tell (ListdClient *self, const char *path, const char *interface, const char *method, GVariant *parameters)
{
  g_autofree char *full = interface_name (interface);

  if (self->connection == NULL || self->owner == NULL)
    {
      if (parameters != NULL)
        g_variant_unref (g_variant_ref_sink (parameters));
      return;
    }
  g_dbus_connection_call (self->connection, self->owner, path, full, method, parameters, NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL,
                          NULL);
}

static void
on_called (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  GError *error = NULL;
  GVariant *reply = g_dbus_connection_call_with_unix_fd_list_finish (G_DBUS_CONNECTION (source), NULL, result, &error);

  reply = checked (reply, g_object_get_data (G_OBJECT (task), "listd-reply-type"), &error);
  if (reply == NULL)
    {
      g_dbus_error_strip_remote_error (error);
      g_task_return_error (task, error);
    }
  else
    g_task_return_pointer (task, reply, (GDestroyNotify) g_variant_unref);
}

void
listd_client_call (ListdClient *self, const char *path, const char *interface, const char *method, GVariant *parameters,
                   const char *reply_type, GUnixFDList *descriptors, GTask *task)
{
  g_autofree char *full = interface_name (interface);

  if (self->connection == NULL)
    {
      if (parameters != NULL)
        g_variant_unref (g_variant_ref_sink (parameters));
      g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_OFFLINE, "there is no connection to %s",
                               self->address != NULL ? self->address : "the bus");
      g_object_unref (task);
      return;
    }
  g_object_set_data_full (G_OBJECT (task), "listd-reply-type", g_strdup (reply_type), g_free);
  g_main_context_push_thread_default (self->context);
  /* Without an owner, the bus may start listd for the call. */
  g_dbus_connection_call_with_unix_fd_list (self->connection, self->owner != NULL ? self->owner : LISTD_NAME, path, full, method, parameters,
                                            NULL, G_DBUS_CALL_FLAGS_NONE, G_MAXINT, descriptors, g_task_get_cancellable (task), on_called,
                                            task);
  g_main_context_pop_thread_default (self->context);
}

/* The owner of the name */

static void
set_up (ListdClient *self, gboolean up)
{
  if (self->up == up)
    return;
  self->up = up;
  tell_members (self, up ? tell_up : tell_down, NULL);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_AVAILABLE]);
}

static void
on_objects_changed (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
                    GVariant *parameters, gpointer data)
{
  ListdClient *self = data;

  if (!self->up)
    return;
  if (g_str_equal (member, "InterfacesAdded"))
    {
      if (g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(oa{sa{sv}})")))
        tell_members (self, tell_appeared, parameters);
    }
  else if (g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(oas)")))
    tell_members (self, tell_disappeared, parameters);
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
      self->added_subscription
          = listd_client_subscribe (self, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", NULL, FALSE, on_objects_changed, self);
      self->removed_subscription
          = listd_client_subscribe (self, "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", NULL, FALSE, on_objects_changed, self);
      g_main_context_push_thread_default (self->context);
      g_dbus_connection_call (self->connection, self->owner, LISTD_PATH, "org.freedesktop.DBus.Properties", "Get",
                              g_variant_new ("(ss)", LISTD_NAME ".Manager", "Features"), G_VARIANT_TYPE ("(v)"), G_DBUS_CALL_FLAGS_NONE,
                              G_MAXINT, NULL, on_features, owner_call_new (self));
      g_main_context_pop_thread_default (self->context);
    }
  g_object_unref (self);
}

static void
on_owner_changed (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
                  GVariant *parameters, gpointer data)
{
  g_autoptr (ListdClient) self = g_weak_ref_get (data);
  const char *name, *before, *now;

  if (self == NULL || connection != self->connection)
    return;
  g_variant_get (parameters, "(&s&s&s)", &name, &before, &now);
  if (g_str_equal (name, LISTD_NAME))
    set_owner (self, now);
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
  g_main_context_push_thread_default (self->context);
  self->owner_subscription = g_dbus_connection_signal_subscribe (
      connection, "org.freedesktop.DBus", "org.freedesktop.DBus", "NameOwnerChanged", "/org/freedesktop/DBus", LISTD_NAME,
      G_DBUS_SIGNAL_FLAGS_NO_MATCH_RULE, on_owner_changed, weak_ref_new (self), weak_ref_free);
  add_rule (self, self->owner_subscription, "org.freedesktop.DBus", "org.freedesktop.DBus", "NameOwnerChanged", "/org/freedesktop/DBus",
            LISTD_NAME);
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
  g_hash_table_unref (self->rules);
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
  self->rules = g_hash_table_new_full (NULL, NULL, NULL, g_free);
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
  g_autoptr (GVariant) reply = NULL;

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  reply = g_task_propagate_pointer (G_TASK (result), error);
  return reply != NULL;
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
  g_autoptr (GVariant) reply = NULL;

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  reply = g_task_propagate_pointer (G_TASK (result), error);
  return reply != NULL;
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

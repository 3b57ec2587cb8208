// SPDX-License-Identifier: Apache-2.0
/* The signals that a client hears and the calls that it makes. */
#include "listd-client-private.h"

/* Signals */

typedef struct
{
  GWeakRef object;
  ListdQueue *queue;
  ListdSignalFunc func;
  gpointer data;
  char *type;
  char *rule; /* of the bus, or NULL */
  gboolean ended;
} Subscriber;

static void
subscriber_clear (gpointer data)
{
  Subscriber *subscriber = data;

  g_weak_ref_clear (&subscriber->object);
  g_free (subscriber->type);
  g_free (subscriber->rule);
}

static void
subscriber_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, subscriber_clear);
}

GHashTable *
listd_subscribers_new (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, subscriber_unref);
}

typedef struct
{
  Subscriber *subscriber;
  char *path, *member;
  GVariant *parameters;
} Signal;

static void
signal_free (gpointer data)
{
  Signal *signal = data;

  subscriber_unref (signal->subscriber);
  g_free (signal->path);
  g_free (signal->member);
  g_variant_unref (signal->parameters);
  g_free (signal);
}

static void
handle_signal (gpointer object, gpointer data)
{
  const Signal *signal = data;

  if (!signal->subscriber->ended)
    signal->subscriber->func (object, signal->path, signal->member, signal->parameters, signal->subscriber->data);
}

static void
on_subscribed (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
               GVariant *parameters, gpointer data)
{
  Subscriber *subscriber = data;
  g_autoptr (GObject) object = g_weak_ref_get (&subscriber->object);
  Signal *signal;

  if (object == NULL || subscriber->ended
      || (subscriber->type != NULL && !g_variant_is_of_type (parameters, G_VARIANT_TYPE (subscriber->type))))
    return;
  signal = g_new (Signal, 1);
  *signal = (Signal){ g_atomic_rc_box_acquire (subscriber), g_strdup (path), g_strdup (member), g_variant_ref (parameters) };
  listd_queue_post (subscriber->queue, handle_signal, signal, signal_free);
}

static char *
interface_name (const char *interface)
{
  return strchr (interface, '.') != NULL ? g_strdup (interface) : g_strconcat (LISTD_NAME ".", interface, NULL);
}

/* GDBus would complain loudly of a rule for a connection that has just been closed. */
static void
send_rule (ListdClient *self, const char *method, const char *rule)
{
  g_dbus_connection_call (self->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method,
                          g_variant_new ("(s)", rule), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
}

/* `argument` is the first one that the signal must have, or NULL. */
static guint
subscribe (ListdClient *self, const char *sender, const char *path, const char *interface, const char *member, const char *argument,
           gboolean unicast, GDBusSignalCallback callback, Subscriber *subscriber)
{
  guint subscription;

  if (!unicast)
    {
      GString *rule = g_string_new (NULL);

      g_string_append_printf (rule, "type='signal',sender='%s',interface='%s',member='%s'", sender, interface, member);
      if (path != NULL)
        g_string_append_printf (rule, ",path='%s'", path);
      if (argument != NULL)
        g_string_append_printf (rule, ",arg0='%s'", argument);
      subscriber->rule = g_string_free (rule, FALSE);
    }
  g_main_context_push_thread_default (self->context);
  subscription = g_dbus_connection_signal_subscribe (self->connection, sender, interface, member, path, argument,
                                                     G_DBUS_SIGNAL_FLAGS_NO_MATCH_RULE, callback, subscriber, subscriber_unref);
  if (subscriber->rule != NULL)
    send_rule (self, "AddMatch", subscriber->rule);
  g_main_context_pop_thread_default (self->context);
  g_hash_table_insert (self->subscribers, GUINT_TO_POINTER (subscription), g_atomic_rc_box_acquire (subscriber));
  return subscription;
}

static void
on_own_signal (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
               GVariant *parameters, gpointer data)
{
  Subscriber *subscriber = data;
  g_autoptr (ListdClient) self = g_weak_ref_get (&subscriber->object);

  if (self != NULL && !subscriber->ended && g_variant_is_of_type (parameters, G_VARIANT_TYPE (subscriber->type)))
    subscriber->func (self, path, member, parameters, NULL);
}

guint
listd_client_subscribe_self (ListdClient *self, const char *sender, const char *path, const char *interface, const char *member,
                             const char *argument, const char *type, ListdSignalFunc func)
{
  Subscriber *subscriber = g_atomic_rc_box_new0 (Subscriber);

  g_weak_ref_init (&subscriber->object, self);
  subscriber->func = func;
  subscriber->type = g_strdup (type);
  return subscribe (self, sender, path, interface, member, argument, FALSE, on_own_signal, subscriber);
}

guint
listd_client_subscribe (ListdClient *self, ListdQueue *queue, const char *path, const char *interface, const char *member, const char *type,
                        gboolean unicast, ListdSignalFunc func, gpointer data)
{
  g_autofree char *full = interface_name (interface);
  Subscriber *subscriber;

  if (self->owner == NULL)
    return 0;
  subscriber = g_atomic_rc_box_new0 (Subscriber);
  g_weak_ref_init (&subscriber->object, queue->object);
  subscriber->queue = queue;
  subscriber->func = func;
  subscriber->data = data;
  subscriber->type = g_strdup (type);
  return subscribe (self, self->owner, path, full, member, NULL, unicast, on_subscribed, subscriber);
}

void
listd_client_unsubscribe (ListdClient *self, guint *subscription)
{
  guint id = *subscription;
  Subscriber *subscriber = g_hash_table_lookup (self->subscribers, GUINT_TO_POINTER (id));

  *subscription = 0;
  if (subscriber == NULL)
    return;
  subscriber->ended = TRUE;
  if (self->connection != NULL)
    {
      if (subscriber->rule != NULL)
        send_rule (self, "RemoveMatch", subscriber->rule);
      g_dbus_connection_signal_unsubscribe (self->connection, id);
    }
  g_hash_table_remove (self->subscribers, GUINT_TO_POINTER (id));
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
        question->error = g_error_new (LISTD_ERROR, LISTD_ERROR_OFFLINE, _ ("listd went away before it answered"));
    }
  question->func (object, question->reply, question->error, question->data);
}

static GVariant *
checked (GVariant *reply, const char *type, GError **error)
{
  if (reply == NULL || type == NULL || g_variant_is_of_type (reply, G_VARIANT_TYPE (type)))
    return reply;
  g_set_error (error, LISTD_ERROR, LISTD_ERROR_PROTOCOL, _ ("listd answered %s in place of %s: this library is for another version"),
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
      question->error = g_error_new (LISTD_ERROR, LISTD_ERROR_OFFLINE, _ ("listd is not there"));
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
      if (self->address != NULL)
        g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_OFFLINE, _ ("there is no connection to %s"), self->address);
      else
        g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_OFFLINE, _ ("there is no connection to the bus"));
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

gboolean
listd_reply_arrived (GAsyncResult *result, GError **error)
{
  g_autoptr (GVariant) reply = g_task_propagate_pointer (G_TASK (result), error);
  return reply != NULL;
}

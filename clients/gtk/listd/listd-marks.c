// SPDX-License-Identifier: Apache-2.0
#include "listd-marks.h"

#include <string.h>

/* The list tells what is selected and deselected. What was selected before it was opened is asked for once, since the library below
 * says it of loaded items only. */
struct _ListdMarks
{
  ListdList *list;
  void (*changed) (gpointer data);
  gpointer data;
  GHashTable *refs; /* Ref -> itself */
  GCancellable *question;
  gboolean asked;
  GPtrArray *waiting; /* of Wish, until the list is open */
};

typedef struct
{
  guint item;
  char id[];
} Ref;

/* What somebody wanted before the list was open. */
typedef struct
{
  GPtrArray *refs; /* of Ref */
  gboolean select, only;
} Wish;

static void
wish_free (gpointer data)
{
  Wish *wish = data;

  g_ptr_array_unref (wish->refs);
  g_free (wish);
}

static guint
ref_hash (gconstpointer data)
{
  const Ref *ref = data;
  return g_str_hash (ref->id) * 31 + ref->item;
}

static gboolean
ref_equal (gconstpointer one, gconstpointer other)
{
  const Ref *a = one, *b = other;
  return a->item == b->item && g_str_equal (a->id, b->id);
}

static Ref *
ref_new (const char *id, guint item)
{
  const gsize length = strlen (id) + 1;
  Ref *ref = g_malloc (sizeof (Ref) + length);

  ref->item = item;
  memcpy (ref->id, id, length);
  return ref;
}

static void
mark (ListdMarks *self, GVariant *refs, gboolean selected)
{
  GVariantIter iter;
  const char *id;
  guint item;

  g_variant_iter_init (&iter, refs);
  while (g_variant_iter_next (&iter, "(&su)", &id, &item))
    if (selected)
      g_hash_table_add (self->refs, ref_new (id, item));
    else
      {
        g_autofree Ref *ref = ref_new (id, item);
        g_hash_table_remove (self->refs, ref);
      }
}

/* The first answer of a list that was just opened. */
typedef struct
{
  ListdMarks *marks;
  GCancellable *question;
  char *path;
} Question;

static void
question_free (Question *question)
{
  g_object_unref (question->question);
  g_free (question->path);
  g_free (question);
}

static void
on_selected_items (GObject *object, GAsyncResult *result, gpointer data)
{
  Question *question = data;
  g_autoptr (GVariant) reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (object), result, NULL);
  g_autoptr (GVariant) value = NULL;

  if (!g_cancellable_is_cancelled (question->question) && reply != NULL)
    {
      g_variant_get (reply, "(v)", &value);
      if (g_variant_is_of_type (value, G_VARIANT_TYPE ("a(su)")))
        {
          mark (question->marks, value, TRUE);
          question->marks->changed (question->marks->data);
        }
    }
  question_free (question);
}

static void
ask_selected_items (GDBusConnection *connection, Question *question)
{
  if (connection == NULL || g_cancellable_is_cancelled (question->question))
    {
      question_free (question);
      return;
    }
  g_dbus_connection_call (connection, "org.listd.Listd1", question->path, "org.freedesktop.DBus.Properties", "Get",
                          g_variant_new ("(ss)", "org.listd.Listd1.Adapter", "SelectedItems"), G_VARIANT_TYPE ("(v)"),
                          G_DBUS_CALL_FLAGS_NONE, -1, question->question, on_selected_items, question);
}

static void
on_bus (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GDBusConnection) connection = g_bus_get_finish (result, NULL);
  ask_selected_items (connection, data);
}

static void
on_connection (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GDBusConnection) connection = g_dbus_connection_new_for_address_finish (result, NULL);
  ask_selected_items (connection, data);
}

static char *
path_of (const char *name)
{
  GString *path = g_string_new ("/org/listd/Listd1/adapters/");

  for (const char *c = name; *c != '\0'; c++)
    if (g_ascii_isalpha (*c) || (g_ascii_isdigit (*c) && c != name))
      g_string_append_c (path, *c);
    else
      g_string_append_printf (path, "_%02x", (guchar) *c);
  return g_string_free (path, FALSE);
}

static void
ask (ListdMarks *self)
{
  ListdClient *client = listd_list_get_client (self->list);
  g_autofree char *address = NULL;
  GBusType bus;
  Question *question;

  if (self->asked || listd_list_get_state (self->list) != LISTD_LIST_STATE_READY || listd_list_get_name (self->list) == NULL)
    return;
  self->asked = TRUE;
  g_object_get (client, "address", &address, "bus", &bus, NULL);
  question = g_new (Question, 1);
  *question = (Question){ self, g_object_ref (self->question), path_of (listd_list_get_name (self->list)) };
  if (address != NULL)
    g_dbus_connection_new_for_address (address,
                                       G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL,
                                       self->question, on_connection, question);
  else
    g_bus_get (bus, self->question, on_bus, question);
}

static gboolean
wait_for_list (ListdMarks *self, const ListdRef *refs, gsize n, gboolean select, gboolean only)
{
  Wish *wish;

  if (listd_list_get_state (self->list) != LISTD_LIST_STATE_LOADING && listd_list_get_state (self->list) != LISTD_LIST_STATE_OFFLINE)
    return FALSE;
  wish = g_new (Wish, 1);
  *wish = (Wish){ g_ptr_array_new_with_free_func (g_free), select, only };
  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (wish->refs, ref_new (refs[i].id, refs[i].item));
  /* The last one that says all makes what was before it moot. */
  if (only)
    g_ptr_array_set_size (self->waiting, 0);
  g_ptr_array_add (self->waiting, wish);
  return TRUE;
}

static void
grant (ListdMarks *self)
{
  g_autoptr (GPtrArray) waiting = g_steal_pointer (&self->waiting);

  self->waiting = g_ptr_array_new_with_free_func (wish_free);
  for (guint i = 0; i < waiting->len; i++)
    {
      const Wish *wish = waiting->pdata[i];
      g_autoptr (GArray) refs = g_array_new (FALSE, FALSE, sizeof (ListdRef));

      for (guint j = 0; j < wish->refs->len; j++)
        {
          const Ref *ref = wish->refs->pdata[j];
          g_array_append_val (refs, ((ListdRef){ ref->id, ref->item }));
        }
      if (wish->select)
        listd_marks_select (self, (ListdRef *) (gpointer) refs->data, refs->len, wish->only);
      else
        listd_marks_deselect (self, (ListdRef *) (gpointer) refs->data, refs->len);
    }
}

static void
on_state (ListdList *list, GParamSpec *pspec, ListdMarks *self)
{
  /* The selection ends with the daemon, and with the list. */
  if (listd_list_get_state (list) != LISTD_LIST_STATE_READY && self->asked)
    {
      g_hash_table_remove_all (self->refs);
      self->changed (self->data);
    }
  ask (self);
  if (listd_list_get_state (list) == LISTD_LIST_STATE_READY)
    grant (self);
}

static void
on_selection (ListdList *list, GVariant *selected, GVariant *deselected, ListdMarks *self)
{
  mark (self, deselected, FALSE);
  mark (self, selected, TRUE);
  self->changed (self->data);
}

ListdMarks *
listd_marks_new (ListdList *list, void (*changed) (gpointer data), gpointer data)
{
  ListdMarks *self = g_new0 (ListdMarks, 1);

  self->list = g_object_ref (list);
  self->changed = changed;
  self->data = data;
  self->refs = g_hash_table_new_full (ref_hash, ref_equal, g_free, NULL);
  self->question = g_cancellable_new ();
  self->waiting = g_ptr_array_new_with_free_func (wish_free);
  g_signal_connect (list, "selection-changed", G_CALLBACK (on_selection), self);
  g_signal_connect (list, "notify::state", G_CALLBACK (on_state), self);
  ask (self);
  return self;
}

void
listd_marks_free (ListdMarks *self)
{
  g_cancellable_cancel (self->question);
  g_object_unref (self->question);
  g_signal_handlers_disconnect_by_data (self->list, self);
  g_object_unref (self->list);
  g_hash_table_unref (self->refs);
  g_ptr_array_unref (self->waiting);
  g_free (self);
}

ListdList *
listd_marks_get_list (ListdMarks *self)
{
  return self->list;
}

gboolean
listd_marks_has (ListdMarks *self, const char *id, guint item)
{
  g_autofree Ref *ref = NULL;

  if (id == NULL || g_hash_table_size (self->refs) == 0)
    return FALSE;
  ref = ref_new (id, item);
  return g_hash_table_contains (self->refs, ref);
}

guint
listd_marks_get_n (ListdMarks *self)
{
  return g_hash_table_size (self->refs);
}

void
listd_marks_select (ListdMarks *self, const ListdRef *refs, gsize n, gboolean only)
{
  g_autoptr (GHashTable) wanted = g_hash_table_new_full (ref_hash, ref_equal, g_free, NULL);
  g_autoptr (GArray) selected = g_array_new (FALSE, FALSE, sizeof (ListdRef)), deselected = g_array_new (FALSE, FALSE, sizeof (ListdRef));
  GHashTableIter iter;
  Ref *ref;

  if (wait_for_list (self, refs, n, TRUE, only))
    return;
  for (gsize i = 0; i < n; i++)
    {
      g_hash_table_add (wanted, ref_new (refs[i].id, refs[i].item));
      if (!listd_marks_has (self, refs[i].id, refs[i].item))
        g_array_append_val (selected, refs[i]);
    }
  g_hash_table_iter_init (&iter, self->refs);
  while (only && g_hash_table_iter_next (&iter, (gpointer *) &ref, NULL))
    if (!g_hash_table_contains (wanted, ref))
      g_array_append_val (deselected, ((ListdRef){ ref->id, ref->item }));
  if (selected->len + deselected->len > 0)
    listd_list_change_selection_async (self->list, (ListdRef *) (gpointer) selected->data, selected->len,
                                       (ListdRef *) (gpointer) deselected->data, deselected->len, NULL, NULL, NULL);
}

void
listd_marks_deselect (ListdMarks *self, const ListdRef *refs, gsize n)
{
  if (n > 0 && !wait_for_list (self, refs, n, FALSE, FALSE))
    listd_list_change_selection_async (self->list, NULL, 0, refs, n, NULL, NULL, NULL);
}

void
listd_marks_clear (ListdMarks *self)
{
  listd_marks_select (self, NULL, 0, TRUE);
}

// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "listd-private.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixfdlist.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/**
 * ListdTransaction:
 *
 * Changes of a list that happen at once or not at all.
 *
 * [method@ListdList.begin] makes one. Removals and upserts are collected; [method@ListdTransaction.commit_async] sends them.
 */
struct _ListdTransaction
{
  GObject parent_instance;

  ListdList *list;
  guint64 expected_revision;
  gboolean animated;
  gboolean committed;
  GPtrArray *removed; /* of ids */
  GPtrArray *upserts; /* of GVariant (ssssa{sv}) */
  GVariant *patch;    /* (sa{sv}as) */
  GVariant *move;     /* (sss) */
};

/* From here on objects go as a file, and not in the message. */
#define LARGEST_MESSAGE (12 * 1024 * 1024)

G_DEFINE_FINAL_TYPE (ListdTransaction, listd_transaction, G_TYPE_OBJECT)

G_DEFINE_ENUM_TYPE (ListdPosition, listd_position,
                    G_DEFINE_ENUM_VALUE (LISTD_POSITION_KEEP, "keep"),
                    G_DEFINE_ENUM_VALUE (LISTD_POSITION_FIRST, "first"),
                    G_DEFINE_ENUM_VALUE (LISTD_POSITION_LAST, "last"),
                    G_DEFINE_ENUM_VALUE (LISTD_POSITION_BEFORE, "before"),
                    G_DEFINE_ENUM_VALUE (LISTD_POSITION_AFTER, "after"))

static void
listd_transaction_finalize (GObject *object)
{
  ListdTransaction *self = LISTD_TRANSACTION (object);

  g_clear_object (&self->list);
  g_ptr_array_unref (self->removed);
  g_ptr_array_unref (self->upserts);
  g_clear_pointer (&self->patch, g_variant_unref);
  g_clear_pointer (&self->move, g_variant_unref);
  G_OBJECT_CLASS (listd_transaction_parent_class)->finalize (object);
}

static void
listd_transaction_class_init (ListdTransactionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = listd_transaction_finalize;
}

static void
listd_transaction_init (ListdTransaction *self)
{
  self->animated = TRUE;
  self->removed = g_ptr_array_new_with_free_func (g_free);
  self->upserts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
}

ListdTransaction *
listd_transaction_new (ListdList *list, guint64 expected_revision)
{
  ListdTransaction *self = g_object_new (LISTD_TYPE_TRANSACTION, NULL);

  self->list = g_object_ref (list);
  self->expected_revision = expected_revision;
  return self;
}

static const char *
word_of (ListdPosition position)
{
  static const char *const words[] = { "keep", "first", "last", "before", "after" };
  return (guint) position < G_N_ELEMENTS (words) ? words[position] : "keep";
}

static const char *
id_of (GVariant *upsert)
{
  const char *id;
  g_variant_get_child (upsert, 0, "&s", &id);
  return id;
}

/**
 * listd_transaction_upsert:
 * @self: a transaction
 * @id: the id of an object
 * @type: (nullable): its type
 * @position: where it is put
 * @anchor: (nullable): the id of the object before or after which it is put
 * @fields: its fields, a dictionary `a{sv}`; a floating reference is taken
 *
 * Puts an object into the list, or replaces the one with its id.
 */
void
listd_transaction_upsert (ListdTransaction *self, const char *id, const char *type, ListdPosition position, const char *anchor,
                          GVariant *fields)
{
  GVariant *upsert;

  g_return_if_fail (LISTD_IS_TRANSACTION (self));
  g_return_if_fail (id != NULL);
  g_return_if_fail (fields != NULL && g_variant_is_of_type (fields, G_VARIANT_TYPE_VARDICT));
  upsert = g_variant_new ("(ssss@a{sv})", id, type != NULL ? type : "", word_of (position), anchor != NULL ? anchor : "", fields);
  g_ptr_array_add (self->upserts, g_variant_ref_sink (upsert));
}

/**
 * listd_transaction_remove:
 * @self: a transaction
 * @id: the id of an object, which need not be there
 *
 * Takes an object out of the list, and out of the transaction.
 */
void
listd_transaction_remove (ListdTransaction *self, const char *id)
{
  g_return_if_fail (LISTD_IS_TRANSACTION (self));
  g_return_if_fail (id != NULL);
  /* listd removes first. What comes before the removal here must not come after it there. */
  for (guint i = self->upserts->len; i-- > 0;)
    if (g_str_equal (id_of (g_ptr_array_index (self->upserts, i)), id))
      g_ptr_array_remove_index (self->upserts, i);
  g_ptr_array_add (self->removed, g_strdup (id));
}

/**
 * listd_transaction_patch:
 * @self: a transaction
 * @id: the id of an object
 * @set: (nullable): fields to set, a dictionary `a{sv}`; a floating reference is taken
 * @unset: (array zero-terminated=1) (nullable): the names of fields to take away
 *
 * Changes some fields of an object. A patch must be alone in its transaction.
 */
void
listd_transaction_patch (ListdTransaction *self, const char *id, GVariant *set, const char *const *unset)
{
  static const char *const none[] = { NULL };

  g_return_if_fail (LISTD_IS_TRANSACTION (self));
  g_return_if_fail (id != NULL);
  g_return_if_fail (set == NULL || g_variant_is_of_type (set, G_VARIANT_TYPE_VARDICT));
  g_return_if_fail (self->patch == NULL);
  if (set == NULL)
    set = g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0);
  self->patch = g_variant_ref_sink (g_variant_new ("(s@a{sv}^as)", id, set, unset != NULL ? unset : none));
}

/**
 * listd_transaction_move:
 * @self: a transaction
 * @id: the id of an object
 * @position: where it is put
 * @anchor: (nullable): the id of the object before or after which it is put
 *
 * Moves an object. A move must be alone in its transaction.
 */
void
listd_transaction_move (ListdTransaction *self, const char *id, ListdPosition position, const char *anchor)
{
  g_return_if_fail (LISTD_IS_TRANSACTION (self));
  g_return_if_fail (id != NULL);
  g_return_if_fail (self->move == NULL);
  self->move = g_variant_ref_sink (g_variant_new ("(sss)", id, word_of (position), anchor != NULL ? anchor : ""));
}

/**
 * listd_transaction_set_animated:
 * @self: a transaction
 * @animated: whether viewers may animate it; they may unless this says no
 *
 * Says whether the changes are for people to watch.
 */
void
listd_transaction_set_animated (ListdTransaction *self, gboolean animated)
{
  g_return_if_fail (LISTD_IS_TRANSACTION (self));
  self->animated = animated;
}

/* Writing: the answer of a write is handed on when the model is there */

typedef struct
{
  GTask *task;
  guint64 revision;
} Written;

static void
written_free (gpointer data)
{
  Written *written = data;
  g_object_unref (written->task);
  g_free (written);
}

static void
return_revision (gpointer object, gpointer data)
{
  Written *written = data;
  guint64 *revision = g_new (guint64, 1);

  *revision = written->revision;
  g_task_return_pointer (written->task, revision, g_free);
}

static void
on_written (GObject *source, GAsyncResult *result, gpointer data)
{
  ListdList *list = LISTD_LIST (source);
  GTask *task = data;
  GError *error = NULL;
  g_autoptr (GVariant) reply = g_task_propagate_pointer (G_TASK (result), &error);
  Written *written;

  if (reply == NULL)
    {
      g_task_return_error (task, error);
      g_object_unref (task);
      return;
    }
  written = g_new (Written, 1);
  written->task = task;
  g_variant_get (reply, "(t)", &written->revision);
  listd_list_when_at (list, written->revision, return_revision, written, written_free);
}

static void
write_to (ListdList *list, const char *method, GVariant *parameters, GUnixFDList *descriptors, GTask *task)
{
  listd_client_call (listd_list_get_client (list), listd_list_get_path (list), "Adapter", method, parameters, "(t)", descriptors,
                     g_task_new (list, g_task_get_cancellable (task), on_written, task));
}

static guint64
revision_of (GAsyncResult *result, GError **error)
{
  g_autofree guint64 *revision = g_task_propagate_pointer (G_TASK (result), error);
  return revision != NULL ? *revision : 0;
}

/* A write that expects a revision means that of the list it was read from, and not of another of the same name. */
static void
add_epoch (ListdList *list, guint64 expected_revision, GVariantDict *options)
{
  if (expected_revision != 0 && listd_list_get_epoch (list) != NULL)
    g_variant_dict_insert (options, "epoch", "s", listd_list_get_epoch (list));
}

/**
 * listd_transaction_commit_async:
 * @self: a transaction
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when the list is changed
 * @user_data: data for the callback
 *
 * Makes the changes. When the callback runs, the model has them too.
 */
void
listd_transaction_commit_async (ListdTransaction *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;
  const char *id, *position, *anchor;
  g_autoptr (GVariant) set = NULL;
  g_autoptr (GVariant) unset = NULL;
  guint kinds;

  g_return_if_fail (LISTD_IS_TRANSACTION (self));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_transaction_commit_async);
  kinds = (self->patch != NULL) + (self->move != NULL) + (self->upserts->len + self->removed->len > 0);
  if (self->committed || kinds > 1)
    {
      g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "%s",
                               self->committed ? _ ("the transaction was committed before")
                                               : _ ("a patch or a move must be alone in its transaction"));
      g_object_unref (task);
      return;
    }
  self->committed = TRUE;
  if (self->patch != NULL)
    {
      g_variant_get (self->patch, "(&s@a{sv}@as)", &id, &set, &unset);
      write_to (self->list, "PatchObject", g_variant_new ("(ts@a{sv}@as)", self->expected_revision, id, set, unset), NULL, task);
    }
  else if (self->move != NULL)
    {
      g_variant_get (self->move, "(&s&s&s)", &id, &position, &anchor);
      write_to (self->list, "MoveObject", g_variant_new ("(tsss)", self->expected_revision, id, position, anchor), NULL, task);
    }
  else
    {
      g_auto (GVariantDict) options = G_VARIANT_DICT_INIT (NULL);
      GVariantBuilder removed;
      GVariant *upserts
          = g_variant_new_array (G_VARIANT_TYPE ("(ssssa{sv})"), (GVariant *const *) self->upserts->pdata, self->upserts->len);

      g_variant_builder_init (&removed, G_VARIANT_TYPE_STRING_ARRAY);
      for (guint i = 0; i < self->removed->len; i++)
        g_variant_builder_add (&removed, "s", g_ptr_array_index (self->removed, i));
      if (!self->animated)
        g_variant_dict_insert (&options, "animated", "b", FALSE);
      add_epoch (self->list, self->expected_revision, &options);
      write_to (self->list, "ApplyChanges",
                g_variant_new ("(tas@a(ssssa{sv})@a{sv})", self->expected_revision, &removed, upserts, g_variant_dict_end (&options)), NULL,
                task);
    }
}

/**
 * listd_transaction_commit_finish:
 * @self: a transaction
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_transaction_commit_async().
 *
 * Returns: the revision of the list that has the changes, or 0 with an error set
 */
guint64
listd_transaction_commit_finish (ListdTransaction *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), 0);
  return revision_of (result, error);
}

/**
 * listd_list_begin:
 * @self: a list
 * @expected_revision: the revision that the list must have when the changes are made; 0 = any
 *
 * Begins a transaction.
 *
 * Returns: (transfer full): a new transaction
 */
ListdTransaction *
listd_list_begin (ListdList *self, guint64 expected_revision)
{
  g_return_val_if_fail (LISTD_IS_LIST (self), NULL);
  return listd_transaction_new (self, expected_revision);
}

/* Large lists as a file of JSON lines */

static void
append_text (GString *json, const char *text)
{
  g_string_append_c (json, '"');
  for (const char *c = text; *c != '\0'; c++)
    if (*c == '"' || *c == '\\')
      {
        g_string_append_c (json, '\\');
        g_string_append_c (json, *c);
      }
    else if ((guchar) *c < 0x20)
      g_string_append_printf (json, "\\u%04x", (guchar) *c);
    else
      g_string_append_c (json, *c);
  g_string_append_c (json, '"');
}

/* FALSE for what JSON lines would make another type of. */
static gboolean
append_value (GString *json, GVariant *value)
{
  GVariantIter iter;
  GVariant *child;
  const char *key;
  gboolean first = TRUE, fits = TRUE;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    append_text (json, g_variant_get_string (value, NULL));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    g_string_append_printf (json, "%" G_GINT64_FORMAT, g_variant_get_int64 (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    g_string_append (json, g_variant_get_boolean (value) ? "true" : "false");
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE) && isfinite (g_variant_get_double (value)))
    {
      g_ascii_dtostr (number, sizeof number, g_variant_get_double (value));
      g_string_append (json, number);
      if (strpbrk (number, ".e") == NULL)
        g_string_append (json, ".0");
    }
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_VARDICT))
    {
      g_string_append_c (json, '{');
      g_variant_iter_init (&iter, value);
      while (fits && g_variant_iter_next (&iter, "{&sv}", &key, &child))
        {
          if (!first)
            g_string_append_c (json, ',');
          first = FALSE;
          append_text (json, key);
          g_string_append_c (json, ':');
          fits = append_value (json, child);
          g_variant_unref (child);
        }
      g_string_append_c (json, '}');
    }
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE ("av")))
    {
      g_string_append_c (json, '[');
      g_variant_iter_init (&iter, value);
      while (fits && g_variant_iter_next (&iter, "v", &child))
        {
          if (!first)
            g_string_append_c (json, ',');
          first = FALSE;
          fits = append_value (json, child);
          g_variant_unref (child);
        }
      g_string_append_c (json, ']');
    }
  else
    return FALSE;
  return fits;
}

/* The objects as a sealed file, or -1. */
static int
file_of (GVariant *objects)
{
  g_autoptr (GString) json = g_string_new (NULL);
  GVariantIter iter;
  const char *id, *type;
  GVariant *fields;
  gboolean fits = TRUE;
  int file;
  gsize written = 0;

  g_variant_iter_init (&iter, objects);
  while (fits && g_variant_iter_next (&iter, "(&s&s@a{sv})", &id, &type, &fields))
    {
      g_string_append (json, "{\"id\":");
      append_text (json, id);
      g_string_append (json, ",\"type\":");
      append_text (json, type);
      g_string_append (json, ",\"fields\":");
      fits = append_value (json, fields);
      g_string_append (json, "}\n");
      g_variant_unref (fields);
    }
  if (!fits)
    return -1;
  file = memfd_create ("listd-objects", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0)
    return -1;
  while (written < json->len)
    {
      gssize length = write (file, json->str + written, json->len - written);
      if (length < 0 && errno == EINTR)
        continue;
      if (length <= 0)
        {
          close (file);
          return -1;
        }
      written += length;
    }
  lseek (file, 0, SEEK_SET);
  fcntl (file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  return file;
}

/**
 * listd_list_replace_async:
 * @self: a list
 * @objects: the whole new list, `a(ssa{sv})`: id, type, fields; a floating reference is taken
 * @expected_revision: the revision that the list must have; 0 = any
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when the list is changed
 * @user_data: data for the callback
 *
 * Here is the new list: listd finds out what is different. When the callback runs, the model has it too.
 */
void
listd_list_replace_async (ListdList *self, GVariant *objects, guint64 expected_revision, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer user_data)
{
  g_auto (GVariantDict) options = G_VARIANT_DICT_INIT (NULL);
  GTask *task;
  int file = -1;

  g_return_if_fail (LISTD_IS_LIST (self));
  g_return_if_fail (objects != NULL && g_variant_is_of_type (objects, G_VARIANT_TYPE ("a(ssa{sv})")));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_list_replace_async);
  add_epoch (self, expected_revision, &options);
  g_variant_ref_sink (objects);
  if (g_variant_get_size (objects) > LARGEST_MESSAGE)
    file = file_of (objects);
  if (file >= 0)
    {
      g_autoptr (GUnixFDList) files = g_unix_fd_list_new_from_array (&file, 1);
      write_to (self, "PerformUpdatesFromFile",
                g_variant_new ("(ths@a{sv})", expected_revision, 0, "jsonl", g_variant_dict_end (&options)), files, task);
    }
  else
    write_to (self, "PerformUpdates", g_variant_new ("(t@a(ssa{sv})@a{sv})", expected_revision, objects, g_variant_dict_end (&options)), NULL,
              task);
  g_variant_unref (objects);
}

/**
 * listd_list_replace_finish:
 * @self: a list
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_list_replace_async().
 *
 * Returns: the revision of the list that has the objects, or 0 with an error set
 */
guint64
listd_list_replace_finish (ListdList *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), 0);
  return revision_of (result, error);
}

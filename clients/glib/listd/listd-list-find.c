// SPDX-License-Identifier: Apache-2.0
/* Where something is in a list: by its id, or by its text. */
#include "listd-list-private.h"

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
  g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_OFFLINE, _ ("listd is not there"));
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

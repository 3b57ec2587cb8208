// SPDX-License-Identifier: Apache-2.0
/* What somebody does in a list: the selection that its viewers share, and actions. */
#include "listd-list-private.h"

static char *
selection_key (const char *id, guint item)
{
  return g_strdup_printf ("%u %s", item, id);
}

/* Tells the items that are loaded. */
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

void
listd_list_take_selection (ListdList *self, GVariant *selected, GVariant *deselected)
{
  if (self->selected == NULL)
    return;
  change_selected (self, deselected, FALSE);
  change_selected (self, selected, TRUE);
  update_selected (self);
}

void
listd_list_forget_selection (ListdList *self)
{
  if (self->selected == NULL)
    return;
  g_clear_pointer (&self->selected, g_hash_table_unref);
  /* Somebody wanted to know it. */
  listd_list_is_selected (self, "", 0);
}

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

/* Calls a method of the list's view for the application. */
static void
call_view (ListdList *self, const char *method, GVariant *parameters, const char *reply_type, GTask *task)
{
  g_autoptr (GVariant) sunk = g_variant_ref_sink (parameters);

  if (listd_window_get_view (self->window) != NULL)
    {
      listd_client_call (self->client, listd_window_get_view (self->window), "View", method, sunk, reply_type, NULL, task);
      return;
    }
  if (self->error != NULL)
    g_task_return_error (task, g_error_copy (self->error));
  else
    g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_OFFLINE, _ ("the list \"%s\" is not open yet"), self->name);
  g_object_unref (task);
}

static void
change_selection (ListdList *self, GVariant *select, GVariant *deselect, GTask *task)
{
  call_view (self, "ChangeSelection", g_variant_new ("(@a(su)@a(su))", select, deselect), "(a(su)a(su))", task);
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
  return listd_reply_arrived (result, error);
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
      g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_NO_SUCH_OBJECT, _ ("the item is not loaded"));
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
  return listd_reply_arrived (result, error);
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
  call_view (self, "Invoke", g_variant_new ("(sus@a{sv})", id, number, action, parameters), "(b)",
             g_task_new (self, g_task_get_cancellable (task), on_invoked, task));
}

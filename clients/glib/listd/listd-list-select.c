// SPDX-License-Identifier: Apache-2.0
/* What somebody does in a list: the selection that its viewers share, and actions. */
#include "listd-list-private.h"

#define properties listd_list_properties
#define signals listd_list_signals

/* What somebody wants to be selected as soon as the list is open. */
typedef struct
{
  GTask *task;
  GVariant *select, *deselect;
  gboolean only; /* and nothing else */
} Wish;

static void grant_wishes (ListdList *self);

static void
wish_free (Wish *wish)
{
  g_object_unref (wish->task);
  g_variant_unref (wish->select);
  g_variant_unref (wish->deselect);
  g_free (wish);
}

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

/* Tells of what is another. */
static void
tell_selection (ListdList *self, GVariant *selected, GVariant *deselected, guint n_before)
{
  if (self->wants_selection)
    update_selected (self);
  if (g_hash_table_size (self->selected) != n_before)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_SELECTED]);
  if (g_variant_n_children (selected) + g_variant_n_children (deselected) > 0)
    g_signal_emit (self, signals[SELECTION_CHANGED], 0, selected, deselected);
}

void
listd_list_take_selection (ListdList *self, GVariant *selected, GVariant *deselected)
{
  const guint before = g_hash_table_size (self->selected);

  if (self->knows_selection)
    {
      change_selected (self, deselected, FALSE);
      change_selected (self, selected, TRUE);
    }
  tell_selection (self, selected, deselected, before);
}

/* The references that are in one set and not in the other. */
static GVariant *
refs_of (GHashTable *refs, GHashTable *others)
{
  GVariantBuilder builder;
  GHashTableIter iter;
  const char *key;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(su)"));
  g_hash_table_iter_init (&iter, refs);
  while (g_hash_table_iter_next (&iter, (gpointer *) &key, NULL))
    if (!g_hash_table_contains (others, key))
      {
        char *end;
        const guint number = (guint) g_ascii_strtoull (key, &end, 10);

        g_variant_builder_add (&builder, "(su)", end + 1, number);
      }
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/* `refs` is an `a(su)`. */
static void
replace_selected (ListdList *self, GVariant *refs)
{
  g_autoptr (GHashTable) before = self->selected;
  g_autoptr (GVariant) selected = NULL;
  g_autoptr (GVariant) deselected = NULL;

  self->selected = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  change_selected (self, refs, TRUE);
  selected = refs_of (self->selected, before);
  deselected = refs_of (before, self->selected);
  tell_selection (self, selected, deselected, g_hash_table_size (before));
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
  self->knows_selection = TRUE;
  replace_selected (self, value);
  grant_wishes (self);
}

static void
ask_selection (gpointer object, gpointer data)
{
  ListdList *self = object;

  if (listd_client_is_up (self->client) && GPOINTER_TO_UINT (data) == self->serial)
    listd_client_ask (self->client, &self->queue, self->path, "org.freedesktop.DBus.Properties", "Get",
                      g_variant_new ("(ss)", LISTD_NAME ".Adapter", "SelectedItems"), "(v)", on_selection, GUINT_TO_POINTER (self->serial), NULL);
}

/* Somebody wants to know it, from now on. */
static void
want_selection (ListdList *self)
{
  self->wants_selection = TRUE;
  if (self->asked_selection || listd_window_get_view (self->window) == NULL)
    return;
  self->asked_selection = TRUE;
  listd_queue_post (&self->queue, ask_selection, GUINT_TO_POINTER (self->serial), NULL);
}

void
listd_list_init_selection (ListdList *self)
{
  self->selected = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_queue_init (&self->wishes);
}

void
listd_list_open_selection (ListdList *self)
{
  self->asked_selection = self->knows_selection = FALSE;
  if (self->wants_selection)
    want_selection (self);
  grant_wishes (self);
}

void
listd_list_end_selection (ListdList *self, const GError *error)
{
  g_autoptr (GVariant) nothing = g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("(su)"), NULL, 0));
  Wish *wish;

  self->asked_selection = self->knows_selection = FALSE;
  while ((wish = g_queue_pop_head (&self->wishes)) != NULL)
    {
      if (error != NULL)
        g_task_return_error (wish->task, g_error_copy (error));
      else
        g_task_return_new_error (wish->task, LISTD_ERROR, LISTD_ERROR_OFFLINE, _ ("the list \"%s\" is not open yet"), self->name);
      wish_free (wish);
    }
  if (error != NULL && g_hash_table_size (self->selected) > 0)
    replace_selected (self, nothing);
}

/**
 * listd_list_is_selected:
 * @self: a list
 * @id: the id of an object
 * @item: one of its items
 *
 * Whether an item is in the selection that all viewers of the list share, also one that is not loaded. The list asks for its selection
 * when this is called for the first time; [signal@ListdList::selection-changed] tells when it is known, and whenever it changes.
 *
 * Returns: whether it is
 */
gboolean
listd_list_is_selected (ListdList *self, const char *id, guint item)
{
  g_autofree char *key = NULL;

  g_return_val_if_fail (LISTD_IS_LIST (self), FALSE);
  g_return_val_if_fail (id != NULL, FALSE);
  want_selection (self);
  if (g_hash_table_size (self->selected) == 0)
    return FALSE;
  key = selection_key (id, item);
  return g_hash_table_contains (self->selected, key);
}

/**
 * listd_list_get_n_selected: (get-property n-selected)
 * @self: a list
 *
 * How many items are selected. The list asks for its selection as for listd_list_is_selected().
 *
 * Returns: the number
 */
guint
listd_list_get_n_selected (ListdList *self)
{
  g_return_val_if_fail (LISTD_IS_LIST (self), 0);
  want_selection (self);
  return g_hash_table_size (self->selected);
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

/* What `only` leaves out of the selection. */
static GVariant *
others_than (ListdList *self, GVariant *refs)
{
  g_autoptr (GHashTable) wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GVariantIter iter;
  const char *id;
  guint item;

  g_variant_iter_init (&iter, refs);
  while (g_variant_iter_next (&iter, "(&su)", &id, &item))
    g_hash_table_add (wanted, selection_key (id, item));
  return refs_of (self->selected, wanted);
}

static void
grant_wishes (ListdList *self)
{
  Wish *wish;

  while (listd_window_get_view (self->window) != NULL && (wish = g_queue_peek_head (&self->wishes)) != NULL)
    {
      if (wish->only && !self->knows_selection)
        {
          want_selection (self);
          return;
        }
      g_queue_pop_head (&self->wishes);
      if (wish->only)
        {
          g_variant_unref (wish->deselect);
          wish->deselect = others_than (self, wish->select);
        }
      call_view (self, "ChangeSelection", g_variant_new ("(@a(su)@a(su))", wish->select, wish->deselect), "(a(su)a(su))",
                 g_object_ref (wish->task));
      wish_free (wish);
    }
}

/* Takes floating references, and the task. */
static void
change_selection (ListdList *self, GVariant *select, GVariant *deselect, gboolean only, GTask *task)
{
  Wish *wish = g_new (Wish, 1);

  *wish = (Wish){ task, g_variant_ref_sink (select), g_variant_ref_sink (deselect), only };
  g_queue_push_tail (&self->wishes, wish);
  if (self->state == LISTD_LIST_STATE_FAILED)
    listd_list_end_selection (self, self->error);
  else if (self->state == LISTD_LIST_STATE_OFFLINE && listd_follower_get_epoch (self->follower) != NULL)
    listd_list_end_selection (self, NULL);
  else
    grant_wishes (self);
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
 * Changes the selection, which all viewers of the list share. The section controllers may refuse items. For a list that is not open
 * yet, it happens as soon as it is.
 */
void
listd_list_change_selection_async (ListdList *self, const ListdRef *select, gsize n_select, const ListdRef *deselect, gsize n_deselect,
                                   GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (LISTD_IS_LIST (self));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_list_change_selection_async);
  change_selection (self, refs_to_variant (select, n_select), refs_to_variant (deselect, n_deselect), FALSE, task);
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
 * listd_list_set_selection_async:
 * @self: a list
 * @refs: (array length=n_refs): what to select
 * @n_refs: their number
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when it is done
 * @user_data: data for the callback
 *
 * Selects these items, and nothing else. For a list that is not open yet, it happens as soon as it is.
 */
void
listd_list_set_selection_async (ListdList *self, const ListdRef *refs, gsize n_refs, GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  GTask *task;

  g_return_if_fail (LISTD_IS_LIST (self));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_list_set_selection_async);
  change_selection (self, refs_to_variant (refs, n_refs), refs_to_variant (NULL, 0), TRUE, task);
}

/**
 * listd_list_set_selection_finish:
 * @self: a list
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_list_set_selection_async().
 *
 * Returns: whether the items could be asked
 */
gboolean
listd_list_set_selection_finish (ListdList *self, GAsyncResult *result, GError **error)
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
  change_selection (self, refs_to_variant (&ref, selected), refs_to_variant (&ref, !selected), FALSE, task);
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

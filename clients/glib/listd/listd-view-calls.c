// SPDX-License-Identifier: Apache-2.0
/* What somebody does in a view. */
#include "listd-view-private.h"

G_DEFINE_ENUM_TYPE (ListdScrollPosition, listd_scroll_position,
                    G_DEFINE_ENUM_VALUE (LISTD_SCROLL_POSITION_NEAREST, "none"),
                    G_DEFINE_ENUM_VALUE (LISTD_SCROLL_POSITION_START, "start"),
                    G_DEFINE_ENUM_VALUE (LISTD_SCROLL_POSITION_CENTER, "center"),
                    G_DEFINE_ENUM_VALUE (LISTD_SCROLL_POSITION_END, "end"))

static const char *const scroll_words[] = { "none", "start", "center", "end" };

/**
 * listd_view_scroll_to_async:
 * @self: a view
 * @id: the id of an object
 * @item: one of its items
 * @position: where it comes to lie
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when the picture is there
 * @user_data: data for the callback
 *
 * Scrolls to an item, wherever it is in the list.
 */
void
listd_view_scroll_to_async (ListdView *self, const char *id, guint item, ListdScrollPosition position, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (LISTD_IS_VIEW (self));
  g_return_if_fail (id != NULL);
  g_return_if_fail ((guint) position < G_N_ELEMENTS (scroll_words));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_view_scroll_to_async);
  listd_view_call (self, "ScrollTo", g_variant_new ("(sus)", id, item, scroll_words[position]), "((dd)t)", task);
}

/**
 * listd_view_scroll_to_finish:
 * @self: a view
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_view_scroll_to_async().
 *
 * Returns: whether the view scrolled there
 */
gboolean
listd_view_scroll_to_finish (ListdView *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return listd_reply_arrived (result, error);
}

/**
 * listd_view_move_item_async:
 * @self: a view
 * @from_section: the section of an item
 * @from_item: its number in there
 * @to_section: the section that it shall have after the move
 * @to_item: the number that it shall have after the move
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when it is moved
 * @user_data: data for the callback
 *
 * Moves an item, as somebody does who drags it. The section controller may refuse.
 */
void
listd_view_move_item_async (ListdView *self, guint from_section, guint from_item, guint to_section, guint to_item, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (LISTD_IS_VIEW (self));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_view_move_item_async);
  listd_view_call (self, "MoveItem", g_variant_new ("(uuuu)", from_section, from_item, to_section, to_item), "(bt)", task);
}

/**
 * listd_view_move_item_finish:
 * @self: a view
 * @result: the result
 * @revision: (out) (optional): the revision that has the move
 * @error: a location for an error
 *
 * Ends listd_view_move_item_async().
 *
 * Returns: whether the item was moved; %FALSE without an error when the section controller refused
 */
gboolean
listd_view_move_item_finish (ListdView *self, GAsyncResult *result, guint64 *revision, GError **error)
{
  g_autoptr (GVariant) reply = NULL;
  gboolean moved;
  guint64 reached;

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  reply = g_task_propagate_pointer (G_TASK (result), error);
  if (reply == NULL)
    return FALSE;
  g_variant_get (reply, "(bt)", &moved, &reached);
  if (revision != NULL)
    *revision = reached;
  return moved;
}

/**
 * listd_view_invoke_async:
 * @self: a view
 * @slot: a slot of it
 * @action: the name of an action
 * @parameters: (nullable): a dictionary `a{sv}`; a floating reference is taken
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when the action was handled
 * @user_data: data for the callback
 *
 * Does what an action of an item means.
 */
void
listd_view_invoke_async (ListdView *self, ListdSlot *slot, const char *action, GVariant *parameters, GCancellable *cancellable,
                         GAsyncReadyCallback callback, gpointer user_data)
{
  GVariant *call;
  ListdItem *item;
  GTask *task;

  g_return_if_fail (LISTD_IS_VIEW (self));
  g_return_if_fail (LISTD_IS_SLOT (slot));
  g_return_if_fail (action != NULL);
  g_return_if_fail (parameters == NULL || g_variant_is_of_type (parameters, G_VARIANT_TYPE_VARDICT));
  item = listd_slot_get_item (slot);
  if (parameters == NULL)
    parameters = g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0);
  call = g_variant_new ("(sus@a{sv})", item->id, item->number, action, parameters);
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_view_invoke_async);
  listd_view_call (self, "Invoke", call, "(b)", task);
}

/**
 * listd_view_invoke_finish:
 * @self: a view
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_view_invoke_async().
 *
 * Returns: whether somebody handled the action
 */
gboolean
listd_view_invoke_finish (ListdView *self, GAsyncResult *result, GError **error)
{
  g_autoptr (GVariant) reply = NULL;
  gboolean handled;

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  reply = g_task_propagate_pointer (G_TASK (result), error);
  if (reply == NULL)
    return FALSE;
  g_variant_get (reply, "(b)", &handled);
  return handled;
}

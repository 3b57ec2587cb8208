// SPDX-License-Identifier: Apache-2.0
/* The selection: what clicks and keys mean, and which cells show it. The list decides. */
#include "listd-flow-private.h"

static void
update_all (ListdFlowView *self)
{
  GHashTableIter iter;
  ListdCell *cell;

  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &cell))
    listd_flow_select_update (self, cell);
}

static void
on_selection (ListdList *list, GVariant *selected, GVariant *deselected, ListdFlowView *self)
{
  update_all (self);
}

void
listd_flow_select_follow (ListdFlowView *self)
{
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (listd_selection_get_list (self->selection), self);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->pivot, g_free);
  if (self->list == NULL)
    return;
  self->selection = LISTD_SELECTION (listd_selection_new (self->list));
  g_signal_connect (self->list, "selection-changed", G_CALLBACK (on_selection), self);
}

void
listd_flow_select_finalize (ListdFlowView *self)
{
  g_free (self->pivot);
}

void
listd_flow_select_update (ListdFlowView *self, ListdCell *cell)
{
  ListdItem *item = listd_cell_get_item (cell);

  listd_cell_set_selected (cell, self->list != NULL && item != NULL && g_str_equal (cell->kind, "cell")
                                     && listd_list_is_selected (self->list, listd_item_get_id (item), listd_item_get_item (item)));
}

/* A range may reach to items that no cell shows: the list finds both ends, and loads the names of what is between them. */
typedef struct
{
  GWeakRef *view;
  ListdList *list;
  char *id;
  guint items[2];
  guint positions[2];
  guint found;
  gboolean add;
} Range;

static void
range_free (Range *range)
{
  g_autoptr (ListdFlowView) self = listd_flow_return (range->view);

  g_object_unref (range->list);
  g_free (range->id);
  g_free (range);
}

static void
on_found (GObject *object, GAsyncResult *result, gpointer data)
{
  Range *range = data;
  g_autoptr (ListdFlowView) self = g_weak_ref_get (range->view);
  const guint position = listd_list_find_finish (LISTD_LIST (object), result, NULL);
  guint first, last;

  if (position == G_MAXUINT || self == NULL || self->list != range->list)
    {
      range_free (range);
      return;
    }
  range->positions[range->found] = position + range->items[range->found];
  if (++range->found == 1)
    {
      listd_list_find_async (range->list, range->id, NULL, on_found, range);
      return;
    }
  first = MIN (range->positions[0], range->positions[1]);
  last = MAX (range->positions[0], range->positions[1]);
  if (!gtk_selection_model_select_range (GTK_SELECTION_MODEL (self->selection), first, last - first + 1, !range->add))
    gtk_widget_error_bell (GTK_WIDGET (self));
  range_free (range);
}

static void
select_range_to (ListdFlowView *self, ListdItem *item, gboolean add)
{
  Range *range = g_new0 (Range, 1);

  range->view = listd_flow_lend (self);
  range->list = g_object_ref (self->list);
  range->id = g_strdup (listd_item_get_id (item));
  range->items[0] = self->pivot_item;
  range->items[1] = listd_item_get_item (item);
  range->add = add;
  listd_list_find_async (self->list, self->pivot, NULL, on_found, range);
}

void
listd_flow_select_cell (ListdFlowView *self, ListdCell *cell, gboolean modify, gboolean extend)
{
  ListdItem *item = listd_cell_get_item (cell);
  ListdRef ref;

  if (self->selection_mode == GTK_SELECTION_NONE || self->selection == NULL || item == NULL || listd_item_get_id (item) == NULL)
    return;
  ref = (ListdRef){ listd_item_get_id (item), listd_item_get_item (item) };
  if (self->selection_mode == GTK_SELECTION_MULTIPLE && extend && self->pivot != NULL)
    {
      select_range_to (self, item, modify);
      return;
    }
  if (modify && cell->selected && self->selection_mode != GTK_SELECTION_BROWSE)
    listd_list_change_selection_async (self->list, NULL, 0, &ref, 1, NULL, NULL, NULL);
  else if (modify && self->selection_mode == GTK_SELECTION_MULTIPLE)
    listd_list_change_selection_async (self->list, &ref, 1, NULL, 0, NULL, NULL, NULL);
  else
    listd_list_set_selection_async (self->list, &ref, 1, NULL, NULL, NULL);
  g_free (self->pivot);
  self->pivot = g_strdup (ref.id);
  self->pivot_item = ref.item;
}

void
listd_flow_select_all (ListdFlowView *self, gboolean select)
{
  if (self->selection == NULL || (select && self->selection_mode != GTK_SELECTION_MULTIPLE))
    return;
  if (!(select ? gtk_selection_model_select_all (GTK_SELECTION_MODEL (self->selection))
               : gtk_selection_model_unselect_all (GTK_SELECTION_MODEL (self->selection))))
    gtk_widget_error_bell (GTK_WIDGET (self));
}

void
listd_flow_select_many (ListdFlowView *self, GArray *refs, gboolean modify, gboolean extend)
{
  g_autoptr (GArray) add = g_array_new (FALSE, FALSE, sizeof (ListdRef)), drop = g_array_new (FALSE, FALSE, sizeof (ListdRef));

  if (self->list == NULL || self->selection_mode != GTK_SELECTION_MULTIPLE)
    return;
  if (!modify && !extend)
    {
      listd_list_set_selection_async (self->list, (ListdRef *) (gpointer) refs->data, refs->len, NULL, NULL, NULL);
      return;
    }
  for (guint i = 0; i < refs->len; i++)
    {
      const ListdRef ref = g_array_index (refs, ListdRef, i);

      if (extend && (!modify || listd_list_is_selected (self->list, ref.id, ref.item)))
        g_array_append_val (drop, ref);
      else
        g_array_append_val (add, ref);
    }
  listd_list_change_selection_async (self->list, (ListdRef *) (gpointer) add->data, add->len, (ListdRef *) (gpointer) drop->data, drop->len, NULL,
                                     NULL, NULL);
}

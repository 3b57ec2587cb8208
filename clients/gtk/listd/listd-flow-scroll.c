// SPDX-License-Identifier: Apache-2.0
/* Where the viewport is: the adjustments, and what listd does to the content below them. */
#include "listd-flow-private.h"

#include <math.h>
#include <string.h>

static void scroll_now (ListdFlowView *self);

static double
value_of (const ListdAxis *axis)
{
  return axis->flipped ? axis->base - axis->page - axis->position : axis->base + axis->position;
}

static double
end_of (const ListdAxis *axis)
{
  return MAX (0, axis->content - axis->page);
}

static void
on_value (GtkAdjustment *adjustment, ListdFlowView *self)
{
  if (self->configuring)
    return;
  for (guint i = 0; i < 2; i++)
    {
      ListdAxis *axis = &self->axes[i];
      if (axis->adjustment == adjustment)
        axis->position = axis->flipped ? axis->base - axis->page - gtk_adjustment_get_value (adjustment)
                                       : gtk_adjustment_get_value (adjustment) - axis->base;
    }
  listd_flow_tell_viewport (self);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

/* Kinetic scrolling and a drag of the scrollbar write values that they computed before: when the content moves, its bounds move
 * and the value stays. */
static void
configure (ListdFlowView *self)
{
  self->configuring = TRUE;
  for (guint i = 0; i < 2; i++)
    {
      ListdAxis *axis = &self->axes[i];
      const double length = MAX (axis->content, axis->page), lower = axis->flipped ? axis->base - length : axis->base;
      double value;

      axis->position = CLAMP (axis->position, 0, end_of (axis));
      if (axis->adjustment == NULL)
        continue;
      value = gtk_adjustment_get_value (axis->adjustment);
      /* Not by the error of a sum of large numbers. */
      if (fabs (value_of (axis) - value) > 1e-6)
        value = value_of (axis);
      gtk_adjustment_configure (axis->adjustment, value, lower, lower + length, axis->page * 0.1, axis->page * 0.9, axis->page);
    }
  self->configuring = FALSE;
  /* A handler may have set another value. */
  for (guint i = 0; i < 2; i++)
    {
      ListdAxis *axis = &self->axes[i];
      if (axis->adjustment != NULL && fabs (gtk_adjustment_get_value (axis->adjustment) - value_of (axis)) > 1e-6)
        axis->position = axis->flipped ? axis->base - axis->page - gtk_adjustment_get_value (axis->adjustment)
                                       : gtk_adjustment_get_value (axis->adjustment) - axis->base;
    }
}

void
listd_flow_scroll_init (ListdFlowView *self)
{
  self->axes[0].policy = self->axes[1].policy = GTK_SCROLL_MINIMUM;
}

void
listd_flow_scroll_finalize (ListdFlowView *self)
{
  listd_flow_set_adjustment (self, GTK_ORIENTATION_HORIZONTAL, NULL);
  listd_flow_set_adjustment (self, GTK_ORIENTATION_VERTICAL, NULL);
  g_free (self->wanted);
  g_free (self->awaited);
}

static void
drop_probe (ListdFlowView *self)
{
  if (self->probe == NULL)
    return;
  g_signal_handlers_disconnect_by_data (self->probe, self);
  listd_view_close (self->probe);
  g_clear_object (&self->probe);
  g_clear_pointer (&self->sought, g_free);
}

void
listd_flow_scroll_dispose (ListdFlowView *self)
{
  drop_probe (self);
}

/* Another list: from its beginning. */
void
listd_flow_scroll_reset (ListdFlowView *self)
{
  drop_probe (self);
  self->told[2] = -1;
  self->filled = FALSE;
  for (guint i = 0; i < 2; i++)
    self->axes[i].content = self->axes[i].position = 0;
  configure (self);
  listd_flow_tell_viewport (self);
}

void
listd_flow_scroll_reopen (ListdFlowView *self)
{
  self->reopened = TRUE;
}

void
listd_flow_set_adjustment (ListdFlowView *self, GtkOrientation orientation, GtkAdjustment *adjustment)
{
  ListdAxis *axis = &self->axes[orientation];

  if (axis->adjustment == adjustment && adjustment != NULL)
    return;
  if (axis->adjustment != NULL)
    g_signal_handlers_disconnect_by_func (axis->adjustment, on_value, self);
  g_clear_object (&axis->adjustment);
  if (adjustment == NULL)
    return;
  axis->adjustment = g_object_ref_sink (adjustment);
  g_signal_connect (adjustment, "value-changed", G_CALLBACK (on_value), self);
  configure (self);
}

void
listd_flow_set_page (ListdFlowView *self, double width, double height)
{
  const gboolean flipped = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  if (self->axes[0].page == width && self->axes[1].page == height && self->axes[0].flipped == flipped)
    return;
  self->axes[0].page = width;
  self->axes[1].page = height;
  if (self->axes[0].flipped != flipped)
    {
      self->axes[0].flipped = flipped;
      self->axes[0].base = flipped ? MAX (self->axes[0].content, width) : 0;
    }
  configure (self);
}

void
listd_flow_tell_viewport (ListdFlowView *self)
{
  const double viewport[4] = { self->axes[0].position, self->axes[1].position, self->axes[0].page, self->axes[1].page };

  if (self->view == NULL || viewport[2] <= 0 || viewport[3] <= 0 || memcmp (self->told, viewport, sizeof viewport) == 0)
    return;
  memcpy (self->told, viewport, sizeof viewport);
  listd_view_set_viewport (self->view, viewport[0], viewport[1], viewport[2], viewport[3]);
}

void
listd_flow_take_picture (ListdFlowView *self, const ListdRect *before, const ListdRect *after)
{
  const double offset[2] = { listd_view_get_offset_x (self->view), listd_view_get_offset_y (self->view) };
  const double content[2] = { listd_view_get_content_width (self->view), listd_view_get_content_height (self->view) };
  double shift[2] = { listd_view_get_shift_x (self->view), listd_view_get_shift_y (self->view) }, own[2] = { 0, 0 };

  if (self->reopened)
    {
      /* Another view, which knows nothing of the viewports before, and may begin somewhere near. Across the list nothing scrolls, though
       * an item may come to lie in another column. */
      for (guint axis = 0; axis < 2; axis++)
        if (before == NULL)
          shift[axis] = offset[axis] - self->axes[axis].position;
        else if (content[axis] <= self->axes[axis].page)
          shift[axis] = 0;
        else
          shift[axis] = axis ? after->y - before->y : after->x - before->x;
      self->reopened = FALSE;
      self->told[2] = -1;
    }
  else
    /* What listd takes for the start of the list it lets go. Somebody who has just left the start wants to stay where that is. */
    for (guint axis = 0; axis < 2; axis++)
      if (before != NULL && offset[axis] <= 0 && self->axes[axis].position > 0.5 && content[axis] > self->axes[axis].page
          && content[!axis] <= self->axes[!axis].page)
        own[axis] = (axis ? after->y - before->y : after->x - before->x) - shift[axis];
  for (guint axis = 0; axis < 2; axis++)
    {
      const double moved = shift[axis] + own[axis];

      self->axes[axis].content = content[axis];
      self->axes[axis].position += moved;
      self->axes[axis].base += self->axes[axis].flipped ? moved : -moved;
      self->told[axis] += shift[axis];
    }
  self->filled = TRUE;
  configure (self);
  listd_flow_tell_viewport (self);
  if (self->wanted != NULL)
    scroll_now (self);
}

gboolean
listd_flow_is_horizontal (ListdFlowView *self)
{
  return self->axes[0].content > self->axes[0].page + 1 && self->axes[1].content <= self->axes[1].page + 1;
}

void
listd_flow_scroll_by (ListdFlowView *self, double x, double y)
{
  const double by[2] = { x, y };

  for (guint i = 0; i < 2; i++)
    {
      ListdAxis *axis = &self->axes[i];
      const double position = CLAMP (axis->position + by[i], 0, end_of (axis));

      if (position == axis->position)
        continue;
      axis->position = position;
      if (axis->adjustment != NULL)
        gtk_adjustment_set_value (axis->adjustment, value_of (axis));
    }
  listd_flow_tell_viewport (self);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

void
listd_flow_reveal (ListdFlowView *self, const ListdRect *frame)
{
  const double start[2] = { frame->x, frame->y }, length[2] = { frame->width, frame->height };
  double by[2] = { 0, 0 };

  for (guint i = 0; i < 2; i++)
    {
      const ListdAxis *axis = &self->axes[i];
      if (start[i] < axis->position || length[i] > axis->page)
        by[i] = start[i] - axis->position;
      else if (start[i] + length[i] > axis->position + axis->page)
        by[i] = start[i] + length[i] - axis->page - axis->position;
    }
  if (by[0] != 0 || by[1] != 0)
    listd_flow_scroll_by (self, by[0], by[1]);
}

gboolean
listd_flow_meets (const ListdFlowView *self, const ListdRect *frame)
{
  const ListdAxis *x = &self->axes[0], *y = &self->axes[1];

  return frame->x < x->position + x->page && frame->x + frame->width > x->position && frame->y < y->position + y->page
         && frame->y + frame->height > y->position;
}

static double
snap (double value, double scale)
{
  return floor (value * scale + 0.5) / scale;
}

ListdRect
listd_flow_to_widget (ListdFlowView *self, const ListdRect *frame)
{
  const double scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
  const double x = frame->x - self->axes[0].position, y = frame->y - self->axes[1].position;
  ListdRect rect = { snap (x, scale), snap (y, scale), 0, 0 };

  rect.width = snap (x + frame->width, scale) - rect.x;
  rect.height = snap (y + frame->height, scale) - rect.y;
  if (self->axes[0].flipped)
    rect.x = self->axes[0].page - rect.x - rect.width;
  return rect;
}

void
listd_flow_to_content (ListdFlowView *self, double *x, double *y)
{
  *x = (self->axes[0].flipped ? self->axes[0].page - *x : *x) + self->axes[0].position;
  *y += self->axes[1].position;
}

/* Scrolling to items */

void
listd_flow_scroll_update (ListdFlowView *self)
{
  ListdCell *cell = self->awaited != NULL ? listd_flow_view_get_cell (self, self->awaited, self->awaited_item) : NULL;

  if (cell == NULL)
    return;
  g_clear_pointer (&self->awaited, g_free);
  gtk_widget_grab_focus (GTK_WIDGET (cell));
}

/* What should be scrolled to is not there. If it had the focus once, that goes to what is on the screen. */
static void
give_up (ListdFlowView *self)
{
  g_autofree char *id = g_steal_pointer (&self->awaited);

  if (id == NULL || g_strcmp0 (id, self->cursor) != 0 || self->awaited_item != self->cursor_item)
    return;
  g_clear_pointer (&self->cursor, g_free);
  listd_flow_keys_grab_focus (self);
}

static void
on_scrolled (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (ListdFlowView) self = listd_flow_return (data);
  g_autoptr (GError) error = NULL;
  const gboolean done = listd_view_scroll_to_finish (LISTD_VIEW (object), result, &error);

  if (self == NULL || self->view != LISTD_VIEW (object))
    return;
  if (!done)
    g_debug ("%s: %s", self->name, error->message);
  if (done)
    listd_flow_scroll_update (self);
  else
    give_up (self);
}

/* listd scrolls along one axis. In a content that scrolls along both, the place of an item is known by another view, which is as wide as
 * the content, and shows that item. */
static void
on_probed (ListdView *probe, ListdFlowView *self)
{
  GListModel *slots = listd_view_get_slots (probe);

  for (guint i = 0; i < g_list_model_get_n_items (slots); i++)
    {
      g_autoptr (ListdSlot) slot = g_list_model_get_item (slots, i);
      ListdItem *item = listd_slot_get_item (slot);
      const double start[2] = { listd_slot_get_x (slot), listd_slot_get_y (slot) };
      const double length[2] = { listd_slot_get_width (slot), listd_slot_get_height (slot) };
      double to[2];

      if (!g_str_equal (listd_slot_get_kind (slot), "cell") || listd_item_get_item (item) != self->sought_item
          || g_strcmp0 (listd_item_get_id (item), self->sought) != 0)
        continue;
      drop_probe (self);
      if (self->wanted_position == LISTD_SCROLL_POSITION_NEAREST)
        {
          listd_flow_reveal (self, &(ListdRect){ start[0], start[1], length[0], length[1] });
          return;
        }
      for (guint axis = 0; axis < 2; axis++)
        {
          const double rest = self->axes[axis].page - length[axis];

          to[axis] = start[axis]
                     - (self->wanted_position == LISTD_SCROLL_POSITION_END      ? rest
                        : self->wanted_position == LISTD_SCROLL_POSITION_CENTER ? rest / 2
                                                                                : 0);
        }
      listd_flow_scroll_by (self, to[0] - self->axes[0].position, to[1] - self->axes[1].position);
      return;
    }
}

/* There is no such item, or no list. */
static void
on_probe_state (ListdView *probe, GParamSpec *pspec, ListdFlowView *self)
{
  if (listd_view_get_state (probe) != LISTD_VIEW_STATE_FAILED)
    return;
  drop_probe (self);
  give_up (self);
}

static void
probe (ListdFlowView *self, const char *id)
{
  static const char *const nothing[] = { " ", NULL };
  g_auto (GVariantDict) options = G_VARIANT_DICT_INIT (self->options);

  self->sought = g_strdup (id);
  self->sought_item = self->wanted_item;
  g_variant_dict_insert (&options, "at", "(sus)", id, self->wanted_item, "start");
  /* No content has a field of this name. */
  g_variant_dict_insert (&options, "fields", "^as", nothing);
  self->probe = listd_view_new (self->client, self->name, g_variant_dict_end (&options));
  g_signal_connect (self->probe, "picture", G_CALLBACK (on_probed), self);
  g_signal_connect (self->probe, "notify::state", G_CALLBACK (on_probe_state), self);
  listd_view_set_viewport (self->probe, 0, 0, self->axes[0].content, 1);
}

static void
scroll_now (ListdFlowView *self)
{
  g_autofree char *id = g_steal_pointer (&self->wanted);

  drop_probe (self);
  g_clear_pointer (&self->awaited, g_free);
  if (self->wanted_focus)
    {
      self->awaited = g_strdup (id);
      self->awaited_item = self->wanted_item;
    }
  if (self->axes[0].content > self->axes[0].page && self->axes[1].content > self->axes[1].page)
    {
      probe (self, id);
      return;
    }
  listd_view_scroll_to_async (self->view, id, self->wanted_item, self->wanted_position, NULL, on_scrolled, listd_flow_lend (self));
}

/**
 * listd_flow_view_scroll_to:
 * @self: a flow view
 * @id: the id of an object
 * @item: one of its items
 * @position: where it comes to lie
 * @focus: whether it gets the focus
 *
 * Scrolls to an item, wherever it is in the list. A view that shows nothing yet does it as soon as it can.
 */
void
listd_flow_view_scroll_to (ListdFlowView *self, const char *id, guint item, ListdScrollPosition position, gboolean focus)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  g_return_if_fail (id != NULL);
  g_free (self->wanted);
  self->wanted = g_strdup (id);
  self->wanted_item = item;
  self->wanted_position = position;
  self->wanted_focus = focus;
  if (self->filled && self->view != NULL && listd_view_get_state (self->view) == LISTD_VIEW_STATE_ACTIVE)
    scroll_now (self);
}

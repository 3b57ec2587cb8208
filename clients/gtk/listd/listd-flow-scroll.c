// SPDX-License-Identifier: Apache-2.0
/* Where the viewport is: the adjustments, and what listd does to the content below them. */
#include "listd-flow-private.h"

#include <math.h>
#include <string.h>

#define MOST_TOLD 64
#define SAME(a, b) (fabs ((a) - (b)) < 0.5)

/* A viewport, in the content of the last picture. */
typedef struct
{
  double at[2];
  double size[2];
} Told;

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
  self->anchors = TRUE;
  self->told = g_array_new (FALSE, FALSE, sizeof (Told));
  self->axes[0].policy = self->axes[1].policy = GTK_SCROLL_MINIMUM;
}

void
listd_flow_scroll_finalize (ListdFlowView *self)
{
  listd_flow_set_adjustment (self, GTK_ORIENTATION_HORIZONTAL, NULL);
  listd_flow_set_adjustment (self, GTK_ORIENTATION_VERTICAL, NULL);
  g_array_unref (self->told);
  g_free (self->wanted);
  g_free (self->awaited);
}

/* Another list: from its beginning. */
void
listd_flow_scroll_reset (ListdFlowView *self)
{
  g_array_set_size (self->told, 0);
  self->scrolls = 0;
  self->filled = FALSE;
  self->anchors = TRUE;
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
  Told told;

  if (self->view == NULL || self->axes[0].page <= 0 || self->axes[1].page <= 0)
    return;
  for (guint i = 0; i < 2; i++)
    {
      told.at[i] = self->axes[i].position;
      told.size[i] = self->axes[i].page;
    }
  if (self->told->len > 0)
    {
      const Told *last = &g_array_index (self->told, Told, self->told->len - 1);
      if (memcmp (last, &told, sizeof told) == 0)
        return;
    }
  if (self->told->len >= MOST_TOLD)
    g_array_remove_range (self->told, 0, MOST_TOLD / 2);
  g_array_append_val (self->told, told);
  listd_view_set_viewport (self->view, told.at[0], told.at[1], told.size[0], told.size[1]);
}

/* Pictures say where listd's viewport is, which is one of those that it was told of, as far as it has come, and moved by what
 * happened to the list. The program has scrolled on since, so what counts is how far listd moved it. What the eye rests on moved by
 * `seen`, and listd has moved the viewport as far, unless it does not anchor: at the start of the list, and in a map. */
static void
find_shift (ListdFlowView *self, const double offset[2], const double seen[2], double shift[2])
{
  const gboolean idle = self->told->len <= 1;

  for (guint way = 0; way < 4; way++)
    for (guint i = 0; i < self->told->len; i++)
      {
        const Told *told = &g_array_index (self->told, Told, i), *last = &g_array_index (self->told, Told, 0);
        const gboolean resized = told->size[0] != last->size[0] || told->size[1] != last->size[1];
        double moved[2];
        gboolean fits = TRUE;

        for (guint axis = 0; axis < 2; axis++)
          {
            const gboolean stays = (way & (1 << axis)) != 0;

            moved[axis] = stays ? 0 : seen[axis];
            fits = fits && SAME (offset[axis] - told->at[axis], moved[axis])
                   && (!stays || SAME (seen[axis], 0) || idle || !self->anchors || offset[axis] < 0.5 || resized);
          }
        if (!fits)
          continue;
        if (idle && !resized && offset[0] + offset[1] > 0.5 && (!SAME (seen[0], 0) || !SAME (seen[1], 0)))
          self->anchors = !SAME (moved[0], 0) || !SAME (moved[1], 0);
        /* Another width moves what is seen though the offset stays. */
        for (guint axis = 0; axis < 2; axis++)
          shift[axis] = moved[axis] == 0 && resized ? seen[axis] : moved[axis];
        if (i > 0)
          g_array_remove_range (self->told, 0, i);
        return;
      }
  /* listd scrolled by itself, or for listd_flow_view_scroll_to(). Else what is known of the viewports under way is wrong by what
   * nobody saw, until one arrives that was told after this picture. */
  for (guint axis = 0; axis < 2; axis++)
    if (self->scrolls > 0 || idle)
      shift[axis] = offset[axis] - self->axes[axis].position;
    else
      shift[axis] = self->anchors ? seen[axis] : 0;
  if (self->scrolls > 0 && self->told->len > 1)
    g_array_remove_range (self->told, 0, self->told->len - 1);
}

void
listd_flow_take_picture (ListdFlowView *self, const ListdRect *before, const ListdRect *after)
{
  const double offset[2] = { listd_view_get_offset_x (self->view), listd_view_get_offset_y (self->view) };
  const double content[2] = { listd_view_get_content_width (self->view), listd_view_get_content_height (self->view) };
  double seen[2] = { 0, 0 }, shift[2] = { 0, 0 };

  /* Across the list nothing scrolls, though an item may come to lie in another column. */
  if (before != NULL && content[0] > self->axes[0].page)
    seen[0] = after->x - before->x;
  if (before != NULL && content[1] > self->axes[1].page)
    seen[1] = after->y - before->y;
  if (self->reopened)
    {
      /* Another view: it knows nothing of the viewports before, and may begin somewhere near. */
      g_array_set_size (self->told, 0);
      for (guint axis = 0; axis < 2; axis++)
        shift[axis] = before != NULL ? seen[axis] : offset[axis] - self->axes[axis].position;
      self->reopened = FALSE;
    }
  else
    find_shift (self, offset, seen, shift);
  for (guint axis = 0; axis < 2; axis++)
    {
      self->axes[axis].content = content[axis];
      if (shift[axis] == 0)
        continue;
      self->axes[axis].position += shift[axis];
      self->axes[axis].base += self->axes[axis].flipped ? shift[axis] : -shift[axis];
      for (guint i = 0; i < self->told->len; i++)
        g_array_index (self->told, Told, i).at[axis] += shift[axis];
    }
  /* A viewport that the library below has not sent yet would be taken for one of this picture. */
  if ((shift[0] != 0 || shift[1] != 0) && self->told->len > 1)
    {
      const Told *last = &g_array_index (self->told, Told, self->told->len - 1);
      listd_view_set_viewport (self->view, last->at[0], last->at[1], last->size[0], last->size[1]);
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
  self->scrolls -= MIN (self->scrolls, 1);
  if (done)
    listd_flow_scroll_update (self);
  else
    g_clear_pointer (&self->awaited, g_free);
}

static void
scroll_now (ListdFlowView *self)
{
  g_autofree char *id = g_steal_pointer (&self->wanted);

  g_clear_pointer (&self->awaited, g_free);
  if (self->wanted_focus)
    {
      self->awaited = g_strdup (id);
      self->awaited_item = self->wanted_item;
    }
  self->scrolls++;
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

// SPDX-License-Identifier: Apache-2.0
/* Movement: what an update moved on the screen glides to its place, what it brought appears, and what it took is seen to go. */
#include "listd-flow-private.h"

#include <math.h>

#define DURATION (200 * G_TIME_SPAN_MILLISECOND)
/* A cell that has not been drawn yet since it moves: its way begins with the next frame. */
#define SOON -1

gint64
listd_flow_moves_now (ListdFlowView *self)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (self));

  return clock != NULL ? gdk_frame_clock_get_frame_time (clock) : 0;
}

double
listd_flow_moves_way (const ListdCell *cell, gint64 now)
{
  const double left = cell->held || cell->moved == SOON ? 1 : cell->moved == 0 ? 0 : CLAMP (1 - (now - cell->moved) / (double) DURATION, 0, 1);

  return left * left * left;
}

double
listd_flow_moves_opacity (const ListdCell *cell, gint64 now)
{
  return cell->leaving ? cell->alpha * listd_flow_moves_way (cell, now) : 1 - (1 - cell->alpha) * listd_flow_moves_way (cell, now);
}

/* A cell goes another way from where it is now. */
static void
set_off (ListdCell *cell, double x, double y, gint64 now)
{
  const double way = listd_flow_moves_way (cell, now);

  cell->alpha = listd_flow_moves_opacity (cell, now);
  cell->from_x = x + cell->from_x * way;
  cell->from_y = y + cell->from_y * way;
  cell->moved = SOON;
}

/* Nobody can use what is gone. */
static void
set_leaving (ListdCell *cell, gboolean leaving)
{
  if (cell->leaving == leaving)
    return;
  cell->leaving = leaving;
  gtk_widget_set_can_target (GTK_WIDGET (cell), !leaving);
  gtk_widget_set_can_focus (GTK_WIDGET (cell), !leaving);
  gtk_accessible_update_state (GTK_ACCESSIBLE (cell), GTK_ACCESSIBLE_STATE_HIDDEN, leaving, -1);
}

gboolean
listd_flow_moves_enabled (ListdFlowView *self)
{
  gboolean enabled = FALSE;

  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-enable-animations", &enabled, NULL);
  return enabled && gtk_widget_get_mapped (GTK_WIDGET (self));
}

/* TRUE as long as the cell moves. */
static gboolean
step (ListdCell *cell, gint64 now, gboolean enabled)
{
  if (cell->moved == SOON)
    cell->moved = now;
  if (!enabled || now - cell->moved >= DURATION)
    cell->moved = 0;
  return cell->moved != 0;
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (widget);
  const gint64 now = gdk_frame_clock_get_frame_time (clock);
  const gboolean enabled = listd_flow_moves_enabled (self);
  GHashTableIter iter;
  ListdCell *cell;
  gboolean more = FALSE;

  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &cell))
    if (cell->moved != 0)
      more = step (cell, now, enabled) || more;
  /* Who hears that a cell shows its item no more may close the list. */
  for (guint i = self->leaving->len; i > 0; i--)
    if (i > self->leaving->len)
      continue;
    else if (step (self->leaving->pdata[i - 1], now, enabled))
      more = TRUE;
    else
      listd_flow_cells_free (self, g_ptr_array_steal_index_fast (self->leaving, i - 1));
  gtk_widget_queue_allocate (widget);
  if (more)
    return G_SOURCE_CONTINUE;
  self->moving = 0;
  return G_SOURCE_REMOVE;
}

static void
begin_moving (ListdFlowView *self)
{
  if (self->moving == 0)
    self->moving = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
}

void
listd_flow_moves_remember (ListdFlowView *self)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self)); child != NULL; child = gtk_widget_get_next_sibling (child))
    if (LISTD_IS_CELL (child) && LISTD_CELL (child)->frame.width >= 0)
      {
        const ListdRect rest = listd_flow_cells_rest (self, LISTD_CELL (child));

        LISTD_CELL (child)->x = rest.x - self->axes[0].position;
        LISTD_CELL (child)->y = rest.y - self->axes[1].position;
      }
}

gboolean
listd_flow_moves_was_seen (const ListdFlowView *self, const ListdCell *cell)
{
  return cell->frame.width >= 0
         && listd_flow_meets (self, &(ListdRect){ cell->x + self->axes[0].position, cell->y + self->axes[1].position, cell->frame.width, cell->frame.height });
}

static void
leave (ListdFlowView *self)
{
  const gint64 now = listd_flow_moves_now (self);

  for (guint i = 0; i < self->leaving->len; i++)
    {
      ListdCell *cell = self->leaving->pdata[i];

      /* It stays where it was on the screen. */
      cell->frame.x = cell->x + self->axes[0].position;
      cell->frame.y = cell->y + self->axes[1].position;
      cell->sticky = FALSE;
      if (cell->leaving)
        continue;
      set_off (cell, 0, 0, now);
      set_leaving (cell, TRUE);
    }
}

void
listd_flow_moves_part (ListdFlowView *self)
{
  for (guint i = self->loose->len; i > 0; i--)
    {
      ListdCell *cell = self->loose->pdata[i - 1];

      if (cell->held || listd_cell_has_focus (cell) || listd_slot_get_cause (cell->slot) == LISTD_SLOT_CAUSE_SCROLLED
          || listd_slot_get_cause (cell->slot) == LISTD_SLOT_CAUSE_RELOADED || !listd_flow_moves_was_seen (self, cell))
        continue;
      g_ptr_array_remove_index_fast (self->loose, i - 1);
      g_ptr_array_add (self->leaving, cell);
    }
}

gboolean
listd_flow_moves_leave (ListdFlowView *self, ListdCell *cell)
{
  if (cell->held || !listd_flow_moves_was_seen (self, cell))
    return FALSE;
  g_ptr_array_add (self->leaving, cell);
  leave (self);
  begin_moving (self);
  return TRUE;
}

void
listd_flow_moves_return (ListdFlowView *self, ListdCell *cell)
{
  set_off (cell, 0, 0, listd_flow_moves_now (self));
  set_leaving (cell, FALSE);
}

void
listd_flow_moves_begin (ListdFlowView *self, ListdCell *cell)
{
  if (!listd_flow_moves_enabled (self))
    return;
  cell->moved = SOON;
  begin_moving (self);
}

void
listd_flow_moves_end (ListdCell *cell)
{
  set_leaving (cell, FALSE);
  cell->moved = 0;
}

void
listd_flow_moves_place (ListdFlowView *self, gboolean animated)
{
  const gint64 now = listd_flow_moves_now (self);
  gboolean more = self->leaving->len > 0;
  GHashTableIter iter;
  ListdCell *cell;

  leave (self);
  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &cell))
    {
      const ListdSlotCause cause = listd_slot_get_cause (cell->slot);
      const gboolean fresh = cell->frame.width < 0;
      ListdRect frame, old;
      double x, y;

      cell->frame = (ListdRect){ listd_slot_get_x (cell->slot), listd_slot_get_y (cell->slot), listd_slot_get_width (cell->slot),
                                 listd_slot_get_height (cell->slot) };
      cell->sticky = listd_slot_get_travel (cell->slot, &cell->first, &cell->last);
      cell->z = listd_slot_get_z (cell->slot);
      frame = listd_flow_cells_rest (self, cell);
      x = fresh ? 0 : cell->x + self->axes[0].position - frame.x;
      y = fresh ? 0 : cell->y + self->axes[1].position - frame.y;
      old = (ListdRect){ frame.x + x, frame.y + y, frame.width, frame.height };
      if (cell->held)
        {
          cell->from_x += x;
          cell->from_y += y;
        }
      else if (!animated || cause == LISTD_SLOT_CAUSE_SCROLLED || (!listd_flow_meets (self, &frame) && !listd_flow_meets (self, &old)))
        ;
      else if (fresh && cause != LISTD_SLOT_CAUSE_RELOADED)
        {
          cell->alpha = 0;
          cell->from_x = cell->from_y = 0;
          cell->moved = SOON;
        }
      else if (fabs (x) > 0.5 || fabs (y) > 0.5)
        set_off (cell, x, y, now);
      more = more || cell->moved != 0;
    }
  if (more)
    begin_moving (self);
}

// SPDX-License-Identifier: Apache-2.0
/* The children: which cell shows which slot, where it is drawn, and how it gets there. */
#include "listd-flow-private.h"
#include "listd-pool-private.h"

#include <math.h>

static const ListdRect nowhere = { 0, 0, -1, -1 };

void
listd_flow_cells_init (ListdFlowView *self)
{
  self->cells = g_hash_table_new (NULL, NULL);
  self->loose = g_ptr_array_new ();
  self->arrivals = g_ptr_array_new_with_free_func (g_object_unref);
  self->leaving = g_ptr_array_new ();
  self->spare = g_ptr_array_new ();
}

static void
drop (ListdFlowView *self, ListdCell *cell)
{
  self->n_cells--;
  gtk_widget_unparent (GTK_WIDGET (cell));
}

void
listd_flow_cells_dispose (ListdFlowView *self)
{
  GtkWidget *child;

  listd_flow_cells_detach_clock (self);
  g_hash_table_remove_all (self->cells);
  g_ptr_array_set_size (self->loose, 0);
  g_ptr_array_set_size (self->arrivals, 0);
  g_ptr_array_set_size (self->leaving, 0);
  g_ptr_array_set_size (self->spare, 0);
  self->parked = NULL;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  self->n_cells = 0;
}

void
listd_flow_cells_finalize (ListdFlowView *self)
{
  g_hash_table_unref (self->cells);
  g_ptr_array_unref (self->loose);
  g_ptr_array_unref (self->arrivals);
  g_ptr_array_unref (self->leaving);
  g_ptr_array_unref (self->spare);
}

void
listd_flow_cells_forget_spare (ListdFlowView *self)
{
  for (guint i = 0; i < self->spare->len; i++)
    drop (self, self->spare->pdata[i]);
  g_ptr_array_set_size (self->spare, 0);
}

/* Cells that are used again */

static void
unbind (ListdFlowView *self, ListdCell *cell)
{
  if (cell->slot == NULL)
    return;
  if (cell->made)
    listd_flow_emit_unbind (self, cell);
  listd_cell_set_slot (cell, NULL);
}

void
listd_flow_cells_free (ListdFlowView *self, ListdCell *cell)
{
  listd_flow_moves_end (cell);
  if (self->held == cell)
    self->held = NULL;
  cell->held = FALSE;
  unbind (self, cell);
  cell->frame = nowhere;
  cell->sticky = FALSE;
  cell->moved = 0;
  listd_cell_set_selected (cell, FALSE);
  if (self->pool != NULL)
    {
      g_object_ref (cell);
      drop (self, cell);
      listd_widget_pool_put (self->pool, cell);
      g_object_unref (cell);
      return;
    }
  gtk_widget_set_child_visible (GTK_WIDGET (cell), FALSE);
  /* It is no row of the list meanwhile. */
  gtk_accessible_update_state (GTK_ACCESSIBLE (cell), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
  g_ptr_array_add (self->spare, cell);
}

static void
bind (ListdFlowView *self, ListdCell *cell, ListdSlot *slot)
{
  if (cell->slot != NULL)
    unbind (self, cell);
  listd_cell_set_slot (cell, slot);
  if (!cell->made)
    {
      GtkWidget *child = listd_flow_emit_setup (self, cell);
      if (child != NULL)
        listd_cell_set_child (cell, child);
      cell->made = TRUE;
    }
  g_hash_table_insert (self->cells, slot, cell);
  listd_flow_emit_bind (self, cell);
  listd_flow_select_update (self, cell);
}

static ListdCell *
take_from (GPtrArray *cells, const char *kind, const char *reuse)
{
  for (guint i = cells->len; i > 0; i--)
    {
      ListdCell *cell = cells->pdata[i - 1];
      if (g_str_equal (cell->reuse, reuse) && g_str_equal (cell->kind, kind))
        {
          g_ptr_array_remove_index_fast (cells, i - 1);
          return cell;
        }
    }
  return NULL;
}

static ListdCell *
take_cell (ListdFlowView *self, const char *kind, const char *reuse)
{
  ListdCell *cell = *reuse != '\0' ? take_from (self->spare, kind, reuse) : NULL;

  if (cell != NULL)
    gtk_accessible_update_state (GTK_ACCESSIBLE (cell), GTK_ACCESSIBLE_STATE_HIDDEN, FALSE, -1);
  else
    {
      if (self->pool != NULL && *reuse != '\0')
        cell = listd_widget_pool_take (self->pool, kind, reuse);
      if (cell == NULL)
        cell = g_object_ref_sink (listd_cell_new (kind, reuse));
      gtk_widget_set_parent (GTK_WIDGET (cell), GTK_WIDGET (self));
      g_object_unref (cell);
      self->n_cells++;
    }
  gtk_widget_set_child_visible (GTK_WIDGET (cell), TRUE);
  cell->alpha = 1;
  cell->frame = nowhere;
  cell->moved = 0;
  return cell;
}

/* Where a cell lies in the content when it does not move. */
ListdRect
listd_flow_cells_rest (ListdFlowView *self, const ListdCell *cell)
{
  const guint axis = listd_flow_is_horizontal (self) ? 0 : 1;
  ListdRect frame = cell->frame;
  double *place = axis ? &frame.y : &frame.x;

  if (cell->sticky && self->axes[axis].content > self->axes[axis].page)
    *place = MAX (cell->first, MIN (self->axes[axis].position + listd_view_get_sticky_edge (self->view), cell->last));
  return frame;
}

static gboolean
shows_same_item (ListdSlot *one, ListdSlot *other)
{
  ListdItem *a = listd_slot_get_item (one), *b = listd_slot_get_item (other);

  return listd_item_get_item (a) == listd_item_get_item (b) && g_strcmp0 (listd_item_get_id (a), listd_item_get_id (b)) == 0
         && g_strcmp0 (listd_slot_get_kind (one), listd_slot_get_kind (other)) == 0;
}

static gboolean
shows_same (ListdSlot *one, ListdSlot *other)
{
  return shows_same_item (one, other)
         && g_strcmp0 (listd_item_get_reuse_identifier (listd_slot_get_item (one)), listd_item_get_reuse_identifier (listd_slot_get_item (other))) == 0;
}

/* Pictures */

static void
on_shown (ListdView *view, ListdSlot *slot, ListdFlowView *self)
{
  g_ptr_array_add (self->arrivals, g_object_ref (slot));
}

static void
on_released (ListdView *view, ListdSlot *slot, ListdFlowView *self)
{
  ListdCell *cell = g_hash_table_lookup (self->cells, slot);

  if (cell != NULL)
    {
      g_hash_table_remove (self->cells, slot);
      g_ptr_array_add (self->loose, cell);
    }
  else
    g_ptr_array_remove (self->arrivals, slot);
}

static void
on_bound (ListdView *view, ListdSlot *slot, ListdFlowView *self)
{
  ListdCell *cell = g_hash_table_lookup (self->cells, slot);

  if (cell == NULL)
    return;
  listd_flow_emit_unbind (self, cell);
  listd_flow_emit_bind (self, cell);
}

static gboolean
comes_before (ListdSlot *one, ListdSlot *other)
{
  guint a = listd_slot_get_section (one), b = listd_slot_get_section (other);

  return a < b || (a == b && listd_item_get_item (listd_slot_get_item (one)) < listd_item_get_item (listd_slot_get_item (other)));
}

/* What the eye rests on: the first item on the screen that is still there, else the nearest one. */
static ListdCell *
find_anchor (ListdFlowView *self)
{
  GHashTableIter iter;
  ListdCell *best = NULL;
  ListdCell *cell;
  gboolean visible = FALSE;
  double nearest = INFINITY;

  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &cell))
    {
      if (cell->frame.width < 0 || !g_str_equal (cell->kind, "cell"))
        continue;
      if (listd_flow_meets (self, &cell->frame))
        {
          if (!visible || comes_before (cell->slot, best->slot))
            best = cell;
          visible = TRUE;
        }
      else if (!visible)
        {
          const double distance
              = fabs (cell->frame.y - self->axes[1].position) + fabs (cell->frame.x - self->axes[0].position);
          if (distance < nearest)
            {
              nearest = distance;
              best = cell;
            }
        }
    }
  return best;
}

static ListdCell *
take_same (GPtrArray *cells, ListdSlot *slot)
{
  for (guint i = 0; i < cells->len; i++)
    {
      ListdCell *cell = cells->pdata[i];
      if (shows_same (cell->slot, slot))
        {
          g_ptr_array_remove_index_fast (cells, i);
          return cell;
        }
    }
  return NULL;
}

/* An item was made anew in another form: its cell is another, and begins where the old one was. */
static void
succeed (ListdFlowView *self, ListdCell *cell)
{
  for (guint i = 0; i < self->loose->len; i++)
    {
      ListdCell *before = self->loose->pdata[i];

      if (before->frame.width < 0 || !shows_same_item (before->slot, cell->slot))
        continue;
      cell->frame = before->frame;
      cell->x = before->x;
      cell->y = before->y;
      cell->from_x = before->from_x;
      cell->from_y = before->from_y;
      cell->moved = before->moved;
      cell->alpha = before->alpha;
      if (listd_cell_has_focus (before))
        gtk_widget_grab_focus (GTK_WIDGET (cell));
      return;
    }
}

static void
take_arrivals (ListdFlowView *self)
{
  /* The same items first: after a restart of listd all slots are others, and nothing may flicker. */
  for (guint i = 0; i < self->arrivals->len;)
    {
      ListdSlot *slot = self->arrivals->pdata[i];
      ListdCell *same = NULL;

      if (self->parked != NULL && shows_same (self->parked->slot, slot))
        {
          same = self->parked;
          self->parked = NULL;
          same->frame = nowhere;
        }
      if (same == NULL)
        same = take_same (self->loose, slot);
      /* It has come back before it was out of sight. */
      if (same == NULL && (same = take_same (self->leaving, slot)) != NULL)
        listd_flow_moves_return (self, same);
      if (same == NULL)
        {
          i++;
          continue;
        }
      bind (self, same, slot);
      g_ptr_array_remove_index_fast (self->arrivals, i);
    }
  for (guint i = 0; i < self->arrivals->len; i++)
    {
      ListdSlot *slot = self->arrivals->pdata[i];
      const char *kind = listd_slot_get_kind (slot), *reuse = listd_item_get_reuse_identifier (listd_slot_get_item (slot));
      ListdCell *cell = NULL;

      if (reuse == NULL)
        reuse = "";
      for (guint j = self->loose->len; *reuse != '\0' && j > 0 && cell == NULL; j--)
        {
          ListdCell *candidate = self->loose->pdata[j - 1];
          if (g_str_equal (candidate->reuse, reuse) && g_str_equal (candidate->kind, kind) && !listd_cell_has_focus (candidate))
            {
              cell = candidate;
              cell->frame = nowhere;
              cell->moved = 0;
              cell->alpha = 1;
              g_ptr_array_remove_index_fast (self->loose, j - 1);
            }
        }
      if (cell == NULL)
        cell = take_cell (self, kind, reuse);
      bind (self, cell, slot);
      succeed (self, cell);
    }
  g_ptr_array_set_size (self->arrivals, 0);
}

static int
compare_depth (gconstpointer one, gconstpointer other)
{
  const ListdCell *a = *(ListdCell *const *) one, *b = *(ListdCell *const *) other;

  if (a->held != b->held)
    return a->held ? 1 : -1;
  if (a->z != b->z)
    return a->z < b->z ? -1 : 1;
  if (a->slot == b->slot)
    return 0;
  return comes_before (a->slot, b->slot) ? -1 : 1;
}

/* Puts the children in the order of their depth, moving as few as can be. */
static void
restack (ListdFlowView *self)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  g_autofree guint *order = NULL, *tails = NULL, *before = NULL;
  g_autofree gboolean *stays = NULL;
  GHashTableIter iter;
  gpointer cell;
  guint n = 0, longest = 0;
  GtkWidget *previous = NULL;

  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, &cell))
    g_ptr_array_add (sorted, cell);
  g_ptr_array_sort (sorted, compare_depth);
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self)); child != NULL; child = gtk_widget_get_next_sibling (child))
    g_hash_table_insert (places, child, GUINT_TO_POINTER (n++));
  order = g_new (guint, sorted->len);
  tails = g_new (guint, sorted->len + 1);
  before = g_new (guint, sorted->len);
  stays = g_new0 (gboolean, sorted->len);
  for (guint i = 0; i < sorted->len; i++)
    {
      guint low = 0, high = longest;

      order[i] = GPOINTER_TO_UINT (g_hash_table_lookup (places, sorted->pdata[i]));
      while (low < high)
        {
          const guint middle = (low + high) / 2;
          if (order[tails[middle]] < order[i])
            low = middle + 1;
          else
            high = middle;
        }
      tails[low] = i;
      before[i] = low > 0 ? tails[low - 1] : G_MAXUINT;
      longest = MAX (longest, low + 1);
    }
  for (guint i = longest > 0 ? tails[longest - 1] : G_MAXUINT; i != G_MAXUINT; i = before[i])
    stays[i] = TRUE;
  for (guint i = 0; i < sorted->len; i++)
    {
      if (!stays[i])
        gtk_widget_insert_after (sorted->pdata[i], GTK_WIDGET (self), previous);
      previous = sorted->pdata[i];
    }
  /* What is gone lies below. */
  for (guint i = 0; i < self->leaving->len; i++)
    if (gtk_widget_get_first_child (GTK_WIDGET (self)) != self->leaving->pdata[i])
      gtk_widget_insert_after (self->leaving->pdata[i], GTK_WIDGET (self), NULL);
}

/* Whoever had the focus keeps it while its item is out of sight. When the item is gone, its neighbour gets the focus. */
static void
take_loose (ListdFlowView *self, gboolean animated, gboolean reopened)
{
  g_autoptr (GPtrArray) loose = g_steal_pointer (&self->loose);
  ListdCell *orphan = NULL;

  self->loose = g_ptr_array_new ();
  for (guint i = 0; i < loose->len; i++)
    {
      ListdCell *cell = loose->pdata[i];

      if (!listd_cell_has_focus (cell))
        listd_flow_cells_free (self, cell);
      else if (listd_slot_get_cause (cell->slot) == LISTD_SLOT_CAUSE_DELETED || (reopened && listd_flow_moves_was_seen (self, cell)))
        orphan = cell;
      else
        {
          if (self->parked != NULL)
            listd_flow_cells_free (self, self->parked);
          self->parked = cell;
        }
    }
  if (orphan != NULL)
    {
      ListdCell *next = NULL, *cell;
      GHashTableIter iter;
      double nearest = INFINITY;

      g_hash_table_iter_init (&iter, self->cells);
      while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &cell))
        {
          const double distance = hypot (listd_slot_get_x (cell->slot) - orphan->frame.x, listd_slot_get_y (cell->slot) - orphan->frame.y);
          if (g_str_equal (cell->kind, "cell") && distance < nearest)
            {
              nearest = distance;
              next = cell;
            }
        }
      if (next == NULL || !gtk_widget_grab_focus (GTK_WIDGET (next)))
        gtk_widget_grab_focus (GTK_WIDGET (self));
      if (!animated || !listd_flow_moves_leave (self, orphan))
        listd_flow_cells_free (self, orphan);
    }
}

/* Assistive technologies hear which of how many items a cell is. Of a list whose sections have several items only the list knows,
 * which listd-flow-keys.c asks for the item that has the focus. */
void
listd_flow_cells_tell_places (ListdFlowView *self)
{
  GHashTableIter iter;
  ListdCell *cell;
  const guint n = self->list != NULL ? g_list_model_get_n_items (G_LIST_MODEL (self->list)) : 0;

  g_hash_table_iter_init (&iter, self->cells);
  while (!self->uneven && g_hash_table_iter_next (&iter, NULL, (gpointer *) &cell))
    self->uneven = !g_str_equal (cell->kind, "cell") || listd_item_get_item (listd_slot_get_item (cell->slot)) > 0;
  if (self->uneven)
    return;
  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &cell))
      listd_cell_set_place (cell, listd_slot_get_section (cell->slot) < n ? listd_slot_get_section (cell->slot) + 1 : 0, n);
}

/* What was drawn is acknowledged, and not before: who draws slowly gets fewer pictures. */
static void
on_painted (GdkFrameClock *clock, ListdFlowView *self)
{
  listd_flow_cells_detach_clock (self);
  if (self->view != NULL)
    listd_view_acknowledge (self->view);
}

void
listd_flow_cells_detach_clock (ListdFlowView *self)
{
  if (self->painted != 0)
    g_signal_handler_disconnect (self->clock, self->painted);
  self->painted = 0;
  g_clear_object (&self->clock);
}

static void
acknowledge (ListdFlowView *self)
{
  if (self->painted != 0)
    return;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    {
      listd_view_acknowledge (self->view);
      return;
    }
  self->clock = g_object_ref (gtk_widget_get_frame_clock (GTK_WIDGET (self)));
  self->painted = g_signal_connect (self->clock, "after-paint", G_CALLBACK (on_painted), self);
  gdk_frame_clock_request_phase (self->clock, GDK_FRAME_CLOCK_PHASE_AFTER_PAINT);
}

static void
on_picture (ListdView *view, ListdFlowView *self)
{
  const gboolean reopened = self->reopened, animated = !reopened && listd_view_get_animated (view) && listd_flow_moves_enabled (self);
  ListdCell *anchor;

  self->revision = listd_view_get_revision (view);
  listd_flow_moves_remember (self);
  if (animated)
    listd_flow_moves_part (self);
  take_arrivals (self);
  anchor = find_anchor (self);
  if (anchor != NULL)
    {
      const ListdRect after = { listd_slot_get_x (anchor->slot), listd_slot_get_y (anchor->slot), 0, 0 };
      listd_flow_take_picture (self, &anchor->frame, &after);
    }
  else
    listd_flow_take_picture (self, NULL, NULL);
  listd_flow_moves_place (self, animated);
  take_loose (self, animated, reopened);
  restack (self);
  listd_flow_cells_tell_places (self);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  acknowledge (self);
  listd_flow_pointer_update (self);
  listd_flow_scroll_update (self);
  listd_flow_keys_update (self);
}

ListdCell *
listd_flow_cells_get_nearest (ListdFlowView *self, double x, double y)
{
  GHashTableIter iter;
  ListdCell *cell, *best = NULL;
  double nearest = INFINITY;

  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &cell))
    {
      const ListdRect *frame = &cell->frame;
      const double distance = hypot (MAX (0, MAX (frame->x - x, x - frame->x - frame->width)),
                                     MAX (0, MAX (frame->y - y, y - frame->y - frame->height)));
      if (g_str_equal (cell->kind, "cell") && !cell->held && frame->width >= 0 && distance < nearest)
        {
          nearest = distance;
          best = cell;
        }
    }
  return best;
}

ListdCell *
listd_flow_cells_get_next (ListdFlowView *self, const ListdCell *from, int step)
{
  GHashTableIter iter;
  ListdCell *cell, *best = NULL;

  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &cell))
    {
      if (cell == from || cell->frame.width < 0 || !g_str_equal (cell->kind, "cell"))
        continue;
      if (from != NULL && comes_before (cell->slot, from->slot) == (step > 0))
        continue;
      if (best == NULL || comes_before (cell->slot, best->slot) == (step > 0))
        best = cell;
    }
  return best;
}

void
listd_flow_cells_hold (ListdFlowView *self, ListdCell *cell, double x, double y)
{
  cell->from_x = x;
  cell->from_y = y;
  if (!cell->held)
    {
      cell->held = TRUE;
      cell->alpha = 1;
      self->held = cell;
      gtk_widget_add_css_class (GTK_WIDGET (cell), "drag");
      restack (self);
    }
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

void
listd_flow_cells_drop (ListdFlowView *self, ListdCell *cell)
{
  if (!cell->held)
    return;
  cell->held = FALSE;
  self->held = NULL;
  gtk_widget_remove_css_class (GTK_WIDGET (cell), "drag");
  restack (self);
  listd_flow_moves_begin (self, cell);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

void
listd_flow_cells_follow (ListdFlowView *self, ListdView *view)
{
  g_signal_connect (view, "slot-shown", G_CALLBACK (on_shown), self);
  g_signal_connect (view, "slot-released", G_CALLBACK (on_released), self);
  g_signal_connect (view, "slot-bound", G_CALLBACK (on_bound), self);
  g_signal_connect (view, "picture", G_CALLBACK (on_picture), self);
}

void
listd_flow_cells_unfollow (ListdFlowView *self, ListdView *view)
{
  g_autoptr (GPtrArray) cells = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer cell;

  g_signal_handlers_disconnect_by_data (view, self);
  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, &cell))
    g_ptr_array_add (cells, cell);
  g_hash_table_remove_all (self->cells);
  g_ptr_array_set_size (self->arrivals, 0);
  g_ptr_array_extend (cells, self->loose, NULL, NULL);
  g_ptr_array_set_size (self->loose, 0);
  g_ptr_array_extend (cells, self->leaving, NULL, NULL);
  g_ptr_array_set_size (self->leaving, 0);
  if (self->parked != NULL)
    g_ptr_array_add (cells, g_steal_pointer (&self->parked));
  for (guint i = 0; i < cells->len; i++)
    listd_flow_cells_free (self, cells->pdata[i]);
}

/* Allocation */

static void
allocate (ListdFlowView *self, ListdCell *cell, gint64 now)
{
  GtkWidget *widget = GTK_WIDGET (cell);
  ListdRect frame = listd_flow_cells_rest (self, cell);
  const double way = listd_flow_moves_way (cell, now);
  int width, height, natural;

  frame.x += cell->from_x * way;
  frame.y += cell->from_y * way;
  cell->drawn = listd_flow_to_widget (self, &frame);
  width = MAX (1, (int) lround (cell->drawn.width));
  height = MAX (1, (int) lround (cell->drawn.height));
  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  if (self->measure && listd_flow_is_horizontal (self))
    gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, height, NULL, &natural, NULL, NULL);
  else if (self->measure)
    gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, width, NULL, &natural, NULL, NULL);
  gtk_widget_allocate (widget, width, height, -1, gsk_transform_translate (NULL, &GRAPHENE_POINT_INIT (cell->drawn.x, cell->drawn.y)));
  gtk_widget_set_opacity (widget, listd_flow_moves_opacity (cell, now));
  if (self->measure && !cell->leaving && g_str_equal (cell->kind, "cell"))
    {
      const double size[2] = { listd_flow_is_horizontal (self) ? natural : cell->frame.width,
                               listd_flow_is_horizontal (self) ? cell->frame.height : natural };
      const gboolean differs = fabs (size[0] - cell->frame.width) > 0.5 || fabs (size[1] - cell->frame.height) > 0.5;

      if (differs && (size[0] != cell->reported[0] || size[1] != cell->reported[1]))
        {
          cell->reported[0] = size[0];
          cell->reported[1] = size[1];
          listd_view_report_size (self->view, cell->slot, size[0], size[1]);
        }
    }
}

void
listd_flow_cells_allocate (ListdFlowView *self, int width, int height)
{
  const gint64 now = listd_flow_moves_now (self);

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self)); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      ListdCell *cell;

      /* The menu is a child too. */
      if (!LISTD_IS_CELL (child))
        continue;
      cell = LISTD_CELL (child);
      if (cell == self->parked && !cell->held)
        {
          gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, NULL, NULL, NULL, NULL);
          gtk_widget_allocate (child, MAX (1, (int) cell->drawn.width), MAX (1, (int) cell->drawn.height), -1,
                               gsk_transform_translate (NULL, &GRAPHENE_POINT_INIT (0, -10000 - cell->drawn.height)));
        }
      else if (cell->slot != NULL && cell->frame.width >= 0)
        allocate (self, cell, now);
    }
}

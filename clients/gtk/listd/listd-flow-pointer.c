// SPDX-License-Identifier: Apache-2.0
/* The pointer: clicks, the menu, the rectangle that selects, and items that are dragged to another place. */
#include "listd-flow-private.h"

#include <math.h>

/* How near to the edge a drag scrolls, and how far in a frame. */
#define EDGE 36
#define STEP 12

typedef enum
{
  DRAG_NONE,
  DRAG_BEGUN, /* nobody knows yet what it will be */
  DRAG_BAND,
  DRAG_ITEM,
} Drag;

typedef struct _ListdPointer
{
  GtkWidget *menu;
  GtkGesture *drag_gesture;
  Drag drag;
  double x, y;          /* in the widget, now */
  double start_x, start_y; /* in the content, where it began */
  guint scroll;
  GtkWidget *rubberband; /* the rectangle, for the theme to draw */
  GHashTable *band; /* "ITEM id" of what the rectangle has met and still meets -> ListdItem */
  ListdCell *cell;  /* what is dragged */
  double grip_x, grip_y; /* where in the cell */
  gboolean asking;       /* the section controller is asked */
  gboolean has_target, after;
  ListdRect target;
  guint section, item; /* what is dragged, when it is dropped; indices after the move */
  guint64 revision;    /* of the list, when the cell of what is dragged was shown last */
} Pointer;

static char *
key_of (ListdItem *item)
{
  return g_strdup_printf ("%u %s", listd_item_get_item (item), listd_item_get_id (item));
}

/* Clicks */

static void
modifiers_of (GtkGesture *gesture, gboolean *modify, gboolean *extend)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));

  *modify = (state & GDK_CONTROL_MASK) != 0;
  *extend = (state & GDK_SHIFT_MASK) != 0;
}

static void
on_pressed (GtkGestureClick *gesture, int n, double x, double y, ListdFlowView *self)
{
  ListdCell *cell = listd_flow_view_get_cell_at (self, x, y);

  if (cell == NULL || !g_str_equal (cell->kind, "cell"))
    return;
  if (!(gtk_widget_get_state_flags (GTK_WIDGET (cell)) & GTK_STATE_FLAG_FOCUS_WITHIN))
    gtk_widget_grab_focus (GTK_WIDGET (cell));
  gtk_widget_set_state_flags (GTK_WIDGET (cell), GTK_STATE_FLAG_ACTIVE, FALSE);
  if (n == 2 && !self->activate_on_click)
    {
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
      listd_flow_emit_activate (self, cell);
    }
}

static void
release_all (ListdFlowView *self)
{
  GHashTableIter iter;
  gpointer cell;

  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, &cell))
    gtk_widget_unset_state_flags (cell, GTK_STATE_FLAG_ACTIVE);
}

static void
on_released (GtkGestureClick *gesture, int n, double x, double y, ListdFlowView *self)
{
  ListdCell *cell = listd_flow_view_get_cell_at (self, x, y);
  gboolean modify, extend;

  release_all (self);
  modifiers_of (GTK_GESTURE (gesture), &modify, &extend);
  if (cell == NULL)
    {
      if (!modify && !extend && n == 1)
        listd_flow_select_all (self, FALSE);
      return;
    }
  if (n != 1 || !g_str_equal (cell->kind, "cell"))
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  if (self->activate_on_click && !modify && !extend)
    listd_flow_emit_activate (self, cell);
  else
    listd_flow_select_cell (self, cell, modify, extend);
}

static void
on_cancelled (GtkGesture *gesture, GdkEventSequence *sequence, ListdFlowView *self)
{
  release_all (self);
}

/* Lists that are activated by one click are selected by the pointer, as those of GTK. */
static void
on_motion (GtkEventControllerMotion *controller, double x, double y, ListdFlowView *self)
{
  ListdCell *cell;

  if (!self->activate_on_click || self->pointer->drag != DRAG_NONE)
    return;
  cell = listd_flow_view_get_cell_at (self, x, y);
  if (cell != NULL && g_str_equal (cell->kind, "cell") && listd_flow_keys_get_focused (self) != cell
      && gtk_widget_get_focus_child (GTK_WIDGET (self)) != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (cell));
}

/* The menu */

void
listd_flow_pointer_popup (ListdFlowView *self, ListdCell *cell, double x, double y)
{
  Pointer *pointer = self->pointer;

  if (self->context_menu == NULL || cell->slot == NULL)
    return;
  if (!cell->selected)
    listd_flow_select_cell (self, cell, FALSE, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (cell));
  listd_flow_emit_popup (self, cell);
  if (self->context_menu == NULL)
    return;
  g_clear_pointer (&pointer->menu, gtk_widget_unparent);
  pointer->menu = gtk_popover_menu_new_from_model (self->context_menu);
  gtk_widget_set_parent (pointer->menu, GTK_WIDGET (self));
  gtk_popover_set_has_arrow (GTK_POPOVER (pointer->menu), FALSE);
  gtk_widget_set_halign (pointer->menu, self->axes[0].flipped ? GTK_ALIGN_END : GTK_ALIGN_START);
  gtk_popover_set_pointing_to (GTK_POPOVER (pointer->menu), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (pointer->menu));
}

static void
on_long_press (GtkGesture *gesture, double x, double y, ListdFlowView *self)
{
  ListdCell *cell = listd_flow_view_get_cell_at (self, x, y);

  if (cell == NULL || self->context_menu == NULL || !g_str_equal (cell->kind, "cell"))
    return;
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  listd_flow_pointer_popup (self, cell, x, y);
}

static void
on_menu_pressed (GtkGesture *gesture, int n, double x, double y, ListdFlowView *self)
{
  on_long_press (gesture, x, y, self);
}

/* The rectangle */

static ListdRect
band_of (ListdFlowView *self)
{
  double x = self->pointer->x, y = self->pointer->y;

  listd_flow_to_content (self, &x, &y);
  return (ListdRect){ MIN (x, self->pointer->start_x), MIN (y, self->pointer->start_y), fabs (x - self->pointer->start_x),
                      fabs (y - self->pointer->start_y) };
}

/* What the rectangle has met is remembered when it is out of sight. */
static void
update_band (ListdFlowView *self)
{
  const ListdRect band = band_of (self);
  GHashTableIter iter;
  ListdCell *cell;

  if (self->pointer->rubberband == NULL)
    {
      self->pointer->rubberband = g_object_new (GTK_TYPE_BOX, "css-name", "rubberband", "can-target", FALSE, NULL);
      gtk_widget_set_parent (self->pointer->rubberband, GTK_WIDGET (self));
    }
  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &cell))
    {
      const ListdRect *frame = &cell->frame;
      ListdItem *item = listd_cell_get_item (cell);
      g_autofree char *key = NULL;

      if (!g_str_equal (cell->kind, "cell") || frame->width < 0)
        continue;
      key = key_of (item);
      if (frame->x < band.x + band.width && frame->x + frame->width > band.x && frame->y < band.y + band.height
          && frame->y + frame->height > band.y)
        {
          g_hash_table_replace (self->pointer->band, g_steal_pointer (&key), g_object_ref (item));
          gtk_widget_set_state_flags (GTK_WIDGET (cell), GTK_STATE_FLAG_ACTIVE, FALSE);
        }
      else
        {
          g_hash_table_remove (self->pointer->band, key);
          gtk_widget_unset_state_flags (GTK_WIDGET (cell), GTK_STATE_FLAG_ACTIVE);
        }
    }
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

static void
finish_band (ListdFlowView *self)
{
  g_autoptr (GArray) refs = g_array_new (FALSE, FALSE, sizeof (ListdRef));
  GHashTableIter iter;
  gboolean modify, extend;
  gpointer item;

  g_hash_table_iter_init (&iter, self->pointer->band);
  while (g_hash_table_iter_next (&iter, NULL, &item))
    g_array_append_val (refs, ((ListdRef){ listd_item_get_id (item), listd_item_get_item (item) }));
  modifiers_of (self->pointer->drag_gesture, &modify, &extend);
  listd_flow_select_many (self, refs, modify, extend);
}

/* Dragging an item */

static void
update_item (ListdFlowView *self)
{
  Pointer *pointer = self->pointer;
  const gboolean horizontal = listd_flow_is_horizontal (self);
  double x = pointer->x, y = pointer->y;
  ListdCell *target;
  gboolean row;

  if (pointer->cell == NULL)
    return;
  listd_flow_to_content (self, &x, &y);
  if (g_hash_table_contains (self->cells, pointer->cell->slot))
    pointer->revision = self->revision;
  listd_flow_cells_hold (self, pointer->cell, x - pointer->grip_x - pointer->cell->frame.x, y - pointer->grip_y - pointer->cell->frame.y);
  target = listd_flow_cells_get_nearest (self, x, y);
  pointer->has_target = target != NULL && target->slot != NULL && pointer->cell->slot != NULL;
  if (pointer->has_target)
    {
      /* In a line of several columns, what counts is which half of the width. */
      row = horizontal || target->frame.width < (self->axes[0].page * 0.9);
      pointer->after = row ? x > target->frame.x + target->frame.width / 2 : y > target->frame.y + target->frame.height / 2;
      if (row)
        pointer->target = (ListdRect){ target->frame.x + (pointer->after ? target->frame.width : 0) - 1, target->frame.y, 2, target->frame.height };
      else
        pointer->target = (ListdRect){ target->frame.x, target->frame.y + (pointer->after ? target->frame.height : 0) - 1, target->frame.width, 2 };
      {
        const guint section = listd_slot_get_section (pointer->cell->slot), other = listd_slot_get_section (target->slot);
        const guint item = listd_item_get_item (listd_cell_get_item (pointer->cell)), beside = listd_item_get_item (listd_cell_get_item (target));

        pointer->section = section;
        pointer->item = item;
        /* Indices after the move: what was before it is one less. */
        if (section == other)
          pointer->item = beside + pointer->after - (beside > item || (beside == item && pointer->after) ? 1 : 0);
        else
          pointer->section = other + pointer->after - (other > section ? 1 : 0);
      }
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

typedef struct
{
  GWeakRef *view;
  ListdSlot *slot;
} Drop;

static void
on_moved (GObject *object, GAsyncResult *result, gpointer data)
{
  Drop *drop = data;
  g_autoptr (ListdFlowView) self = listd_flow_return (drop->view);
  g_autoptr (GError) error = NULL;
  const gboolean moved = listd_view_move_item_finish (LISTD_VIEW (object), result, NULL, &error);

  if (self != NULL && self->pointer != NULL)
    {
      self->pointer->asking = FALSE;
      if (self->held != NULL)
        listd_flow_cells_drop (self, self->held);
      if (!moved)
        listd_flow_emit_move_refused (self, drop->slot, error);
    }
  g_object_unref (drop->slot);
  g_free (drop);
}

static void
finish_item (ListdFlowView *self, gboolean cancelled)
{
  Pointer *pointer = self->pointer;
  ListdCell *cell = g_steal_pointer (&pointer->cell);
  Drop *drop;
  guint section, item;

  pointer->drag = DRAG_NONE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (cell == NULL || cell->slot == NULL || self->held != cell)
    return;
  section = listd_slot_get_section (cell->slot);
  item = listd_item_get_item (listd_cell_get_item (cell));
  if (cancelled || !pointer->has_target || self->view == NULL || (pointer->section == section && pointer->item == item)
      /* Out of sight, its number is right only while nothing changes. */
      || (!g_hash_table_contains (self->cells, cell->slot) && pointer->revision != self->revision))
    {
      listd_flow_cells_drop (self, cell);
      return;
    }
  drop = g_new (Drop, 1);
  *drop = (Drop){ listd_flow_lend (self), g_object_ref (cell->slot) };
  pointer->asking = TRUE;
  listd_view_move_item_async (self->view, section, item, pointer->section, pointer->section == section ? pointer->item : item, NULL, on_moved,
                              drop);
}

/* Drags of both kinds */

static gboolean
on_scroll (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (widget);
  const double at[2] = { self->axes[0].flipped ? self->axes[0].page - self->pointer->x : self->pointer->x, self->pointer->y };
  double by[2] = { 0, 0 };

  for (guint i = 0; i < 2; i++)
    {
      const double page = self->axes[i].page;
      if (page < 3 * EDGE || self->axes[i].content <= page)
        continue;
      if (at[i] < EDGE)
        by[i] = -STEP * MIN (1, (EDGE - at[i]) / EDGE);
      else if (at[i] > page - EDGE)
        by[i] = STEP * MIN (1, (at[i] - page + EDGE) / EDGE);
    }
  if (by[0] != 0 || by[1] != 0)
    {
      listd_flow_scroll_by (self, by[0], by[1]);
      listd_flow_pointer_update (self);
    }
  return G_SOURCE_CONTINUE;
}

static void
end_drag (ListdFlowView *self, gboolean cancelled)
{
  Pointer *pointer = self->pointer;
  const Drag drag = pointer->drag;

  if (pointer->scroll != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), pointer->scroll);
  pointer->scroll = 0;
  pointer->drag = DRAG_NONE;
  if (drag == DRAG_ITEM)
    finish_item (self, cancelled);
  else if (drag == DRAG_BAND && !cancelled)
    finish_band (self);
  g_hash_table_remove_all (pointer->band);
  if (pointer->rubberband != NULL)
    release_all (self);
  g_clear_pointer (&pointer->rubberband, gtk_widget_unparent);
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, ListdFlowView *self)
{
  Pointer *pointer = self->pointer;
  ListdCell *cell = listd_flow_view_get_cell_at (self, x, y);
  GdkEvent *event = gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (gesture));

  end_drag (self, TRUE);
  /* A finger scrolls. */
  if (event != NULL && gdk_event_get_event_type (event) == GDK_TOUCH_BEGIN)
    {
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  pointer->x = x;
  pointer->y = y;
  pointer->start_x = x;
  pointer->start_y = y;
  listd_flow_to_content (self, &pointer->start_x, &pointer->start_y);
  pointer->cell = NULL;
  if (self->reorderable && cell != NULL && g_str_equal (cell->kind, "cell") && !pointer->asking)
    {
      pointer->cell = cell;
      pointer->grip_x = pointer->start_x - cell->frame.x;
      pointer->grip_y = pointer->start_y - cell->frame.y;
    }
  else if (!self->enable_rubberband || self->selection_mode != GTK_SELECTION_MULTIPLE)
    {
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  pointer->drag = DRAG_BEGUN;
}

static void
on_drag_update (GtkGestureDrag *gesture, double x, double y, ListdFlowView *self)
{
  Pointer *pointer = self->pointer;
  double start_x, start_y;

  if (pointer->drag == DRAG_NONE)
    return;
  gtk_gesture_drag_get_start_point (gesture, &start_x, &start_y);
  pointer->x = start_x + x;
  pointer->y = start_y + y;
  if (pointer->drag == DRAG_BEGUN)
    {
      if (!gtk_drag_check_threshold (GTK_WIDGET (self), (int) start_x, (int) start_y, (int) pointer->x, (int) pointer->y))
        return;
      release_all (self);
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
      pointer->drag = pointer->cell != NULL ? DRAG_ITEM : DRAG_BAND;
      pointer->scroll = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_scroll, NULL, NULL);
    }
  listd_flow_pointer_update (self);
}

static void
on_drag_end (GtkGestureDrag *gesture, double x, double y, ListdFlowView *self)
{
  end_drag (self, FALSE);
}

static void
on_drag_cancel (GtkGesture *gesture, GdkEventSequence *sequence, ListdFlowView *self)
{
  end_drag (self, TRUE);
}

static gboolean
on_escape (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, ListdFlowView *self)
{
  if (key != GDK_KEY_Escape || self->pointer->drag < DRAG_BAND)
    return FALSE;
  end_drag (self, TRUE);
  gtk_gesture_set_state (self->pointer->drag_gesture, GTK_EVENT_SEQUENCE_DENIED);
  return TRUE;
}

void
listd_flow_pointer_update (ListdFlowView *self)
{
  Pointer *pointer = self->pointer;

  if (pointer->cell != NULL && (pointer->cell->slot == NULL || gtk_widget_get_parent (GTK_WIDGET (pointer->cell)) != GTK_WIDGET (self)))
    end_drag (self, TRUE);
  else if (pointer->drag == DRAG_BAND)
    update_band (self);
  else if (pointer->drag == DRAG_ITEM)
    update_item (self);
}

void
listd_flow_pointer_allocate (ListdFlowView *self)
{
  if (self->pointer != NULL && self->pointer->rubberband != NULL)
    {
      const ListdRect band = band_of (self), rect = listd_flow_to_widget (self, &band);
      int width, height;

      /* Above all cells. */
      gtk_widget_insert_before (self->pointer->rubberband, GTK_WIDGET (self), NULL);
      gtk_widget_measure (self->pointer->rubberband, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
      gtk_widget_measure (self->pointer->rubberband, GTK_ORIENTATION_VERTICAL, -1, &height, NULL, NULL, NULL);
      gtk_widget_size_allocate (self->pointer->rubberband,
                                &(GtkAllocation){ (int) rect.x, (int) rect.y, MAX (width, (int) rect.width), MAX (height, (int) rect.height) },
                                -1);
    }
  if (self->pointer != NULL && self->pointer->menu != NULL)
    gtk_popover_present (GTK_POPOVER (self->pointer->menu));
}

void
listd_flow_pointer_snapshot (ListdFlowView *self, GtkSnapshot *snapshot)
{
  const Pointer *pointer = self->pointer;
  GdkRGBA color = { 0.2, 0.5, 0.9, 1 };
  ListdRect rect;

  if (pointer->drag != DRAG_ITEM || !pointer->has_target)
    return;
  rect = listd_flow_to_widget (self, &pointer->target);
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  gtk_style_context_lookup_color (gtk_widget_get_style_context (GTK_WIDGET (self)), "theme_selected_bg_color", &color);
  G_GNUC_END_IGNORE_DEPRECATIONS
  gtk_snapshot_append_color (snapshot, &color, &GRAPHENE_RECT_INIT (rect.x, rect.y, rect.width, rect.height));
}

void
listd_flow_pointer_init (ListdFlowView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkGesture *gesture;
  GtkEventController *controller;

  self->pointer = g_new0 (Pointer, 1);
  self->pointer->band = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);

  gesture = gtk_gesture_click_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (gesture), GDK_BUTTON_PRIMARY);
  g_signal_connect (gesture, "pressed", G_CALLBACK (on_pressed), self);
  g_signal_connect (gesture, "released", G_CALLBACK (on_released), self);
  g_signal_connect (gesture, "cancel", G_CALLBACK (on_cancelled), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));

  self->pointer->drag_gesture = gtk_gesture_drag_new ();
  g_signal_connect (self->pointer->drag_gesture, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (self->pointer->drag_gesture, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (self->pointer->drag_gesture, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect (self->pointer->drag_gesture, "cancel", G_CALLBACK (on_drag_cancel), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (self->pointer->drag_gesture));

  gesture = gtk_gesture_click_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (gesture), GDK_BUTTON_SECONDARY);
  g_signal_connect (gesture, "pressed", G_CALLBACK (on_menu_pressed), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));

  gesture = gtk_gesture_long_press_new ();
  gtk_gesture_single_set_touch_only (GTK_GESTURE_SINGLE (gesture), TRUE);
  g_signal_connect (gesture, "pressed", G_CALLBACK (on_long_press), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));

  controller = gtk_event_controller_motion_new ();
  g_signal_connect (controller, "motion", G_CALLBACK (on_motion), self);
  gtk_widget_add_controller (widget, controller);

  controller = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect (controller, "key-pressed", G_CALLBACK (on_escape), self);
  gtk_widget_add_controller (widget, controller);
}

void
listd_flow_pointer_dispose (ListdFlowView *self)
{
  if (self->pointer == NULL)
    return;
  end_drag (self, TRUE);
  /* The grab of an open menu ends with it. */
  if (self->pointer->menu != NULL)
    gtk_popover_popdown (GTK_POPOVER (self->pointer->menu));
  g_clear_pointer (&self->pointer->menu, gtk_widget_unparent);
  g_hash_table_unref (self->pointer->band);
  g_clear_pointer (&self->pointer, g_free);
}

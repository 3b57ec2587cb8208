// SPDX-License-Identifier: Apache-2.0
#include "screen.h"

#include <math.h>

static void
frame_free (gpointer data)
{
  Frame *frame = data;
  g_hash_table_unref (frame->rows);
  g_free (frame);
}

static GtkWidget *
on_setup (ListdFlowView *view, ListdCell *cell, const char *reuse, const char *kind, Screen *screen)
{
  screen->setups++;
  return gtk_label_new (NULL);
}

static void
on_bind (ListdFlowView *view, GtkWidget *child, ListdSlot *slot, Screen *screen)
{
  screen->binds++;
  gtk_label_set_text (GTK_LABEL (child), listd_item_get_string (listd_slot_get_item (slot), "text"));
}

static void
on_unbind (ListdFlowView *view, GtkWidget *child, ListdSlot *slot, Screen *screen)
{
  screen->unbinds++;
}

/* Not those that wait to be used again, and not that which has the focus far out of sight. */
static gboolean
is_shown (GtkWidget *child)
{
  graphene_rect_t bounds;

  return LISTD_IS_CELL (child) && gtk_widget_get_child_visible (child) && listd_cell_get_slot (LISTD_CELL (child)) != NULL
         && gtk_widget_compute_bounds (child, gtk_widget_get_parent (child), &bounds) && bounds.origin.y > -9000;
}

static ListdCell *
next_cell (GtkWidget *child)
{
  while (child != NULL && !is_shown (child))
    child = gtk_widget_get_next_sibling (child);
  return child != NULL ? LISTD_CELL (child) : NULL;
}

#define FOREACH_CELL(screen, cell)                                                                                                                 \
  for (ListdCell *cell = next_cell (gtk_widget_get_first_child (GTK_WIDGET ((screen)->view))); cell != NULL;                                       \
       cell = next_cell (gtk_widget_get_next_sibling (GTK_WIDGET (cell))))

static graphene_rect_t
bounds_of (Screen *screen, ListdCell *cell)
{
  graphene_rect_t bounds;

  if (!gtk_widget_compute_bounds (GTK_WIDGET (cell), GTK_WIDGET (screen->view), &bounds))
    return GRAPHENE_RECT_INIT (0, -100000, 0, 0);
  return bounds;
}

static int
compare_rects (gconstpointer one, gconstpointer other)
{
  const graphene_rect_t *a = one, *b = other;
  return a->origin.y < b->origin.y ? -1 : a->origin.y > b->origin.y;
}

double
screen_hole (Screen *screen)
{
  g_autoptr (GArray) rects = g_array_new (FALSE, FALSE, sizeof (graphene_rect_t));
  GtkAdjustment *adjustment = screen_adjustment (screen);
  const double end = MIN (gtk_widget_get_height (GTK_WIDGET (screen->view)),
                          gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_value (adjustment));
  double covered = 0, hole = 0;

  FOREACH_CELL (screen, cell)
    {
      graphene_rect_t bounds = bounds_of (screen, cell);
      g_array_append_val (rects, bounds);
    }
  g_array_sort (rects, compare_rects);
  for (guint i = 0; i < rects->len; i++)
    {
      const graphene_rect_t *rect = &g_array_index (rects, graphene_rect_t, i);
      if (rect->origin.y > covered)
        hole += MIN (rect->origin.y, end) - MIN (covered, end);
      covered = MAX (covered, rect->origin.y + rect->size.height);
    }
  return hole + MAX (0, end - covered);
}

static void
on_painted (GdkFrameClock *clock, Screen *screen)
{
  screen->n_frames++;
  if (screen->text != NULL && screen->text_painted == 0)
    FOREACH_CELL (screen, cell)
      if (g_str_equal (gtk_label_get_text (GTK_LABEL (listd_cell_get_child (cell))), screen->text))
        screen->text_painted = g_get_monotonic_time ();
  if (screen->records)
    {
      Frame *frame = g_new0 (Frame, 1);

      frame->time = g_get_monotonic_time ();
      frame->begun = gdk_frame_clock_get_frame_time (clock);
      frame->value = gtk_adjustment_get_value (screen_adjustment (screen));
      frame->position = frame->value - gtk_adjustment_get_lower (screen_adjustment (screen));
      frame->rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      FOREACH_CELL (screen, cell)
        g_hash_table_insert (frame->rows, g_strdup (listd_item_get_id (listd_cell_get_item (cell))),
                             GINT_TO_POINTER ((int) lround (4.0 * bounds_of (screen, cell).origin.y)));
      frame->hole = screen_hole (screen);
      g_ptr_array_add (screen->frames, frame);
    }
}

static void
on_picture (ListdView *view, Screen *screen)
{
  screen->pictures++;
}

Screen *
screen_new (Stage *stage, const char *list, int width, int height, void (*prepare) (ListdFlowView *view))
{
  Screen *self = g_new0 (Screen, 1);

  self->frames = g_ptr_array_new_with_free_func (frame_free);
  self->client = listd_client_new_for_address (stage_address (stage));
  self->view = LISTD_FLOW_VIEW (listd_flow_view_new (self->client, list));
  g_signal_connect (self->view, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (self->view, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (self->view, "unbind", G_CALLBACK (on_unbind), self);
  if (prepare != NULL)
    prepare (self->view);
  g_signal_connect_after (listd_flow_view_get_view (self->view), "picture", G_CALLBACK (on_picture), self);
  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled), GTK_WIDGET (self->view));
  self->window = gtk_window_new ();
  gtk_window_set_decorated (GTK_WINDOW (self->window), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (self->window), width, height);
  gtk_window_set_child (GTK_WINDOW (self->window), self->scrolled);
  gtk_window_present (GTK_WINDOW (self->window));
  stage_wait (gtk_widget_get_mapped (GTK_WIDGET (self->view)) && gtk_widget_get_height (GTK_WIDGET (self->view)) > 0);
  self->clock = g_object_ref (gtk_widget_get_frame_clock (GTK_WIDGET (self->view)));
  g_signal_connect_after (self->clock, "after-paint", G_CALLBACK (on_painted), self);
  return self;
}

void
screen_free (Screen *self)
{
  g_signal_handlers_disconnect_by_data (self->clock, self);
  g_object_unref (self->clock);
  gtk_window_destroy (GTK_WINDOW (self->window));
  /* What the window has put off. */
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_object_unref (self->client);
  g_ptr_array_unref (self->frames);
  g_free (self->text);
  g_free (self);
}

void
screen_wait_frames (Screen *self, guint n)
{
  const guint until = self->n_frames + n;

  while (self->n_frames < until)
    {
      gtk_widget_queue_draw (GTK_WIDGET (self->view));
      gdk_frame_clock_request_phase (self->clock, GDK_FRAME_CLOCK_PHASE_PAINT);
      g_main_context_iteration (NULL, TRUE);
    }
}

static gboolean
is_settled (Screen *self)
{
  gboolean any = FALSE;

  FOREACH_CELL (self, cell)
    any = any || cell != NULL;
  return any && screen_hole (self) == 0;
}

void
screen_settle (Screen *self)
{
  /* What was scrolled before this is on the screen first. */
  screen_wait_frames (self, 1);
  stage_wait (is_settled (self));
  screen_wait_frames (self, 2);
}

void
screen_record (Screen *self)
{
  g_ptr_array_set_size (self->frames, 0);
  self->records = TRUE;
}

const char *
screen_text (Screen *self, const char *id)
{
  ListdCell *cell = listd_flow_view_get_cell (self->view, id, 0);

  return cell != NULL ? gtk_label_get_text (GTK_LABEL (listd_cell_get_child (cell))) : NULL;
}

double
screen_y (Screen *self, const char *id)
{
  ListdCell *cell = listd_flow_view_get_cell (self->view, id, 0);

  return cell != NULL ? bounds_of (self, cell).origin.y : NAN;
}

double
screen_x (Screen *self, const char *id)
{
  ListdCell *cell = listd_flow_view_get_cell (self->view, id, 0);

  return cell != NULL ? bounds_of (self, cell).origin.x : NAN;
}

ListdCell *
screen_cell (Screen *self, const char *id)
{
  FOREACH_CELL (self, cell)
    if (g_strcmp0 (listd_item_get_id (listd_cell_get_item (cell)), id) == 0)
      return cell;
  return NULL;
}

gboolean
screen_selected (Screen *self, const char *id)
{
  ListdCell *cell = listd_flow_view_get_cell (self->view, id, 0);

  return cell != NULL && listd_cell_get_selected (cell);
}

GtkAdjustment *
screen_adjustment (Screen *self)
{
  return gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->view));
}

gboolean
screen_press (Screen *self, guint key, GdkModifierType state)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (self->view));

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (!GTK_IS_SHORTCUT_CONTROLLER (controller))
        continue;
      for (guint j = 0; j < g_list_model_get_n_items (G_LIST_MODEL (controller)); j++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (G_LIST_MODEL (controller), j);
          GtkShortcutTrigger *trigger = gtk_shortcut_get_trigger (shortcut);

          if (GTK_IS_KEYVAL_TRIGGER (trigger) && gtk_keyval_trigger_get_keyval (GTK_KEYVAL_TRIGGER (trigger)) == gdk_keyval_to_lower (key)
              && gtk_keyval_trigger_get_modifiers (GTK_KEYVAL_TRIGGER (trigger)) == state)
            return gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, GTK_WIDGET (self->view),
                                                 gtk_shortcut_get_arguments (shortcut));
        }
    }
  return FALSE;
}

void
screen_type (Screen *self, const char *letters)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (self->view));

  for (const char *letter = letters; *letter != '\0'; letter++)
    for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
      {
        g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
        gboolean handled = FALSE;

        if (GTK_IS_EVENT_CONTROLLER_KEY (controller) && gtk_event_controller_get_propagation_phase (controller) == GTK_PHASE_BUBBLE)
          g_signal_emit_by_name (controller, "key-pressed", gdk_unicode_to_keyval ((guchar) *letter), 0u, 0, &handled);
      }
}

const char *
screen_focused (Screen *self)
{
  GtkWidget *child = gtk_widget_get_focus_child (GTK_WIDGET (self->view));

  return child != NULL && LISTD_IS_CELL (child) && listd_cell_get_item (LISTD_CELL (child)) != NULL
             ? listd_item_get_id (listd_cell_get_item (LISTD_CELL (child)))
             : NULL;
}

// SPDX-License-Identifier: Apache-2.0
/* The keyboard: the focus, the keys that move it, and letters that are looked for. */
#include "listd-flow-private.h"

#include <math.h>

/* How long somebody may think between two letters of one word. */
#define THINKING 1000

ListdCell *
listd_flow_keys_get_focused (ListdFlowView *self)
{
  GtkWidget *child = gtk_widget_get_focus_child (GTK_WIDGET (self));

  return child != NULL && LISTD_IS_CELL (child) && LISTD_CELL (child)->slot != NULL ? LISTD_CELL (child) : NULL;
}

static void
on_position (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (ListdFlowView) self = listd_flow_return (data);
  const guint position = listd_list_find_finish (LISTD_LIST (object), result, NULL);
  ListdCell *cell;

  if (self == NULL || position == G_MAXUINT || self->list != LISTD_LIST (object) || self->cursor == NULL)
    return;
  cell = listd_flow_view_get_cell (self, self->cursor, self->cursor_item);
  if (cell != NULL)
    listd_cell_set_place (cell, position + self->cursor_item + 1, g_list_model_get_n_items (G_LIST_MODEL (object)));
}

void
listd_flow_keys_set_cursor (ListdFlowView *self, ListdCell *cell)
{
  ListdItem *item = listd_cell_get_item (cell);

  if (item == NULL || !g_str_equal (cell->kind, "cell"))
    return;
  if (self->cursor_item == listd_item_get_item (item) && g_strcmp0 (self->cursor, listd_item_get_id (item)) == 0)
    return;
  g_free (self->cursor);
  self->cursor = g_strdup (listd_item_get_id (item));
  self->cursor_item = listd_item_get_item (item);
  if (self->uneven && self->list != NULL && self->cursor != NULL)
    listd_list_find_async (self->list, self->cursor, NULL, on_position, listd_flow_lend (self));
}

static void
focus_cell (ListdFlowView *self, ListdCell *cell, gboolean modify, gboolean extend)
{
  listd_flow_reveal (self, &cell->frame);
  gtk_widget_grab_focus (GTK_WIDGET (cell));
  if (!modify || extend)
    listd_flow_select_cell (self, cell, modify && !extend, extend);
}

/* Moves the focus to what is at a place of the content, now or as soon as it is shown. */
static void
land (ListdFlowView *self, double x, double y, gboolean modify, gboolean extend)
{
  self->landing = TRUE;
  self->landing_at[0] = x - self->axes[0].position;
  self->landing_at[1] = y - self->axes[1].position;
  self->landing_modifies = modify;
  self->landing_extends = extend;
  listd_flow_keys_update (self);
}

void
listd_flow_keys_update (ListdFlowView *self)
{
  const double x = self->landing_at[0] + self->axes[0].position, y = self->landing_at[1] + self->axes[1].position;
  ListdCell *cell;
  ListdRect frame;

  /* A view that had nothing to show has the focus itself. */
  if (!self->landing && gtk_widget_is_focus (GTK_WIDGET (self)))
    listd_flow_keys_grab_focus (self);
  if (!self->landing)
    return;
  cell = listd_flow_cells_get_nearest (self, x, y);
  if (cell == NULL)
    return;
  frame = cell->frame;
  /* A cell near enough: the content may end here, or have a gap. */
  if (fabs (CLAMP (y, frame.y, frame.y + frame.height) - y) > frame.height || fabs (CLAMP (x, frame.x, frame.x + frame.width) - x) > frame.width)
    return;
  self->landing = FALSE;
  focus_cell (self, cell, self->landing_modifies, self->landing_extends);
}

/* The cell at the begin of the viewport, not the one that ends there. */
static ListdCell *
get_first (ListdFlowView *self)
{
  return listd_flow_cells_get_nearest (self, self->axes[0].position + 0.5, self->axes[1].position + 0.5);
}

gboolean
listd_flow_keys_grab_focus (ListdFlowView *self)
{
  ListdCell *cell = self->cursor != NULL ? listd_flow_view_get_cell (self, self->cursor, self->cursor_item) : NULL;

  if (cell == NULL)
    cell = get_first (self);
  if (cell != NULL && gtk_widget_grab_focus (GTK_WIDGET (cell)))
    return TRUE;
  if (gtk_widget_is_focus (GTK_WIDGET (self)))
    return TRUE;
  return GTK_WIDGET_CLASS (g_type_class_peek (GTK_TYPE_WIDGET))->grab_focus (GTK_WIDGET (self));
}

/* Positions of the list */

static void await_item (ListdFlowView *self, ListdItem *item);

static void
on_loaded (ListdItem *loading, GParamSpec *pspec, ListdFlowView *self)
{
  g_autoptr (ListdItem) item = g_object_ref (loading);

  await_item (self, NULL);
  if (listd_item_get_id (item) != NULL)
    listd_flow_view_scroll_to (self, listd_item_get_id (item), listd_item_get_item (item), LISTD_SCROLL_POSITION_NEAREST, TRUE);
}

/* In place of the one that was loading before. */
static void
await_item (ListdFlowView *self, ListdItem *item)
{
  if (self->loading != NULL)
    g_signal_handlers_disconnect_by_func (self->loading, on_loaded, self);
  g_set_object (&self->loading, item);
  if (item != NULL)
    g_signal_connect_object (item, "notify::loaded", G_CALLBACK (on_loaded), self, 0);
}

/* The item gets the focus as soon as it is shown. It has its name when it is loaded. */
static void
focus_position (ListdFlowView *self, guint position)
{
  g_autoptr (ListdItem) item = g_list_model_get_item (G_LIST_MODEL (self->list), position);

  if (item == NULL)
    return;
  await_item (self, item);
  if (listd_item_get_loaded (item))
    on_loaded (item, NULL, self);
}

static guint
count_items (ListdFlowView *self)
{
  return self->list != NULL ? g_list_model_get_n_items (G_LIST_MODEL (self->list)) : 0;
}

/* Tab */

/* A cell that is shown, or what can have the focus in it. */
static gboolean
tab_to (ListdFlowView *self, ListdCell *cell, GtkDirectionType direction)
{
  listd_flow_reveal (self, &cell->frame);
  return gtk_widget_child_focus (GTK_WIDGET (cell), direction);
}

/* Whether a cell is the last one of the list, or with -1 the first one. */
static gboolean
is_last (ListdFlowView *self, ListdCell *cell, int step)
{
  const guint n = count_items (self);

  if (!self->uneven && n > 0)
    return listd_slot_get_section (cell->slot) == (step > 0 ? n - 1 : 0);
  /* What lies on the screen has a cell: nothing comes after it when the content ends there. */
  for (guint i = 0; i < 2; i++)
    if (step > 0 ? self->axes[i].position + self->axes[i].page < self->axes[i].content - 0.5 : self->axes[i].position > 0.5)
      return FALSE;
  return TRUE;
}

/* The focus goes on to what comes after the list. */
static void
leave (ListdFlowView *self)
{
  const GtkDirectionType direction = self->tabbing > 0 ? GTK_DIR_TAB_FORWARD : GTK_DIR_TAB_BACKWARD;

  self->leaving_focus = TRUE;
  g_signal_emit_by_name (self, "move-focus", direction);
  self->leaving_focus = FALSE;
}

static void
on_tab_position (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (ListdFlowView) self = listd_flow_return (data);
  const guint position = listd_list_find_finish (LISTD_LIST (object), result, NULL);
  gint64 next;

  if (self == NULL)
    return;
  next = position != G_MAXUINT ? (gint64) position + self->cursor_item + self->tabbing : -1;
  /* Somebody may have put the focus elsewhere meanwhile. */
  if (self->list == LISTD_LIST (object) && gtk_widget_get_focus_child (GTK_WIDGET (self)) != NULL)
    {
      if (next >= 0 && next < count_items (self))
        focus_position (self, (guint) next);
      else
        leave (self);
    }
  self->tabbing = 0;
}

/* From what has the focus to the item before or after it, wherever that is. */
static gboolean
tab_on (ListdFlowView *self, GtkDirectionType direction, int step)
{
  ListdCell *focused = listd_flow_keys_get_focused (self), *next;

  if (focused != NULL && focused != self->parked)
    {
      next = listd_flow_cells_get_next (self, focused, step);
      if (next != NULL)
        return tab_to (self, next, direction);
      if (is_last (self, focused, step))
        return FALSE;
    }
  if (self->list == NULL || self->cursor == NULL)
    return FALSE;
  if (self->tabbing == 0)
    listd_list_find_async (self->list, self->cursor, NULL, on_tab_position, listd_flow_lend (self));
  self->tabbing = step;
  return TRUE;
}

static gboolean
enter (ListdFlowView *self, GtkDirectionType direction, int step)
{
  const guint n = count_items (self);
  ListdCell *cell;

  if (gtk_widget_is_focus (GTK_WIDGET (self)))
    return FALSE;
  if (n == 0 && self->list != NULL && listd_list_get_state (self->list) == LISTD_LIST_STATE_READY)
    return FALSE;
  /* Since GTK 4.12 its lists are entered at their ends when Tab goes through their items, before that always where the focus was. */
  if (step != 0 && n > 0 && self->cursor != NULL && self->tab_behavior == LISTD_TAB_BEHAVIOR_ALL && gtk_check_version (4, 12, 0) == NULL)
    {
      cell = listd_flow_cells_get_next (self, NULL, step);
      if (cell != NULL && is_last (self, cell, -step))
        return tab_to (self, cell, direction);
      focus_position (self, step > 0 ? 0 : n - 1);
      return TRUE;
    }
  cell = self->cursor != NULL ? listd_flow_view_get_cell (self, self->cursor, self->cursor_item) : get_first (self);
  if (cell != NULL)
    return tab_to (self, cell, direction);
  if (self->cursor == NULL || self->view == NULL || listd_view_get_state (self->view) != LISTD_VIEW_STATE_ACTIVE)
    return gtk_widget_grab_focus (GTK_WIDGET (self));
  listd_flow_view_scroll_to (self, self->cursor, self->cursor_item, LISTD_SCROLL_POSITION_NEAREST, TRUE);
  return TRUE;
}

gboolean
listd_flow_keys_focus (ListdFlowView *self, GtkDirectionType direction)
{
  GtkWidget *child = gtk_widget_get_focus_child (GTK_WIDGET (self));
  const int step = direction == GTK_DIR_TAB_FORWARD ? 1 : direction == GTK_DIR_TAB_BACKWARD ? -1 : 0;

  if (self->leaving_focus)
    return FALSE;
  self->landing = FALSE;
  if (child == NULL)
    return enter (self, direction, step);
  /* From a child of a row to the next one; not in a row that nobody sees. */
  if (child != (GtkWidget *) self->parked && gtk_widget_child_focus (child, direction))
    return TRUE;
  return step != 0 && self->tab_behavior == LISTD_TAB_BEHAVIOR_ALL && tab_on (self, direction, step);
}

/* Whoever moves while what has the focus is out of sight goes back to it first. */
static ListdCell *
get_start (ListdFlowView *self)
{
  ListdCell *cell = listd_flow_keys_get_focused (self);

  if (cell != NULL && cell != self->parked)
    return cell;
  if (self->cursor != NULL)
    {
      ListdCell *shown = listd_flow_view_get_cell (self, self->cursor, self->cursor_item);
      if (shown != NULL)
        return shown;
      listd_flow_view_scroll_to (self, self->cursor, self->cursor_item, LISTD_SCROLL_POSITION_NEAREST, TRUE);
      return NULL;
    }
  return get_first (self);
}

/* The next cell in a direction: the nearest one, and of equally near ones that which is most opposite. */
static ListdCell *
find_next (ListdFlowView *self, ListdCell *from, guint axis, int step)
{
  const double start = axis ? from->frame.y : from->frame.x, end = start + (axis ? from->frame.height : from->frame.width);
  const double middle = axis ? from->frame.x + from->frame.width / 2 : from->frame.y + from->frame.height / 2;
  ListdCell *cell, *best = NULL;
  double nearest = INFINITY;
  GHashTableIter iter;

  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &cell))
    {
      const ListdRect *frame = &cell->frame;
      const double near = axis ? frame->y : frame->x, far = near + (axis ? frame->height : frame->width);
      const double other = axis ? frame->x + frame->width / 2 : frame->y + frame->height / 2;
      const double beside = axis ? frame->width / 2 : frame->height / 2;
      double distance = step > 0 ? near - end : start - far;

      if (cell == from || frame->width < 0 || !g_str_equal (cell->kind, "cell") || distance < -0.5)
        continue;
      /* Sideways, only what is in the same line counts; along the list, the line ends anywhere. */
      if (fabs (other - middle) > beside && axis != (listd_flow_is_horizontal (self) ? 0 : 1))
        continue;
      distance = distance * 4 + MAX (0, fabs (other - middle) - beside) + fabs (other - middle) / 1000;
      if (distance < nearest)
        {
          nearest = distance;
          best = cell;
        }
    }
  return best;
}

typedef enum
{
  MOVE_LEFT,
  MOVE_RIGHT,
  MOVE_UP,
  MOVE_DOWN,
  MOVE_PAGE_UP,
  MOVE_PAGE_DOWN,
  MOVE_HOME,
  MOVE_END,
} Move;

static gboolean
on_move (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (widget);
  const guint along = listd_flow_is_horizontal (self) ? 0 : 1;
  const double end = MAX (0, self->axes[along].content - self->axes[along].page);
  guint axis;
  int step;
  gboolean modify, extend;
  guchar move;
  ListdCell *start, *next;
  double at[2];

  g_variant_get (arguments, "(ybb)", &move, &modify, &extend);
  self->landing = FALSE;
  if (move == MOVE_HOME || move == MOVE_END)
    {
      at[along] = move == MOVE_HOME ? 0 : self->axes[along].content;
      at[!along] = move == MOVE_HOME ? 0 : self->axes[!along].content;
      listd_flow_scroll_by (self, along ? 0 : (move == MOVE_HOME ? 0 : end) - self->axes[0].position,
                            along ? (move == MOVE_HOME ? 0 : end) - self->axes[1].position : 0);
      land (self, at[0], at[1], modify, extend);
      return TRUE;
    }
  start = get_start (self);
  if (start == NULL)
    return TRUE;
  if (listd_flow_keys_get_focused (self) != start)
    {
      focus_cell (self, start, modify, extend);
      return TRUE;
    }
  axis = move == MOVE_LEFT || move == MOVE_RIGHT ? 0 : 1;
  step = move == MOVE_LEFT || move == MOVE_UP || move == MOVE_PAGE_UP ? -1 : 1;
  if (move == MOVE_PAGE_UP || move == MOVE_PAGE_DOWN)
    {
      const double length = along ? start->frame.height : start->frame.width;
      const double way = MAX (self->axes[along].page - length, length) * step;

      at[0] = start->frame.x + start->frame.width / 2;
      at[1] = start->frame.y + start->frame.height / 2;
      at[along] = CLAMP (at[along] + way, 0, self->axes[along].content);
      listd_flow_reveal (self, &start->frame);
      listd_flow_scroll_by (self, along ? 0 : way, along ? way : 0);
      land (self, at[0], at[1], modify, extend);
      return TRUE;
    }
  if (axis == 0 && self->axes[0].flipped)
    step = -step;
  next = find_next (self, start, axis, step);
  if (next != NULL)
    focus_cell (self, next, modify, extend);
  else if (axis == along)
    {
      const double way = (axis ? start->frame.height : start->frame.width) * step;
      const double wanted = (axis ? start->frame.y : start->frame.x) + way;

      if (wanted < -1 || wanted >= self->axes[axis].content - 1)
        gtk_widget_error_bell (widget);
      else
        {
          listd_flow_scroll_by (self, axis ? 0 : way, axis ? way : 0);
          land (self, start->frame.x + (axis ? 1 : way + 1), start->frame.y + (axis ? way + 1 : 1), modify, extend);
        }
    }
  return TRUE;
}

static gboolean
on_select (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (widget);
  ListdCell *cell = listd_flow_keys_get_focused (self);
  gboolean modify, extend;

  g_variant_get (arguments, "(bb)", &modify, &extend);
  if (cell != NULL)
    listd_flow_select_cell (self, cell, modify, extend);
  return cell != NULL;
}

static gboolean
on_select_all (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  listd_flow_select_all (LISTD_FLOW_VIEW (widget), g_variant_get_boolean (arguments));
  return TRUE;
}

static gboolean
on_activate (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  ListdCell *cell = listd_flow_keys_get_focused (LISTD_FLOW_VIEW (widget));

  if (cell != NULL)
    listd_flow_emit_activate (LISTD_FLOW_VIEW (widget), cell);
  return cell != NULL;
}

static gboolean
on_menu (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (widget);
  ListdCell *cell = listd_flow_keys_get_focused (self);

  if (cell == NULL || self->context_menu == NULL)
    return FALSE;
  listd_flow_pointer_popup (self, cell, cell->drawn.x + cell->drawn.width / 2, cell->drawn.y + cell->drawn.height / 2);
  return TRUE;
}

/* Actions */

static void
on_action (GtkWidget *widget, const char *name, GVariant *parameters)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (widget);
  const char *id;
  guint item;
  gboolean modify = FALSE, extend = FALSE;
  ListdCell *cell;

  if (g_str_equal (name, "list.select-item"))
    g_variant_get (parameters, "(&subb)", &id, &item, &modify, &extend);
  else
    g_variant_get (parameters, "(&su)", &id, &item);
  cell = listd_flow_view_get_cell (self, id, item);
  if (g_str_equal (name, "list.scroll-to-item"))
    listd_flow_view_scroll_to (self, id, item, LISTD_SCROLL_POSITION_NEAREST, FALSE);
  else if (cell == NULL)
    return;
  else if (g_str_equal (name, "list.activate-item"))
    listd_flow_emit_activate (self, cell);
  else
    listd_flow_select_cell (self, cell, modify, extend);
}

static void
add_move (GtkWidgetClass *klass, guint key, guint keypad, Move move)
{
  const guint keys[] = { key, keypad };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    for (guint state = 0; state < 4; state++)
      {
        const gboolean modify = state & 1, extend = state & 2;
        gtk_widget_class_add_binding (klass, keys[i], (modify ? GDK_CONTROL_MASK : 0) | (extend ? GDK_SHIFT_MASK : 0), on_move, "(ybb)",
                                      (guchar) move, modify, extend);
      }
}

void
listd_flow_keys_class_init (GtkWidgetClass *klass)
{
  add_move (klass, GDK_KEY_Left, GDK_KEY_KP_Left, MOVE_LEFT);
  add_move (klass, GDK_KEY_Right, GDK_KEY_KP_Right, MOVE_RIGHT);
  add_move (klass, GDK_KEY_Up, GDK_KEY_KP_Up, MOVE_UP);
  add_move (klass, GDK_KEY_Down, GDK_KEY_KP_Down, MOVE_DOWN);
  add_move (klass, GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up, MOVE_PAGE_UP);
  add_move (klass, GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down, MOVE_PAGE_DOWN);
  add_move (klass, GDK_KEY_Home, GDK_KEY_KP_Home, MOVE_HOME);
  add_move (klass, GDK_KEY_End, GDK_KEY_KP_End, MOVE_END);
  for (guint state = 0; state < 4; state++)
    gtk_widget_class_add_binding (klass, GDK_KEY_space, (state & 1 ? GDK_CONTROL_MASK : 0) | (state & 2 ? GDK_SHIFT_MASK : 0), on_select, "(bb)",
                                  (gboolean) (state & 1), (gboolean) (state & 2) >> 1);
  gtk_widget_class_add_binding (klass, GDK_KEY_a, GDK_CONTROL_MASK, on_select_all, "b", TRUE);
  gtk_widget_class_add_binding (klass, GDK_KEY_slash, GDK_CONTROL_MASK, on_select_all, "b", TRUE);
  gtk_widget_class_add_binding (klass, GDK_KEY_A, GDK_CONTROL_MASK | GDK_SHIFT_MASK, on_select_all, "b", FALSE);
  gtk_widget_class_add_binding (klass, GDK_KEY_backslash, GDK_CONTROL_MASK, on_select_all, "b", FALSE);
  gtk_widget_class_add_binding (klass, GDK_KEY_Return, 0, on_activate, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_KP_Enter, 0, on_activate, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_Menu, 0, on_menu, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_F10, GDK_SHIFT_MASK, on_menu, NULL);
  gtk_widget_class_install_action (klass, "list.select-item", "(subb)", on_action);
  gtk_widget_class_install_action (klass, "list.scroll-to-item", "(su)", on_action);
  gtk_widget_class_install_action (klass, "list.activate-item", "(su)", on_action);
}

/* Letters that are looked for */

static void
stop_typing (ListdFlowView *self)
{
  if (self->typing != 0)
    g_source_remove (self->typing);
  self->typing = 0;
  g_string_truncate (self->typed, 0);
}

static gboolean
on_thought (gpointer data)
{
  ListdFlowView *self = data;

  self->typing = 0;
  stop_typing (self);
  return G_SOURCE_REMOVE;
}

/* One search from where somebody is, then one from the start. A client has one search at a time: the next one waits. */
typedef struct
{
  GWeakRef *view;
  ListdList *list;
  char *text;
  gboolean from_start;
} Search;

static void look_for_typed (ListdFlowView *self);

static void
search_end (Search *search)
{
  g_autoptr (ListdFlowView) self = listd_flow_return (search->view);

  if (self != NULL)
    {
      self->searching = FALSE;
      if (self->typed->len > 0 && !g_str_equal (self->typed->str, search->text) && self->list != NULL)
        look_for_typed (self);
    }
  g_object_unref (search->list);
  g_free (search->text);
  g_free (search);
}

static void
on_searched (GObject *object, GAsyncResult *result, gpointer data)
{
  Search *search = data;
  g_autoptr (ListdFlowView) self = g_weak_ref_get (search->view);
  g_autoptr (GError) error = NULL;
  const guint position = listd_list_search_finish (search->list, result, &error);

  if (self == NULL)
    {
      search_end (search);
      return;
    }
  if (position == G_MAXUINT && error == NULL && !search->from_start && self->list == search->list)
    {
      search->from_start = TRUE;
      listd_list_search_async (search->list, search->text, 0, FALSE, NULL, on_searched, search);
      return;
    }
  if (position != G_MAXUINT && self->list == search->list)
    focus_position (self, position);
  else if (error == NULL)
    gtk_widget_error_bell (GTK_WIDGET (self));
  search_end (search);
}

static void
on_begin (GObject *object, GAsyncResult *result, gpointer data)
{
  Search *search = data;
  guint position = listd_list_find_finish (search->list, result, NULL);

  if (position == G_MAXUINT)
    position = 0;
  search->from_start = position == 0;
  /* The first letter goes on to the next item, more letters may stay. */
  listd_list_search_async (search->list, search->text, position + (g_utf8_strlen (search->text, -1) == 1 && position > 0), FALSE, NULL,
                           on_searched, search);
}

static void
look_for_typed (ListdFlowView *self)
{
  Search *search;

  if (self->searching)
    return;
  self->searching = TRUE;
  search = g_new (Search, 1);
  *search = (Search){ listd_flow_lend (self), g_object_ref (self->list), g_strdup (self->typed->str), TRUE };
  if (self->cursor != NULL)
    listd_list_find_async (self->list, self->cursor, NULL, on_begin, search);
  else
    listd_list_search_async (self->list, search->text, 0, FALSE, NULL, on_searched, search);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, ListdFlowView *self)
{
  const gunichar letter = gdk_keyval_to_unicode (key);

  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK | GDK_META_MASK) || self->list == NULL)
    return FALSE;
  if (key == GDK_KEY_Escape && self->typing != 0)
    {
      stop_typing (self);
      return TRUE;
    }
  if (letter == 0 || !g_unichar_isprint (letter) || (g_unichar_isspace (letter) && self->typed->len == 0))
    return FALSE;
  g_string_append_unichar (self->typed, letter);
  if (self->typing != 0)
    g_source_remove (self->typing);
  self->typing = g_timeout_add (THINKING, on_thought, self);
  look_for_typed (self);
  return TRUE;
}

void
listd_flow_keys_init (ListdFlowView *self)
{
  GtkEventController *controller = gtk_event_controller_key_new ();

  self->typed = g_string_new (NULL);
  g_signal_connect (controller, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
}

void
listd_flow_keys_finalize (ListdFlowView *self)
{
  stop_typing (self);
  g_string_free (self->typed, TRUE);
  g_free (self->cursor);
}

// SPDX-License-Identifier: Apache-2.0
/* Where Tab moves the focus: in a flow view as in a GtkListView that shows the same list. */
#include "screen.h"

#include <signal.h>

static Stage *stage;

/* A window with a button before and after a list. */
typedef struct
{
  GtkWidget *window, *before, *after, *view;
} Shown;

/* GTK changed its mind: since then the lists of GTK, too, walk as told here. */
static gboolean
is_new (void)
{
  return gtk_check_version (4, 12, 0) == NULL;
}

/* Shows the view, which is made, in a window. */
static void
frame_list (Shown *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *scrolled = gtk_scrolled_window_new ();

  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), self->view);
  self->before = gtk_button_new_with_label ("before");
  self->after = gtk_button_new_with_label ("after");
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (box), self->before);
  gtk_box_append (GTK_BOX (box), scrolled);
  gtk_box_append (GTK_BOX (box), self->after);
  self->window = gtk_window_new ();
  gtk_window_set_default_size (GTK_WINDOW (self->window), 300, 440);
  gtk_window_set_child (GTK_WINDOW (self->window), box);
  gtk_window_present (GTK_WINDOW (self->window));
}

static GtkWidget *
make_row (gboolean buttons)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_box_append (GTK_BOX (box), gtk_label_new (NULL));
  if (buttons)
    {
      gtk_box_append (GTK_BOX (box), gtk_button_new_with_label ("a"));
      gtk_box_append (GTK_BOX (box), gtk_button_new_with_label ("b"));
    }
  return box;
}

/* A flow view */

static GtkWidget *
on_flow_setup (ListdFlowView *view, ListdCell *cell, const char *reuse, const char *kind, gpointer buttons)
{
  return make_row (GPOINTER_TO_INT (buttons) && g_str_equal (kind, "cell"));
}

static void
on_flow_bind (ListdFlowView *view, GtkWidget *row, ListdSlot *slot, gpointer data)
{
  const char *text = listd_item_get_string (listd_slot_get_item (slot), "text");

  gtk_label_set_text (GTK_LABEL (gtk_widget_get_first_child (row)), text != NULL ? text : "");
}

static void
show_flow (Shown *self, ListdClient *client, const char *list, gboolean buttons)
{
  self->view = listd_flow_view_new (client, list);
  g_signal_connect (self->view, "setup", G_CALLBACK (on_flow_setup), GINT_TO_POINTER (buttons));
  g_signal_connect (self->view, "bind", G_CALLBACK (on_flow_bind), NULL);
  frame_list (self);
}

/* A list view of GTK */

static void
on_row_setup (GtkListItemFactory *factory, GtkListItem *row, gpointer buttons)
{
  gtk_list_item_set_child (row, make_row (GPOINTER_TO_INT (buttons)));
}

static void
show_text (GtkListItem *row)
{
  const char *text = listd_item_get_string (gtk_list_item_get_item (row), "text");

  gtk_label_set_text (GTK_LABEL (gtk_widget_get_first_child (gtk_list_item_get_child (row))), text != NULL ? text : "");
}

static void
on_row_bind (GtkListItemFactory *factory, GtkListItem *row, gpointer data)
{
  g_signal_connect_object (gtk_list_item_get_item (row), "changed", G_CALLBACK (show_text), row, G_CONNECT_SWAPPED);
  show_text (row);
}

static void
on_row_unbind (GtkListItemFactory *factory, GtkListItem *row, gpointer data)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (row), show_text, row);
}

static void
show_list (Shown *self, ListdClient *client, const char *list, gboolean buttons)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (ListdList) model = listd_list_new (client, list);

  g_signal_connect (factory, "setup", G_CALLBACK (on_row_setup), GINT_TO_POINTER (buttons));
  g_signal_connect (factory, "bind", G_CALLBACK (on_row_bind), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_row_unbind), NULL);
  self->view = gtk_list_view_new (listd_selection_new (model), factory);
  frame_list (self);
}

static void
hide (Shown *self)
{
  gtk_window_destroy (GTK_WINDOW (self->window));
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

/* What has the focus: a button beside the list, a row by its text, or a button in a row. */
static char *
focused (Shown *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self->window)), *row = focus, *child;

  if (focus == self->before || focus == self->after || focus == NULL)
    return g_strdup (focus == NULL ? "nothing" : gtk_button_get_label (GTK_BUTTON (focus)));
  if (focus == self->view || GTK_IS_SCROLLED_WINDOW (focus))
    return g_strdup (focus == self->view ? "list" : "scrolled");
  while (!g_str_equal (gtk_widget_get_css_name (row), "row"))
    row = gtk_widget_get_parent (row);
  child = gtk_widget_get_first_child (gtk_widget_get_first_child (row));
  return g_strjoin ("/", gtk_label_get_text (GTK_LABEL (child)), focus != row ? gtk_button_get_label (GTK_BUTTON (focus)) : NULL, NULL);
}

static gboolean
has_focus (Shown *self, const char *what)
{
  g_autofree char *now = focused (self);

  return g_str_equal (now, what);
}

static void
press_tab (Shown *self, gboolean backward)
{
  g_signal_emit_by_name (self->window, "move-focus", backward ? GTK_DIR_TAB_BACKWARD : GTK_DIR_TAB_FORWARD);
}

/* Also when it is there, in a window that is not the active one. */
static void
put_focus (Shown *self, GtkWidget *widget)
{
  gtk_window_set_focus (GTK_WINDOW (self->window), NULL);
  g_assert_true (gtk_widget_grab_focus (widget));
}

/* Presses Tab for each word, or Shift+Tab, and expects the focus there. The words with `!` are where the focus is put. */
static void
walk (Shown *self, gboolean backward, const char *words)
{
  g_auto (GStrv) way = g_strsplit (words, " ", -1);

  for (guint i = 0; way[i] != NULL; i++)
    {
      if (g_str_equal (way[i], "before!"))
        put_focus (self, self->before);
      else if (g_str_equal (way[i], "after!"))
        put_focus (self, self->after);
      else
        {
          g_autofree char *now = NULL;

          press_tab (self, backward);
          now = focused (self);
          if (!g_str_equal (now, way[i]))
            g_error ("%s instead of %s, at %u of “%s” in a %s", now, way[i], i, words, G_OBJECT_TYPE_NAME (self->view));
        }
    }
}

static void
make (const char *name, guint n)
{
  GString *upserts = g_string_new ("[");

  stage_create (stage, name, NULL);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (upserts, "%s('o%u', '', 'last', '', {'text': <'%u'>})", i ? ", " : "", i, i);
  g_string_append_c (upserts, ']');
  stage_apply (stage, name, "@as []", upserts->str);
  g_string_free (upserts, TRUE);
}

static gboolean
shows (GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) && g_str_equal (gtk_label_get_text (GTK_LABEL (widget)), text))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    if (shows (child, text))
      return TRUE;
  return FALSE;
}

static double
y_of (Shown *self, const char *id)
{
  ListdCell *cell = listd_flow_view_get_cell (LISTD_FLOW_VIEW (self->view), id, 0);
  graphene_rect_t bounds;

  return cell != NULL && gtk_widget_compute_bounds (GTK_WIDGET (cell), self->view, &bounds) ? bounds.origin.y : -1000;
}

/* Each item once, and out at the end; the selection stays as it is. */
static void
goes_through_rows (void)
{
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  ListdFlowView *view;
  Shown flow, list;

  make ("rows", 4);
  show_flow (&flow, client, "rows", FALSE);
  show_list (&list, client, "rows", FALSE);
  view = LISTD_FLOW_VIEW (flow.view);
  stage_wait (shows (flow.view, "3") && shows (list.view, "3"));
  stage_wait (listd_list_get_state (listd_flow_view_get_list (view)) == LISTD_LIST_STATE_READY);
  for (guint i = 0; i < (is_new () ? 2 : 1); i++)
    {
      Shown *shown = i == 0 ? &flow : &list;

      walk (shown, FALSE, "before! 0 1 2 3 after");
      walk (shown, TRUE, "after! 3 2 1 0 before");
      walk (shown, FALSE, "before! 0 1 2");
      walk (shown, FALSE, is_new () ? "before! 0 1 2" : "before! 2");
      walk (shown, TRUE, is_new () ? "after! 3 2" : "after! 2");
      walk (shown, FALSE, "3 after");
    }
  g_assert_cmpuint (listd_list_get_n_selected (listd_flow_view_get_list (view)), ==, 0);
  hide (&list);
  hide (&flow);
}

/* A row, then what can have the focus in it. */
static void
goes_into_rows (void)
{
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  Shown flow, list;

  make ("buttons", 3);
  show_flow (&flow, client, "buttons", TRUE);
  show_list (&list, client, "buttons", TRUE);
  stage_wait (shows (flow.view, "2") && shows (list.view, "2"));
  for (guint i = 0; i < (is_new () ? 2 : 1); i++)
    {
      Shown *shown = i == 0 ? &flow : &list;

      walk (shown, FALSE, "before! 0 0/a 0/b 1 1/a 1/b 2 2/a 2/b after");
      walk (shown, TRUE, "2/b 2/a 2 1/b 1/a 1 0/b 0/a 0 before");
    }
  hide (&list);
  hide (&flow);
}

/* In the row that has the focus, then out. */
static void
stays_in_one_row (void)
{
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  Shown flow, list;

  make ("one", 3);
  show_flow (&flow, client, "one", TRUE);
  show_list (&list, client, "one", TRUE);
  listd_flow_view_set_tab_behavior (LISTD_FLOW_VIEW (flow.view), LISTD_TAB_BEHAVIOR_ITEM);
  if (is_new ())
    g_object_set (list.view, "tab-behavior", 1, NULL);
  stage_wait (shows (flow.view, "2") && shows (list.view, "2"));
  for (guint i = 0; i < (is_new () ? 2 : 1); i++)
    {
      Shown *shown = i == 0 ? &flow : &list;

      walk (shown, FALSE, "before! 0 0/a 0/b after");
      walk (shown, TRUE, "0/b 0/a 0 before");
    }
  put_focus (&flow, GTK_WIDGET (listd_flow_view_get_cell (LISTD_FLOW_VIEW (flow.view), "o1", 0)));
  walk (&flow, FALSE, "1/a 1/b after before! 1 1/a");
  hide (&list);
  hide (&flow);
}

/* Nothing in a list without rows can have the focus. */
static void
passes_by_no_rows (void)
{
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  Shown flow, list;

  make ("none", 0);
  show_flow (&flow, client, "none", FALSE);
  show_list (&list, client, "none", FALSE);
  stage_wait (listd_list_get_state (listd_flow_view_get_list (LISTD_FLOW_VIEW (flow.view))) == LISTD_LIST_STATE_READY);
  for (guint i = 0; i < 2; i++)
    {
      /* A scrolled window can have the focus when nothing in it can. */
      walk (i == 0 ? &flow : &list, FALSE, "before! scrolled after");
      walk (i == 0 ? &flow : &list, TRUE, "after! scrolled before");
    }
  hide (&list);
  hide (&flow);
}

/* Items that nobody has loaded yet. */
static void
goes_far (void)
{
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  GtkAdjustment *adjustment;
  ListdFlowView *view;
  Shown flow;

  make ("far", 1000);
  show_flow (&flow, client, "far", FALSE);
  view = LISTD_FLOW_VIEW (flow.view);
  adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (view));
  stage_wait (shows (flow.view, "3"));
  stage_wait (g_list_model_get_n_items (G_LIST_MODEL (listd_flow_view_get_list (view))) == 1000);
  /* Each step to the next row, and that on the screen. */
  put_focus (&flow, flow.before);
  for (guint i = 0; i < 60; i++)
    {
      g_autofree char *text = g_strdup_printf ("%u", i), *id = g_strdup_printf ("o%u", i);

      press_tab (&flow, FALSE);
      stage_wait (has_focus (&flow, text) && y_of (&flow, id) >= 0 && y_of (&flow, id) <= gtk_widget_get_height (flow.view) - 44);
    }
  /* From a row that is out of sight. */
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_lower (adjustment) + 30000);
  stage_wait (shows (flow.view, "684"));
  press_tab (&flow, FALSE);
  stage_wait (has_focus (&flow, "60") && y_of (&flow, "o60") >= 0);
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_lower (adjustment) + 30000);
  stage_wait (shows (flow.view, "684"));
  press_tab (&flow, TRUE);
  stage_wait (has_focus (&flow, "59") && y_of (&flow, "o59") >= 0);
  /* In at the ends, or where the focus was, and out there. */
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_lower (adjustment) + 30000);
  stage_wait (shows (flow.view, "684"));
  put_focus (&flow, flow.after);
  press_tab (&flow, TRUE);
  stage_wait (has_focus (&flow, is_new () ? "999" : "59"));
  listd_flow_view_scroll_to (view, "o999", 0, LISTD_SCROLL_POSITION_NEAREST, TRUE);
  stage_wait (has_focus (&flow, "999"));
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_lower (adjustment));
  stage_wait (shows (flow.view, "3"));
  press_tab (&flow, FALSE);
  stage_wait (has_focus (&flow, "after"));
  put_focus (&flow, flow.before);
  press_tab (&flow, FALSE);
  stage_wait (has_focus (&flow, is_new () ? "0" : "999"));
  hide (&flow);
}

/* Sections of several items below headers, which have no focus. */
static void
goes_through_sections (void)
{
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  Shown flow;

  stage_create (stage, "sections", "{'section-controllers': <{'*': 'listd/binding'}>, 'sticky-headers': <true>}");
  stage_apply (stage, "sections", "@as []",
               "[('s', '', 'last', '', {'header': <{'height': <30.0>, 'text': <'head'>}>, "
               "'items': <[{'id': <'i'>, 'text': <'0'>, 'height': <44.0>}, {'id': <'j'>, 'text': <'1'>, 'height': <44.0>}]>}), "
               "('t', '', 'last', '', {'header': <{'height': <30.0>, 'text': <'head'>}>, "
               "'items': <[{'id': <'k'>, 'text': <'2'>, 'height': <44.0>}, {'id': <'l'>, 'text': <'3'>, 'height': <44.0>}]>})]");
  show_flow (&flow, client, "sections", FALSE);
  stage_wait (shows (flow.view, "3"));
  walk (&flow, FALSE, "before! 0 1 2 3 after");
  walk (&flow, TRUE, "3 2 1 0 before");
  hide (&flow);
}

/* Nobody tells what comes next while listd is away: Tab does not hold whoever presses it. */
static void
goes_on_without_listd (void)
{
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  GtkAdjustment *adjustment;
  Shown flow;

  make ("away", 1000);
  show_flow (&flow, client, "away", FALSE);
  adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (flow.view));
  stage_wait (shows (flow.view, "3"));
  walk (&flow, FALSE, "before! 0 1");
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_lower (adjustment) + 22000);
  stage_wait (shows (flow.view, "502"));
  stage_stop_listd (stage, SIGKILL);
  stage_wait (!listd_client_get_available (client));
  press_tab (&flow, FALSE);
  stage_wait (has_focus (&flow, "after"));
  stage_start_listd (stage);
  hide (&flow);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  stage = stage_new (STAGE_DAEMON);
  g_test_add_func ("/tab/goes-through-rows", goes_through_rows);
  g_test_add_func ("/tab/goes-into-rows", goes_into_rows);
  g_test_add_func ("/tab/stays-in-one-row", stays_in_one_row);
  g_test_add_func ("/tab/passes-by-no-rows", passes_by_no_rows);
  g_test_add_func ("/tab/goes-far", goes_far);
  g_test_add_func ("/tab/goes-through-sections", goes_through_sections);
  g_test_add_func ("/tab/goes-on-without-listd", goes_on_without_listd);
  result = g_test_run ();
  stage_free (stage);
  return result;
}

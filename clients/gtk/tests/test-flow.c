// SPDX-License-Identifier: Apache-2.0
/* What a flow view does: what it shows and where, and what keys, the focus and the selection mean. */
#include "screen.h"

#include <math.h>
#include <signal.h>

static Stage *stage;

/* A list of its own for each test. */
static char *
make (const char *options, guint n)
{
  static guint number = 0;
  char *name = g_strdup_printf ("list%u", number++);

  stage_create (stage, name, options);
  if (n > 0)
    stage_fill (stage, name, n);
  return name;
}

static void
put (const char *list, const char *upserts)
{
  stage_apply (stage, list, "@as []", upserts);
}

static int
y_of (const Frame *frame, const char *id)
{
  gpointer y;

  return g_hash_table_lookup_extended (frame->rows, id, NULL, &y) ? GPOINTER_TO_INT (y) : G_MININT;
}

static void
shows_rows (void)
{
  g_autofree char *list = make (NULL, 1000);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);

  screen_settle (screen);
  g_assert_cmpstr (screen_text (screen, "o3"), ==, "text 3");
  g_assert_cmpfloat (screen_y (screen, "o3"), ==, 132);
  g_assert_cmpfloat (gtk_adjustment_get_upper (screen_adjustment (screen)), ==, 44000);
  g_assert_cmpuint (screen->setups, ==, listd_flow_view_get_n_cells (screen->view));
  g_assert_cmpuint (listd_flow_view_get_n_cells (screen->view), <=, 10 + 6 + 2);
  gtk_adjustment_set_value (screen_adjustment (screen), 22000);
  screen_settle (screen);
  g_assert_cmpfloat (screen_y (screen, "o500"), ==, 0);
  g_assert_cmpuint (screen->setups, ==, listd_flow_view_get_n_cells (screen->view));
  g_assert_null (listd_flow_view_get_cell (screen->view, "o3", 0));
  screen_free (screen);
}

static void
count_displayed (ListdList *list, const char *view, GVariant *begun, GVariant *ended, GVariant *items_begun, GVariant *items_ended, guint *displayed)
{
  *displayed += g_variant_n_children (begun);
}

/* What is drawn beyond the screen is displayed to nobody. */
static void
displays_what_is_seen (void)
{
  g_autofree char *name = make (NULL, 1000);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdList) list = listd_list_new (client, name);
  guint displayed = 0;
  Screen *screen;

  g_signal_connect (list, "display-changed", G_CALLBACK (count_displayed), &displayed);
  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_READY);
  screen = screen_new (stage, name, 300, 440, NULL);
  screen_settle (screen);
  g_assert_nonnull (listd_flow_view_get_cell (screen->view, "o14", 0));
  /* Ten rows, and one that begins where the screen ends. */
  stage_wait (displayed >= 10);
  g_assert_cmpuint (displayed, <=, 11);
  gtk_adjustment_set_value (screen_adjustment (screen), 88);
  stage_wait (displayed >= 12);
  g_assert_cmpuint (displayed, <=, 13);
  g_signal_handlers_disconnect_by_data (list, &displayed);
  screen_free (screen);
}

static void
keeps_place (void)
{
  g_autofree char *list = make (NULL, 1000);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);
  double y, value;

  screen_settle (screen);
  /* At the start, what is new pushes the others away. */
  put (list, "[('x0', '', 'first', '', {'text': <'x0'>})]");
  stage_wait (screen_text (screen, "x0") != NULL);
  screen_wait_frames (screen, 20);
  g_assert_cmpfloat (screen_y (screen, "x0"), ==, 0);
  g_assert_cmpfloat (screen_y (screen, "o0"), ==, 44);
  gtk_adjustment_set_value (screen_adjustment (screen), 5000);
  screen_settle (screen);
  y = screen_y (screen, "o115");
  value = gtk_adjustment_get_value (screen_adjustment (screen));
  put (list, "[('x1', '', 'first', '', {'text': <'x1'>}), ('x2', '', 'first', '', {'text': <'x2'>})]");
  stage_wait (gtk_adjustment_get_lower (screen_adjustment (screen)) == -88);
  screen_wait_frames (screen, 3);
  g_assert_cmpfloat (screen_y (screen, "o115"), ==, y);
  g_assert_cmpfloat (gtk_adjustment_get_value (screen_adjustment (screen)), ==, value);
  stage_apply (stage, list, "['x0', 'x1', 'x2', 'o0']", "@a(ssssa{sv}) []");
  stage_wait (gtk_adjustment_get_lower (screen_adjustment (screen)) == 88);
  screen_wait_frames (screen, 3);
  g_assert_cmpfloat (screen_y (screen, "o115"), ==, y);
  screen_free (screen);
}

static void
do_not_stick (ListdFlowView *view)
{
  listd_flow_view_set_stick_to_start (view, FALSE);
}

static void
keeps_place_at_the_start (void)
{
  g_autofree char *list = make (NULL, 100);
  Screen *screen = screen_new (stage, list, 300, 440, do_not_stick);

  screen_settle (screen);
  put (list, "[('x0', '', 'first', '', {'text': <'x0'>})]");
  stage_wait (gtk_adjustment_get_lower (screen_adjustment (screen)) == -44);
  screen_wait_frames (screen, 3);
  g_assert_cmpfloat (screen_y (screen, "o0"), ==, 0);
  g_assert_cmpfloat (screen_y (screen, "x0"), ==, -44);
  screen_free (screen);
}

/* Somebody scrolls away from the start when something new is there already, which nobody has heard of. */
static void
keeps_place_of_who_just_left (void)
{
  g_autofree char *list = make (NULL, 1000);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);

  screen_settle (screen);
  screen_record (screen);
  screen_wait_frames (screen, 1);
  put (list, "[('x', '', 'first', '', {'text': <'x'>})]");
  gtk_adjustment_set_value (screen_adjustment (screen), 150);
  stage_wait (gtk_adjustment_get_upper (screen_adjustment (screen)) - gtk_adjustment_get_lower (screen_adjustment (screen)) == 1001 * 44);
  screen_wait_frames (screen, 20);
  for (guint i = 1; i < screen->frames->len; i++)
    {
      const Frame *one = screen->frames->pdata[i - 1], *other = screen->frames->pdata[i];
      g_assert_cmpint (y_of (other, "o4") - y_of (one, "o4"), ==, (int) lround (4 * (one->value - other->value)));
    }
  /* listd knows where the view is. */
  stage_wait (listd_view_get_offset_y (listd_flow_view_get_view (screen->view)) == 150 + 44);
  screen_free (screen);
}

static void
scrolls_to (void)
{
  g_autofree char *list = make (NULL, 1000);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);

  /* Before anything is shown: it waits. */
  listd_flow_view_scroll_to (screen->view, "o500", 0, LISTD_SCROLL_POSITION_START, TRUE);
  stage_wait (screen_y (screen, "o500") == 0);
  stage_wait (g_strcmp0 (screen_focused (screen), "o500") == 0);
  listd_flow_view_scroll_to (screen->view, "o900", 0, LISTD_SCROLL_POSITION_END, FALSE);
  stage_wait (screen_y (screen, "o900") == 440 - 44);
  g_assert_cmpstr (screen_focused (screen), ==, "o500");
  gtk_widget_activate_action (GTK_WIDGET (screen->view), "list.scroll-to-item", "(su)", "o10", 0);
  stage_wait (screen_y (screen, "o10") == 0);
  /* An unknown one moves nothing. */
  listd_flow_view_scroll_to (screen->view, "nobody", 0, LISTD_SCROLL_POSITION_START, FALSE);
  screen_wait_frames (screen, 5);
  g_assert_cmpfloat (screen_y (screen, "o10"), ==, 0);
  screen_free (screen);
}

static void
begin_in_the_middle (ListdFlowView *view)
{
  listd_flow_view_set_options (view, g_variant_new_parsed ("{'at': <('o500', uint32 0, 'start')>}"));
}

/* A view that is opened somewhere scrolls on from there. */
static void
begins_in_the_middle (void)
{
  g_autofree char *list = make (NULL, 1000);
  Screen *screen = screen_new (stage, list, 300, 440, begin_in_the_middle);

  stage_wait (screen_y (screen, "o500") == 0);
  screen_settle (screen);
  gtk_adjustment_set_value (screen_adjustment (screen), gtk_adjustment_get_value (screen_adjustment (screen)) + 44);
  screen_wait_frames (screen, 3);
  g_assert_cmpfloat (screen_y (screen, "o501"), ==, 0);
  gtk_adjustment_set_value (screen_adjustment (screen), gtk_adjustment_get_lower (screen_adjustment (screen)));
  stage_wait (screen_y (screen, "o0") == 0);
  screen_free (screen);
}

static void
moves_focus_by_keys (void)
{
  g_autofree char *list = make (NULL, 1000);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);

  screen_settle (screen);
  g_assert_true (gtk_widget_grab_focus (GTK_WIDGET (screen->view)));
  g_assert_cmpstr (screen_focused (screen), ==, "o0");
  g_assert_true (screen_press (screen, GDK_KEY_Down, 0));
  g_assert_cmpstr (screen_focused (screen), ==, "o1");
  stage_wait (screen_selected (screen, "o1"));
  g_assert_true (screen_press (screen, GDK_KEY_Page_Down, 0));
  stage_wait (g_strcmp0 (screen_focused (screen), "o10") == 0);
  stage_wait (screen_selected (screen, "o10"));
  g_assert_false (screen_selected (screen, "o1"));
  g_assert_true (screen_press (screen, GDK_KEY_End, 0));
  stage_wait (g_strcmp0 (screen_focused (screen), "o999") == 0);
  stage_wait (screen_y (screen, "o999") == 440 - 44);
  g_assert_true (screen_press (screen, GDK_KEY_Up, GDK_CONTROL_MASK));
  g_assert_cmpstr (screen_focused (screen), ==, "o998");
  stage_wait (screen_selected (screen, "o999"));
  g_assert_true (screen_press (screen, GDK_KEY_Home, 0));
  stage_wait (g_strcmp0 (screen_focused (screen), "o0") == 0);
  stage_wait (screen_y (screen, "o0") == 0);
  /* Many steps, each to the next one. */
  for (guint i = 1; i <= 40; i++)
    {
      g_autofree char *id = g_strdup_printf ("o%u", i);
      screen_press (screen, GDK_KEY_Down, 0);
      stage_wait (g_strcmp0 (screen_focused (screen), id) == 0);
      stage_wait (screen_y (screen, id) >= 0 && screen_y (screen, id) <= 440 - 44);
    }
  screen_free (screen);
}

/* Ctrl moves the focus alone, and Space says what happens to the selection there; Shift selects from where it was to where it goes. */
static void
selects_by_keys (void)
{
  g_autofree char *list = make (NULL, 100);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);
  ListdList *model = listd_flow_view_get_list (screen->view);

  screen_settle (screen);
  gtk_widget_grab_focus (GTK_WIDGET (screen->view));
  screen_press (screen, GDK_KEY_Down, 0);
  stage_wait (screen_selected (screen, "o1"));
  screen_press (screen, GDK_KEY_Down, GDK_SHIFT_MASK);
  screen_press (screen, GDK_KEY_Down, GDK_SHIFT_MASK);
  stage_wait (screen_selected (screen, "o1") && screen_selected (screen, "o2") && screen_selected (screen, "o3"));
  screen_press (screen, GDK_KEY_Up, GDK_SHIFT_MASK);
  stage_wait (!screen_selected (screen, "o3") && screen_selected (screen, "o2"));
  screen_press (screen, GDK_KEY_Down, GDK_CONTROL_MASK);
  screen_press (screen, GDK_KEY_Down, GDK_CONTROL_MASK);
  g_assert_cmpstr (screen_focused (screen), ==, "o4");
  screen_press (screen, GDK_KEY_space, GDK_CONTROL_MASK);
  stage_wait (screen_selected (screen, "o4"));
  g_assert_true (screen_selected (screen, "o1"));
  screen_press (screen, GDK_KEY_space, GDK_CONTROL_MASK);
  stage_wait (!screen_selected (screen, "o4"));
  /* From where somebody chose last, here by taking it away. */
  screen_press (screen, GDK_KEY_Page_Down, GDK_SHIFT_MASK);
  stage_wait (screen_selected (screen, "o13") && screen_selected (screen, "o4") && !screen_selected (screen, "o1"));
  stage_wait (listd_list_get_n_selected (model) == 10);
  screen_press (screen, GDK_KEY_Home, GDK_SHIFT_MASK);
  stage_wait (listd_list_get_n_selected (model) == 5 && screen_selected (screen, "o0") && screen_selected (screen, "o4"));
  screen_press (screen, GDK_KEY_a, GDK_CONTROL_MASK);
  stage_wait (listd_list_get_n_selected (model) == 100);
  screen_press (screen, GDK_KEY_space, 0);
  stage_wait (listd_list_get_n_selected (model) == 1 && screen_selected (screen, "o0"));
  /* One at a time, if that is all that somebody may select. */
  listd_flow_view_set_selection_mode (screen->view, GTK_SELECTION_SINGLE);
  screen_press (screen, GDK_KEY_Down, GDK_SHIFT_MASK);
  stage_wait (listd_list_get_n_selected (model) == 1 && screen_selected (screen, "o1"));
  screen_free (screen);
}

static void
keeps_focus (void)
{
  g_autofree char *list = make (NULL, 1000);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);
  GtkWidget *cell;

  screen_settle (screen);
  g_assert_true (gtk_widget_grab_focus (GTK_WIDGET (listd_flow_view_get_cell (screen->view, "o4", 0))));
  cell = gtk_window_get_focus (GTK_WINDOW (screen->window));
  gtk_adjustment_set_value (screen_adjustment (screen), 30000);
  screen_settle (screen);
  /* Its cell is out of sight, and is not used for another item. */
  g_assert_null (listd_flow_view_get_cell (screen->view, "o4", 0));
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (screen->window)) == cell);
  g_assert_cmpstr (screen_focused (screen), ==, "o4");
  /* A key goes on from there. */
  screen_press (screen, GDK_KEY_Down, 0);
  stage_wait (listd_flow_view_get_cell (screen->view, "o4", 0) != NULL);
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (screen->window)) == cell);
  g_assert_true (GTK_WIDGET (listd_flow_view_get_cell (screen->view, "o4", 0)) == cell);
  /* An item that goes hands the focus to its neighbour. */
  screen_settle (screen);
  stage_apply (stage, list, "['o4']", "@a(ssssa{sv}) []");
  stage_wait (listd_flow_view_get_cell (screen->view, "o4", 0) == NULL);
  g_assert_cmpstr (screen_focused (screen), ==, "o5");
  /* One that is made anew in another form keeps it. */
  put (list, "[('o5', 'other', 'keep', '', {'text': <'anew'>})]");
  stage_wait (g_strcmp0 (screen_text (screen, "o5"), "anew") == 0);
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (screen->window)) == GTK_WIDGET (listd_flow_view_get_cell (screen->view, "o5", 0)));
  screen_free (screen);
}

/* What had the focus went while it was out of sight: a key goes on from what is on the screen. */
static void
finds_focus_again (void)
{
  g_autofree char *list = make (NULL, 1000);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);

  screen_settle (screen);
  g_assert_true (gtk_widget_grab_focus (GTK_WIDGET (listd_flow_view_get_cell (screen->view, "o4", 0))));
  gtk_adjustment_set_value (screen_adjustment (screen), 22000);
  screen_settle (screen);
  stage_apply (stage, list, "['o4']", NULL);
  stage_wait (gtk_adjustment_get_upper (screen_adjustment (screen)) - gtk_adjustment_get_lower (screen_adjustment (screen)) == 999 * 44);
  screen_press (screen, GDK_KEY_Down, 0);
  stage_wait (g_strcmp0 (screen_focused (screen), "o500") == 0);
  screen_press (screen, GDK_KEY_Down, 0);
  g_assert_cmpstr (screen_focused (screen), ==, "o501");
  screen_free (screen);
}

static void
shares_selection (void)
{
  g_autofree char *list = make (NULL, 1000);
  Screen *first, *second;
  GtkWidget *cell;

  first = screen_new (stage, list, 300, 440, NULL);
  screen_settle (first);
  stage_wait (listd_list_get_state (listd_flow_view_get_list (first->view)) == LISTD_LIST_STATE_READY);
  gtk_widget_activate_action (GTK_WIDGET (first->view), "list.select-item", "(subb)", "o2", 0, FALSE, FALSE);
  gtk_widget_activate_action (GTK_WIDGET (first->view), "list.select-item", "(subb)", "o5", 0, TRUE, FALSE);
  stage_wait (screen_selected (first, "o2")
              && screen_selected (first, "o5"));
  cell = GTK_WIDGET (listd_flow_view_get_cell (first->view, "o5", 0));
  g_assert_true (gtk_widget_get_state_flags (cell) & GTK_STATE_FLAG_SELECTED);
  /* Another viewer, who comes later, sees the same. */
  second = screen_new (stage, list, 300, 440, NULL);
  screen_settle (second);
  stage_wait (screen_selected (second, "o2")
              && screen_selected (second, "o5"));
  /* A range whose begin is out of sight. */
  gtk_adjustment_set_value (screen_adjustment (second), 4400);
  screen_settle (second);
  gtk_widget_activate_action (GTK_WIDGET (second->view), "list.select-item", "(subb)", "o100", 0, FALSE, FALSE);
  stage_wait (screen_selected (second, "o100"));
  g_assert_false (screen_selected (first, "o2"));
  gtk_adjustment_set_value (screen_adjustment (second), 0);
  screen_settle (second);
  gtk_widget_activate_action (GTK_WIDGET (second->view), "list.select-item", "(subb)", "o3", 0, FALSE, TRUE);
  stage_wait (screen_selected (first, "o3")
              && screen_selected (first, "o9"));
  g_assert_false (screen_selected (first, "o2"));
  gtk_adjustment_set_value (screen_adjustment (first), 4300);
  screen_settle (first);
  g_assert_true (screen_selected (first, "o100"));
  g_assert_false (screen_selected (first, "o101"));
  /* Nobody. */
  g_assert_true (screen_press (first, GDK_KEY_backslash, GDK_CONTROL_MASK));
  stage_wait (!screen_selected (first, "o100"));
  screen_free (second);
  screen_free (first);
}

static void
finds_letters (void)
{
  g_autofree char *list = make (NULL, 1000);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);

  put (list, "[('z1', '', 'after', 'o700', {'text': <'zebra'>}), ('z2', '', 'after', 'o300', {'text': <'zoo'>})]");
  screen_settle (screen);
  stage_wait (listd_list_get_state (listd_flow_view_get_list (screen->view)) == LISTD_LIST_STATE_READY);
  gtk_widget_grab_focus (GTK_WIDGET (screen->view));
  screen_type (screen, "z");
  stage_wait (g_strcmp0 (screen_focused (screen), "z2") == 0);
  screen_type (screen, "ebra");
  stage_wait (g_strcmp0 (screen_focused (screen), "z1") == 0);
  g_assert_cmpstr (screen_text (screen, "z1"), ==, "zebra");
  screen_free (screen);
}

static void
survives_kill (void)
{
  g_autofree char *list = make (NULL, 1000);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);
  guint cells;

  screen_settle (screen);
  gtk_adjustment_set_value (screen_adjustment (screen), 22010);
  screen_settle (screen);
  gtk_widget_grab_focus (GTK_WIDGET (listd_flow_view_get_cell (screen->view, "o503", 0)));
  cells = listd_flow_view_get_n_cells (screen->view);
  stage_stop_listd (stage, SIGKILL);
  stage_wait (listd_view_get_state (listd_flow_view_get_view (screen->view)) == LISTD_VIEW_STATE_OFFLINE);
  screen_record (screen);
  screen_wait_frames (screen, 3);
  g_assert_cmpstr (screen_text (screen, "o500"), ==, "text 500");
  stage_start_listd (stage);
  stage_wait (listd_view_get_state (listd_flow_view_get_view (screen->view)) == LISTD_VIEW_STATE_ACTIVE);
  put (list, "[('o500', '', 'keep', '', {'text': <'after'>})]");
  stage_wait (g_strcmp0 (screen_text (screen, "o500"), "after") == 0);
  screen_wait_frames (screen, 3);
  /* Nothing moved or flickered, and the focus is where it was. */
  for (guint i = 0; i < screen->frames->len; i++)
    {
      const Frame *frame = screen->frames->pdata[i];
      g_assert_cmpfloat (frame->hole, ==, 0);
      g_assert_cmpint (GPOINTER_TO_INT (g_hash_table_lookup (frame->rows, "o502")), ==, 4 * 78);
    }
  g_assert_cmpstr (screen_focused (screen), ==, "o503");
  g_assert_cmpuint (listd_flow_view_get_n_cells (screen->view), ==, cells);
  screen_free (screen);
}

static void
lays_out_columns (void)
{
  g_autofree char *list = make ("{'layout': <'flow'>}", 0);
  GString *upserts = g_string_new ("[");
  Screen *screen;

  for (guint i = 0; i < 300; i++)
    g_string_append_printf (upserts, "%s('t%u', '', 'last', '', {'text': <'%u'>, 'width': <100.0>, 'height': <80.0>})", i ? ", " : "", i, i);
  g_string_append_c (upserts, ']');
  put (list, upserts->str);
  screen = screen_new (stage, list, 300, 440, NULL);
  screen_settle (screen);
  g_assert_cmpfloat (screen_x (screen, "t4"), ==, 100);
  g_assert_cmpfloat (screen_y (screen, "t4"), ==, 80);
  gtk_widget_grab_focus (GTK_WIDGET (screen->view));
  screen_press (screen, GDK_KEY_Right, 0);
  g_assert_cmpstr (screen_focused (screen), ==, "t1");
  screen_press (screen, GDK_KEY_Down, 0);
  g_assert_cmpstr (screen_focused (screen), ==, "t4");
  screen_press (screen, GDK_KEY_Left, 0);
  g_assert_cmpstr (screen_focused (screen), ==, "t3");
  screen_press (screen, GDK_KEY_Up, 0);
  g_assert_cmpstr (screen_focused (screen), ==, "t0");
  /* From right to left, all of it is the other way round. */
  gtk_widget_set_direction (GTK_WIDGET (screen->view), GTK_TEXT_DIR_RTL);
  screen_wait_frames (screen, 3);
  g_assert_cmpfloat (screen_x (screen, "t0"), ==, 200);
  g_assert_cmpfloat (screen_x (screen, "t2"), ==, 0);
  screen_press (screen, GDK_KEY_Left, 0);
  g_assert_cmpstr (screen_focused (screen), ==, "t1");
  g_string_free (upserts, TRUE);
  screen_free (screen);
}

static void
lays_out_sideways (void)
{
  g_autofree char *list = make ("{'direction': <'horizontal'>}", 0);
  GString *upserts = g_string_new ("[");
  GtkAdjustment *adjustment;
  Screen *screen;

  for (guint i = 0; i < 200; i++)
    g_string_append_printf (upserts, "%s('t%u', '', 'last', '', {'text': <'%u'>, 'width': <100.0>, 'height': <440.0>})", i ? ", " : "", i, i);
  g_string_append_c (upserts, ']');
  put (list, upserts->str);
  screen = screen_new (stage, list, 300, 440, NULL);
  stage_wait (screen_x (screen, "t2") == 200);
  adjustment = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (screen->view));
  g_assert_cmpfloat (gtk_adjustment_get_upper (adjustment), ==, 20000);
  gtk_adjustment_set_value (adjustment, 5000);
  stage_wait (screen_x (screen, "t50") == 0);
  put (list, "[('x', '', 'first', '', {'text': <'x'>, 'width': <100.0>, 'height': <440.0>})]");
  stage_wait (gtk_adjustment_get_lower (adjustment) == -100);
  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), ==, 5000);
  screen_wait_frames (screen, 2);
  g_assert_cmpfloat (screen_x (screen, "t50"), ==, 0);
  /* From right to left, the list begins at the right edge. */
  gtk_widget_set_direction (GTK_WIDGET (screen->view), GTK_TEXT_DIR_RTL);
  screen_wait_frames (screen, 3);
  g_assert_cmpfloat (screen_x (screen, "t50"), ==, 200);
  listd_flow_view_scroll_to (screen->view, "t10", 0, LISTD_SCROLL_POSITION_START, FALSE);
  stage_wait (screen_x (screen, "t10") == 200);
  put (list, "[('y', '', 'first', '', {'text': <'y'>, 'width': <100.0>, 'height': <440.0>})]");
  stage_wait (gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_lower (adjustment) == 20200);
  screen_wait_frames (screen, 2);
  g_assert_cmpfloat (screen_x (screen, "t10"), ==, 200);
  /* So do the keys. */
  gtk_widget_grab_focus (GTK_WIDGET (listd_flow_view_get_cell (screen->view, "t10", 0)));
  screen_press (screen, GDK_KEY_Left, 0);
  g_assert_cmpstr (screen_focused (screen), ==, "t11");
  screen_press (screen, GDK_KEY_Right, 0);
  screen_press (screen, GDK_KEY_Right, 0);
  stage_wait (g_strcmp0 (screen_focused (screen), "t9") == 0 && screen_x (screen, "t9") == 200);
  screen_press (screen, GDK_KEY_Page_Down, 0);
  stage_wait (g_strcmp0 (screen_focused (screen), "t11") == 0);
  screen_press (screen, GDK_KEY_End, 0);
  stage_wait (g_strcmp0 (screen_focused (screen), "t199") == 0 && screen_x (screen, "t199") == 0);
  screen_press (screen, GDK_KEY_Home, 0);
  stage_wait (g_strcmp0 (screen_focused (screen), "y") == 0 && screen_x (screen, "y") == 200);
  g_string_free (upserts, TRUE);
  screen_free (screen);
}

static void
lays_out_map (void)
{
  g_autofree char *list = make ("{'layout': <'absolute'>}", 0);
  GString *upserts = g_string_new ("[");
  Screen *screen;

  for (guint i = 0; i < 2500; i++)
    g_string_append_printf (upserts,
                            "%s('t%u', '', 'last', '', {'text': <'%u'>, 'x': <%u.0>, 'y': <%u.0>, 'width': <100.0>, 'height': <100.0>})",
                            i ? ", " : "", i, i, i % 50 * 100, i / 50 * 100);
  g_string_append_c (upserts, ']');
  put (list, upserts->str);
  screen = screen_new (stage, list, 300, 440, NULL);
  stage_wait (screen_x (screen, "t1") == 100);
  /* What needs no way sideways gets none. */
  gtk_adjustment_set_value (gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (screen->view)), 2050);
  stage_wait (screen_x (screen, "t21") == 50);
  listd_flow_view_scroll_to (screen->view, "t2021", 0, LISTD_SCROLL_POSITION_NEAREST, FALSE);
  stage_wait (screen_y (screen, "t2021") == 340);
  screen_wait_frames (screen, 2);
  g_assert_cmpfloat (screen_x (screen, "t2021"), ==, 50);
  /* Else it scrolls both ways. */
  listd_flow_view_scroll_to (screen->view, "t540", 0, LISTD_SCROLL_POSITION_START, FALSE);
  stage_wait (screen_x (screen, "t540") == 0 && screen_y (screen, "t540") == 0);
  listd_flow_view_scroll_to (screen->view, "t10", 0, LISTD_SCROLL_POSITION_NEAREST, TRUE);
  stage_wait (screen_x (screen, "t10") == 0 && screen_y (screen, "t10") == 0 && g_strcmp0 (screen_focused (screen), "t10") == 0);
  listd_flow_view_scroll_to (screen->view, "t1225", 0, LISTD_SCROLL_POSITION_CENTER, FALSE);
  stage_wait (screen_x (screen, "t1225") == 100 && screen_y (screen, "t1225") == 170);
  listd_flow_view_scroll_to (screen->view, "nobody", 0, LISTD_SCROLL_POSITION_START, FALSE);
  gtk_adjustment_set_value (gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (screen->view)), 2000);
  gtk_adjustment_set_value (screen_adjustment (screen), 1000);
  stage_wait (screen_x (screen, "t520") == 0 && screen_y (screen, "t520") == 0);
  g_assert_cmpuint (listd_flow_view_get_n_cells (screen->view), <, 120);
  /* A tile that moves does not take the others with it. */
  put (list, "[('t520', '', 'keep', '', {'text': <'520'>, 'x': <2050.0>, 'y': <1050.0>, 'width': <100.0>, 'height': <100.0>})]");
  stage_wait (screen_x (screen, "t520") == 50);
  screen_wait_frames (screen, 20);
  g_assert_cmpfloat (screen_x (screen, "t521"), ==, 100);
  g_assert_cmpfloat (screen_y (screen, "t521"), ==, 0);
  g_string_free (upserts, TRUE);
  screen_free (screen);
}

static const char binding_lists[]
    = "{'section-controllers': <{'*': 'listd/binding'}>, 'sticky-headers': <true>}";

static void
fill_sections (const char *list)
{
  GString *upserts = g_string_new ("[");

  for (guint i = 0; i < 20; i++)
    {
      g_string_append_printf (upserts, "%s('s%u', '', 'last', '', {'header': <{'height': <30.0>, 'text': <'head %u'>}>, 'items': <[", i ? ", " : "",
                              i, i);
      for (guint j = 0; j < 10; j++)
        g_string_append_printf (upserts, "%s{'id': <'i%u'>, 'text': <'%u/%u'>, 'height': <44.0>}", j ? ", " : "", j, i, j);
      g_string_append (upserts, "]>})");
    }
  g_string_append_c (upserts, ']');
  put (list, upserts->str);
  g_string_free (upserts, TRUE);
}

static double
header_y (Screen *screen, const char *text)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (screen->view)); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      graphene_rect_t bounds;

      if (LISTD_IS_CELL (child) && gtk_widget_get_child_visible (child) && listd_cell_get_slot (LISTD_CELL (child)) != NULL
          && g_str_equal (listd_slot_get_kind (listd_cell_get_slot (LISTD_CELL (child))), "header")
          && g_str_equal (gtk_label_get_text (GTK_LABEL (listd_cell_get_child (LISTD_CELL (child)))), text)
          && gtk_widget_compute_bounds (child, GTK_WIDGET (screen->view), &bounds))
        return bounds.origin.y;
    }
  return NAN;
}

static void
keeps_headers_at_the_edge (void)
{
  g_autofree char *list = make (binding_lists, 0);
  Screen *screen;

  fill_sections (list);
  screen = screen_new (stage, list, 300, 440, NULL);
  screen_settle (screen);
  g_assert_cmpfloat (header_y (screen, "head 0"), ==, 0);
  g_assert_cmpfloat (header_y (screen, "head 1"), ==, 470);
  gtk_adjustment_set_value (screen_adjustment (screen), 3);
  screen_wait_frames (screen, 2);
  stage_wait (header_y (screen, "head 0") == 0);
  /* In each frame, not only when listd has answered. */
  for (guint i = 0; i < 60; i++)
    {
      const double position = gtk_adjustment_get_value (screen_adjustment (screen)) + 7;
      gtk_adjustment_set_value (screen_adjustment (screen), position);
      screen_wait_frames (screen, 1);
      if (position < 440)
        g_assert_cmpfloat (header_y (screen, "head 0"), ==, 0);
    }
  /* The next section pushes it away. */
  gtk_adjustment_set_value (screen_adjustment (screen), 455);
  screen_wait_frames (screen, 3);
  g_assert_cmpfloat (header_y (screen, "head 0"), ==, -15);
  g_assert_cmpfloat (header_y (screen, "head 1"), ==, 15);
  g_assert_nonnull (listd_flow_view_get_cell (screen->view, "s1", 3));
  screen_free (screen);
}

static void
set_measure (ListdFlowView *view)
{
  listd_flow_view_set_measure (view, TRUE);
}

static void
reports_sizes (void)
{
  g_autofree char *list = make (NULL, 50);
  Screen *screen = screen_new (stage, list, 300, 440, set_measure);
  ListdCell *cell;
  int height;

  screen_settle (screen);
  cell = listd_flow_view_get_cell (screen->view, "o2", 0);
  gtk_widget_measure (GTK_WIDGET (cell), GTK_ORIENTATION_VERTICAL, 300, NULL, &height, NULL, NULL);
  g_assert_cmpint (height, <, 44);
  stage_wait (screen_y (screen, "o2") == 2 * height && screen_y (screen, "o3") == 3 * height);
  /* A row that grows pushes the next ones away. */
  gtk_widget_set_size_request (listd_cell_get_child (listd_flow_view_get_cell (screen->view, "o0", 0)), -1, 200);
  stage_wait (screen_y (screen, "o1") >= 200);
  screen_free (screen);
}

/* Larger letters: the rows that were measured grow, and what is seen first stays where it is. */
static void
follows_text_scale (void)
{
  g_autofree char *list = make (NULL, 200);
  Screen *screen = screen_new (stage, list, 300, 440, set_measure);
  GtkSettings *settings = gtk_settings_get_default ();
  int before, dpi;

  screen_settle (screen);
  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  listd_flow_view_scroll_to (screen->view, "o50", 0, LISTD_SCROLL_POSITION_START, FALSE);
  stage_wait (screen_y (screen, "o50") == 0);
  gtk_widget_measure (GTK_WIDGET (listd_flow_view_get_cell (screen->view, "o50", 0)), GTK_ORIENTATION_VERTICAL, 300, NULL, &before, NULL, NULL);
  stage_wait (screen_y (screen, "o52") == 2 * before);
  g_object_set (settings, "gtk-xft-dpi", 2 * (dpi > 0 ? dpi : 96 * 1024), NULL);
  stage_wait (screen_y (screen, "o52") - screen_y (screen, "o50") > 3 * before);
  screen_settle (screen);
  g_assert_cmpfloat (ABS (screen_y (screen, "o50")), <=, 1);
  g_object_set (settings, "gtk-xft-dpi", dpi, NULL);
  stage_wait (screen_y (screen, "o52") - screen_y (screen, "o50") == 2 * before);
  screen_free (screen);
}

static const char wrapped_template[]
    = "<interface><template class='ListdCell'><property name='child'><object class='GtkLabel'><property name='wrap'>1</property></object></property>"
      "</template></interface>";

static void
wrap (ListdFlowView *view)
{
  g_autoptr (GBytes) ui = g_bytes_new_static (wrapped_template, sizeof wrapped_template - 1);

  listd_flow_view_set_measure (view, TRUE);
  listd_flow_view_add_template (view, "single", NULL, ui);
}

/* A text that needs several lines makes its row as high as these are at that width. */
static void
measures_for_width (void)
{
  g_autofree char *list = make (NULL, 0);
  Screen *screen;
  ListdCell *cell;
  int one, narrow, wide;

  put (list, "[('a', '', 'last', '', {'text': <'short'>}), ('b', '', 'last', '', {'text': <'a long text that has so many words in it that it needs "
             "more than one line of this window, and less of a wide one'>}), ('c', '', 'last', '', {'text': <'end'>})]");
  screen = screen_new (stage, list, 200, 440, wrap);
  stage_wait ((cell = listd_flow_view_get_cell (screen->view, "b", 0)) != NULL && screen_text (screen, "c") != NULL);
  g_assert_cmpint (gtk_widget_get_request_mode (GTK_WIDGET (cell)), ==, GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH);
  gtk_widget_measure (GTK_WIDGET (listd_flow_view_get_cell (screen->view, "a", 0)), GTK_ORIENTATION_VERTICAL, 200, NULL, &one, NULL, NULL);
  gtk_widget_measure (GTK_WIDGET (cell), GTK_ORIENTATION_VERTICAL, 200, NULL, &narrow, NULL, NULL);
  gtk_widget_measure (GTK_WIDGET (cell), GTK_ORIENTATION_VERTICAL, 600, NULL, &wide, NULL, NULL);
  g_assert_cmpint (narrow, >, 2 * one);
  g_assert_cmpint (wide, <, narrow);
  stage_wait (screen_y (screen, "b") == one && screen_y (screen, "c") == one + narrow);
  gtk_window_set_default_size (GTK_WINDOW (screen->window), 600, 440);
  stage_wait (screen_y (screen, "c") == one + wide);
  screen_free (screen);
}

/* The color of a place of the view, as it is drawn. */
static void
color_at (Screen *screen, int x, int y, GdkRGBA *color)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  g_autoptr (GskRenderNode) node = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  g_autofree guchar *pixels = NULL;
  gsize stride;

  GTK_WIDGET_GET_CLASS (screen->scrolled)->snapshot (screen->scrolled, snapshot);
  node = gtk_snapshot_free_to_node (snapshot);
  texture = gsk_renderer_render_texture (gtk_native_get_renderer (gtk_widget_get_native (screen->scrolled)), node,
                                         &GRAPHENE_RECT_INIT (0, 0, gtk_widget_get_width (screen->scrolled),
                                                              gtk_widget_get_height (screen->scrolled)));
  stride = 4 * gdk_texture_get_width (texture);
  pixels = g_malloc (stride * gdk_texture_get_height (texture));
  gdk_texture_download (texture, pixels, stride);
  /* Blue, green, red on machines of this endianness. */
  *color = (GdkRGBA){ pixels[y * stride + 4 * x + 2] / 255.0f, pixels[y * stride + 4 * x + 1] / 255.0f, pixels[y * stride + 4 * x] / 255.0f, 1 };
}

static double
distance (const GdkRGBA *one, const GdkRGBA *other)
{
  return MAX (fabs (one->red - other->red), MAX (fabs (one->green - other->green), fabs (one->blue - other->blue)));
}

/* With much contrast, light or dark, a header hides what is below it, and what is selected differs from what is not. */
static void
obeys_contrast (void)
{
  static const char *const themes[] = { "Default-hc", "Default-hc-dark" };
  g_autofree char *list = make (binding_lists, 0);
  GtkSettings *settings = gtk_settings_get_default ();
  g_autofree char *theme = NULL;
  Screen *screen;

  fill_sections (list);
  g_object_get (settings, "gtk-theme-name", &theme, NULL);
  screen = screen_new (stage, list, 300, 440, NULL);
  screen_settle (screen);
  stage_wait (listd_list_get_state (listd_flow_view_get_list (screen->view)) == LISTD_LIST_STATE_READY);
  gtk_widget_activate_action (GTK_WIDGET (screen->view), "list.select-item", "(subb)", "s0", 2, FALSE, FALSE);
  stage_wait (listd_cell_get_selected (listd_flow_view_get_cell (screen->view, "s0", 2)));
  for (guint i = 0; i < G_N_ELEMENTS (themes); i++)
    {
      GdkRGBA base, header, selected, row;
      GtkStyleContext *context;

      g_object_set (settings, "gtk-theme-name", themes[i], NULL);
      /* A row lies below the header, and is selected. */
      gtk_adjustment_set_value (screen_adjustment (screen), 30 + 2 * 44 - 15);
      screen_settle (screen);
      G_GNUC_BEGIN_IGNORE_DEPRECATIONS
      context = gtk_widget_get_style_context (GTK_WIDGET (screen->view));
      g_assert_true (gtk_style_context_lookup_color (context, "theme_base_color", &base));
      G_GNUC_END_IGNORE_DEPRECATIONS
      color_at (screen, 3, 20, &header);
      color_at (screen, 3, 45, &selected);
      color_at (screen, 3, 75, &row);
      g_assert_cmpfloat (distance (&header, &base), <, 0.02);
      g_assert_cmpfloat (distance (&selected, &row), >, 0.2);
    }
  g_object_set (settings, "gtk-theme-name", theme, NULL);
  screen_free (screen);
}

static const char row_template[]
    = "<interface><template class='ListdCell'><property name='child'><object class='GtkLabel'><binding name='label'>"
      "<closure type='gchararray' function='listd_cell_get_text'><lookup name='content' type='ListdItem'><lookup name='item'>ListdCell</lookup>"
      "</lookup><constant type='gchararray'>text</constant></closure></binding></object></property></template></interface>";

static void
add_template (ListdFlowView *view)
{
  g_autoptr (GBytes) ui = g_bytes_new_static (row_template, sizeof row_template - 1);
  listd_flow_view_add_template (view, "single", NULL, ui);
}

static void
follows_template (void)
{
  g_autofree char *list = make (NULL, 1000);
  Screen *screen = screen_new (stage, list, 300, 440, add_template);

  g_signal_handlers_disconnect_by_data (screen->view, screen);
  screen_settle (screen);
  g_assert_cmpstr (screen_text (screen, "o3"), ==, "text 3");
  g_assert_cmpuint (screen->setups, ==, 0);
  put (list, "[('o3', '', 'keep', '', {'text': <'other'>})]");
  stage_wait (g_strcmp0 (screen_text (screen, "o3"), "other") == 0);
  gtk_adjustment_set_value (screen_adjustment (screen), 22000);
  screen_settle (screen);
  g_assert_cmpstr (screen_text (screen, "o503"), ==, "text 503");
  screen_free (screen);
}

static void
shares_cells (void)
{
  g_autofree char *list = make (NULL, 1000);
  g_autoptr (ListdWidgetPool) pool = listd_widget_pool_new ();
  Screen *first = screen_new (stage, list, 300, 440, NULL), *second;
  guint cells;

  listd_flow_view_set_pool (first->view, pool);
  screen_settle (first);
  cells = listd_flow_view_get_n_cells (first->view);
  listd_flow_view_set_model_name (first->view, NULL);
  g_assert_cmpuint (listd_widget_pool_get_n_widgets (pool), ==, cells);
  second = screen_new (stage, list, 300, 440, NULL);
  listd_flow_view_set_pool (second->view, pool);
  screen_settle (second);
  /* The cells of the first view show the list in the second one; it makes none of its own. */
  g_assert_cmpuint (second->setups, ==, 0);
  g_assert_cmpuint (listd_widget_pool_get_n_widgets (pool), ==, 0);
  g_assert_cmpstr (screen_text (second, "o3"), ==, "text 3");
  listd_widget_pool_clear (pool);
  screen_free (second);
  screen_free (first);
}

static void
says_what_it_is (void)
{
  g_autofree char *list = make (NULL, 1000), *sections = make (binding_lists, 0);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);
  GtkAccessible *cell;

  screen_settle (screen);
  stage_wait (g_list_model_get_n_items (G_LIST_MODEL (listd_flow_view_get_list (screen->view))) == 1000);
  screen_wait_frames (screen, 1);
  gtk_test_accessible_assert_role (screen->view, GTK_ACCESSIBLE_ROLE_LIST);
  cell = GTK_ACCESSIBLE (listd_flow_view_get_cell (screen->view, "o3", 0));
  gtk_test_accessible_assert_role (cell, GTK_ACCESSIBLE_ROLE_LIST_ITEM);
  gtk_test_accessible_assert_relation (cell, GTK_ACCESSIBLE_RELATION_POS_IN_SET, 4);
  gtk_test_accessible_assert_relation (cell, GTK_ACCESSIBLE_RELATION_SET_SIZE, 1000);
  gtk_widget_activate_action (GTK_WIDGET (screen->view), "list.select-item", "(subb)", "o3", 0, FALSE, FALSE);
  stage_wait (listd_cell_get_selected (LISTD_CELL (cell)));
  gtk_test_accessible_assert_state (cell, GTK_ACCESSIBLE_STATE_SELECTED, TRUE);
  stage_apply (stage, list, "['o0']", "@a(ssssa{sv}) []");
  stage_wait (screen_y (screen, "o1") == 0);
  gtk_test_accessible_assert_relation (cell, GTK_ACCESSIBLE_RELATION_POS_IN_SET, 3);
  /* Far from what is seen, too. */
  put (list, "[('end', '', 'last', '', {'text': <'end'>})]");
  stage_wait (g_list_model_get_n_items (G_LIST_MODEL (listd_flow_view_get_list (screen->view))) == 1000);
  screen_wait_frames (screen, 1);
  gtk_test_accessible_assert_relation (cell, GTK_ACCESSIBLE_RELATION_SET_SIZE, 1000);
  screen_free (screen);

  /* In sections, the item with the focus says it. */
  fill_sections (sections);
  screen = screen_new (stage, sections, 300, 440, NULL);
  screen_settle (screen);
  stage_wait (g_list_model_get_n_items (G_LIST_MODEL (listd_flow_view_get_list (screen->view))) == 200);
  listd_flow_view_scroll_to (screen->view, "s3", 2, LISTD_SCROLL_POSITION_CENTER, TRUE);
  stage_wait (g_strcmp0 (screen_focused (screen), "s3") == 0);
  cell = GTK_ACCESSIBLE (listd_flow_view_get_cell (screen->view, "s3", 2));
  stage_wait (gtk_test_accessible_has_relation (cell, GTK_ACCESSIBLE_RELATION_POS_IN_SET));
  gtk_test_accessible_assert_relation (cell, GTK_ACCESSIBLE_RELATION_POS_IN_SET, 33);
  gtk_test_accessible_assert_relation (cell, GTK_ACCESSIBLE_RELATION_SET_SIZE, 200);
  screen_free (screen);
}

static guint activations;

static void
on_activate (ListdFlowView *view, ListdSlot *slot, gpointer id)
{
  g_assert_cmpstr (listd_item_get_id (listd_slot_get_item (slot)), ==, id);
  activations++;
}

static void
activates (void)
{
  g_autofree char *list = make (NULL, 100);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);

  screen_settle (screen);
  g_signal_connect (screen->view, "activate", G_CALLBACK (on_activate), "o1");
  gtk_widget_grab_focus (GTK_WIDGET (listd_flow_view_get_cell (screen->view, "o1", 0)));
  g_assert_true (screen_press (screen, GDK_KEY_Return, 0));
  gtk_widget_activate_action (GTK_WIDGET (screen->view), "list.activate-item", "(su)", "o1", 0);
  g_assert_cmpuint (activations, ==, 2);
  screen_free (screen);
}

#define WAY 200000 /* microseconds */

/* In each frame that was recorded, a row is nearer to where it goes than before, by no more than it goes in that time. */
static void
assert_glides (Screen *screen, const char *id, double from, double to)
{
  const double step = to < from ? -1 : 1;
  gint64 longest = 0;
  guint n = 0, between = 0;

  for (guint i = 1; i < screen->frames->len; i++)
    {
      const Frame *one = screen->frames->pdata[i - 1], *other = screen->frames->pdata[i];
      const double before = y_of (one, id) / 4.0, after = y_of (other, id) / 4.0;

      if (y_of (one, id) == G_MININT || y_of (other, id) == G_MININT)
        continue;
      n++;
      longest = MAX (longest, other->begun - one->begun);
      between += after != from && after != to;
      g_assert_cmpfloat (step * (after - before), >=, 0);
      /* It is fastest when it begins. */
      g_assert_cmpfloat (step * (after - before), <=, 1 + 3 * step * (to - from) * (other->begun - one->begun) / WAY);
      g_assert_cmpfloat (step * (after - from), >=, 0);
      g_assert_cmpfloat (step * (to - after), >=, 0);
    }
  g_assert_cmpuint (n, >, 0);
  /* A machine that is busy may show no frame of it. */
  if (longest < WAY / 2)
    g_assert_cmpuint (between, >, 0);
}

static void
record (Screen *screen)
{
  screen_wait_frames (screen, 1);
  screen_record (screen);
  screen_wait_frames (screen, 1);
}

static void
animates (void)
{
  g_autofree char *list = make (NULL, 100), *path = stage_path (list);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);
  guint binds, cells;

  screen_settle (screen);
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", TRUE, NULL);
  binds = screen->binds;
  record (screen);
  put (list, "[('x', '', 'after', 'o0', {'text': <'x'>})]");
  stage_wait (screen_text (screen, "x") != NULL);
  screen_wait_frames (screen, 1);
  g_assert_cmpfloat (gtk_widget_get_opacity (GTK_WIDGET (screen_cell (screen, "x"))), <, 1);
  stage_wait (screen_y (screen, "o1") == 88 && screen_y (screen, "o8") == 9 * 44);
  assert_glides (screen, "o1", 44, 88);
  assert_glides (screen, "o8", 8 * 44, 9 * 44);
  g_assert_cmpfloat (screen_y (screen, "o0"), ==, 0);
  stage_wait (gtk_widget_get_opacity (GTK_WIDGET (screen_cell (screen, "x"))) == 1);
  g_assert_cmpuint (screen->binds - binds, ==, 1);

  /* What moves goes its way, and binds nothing. */
  cells = listd_flow_view_get_n_cells (screen->view);
  binds = screen->binds;
  record (screen);
  g_variant_unref (stage_call (stage, path, "Adapter", "MoveObject",
                               g_variant_new ("(tsss)", (guint64) 0, "o1", "after", "o6")));
  stage_wait (screen_y (screen, "o1") == 7 * 44 && screen_y (screen, "o2") == 88);
  assert_glides (screen, "o1", 88, 7 * 44);
  assert_glides (screen, "o2", 3 * 44, 88);
  g_assert_cmpuint (screen->binds, ==, binds);
  g_assert_cmpuint (listd_flow_view_get_n_cells (screen->view), ==, cells);

  /* What is made anew goes its way with the others. */
  record (screen);
  put (list, "[('z', '', 'after', 'o0', {'text': <'z'>}), ('o4', 'other', 'keep', '', {'text': <'anew'>})]");
  stage_wait (screen_y (screen, "o5") == 6 * 44 && screen_y (screen, "o4") == 5 * 44);
  g_assert_cmpstr (screen_text (screen, "o4"), ==, "anew");
  assert_glides (screen, "o5", 5 * 44, 6 * 44);
  assert_glides (screen, "o4", 4 * 44, 5 * 44);
  screen_free (screen);
}

/* What is gone is seen to go, and nobody can use it; what comes back meanwhile is the same. */
static void
animates_out (void)
{
  g_autofree char *list = make (NULL, 100);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);
  graphene_rect_t bounds;
  ListdCell *cell;
  guint64 revision;
  double opacity;
  guint cells;

  screen_settle (screen);
  cells = listd_flow_view_get_n_cells (screen->view);
  cell = listd_flow_view_get_cell (screen->view, "o2", 0);
  record (screen);
  stage_apply (stage, list, "['o2']", NULL);
  stage_wait (listd_flow_view_get_cell (screen->view, "o2", 0) == NULL);
  g_assert_true (screen_cell (screen, "o2") == cell);
  g_assert_true (listd_flow_view_get_cell_at (screen->view, 50, 100) != cell);
  gtk_test_accessible_assert_state (GTK_ACCESSIBLE (cell), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE);
  opacity = gtk_widget_get_opacity (GTK_WIDGET (cell));
  while (screen_cell (screen, "o2") == cell)
    {
      g_assert_cmpfloat (gtk_widget_get_opacity (GTK_WIDGET (cell)), <=, opacity);
      opacity = gtk_widget_get_opacity (GTK_WIDGET (cell));
      g_assert_true (gtk_widget_compute_bounds (GTK_WIDGET (cell), GTK_WIDGET (screen->view), &bounds));
      g_assert_cmpfloat (bounds.origin.y, ==, 88);
      screen_wait_frames (screen, 1);
    }
  stage_wait (screen_y (screen, "o3") == 88);
  assert_glides (screen, "o3", 3 * 44, 88);
  /* One more than before at most, which waits to be used. */
  g_assert_cmpuint (listd_flow_view_get_n_cells (screen->view), <=, cells + 1);

  cell = listd_flow_view_get_cell (screen->view, "o5", 0);
  stage_apply (stage, list, "['o5']", NULL);
  revision = stage_apply (stage, list, NULL, "[('o5', '', 'after', 'o4', {'text': <'text 5'>, 'size': <uint32 5>})]");
  stage_wait (listd_view_get_revision (listd_flow_view_get_view (screen->view)) == revision);
  g_assert_true (listd_flow_view_get_cell (screen->view, "o5", 0) == cell);
  gtk_test_accessible_assert_state (GTK_ACCESSIBLE (cell), GTK_ACCESSIBLE_STATE_HIDDEN, FALSE);
  stage_wait (gtk_widget_get_opacity (GTK_WIDGET (cell)) == 1 && screen_y (screen, "o6") == 5 * 44);

  /* The widget goes while something leaves. */
  stage_apply (stage, list, "['o0', 'o1']", NULL);
  stage_wait (listd_flow_view_get_cell (screen->view, "o0", 0) == NULL);
  g_assert_nonnull (screen_cell (screen, "o0"));
  screen_free (screen);
}

static void
write_still (const char *list, const char *removed, const char *upserts)
{
  g_autofree char *path = stage_path (list);

  g_variant_unref (stage_call (stage, path, "Adapter", "ApplyChanges",
                               g_variant_new_parsed ("(uint64 0, %@as, %@a(ssssa{sv}), {'animated': <false>})",
                                                     g_variant_new_parsed (removed), g_variant_new_parsed (upserts))));
}

/* Nothing glides when whoever writes says so, or whoever looks. */
static void
stands_still (void)
{
  g_autofree char *list = make (NULL, 100);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);

  screen_settle (screen);
  write_still (list, "['o3']", "[('y', '', 'after', 'o0', {'text': <'y'>})]");
  stage_wait (screen_text (screen, "y") != NULL);
  screen_wait_frames (screen, 1);
  g_assert_cmpfloat (screen_y (screen, "o1"), ==, 88);
  g_assert_cmpfloat (gtk_widget_get_opacity (GTK_WIDGET (screen_cell (screen, "y"))), ==, 1);
  g_assert_null (screen_cell (screen, "o3"));

  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  stage_apply (stage, list, "['o4']", "[('z', '', 'after', 'o0', {'text': <'z'>})]");
  stage_wait (screen_text (screen, "z") != NULL);
  screen_wait_frames (screen, 1);
  g_assert_cmpfloat (screen_y (screen, "o1"), ==, 132);
  g_assert_null (screen_cell (screen, "o4"));
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", TRUE, NULL);

  /* Also in the middle of it. */
  put (list, "[('u', '', 'after', 'o0', {'text': <'u'>})]");
  stage_wait (screen_text (screen, "u") != NULL);
  screen_wait_frames (screen, 2);
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  screen_wait_frames (screen, 2);
  g_assert_cmpfloat (screen_y (screen, "o1"), ==, 4 * 44);
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", TRUE, NULL);
  screen_free (screen);
}

/* A header stays at the edge while what is below it glides. */
static void
animates_below_headers (void)
{
  g_autofree char *list = make (binding_lists, 0);
  Screen *screen;

  fill_sections (list);
  screen = screen_new (stage, list, 300, 440, NULL);
  screen_settle (screen);
  gtk_adjustment_set_value (screen_adjustment (screen), 200);
  screen_settle (screen);
  g_assert_cmpfloat (header_y (screen, "head 0"), ==, 0);
  g_assert_cmpfloat (header_y (screen, "head 1"), ==, 270);
  put (list, "[('n', '', 'after', 's0', {'items': <[{'id': <'i'>, 'text': <'new'>, 'height': <44.0>}]>})]");
  stage_wait (listd_flow_view_get_cell (screen->view, "n", 0) != NULL);
  while (header_y (screen, "head 1") != 270 + 44)
    {
      g_assert_cmpfloat (header_y (screen, "head 0"), ==, 0);
      g_assert_cmpfloat (header_y (screen, "head 1"), >=, 270);
      g_assert_cmpfloat (header_y (screen, "head 1"), <, 270 + 44);
      screen_wait_frames (screen, 1);
    }
  screen_free (screen);
}

/* Random writes, scrolling, keys, sizes and kills: whatever glides, in the end each row is where the list says, and shows what it says. */

typedef struct
{
  Screen *screen;
  char *list;
  GRand *rand;
  GPtrArray *ids, *texts;
  guint written;
} Chaos;

/* What is not as it should be; NULL: all is. */
static char *
fault_of (Chaos *self)
{
  GtkAdjustment *adjustment = screen_adjustment (self->screen);
  const double position = gtk_adjustment_get_value (adjustment) - gtk_adjustment_get_lower (adjustment);
  const double height = gtk_widget_get_height (GTK_WIDGET (self->screen->view));
  ListdView *view = listd_flow_view_get_view (self->screen->view);

  if (listd_view_get_state (view) != LISTD_VIEW_STATE_ACTIVE || listd_view_get_content_height (view) != 44.0 * self->ids->len)
    return g_strdup_printf ("state %d, content %.2f for %u rows", listd_view_get_state (view), listd_view_get_content_height (view), self->ids->len);
  for (guint i = 0; i < self->ids->len; i++)
    {
      const double y = 44.0 * i - position;
      const char *id = self->ids->pdata[i];

      if (y <= -44 || y >= height)
        continue;
      if (!(fabs (screen_y (self->screen, id) - y) < 1) || g_strcmp0 (screen_text (self->screen, id), self->texts->pdata[i]) != 0
          || gtk_widget_get_opacity (GTK_WIDGET (screen_cell (self->screen, id))) != 1)
        return g_strdup_printf ("%s at %.2f instead of %.2f, \"%s\" instead of \"%s\"", id, screen_y (self->screen, id), y,
                                screen_text (self->screen, id), (char *) self->texts->pdata[i]);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->screen->view)); child != NULL; child = gtk_widget_get_next_sibling (child))
    if (LISTD_IS_CELL (child) && !gtk_widget_get_can_target (child))
      return g_strdup ("a cell that never goes");
  return NULL;
}

static void
wait_until_exact (Chaos *self, guint seed, guint step)
{
  const gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;
  const guint alarm = g_timeout_add (100, stage_wake, NULL);
  g_autofree char *fault = NULL;

  while ((fault = fault_of (self)) != NULL && g_get_monotonic_time () < until)
    {
      g_main_context_iteration (NULL, TRUE);
      g_free (fault);
    }
  g_source_remove (alarm);
  if (fault != NULL)
    g_error ("seed %u, step %u: %s", seed, step, fault);
}

static void
write_one (Chaos *self)
{
  const guint at = g_rand_int_range (self->rand, 0, self->ids->len), dice = g_rand_int_range (self->rand, 0, 10);
  const char *anchor = self->ids->pdata[at];
  g_autofree char *text = g_strdup_printf ("written %u", self->written), *upsert = NULL;

  if (dice < 4)
    {
      g_autofree char *id = g_strdup_printf ("n%u", self->written);

      upsert = g_strdup_printf ("[('%s', '', 'before', '%s', {'text': <'%s'>})]", id, anchor, text);
      put (self->list, upsert);
      g_ptr_array_insert (self->ids, at, g_steal_pointer (&id));
      g_ptr_array_insert (self->texts, at, g_steal_pointer (&text));
    }
  else if (dice < 7 && self->ids->len > 20)
    {
      g_autofree char *removed = g_strdup_printf ("['%s']", anchor);

      stage_apply (stage, self->list, removed, NULL);
      g_ptr_array_remove_index (self->ids, at);
      g_ptr_array_remove_index (self->texts, at);
    }
  else if (dice < 9)
    {
      const guint to = g_rand_int_range (self->rand, 0, self->ids->len);
      g_autofree char *path = stage_path (self->list);
      char *id, *moved;

      if (to == at)
        return;
      g_variant_unref (stage_call (stage, path, "Adapter", "MoveObject",
                                   g_variant_new ("(tsss)", (guint64) 0, anchor, to < at ? "before" : "after", self->ids->pdata[to])));
      id = g_ptr_array_steal_index (self->ids, at);
      moved = g_ptr_array_steal_index (self->texts, at);
      g_ptr_array_insert (self->ids, to, id);
      g_ptr_array_insert (self->texts, to, moved);
    }
  else
    {
      upsert = g_strdup_printf ("[('%s', '', 'keep', '', {'text': <'%s'>})]", anchor, text);
      put (self->list, upsert);
      g_free (self->texts->pdata[at]);
      self->texts->pdata[at] = g_steal_pointer (&text);
    }
  self->written++;
}

static void
do_something (Chaos *self)
{
  static const guint keys[] = { GDK_KEY_Down, GDK_KEY_Up, GDK_KEY_Page_Down, GDK_KEY_Page_Up, GDK_KEY_End, GDK_KEY_Home };
  GtkAdjustment *adjustment = screen_adjustment (self->screen);
  const guint dice = g_rand_int_range (self->rand, 0, 100);

  if (dice < 55)
    for (guint i = g_rand_int_range (self->rand, 1, 5); i > 0; i--)
      write_one (self);
  else if (dice < 70)
    gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + g_rand_double_range (self->rand, -400, 400));
  else if (dice < 74)
    gtk_adjustment_set_value (adjustment, gtk_adjustment_get_lower (adjustment));
  else if (dice < 84)
    screen_press (self->screen, keys[g_rand_int_range (self->rand, 0, G_N_ELEMENTS (keys))], 0);
  else if (dice < 88)
    listd_flow_view_scroll_to (self->screen->view, self->ids->pdata[g_rand_int_range (self->rand, 0, self->ids->len)], 0,
                               g_rand_int_range (self->rand, 0, 4), g_rand_boolean (self->rand));
  else if (dice < 91)
    gtk_window_set_default_size (GTK_WINDOW (self->screen->window), g_rand_int_range (self->rand, 200, 500), g_rand_int_range (self->rand, 200, 600));
  else if (dice < 93)
    g_object_set (gtk_settings_get_default (), "gtk-enable-animations", g_rand_boolean (self->rand), NULL);
  else if (dice < 94)
    {
      stage_stop_listd (stage, SIGKILL);
      screen_wait_frames (self->screen, 2);
      stage_start_listd (stage);
    }
  else
    screen_wait_frames (self->screen, 2);
  if (g_rand_boolean (self->rand))
    screen_wait_frames (self->screen, 1);
}

static void
survives_chaos (void)
{
  for (guint seed = 0; seed < (g_getenv ("LISTD_SOAK") != NULL ? 40 : 1); seed++)
    {
      Chaos self = { NULL, make (NULL, 60), g_rand_new_with_seed (seed), g_ptr_array_new_with_free_func (g_free), g_ptr_array_new_with_free_func (g_free), 0 };

      for (guint i = 0; i < 60; i++)
        {
          g_ptr_array_add (self.ids, g_strdup_printf ("o%u", i));
          g_ptr_array_add (self.texts, g_strdup_printf ("text %u", i));
        }
      self.screen = screen_new (stage, self.list, 300, 440, NULL);
      screen_settle (self.screen);
      gtk_widget_grab_focus (GTK_WIDGET (self.screen->view));
      for (guint step = 0; step < 150; step++)
        {
          do_something (&self);
          if (step % 10 == 9)
            wait_until_exact (&self, seed, step);
        }
      /* No more of them than there is room for. */
      g_assert_cmpuint (listd_flow_view_get_n_cells (self.screen->view), <=, 4 * (600 + 2 * 240) / 44);
      g_object_set (gtk_settings_get_default (), "gtk-enable-animations", TRUE, NULL);
      screen_free (self.screen);
      g_ptr_array_unref (self.ids);
      g_ptr_array_unref (self.texts);
      g_rand_free (self.rand);
      g_free (self.list);
    }
}

static void
goes_on_by_itself (void)
{
  g_autofree char *list = make (NULL, 10000);
  Screen *screen = screen_new (stage, list, 300, 440, NULL);
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (screen->scrolled);
  double end, before;

  screen_settle (screen);
  gtk_scrolled_window_set_kinetic_scrolling (GTK_SCROLLED_WINDOW (screen->scrolled), TRUE);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        g_signal_emit_by_name (controller, "decelerate", 0.0, 3000.0);
    }
  /* What comes in front meanwhile changes neither the way nor its end. */
  stage_wait (gtk_adjustment_get_value (screen_adjustment (screen)) > 100);
  screen_record (screen);
  for (guint i = 0; i < 10; i++)
    {
      g_autofree char *upsert = g_strdup_printf ("[('k%u', '', 'first', '', {'text': <'k'>})]", i);
      put (list, upsert);
      screen_wait_frames (screen, 1);
    }
  do
    {
      before = gtk_adjustment_get_value (screen_adjustment (screen));
      screen_wait_frames (screen, 10);
      end = gtk_adjustment_get_value (screen_adjustment (screen));
    }
  while (end != before);
  screen->records = FALSE;
  for (guint i = 1; i < screen->frames->len; i++)
    {
      const Frame *one = screen->frames->pdata[i - 1], *other = screen->frames->pdata[i];
      GHashTableIter iter;
      gpointer id, y, old;

      g_hash_table_iter_init (&iter, other->rows);
      while (g_hash_table_iter_next (&iter, &id, &y))
        if (g_hash_table_lookup_extended (one->rows, id, NULL, &old))
          {
            /* To a pixel: the way is in fractions. */
            g_assert_cmpint (ABS (GPOINTER_TO_INT (y) - GPOINTER_TO_INT (old) - (int) lround (4 * (one->value - other->value))), <=, 4);
            g_assert_cmpint (GPOINTER_TO_INT (y), <=, GPOINTER_TO_INT (old));
          }
    }
  g_assert_cmpfloat (end, >, 1000);
  screen_free (screen);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  stage = stage_new (STAGE_DAEMON);
  g_test_add_func ("/flow/shows-rows", shows_rows);
  g_test_add_func ("/flow/displays-what-is-seen", displays_what_is_seen);
  g_test_add_func ("/flow/keeps-place", keeps_place);
  g_test_add_func ("/flow/keeps-place-at-the-start", keeps_place_at_the_start);
  g_test_add_func ("/flow/keeps-place-of-who-just-left", keeps_place_of_who_just_left);
  g_test_add_func ("/flow/scrolls-to", scrolls_to);
  g_test_add_func ("/flow/begins-in-the-middle", begins_in_the_middle);
  g_test_add_func ("/flow/moves-focus-by-keys", moves_focus_by_keys);
  g_test_add_func ("/flow/selects-by-keys", selects_by_keys);
  g_test_add_func ("/flow/keeps-focus", keeps_focus);
  g_test_add_func ("/flow/finds-focus-again", finds_focus_again);
  g_test_add_func ("/flow/shares-selection", shares_selection);
  g_test_add_func ("/flow/finds-letters", finds_letters);
  g_test_add_func ("/flow/survives-kill", survives_kill);
  g_test_add_func ("/flow/lays-out-columns", lays_out_columns);
  g_test_add_func ("/flow/lays-out-sideways", lays_out_sideways);
  g_test_add_func ("/flow/lays-out-map", lays_out_map);
  g_test_add_func ("/flow/keeps-headers-at-the-edge", keeps_headers_at_the_edge);
  g_test_add_func ("/flow/reports-sizes", reports_sizes);
  g_test_add_func ("/flow/measures-for-width", measures_for_width);
  g_test_add_func ("/flow/follows-text-scale", follows_text_scale);
  g_test_add_func ("/flow/obeys-contrast", obeys_contrast);
  g_test_add_func ("/flow/follows-template", follows_template);
  g_test_add_func ("/flow/shares-cells", shares_cells);
  g_test_add_func ("/flow/says-what-it-is", says_what_it_is);
  g_test_add_func ("/flow/activates", activates);
  g_test_add_func ("/flow/animates", animates);
  g_test_add_func ("/flow/animates-out", animates_out);
  g_test_add_func ("/flow/stands-still", stands_still);
  g_test_add_func ("/flow/animates-below-headers", animates_below_headers);
  g_test_add_func ("/flow/goes-on-by-itself", goes_on_by_itself);
  g_test_add_func ("/flow/survives-chaos", survives_chaos);
  result = g_test_run ();
  stage_free (stage);
  return result;
}

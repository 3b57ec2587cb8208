// SPDX-License-Identifier: Apache-2.0
/* What a pointer does: clicks, the menu, the rectangle that selects, items that are dragged. xdotool moves the pointer of the display. */
#include "screen.h"

#include <glib/gstdio.h>
#include <math.h>

static Stage *stage;

static void
point (const char *steps)
{
  g_auto (GStrv) words = g_strsplit (steps, ";", -1);

  for (guint i = 0; words[i] != NULL; i++)
    {
      g_autofree char *line = g_strconcat ("xdotool ", words[i], NULL);
      g_autoptr (GError) error = NULL;
      int status;
      gint64 until;

      g_spawn_command_line_sync (line, NULL, NULL, &status, &error);
      g_assert_no_error (error);
      g_assert_true (g_spawn_check_wait_status (status, NULL));
      /* The display tells its events in order; a few frames see each of them. */
      until = g_get_monotonic_time () + 60 * G_TIME_SPAN_MILLISECOND;
      while (g_get_monotonic_time () < until)
        g_main_context_iteration (NULL, FALSE);
    }
}

static guint activations;

static void
on_activate (ListdFlowView *view, ListdSlot *slot, gpointer data)
{
  activations++;
}

static void
clicks (void)
{
  Screen *screen;

  stage_create (stage, "clicks", NULL);
  stage_fill (stage, "clicks", 100);
  screen = screen_new (stage, "clicks", 300, 440, NULL);
  g_signal_connect (screen->view, "activate", G_CALLBACK (on_activate), NULL);
  screen_settle (screen);
  stage_wait (listd_list_get_state (listd_flow_view_get_list (screen->view)) == LISTD_LIST_STATE_READY);
  point ("mousemove 50 66;click 1");
  stage_wait (screen_selected (screen, "o1"));
  g_assert_cmpstr (screen_focused (screen), ==, "o1");
  point ("keydown ctrl mousemove 50 154;click 1;keyup ctrl");
  stage_wait (screen_selected (screen, "o3"));
  g_assert_true (screen_selected (screen, "o1"));
  point ("keydown shift mousemove 50 242;click 1;keyup shift");
  stage_wait (screen_selected (screen, "o5") && screen_selected (screen, "o4") && screen_selected (screen, "o3"));
  stage_wait (!screen_selected (screen, "o1"));
  g_assert_cmpuint (activations, ==, 0);
  /* A double click does not begin within the time of one after a click elsewhere: GTK 4.8 takes its clicks for those of two buttons. */
  point ("mousemove 50 66;sleep 0.6;click --repeat 2 --delay 50 1");
  stage_wait (activations == 1);
  listd_flow_view_set_activate_on_click (screen->view, TRUE);
  point ("mousemove 50 110;click 1");
  stage_wait (activations == 2);
  screen_free (screen);
}

static char *popped;

static void
on_popup (ListdFlowView *view, ListdSlot *slot, gpointer data)
{
  popped = g_strdup (listd_item_get_id (listd_slot_get_item (slot)));
}

static gboolean
has_menu (Screen *screen)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (screen->view)); child != NULL; child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER_MENU (child) && gtk_widget_get_mapped (child))
      return TRUE;
  return FALSE;
}

static void
opens_menu (void)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  Screen *screen;

  stage_create (stage, "menu", NULL);
  stage_fill (stage, "menu", 100);
  screen = screen_new (stage, "menu", 300, 440, NULL);
  g_menu_append (menu, "Open", "list.open");
  listd_flow_view_set_context_menu (screen->view, G_MENU_MODEL (menu));
  g_signal_connect (screen->view, "popup", G_CALLBACK (on_popup), NULL);
  screen_settle (screen);
  point ("mousemove 50 110;click 3");
  stage_wait (has_menu (screen));
  g_assert_cmpstr (popped, ==, "o2");
  stage_wait (screen_selected (screen, "o2"));
  g_free (popped);
  screen_free (screen);
}

static void
selects_by_rectangle (void)
{
  Screen *screen;

  stage_create (stage, "band", NULL);
  stage_fill (stage, "band", 100);
  screen = screen_new (stage, "band", 300, 440, NULL);
  listd_flow_view_set_enable_rubberband (screen->view, TRUE);
  screen_settle (screen);
  point ("mousemove 50 66;mousedown 1;mousemove 80 90;mousemove 150 200;mouseup 1");
  stage_wait (screen_selected (screen, "o1") && screen_selected (screen, "o2") && screen_selected (screen, "o4"));
  g_assert_false (screen_selected (screen, "o0"));
  g_assert_false (screen_selected (screen, "o5"));
  /* At the edge it scrolls, and what it has met stays selected. */
  point ("mousemove 90 80;mousedown 1;mousemove 110 95;mousemove 150 438");
  stage_wait (gtk_adjustment_get_value (screen_adjustment (screen)) > 700);
  point ("mousemove 150 300;mouseup 1");
  stage_wait (screen_selected (screen, "o20"));
  gtk_adjustment_set_value (screen_adjustment (screen), 0);
  screen_settle (screen);
  g_assert_true (screen_selected (screen, "o1"));
  g_assert_true (screen_selected (screen, "o9"));
  /* As in the lists of GTK, the keys count that are down at its end: Ctrl adds, Shift takes away. */
  point ("mousemove 50 20;mousedown 1;mousemove 80 90;mousemove 150 110;keydown shift mouseup 1;keyup shift");
  stage_wait (!screen_selected (screen, "o1") && !screen_selected (screen, "o2"));
  g_assert_true (screen_selected (screen, "o3") && screen_selected (screen, "o9"));
  point ("mousemove 50 20;mousedown 1;mousemove 80 40;mousemove 150 60;keydown ctrl mouseup 1;keyup ctrl");
  stage_wait (screen_selected (screen, "o0") && screen_selected (screen, "o1"));
  g_assert_true (!screen_selected (screen, "o2") && screen_selected (screen, "o3"));
  /* Both turn it round. */
  point ("keydown shift keydown ctrl mousemove 50 60;mousedown 1;mousemove 80 120;mousemove 150 150;mouseup 1;keyup ctrl keyup shift");
  stage_wait (!screen_selected (screen, "o1") && screen_selected (screen, "o2") && !screen_selected (screen, "o3"));
  g_assert_true (screen_selected (screen, "o0") && screen_selected (screen, "o4"));
  screen_free (screen);
}

static guint refusals;
static gboolean refused_with_error;

static void
on_refused (ListdFlowView *view, ListdSlot *slot, const GError *error, gpointer data)
{
  refusals++;
  refused_with_error = error != NULL;
}

static void
reorders (void)
{
  Screen *screen;

  stage_create (stage, "order", NULL);
  stage_fill (stage, "order", 100);
  screen = screen_new (stage, "order", 300, 440, NULL);
  listd_flow_view_set_reorderable (screen->view, TRUE);
  g_signal_connect (screen->view, "move-refused", G_CALLBACK (on_refused), NULL);
  screen_settle (screen);
  point ("mousemove 50 66;mousedown 1;mousemove 50 90;mousemove 50 150");
  /* It follows the pointer. */
  stage_wait (fabs (screen_y (screen, "o1") - (44 + 84)) < 1);
  point ("mousemove 50 210;mouseup 1");
  stage_wait (screen_y (screen, "o1") == 4 * 44);
  stage_wait (screen_y (screen, "o4") == 3 * 44);
  g_assert_cmpfloat (screen_y (screen, "o2"), ==, 44);
  /* Upwards. */
  point ("mousemove 50 240;mousedown 1;mousemove 50 200;mousemove 50 50;mouseup 1");
  stage_wait (screen_y (screen, "o5") == 44 && screen_y (screen, "o2") == 88);
  /* To a place that is out of sight: it scrolls, and the item comes along. */
  point ("mousemove 50 20;mousedown 1;mousemove 50 50;mousemove 50 437");
  stage_wait (gtk_adjustment_get_value (screen_adjustment (screen)) > 1000);
  point ("mousemove 50 240");
  {
    ListdCell *cell = listd_flow_view_get_cell_at (screen->view, 50, 200);
    g_autofree char *id = g_strdup (listd_item_get_id (listd_cell_get_item (cell)));

    point ("mouseup 1");
    stage_wait (listd_flow_view_get_cell (screen->view, "o0", 0) != NULL);
    stage_wait (fabs (screen_y (screen, "o0") - screen_y (screen, id)) < 100);
  }
  g_assert_cmpuint (refusals, ==, 0);
  screen_free (screen);
}

static void
snaps_back (void)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "listd-gtk-refused.jsonl", NULL);
  g_autofree char *options = g_strdup_printf ("{'source': <'jsonl:%s'>}", path);
  Screen *screen;

  g_assert_true (g_file_set_contents (path, "{\"id\": \"a\", \"fields\": {\"text\": \"a\"}}\n{\"id\": \"b\", \"fields\": {\"text\": \"b\"}}\n"
                                            "{\"id\": \"c\", \"fields\": {\"text\": \"c\"}}\n", -1, NULL));
  stage_create (stage, "refused", options);
  screen = screen_new (stage, "refused", 300, 440, NULL);
  listd_flow_view_set_reorderable (screen->view, TRUE);
  g_signal_connect (screen->view, "move-refused", G_CALLBACK (on_refused), NULL);
  stage_wait (screen_y (screen, "c") == 88);
  point ("mousemove 50 20;mousedown 1;mousemove 50 50;mousemove 50 125;mouseup 1");
  stage_wait (refusals == 1);
  g_assert_true (refused_with_error);
  stage_wait (screen_y (screen, "a") == 0);
  g_assert_cmpfloat (screen_y (screen, "b"), ==, 44);
  screen_free (screen);
  g_remove (path);
}

int
main (int argc, char **argv)
{
  g_autofree char *program = g_find_program_in_path ("xdotool");
  int result;

  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  if (program == NULL)
    {
      g_printerr ("there is no xdotool\n");
      return 77;
    }
  stage = stage_new (STAGE_DAEMON);
  g_test_add_func ("/pointer/clicks", clicks);
  g_test_add_func ("/pointer/opens-menu", opens_menu);
  g_test_add_func ("/pointer/selects-by-rectangle", selects_by_rectangle);
  g_test_add_func ("/pointer/reorders", reorders);
  g_test_add_func ("/pointer/snaps-back", snaps_back);
  result = g_test_run ();
  stage_free (stage);
  return result;
}

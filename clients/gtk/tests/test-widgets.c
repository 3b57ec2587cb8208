// SPDX-License-Identifier: Apache-2.0
/* The widgets of GTK on a list: the shared selection, the rows that are really visible, labels and expressions of fields. */
#include "screen.h"

static Stage *stage;

typedef struct
{
  ListdClient *client;
  ListdList *list;
  GtkSelectionModel *selection;
  GtkWidget *window, *scrolled, *view;
  guint changes;
} Shown;

static void
on_selection (GtkSelectionModel *model, guint position, guint n, Shown *shown)
{
  shown->changes++;
}

static void
show (Shown *self, const char *name, guint n)
{
  stage_create (stage, name, NULL);
  stage_fill (stage, name, n);
  self->client = listd_client_new_for_address (stage_address (stage));
  self->list = listd_list_new (self->client, name);
  self->selection = listd_selection_new (self->list);
  self->changes = 0;
  g_signal_connect (self->selection, "selection-changed", G_CALLBACK (on_selection), self);
  self->view = gtk_list_view_new (NULL, listd_text_factory_new ("text"));
  listd_gtk_follow_visible (GTK_SCROLLABLE (self->view), self->list);
  gtk_list_view_set_model (GTK_LIST_VIEW (self->view), self->selection);
  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled), self->view);
  self->window = gtk_window_new ();
  gtk_window_set_default_size (GTK_WINDOW (self->window), 300, 440);
  gtk_window_set_child (GTK_WINDOW (self->window), self->scrolled);
  gtk_window_present (GTK_WINDOW (self->window));
  stage_wait (g_list_model_get_n_items (G_LIST_MODEL (self->selection)) == n);
}

static void
hide (Shown *self)
{
  gtk_window_destroy (GTK_WINDOW (self->window));
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_signal_handlers_disconnect_by_data (self->selection, self);
  g_object_unref (self->selection);
  g_object_unref (self->list);
  g_object_unref (self->client);
}

static GtkWidget *
find_label (GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) && g_str_equal (gtk_label_get_text (GTK_LABEL (widget)), text))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_label (child, text);
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* What listd takes for visible in the only view of a list: sections, first and number. */
static gboolean
visible_range (const char *list, guint *first, guint *n)
{
  g_autoptr (GVariant) reply = stage_call (stage, "/org/listd/Listd1", "Manager", "ListViews", NULL);
  g_autoptr (GVariantIter) iter = NULL;
  g_autofree char *wanted = stage_path (list);
  GVariant *details;

  g_variant_get (reply, "(a(oa{sv}))", &iter);
  while (g_variant_iter_next (iter, "(o@a{sv})", NULL, &details))
    {
      g_autoptr (GVariant) held = details;
      const char *adapter = NULL;

      if (g_variant_lookup (held, "adapter", "&o", &adapter) && g_str_equal (adapter, wanted)
          && g_variant_lookup (held, "visible", "(uu)", first, n))
        return TRUE;
    }
  return FALSE;
}

static void
tells_what_is_visible (void)
{
  Shown shown;
  guint first = 0, n = 0;

  show (&shown, "visible", 10000);
  stage_wait (find_label (shown.view, "text 3") != NULL);
  stage_wait (visible_range ("visible", &first, &n) && first == 0 && n > 5 && n < 40);
  gtk_adjustment_set_value (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (shown.view)),
                            gtk_adjustment_get_upper (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (shown.view))) / 2);
  stage_wait (visible_range ("visible", &first, &n) && first > 4000 && n > 5 && n < 40);
  hide (&shown);
}

static void
shares_selection (void)
{
  Shown shown;
  g_autoptr (GtkBitset) range = NULL;
  Screen *screen;

  show (&shown, "shared", 1000);
  stage_wait (find_label (shown.view, "text 3") != NULL);
  g_assert_true (gtk_selection_model_select_item (shown.selection, 3, TRUE));
  stage_wait (gtk_selection_model_is_selected (shown.selection, 3));
  g_assert_cmpuint (shown.changes, >, 0);
  screen = screen_new (stage, "shared", 300, 440, NULL);
  screen_settle (screen);
  stage_wait (screen_selected (screen, "o3"));
  gtk_widget_activate_action (GTK_WIDGET (screen->view), "list.select-item", "(subb)", "o5", 0, FALSE, FALSE);
  stage_wait (gtk_selection_model_is_selected (shown.selection, 5) && !gtk_selection_model_is_selected (shown.selection, 3));
  /* Positions follow the objects. */
  stage_apply (stage, "shared", "@as []", "[('x', '', 'first', '', {'text': <'x'>})]");
  stage_wait (g_list_model_get_n_items (G_LIST_MODEL (shown.selection)) == 1001);
  stage_wait (gtk_selection_model_is_selected (shown.selection, 6) && !gtk_selection_model_is_selected (shown.selection, 5));
  /* Items that nobody has loaded. */
  g_assert_true (gtk_selection_model_select_range (shown.selection, 600, 10, FALSE));
  stage_wait (screen_selected (screen, "o5"));
  listd_flow_view_scroll_to (screen->view, "o600", 0, LISTD_SCROLL_POSITION_START, FALSE);
  stage_wait (screen_y (screen, "o600") == 0);
  stage_wait (screen_selected (screen, "o608"));
  g_assert_true (screen_selected (screen, "o600"));
  g_assert_false (screen_selected (screen, "o609"));
  range = gtk_selection_model_get_selection_in_range (shown.selection, 0, 20);
  g_assert_cmpuint (gtk_bitset_get_size (range), ==, 1);
  g_assert_true (gtk_bitset_contains (range, 6));
  g_assert_true (gtk_selection_model_unselect_all (shown.selection));
  stage_wait (!gtk_selection_model_is_selected (shown.selection, 6));
  screen_free (screen);
  hide (&shown);
}

static void
sticks_to_start (void)
{
  Shown shown;
  GtkAdjustment *adjustment;

  show (&shown, "sticks", 1000);
  listd_gtk_stick_to_start (GTK_SCROLLABLE (shown.view), shown.list);
  adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (shown.view));
  stage_wait (find_label (shown.view, "text 3") != NULL);
  stage_apply (stage, "sticks", "@as []", "[('x', '', 'first', '', {'text': <'fresh'>})]");
  stage_wait (find_label (shown.view, "fresh") != NULL);
  stage_wait (gtk_adjustment_get_value (adjustment) == 0);
  /* Elsewhere, the rows stay. */
  gtk_adjustment_set_value (adjustment, 500);
  stage_apply (stage, "sticks", "@as []", "[('y', '', 'first', '', {'text': <'fresher'>})]");
  stage_wait (g_list_model_get_n_items (G_LIST_MODEL (shown.list)) == 1002);
  for (guint i = 0; i < 10; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), >, 400);
  hide (&shown);
}

static void
evaluates_fields (void)
{
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdList) list = NULL;
  g_autoptr (ListdItem) item = NULL;
  g_autoptr (GtkExpression) text = listd_field_expression_new (G_TYPE_STRING, "text");
  g_autoptr (GtkExpression) size = listd_field_expression_new (G_TYPE_INT64, "size");
  g_autoptr (GtkExpression) formatted = listd_field_expression_new (G_TYPE_STRING, "size");
  g_autoptr (GtkExpression) flag = listd_field_expression_new (G_TYPE_BOOLEAN, "flag");
  GtkWidget *label = g_object_ref_sink (gtk_label_new (NULL));
  GValue value = G_VALUE_INIT;

  stage_create (stage, "fields", "{'hints': <{'size': 'bytes'}>}");
  stage_apply (stage, "fields", "@as []", "[('a', '', 'last', '', {'text': <'one'>, 'size': <2000000>, 'flag': <true>})]");
  list = listd_list_new (client, "fields");
  stage_wait (g_list_model_get_n_items (G_LIST_MODEL (list)) == 1);
  item = g_list_model_get_item (G_LIST_MODEL (list), 0);
  stage_wait (listd_item_get_loaded (item));
  g_assert_true (gtk_expression_evaluate (size, item, &value));
  g_assert_cmpint (g_value_get_int64 (&value), ==, 2000000);
  g_value_unset (&value);
  g_assert_true (gtk_expression_evaluate (flag, item, &value));
  g_assert_true (g_value_get_boolean (&value));
  g_value_unset (&value);
  g_assert_true (gtk_expression_evaluate (formatted, item, &value));
  g_assert_cmpstr (g_value_get_string (&value), ==, "1.9 MiB");
  g_value_unset (&value);
  /* A binding follows the content. */
  gtk_expression_bind (gtk_expression_ref (text), label, "label", item);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==, "one");
  stage_apply (stage, "fields", "@as []", "[('a', '', 'keep', '', {'text': <'two'>})]");
  stage_wait (g_str_equal (gtk_label_get_text (GTK_LABEL (label)), "two"));
  g_object_unref (label);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  stage = stage_new (STAGE_DAEMON);
  g_test_add_func ("/widgets/tells-what-is-visible", tells_what_is_visible);
  g_test_add_func ("/widgets/shares-selection", shares_selection);
  g_test_add_func ("/widgets/sticks-to-start", sticks_to_start);
  g_test_add_func ("/widgets/evaluates-fields", evaluates_fields);
  result = g_test_run ();
  stage_free (stage);
  return result;
}

// SPDX-License-Identifier: Apache-2.0
#include "gallery-pane.h"

typedef struct
{
  GtkStack *stack;
  GalleryService *service;
  ListdList *list;
  const char *base; /* the list that this one filters, or NULL */
  const char *empty_title, *empty_text;
  guint asking; /* timer */
} Pane;

static void
show_page (Pane *self, const char *icon, const char *title, const char *text)
{
  GtkWidget *page = gtk_stack_get_child_by_name (self->stack, "page");
  g_autofree char *markup = text != NULL ? g_markup_escape_text (text, -1) : NULL;

  g_object_set (page, "icon-name", icon, "title", title, "description", markup, NULL);
  gtk_stack_set_visible_child_name (self->stack, "page");
}

/* Messages of listd begin with a small letter and have no full stop, since they stand in sentences. */
static void
show_failure (Pane *self, const char *why)
{
  GString *sentence = g_string_new (NULL);

  if (why != NULL && *why != '\0')
    {
      g_string_append_unichar (sentence, g_unichar_toupper (g_utf8_get_char (why)));
      g_string_append (sentence, g_utf8_next_char (why));
      if (!g_str_has_suffix (why, "."))
        g_string_append_c (sentence, '.');
    }
  show_page (self, "dialog-warning-symbolic", "This List Cannot Be Shown", sentence->str);
  g_string_free (sentence, TRUE);
}

/* Why a list has no rows: its source has failed, or there are none. */
static void
on_names (GObject *client, GAsyncResult *result, gpointer data)
{
  g_autoptr (GtkStack) stack = data;
  Pane *self = g_object_get_data (G_OBJECT (stack), "pane");
  g_autoptr (GListModel) names = listd_client_list_names_finish (LISTD_CLIENT (client), result, NULL);

  if (self == NULL || names == NULL || g_list_model_get_n_items (G_LIST_MODEL (self->list)) > 0)
    return;
  for (guint i = 0; i < g_list_model_get_n_items (names); i++)
    {
      g_autoptr (ListdInfo) info = g_list_model_get_item (names, i);

      if (g_strcmp0 (listd_info_get_name (info), listd_list_get_name (self->list)) != 0)
        continue;
      if (*listd_info_get_source_error (info) != '\0')
        show_failure (self, listd_info_get_source_error (info));
      /* A list without a source is being filled by a writer. */
      else if (g_str_equal (listd_info_get_state (info), "loading") || g_str_equal (listd_info_get_source (info), "push"))
        gtk_stack_set_visible_child_name (self->stack, "loading");
      else
        show_page (self, self->base != NULL ? "edit-find-symbolic" : "view-list-symbolic", self->empty_title, self->empty_text);
    }
}

static gboolean
on_ask (gpointer data)
{
  Pane *self = data;

  if (gtk_widget_get_mapped (GTK_WIDGET (self->stack)))
    listd_client_list_names_async (listd_list_get_client (self->list), NULL, on_names, g_object_ref (self->stack));
  return G_SOURCE_CONTINUE;
}

static void
update (Pane *self)
{
  const ListdListState state = listd_list_get_state (self->list);
  const GError *error = listd_list_get_error (self->list);
  const char *refusal = gallery_service_get_refusal (self->service, self->base != NULL ? self->base : listd_list_get_name (self->list));
  const gboolean empty = g_list_model_get_n_items (G_LIST_MODEL (self->list)) == 0;

  if (!empty)
    gtk_stack_set_visible_child_name (self->stack, "rows");
  else if (refusal != NULL)
    show_failure (self, refusal);
  /* A list that is not there yet is being made. */
  else if (state == LISTD_LIST_STATE_FAILED && !g_error_matches (error, LISTD_ERROR, LISTD_ERROR_NO_SUCH_ADAPTER))
    show_failure (self, error != NULL ? error->message : NULL);
  /* No signal tells that a source has failed. */
  if (empty && state == LISTD_LIST_STATE_READY && self->asking == 0)
    {
      self->asking = g_timeout_add_seconds (1, on_ask, self);
      on_ask (self);
    }
  else if (!empty)
    g_clear_handle_id (&self->asking, g_source_remove);
}

static void
pane_free (gpointer data)
{
  Pane *self = data;

  g_clear_handle_id (&self->asking, g_source_remove);
  g_signal_handlers_disconnect_by_data (self->list, self);
  g_signal_handlers_disconnect_by_data (self->service, self);
  g_object_unref (self->list);
  g_object_unref (self->service);
  g_free (self);
}

static GtkWidget *
make_spinner (void)
{
  return g_object_new (GTK_TYPE_SPINNER, "spinning", TRUE, "halign", GTK_ALIGN_CENTER, "valign", GTK_ALIGN_CENTER, "width-request", 32, "height-request", 32,
                       "can-target", FALSE, NULL);
}

GtkWidget *
gallery_pane_new (GalleryScreen *screen, ListdList *list, GtkWidget *child)
{
  Pane *self = g_new0 (Pane, 1);
  GtkWidget *stack = gtk_stack_new ();

  self->stack = GTK_STACK (stack);
  self->service = g_object_ref (gallery_screen_get_service (screen));
  self->list = g_object_ref (list);
  self->empty_title = "No Rows";
  gtk_stack_add_named (self->stack, make_spinner (), "loading");
  gtk_stack_add_named (self->stack, child, "rows");
  gtk_stack_add_named (self->stack, adw_status_page_new (), "page");
  g_signal_connect_swapped (list, "notify::state", G_CALLBACK (update), self);
  g_signal_connect_swapped (list, "notify::error", G_CALLBACK (update), self);
  g_signal_connect_swapped (list, "items-changed", G_CALLBACK (update), self);
  g_signal_connect_swapped (self->service, "refused", G_CALLBACK (update), self);
  g_object_set_data_full (G_OBJECT (stack), "pane", self, pane_free);
  update (self);
  gtk_widget_set_hexpand (stack, TRUE);
  gtk_widget_set_vexpand (stack, TRUE);
  return stack;
}

void
gallery_pane_set_empty (GtkWidget *pane, const char *title, const char *text)
{
  Pane *self = g_object_get_data (G_OBJECT (pane), "pane");

  self->empty_title = title;
  self->empty_text = text;
}

void
gallery_pane_set_base (GtkWidget *pane, const char *base)
{
  Pane *self = g_object_get_data (G_OBJECT (pane), "pane");

  self->base = base;
  update (self);
}

GtkWidget *
gallery_pane_new_for_flow (GalleryScreen *screen, ListdFlowView *view, int maximum_width)
{
  GtkWidget *child = GTK_WIDGET (view);
  GtkWidget *scrolled, *overlay, *spinner;

  if (maximum_width > 0)
    {
      child = adw_clamp_scrollable_new ();
      adw_clamp_scrollable_set_maximum_size (ADW_CLAMP_SCROLLABLE (child), maximum_width);
      adw_clamp_scrollable_set_tightening_threshold (ADW_CLAMP_SCROLLABLE (child), maximum_width);
      adw_clamp_scrollable_set_child (ADW_CLAMP_SCROLLABLE (child), GTK_WIDGET (view));
    }
  scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), child);
  /* The first picture of a long list takes a moment. */
  overlay = gtk_overlay_new ();
  spinner = make_spinner ();
  gtk_overlay_set_child (GTK_OVERLAY (overlay), scrolled);
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), spinner);
  g_signal_connect_object (view, "bind", G_CALLBACK (gtk_widget_hide), spinner, G_CONNECT_SWAPPED);
  return gallery_pane_new (screen, listd_flow_view_get_list (view), overlay);
}

void
gallery_set_lines (GtkLabel *label, const char *text)
{
  const gboolean mirrored = gtk_widget_get_direction (GTK_WIDGET (label)) == GTK_TEXT_DIR_RTL;

  gtk_label_set_text (label, text);
  gtk_label_set_justify (label, mirrored && pango_layout_get_direction (gtk_label_get_layout (label), 0) == PANGO_DIRECTION_LTR ? GTK_JUSTIFY_RIGHT : GTK_JUSTIFY_LEFT);
}

char *
gallery_format_number (guint64 number)
{
  g_autofree char *plain = g_strdup_printf ("%" G_GUINT64_FORMAT, number);
  GString *text = g_string_new (NULL);
  const gsize length = strlen (plain);

  for (gsize i = 0; i < length; i++)
    {
      if (i > 0 && (length - i) % 3 == 0)
        g_string_append (text, ",");
      g_string_append_c (text, plain[i]);
    }
  return g_string_free (text, FALSE);
}

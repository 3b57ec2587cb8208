// SPDX-License-Identifier: Apache-2.0
#include "gallery-window.h"

struct _GalleryWindow
{
  AdwApplicationWindow parent_instance;

  GalleryService *service;
  GtkWidget *sidebar, *stack, *title, *tools, *banner, *why, *kill, *dot, *state;
  GtkSizeGroup *headers;
  GalleryScreen *screen; /* unowned: in the stack */
  gboolean was_available;
};

G_DEFINE_FINAL_TYPE (GalleryWindow, gallery_window, ADW_TYPE_APPLICATION_WINDOW)

static void
show_status (GalleryWindow *self)
{
  g_autofree char *status = NULL;

  g_object_get (self->screen, "status", &status, NULL);
  adw_window_title_set_subtitle (ADW_WINDOW_TITLE (self->title), status != NULL ? status : "");
}

static void
on_status (GalleryScreen *screen, GParamSpec *pspec, GalleryWindow *self)
{
  if (screen == self->screen)
    show_status (self);
}

const char *
gallery_window_get_state (GalleryWindow *self)
{
  if (listd_client_get_available (gallery_service_get_client (self->service)))
    return "running";
  return self->was_available ? "offline" : "starting";
}

static void
on_available (ListdClient *client, GParamSpec *pspec, GalleryWindow *self)
{
  const gboolean available = listd_client_get_available (client), own = gallery_service_is_own (self->service);

  self->was_available = self->was_available || available;
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->banner), !available && self->was_available);
  gtk_label_set_text (GTK_LABEL (self->why), own ? "Offline: listd was killed. The rows stay, and go on when it is back."
                                                 : "Offline: listd has ended. The rows stay, and go on when it is back.");
  gtk_widget_set_sensitive (self->kill, available && own);
  gtk_widget_set_tooltip_text (self->kill, !own ? "This listd was not started by the gallery" : available ? "Kill listd; it comes back after a moment" : NULL);
  for (guint i = 0; i < 2; i++)
    gtk_widget_remove_css_class (self->dot, i == 0 ? "success" : "error");
  gtk_widget_add_css_class (self->dot, available ? "success" : "error");
  if (!available)
    gtk_label_set_text (GTK_LABEL (self->state), self->was_available ? "offline" : own ? "listd is starting" : "waiting for listd");
  else
    gtk_label_set_text (GTK_LABEL (self->state), own ? "listd, started by the gallery" : "listd of this machine");
}

static void
on_kill (GtkButton *button, GalleryWindow *self)
{
  gallery_service_kill (self->service);
}

static void
on_row (GtkListBox *list, GtkListBoxRow *row, GalleryWindow *self)
{
  const GalleryScreenKind *kind;
  GtkWidget *screen;

  if (row == NULL)
    return;
  kind = &gallery_screen_kinds[gtk_list_box_row_get_index (row)];
  screen = gtk_stack_get_child_by_name (GTK_STACK (self->stack), kind->id);
  if (screen == NULL)
    {
      screen = gallery_screen_new (self->service, kind);
      gtk_stack_add_named (GTK_STACK (self->stack), screen, kind->id);
      g_signal_connect_object (screen, "notify::status", G_CALLBACK (on_status), self, 0);
    }
  self->screen = GALLERY_SCREEN (screen);
  gtk_stack_set_visible_child (GTK_STACK (self->stack), screen);
  adw_window_title_set_title (ADW_WINDOW_TITLE (self->title), kind->title);
  adw_bin_set_child (ADW_BIN (self->tools), gallery_screen_get_tools (self->screen));
  show_status (self);
}

void
gallery_window_show_screen (GalleryWindow *self, const char *id)
{
  for (int i = 0; gallery_screen_kinds[i].id != NULL; i++)
    if (g_str_equal (gallery_screen_kinds[i].id, id))
      gtk_list_box_select_row (GTK_LIST_BOX (self->sidebar), gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->sidebar), i));
}

GalleryScreen *
gallery_window_get_screen (GalleryWindow *self)
{
  return self->screen;
}

static void
gallery_window_dispose (GObject *object)
{
  g_clear_object (&GALLERY_WINDOW (object)->service);
  g_clear_object (&GALLERY_WINDOW (object)->headers);
  G_OBJECT_CLASS (gallery_window_parent_class)->dispose (object);
}

static void
gallery_window_class_init (GalleryWindowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = gallery_window_dispose;
}

static GtkWidget *
make_sidebar (GalleryWindow *self)
{
  GtkWidget *box = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "width-request", 216, NULL);
  GtkWidget *header = g_object_new (ADW_TYPE_HEADER_BAR, "show-end-title-buttons", FALSE, "title-widget", adw_window_title_new ("listd Gallery", NULL), NULL);
  GtkWidget *scrolled = g_object_new (GTK_TYPE_SCROLLED_WINDOW, "hscrollbar-policy", GTK_POLICY_NEVER, "vexpand", TRUE, NULL);
  GtkWidget *footer = g_object_new (GTK_TYPE_BOX, "spacing", 8, "margin-start", 18, "margin-end", 12, "margin-top", 12, "margin-bottom", 14, NULL);

  self->sidebar = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (self->sidebar), GTK_SELECTION_BROWSE);
  gtk_widget_add_css_class (self->sidebar, "navigation-sidebar");
  for (const GalleryScreenKind *kind = gallery_screen_kinds; kind->id != NULL; kind++)
    {
      GtkWidget *row = g_object_new (GTK_TYPE_BOX, "spacing", 12, "margin-top", 4, "margin-bottom", 4, NULL);

      gtk_box_append (GTK_BOX (row), gtk_image_new_from_icon_name (kind->icon));
      gtk_box_append (GTK_BOX (row), gtk_label_new (kind->title));
      gtk_list_box_append (GTK_LIST_BOX (self->sidebar), row);
    }
  g_signal_connect (self->sidebar, "row-selected", G_CALLBACK (on_row), self);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), self->sidebar);

  self->dot = g_object_new (GTK_TYPE_IMAGE, "icon-name", "media-record-symbolic", "pixel-size", 10, NULL);
  self->state = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  gtk_widget_add_css_class (self->state, "caption");
  gtk_box_append (GTK_BOX (footer), self->dot);
  gtk_box_append (GTK_BOX (footer), self->state);

  gtk_size_group_add_widget (self->headers, header);
  gtk_box_append (GTK_BOX (box), header);
  gtk_box_append (GTK_BOX (box), scrolled);
  gtk_box_append (GTK_BOX (box), footer);
  gtk_widget_add_css_class (box, "gallery-sidebar");
  return box;
}

static GtkWidget *
make_banner (GalleryWindow *self)
{
  GtkWidget *box = g_object_new (GTK_TYPE_BOX, "spacing", 9, "halign", GTK_ALIGN_CENTER, "hexpand", TRUE, "margin-top", 9, "margin-bottom", 9, NULL);
  GtkWidget *bar = g_object_new (GTK_TYPE_BOX, NULL), *banner;

  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name ("network-offline-symbolic"));
  self->why = g_object_new (GTK_TYPE_LABEL, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  gtk_box_append (GTK_BOX (box), self->why);
  gtk_widget_add_css_class (bar, "offline");
  gtk_box_append (GTK_BOX (bar), box);
  /* It comes over the end of the rows, so that they stay where they are. */
  banner = g_object_new (GTK_TYPE_REVEALER, "child", bar, "transition-type", GTK_REVEALER_TRANSITION_TYPE_SLIDE_UP, "valign", GTK_ALIGN_END,
                         "can-target", FALSE, NULL);
  return banner;
}

static GtkWidget *
make_content (GalleryWindow *self)
{
  GtkWidget *box = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "hexpand", TRUE, NULL);
  GtkWidget *header, *overlay;

  self->title = adw_window_title_new (NULL, NULL);
  header = g_object_new (ADW_TYPE_HEADER_BAR, "show-start-title-buttons", FALSE, "title-widget", self->title, NULL);
  self->kill = gtk_button_new_with_label ("kill -9");
  g_signal_connect (self->kill, "clicked", G_CALLBACK (on_kill), self);
  self->tools = adw_bin_new ();
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), self->tools);
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), self->kill);
  self->banner = make_banner (self);
  self->stack = g_object_new (GTK_TYPE_STACK, "vexpand", TRUE, "transition-type", GTK_STACK_TRANSITION_TYPE_CROSSFADE, NULL);
  gtk_size_group_add_widget (self->headers, header);
  gtk_box_append (GTK_BOX (box), header);
  overlay = gtk_overlay_new ();
  gtk_overlay_set_child (GTK_OVERLAY (overlay), self->stack);
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), self->banner);
  gtk_box_append (GTK_BOX (box), overlay);
  gtk_widget_add_css_class (box, "view");
  return box;
}

static void
gallery_window_init (GalleryWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->headers = gtk_size_group_new (GTK_SIZE_GROUP_VERTICAL);
  gtk_box_append (GTK_BOX (box), make_sidebar (self));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_VERTICAL));
  gtk_box_append (GTK_BOX (box), make_content (self));
  adw_application_window_set_content (ADW_APPLICATION_WINDOW (self), box);
  gtk_window_set_default_size (GTK_WINDOW (self), 1120, 720);
  gtk_window_set_title (GTK_WINDOW (self), "listd Gallery");
}

GtkWidget *
gallery_window_new (AdwApplication *application, GalleryService *service)
{
  GalleryWindow *self = g_object_new (GALLERY_TYPE_WINDOW, "application", application, NULL);
  ListdClient *client = gallery_service_get_client (service);

  self->service = g_object_ref (service);
  g_signal_connect_object (client, "notify::available", G_CALLBACK (on_available), self, 0);
  on_available (client, NULL, self);
  gallery_window_show_screen (self, gallery_screen_kinds[0].id);
  return GTK_WIDGET (self);
}

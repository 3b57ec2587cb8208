// SPDX-License-Identifier: Apache-2.0
#include "gallery-pictures.h"

#include "gallery-photo.h"

#include <math.h>

#define CORNER 12
/* A screen is at rest when nothing of it has changed for so many frames. */
#define REST 40
#define PATIENCE (600 * G_USEC_PER_SEC)

typedef struct
{
  GalleryWindow *window;
  char *folder;
  char **only;
  double scale;
  guint screen, calm;
  gboolean dark;
  gint64 begun;
  guint64 seen; /* what the screen shows, as a number */
} Pictures;

static void
write_picture (Pictures *self, const char *id)
{
  GtkWidget *content = adw_application_window_get_content (ADW_APPLICATION_WINDOW (self->window));
  const int width = gtk_widget_get_width (content), height = gtk_widget_get_height (content);
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (content);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  GskRoundedRect border;
  g_autoptr (GskRenderNode) node = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  g_autofree char *name = g_strdup_printf ("%s-%s.png", id, self->dark ? "dark" : "light");
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  const GdkRGBA line = { 0.5, 0.5, 0.5, 0.45 };
  GdkRGBA ground = { 1, 1, 1, 1 };

  gtk_snapshot_scale (snapshot, (float) self->scale, (float) self->scale);
  gsk_rounded_rect_init_from_rect (&border, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height), CORNER);
  gtk_snapshot_push_rounded_clip (snapshot, &border);
  if (gtk_style_context_lookup_color (gtk_widget_get_style_context (content), "window_bg_color", &ground))
    gtk_snapshot_append_color (snapshot, &ground, &border.bounds);
  gdk_paintable_snapshot (paintable, snapshot, width, height);
  gtk_snapshot_append_border (snapshot, &border, (float[]){ 1, 1, 1, 1 }, (GdkRGBA[]){ line, line, line, line });
  gtk_snapshot_pop (snapshot);
  node = gtk_snapshot_free_to_node (snapshot);
  texture = gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (self->window)), node, NULL);
  if (gdk_texture_save_to_png (texture, path))
    g_print ("%s\n", path);
  else
    g_printerr ("listd-gallery: %s cannot be written\n", path);
}

/* A sum over what the widgets show. */
static guint64
look_at (GtkWidget *widget, guint *n_empty)
{
  guint64 sum = (guint64) gtk_widget_get_width (widget) * 31 + (guint64) gtk_widget_get_height (widget);

  if (!gtk_widget_get_mapped (widget))
    return 0;
  if (GTK_IS_LABEL (widget))
    sum = sum * 31 + g_str_hash (gtk_label_get_text (GTK_LABEL (widget)));
  if (GALLERY_IS_PHOTO (widget) && !gallery_photo_has_thumbnail (GALLERY_PHOTO (widget)))
    (*n_empty)++;
  if (GTK_IS_SPINNER (widget))
    (*n_empty)++;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    sum = sum * 1000003 + look_at (child, n_empty);
  return sum;
}

static gboolean on_frame (GtkWidget *widget, GdkFrameClock *clock, gpointer data);

static void
go_on (Pictures *self)
{
  self->calm = 0;
  self->begun = g_get_monotonic_time ();
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), self->dark ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_FORCE_LIGHT);
  while (gallery_screen_kinds[self->screen].id != NULL && self->only != NULL
         && !g_strv_contains ((const char *const *) self->only, gallery_screen_kinds[self->screen].id))
    self->screen++;
  if (gallery_screen_kinds[self->screen].id != NULL)
    gallery_window_show_screen (self->window, gallery_screen_kinds[self->screen].id);
  else
    gtk_window_close (GTK_WINDOW (self->window));
}

static gboolean
on_frame (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Pictures *self = data;
  const GalleryScreenKind *kind = &gallery_screen_kinds[self->screen];
  guint n_empty = 0;
  guint64 seen;

  if (kind->id == NULL)
    return G_SOURCE_REMOVE;
  n_empty = !gallery_service_is_filled (gallery_screen_get_service (gallery_window_get_screen (self->window)));
  seen = look_at (GTK_WIDGET (gallery_window_get_screen (self->window)), &n_empty);
  self->calm = seen == self->seen && n_empty == 0 ? self->calm + 1 : 0;
  self->seen = seen;
  if (self->calm >= REST || g_get_monotonic_time () - self->begun > PATIENCE)
    {
      if (self->calm < REST)
        g_printerr ("listd-gallery: the screen “%s” has not come to rest\n", kind->id);
      write_picture (self, kind->id);
      if (self->dark)
        self->screen++;
      self->dark = !self->dark;
      go_on (self);
    }
  return G_SOURCE_CONTINUE;
}

static void
pictures_free (gpointer data)
{
  Pictures *self = data;

  g_strfreev (self->only);
  g_free (self->folder);
  g_free (self);
}

void
gallery_pictures_take (GalleryWindow *window, const char *folder, const char *only, double scale)
{
  Pictures *self = g_new0 (Pictures, 1);

  self->window = window;
  self->folder = g_strdup (folder);
  self->only = only != NULL ? g_strsplit (only, ",", -1) : NULL;
  self->scale = scale;
  g_mkdir_with_parents (folder, 0755);
  /* As on a desktop, which a bare X server lacks. */
  g_object_set (gtk_settings_get_default (), "gtk-font-name", "Cantarell 11", "gtk-xft-antialias", 1, "gtk-xft-hinting", 1, "gtk-xft-hintstyle",
                "hintslight", "gtk-xft-rgba", "none", NULL);
  gtk_widget_add_tick_callback (GTK_WIDGET (window), on_frame, self, pictures_free);
  go_on (self);
}

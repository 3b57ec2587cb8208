// SPDX-License-Identifier: Apache-2.0
#include "gallery-photo.h"

#include "gallery-art.h"

struct _GalleryPhoto
{
  GtkWidget parent_instance;

  GtkWidget *stack, *name;
  GtkWidget *picture;
  char *id, *path;
};

G_DEFINE_FINAL_TYPE (GalleryPhoto, gallery_photo, GTK_TYPE_WIDGET)

static void
gallery_photo_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (gallery_photo_parent_class)->dispose (object);
}

static void
gallery_photo_finalize (GObject *object)
{
  GalleryPhoto *self = GALLERY_PHOTO (object);

  g_free (self->id);
  g_free (self->path);
  G_OBJECT_CLASS (gallery_photo_parent_class)->finalize (object);
}

static void
gallery_photo_class_init (GalleryPhotoClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = gallery_photo_dispose;
  G_OBJECT_CLASS (klass)->finalize = gallery_photo_finalize;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "photo");
}

static void
gallery_photo_init (GalleryPhoto *self)
{
  GtkWidget *empty = g_object_new (GTK_TYPE_IMAGE, "icon-name", "image-x-generic-symbolic", "pixel-size", 32, NULL);

  gtk_orientable_set_orientation (GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (gtk_widget_get_layout_manager (GTK_WIDGET (self))), 6);
  self->stack = g_object_new (GTK_TYPE_STACK, "overflow", GTK_OVERFLOW_HIDDEN, "width-request", GALLERY_PHOTO_WIDTH / 2, "height-request",
                              GALLERY_PHOTO_HEIGHT / 2, "transition-duration", 250, "halign", GTK_ALIGN_CENTER, NULL);
  gtk_widget_add_css_class (self->stack, "frame");
  gtk_widget_add_css_class (empty, "dim-label");
  self->picture = g_object_new (GTK_TYPE_PICTURE, "can-shrink", TRUE, "keep-aspect-ratio", FALSE, NULL);
  gtk_stack_add_named (GTK_STACK (self->stack), empty, "empty");
  gtk_stack_add_named (GTK_STACK (self->stack), self->picture, "picture");
  self->name = g_object_new (GTK_TYPE_LABEL, "ellipsize", PANGO_ELLIPSIZE_END, "max-width-chars", 1, "hexpand", TRUE, NULL);
  gtk_widget_set_parent (self->stack, GTK_WIDGET (self));
  gtk_widget_set_parent (self->name, GTK_WIDGET (self));
}

GtkWidget *
gallery_photo_new (void)
{
  return g_object_new (GALLERY_TYPE_PHOTO, NULL);
}

void
gallery_photo_show (GalleryPhoto *self, ListdItem *item)
{
  const char *id = listd_item_get_id (item), *path = listd_item_get_string (item, "thumbnail");
  const gboolean same = g_strcmp0 (self->id, id) == 0;
  g_autoptr (GdkTexture) texture = NULL;

  gtk_label_set_text (GTK_LABEL (self->name), listd_item_get_string (item, "name"));
  if (same && g_strcmp0 (self->path, path) == 0)
    return;
  g_free (self->id);
  self->id = g_strdup (id);
  g_free (self->path);
  self->path = g_strdup (path);
  if (path != NULL)
    texture = gdk_texture_new_from_filename (path, NULL);
  gtk_picture_set_paintable (GTK_PICTURE (self->picture), GDK_PAINTABLE (texture));
  gtk_stack_set_visible_child_full (GTK_STACK (self->stack), texture != NULL ? "picture" : "empty",
                                    same ? GTK_STACK_TRANSITION_TYPE_CROSSFADE : GTK_STACK_TRANSITION_TYPE_NONE);
}

gboolean
gallery_photo_has_thumbnail (GalleryPhoto *self)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (self->stack)), "picture") == 0;
}

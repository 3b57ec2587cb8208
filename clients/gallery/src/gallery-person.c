// SPDX-License-Identifier: Apache-2.0
#include "gallery-person.h"

#include "gallery-pane.h"

#include <string.h>

struct _GalleryPerson
{
  GtkWidget parent_instance;

  GtkWidget *avatar, *name, *place, *number;
  char *id;
};

G_DEFINE_FINAL_TYPE (GalleryPerson, gallery_person, GTK_TYPE_WIDGET)

static void
gallery_person_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (gallery_person_parent_class)->dispose (object);
}

static void
gallery_person_finalize (GObject *object)
{
  g_free (GALLERY_PERSON (object)->id);
  G_OBJECT_CLASS (gallery_person_parent_class)->finalize (object);
}

static void
gallery_person_class_init (GalleryPersonClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = gallery_person_dispose;
  G_OBJECT_CLASS (klass)->finalize = gallery_person_finalize;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "person");
}

static GtkWidget *
make_label (const char *class)
{
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "ellipsize", PANGO_ELLIPSIZE_END, NULL);

  if (class != NULL)
    gtk_widget_add_css_class (label, class);
  return label;
}

static void
gallery_person_init (GalleryPerson *self)
{
  GtkWidget *texts = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "valign", GTK_ALIGN_CENTER, "hexpand", TRUE, NULL);

  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (gtk_widget_get_layout_manager (GTK_WIDGET (self))), 12);
  self->avatar = adw_avatar_new (36, NULL, TRUE);
  self->name = make_label (NULL);
  self->place = make_label ("caption");
  gtk_widget_add_css_class (self->place, "dim-label");
  self->number = make_label ("numeric");
  gtk_widget_add_css_class (self->number, "dim-label");
  gtk_widget_add_css_class (self->number, "caption");
  gtk_box_append (GTK_BOX (texts), self->name);
  gtk_box_append (GTK_BOX (texts), self->place);
  gtk_widget_set_parent (self->avatar, GTK_WIDGET (self));
  gtk_widget_set_parent (texts, GTK_WIDGET (self));
  gtk_widget_set_parent (self->number, GTK_WIDGET (self));
}

GtkWidget *
gallery_person_new (void)
{
  return g_object_new (GALLERY_TYPE_PERSON, NULL);
}

/* Marks where a text was found. Both are compared in lower case, which has the same length for the names of the gallery. */
static void
set_text (GtkWidget *label, const char *text, const char *found)
{
  g_autoptr (PangoAttrList) attributes = NULL;

  gtk_label_set_text (GTK_LABEL (label), text);
  if (found != NULL && *found != '\0')
    {
      g_autofree char *lower = g_utf8_strdown (text, -1), *sought = g_utf8_strdown (found, -1);
      const char *place = strstr (lower, sought);

      if (place != NULL && strlen (lower) == strlen (text))
        {
          PangoAttribute *bold = pango_attr_weight_new (PANGO_WEIGHT_BOLD), *line = pango_attr_underline_new (PANGO_UNDERLINE_SINGLE);

          attributes = pango_attr_list_new ();
          bold->start_index = line->start_index = (guint) (place - lower);
          bold->end_index = line->end_index = (guint) (place - lower + strlen (sought));
          pango_attr_list_insert (attributes, bold);
          pango_attr_list_insert (attributes, line);
        }
    }
  gtk_label_set_attributes (GTK_LABEL (label), attributes);
}

void
gallery_person_show (GalleryPerson *self, ListdItem *item, const char *found)
{
  const gboolean loaded = item != NULL && listd_item_get_loaded (item);
  const char *name = loaded ? listd_item_get_string (item, "name") : NULL;
  const char *place = loaded ? listd_item_get_string (item, "place") : NULL;
  g_autofree char *number = loaded ? gallery_format_number ((guint64) listd_item_get_int (item, "number")) : NULL;

  g_free (self->id);
  self->id = loaded ? g_strdup (listd_item_get_id (item)) : NULL;
  adw_avatar_set_text (ADW_AVATAR (self->avatar), name);
  set_text (self->name, name != NULL ? name : "…", found);
  set_text (self->place, place != NULL ? place : "", found);
  gtk_label_set_text (GTK_LABEL (self->number), number != NULL ? number : "");
}

const char *
gallery_person_get_id (GalleryPerson *self)
{
  return self->id;
}

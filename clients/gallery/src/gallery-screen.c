// SPDX-License-Identifier: Apache-2.0
#include "gallery-screen.h"

struct _GalleryScreen
{
  AdwBin parent_instance;

  GalleryService *service;
  GtkWidget *tools;
  char *status;
};

enum
{
  PROP_0,
  PROP_STATUS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (GalleryScreen, gallery_screen, ADW_TYPE_BIN)

const GalleryScreenKind gallery_screen_kinds[] = {
  { "photos", "Photographs", "image-x-generic-symbolic", gallery_build_photos },
  { "feed", "Feed", "starred-symbolic", gallery_build_feed },
  { "million", "A Million Rows", "view-list-symbolic", gallery_build_million },
  { "search", "Search", "edit-find-symbolic", gallery_build_search },
  { "map", "Map", "mark-location-symbolic", gallery_build_map },
  { "shelves", "Shelves", "view-grid-symbolic", gallery_build_shelves },
  { "folder", "Folder", "folder-symbolic", gallery_build_folder },
  { "journal", "Journal", "accessories-text-editor-symbolic", gallery_build_journal },
  { NULL },
};

static void
gallery_screen_dispose (GObject *object)
{
  GalleryScreen *self = GALLERY_SCREEN (object);

  g_clear_object (&self->tools);
  G_OBJECT_CLASS (gallery_screen_parent_class)->dispose (object);
}

static void
gallery_screen_finalize (GObject *object)
{
  GalleryScreen *self = GALLERY_SCREEN (object);

  g_clear_object (&self->service);
  g_free (self->status);
  G_OBJECT_CLASS (gallery_screen_parent_class)->finalize (object);
}

static void
gallery_screen_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_STATUS:
      g_value_set_string (value, GALLERY_SCREEN (object)->status);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
gallery_screen_class_init (GalleryScreenClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = gallery_screen_dispose;
  object_class->finalize = gallery_screen_finalize;
  object_class->get_property = gallery_screen_get_property;
  properties[PROP_STATUS] = g_param_spec_string ("status", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
gallery_screen_init (GalleryScreen *self)
{
}

GtkWidget *
gallery_screen_new (GalleryService *service, const GalleryScreenKind *kind)
{
  GalleryScreen *self = g_object_new (GALLERY_TYPE_SCREEN, "name", kind->id, NULL);

  self->service = g_object_ref (service);
  kind->build (self);
  return GTK_WIDGET (self);
}

GalleryService *
gallery_screen_get_service (GalleryScreen *self)
{
  return self->service;
}

void
gallery_screen_set_status (GalleryScreen *self, const char *format, ...)
{
  va_list arguments;
  g_autofree char *status = NULL;

  va_start (arguments, format);
  status = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (g_strcmp0 (self->status, status) == 0)
    return;
  g_free (self->status);
  self->status = g_steal_pointer (&status);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATUS]);
}

void
gallery_screen_set_tools (GalleryScreen *self, GtkWidget *tools)
{
  g_set_object (&self->tools, g_object_ref_sink (tools));
  g_object_unref (tools);
}

GtkWidget *
gallery_screen_get_tools (GalleryScreen *self)
{
  return self->tools;
}

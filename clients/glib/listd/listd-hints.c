// SPDX-License-Identifier: Apache-2.0
#include "listd-hints.h"

struct _ListdHints
{
  ListdClient *client;
  ListdQueue *queue;
  const char *path;
  void (*changed) (gpointer object);
  GVariant *values;
  guint subscription;
  guint serial; /* of the question */
};

typedef struct
{
  ListdHints *hints;
  guint serial;
} Asked;

ListdHints *
listd_hints_new (ListdClient *client, ListdQueue *queue, const char *path, void (*changed) (gpointer object))
{
  ListdHints *self = g_new0 (ListdHints, 1);

  self->client = client;
  self->queue = queue;
  self->path = path;
  self->changed = changed;
  return self;
}

void
listd_hints_free (ListdHints *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->values, g_variant_unref);
  g_free (self);
}

GVariant *
listd_hints_get (ListdHints *self)
{
  return self->values;
}

static void
take (ListdHints *self, GVariant *options)
{
  g_autoptr (GVariant) values = g_variant_lookup_value (options, "hints", G_VARIANT_TYPE ("a{ss}"));
  g_autoptr (GVariant) before = NULL;

  if (values == self->values || (values != NULL && self->values != NULL && g_variant_equal (values, self->values)))
    return;
  before = self->values;
  self->values = g_steal_pointer (&values);
  self->changed (self->queue->object);
}

static void
on_properties_changed (gpointer object, const char *path, const char *member, GVariant *parameters, gpointer data)
{
  g_autoptr (GVariant) changed = g_variant_get_child_value (parameters, 1);
  g_autoptr (GVariant) options = g_variant_lookup_value (changed, "Options", G_VARIANT_TYPE_VARDICT);

  if (options != NULL)
    take (data, options);
}

static void
on_options (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  const Asked *asked = data;
  g_autoptr (GVariant) options = NULL;

  if (reply == NULL || asked->serial != asked->hints->serial)
    return;
  g_variant_get (reply, "(v)", &options);
  if (g_variant_is_of_type (options, G_VARIANT_TYPE_VARDICT))
    take (asked->hints, options);
}

void
listd_hints_follow (ListdHints *self)
{
  Asked *asked = g_new (Asked, 1);

  listd_hints_unfollow (self);
  *asked = (Asked){ self, self->serial };
  self->subscription = listd_client_subscribe (self->client, self->queue, self->path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                                               "(sa{sv}as)", FALSE, on_properties_changed, self);
  listd_client_ask (self->client, self->queue, self->path, "org.freedesktop.DBus.Properties", "Get",
                    g_variant_new ("(ss)", LISTD_NAME ".Adapter", "Options"), "(v)", on_options, asked, g_free);
}

void
listd_hints_unfollow (ListdHints *self)
{
  self->serial++;
  listd_client_unsubscribe (self->client, &self->subscription);
}

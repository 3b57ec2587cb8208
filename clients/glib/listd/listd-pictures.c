// SPDX-License-Identifier: Apache-2.0
#include "listd-pictures.h"

static const struct
{
  const char *member, *type;
} heard[] = { { "Changed", LISTD_PICTURE }, { "Stalled", "(tt)" }, { "Closed", "(s)" } };

struct _ListdPictures
{
  ListdClient *client;
  ListdQueue *queue;
  const ListdPicturesFuncs *funcs;
  gpointer owner;

  char *view;
  guint generation; /* of the listd that has the view */
  guint serial;     /* of the view */
  guint subscriptions[G_N_ELEMENTS (heard)];
  guint64 sequence, acknowledged;
  gboolean lost;
};

typedef struct
{
  ListdPictures *pictures;
  guint serial;
} Asked;

ListdPictures *
listd_pictures_new (ListdClient *client, ListdQueue *queue, const ListdPicturesFuncs *funcs, gpointer owner)
{
  ListdPictures *self = g_new0 (ListdPictures, 1);

  self->client = client;
  self->queue = queue;
  self->funcs = funcs;
  self->owner = owner;
  return self;
}

static void
forget (ListdPictures *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (heard); i++)
    listd_client_unsubscribe (self->client, &self->subscriptions[i]);
  g_clear_pointer (&self->view, g_free);
  self->serial++;
  self->sequence = self->acknowledged = 0;
  self->lost = FALSE;
}

void
listd_pictures_close (ListdPictures *self)
{
  if (listd_pictures_get_view (self) != NULL)
    listd_client_tell (self->client, self->view, "View", "Close", NULL);
  forget (self);
}

void
listd_pictures_free (ListdPictures *self)
{
  if (self == NULL)
    return;
  listd_pictures_close (self);
  g_free (self);
}

const char *
listd_pictures_get_view (ListdPictures *self)
{
  /* Another listd may have given the path to somebody else by the time that this queue hears of it. */
  return self->generation == listd_client_get_generation (self->client) ? self->view : NULL;
}

guint64
listd_pictures_get_sequence (ListdPictures *self)
{
  return self->sequence;
}

guint64
listd_pictures_get_acknowledged (ListdPictures *self)
{
  return self->acknowledged;
}

void
listd_pictures_acknowledge (ListdPictures *self, guint64 sequence)
{
  self->acknowledged = sequence;
  if (listd_pictures_get_view (self) != NULL)
    listd_client_tell (self->client, self->view, "View", "Ack", g_variant_new ("(t)", sequence));
}

gboolean
listd_pictures_check (ListdPictures *self, const GError *error)
{
  if (self->view == NULL || !g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_OBJECT))
    return FALSE;
  forget (self);
  self->funcs->closed (self->owner, "gone");
  return TRUE;
}

gboolean
listd_pictures_asks_whole (ListdPictures *self)
{
  return self->lost;
}

static void
on_whole (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  Asked *asked = data;
  ListdPictures *self = asked->pictures;

  if (asked->serial != self->serial)
    return;
  if (error != NULL)
    {
      self->funcs->closed (self->owner, "resync");
      return;
    }
  self->lost = FALSE;
  g_variant_get_child (reply, 0, "t", &self->sequence);
  self->acknowledged = self->sequence;
  self->funcs->picture (self->owner, reply);
}

void
listd_pictures_ask_whole (ListdPictures *self)
{
  Asked *asked;

  if (self->lost || listd_pictures_get_view (self) == NULL)
    return;
  self->lost = TRUE;
  asked = g_new (Asked, 1);
  *asked = (Asked){ self, self->serial };
  listd_client_ask (self->client, self->queue, self->view, "View", "Resync", NULL, LISTD_WHOLE_PICTURE, on_whole, asked, g_free);
}

static void
on_signal (gpointer object, const char *path, const char *member, GVariant *parameters, gpointer data)
{
  ListdPictures *self = data;
  guint64 sequence;

  if (g_str_equal (member, "Closed"))
    {
      const char *reason;

      g_variant_get (parameters, "(&s)", &reason);
      forget (self);
      self->funcs->closed (self->owner, reason);
    }
  else if (g_str_equal (member, "Stalled"))
    self->funcs->stalled (self->owner);
  else if (!self->lost)
    {
      g_variant_get_child (parameters, 0, "t", &sequence);
      if (sequence != self->sequence + 1)
        listd_pictures_ask_whole (self);
      else
        {
          self->sequence = sequence;
          self->funcs->picture (self->owner, parameters);
        }
    }
}

void
listd_pictures_open (ListdPictures *self, const char *view)
{
  listd_pictures_close (self);
  self->view = g_strdup (view);
  self->generation = listd_client_get_generation (self->client);
  /* They are sent to this connection alone, so the bus needs no rule. */
  for (guint i = 0; i < G_N_ELEMENTS (heard); i++)
    self->subscriptions[i] = listd_client_subscribe (self->client, self->queue, view, "View", heard[i].member, heard[i].type, TRUE, on_signal, self);
}

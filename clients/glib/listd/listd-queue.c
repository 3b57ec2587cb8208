// SPDX-License-Identifier: Apache-2.0
#include "listd-private.h"

typedef struct
{
  ListdEventFunc func;
  gpointer data;
  GDestroyNotify destroy;
} Event;

static void
event_free (Event *event)
{
  if (event->destroy != NULL)
    event->destroy (event->data);
  g_free (event);
}

void
listd_queue_init (ListdQueue *self, gpointer object)
{
  self->object = object;
  g_queue_init (&self->events);
  self->busy = FALSE;
}

void
listd_queue_clear (ListdQueue *self)
{
  Event *event;

  while ((event = g_queue_pop_head (&self->events)) != NULL)
    event_free (event);
}

void
listd_queue_add (ListdQueue *self, ListdEventFunc func, gpointer data, GDestroyNotify destroy)
{
  Event *event = g_new (Event, 1);

  *event = (Event){ func, data, destroy };
  g_queue_push_tail (&self->events, event);
}

void
listd_queue_run (ListdQueue *self)
{
  Event *event;

  if (self->busy)
    return;

  /* A handler may drop the last reference but ours. */
  g_object_ref (self->object);
  self->busy = TRUE;
  while ((event = g_queue_pop_head (&self->events)) != NULL)
    {
      event->func (self->object, event->data);
      event_free (event);
    }
  self->busy = FALSE;
  g_object_unref (self->object);
}

void
listd_queue_post (ListdQueue *self, ListdEventFunc func, gpointer data, GDestroyNotify destroy)
{
  listd_queue_add (self, func, data, destroy);
  listd_queue_run (self);
}

typedef struct
{
  GWeakRef object;
  ListdQueue *queue;
  GSource **source;
  ListdEventFunc func;
} Later;

static void
later_free (gpointer data)
{
  Later *later = data;

  g_weak_ref_clear (&later->object);
  g_free (later);
}

static gboolean
on_later (gpointer data)
{
  Later *later = data;
  g_autoptr (GObject) object = g_weak_ref_get (&later->object);

  if (object != NULL)
    {
      g_clear_pointer (later->source, g_source_unref);
      listd_queue_post (later->queue, later->func, NULL, NULL);
    }
  return G_SOURCE_REMOVE;
}

void
listd_queue_post_later (ListdQueue *self, ListdClient *client, GSource **source, guint milliseconds, ListdEventFunc func)
{
  Later *later;

  if (*source != NULL)
    return;
  later = g_new (Later, 1);
  g_weak_ref_init (&later->object, self->object);
  later->queue = self;
  later->source = source;
  later->func = func;
  *source = milliseconds > 0 ? g_timeout_source_new (milliseconds) : g_idle_source_new ();
  /* Before the frame that needs it is drawn. */
  g_source_set_priority (*source, G_PRIORITY_DEFAULT);
  listd_client_attach (client, *source, on_later, later, later_free);
}

void
listd_queue_cancel (GSource **source)
{
  if (*source == NULL)
    return;
  g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}

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
listd_queue_post (ListdQueue *self, ListdEventFunc func, gpointer data, GDestroyNotify destroy)
{
  Event *event = g_new (Event, 1);

  *event = (Event){ func, data, destroy };
  g_queue_push_tail (&self->events, event);
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

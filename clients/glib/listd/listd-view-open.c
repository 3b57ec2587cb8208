// SPDX-License-Identifier: Apache-2.0
/* Keeps a view open, and at its place, whatever happens to listd and to the list. */
#include "listd-view-private.h"

#define properties listd_view_properties
#define signals listd_view_signals

static void open_view (gpointer object, gpointer data);
static void reopen_later (ListdView *self);

static void
set_state (ListdView *self, ListdViewState state, const GError *error)
{
  GError *copy = error != NULL ? g_error_copy (error) : NULL;

  g_object_freeze_notify (G_OBJECT (self));
  if (self->error != NULL || copy != NULL)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ERROR]);
  g_clear_error (&self->error);
  self->error = copy;
  if (self->state != state)
    {
      self->state = state;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
    }
  g_object_thaw_notify (G_OBJECT (self));
}

/* Keeps in mind where the view is, unless the program is about to go elsewhere. */
static void
remember_place (ListdView *self)
{
  double x = self->head.x, y = self->head.y;
  g_autoptr (ListdSlot) first = NULL;

  if (self->state != LISTD_VIEW_STATE_ACTIVE || self->head.sequence == 0 || self->place.returning)
    return;
  g_clear_pointer (&self->place.id, g_free);
  /* A picture may come before the answer to the viewport that it shows. */
  if (!self->viewport_changed && (!self->asking || (x == self->viewport[0] && y == self->viewport[1])))
    first = listd_screen_get_first (self->screen, x, y, self->viewport[2], self->viewport[3]);
  if (first == NULL)
    return;
  self->place = (ListdViewPlace){ g_strdup (listd_slot_get_item (first)->id), listd_slot_get_item (first)->number,
                                  x - listd_slot_get_x (first), y - listd_slot_get_y (first), FALSE };
}

/* The first picture shows the item at the begin of the viewport: goes to where exactly the viewport was. */
static void
return_to_place (ListdView *self)
{
  g_autoptr (ListdSlot) slot = self->place.id != NULL ? listd_screen_get_slot_of (self->screen, self->place.id, self->place.item) : NULL;

  self->place.returning = FALSE;
  if (slot != NULL)
    {
      self->viewport[0] = listd_slot_get_x (slot) + self->place.x;
      self->viewport[1] = listd_slot_get_y (slot) + self->place.y;
    }
  /* Without a place, the program has gone elsewhere: listd has taken only the size of the viewport until now. */
  self->viewport_changed = self->viewport[0] != self->head.x || self->viewport[1] != self->head.y;
  if (self->viewport_changed)
    listd_view_send_soon (self);
}

static void
stop (ListdView *self)
{
  remember_place (self);
  self->serial++;
  listd_pictures_close (self->pictures);
  listd_queue_cancel (&self->retry);
  listd_hints_unfollow (self->hints);
  self->head.sequence = 0;
  self->asking = FALSE;
  g_hash_table_remove_all (self->sizes);
}

/* Pictures */

void
listd_view_tell_slot (gpointer view, ListdSlotEvent event, ListdSlot *slot)
{
  g_signal_emit (view, signals[event], 0, slot);
}

/* The slots show this now. */
static void
finish_picture (ListdView *self, const ListdPictureHead *head)
{
  const ListdPictureHead before = self->head;

  self->head = *head;
  g_object_freeze_notify (G_OBJECT (self));
  if (before.width != head->width)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONTENT_WIDTH]);
  if (before.height != head->height)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONTENT_HEIGHT]);
  if (before.x != head->x)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OFFSET_X]);
  if (before.y != head->y)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OFFSET_Y]);
  if (before.shift_x != head->shift_x)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SHIFT_X]);
  if (before.shift_y != head->shift_y)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SHIFT_Y]);
  if (before.animated != head->animated)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ANIMATED]);
  if (before.sticky_edge != head->sticky_edge)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STICKY_EDGE]);
  if (before.revision != head->revision)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_REVISION]);
  g_object_thaw_notify (G_OBJECT (self));
  g_signal_emit (self, signals[PICTURE], 0);
}

static void
on_picture (gpointer owner, GVariant *picture)
{
  ListdView *self = owner;
  ListdPictureHead head = listd_screen_take (self->screen, picture);

  /* Pictures were lost, and with them how far they had moved the viewport. */
  if (listd_picture_is_whole (picture) && !self->viewport_changed && !self->asking && !self->place.returning)
    {
      head.shift_x = head.x - self->viewport[0];
      head.shift_y = head.y - self->viewport[1];
    }
  /* The program's own viewport moves along, also one that was not sent yet. */
  if (!self->place.returning)
    {
      self->viewport[0] += head.shift_x;
      self->viewport[1] += head.shift_y;
    }
  finish_picture (self, &head);
  if (self->place.returning)
    return_to_place (self);
}

/* What is shown reads in another way now. */
static void
on_hints (gpointer object)
{
  ListdView *self = object;
  GListModel *model = listd_screen_get_slots (self->screen);
  g_autoptr (GPtrArray) slots = g_ptr_array_new_with_free_func (g_object_unref);

  g_object_notify_by_pspec (object, properties[PROP_HINTS]);
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    g_ptr_array_add (slots, g_list_model_get_item (model, i));
  for (guint i = 0; i < slots->len; i++)
    {
      listd_item_emit_changed (listd_slot_get_item (slots->pdata[i]));
      g_signal_emit (self, signals[SLOT_BOUND], 0, slots->pdata[i]);
    }
}

/* The program has not drawn what it got: it acknowledges when it has. If it has, the credit was bytes. */
static void
on_stalled (gpointer owner)
{
  ListdView *self = owner;

  if (listd_pictures_get_acknowledged (self->pictures) >= self->head.sequence)
    listd_pictures_acknowledge (self->pictures, self->head.sequence);
}

static void
on_closed (gpointer owner, const char *reason)
{
  ListdView *self = owner;

  stop (self);
  if (g_str_equal (reason, "adapter-removed"))
    {
      const ListdPictureHead nothing = { 0 };
      g_autoptr (GError) error = g_error_new (LISTD_ERROR, LISTD_ERROR_NO_SUCH_ADAPTER, _ ("there is no list \"%s\" any more"), self->name);

      g_clear_pointer (&self->place.id, g_free);
      listd_screen_clear (self->screen);
      finish_picture (self, &nothing);
      set_state (self, LISTD_VIEW_STATE_FAILED, error);
    }
  else if (!g_str_equal (reason, "shutting-down"))
    reopen_later (self);
}

static const ListdPicturesFuncs pictures_funcs = { on_picture, on_stalled, on_closed };

/* What is sent: once a turn of the main loop */

static void
on_viewport (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdView *self = object;

  if (GPOINTER_TO_UINT (data) != self->serial)
    return;
  self->asking = FALSE;
  if (error != NULL)
    g_debug ("%s: %s", self->name, error->message);
  if (listd_pictures_check (self->pictures, error))
    return;
  if (self->viewport_changed)
    listd_view_send_soon (self);
}

static void
send (gpointer object, gpointer data)
{
  ListdView *self = object;

  if (listd_pictures_get_view (self->pictures) == NULL)
    return;
  if (g_hash_table_size (self->sizes) > 0)
    {
      GVariantBuilder sizes;
      GHashTableIter iter;
      gpointer size;

      g_variant_builder_init (&sizes, G_VARIANT_TYPE ("a(sudd)"));
      g_hash_table_iter_init (&iter, self->sizes);
      while (g_hash_table_iter_next (&iter, NULL, &size))
        g_variant_builder_add_value (&sizes, size);
      g_hash_table_remove_all (self->sizes);
      listd_client_tell (self->client, listd_pictures_get_view (self->pictures), "View", "ReportSizes", g_variant_new ("(a(sudd))", &sizes));
    }
  /* One at a time, and always the newest. */
  if (self->viewport_changed && !self->asking)
    {
      self->viewport_changed = FALSE;
      self->asking = TRUE;
      listd_client_ask (self->client, &self->queue, listd_pictures_get_view (self->pictures), "View", "SetViewport",
                        g_variant_new ("(tdddd)", self->head.sequence, self->viewport[0], self->viewport[1], self->viewport[2], self->viewport[3]),
                        "(t)", on_viewport, GUINT_TO_POINTER (self->serial), NULL);
    }
}

void
listd_view_send_soon (ListdView *self)
{
  if (listd_pictures_get_view (self->pictures) != NULL)
    listd_queue_post_later (&self->queue, self->client, &self->soon, 0, send);
}

/* Opening */

static void
reopen_later (ListdView *self)
{
  if (self->retry != NULL || self->state == LISTD_VIEW_STATE_CLOSED)
    return;
  listd_queue_post_later (&self->queue, self->client, &self->retry, self->wait, open_view);
  self->wait = CLAMP (self->wait * 2, 25, 10000);
}

static void
on_opened (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdView *self = object;
  const char *view;

  if (reply != NULL)
    g_variant_get (reply, "(&ostuua{sv})", &view, NULL, NULL, NULL, NULL, NULL);
  if (GPOINTER_TO_UINT (data) != self->serial)
    {
      if (reply != NULL)
        listd_client_tell (self->client, view, "View", "Close", NULL);
      return;
    }
  if (self->place.returning && (listd_error_is (error, LISTD_ERROR_NO_SUCH_OBJECT) || listd_error_is (error, LISTD_ERROR_NO_SUCH_ITEM)))
    {
      g_clear_pointer (&self->place.id, g_free);
      open_view (self, NULL);
      return;
    }
  if (error != NULL)
    {
      gboolean absent = g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_OBJECT) || listd_error_is (error, LISTD_ERROR_NO_SUCH_ADAPTER)
                        || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED)
                        || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS);
      set_state (self, LISTD_VIEW_STATE_FAILED, error);
      if (!absent || self->appeared)
        reopen_later (self);
      return;
    }
  self->wait = 0;
  listd_pictures_open (self->pictures, view);
  /* The numbers of its slots are those of another view. */
  listd_screen_clear (self->screen);
  set_state (self, LISTD_VIEW_STATE_ACTIVE, NULL);
  self->viewport_changed = self->has_viewport;
  listd_view_send_soon (self);
}

static void
open_view (gpointer object, gpointer data)
{
  ListdView *self = object;

  if (!listd_client_is_up (self->client) || listd_pictures_get_view (self->pictures) != NULL || self->state == LISTD_VIEW_STATE_CLOSED)
    return;
  stop (self);
  self->appeared = FALSE;
  set_state (self, LISTD_VIEW_STATE_OPENING, NULL);
  if (self->state == LISTD_VIEW_STATE_OPENING && listd_client_is_up (self->client))
    {
      g_auto (GVariantDict) options = G_VARIANT_DICT_INIT (self->options);

      self->place.returning = self->place.id != NULL;
      if (self->place.returning)
        g_variant_dict_insert (&options, "at", "(sus)", self->place.id, self->place.item, "start");
      /* Before the view, so that it reads right from the first picture on. */
      listd_hints_follow (self->hints);
      listd_client_ask (self->client, &self->queue, self->path, "Adapter", "OpenView", g_variant_new ("(@a{sv})", g_variant_dict_end (&options)),
                        "(ostuua{sv})", on_opened, GUINT_TO_POINTER (self->serial), NULL);
    }
}

static void
on_up (gpointer object)
{
  ListdView *self = object;

  self->wait = 0;
  open_view (self, NULL);
}

static void
on_down (gpointer object)
{
  ListdView *self = object;

  stop (self);
  if (self->state != LISTD_VIEW_STATE_CLOSED)
    set_state (self, LISTD_VIEW_STATE_OFFLINE, NULL);
}

static void
on_appeared (gpointer object, const char *path)
{
  ListdView *self = object;

  if (g_strcmp0 (path, self->path) != 0)
    return;
  self->appeared = TRUE;
  if (self->state == LISTD_VIEW_STATE_FAILED)
    open_view (self, NULL);
}

/* Its view says so too, but maybe before it was heard of. */
static void
on_disappeared (gpointer object, const char *path)
{
  ListdView *self = object;

  if (g_strcmp0 (path, self->path) != 0)
    return;
  self->appeared = FALSE;
  if (listd_pictures_get_view (self->pictures) != NULL)
    on_closed (self, "adapter-removed");
}

static const ListdMemberFuncs member_funcs = { on_up, on_down, on_appeared, on_disappeared };

void
listd_view_begin_showing (ListdView *self)
{
  self->pictures = listd_pictures_new (self->client, &self->queue, &pictures_funcs, self);
  self->hints = listd_hints_new (self->client, &self->queue, self->path, on_hints);
  listd_client_add_member (self->client, &self->queue, &member_funcs);
}

void
listd_view_stop_showing (ListdView *self)
{
  stop (self);
  set_state (self, LISTD_VIEW_STATE_CLOSED, NULL);
}

void
listd_view_end_showing (ListdView *self)
{
  listd_client_remove_member (self->client, &self->queue);
  /* Nothing is told any more. */
  self->queue.busy = TRUE;
  listd_queue_clear (&self->queue);
  stop (self);
  listd_queue_cancel (&self->soon);
}

void
listd_view_call (ListdView *self, const char *method, GVariant *parameters, const char *reply_type, GTask *task)
{
  g_autoptr (GVariant) sunk = g_variant_ref_sink (parameters);

  if (listd_pictures_get_view (self->pictures) != NULL)
    {
      listd_client_call (self->client, listd_pictures_get_view (self->pictures), "View", method, sunk, reply_type, NULL, task);
      return;
    }
  if (self->error != NULL)
    g_task_return_error (task, g_error_copy (self->error));
  else
    g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_OFFLINE, _ ("the view of \"%s\" is not open"), self->name);
  g_object_unref (task);
}

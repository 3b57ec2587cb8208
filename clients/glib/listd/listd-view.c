// SPDX-License-Identifier: Apache-2.0
#include "listd-slot.h"

#include <math.h>
#include <string.h>

#define SLOTS "a(usuuss(dddd)xa{sv})"

/**
 * ListdView:
 *
 * A view of a list that listd lays out, for any toolkit.
 *
 * The program says what its viewport is, and hears which slots to draw and where: [signal@ListdView::slot-released],
 * [signal@ListdView::slot-placed], [signal@ListdView::slot-shown], [signal@ListdView::slot-bound], then [signal@ListdView::picture]
 * once. After it has drawn, it calls [method@ListdView.acknowledge]: a program that does not keep up gets fewer pictures, never old
 * ones.
 */
struct _ListdView
{
  GObject parent_instance;

  ListdClient *client;
  char *name;
  char *path;
  GVariant *options;
  ListdQueue queue;

  ListdViewState state;
  GError *error;
  guint serial;
  guint wait;
  GSource *retry, *soon;
  gboolean appeared;
  char *view;
  guint subscriptions[3];
  guint64 sequence, acknowledged, taken, revision;
  gboolean lost_picture;
  double width, height, x, y; /* content, offset */
  gboolean has_viewport, viewport_changed, asking;
  double viewport[4];
  GListStore *slots;
  GHashTable *by_number;
  GHashTable *sizes; /* "ITEM id" -> (sudd) */
};

enum
{
  PROP_0,
  PROP_CLIENT,
  PROP_NAME,
  PROP_OPTIONS,
  PROP_STATE,
  PROP_ERROR,
  PROP_CONTENT_WIDTH,
  PROP_CONTENT_HEIGHT,
  PROP_OFFSET_X,
  PROP_OFFSET_Y,
  PROP_REVISION,
  PROP_SLOTS,
  N_PROPS
};

enum
{
  SLOT_SHOWN,
  SLOT_RELEASED,
  SLOT_PLACED,
  SLOT_BOUND,
  PICTURE,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (ListdView, listd_view, G_TYPE_OBJECT)

static const GEnumValue scroll_positions[] = {
  { LISTD_SCROLL_POSITION_NEAREST, "LISTD_SCROLL_POSITION_NEAREST", "none" },
  { LISTD_SCROLL_POSITION_START, "LISTD_SCROLL_POSITION_START", "start" },
  { LISTD_SCROLL_POSITION_CENTER, "LISTD_SCROLL_POSITION_CENTER", "center" },
  { LISTD_SCROLL_POSITION_END, "LISTD_SCROLL_POSITION_END", "end" },
  { 0, NULL, NULL },
};

static const GEnumValue states[] = {
  { LISTD_VIEW_STATE_OFFLINE, "LISTD_VIEW_STATE_OFFLINE", "offline" },
  { LISTD_VIEW_STATE_OPENING, "LISTD_VIEW_STATE_OPENING", "opening" },
  { LISTD_VIEW_STATE_ACTIVE, "LISTD_VIEW_STATE_ACTIVE", "active" },
  { LISTD_VIEW_STATE_FAILED, "LISTD_VIEW_STATE_FAILED", "failed" },
  { LISTD_VIEW_STATE_CLOSED, "LISTD_VIEW_STATE_CLOSED", "closed" },
  { 0, NULL, NULL },
};

GType
listd_scroll_position_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("ListdScrollPosition", scroll_positions));
  return type;
}

GType
listd_view_state_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("ListdViewState", states));
  return type;
}

static void open_view (gpointer object, gpointer data);

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

static void
stop (ListdView *self)
{
  self->serial++;
  for (guint i = 0; i < G_N_ELEMENTS (self->subscriptions); i++)
    listd_client_unsubscribe (self->client, &self->subscriptions[i]);
  if (self->view != NULL)
    listd_client_tell (self->client, self->view, "View", "Close", NULL);
  g_clear_pointer (&self->view, g_free);
  if (self->retry != NULL)
    {
      g_source_destroy (self->retry);
      g_clear_pointer (&self->retry, g_source_unref);
    }
  self->sequence = self->acknowledged = self->taken = 0;
  self->lost_picture = self->asking = FALSE;
  g_hash_table_remove_all (self->sizes);
}

/* Pictures */

static void
release (ListdView *self, guint number)
{
  g_autoptr (ListdSlot) slot = NULL;
  guint position;

  if (!g_hash_table_steal_extended (self->by_number, GUINT_TO_POINTER (number), NULL, (gpointer *) &slot))
    return;
  if (g_list_store_find (self->slots, slot, &position))
    g_list_store_remove (self->slots, position);
  g_signal_emit (self, signals[SLOT_RELEASED], 0, slot);
}

static void
show (ListdView *self, GVariant *shown, GHashTable *seen)
{
  GVariantIter iter;
  guint number, section, item;
  const char *id, *kind, *reuse;
  ListdFrame frame;
  GVariant *content;

  g_variant_iter_init (&iter, shown);
  while (g_variant_iter_next (&iter, "(u&suu&s&s(dddd)x@a{sv})", &number, &id, &section, &item, &kind, &reuse, &frame.x, &frame.y, &frame.width,
                              &frame.height, &frame.z, &content))
    {
      ListdSlot *slot = g_hash_table_lookup (self->by_number, GUINT_TO_POINTER (number));

      if (seen != NULL)
        g_hash_table_add (seen, GUINT_TO_POINTER (number));
      if (slot != NULL && seen != NULL && g_strcmp0 (listd_slot_get_item (slot)->id, id) == 0
          && g_strcmp0 (listd_slot_get_item (slot)->reuse_identifier, reuse) == 0 && g_strcmp0 (listd_slot_get_kind (slot), kind) == 0)
        {
          /* The whole picture tells nothing new of most slots. */
          ListdItem *old = listd_slot_get_item (slot);
          gboolean bound = listd_item_fill (old, id, item, reuse, content);

          if (listd_slot_place (slot, section, item, &frame))
            g_signal_emit (self, signals[SLOT_PLACED], 0, slot);
          if (bound)
            {
              listd_item_emit_changed (old);
              g_signal_emit (self, signals[SLOT_BOUND], 0, slot);
            }
        }
      else
        {
          g_autoptr (ListdItem) fresh = listd_item_new (NULL, LISTD_NO_POSITION);

          if (slot != NULL)
            release (self, number);
          slot = listd_slot_new (number);
          listd_item_fill (fresh, id, item, reuse, content);
          fresh->loaded = TRUE;
          listd_slot_show (slot, fresh, kind);
          listd_slot_place (slot, section, item, &frame);
          g_hash_table_insert (self->by_number, GUINT_TO_POINTER (number), slot);
          g_list_store_append (self->slots, slot);
          g_signal_emit (self, signals[SLOT_SHOWN], 0, slot);
        }
      g_variant_unref (content);
    }
}

static void
finish_picture (ListdView *self, guint64 sequence, guint64 revision, double width, double height, double x, double y)
{
  g_object_freeze_notify (G_OBJECT (self));
#define UPDATE(field, value, property)                                                                                                             \
  if (self->field != (value))                                                                                                                      \
    {                                                                                                                                              \
      self->field = (value);                                                                                                                       \
      g_object_notify_by_pspec (G_OBJECT (self), properties[property]);                                                                            \
    }
  UPDATE (width, width, PROP_CONTENT_WIDTH)
  UPDATE (height, height, PROP_CONTENT_HEIGHT)
  UPDATE (x, x, PROP_OFFSET_X)
  UPDATE (y, y, PROP_OFFSET_Y)
  UPDATE (revision, revision, PROP_REVISION)
  g_object_thaw_notify (G_OBJECT (self));
  self->taken = sequence;
  g_signal_emit (self, signals[PICTURE], 0);
}

static void
take_picture (ListdView *self, GVariant *picture)
{
  guint64 sequence, revision;
  double width, height, x, y;
  g_autoptr (GVariant) released = NULL;
  g_autoptr (GVariant) shown = NULL;
  g_autoptr (GVariant) placed = NULL;
  g_autoptr (GVariant) rebound = NULL;
  GVariantIter iter;
  guint number, section, item;
  ListdFrame frame;
  GVariant *content;

  g_variant_get (picture, "(tt(dd)(dd)@au@" SLOTS "@a(uuu(dddd)x)@a(ua{sv})@a{sv})", &sequence, &revision, &width, &height, &x, &y, &released,
                 &shown, &placed, &rebound, NULL);
  g_variant_iter_init (&iter, released);
  while (g_variant_iter_next (&iter, "u", &number))
    release (self, number);
  g_variant_iter_init (&iter, placed);
  while (g_variant_iter_next (&iter, "(uuu(dddd)x)", &number, &section, &item, &frame.x, &frame.y, &frame.width, &frame.height, &frame.z))
    {
      ListdSlot *slot = g_hash_table_lookup (self->by_number, GUINT_TO_POINTER (number));
      if (slot != NULL && listd_slot_place (slot, section, item, &frame))
        g_signal_emit (self, signals[SLOT_PLACED], 0, slot);
    }
  show (self, shown, NULL);
  g_variant_iter_init (&iter, rebound);
  while (g_variant_iter_next (&iter, "(u@a{sv})", &number, &content))
    {
      ListdSlot *slot = g_hash_table_lookup (self->by_number, GUINT_TO_POINTER (number));
      if (slot != NULL)
        {
          ListdItem *bound = listd_slot_get_item (slot);
          g_autofree char *id = g_strdup (bound->id);
          g_autofree char *reuse = g_strdup (bound->reuse_identifier);

          if (listd_item_fill (bound, id, bound->number, reuse, content))
            {
              listd_item_emit_changed (bound);
              g_signal_emit (self, signals[SLOT_BOUND], 0, slot);
            }
        }
      g_variant_unref (content);
    }
  finish_picture (self, sequence, revision, width, height, x, y);
}

static void reopen_later (ListdView *self);

static void
on_resync (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdView *self = object;
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GVariant) shown = NULL;
  g_autoptr (GList) numbers = NULL;
  guint64 sequence, revision;
  double width, height, x, y;

  if (GPOINTER_TO_UINT (data) != self->serial)
    return;
  if (error != NULL)
    {
      stop (self);
      reopen_later (self);
      return;
    }
  g_variant_get (reply, "(tt(dd)(dd)@" SLOTS "@a{sv})", &sequence, &revision, &width, &height, &x, &y, &shown, NULL);
  self->lost_picture = FALSE;
  self->sequence = self->acknowledged = sequence;
  show (self, shown, seen);
  numbers = g_hash_table_get_keys (self->by_number);
  for (GList *link = numbers; link != NULL; link = link->next)
    if (!g_hash_table_contains (seen, link->data))
      release (self, GPOINTER_TO_UINT (link->data));
  finish_picture (self, sequence, revision, width, height, x, y);
}

static void
ask_resync (ListdView *self)
{
  if (self->lost_picture)
    return;
  self->lost_picture = TRUE;
  listd_client_ask (self->client, &self->queue, self->view, "View", "Resync", NULL, "(tt(dd)(dd)" SLOTS "a{sv})", on_resync,
                    GUINT_TO_POINTER (self->serial), NULL);
}

typedef struct
{
  guint serial;
  char *member;
  GVariant *parameters;
} ViewSignal;

static void
view_signal_free (gpointer data)
{
  ViewSignal *signal = data;
  g_free (signal->member);
  g_variant_unref (signal->parameters);
  g_free (signal);
}

static void
handle_signal (gpointer object, gpointer data)
{
  ListdView *self = object;
  ViewSignal *signal = data;
  guint64 sequence;

  if (signal->serial != self->serial || self->view == NULL)
    return;
  if (g_str_equal (signal->member, "Closed"))
    {
      const char *reason;

      g_variant_get (signal->parameters, "(&s)", &reason);
      g_clear_pointer (&self->view, g_free);
      stop (self);
      if (g_str_equal (reason, "adapter-removed"))
        {
          g_autoptr (GList) numbers = g_hash_table_get_keys (self->by_number);
          g_autoptr (GError) error = g_error_new (LISTD_ERROR, LISTD_ERROR_NO_SUCH_ADAPTER, "there is no list \"%.64s\" any more", self->name);

          for (GList *link = numbers; link != NULL; link = link->next)
            release (self, GPOINTER_TO_UINT (link->data));
          finish_picture (self, 0, 0, 0, 0, 0, 0);
          set_state (self, LISTD_VIEW_STATE_FAILED, error);
        }
      else if (!g_str_equal (reason, "shutting-down"))
        reopen_later (self);
    }
  else if (g_str_equal (signal->member, "Stalled"))
    {
      /* The program has not drawn what it got: it acknowledges when it has. If it has, the credit was bytes. */
      if (self->acknowledged < self->taken)
        return;
      listd_client_tell (self->client, self->view, "View", "Ack", g_variant_new ("(t)", self->taken));
    }
  else if (!self->lost_picture)
    {
      g_variant_get_child (signal->parameters, 0, "t", &sequence);
      if (sequence != self->sequence + 1)
        ask_resync (self);
      else
        {
          self->sequence = sequence;
          take_picture (self, signal->parameters);
        }
    }
}

static void
on_signal (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member, GVariant *parameters,
           gpointer object)
{
  ListdView *self = object;
  const char *type = g_str_equal (member, "Closed")    ? "(s)"
                     : g_str_equal (member, "Stalled") ? "(tt)"
                                                       : "(tt(dd)(dd)au" SLOTS "a(uuu(dddd)x)a(ua{sv})a{sv})";
  ViewSignal *signal;

  if (g_strcmp0 (path, self->view) != 0 || !g_variant_is_of_type (parameters, G_VARIANT_TYPE (type)))
    return;
  signal = g_new (ViewSignal, 1);
  *signal = (ViewSignal){ self->serial, g_strdup (member), g_variant_ref (parameters) };
  listd_queue_post (&self->queue, handle_signal, signal, view_signal_free);
}

/* What is sent: once a turn of the main loop */

static void send_soon (ListdView *self);

static void
on_viewport (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdView *self = object;

  if (GPOINTER_TO_UINT (data) != self->serial)
    return;
  self->asking = FALSE;
  if (error != NULL)
    g_debug ("%s: %s", self->name, error->message);
  if (self->viewport_changed)
    send_soon (self);
}

static void
send (gpointer object, gpointer data)
{
  ListdView *self = object;

  if (self->view == NULL)
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
      listd_client_tell (self->client, self->view, "View", "ReportSizes", g_variant_new ("(a(sudd))", &sizes));
    }
  /* One at a time, and always the newest. */
  if (self->viewport_changed && !self->asking)
    {
      self->viewport_changed = FALSE;
      self->asking = TRUE;
      listd_client_ask (self->client, &self->queue, self->view, "View", "SetViewport",
                        g_variant_new ("(tdddd)", self->taken, self->viewport[0], self->viewport[1], self->viewport[2], self->viewport[3]),
                        "(t)", on_viewport, GUINT_TO_POINTER (self->serial), NULL);
    }
}

static gboolean
on_soon (gpointer data)
{
  g_autoptr (ListdView) self = g_weak_ref_get (data);

  if (self != NULL)
    {
      g_clear_pointer (&self->soon, g_source_unref);
      listd_queue_post (&self->queue, send, NULL, NULL);
    }
  return G_SOURCE_REMOVE;
}

static void
weak_ref_free (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

static void
send_soon (ListdView *self)
{
  GWeakRef *reference;
  GSource *source;

  if (self->soon != NULL || self->view == NULL)
    return;
  reference = g_new (GWeakRef, 1);
  g_weak_ref_init (reference, self);
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  self->soon = listd_client_attach (self->client, source, on_soon, reference, weak_ref_free);
}

/* Opening */

static gboolean
on_retry (gpointer data)
{
  ListdView *self = data;

  g_clear_pointer (&self->retry, g_source_unref);
  listd_queue_post (&self->queue, open_view, NULL, NULL);
  return G_SOURCE_REMOVE;
}

static void
reopen_later (ListdView *self)
{
  if (self->retry != NULL || self->state == LISTD_VIEW_STATE_CLOSED)
    return;
  self->retry = listd_client_attach (self->client, g_timeout_source_new (self->wait), on_retry, self, NULL);
  self->wait = CLAMP (self->wait * 2, 25, 10000);
}

static void
on_opened (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  static const char *const members[] = { "Changed", "Stalled", "Closed" };
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
  self->view = g_strdup (view);
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    self->subscriptions[i] = listd_client_subscribe (self->client, "View", members[i], view, TRUE, on_signal, self);
  /* The numbers of its slots are those of another view. */
  {
    g_autoptr (GList) numbers = g_hash_table_get_keys (self->by_number);
    for (GList *link = numbers; link != NULL; link = link->next)
      release (self, GPOINTER_TO_UINT (link->data));
  }
  set_state (self, LISTD_VIEW_STATE_ACTIVE, NULL);
  self->viewport_changed = self->has_viewport;
  send_soon (self);
}

static void
open_view (gpointer object, gpointer data)
{
  ListdView *self = object;

  if (!listd_client_is_up (self->client) || self->view != NULL || self->state == LISTD_VIEW_STATE_CLOSED)
    return;
  stop (self);
  self->appeared = FALSE;
  set_state (self, LISTD_VIEW_STATE_OPENING, NULL);
  if (self->state == LISTD_VIEW_STATE_OPENING && listd_client_is_up (self->client))
    listd_client_ask (self->client, &self->queue, self->path, "Adapter", "OpenView", g_variant_new ("(@a{sv})", self->options), "(ostuua{sv})",
                      on_opened, GUINT_TO_POINTER (self->serial), NULL);
}

static void
handle_up (gpointer object, gpointer data)
{
  ListdView *self = object;
  self->wait = 0;
  open_view (self, NULL);
}

static void
handle_down (gpointer object, gpointer data)
{
  ListdView *self = object;

  stop (self);
  if (self->state != LISTD_VIEW_STATE_CLOSED)
    set_state (self, LISTD_VIEW_STATE_OFFLINE, NULL);
}

static void
handle_appeared (gpointer object, gpointer data)
{
  ListdView *self = object;

  self->appeared = TRUE;
  if (self->state == LISTD_VIEW_STATE_FAILED)
    open_view (self, NULL);
}

static void
on_up (gpointer object)
{
  listd_queue_post (&LISTD_VIEW (object)->queue, handle_up, NULL, NULL);
}

static void
on_down (gpointer object)
{
  listd_queue_post (&LISTD_VIEW (object)->queue, handle_down, NULL, NULL);
}

static void
on_appeared (gpointer object, const char *path, GVariant *interfaces)
{
  ListdView *self = object;

  if (g_strcmp0 (path, self->path) == 0)
    listd_queue_post (&self->queue, handle_appeared, NULL, NULL);
}

static const ListdMemberFuncs member_funcs = { on_up, on_down, on_appeared, NULL };

/* GObject */

static void
listd_view_constructed (GObject *object)
{
  ListdView *self = LISTD_VIEW (object);

  G_OBJECT_CLASS (listd_view_parent_class)->constructed (object);
  self->path = listd_path_of_list (self->name != NULL ? self->name : "");
  if (self->options == NULL)
    self->options = g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0));
  listd_client_add_member (self->client, self, &member_funcs);
}

static void
listd_view_dispose (GObject *object)
{
  ListdView *self = LISTD_VIEW (object);

  if (self->client != NULL)
    {
      listd_client_remove_member (self->client, self);
      self->queue.busy = TRUE;
      listd_queue_clear (&self->queue);
      stop (self);
      if (self->soon != NULL)
        {
          g_source_destroy (self->soon);
          g_clear_pointer (&self->soon, g_source_unref);
        }
    }
  G_OBJECT_CLASS (listd_view_parent_class)->dispose (object);
}

static void
listd_view_finalize (GObject *object)
{
  ListdView *self = LISTD_VIEW (object);

  g_clear_object (&self->client);
  g_clear_error (&self->error);
  g_clear_pointer (&self->options, g_variant_unref);
  g_object_unref (self->slots);
  g_hash_table_unref (self->by_number);
  g_hash_table_unref (self->sizes);
  listd_queue_clear (&self->queue);
  g_free (self->name);
  g_free (self->path);
  G_OBJECT_CLASS (listd_view_parent_class)->finalize (object);
}

static void
listd_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ListdView *self = LISTD_VIEW (object);

  switch (id)
    {
    case PROP_CLIENT:
      g_value_set_object (value, self->client);
      break;
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_OPTIONS:
      g_value_set_variant (value, self->options);
      break;
    case PROP_STATE:
      g_value_set_enum (value, self->state);
      break;
    case PROP_ERROR:
      g_value_set_boxed (value, self->error);
      break;
    case PROP_CONTENT_WIDTH:
      g_value_set_double (value, self->width);
      break;
    case PROP_CONTENT_HEIGHT:
      g_value_set_double (value, self->height);
      break;
    case PROP_OFFSET_X:
      g_value_set_double (value, self->x);
      break;
    case PROP_OFFSET_Y:
      g_value_set_double (value, self->y);
      break;
    case PROP_REVISION:
      g_value_set_uint64 (value, self->revision);
      break;
    case PROP_SLOTS:
      g_value_set_object (value, self->slots);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ListdView *self = LISTD_VIEW (object);

  switch (id)
    {
    case PROP_CLIENT:
      self->client = g_value_dup_object (value);
      break;
    case PROP_NAME:
      self->name = g_value_dup_string (value);
      break;
    case PROP_OPTIONS:
      self->options = g_value_dup_variant (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_view_class_init (ListdViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags made = G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->constructed = listd_view_constructed;
  object_class->dispose = listd_view_dispose;
  object_class->finalize = listd_view_finalize;
  object_class->get_property = listd_view_get_property;
  object_class->set_property = listd_view_set_property;

  /**
   * ListdView:client:
   *
   * The client that the view was made with.
   */
  properties[PROP_CLIENT] = g_param_spec_object ("client", NULL, NULL, LISTD_TYPE_CLIENT, made);
  /**
   * ListdView:name: (getter get_name)
   *
   * The name of the list.
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, made);
  /**
   * ListdView:options:
   *
   * The options of the view, a dictionary `a{sv}`: `layout`, `window`, `buffer`, `fields` and others of org.listd.Listd1(5).
   */
  properties[PROP_OPTIONS] = g_param_spec_variant ("options", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, made);
  /**
   * ListdView:state: (getter get_state)
   *
   * What the view is doing.
   */
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, LISTD_TYPE_VIEW_STATE, LISTD_VIEW_STATE_OFFLINE, read);
  /**
   * ListdView:error: (getter get_error)
   *
   * Why the view failed.
   */
  properties[PROP_ERROR] = g_param_spec_boxed ("error", NULL, NULL, G_TYPE_ERROR, read);
  /**
   * ListdView:content-width: (getter get_content_width)
   *
   * The width of the whole list.
   */
  properties[PROP_CONTENT_WIDTH] = g_param_spec_double ("content-width", NULL, NULL, 0, G_MAXDOUBLE, 0, read);
  /**
   * ListdView:content-height: (getter get_content_height)
   *
   * The height of the whole list.
   */
  properties[PROP_CONTENT_HEIGHT] = g_param_spec_double ("content-height", NULL, NULL, 0, G_MAXDOUBLE, 0, read);
  /**
   * ListdView:offset-x: (getter get_offset_x)
   *
   * Where the viewport is in the content, after what happened to the list.
   */
  properties[PROP_OFFSET_X] = g_param_spec_double ("offset-x", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0, read);
  /**
   * ListdView:offset-y: (getter get_offset_y)
   *
   * Where the viewport is in the content, after what happened to the list.
   */
  properties[PROP_OFFSET_Y] = g_param_spec_double ("offset-y", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0, read);
  /**
   * ListdView:revision: (getter get_revision)
   *
   * The revision of the list that the picture shows.
   */
  properties[PROP_REVISION] = g_param_spec_uint64 ("revision", NULL, NULL, 0, G_MAXUINT64, 0, read);
  /**
   * ListdView:slots: (getter get_slots)
   *
   * The slots that show something.
   */
  properties[PROP_SLOTS] = g_param_spec_object ("slots", NULL, NULL, G_TYPE_LIST_MODEL, read);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  /**
   * ListdView::slot-shown:
   * @self: the view
   * @slot: a slot
   *
   * A slot shows something now.
   */
  signals[SLOT_SHOWN] = g_signal_new ("slot-shown", LISTD_TYPE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, LISTD_TYPE_SLOT);
  /**
   * ListdView::slot-released:
   * @self: the view
   * @slot: a slot
   *
   * A slot shows nothing now.
   */
  signals[SLOT_RELEASED]
      = g_signal_new ("slot-released", LISTD_TYPE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, LISTD_TYPE_SLOT);
  /**
   * ListdView::slot-placed:
   * @self: the view
   * @slot: a slot
   *
   * A slot is in another place now.
   */
  signals[SLOT_PLACED]
      = g_signal_new ("slot-placed", LISTD_TYPE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, LISTD_TYPE_SLOT);
  /**
   * ListdView::slot-bound:
   * @self: the view
   * @slot: a slot
   *
   * What a slot shows has another content now.
   */
  signals[SLOT_BOUND] = g_signal_new ("slot-bound", LISTD_TYPE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, LISTD_TYPE_SLOT);
  /**
   * ListdView::picture:
   * @self: the view
   *
   * The slots are those of one moment: it is time to draw.
   */
  signals[PICTURE] = g_signal_new ("picture", LISTD_TYPE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
listd_view_init (ListdView *self)
{
  listd_queue_init (&self->queue, self);
  self->slots = g_list_store_new (LISTD_TYPE_SLOT);
  self->by_number = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  self->sizes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_variant_unref);
}

/**
 * listd_view_new:
 * @client: a client
 * @name: the name of a list
 * @options: (nullable): options of the view, a dictionary `a{sv}`; a floating reference is taken
 *
 * Makes a view of a list. It shows nothing until it has a viewport.
 *
 * Returns: (transfer full): a new view
 */
ListdView *
listd_view_new (ListdClient *client, const char *name, GVariant *options)
{
  g_return_val_if_fail (LISTD_IS_CLIENT (client), NULL);
  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (options == NULL || g_variant_is_of_type (options, G_VARIANT_TYPE_VARDICT), NULL);
  return g_object_new (LISTD_TYPE_VIEW, "client", client, "name", name, "options", options, NULL);
}

#define GETTER(type, name, field, fallback)                                                                                                        \
  type listd_view_get_##name (ListdView *self)                                                                                                     \
  {                                                                                                                                                \
    g_return_val_if_fail (LISTD_IS_VIEW (self), fallback);                                                                                         \
    return field;                                                                                                                                  \
  }

/**
 * listd_view_get_name: (get-property name)
 * @self: a view
 *
 * The name of the list.
 *
 * Returns: the name
 */
GETTER (const char *, name, self->name, NULL)
/**
 * listd_view_get_state: (get-property state)
 * @self: a view
 *
 * What the view is doing.
 *
 * Returns: the state
 */
GETTER (ListdViewState, state, self->state, LISTD_VIEW_STATE_OFFLINE)
/**
 * listd_view_get_error: (get-property error)
 * @self: a view
 *
 * Why the view failed.
 *
 * Returns: (transfer none) (nullable): the error
 */
GETTER (const GError *, error, self->error, NULL)
/**
 * listd_view_get_content_width: (get-property content-width)
 * @self: a view
 *
 * The width of the whole list.
 *
 * Returns: the width
 */
GETTER (double, content_width, self->width, 0)
/**
 * listd_view_get_content_height: (get-property content-height)
 * @self: a view
 *
 * The height of the whole list.
 *
 * Returns: the height
 */
GETTER (double, content_height, self->height, 0)
/**
 * listd_view_get_offset_x: (get-property offset-x)
 * @self: a view
 *
 * Where the viewport is in the content.
 *
 * Returns: the coordinate
 */
GETTER (double, offset_x, self->x, 0)
/**
 * listd_view_get_offset_y: (get-property offset-y)
 * @self: a view
 *
 * Where the viewport is in the content.
 *
 * Returns: the coordinate
 */
GETTER (double, offset_y, self->y, 0)
/**
 * listd_view_get_revision: (get-property revision)
 * @self: a view
 *
 * The revision of the list that the picture shows.
 *
 * Returns: the revision
 */
GETTER (guint64, revision, self->revision, 0)
/**
 * listd_view_get_slots: (get-property slots)
 * @self: a view
 *
 * The slots that show something.
 *
 * Returns: (transfer none): a model of [class@ListdSlot]
 */
GETTER (GListModel *, slots, G_LIST_MODEL (self->slots), NULL)

/**
 * listd_view_set_viewport:
 * @self: a view
 * @x: its left edge, in the content
 * @y: its upper edge, in the content
 * @width: its width
 * @height: its height
 *
 * Says what of the content is visible. It is sent once in a turn of the main loop.
 */
void
listd_view_set_viewport (ListdView *self, double x, double y, double width, double height)
{
  g_return_if_fail (LISTD_IS_VIEW (self));
  g_return_if_fail (isfinite (x) && isfinite (y) && isfinite (width) && isfinite (height) && width >= 0 && height >= 0);
  self->viewport[0] = x;
  self->viewport[1] = y;
  self->viewport[2] = width;
  self->viewport[3] = height;
  self->has_viewport = self->viewport_changed = TRUE;
  send_soon (self);
}

/**
 * listd_view_set_on_screen:
 * @self: a view
 * @on_screen: whether anybody can see it
 *
 * Says whether the view is on the screen at all. listd may save work for one that is not.
 */
void
listd_view_set_on_screen (ListdView *self, gboolean on_screen)
{
  g_return_if_fail (LISTD_IS_VIEW (self));
  if (self->view != NULL)
    listd_client_tell (self->client, self->view, "View", "SetOnScreen", g_variant_new ("(b)", on_screen));
}

/**
 * listd_view_acknowledge:
 * @self: a view
 *
 * Says that the last picture was drawn.
 */
void
listd_view_acknowledge (ListdView *self)
{
  g_return_if_fail (LISTD_IS_VIEW (self));
  if (self->view == NULL || self->acknowledged >= self->taken)
    return;
  self->acknowledged = self->taken;
  listd_client_tell (self->client, self->view, "View", "Ack", g_variant_new ("(t)", self->taken));
}

/**
 * listd_view_report_size:
 * @self: a view
 * @slot: a slot of it
 * @width: the width that its item needs
 * @height: the height that its item needs
 *
 * Says how large an item is, when the program knows better than the list. It is sent once in a turn of the main loop.
 */
void
listd_view_report_size (ListdView *self, ListdSlot *slot, double width, double height)
{
  ListdItem *item;

  g_return_if_fail (LISTD_IS_VIEW (self));
  g_return_if_fail (LISTD_IS_SLOT (slot));
  g_return_if_fail (isfinite (width) && isfinite (height) && width >= 0 && height >= 0);
  item = listd_slot_get_item (slot);
  g_hash_table_replace (self->sizes, g_strdup_printf ("%u %s", item->number, item->id),
                        g_variant_ref_sink (g_variant_new ("(sudd)", item->id, item->number, width, height)));
  send_soon (self);
}

/**
 * listd_view_close:
 * @self: a view
 *
 * Ends the view. Its slots stay as they are.
 */
void
listd_view_close (ListdView *self)
{
  g_return_if_fail (LISTD_IS_VIEW (self));
  stop (self);
  set_state (self, LISTD_VIEW_STATE_CLOSED, NULL);
}

static gboolean
require_view (ListdView *self, GTask *task)
{
  if (self->view != NULL)
    return TRUE;
  if (self->error != NULL)
    g_task_return_error (task, g_error_copy (self->error));
  else
    g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_OFFLINE, "the view of \"%.64s\" is not open", self->name);
  g_object_unref (task);
  return FALSE;
}

/**
 * listd_view_scroll_to_async:
 * @self: a view
 * @id: the id of an object
 * @item: one of its items
 * @position: where it comes to lie
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when the picture is there
 * @user_data: data for the callback
 *
 * Scrolls to an item, wherever it is in the list.
 */
void
listd_view_scroll_to_async (ListdView *self, const char *id, guint item, ListdScrollPosition position, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (LISTD_IS_VIEW (self));
  g_return_if_fail (id != NULL);
  g_return_if_fail ((guint) position < G_N_ELEMENTS (scroll_positions) - 1);
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_view_scroll_to_async);
  if (require_view (self, task))
    listd_client_call (self->client, self->view, "View", "ScrollTo", g_variant_new ("(sus)", id, item, scroll_positions[position].value_nick),
                       "((dd)t)", NULL, task);
}

/**
 * listd_view_scroll_to_finish:
 * @self: a view
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_view_scroll_to_async().
 *
 * Returns: whether the view scrolled there
 */
gboolean
listd_view_scroll_to_finish (ListdView *self, GAsyncResult *result, GError **error)
{
  g_autoptr (GVariant) reply = NULL;

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  reply = g_task_propagate_pointer (G_TASK (result), error);
  return reply != NULL;
}

/**
 * listd_view_move_item_async:
 * @self: a view
 * @from_section: the section of an item
 * @from_item: its number in there
 * @to_section: the section that it shall have after the move
 * @to_item: the number that it shall have after the move
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when it is moved
 * @user_data: data for the callback
 *
 * Moves an item, as somebody does who drags it. The section controller may refuse.
 */
void
listd_view_move_item_async (ListdView *self, guint from_section, guint from_item, guint to_section, guint to_item, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (LISTD_IS_VIEW (self));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_view_move_item_async);
  if (require_view (self, task))
    listd_client_call (self->client, self->view, "View", "MoveItem", g_variant_new ("(uuuu)", from_section, from_item, to_section, to_item),
                       "(bt)", NULL, task);
}

/**
 * listd_view_move_item_finish:
 * @self: a view
 * @result: the result
 * @revision: (out) (optional): the revision that has the move
 * @error: a location for an error
 *
 * Ends listd_view_move_item_async().
 *
 * Returns: whether the item was moved; %FALSE without an error when the section controller refused
 */
gboolean
listd_view_move_item_finish (ListdView *self, GAsyncResult *result, guint64 *revision, GError **error)
{
  g_autoptr (GVariant) reply = NULL;
  gboolean moved;
  guint64 reached;

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  reply = g_task_propagate_pointer (G_TASK (result), error);
  if (reply == NULL)
    return FALSE;
  g_variant_get (reply, "(bt)", &moved, &reached);
  if (revision != NULL)
    *revision = reached;
  return moved;
}

/**
 * listd_view_invoke_async:
 * @self: a view
 * @slot: a slot of it
 * @action: the name of an action
 * @parameters: (nullable): a dictionary `a{sv}`; a floating reference is taken
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call when the action was handled
 * @user_data: data for the callback
 *
 * Does what an action of an item means.
 */
void
listd_view_invoke_async (ListdView *self, ListdSlot *slot, const char *action, GVariant *parameters, GCancellable *cancellable,
                         GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GVariant) call = NULL;
  ListdItem *item;
  GTask *task;

  g_return_if_fail (LISTD_IS_VIEW (self));
  g_return_if_fail (LISTD_IS_SLOT (slot));
  g_return_if_fail (action != NULL);
  g_return_if_fail (parameters == NULL || g_variant_is_of_type (parameters, G_VARIANT_TYPE_VARDICT));
  item = listd_slot_get_item (slot);
  if (parameters == NULL)
    parameters = g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0);
  call = g_variant_ref_sink (g_variant_new ("(sus@a{sv})", item->id, item->number, action, parameters));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_view_invoke_async);
  if (require_view (self, task))
    listd_client_call (self->client, self->view, "View", "Invoke", call, "(b)", NULL, task);
}

/**
 * listd_view_invoke_finish:
 * @self: a view
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_view_invoke_async().
 *
 * Returns: whether somebody handled the action
 */
gboolean
listd_view_invoke_finish (ListdView *self, GAsyncResult *result, GError **error)
{
  g_autoptr (GVariant) reply = NULL;
  gboolean handled;

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  reply = g_task_propagate_pointer (G_TASK (result), error);
  if (reply == NULL)
    return FALSE;
  g_variant_get (reply, "(b)", &handled);
  return handled;
}

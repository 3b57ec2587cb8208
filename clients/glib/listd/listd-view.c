// SPDX-License-Identifier: Apache-2.0
#include "listd-view-private.h"

#include "listd-pictures.h"
#include "listd-screen.h"

#include <math.h>

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
  ListdPictures *pictures;
  ListdScreen *screen;
  ListdPictureHead head; /* of the last picture that the slots show */
  gboolean has_viewport, viewport_changed, asking;
  double viewport[4];
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

G_DEFINE_ENUM_TYPE (ListdViewState, listd_view_state,
                    G_DEFINE_ENUM_VALUE (LISTD_VIEW_STATE_OFFLINE, "offline"),
                    G_DEFINE_ENUM_VALUE (LISTD_VIEW_STATE_OPENING, "opening"),
                    G_DEFINE_ENUM_VALUE (LISTD_VIEW_STATE_ACTIVE, "active"),
                    G_DEFINE_ENUM_VALUE (LISTD_VIEW_STATE_FAILED, "failed"),
                    G_DEFINE_ENUM_VALUE (LISTD_VIEW_STATE_CLOSED, "closed"))

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

static void
stop (ListdView *self)
{
  self->serial++;
  listd_pictures_close (self->pictures);
  listd_queue_cancel (&self->retry);
  self->head.sequence = 0;
  self->asking = FALSE;
  g_hash_table_remove_all (self->sizes);
}

/* Pictures */

static void
tell_slot (gpointer view, ListdSlotEvent event, ListdSlot *slot)
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
  finish_picture (self, &head);
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
      g_autoptr (GError) error = g_error_new (LISTD_ERROR, LISTD_ERROR_NO_SUCH_ADAPTER, "there is no list \"%.64s\" any more", self->name);

      listd_screen_clear (self->screen);
      finish_picture (self, &nothing);
      set_state (self, LISTD_VIEW_STATE_FAILED, error);
    }
  else if (!g_str_equal (reason, "shutting-down"))
    reopen_later (self);
}

static const ListdPicturesFuncs pictures_funcs = { on_picture, on_stalled, on_closed };

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

static void
send_soon (ListdView *self)
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
  send_soon (self);
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
    listd_client_ask (self->client, &self->queue, self->path, "Adapter", "OpenView", g_variant_new ("(@a{sv})", self->options), "(ostuua{sv})",
                      on_opened, GUINT_TO_POINTER (self->serial), NULL);
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

/* Its view says so itself. */
static void
on_disappeared (gpointer object, const char *path)
{
}

static const ListdMemberFuncs member_funcs = { on_up, on_down, on_appeared, on_disappeared };

/* GObject */

static void
listd_view_constructed (GObject *object)
{
  ListdView *self = LISTD_VIEW (object);

  G_OBJECT_CLASS (listd_view_parent_class)->constructed (object);
  self->path = listd_path_of_list (self->name != NULL ? self->name : "");
  if (self->options == NULL)
    self->options = g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0));
  self->pictures = listd_pictures_new (self->client, &self->queue, &pictures_funcs, self);
  listd_client_add_member (self->client, &self->queue, &member_funcs);
}

static void
listd_view_dispose (GObject *object)
{
  ListdView *self = LISTD_VIEW (object);

  if (self->client != NULL)
    {
      listd_client_remove_member (self->client, &self->queue);
      self->queue.busy = TRUE;
      listd_queue_clear (&self->queue);
      stop (self);
      listd_queue_cancel (&self->soon);
    }
  G_OBJECT_CLASS (listd_view_parent_class)->dispose (object);
}

static void
listd_view_finalize (GObject *object)
{
  ListdView *self = LISTD_VIEW (object);

  listd_pictures_free (self->pictures);
  listd_screen_free (self->screen);
  g_clear_object (&self->client);
  g_clear_error (&self->error);
  g_clear_pointer (&self->options, g_variant_unref);
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
      g_value_set_double (value, self->head.width);
      break;
    case PROP_CONTENT_HEIGHT:
      g_value_set_double (value, self->head.height);
      break;
    case PROP_OFFSET_X:
      g_value_set_double (value, self->head.x);
      break;
    case PROP_OFFSET_Y:
      g_value_set_double (value, self->head.y);
      break;
    case PROP_REVISION:
      g_value_set_uint64 (value, self->head.revision);
      break;
    case PROP_SLOTS:
      g_value_set_object (value, listd_screen_get_slots (self->screen));
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
  self->screen = listd_screen_new (self, tell_slot);
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
GETTER (double, content_width, self->head.width, 0)
/**
 * listd_view_get_content_height: (get-property content-height)
 * @self: a view
 *
 * The height of the whole list.
 *
 * Returns: the height
 */
GETTER (double, content_height, self->head.height, 0)
/**
 * listd_view_get_offset_x: (get-property offset-x)
 * @self: a view
 *
 * Where the viewport is in the content.
 *
 * Returns: the coordinate
 */
GETTER (double, offset_x, self->head.x, 0)
/**
 * listd_view_get_offset_y: (get-property offset-y)
 * @self: a view
 *
 * Where the viewport is in the content.
 *
 * Returns: the coordinate
 */
GETTER (double, offset_y, self->head.y, 0)
/**
 * listd_view_get_revision: (get-property revision)
 * @self: a view
 *
 * The revision of the list that the picture shows.
 *
 * Returns: the revision
 */
GETTER (guint64, revision, self->head.revision, 0)
/**
 * listd_view_get_slots: (get-property slots)
 * @self: a view
 *
 * The slots that show something.
 *
 * Returns: (transfer none): a model of [class@ListdSlot]
 */
GETTER (GListModel *, slots, listd_screen_get_slots (self->screen), NULL)

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
  if (listd_pictures_get_view (self->pictures) != NULL)
    listd_client_tell (self->client, listd_pictures_get_view (self->pictures), "View", "SetOnScreen", g_variant_new ("(b)", on_screen));
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
  if (listd_pictures_get_view (self->pictures) != NULL && listd_pictures_get_acknowledged (self->pictures) < self->head.sequence)
    listd_pictures_acknowledge (self->pictures, self->head.sequence);
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
    g_task_return_new_error (task, LISTD_ERROR, LISTD_ERROR_OFFLINE, "the view of \"%.64s\" is not open", self->name);
  g_object_unref (task);
}

// SPDX-License-Identifier: Apache-2.0
#include "listd-view-private.h"

#include <math.h>

/**
 * ListdView:
 *
 * A view of a list that listd lays out, for any toolkit.
 *
 * The program says what its viewport is, and hears which slots to draw and where: [signal@ListdView::slot-released],
 * [signal@ListdView::slot-shown], [signal@ListdView::slot-placed], [signal@ListdView::slot-bound], then [signal@ListdView::picture]
 * once. After it has drawn, it calls [method@ListdView.acknowledge]: a program that does not keep up gets fewer pictures, never old
 * ones.
 *
 * A program that scrolls by itself keeps its own position: it adds [property@ListdView:shift-x] and [property@ListdView:shift-y] of each
 * picture to it, and has no need of the offset. What it draws moves only by what it scrolls.
 *
 * When listd is restarted, the view opens again where it was: at its first visible item, wherever that lies then, unless the program
 * has set another viewport meanwhile. What was measured by [method@ListdView.report_size] has to be said again.
 */
GParamSpec *listd_view_properties[LISTD_VIEW_N_PROPS];
guint listd_view_signals[LISTD_VIEW_N_SIGNALS];
#define properties listd_view_properties
#define signals listd_view_signals

G_DEFINE_FINAL_TYPE (ListdView, listd_view, G_TYPE_OBJECT)

G_DEFINE_ENUM_TYPE (ListdViewState, listd_view_state,
                    G_DEFINE_ENUM_VALUE (LISTD_VIEW_STATE_OFFLINE, "offline"),
                    G_DEFINE_ENUM_VALUE (LISTD_VIEW_STATE_OPENING, "opening"),
                    G_DEFINE_ENUM_VALUE (LISTD_VIEW_STATE_ACTIVE, "active"),
                    G_DEFINE_ENUM_VALUE (LISTD_VIEW_STATE_FAILED, "failed"),
                    G_DEFINE_ENUM_VALUE (LISTD_VIEW_STATE_CLOSED, "closed"))

/* GObject */

static void
listd_view_constructed (GObject *object)
{
  ListdView *self = LISTD_VIEW (object);

  G_OBJECT_CLASS (listd_view_parent_class)->constructed (object);
  self->path = listd_path_of_list (self->name != NULL ? self->name : "");
  if (self->options == NULL)
    self->options = g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0));
  listd_view_begin_showing (self);
}

static void
listd_view_dispose (GObject *object)
{
  ListdView *self = LISTD_VIEW (object);

  if (self->client != NULL)
    {
      listd_view_end_showing (self);
    }
  G_OBJECT_CLASS (listd_view_parent_class)->dispose (object);
}

static void
listd_view_finalize (GObject *object)
{
  ListdView *self = LISTD_VIEW (object);

  listd_pictures_free (self->pictures);
  listd_screen_free (self->screen);
  listd_hints_free (self->hints);
  g_clear_object (&self->client);
  g_clear_error (&self->error);
  g_clear_pointer (&self->options, g_variant_unref);
  g_hash_table_unref (self->sizes);
  listd_queue_clear (&self->queue);
  g_free (self->place.id);
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
    case PROP_SHIFT_X:
      g_value_set_double (value, self->head.shift_x);
      break;
    case PROP_SHIFT_Y:
      g_value_set_double (value, self->head.shift_y);
      break;
    case PROP_ANIMATED:
      g_value_set_boolean (value, self->head.animated);
      break;
    case PROP_STICKY_EDGE:
      g_value_set_double (value, self->head.sticky_edge);
      break;
    case PROP_HINTS:
      g_value_set_variant (value, listd_view_get_hints (self));
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
   * The options of the view, a dictionary `a{sv}`: `layout`, `window`, `fields` and others of org.listd.Listd1(5). What lies in `buffer`
   * beyond the viewport counts as displayed; what lies in `prefetch` is only there to be drawn when somebody scrolls.
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
   * ListdView:shift-x: (getter get_shift_x)
   *
   * How far listd moved the viewport by itself since the picture before, because the list changed, or by
   * [method@ListdView.scroll_to_async].
   */
  properties[PROP_SHIFT_X] = g_param_spec_double ("shift-x", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0, read);
  /**
   * ListdView:shift-y: (getter get_shift_y)
   *
   * How far listd moved the viewport by itself since the picture before.
   */
  properties[PROP_SHIFT_Y] = g_param_spec_double ("shift-y", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0, read);
  /**
   * ListdView:animated: (getter get_animated)
   *
   * Whether what the last picture changed may be animated: whoever wrote it said so. [property@ListdSlot:cause] says what changed.
   */
  properties[PROP_ANIMATED] = g_param_spec_boolean ("animated", NULL, NULL, FALSE, read);
  /**
   * ListdView:sticky-edge: (getter get_sticky_edge)
   *
   * How far behind the edge of the viewport headers stay, for listd_slot_get_travel().
   */
  properties[PROP_STICKY_EDGE] = g_param_spec_double ("sticky-edge", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0, read);
  /**
   * ListdView:hints: (getter get_hints)
   *
   * How people want to see fields: a dictionary `a{ss}` from field to hint, which listd_item_format() obeys.
   */
  properties[PROP_HINTS] = g_param_spec_variant ("hints", NULL, NULL, G_VARIANT_TYPE ("a{ss}"), NULL, read);
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
  g_object_class_install_properties (object_class, LISTD_VIEW_N_PROPS, properties);

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
  self->screen = listd_screen_new (self, listd_view_tell_slot);
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
 * listd_view_get_shift_x: (get-property shift-x)
 * @self: a view
 *
 * How far listd moved the viewport by itself since the picture before.
 *
 * Returns: the distance
 */
GETTER (double, shift_x, self->head.shift_x, 0)
/**
 * listd_view_get_shift_y: (get-property shift-y)
 * @self: a view
 *
 * How far listd moved the viewport by itself since the picture before.
 *
 * Returns: the distance
 */
GETTER (double, shift_y, self->head.shift_y, 0)
/**
 * listd_view_get_animated: (get-property animated)
 * @self: a view
 *
 * Whether what the last picture changed may be animated.
 *
 * Returns: whether it may
 */
GETTER (gboolean, animated, self->head.animated, FALSE)
/**
 * listd_view_get_sticky_edge: (get-property sticky-edge)
 * @self: a view
 *
 * How far behind the edge of the viewport headers stay.
 *
 * Returns: the distance
 */
GETTER (double, sticky_edge, self->head.sticky_edge, 0)
/**
 * listd_view_get_hints: (get-property hints)
 * @self: a view
 *
 * How people want to see fields.
 *
 * Returns: (transfer none) (nullable): a dictionary `a{ss}` from field to hint
 */
GETTER (GVariant *, hints, listd_hints_get (self->hints), NULL)
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
  /* The program goes elsewhere than where the view was. */
  if (x != self->viewport[0] || y != self->viewport[1])
    g_clear_pointer (&self->place.id, g_free);
  self->viewport[0] = x;
  self->viewport[1] = y;
  self->viewport[2] = width;
  self->viewport[3] = height;
  self->has_viewport = self->viewport_changed = TRUE;
  listd_view_send_soon (self);
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
  listd_view_send_soon (self);
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
  listd_view_stop_showing (self);
}

// SPDX-License-Identifier: Apache-2.0
#include "listd-slot.h"

#include <string.h>

/**
 * ListdSlot:
 *
 * A place of a view in which one item, header or footer is drawn.
 *
 * A slot that is released is used again for another item of the same reuse identifier. A program that keeps a widget for each slot
 * needs no more widgets than were ever shown at once.
 */
struct _ListdSlot
{
  GObject parent_instance;

  guint number;
  ListdItem *item;
  guint section;
  char *kind;
  ListdFrame frame;
  ListdSlotCause cause;
  gboolean sticky;
  double first, last;
};

enum
{
  PROP_0,
  PROP_NUMBER,
  PROP_ITEM,
  PROP_SECTION,
  PROP_KIND,
  PROP_X,
  PROP_Y,
  PROP_WIDTH,
  PROP_HEIGHT,
  PROP_Z,
  PROP_CAUSE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (ListdSlot, listd_slot, G_TYPE_OBJECT)

G_DEFINE_ENUM_TYPE (ListdSlotCause, listd_slot_cause,
                    G_DEFINE_ENUM_VALUE (LISTD_SLOT_CAUSE_SCROLLED, "scrolled"),
                    G_DEFINE_ENUM_VALUE (LISTD_SLOT_CAUSE_INSERTED, "inserted"),
                    G_DEFINE_ENUM_VALUE (LISTD_SLOT_CAUSE_DELETED, "deleted"),
                    G_DEFINE_ENUM_VALUE (LISTD_SLOT_CAUSE_MOVED, "moved"),
                    G_DEFINE_ENUM_VALUE (LISTD_SLOT_CAUSE_RELOADED, "reloaded"))

static void
listd_slot_finalize (GObject *object)
{
  ListdSlot *self = LISTD_SLOT (object);

  g_clear_object (&self->item);
  g_free (self->kind);
  G_OBJECT_CLASS (listd_slot_parent_class)->finalize (object);
}

static void
listd_slot_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ListdSlot *self = LISTD_SLOT (object);

  switch (id)
    {
    case PROP_NUMBER:
      g_value_set_uint (value, self->number);
      break;
    case PROP_ITEM:
      g_value_set_object (value, self->item);
      break;
    case PROP_SECTION:
      g_value_set_uint (value, self->section);
      break;
    case PROP_KIND:
      g_value_set_string (value, self->kind);
      break;
    case PROP_X:
      g_value_set_double (value, self->frame.x);
      break;
    case PROP_Y:
      g_value_set_double (value, self->frame.y);
      break;
    case PROP_WIDTH:
      g_value_set_double (value, self->frame.width);
      break;
    case PROP_HEIGHT:
      g_value_set_double (value, self->frame.height);
      break;
    case PROP_Z:
      g_value_set_int64 (value, self->frame.z);
      break;
    case PROP_CAUSE:
      g_value_set_enum (value, self->cause);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_slot_class_init (ListdSlotClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->finalize = listd_slot_finalize;
  object_class->get_property = listd_slot_get_property;
  /**
   * ListdSlot:number: (getter get_number)
   *
   * The number of the slot in its view.
   */
  properties[PROP_NUMBER] = g_param_spec_uint ("number", NULL, NULL, 0, G_MAXUINT, 0, flags);
  /**
   * ListdSlot:item: (getter get_item)
   *
   * What is drawn.
   */
  properties[PROP_ITEM] = g_param_spec_object ("item", NULL, NULL, LISTD_TYPE_ITEM, flags);
  /**
   * ListdSlot:section: (getter get_section)
   *
   * The number of the section.
   */
  properties[PROP_SECTION] = g_param_spec_uint ("section", NULL, NULL, 0, G_MAXUINT, 0, flags);
  /**
   * ListdSlot:kind: (getter get_kind)
   *
   * `cell`, `header` or `footer`.
   */
  properties[PROP_KIND] = g_param_spec_string ("kind", NULL, NULL, "cell", flags);
  /**
   * ListdSlot:x: (getter get_x)
   *
   * The left edge, in the content.
   */
  properties[PROP_X] = g_param_spec_double ("x", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0, flags);
  /**
   * ListdSlot:y: (getter get_y)
   *
   * The upper edge, in the content.
   */
  properties[PROP_Y] = g_param_spec_double ("y", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0, flags);
  /**
   * ListdSlot:width: (getter get_width)
   *
   * The width.
   */
  properties[PROP_WIDTH] = g_param_spec_double ("width", NULL, NULL, 0, G_MAXDOUBLE, 0, flags);
  /**
   * ListdSlot:height: (getter get_height)
   *
   * The height.
   */
  properties[PROP_HEIGHT] = g_param_spec_double ("height", NULL, NULL, 0, G_MAXDOUBLE, 0, flags);
  /**
   * ListdSlot:z: (getter get_z)
   *
   * What lies above what: the larger above the smaller.
   */
  properties[PROP_Z] = g_param_spec_int64 ("z", NULL, NULL, G_MININT64, G_MAXINT64, 0, flags);
  /**
   * ListdSlot:cause: (getter get_cause)
   *
   * Why the last picture that was about the slot showed, released or placed it.
   */
  properties[PROP_CAUSE] = g_param_spec_enum ("cause", NULL, NULL, LISTD_TYPE_SLOT_CAUSE, LISTD_SLOT_CAUSE_SCROLLED, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
listd_slot_init (ListdSlot *self)
{
}

ListdSlot *
listd_slot_new (guint number)
{
  ListdSlot *self = g_object_new (LISTD_TYPE_SLOT, NULL);
  self->number = number;
  return self;
}

void
listd_slot_show (ListdSlot *self, ListdItem *item, const char *kind)
{
  if (g_set_object (&self->item, item))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ITEM]);
  if (g_strcmp0 (self->kind, kind) != 0)
    {
      g_free (self->kind);
      self->kind = g_strdup (kind);
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_KIND]);
    }
}

gboolean
listd_slot_place (ListdSlot *self, guint section, guint item, const ListdFrame *frame)
{
  const ListdFrame before = self->frame;
  gboolean placed = memcmp (&before, frame, sizeof before) != 0;

  g_object_freeze_notify (G_OBJECT (self));
  self->frame = *frame;
#define TELL(field, property)                                                                                                                      \
  if (before.field != frame->field)                                                                                                                \
  g_object_notify_by_pspec (G_OBJECT (self), properties[property])
  TELL (x, PROP_X);
  TELL (y, PROP_Y);
  TELL (width, PROP_WIDTH);
  TELL (height, PROP_HEIGHT);
  TELL (z, PROP_Z);
  if (self->section != section)
    {
      self->section = section;
      placed = TRUE;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SECTION]);
    }
  if (self->item->number != item)
    {
      self->item->number = item;
      self->item->renumbered = placed = TRUE;
      listd_item_tell_number (self->item);
    }
  g_object_thaw_notify (G_OBJECT (self));
  return placed;
}

void
listd_slot_set_cause (ListdSlot *self, ListdSlotCause cause)
{
  if (self->cause == cause)
    return;
  self->cause = cause;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAUSE]);
}

gboolean
listd_slot_set_travel (ListdSlot *self, gboolean sticky, double first, double last)
{
  if (self->sticky == sticky && (!sticky || (self->first == first && self->last == last)))
    return FALSE;
  self->sticky = sticky;
  self->first = first;
  self->last = last;
  return TRUE;
}

/**
 * listd_slot_get_number: (get-property number)
 * @self: a slot
 *
 * The number of the slot in its view.
 *
 * Returns: the number
 */
guint
listd_slot_get_number (ListdSlot *self)
{
  g_return_val_if_fail (LISTD_IS_SLOT (self), 0);
  return self->number;
}

/**
 * listd_slot_get_item: (get-property item)
 * @self: a slot
 *
 * What is drawn.
 *
 * Returns: (transfer none): the item
 */
ListdItem *
listd_slot_get_item (ListdSlot *self)
{
  g_return_val_if_fail (LISTD_IS_SLOT (self), NULL);
  return self->item;
}

/**
 * listd_slot_get_section: (get-property section)
 * @self: a slot
 *
 * The number of the section.
 *
 * Returns: the number
 */
guint
listd_slot_get_section (ListdSlot *self)
{
  g_return_val_if_fail (LISTD_IS_SLOT (self), 0);
  return self->section;
}

/**
 * listd_slot_get_kind: (get-property kind)
 * @self: a slot
 *
 * What the slot is.
 *
 * Returns: `cell`, `header` or `footer`
 */
const char *
listd_slot_get_kind (ListdSlot *self)
{
  g_return_val_if_fail (LISTD_IS_SLOT (self), NULL);
  return self->kind;
}

/**
 * listd_slot_get_x: (get-property x)
 * @self: a slot
 *
 * The left edge, in the content.
 *
 * Returns: the coordinate
 */
double
listd_slot_get_x (ListdSlot *self)
{
  g_return_val_if_fail (LISTD_IS_SLOT (self), 0);
  return self->frame.x;
}

/**
 * listd_slot_get_y: (get-property y)
 * @self: a slot
 *
 * The upper edge, in the content.
 *
 * Returns: the coordinate
 */
double
listd_slot_get_y (ListdSlot *self)
{
  g_return_val_if_fail (LISTD_IS_SLOT (self), 0);
  return self->frame.y;
}

/**
 * listd_slot_get_width: (get-property width)
 * @self: a slot
 *
 * The width.
 *
 * Returns: the width
 */
double
listd_slot_get_width (ListdSlot *self)
{
  g_return_val_if_fail (LISTD_IS_SLOT (self), 0);
  return self->frame.width;
}

/**
 * listd_slot_get_height: (get-property height)
 * @self: a slot
 *
 * The height.
 *
 * Returns: the height
 */
double
listd_slot_get_height (ListdSlot *self)
{
  g_return_val_if_fail (LISTD_IS_SLOT (self), 0);
  return self->frame.height;
}

/**
 * listd_slot_get_z: (get-property z)
 * @self: a slot
 *
 * What lies above what.
 *
 * Returns: the larger above the smaller
 */
gint64
listd_slot_get_z (ListdSlot *self)
{
  g_return_val_if_fail (LISTD_IS_SLOT (self), 0);
  return self->frame.z;
}

/**
 * listd_slot_get_cause: (get-property cause)
 * @self: a slot
 *
 * Why the last picture that was about the slot showed, released or placed it.
 *
 * Returns: the cause
 */
ListdSlotCause
listd_slot_get_cause (ListdSlot *self)
{
  g_return_val_if_fail (LISTD_IS_SLOT (self), LISTD_SLOT_CAUSE_SCROLLED);
  return self->cause;
}

/**
 * listd_slot_get_travel:
 * @self: a slot
 * @first: (out) (optional): where it lies as long as the edge is before it
 * @last: (out) (optional): where it lies when the edge is behind
 *
 * Between which places a header travels that stays at the edge of the viewport. Along the axis that scrolls, it lies at
 * `MAX (first, MIN (edge + sticky_edge, last))`, whatever listd has heard of the viewport: `edge` is where the viewport begins, and
 * `sticky_edge` is [property@ListdView:sticky-edge].
 *
 * Returns: whether it travels at all; %FALSE: it lies where it is placed
 */
gboolean
listd_slot_get_travel (ListdSlot *self, double *first, double *last)
{
  g_return_val_if_fail (LISTD_IS_SLOT (self), FALSE);
  if (first != NULL)
    *first = self->first;
  if (last != NULL)
    *last = self->last;
  return self->sticky;
}

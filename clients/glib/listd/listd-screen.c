// SPDX-License-Identifier: Apache-2.0
#include "listd-screen.h"

#include "listd-pictures.h"

struct _ListdScreen
{
  gpointer view; /* unowned: the view that the screen is part of */
  ListdSlotFunc func;
  GListStore *slots;
  GHashTable *by_number;
};

ListdScreen *
listd_screen_new (gpointer view, ListdSlotFunc func)
{
  ListdScreen *self = g_new0 (ListdScreen, 1);

  self->view = view;
  self->func = func;
  self->slots = g_list_store_new (LISTD_TYPE_SLOT);
  self->by_number = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  return self;
}

void
listd_screen_free (ListdScreen *self)
{
  g_object_unref (self->slots);
  g_hash_table_unref (self->by_number);
  g_free (self);
}

GListModel *
listd_screen_get_slots (ListdScreen *self)
{
  return G_LIST_MODEL (self->slots);
}

ListdSlot *
listd_screen_get_first (ListdScreen *self, double x, double y, double width, double height)
{
  GHashTableIter iter;
  ListdSlot *slot, *first = NULL;

  g_hash_table_iter_init (&iter, self->by_number);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &slot))
    if (g_strcmp0 (listd_slot_get_kind (slot), "cell") == 0 && listd_slot_get_x (slot) < x + width && listd_slot_get_y (slot) < y + height
        && listd_slot_get_x (slot) + listd_slot_get_width (slot) > x && listd_slot_get_y (slot) + listd_slot_get_height (slot) > y
        && (first == NULL || listd_slot_get_section (slot) < listd_slot_get_section (first)
            || (listd_slot_get_section (slot) == listd_slot_get_section (first)
                && listd_slot_get_item (slot)->number < listd_slot_get_item (first)->number)))
      first = slot;
  return first != NULL ? g_object_ref (first) : NULL;
}

ListdSlot *
listd_screen_get_slot_of (ListdScreen *self, const char *id, guint item)
{
  GHashTableIter iter;
  ListdSlot *slot;

  g_hash_table_iter_init (&iter, self->by_number);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &slot))
    if (g_strcmp0 (listd_slot_get_kind (slot), "cell") == 0 && listd_slot_get_item (slot)->number == item
        && g_strcmp0 (listd_slot_get_item (slot)->id, id) == 0)
      return g_object_ref (slot);
  return NULL;
}

static void
release (ListdScreen *self, guint number)
{
  g_autoptr (ListdSlot) slot = NULL;
  guint position;

  if (!g_hash_table_steal_extended (self->by_number, GUINT_TO_POINTER (number), NULL, (gpointer *) &slot))
    return;
  if (g_list_store_find (self->slots, slot, &position))
    g_list_store_remove (self->slots, position);
  self->func (self->view, LISTD_SLOT_RELEASED, slot);
}

/* Releases the slots that are not in `seen`; all without it. */
static void
release_others (ListdScreen *self, GHashTable *seen)
{
  g_autoptr (GList) numbers = g_hash_table_get_keys (self->by_number);

  for (GList *link = numbers; link != NULL; link = link->next)
    if (seen == NULL || !g_hash_table_contains (seen, link->data))
      release (self, GPOINTER_TO_UINT (link->data));
}

void
listd_screen_clear (ListdScreen *self)
{
  release_others (self, NULL);
}

static void
show (ListdScreen *self, GVariant *shown, GHashTable *seen)
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
            self->func (self->view, LISTD_SLOT_PLACED, slot);
          if (bound)
            {
              listd_item_emit_changed (old);
              self->func (self->view, LISTD_SLOT_BOUND, slot);
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
          self->func (self->view, LISTD_SLOT_SHOWN, slot);
        }
      g_variant_unref (content);
    }
}

static ListdPictureHead
take_changes (ListdScreen *self, GVariant *picture)
{
  ListdPictureHead head;
  g_autoptr (GVariant) released = NULL;
  g_autoptr (GVariant) shown = NULL;
  g_autoptr (GVariant) placed = NULL;
  g_autoptr (GVariant) rebound = NULL;
  GVariantIter iter;
  guint number, section, item;
  ListdFrame frame;
  GVariant *content;

  g_variant_get (picture, "(tt(dd)(dd)@au@" LISTD_SLOTS "@a(uuu(dddd)x)@a(ua{sv})@a{sv})", &head.sequence, &head.revision, &head.width, &head.height,
                 &head.x, &head.y, &released, &shown, &placed, &rebound, NULL);
  g_variant_iter_init (&iter, released);
  while (g_variant_iter_next (&iter, "u", &number))
    release (self, number);
  g_variant_iter_init (&iter, placed);
  while (g_variant_iter_next (&iter, "(uuu(dddd)x)", &number, &section, &item, &frame.x, &frame.y, &frame.width, &frame.height, &frame.z))
    {
      ListdSlot *slot = g_hash_table_lookup (self->by_number, GUINT_TO_POINTER (number));
      if (slot != NULL && listd_slot_place (slot, section, item, &frame))
        self->func (self->view, LISTD_SLOT_PLACED, slot);
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
              self->func (self->view, LISTD_SLOT_BOUND, slot);
            }
        }
      g_variant_unref (content);
    }
  return head;
}

static ListdPictureHead
take_whole (ListdScreen *self, GVariant *picture)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GVariant) shown = NULL;
  ListdPictureHead head;

  g_variant_get (picture, "(tt(dd)(dd)@" LISTD_SLOTS "@a{sv})", &head.sequence, &head.revision, &head.width, &head.height, &head.x, &head.y,
                 &shown, NULL);
  show (self, shown, seen);
  release_others (self, seen);
  return head;
}

ListdPictureHead
listd_screen_take (ListdScreen *self, GVariant *picture)
{
  return listd_picture_is_whole (picture) ? take_whole (self, picture) : take_changes (self, picture);
}

// SPDX-License-Identifier: Apache-2.0
#include "listd-screen.h"

#include "listd-pictures.h"

struct _ListdScreen
{
  gpointer view; /* unowned: the view that the screen is part of */
  ListdSlotFunc func;
  GListStore *slots;
  GHashTable *by_number;
  double sticky_edge;
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

/* The causes of a picture: slots of `released`, then of `shown`, then of `placed`; one that stands in two of them has an entry for each,
 * and one that scrolled may have none. */
typedef struct
{
  guint number;
  guint n; /* of entries; more than two are none */
  guint taken;
  ListdSlotCause causes[2];
} Causes;

static GHashTable *
causes_new (GVariant *details)
{
  g_autoptr (GVariant) entries = g_variant_lookup_value (details, "causes", G_VARIANT_TYPE ("a(uy)"));
  GHashTable *causes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GVariantIter iter;
  guint number;
  guchar cause;

  if (entries == NULL)
    return causes;
  g_variant_iter_init (&iter, entries);
  while (g_variant_iter_next (&iter, "(uy)", &number, &cause))
    {
      Causes *of = g_hash_table_lookup (causes, GUINT_TO_POINTER (number));

      if (of == NULL)
        {
          of = g_new0 (Causes, 1);
          g_hash_table_insert (causes, GUINT_TO_POINTER (number), of);
        }
      if (of->n < G_N_ELEMENTS (of->causes))
        of->causes[of->n++] = cause <= LISTD_SLOT_CAUSE_RELOADED ? cause : LISTD_SLOT_CAUSE_SCROLLED;
    }
  return causes;
}

/* The next cause of a slot, in the order in which the parts of a picture are taken. */
static ListdSlotCause
take_cause (GHashTable *causes, guint number)
{
  Causes *of = causes != NULL ? g_hash_table_lookup (causes, GUINT_TO_POINTER (number)) : NULL;

  return of != NULL && of->taken < of->n ? of->causes[of->taken++] : LISTD_SLOT_CAUSE_SCROLLED;
}

static void
release (ListdScreen *self, guint number, ListdSlotCause cause)
{
  g_autoptr (ListdSlot) slot = NULL;
  guint position;

  if (!g_hash_table_steal_extended (self->by_number, GUINT_TO_POINTER (number), NULL, (gpointer *) &slot))
    return;
  listd_slot_set_cause (slot, cause);
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
      release (self, GPOINTER_TO_UINT (link->data), LISTD_SLOT_CAUSE_SCROLLED);
}

void
listd_screen_clear (ListdScreen *self)
{
  release_others (self, NULL);
}

/* Where the slots that stay at the edge travel. Those that a picture shows or places without saying it do not. */
static GHashTable *
travels_new (GVariant *details)
{
  g_autoptr (GVariant) entries = g_variant_lookup_value (details, "sticky", G_VARIANT_TYPE ("a(udd)"));
  GHashTable *travels = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GVariantIter iter;
  guint number;
  double first, last;

  if (entries == NULL)
    return travels;
  g_variant_iter_init (&iter, entries);
  while (g_variant_iter_next (&iter, "(udd)", &number, &first, &last))
    {
      double *travel = g_new (double, 2);

      travel[0] = first;
      travel[1] = last;
      g_hash_table_insert (travels, GUINT_TO_POINTER (number), travel);
    }
  return travels;
}

/* TRUE when it travels elsewhere than before. */
static gboolean
set_travel (ListdSlot *slot, GHashTable *travels, guint number)
{
  double *travel = g_hash_table_lookup (travels, GUINT_TO_POINTER (number));

  return travel != NULL ? listd_slot_set_travel (slot, TRUE, travel[0], travel[1]) : listd_slot_set_travel (slot, FALSE, 0, 0);
}

static void
take_details (ListdScreen *self, GVariant *details, ListdPictureHead *head)
{
  head->shift_x = head->shift_y = 0;
  head->animated = FALSE;
  g_variant_lookup (details, "shift", "(dd)", &head->shift_x, &head->shift_y);
  g_variant_lookup (details, "animated", "b", &head->animated);
  /* What says something of headers says it of their edge too. */
  if (!g_variant_lookup (details, "sticky-edge", "d", &self->sticky_edge) && g_variant_lookup (details, "sticky", "@a(udd)", NULL))
    self->sticky_edge = 0;
  head->sticky_edge = self->sticky_edge;
}

static void
show (ListdScreen *self, GVariant *shown, GHashTable *causes, GHashTable *travels, GHashTable *seen)
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
          gboolean placed = listd_slot_place (slot, section, item, &frame);

          listd_slot_set_cause (slot, LISTD_SLOT_CAUSE_SCROLLED);
          if (set_travel (slot, travels, number) || placed)
            self->func (self->view, LISTD_SLOT_PLACED, slot);
          if (bound)
            {
              listd_item_emit_changed (old);
              self->func (self->view, LISTD_SLOT_BOUND, slot);
            }
        }
      else
        {
          g_autoptr (ListdItem) fresh = listd_item_new (self->view, LISTD_NO_POSITION);

          if (slot != NULL)
            release (self, number, LISTD_SLOT_CAUSE_SCROLLED);
          slot = listd_slot_new (number);
          listd_item_fill (fresh, id, item, reuse, content);
          fresh->loaded = TRUE;
          listd_slot_show (slot, fresh, kind);
          listd_slot_place (slot, section, item, &frame);
          listd_slot_set_cause (slot, take_cause (causes, number));
          set_travel (slot, travels, number);
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
  g_autoptr (GVariant) details = NULL;
  g_autoptr (GHashTable) causes = NULL;
  g_autoptr (GHashTable) travels = NULL;
  g_autoptr (GHashTable) told = g_hash_table_new (NULL, NULL);
  GHashTableIter travel;
  gpointer key;
  GVariantIter iter;
  guint number, section, item;
  ListdFrame frame;
  GVariant *content;

  g_variant_get (picture, "(tt(dd)(dd)@au@" LISTD_SLOTS "@a(uuu(dddd)x)@a(ua{sv})@a{sv})", &head.sequence, &head.revision, &head.width, &head.height,
                 &head.x, &head.y, &released, &shown, &placed, &rebound, &details);
  take_details (self, details, &head);
  causes = causes_new (details);
  travels = travels_new (details);
  g_variant_iter_init (&iter, released);
  while (g_variant_iter_next (&iter, "u", &number))
    release (self, number, take_cause (causes, number));
  show (self, shown, causes, travels, NULL);
  g_variant_iter_init (&iter, placed);
  while (g_variant_iter_next (&iter, "(uuu(dddd)x)", &number, &section, &item, &frame.x, &frame.y, &frame.width, &frame.height, &frame.z))
    {
      ListdSlot *slot = g_hash_table_lookup (self->by_number, GUINT_TO_POINTER (number));
      gboolean other;

      if (slot == NULL)
        continue;
      listd_slot_set_cause (slot, take_cause (causes, number));
      other = listd_slot_place (slot, section, item, &frame);
      g_hash_table_add (told, GUINT_TO_POINTER (number));
      if (set_travel (slot, travels, number) || other)
        self->func (self->view, LISTD_SLOT_PLACED, slot);
    }
  /* Those that stay where they are, but travel elsewhere. */
  g_hash_table_iter_init (&travel, travels);
  while (g_hash_table_iter_next (&travel, &key, NULL))
    {
      ListdSlot *slot = g_hash_table_lookup (self->by_number, key);

      if (slot != NULL && !g_hash_table_contains (told, key) && set_travel (slot, travels, GPOINTER_TO_UINT (key)))
        self->func (self->view, LISTD_SLOT_PLACED, slot);
    }
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
  g_autoptr (GVariant) details = NULL;
  g_autoptr (GHashTable) travels = NULL;
  ListdPictureHead head;

  g_variant_get (picture, "(tt(dd)(dd)@" LISTD_SLOTS "@a{sv})", &head.sequence, &head.revision, &head.width, &head.height, &head.x, &head.y,
                 &shown, &details);
  take_details (self, details, &head);
  travels = travels_new (details);
  show (self, shown, NULL, travels, seen);
  release_others (self, seen);
  return head;
}

ListdPictureHead
listd_screen_take (ListdScreen *self, GVariant *picture)
{
  GHashTableIter iter;
  ListdSlot *slot;

  /* Of the slots that the picture does not name, nothing is another. */
  g_hash_table_iter_init (&iter, self->by_number);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &slot))
    listd_slot_set_cause (slot, LISTD_SLOT_CAUSE_SCROLLED);
  return listd_picture_is_whole (picture) ? take_whole (self, picture) : take_changes (self, picture);
}

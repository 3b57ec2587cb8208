// SPDX-License-Identifier: Apache-2.0
#include "listd-window.h"

#include "listd-pictures.h"

#define CREDIT 32
/* Held items that are this near to each other are one range. */
#define GAP 64
#define LONGEST_RANGE 512
#define QUESTIONS_AT_ONCE 4

struct _ListdWindow
{
  ListdClient *client;
  ListdQueue *queue;
  ListdRows *rows;
  ListdFollower *follower;
  char *path;
  const ListdWindowFuncs *funcs;
  char **fields;

  ListdPictures *pictures;
  guint serial;             /* of the view */
  gsize bytes;              /* of pictures since the last acknowledgement */
  guint64 picture_revision; /* of the last picture that was taken */
  GHashTable *slots;        /* number -> ListdItem, referenced */
  GQueue waiting;           /* of GVariant: pictures of revisions that the rows have not reached */

  GSource *idle;
  gboolean has_range;
  guint range_first, range_n;
  gboolean asking;          /* SetVisibleRange is under way */
  guint asked_first, asked_n; /* what the last one asked */
  guint64 asked_revision;
  guint questions; /* GetItems under way */
};

typedef struct
{
  ListdWindow *window;
  guint serial;
  guint64 revision;
  GVariant *reply;
  GPtrArray *items; /* that wait for this answer */
} Asked;

static void take_pictures (ListdWindow *self);
static void look (gpointer object, gpointer data);
static const ListdPicturesFuncs pictures_funcs;

static Asked *
asked_new (ListdWindow *self)
{
  Asked *asked = g_new0 (Asked, 1);
  asked->window = self;
  asked->serial = self->serial;
  return asked;
}

static void
asked_free (gpointer data)
{
  Asked *asked = data;

  g_clear_pointer (&asked->reply, g_variant_unref);
  g_clear_pointer (&asked->items, g_ptr_array_unref);
  g_free (asked);
}

ListdWindow *
listd_window_new (ListdClient *client, ListdQueue *queue, ListdRows *rows, ListdFollower *follower, const char *path,
                  const ListdWindowFuncs *funcs)
{
  ListdWindow *self = g_new0 (ListdWindow, 1);

  self->client = client;
  self->queue = queue;
  self->rows = rows;
  self->follower = follower;
  self->path = g_strdup (path);
  self->funcs = funcs;
  self->slots = g_hash_table_new (NULL, NULL);
  g_queue_init (&self->waiting);
  self->pictures = listd_pictures_new (client, queue, &pictures_funcs, self);
  return self;
}

static void
clear_slots (ListdWindow *self)
{
  GHashTableIter iter;
  gpointer value;
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);

  g_hash_table_iter_init (&iter, self->slots);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (value != NULL)
      {
        ListdItem *item = value;
        item->slot = LISTD_NO_SLOT;
        item->dirty = TRUE;
        g_ptr_array_add (items, item);
      }
  g_hash_table_remove_all (self->slots);
}

static void
drop_pictures (ListdWindow *self)
{
  GVariant *picture;
  while ((picture = g_queue_pop_head (&self->waiting)) != NULL)
    g_variant_unref (picture);
}

void
listd_window_close (ListdWindow *self)
{
  listd_pictures_close (self->pictures);
  self->serial++;
  self->asking = FALSE;
  self->questions = 0;
  self->picture_revision = 0;
  self->bytes = 0;
  self->asked_n = 0;
  for (guint i = 0; i < listd_rows_get_items (self->rows)->len; i++)
    ((ListdItem *) g_ptr_array_index (listd_rows_get_items (self->rows), i))->asked = FALSE;
  drop_pictures (self);
  clear_slots (self);
}

void
listd_window_free (ListdWindow *self)
{
  if (self == NULL)
    return;
  listd_window_close (self);
  listd_queue_cancel (&self->idle);
  listd_pictures_free (self->pictures);
  g_hash_table_unref (self->slots);
  g_strfreev (self->fields);
  g_free (self->path);
  g_free (self);
}

const char *
listd_window_get_view (ListdWindow *self)
{
  return listd_pictures_get_view (self->pictures);
}

void
listd_window_add_options (ListdWindow *self, GVariantDict *options)
{
  g_variant_dict_insert (options, "layout", "s", "none");
  g_variant_dict_insert (options, "window", "u", CREDIT);
  if (self->fields != NULL && self->fields[0] != NULL)
    g_variant_dict_insert (options, "fields", "^as", self->fields);
  if (listd_client_has_feature (self->client, "contract-1.0"))
    g_variant_dict_insert (options, "range-at", "s", "revision");
}

void
listd_window_set_fields (ListdWindow *self, const char *const *fields)
{
  char **copy = g_strdupv ((char **) fields);
  g_strfreev (self->fields);
  self->fields = copy;
}

const char *const *
listd_window_get_fields (ListdWindow *self)
{
  return (const char *const *) self->fields;
}

/* Contents */

typedef struct
{
  guint64 revision;
  GPtrArray *changed; /* of ListdItem, referenced */
  gboolean contradicted;
} Filling;

static int
compare_items (gconstpointer a, gconstpointer b)
{
  guint x = (*(ListdItem *const *) a)->position, y = (*(ListdItem *const *) b)->position;
  return x < y ? -1 : x > y;
}

/* Tells what became loaded, once everything is in its place. */
static void
tell (ListdWindow *self, Filling *filling)
{
  g_autoptr (GPtrArray) changed = g_steal_pointer (&filling->changed);
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (ListdCluster));
  g_autoptr (GArray) positions = g_array_new (FALSE, FALSE, sizeof (guint));

  g_ptr_array_sort (changed, compare_items);
  for (guint i = 0; i < changed->len; i++)
    {
      ListdItem *item = g_ptr_array_index (changed, i);
      item->selected = listd_list_is_selected (LISTD_LIST (self->queue->object), item->id, item->number);
      listd_item_emit_changed (item);
    }
  for (guint i = 0; i < changed->len; i++)
    {
      guint position = ((ListdItem *) g_ptr_array_index (changed, i))->position;
      if (position != LISTD_NO_POSITION)
        g_array_append_val (positions, position);
    }
  if (positions->len > 0)
    {
      g_array_unref (ranges);
      ranges = listd_clusters_new ((const guint *) (gpointer) positions->data, positions->len, 1, G_MAXUINT);
      for (guint i = 0; i < ranges->len; i++)
        self->funcs->loaded (self->queue->object, g_array_index (ranges, ListdCluster, i).first, g_array_index (ranges, ListdCluster, i).length);
    }
  if (filling->contradicted)
    {
      g_debug ("%s: an item is another than the updates say", self->path);
      self->funcs->closed (self->queue->object, "contradiction");
    }
}

static void
fill (Filling *filling, ListdItem *item, const char *id, guint number, const char *reuse, GVariant *content, gboolean touched)
{
  if (item->id != NULL && g_strcmp0 (item->id, id) != 0)
    {
      filling->contradicted = TRUE;
      return;
    }
  if (listd_item_fill (item, id, number, reuse, content))
    g_ptr_array_add (filling->changed, g_object_ref (item));
  item->dirty = touched;
}

/* Items by question */

static void
answered (gpointer object, gpointer data)
{
  Asked *asked = data;
  ListdWindow *self = asked->window;
  Filling filling = { asked->revision, NULL, FALSE };
  GVariantIter iter;
  guint section, number;
  const char *id, *reuse;
  GVariant *content;
  g_autoptr (GVariant) items = NULL;

  if (asked->serial != self->serial)
    return;
  self->questions--;
  for (guint i = 0; i < asked->items->len; i++)
    ((ListdItem *) g_ptr_array_index (asked->items, i))->asked = FALSE;
  filling.changed = g_ptr_array_new_with_free_func (g_object_unref);
  if (asked->reply != NULL)
    {
      g_variant_get (asked->reply, "(tu@a(ususa{sv}))", NULL, NULL, &items);
      g_variant_iter_init (&iter, items);
      while (g_variant_iter_next (&iter, "(u&su&s@a{sv})", &section, &id, &number, &reuse, &content))
        {
          guint item = number;
          gboolean touched = FALSE;

          if (listd_follower_map (self->follower, asked->revision, &section, &item, &touched))
            {
              ListdItem *known = listd_rows_peek (self->rows, listd_rows_get_position (self->rows, section, item));
              if (known != NULL && known->slot == LISTD_NO_SLOT)
                fill (&filling, known, id, item, reuse, content, touched);
            }
          g_variant_unref (content);
        }
    }
  tell (self, &filling);
  listd_window_refresh (self);
}

static void
on_items (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  Asked *asked = data, *waiting;
  ListdWindow *self = asked->window;

  if (asked->serial != self->serial)
    return;
  waiting = asked_new (self);
  waiting->items = g_ptr_array_ref (asked->items);
  if (reply != NULL)
    {
      g_variant_get (reply, "(tu@a(ususa{sv}))", &waiting->revision, NULL, NULL);
      waiting->reply = g_variant_ref (reply);
      listd_follower_when_at (self->follower, waiting->revision, answered, waiting, asked_free);
    }
  else
    {
      g_debug ("%s: %s", self->path, error->message);
      answered (object, waiting);
      asked_free (waiting);
    }
}

static void
ask_items (ListdWindow *self, guint first, guint length)
{
  static const char *const all[] = { NULL };
  const GPtrArray *items = listd_rows_get_items (self->rows);
  guint first_section, last_section, item;
  Asked *asked = asked_new (self);

  asked->items = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < items->len; i++)
    {
      ListdItem *known = g_ptr_array_index (items, i);
      if (known->position >= first && known->position - first < length && known->slot == LISTD_NO_SLOT)
        {
          known->asked = TRUE;
          g_ptr_array_add (asked->items, g_object_ref (known));
        }
    }
  listd_rows_locate (self->rows, first, &first_section, &item);
  listd_rows_locate (self->rows, first + length - 1, &last_section, &item);
  self->questions++;
  listd_client_ask (self->client, self->queue, self->path, "Adapter", "GetItems",
                    g_variant_new ("(uu^as)", first_section, last_section - first_section + 1, self->fields != NULL ? self->fields : (char **) all),
                    "(tua(ususa{sv}))", on_items, asked, asked_free);
}

/* Pictures */

static void
acknowledge (gpointer owner)
{
  ListdWindow *self = owner;
  guint64 sequence = listd_pictures_get_sequence (self->pictures);

  if (listd_pictures_get_acknowledged (self->pictures) == sequence)
    return;
  self->bytes = 0;
  listd_pictures_acknowledge (self->pictures, sequence);
}

/* Takes the item out of a slot. */
static void
release (ListdWindow *self, guint slot, GPtrArray *released)
{
  ListdItem *item = g_hash_table_lookup (self->slots, GUINT_TO_POINTER (slot));

  g_hash_table_remove (self->slots, GUINT_TO_POINTER (slot));
  if (item == NULL)
    return;
  item->slot = LISTD_NO_SLOT;
  /* An update may have changed it with the picture that took it away. */
  if (item->unsure > self->picture_revision)
    item->dirty = TRUE;
  g_ptr_array_add (released, item);
}

static void
put (ListdWindow *self, guint slot, ListdItem *item, GPtrArray *released)
{
  release (self, slot, released);
  if (item->slot != LISTD_NO_SLOT)
    release (self, item->slot, released);
  item->slot = slot;
  g_hash_table_insert (self->slots, GUINT_TO_POINTER (slot), g_object_ref (item));
}

static void
show (ListdWindow *self, GVariant *shown, Filling *filling, GPtrArray *released, GHashTable *seen)
{
  GVariantIter iter;
  guint slot, section, number;
  const char *id, *kind, *reuse;
  GVariant *content;

  g_variant_iter_init (&iter, shown);
  while (g_variant_iter_next (&iter, "(u&suu&s&s(dddd)x@a{sv})", &slot, &id, &section, &number, &kind, &reuse, NULL, NULL, NULL, NULL, NULL,
                              &content))
    {
      guint item = number, position;
      gboolean touched = FALSE;
      g_autoptr (ListdItem) known = NULL;

      if (seen != NULL)
        g_hash_table_add (seen, GUINT_TO_POINTER (slot));
      if (g_str_equal (kind, "cell") && listd_follower_map (self->follower, filling->revision, &section, &item, &touched)
          && (position = listd_rows_get_position (self->rows, section, item)) != LISTD_NO_POSITION)
        {
          known = listd_rows_get (self->rows, position);
          fill (filling, known, id, item, reuse, content, FALSE);
          put (self, slot, known, released);
          if (touched)
            known->unsure = listd_follower_get_revision (self->follower);
        }
      else
        release (self, slot, released);
      g_variant_unref (content);
    }
}

static void
take_picture (ListdWindow *self, GVariant *picture)
{
  g_autoptr (GPtrArray) released = g_ptr_array_new_with_free_func (g_object_unref);
  Filling filling = { 0, g_ptr_array_new_with_free_func (g_object_unref), FALSE };
  g_autoptr (GVariant) gone = NULL;
  g_autoptr (GVariant) shown = NULL;
  g_autoptr (GVariant) placed = NULL;
  g_autoptr (GVariant) rebound = NULL;
  GVariantIter iter;
  guint slot, section, number;
  GVariant *content;

  g_variant_get (picture, "(tt(dd)(dd)@au@" LISTD_SLOTS "@a(uuu(dddd)x)@a(ua{sv})@a{sv})", NULL, &filling.revision, NULL, NULL, NULL, NULL, &gone,
                 &shown, &placed, &rebound, NULL);
  g_variant_iter_init (&iter, gone);
  while (g_variant_iter_next (&iter, "u", &slot))
    release (self, slot, released);
  /* All that moved first, since one slot's new place is another's old one. */
  g_variant_iter_init (&iter, placed);
  while (g_variant_iter_next (&iter, "(uuu(dddd)x)", &slot, &section, &number, NULL, NULL, NULL, NULL, NULL))
    {
      gboolean touched = FALSE;
      guint item = number;
      ListdItem *known = g_hash_table_lookup (self->slots, GUINT_TO_POINTER (slot));

      if (known != NULL && known->position != LISTD_NO_POSITION
          && listd_follower_map (self->follower, filling.revision, &section, &item, &touched)
          && known->position != listd_rows_get_position (self->rows, section, item))
        filling.contradicted = TRUE;
    }
  show (self, shown, &filling, released, NULL);
  g_variant_iter_init (&iter, rebound);
  while (g_variant_iter_next (&iter, "(u@a{sv})", &slot, &content))
    {
      ListdItem *known = g_hash_table_lookup (self->slots, GUINT_TO_POINTER (slot));
      if (known != NULL && known->id != NULL)
        {
          g_autofree char *reuse = g_strdup (known->reuse_identifier);
          fill (&filling, known, known->id, known->number, reuse, content, FALSE);
        }
      g_variant_unref (content);
    }
  self->picture_revision = MAX (self->picture_revision, filling.revision);
  g_ptr_array_set_size (released, 0);
  tell (self, &filling);
}

static void
take_whole_picture (ListdWindow *self, GVariant *picture)
{
  g_autoptr (GPtrArray) released = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GVariant) shown = NULL;
  Filling filling = { 0, g_ptr_array_new_with_free_func (g_object_unref), FALSE };
  g_autoptr (GList) slots = NULL;

  g_variant_get (picture, "(tt(dd)(dd)@" LISTD_SLOTS "@a{sv})", NULL, &filling.revision, NULL, NULL, NULL, NULL, &shown, NULL);
  show (self, shown, &filling, released, seen);
  slots = g_hash_table_get_keys (self->slots);
  for (GList *link = slots; link != NULL; link = link->next)
    if (!g_hash_table_contains (seen, link->data))
      release (self, GPOINTER_TO_UINT (link->data), released);
  self->picture_revision = MAX (self->picture_revision, filling.revision);
  g_ptr_array_set_size (released, 0);
  tell (self, &filling);
}

/* Takes the pictures of revisions that the rows have. */
static void
take_pictures (ListdWindow *self)
{
  while (self->waiting.head != NULL)
    {
      GVariant *picture = self->waiting.head->data;
      guint64 revision;

      g_variant_get_child (picture, 1, "t", &revision);
      if (listd_pictures_asks_whole (self->pictures) || !listd_follower_is_started (self->follower) || !listd_follower_is_filled (self->follower))
        return;
      if (revision > listd_follower_get_revision (self->follower))
        {
          listd_follower_need (self->follower, revision);
          return;
        }
      g_queue_pop_head (&self->waiting);
      if (listd_picture_is_whole (picture))
        take_whole_picture (self, picture);
      else
        take_picture (self, picture);
      g_variant_unref (picture);
    }
  listd_window_refresh (self);
}

static void
on_picture (gpointer owner, GVariant *picture)
{
  ListdWindow *self = owner;

  if (listd_picture_is_whole (picture))
    {
      drop_pictures (self);
      self->bytes = 0;
    }
  else
    {
      self->bytes += g_variant_get_size (picture);
      if (listd_pictures_get_sequence (self->pictures) - listd_pictures_get_acknowledged (self->pictures) >= CREDIT / 2
          || self->bytes > 128 * 1024)
        acknowledge (self);
    }
  g_queue_push_tail (&self->waiting, g_variant_ref (picture));
  take_pictures (self);
}

static void
on_closed (gpointer owner, const char *reason)
{
  ListdWindow *self = owner;
  self->funcs->closed (self->queue->object, reason);
}

static const ListdPicturesFuncs pictures_funcs = { on_picture, acknowledge, on_closed };

void
listd_window_open (ListdWindow *self, const char *view)
{
  listd_window_close (self);
  listd_pictures_open (self->pictures, view);
}

/* What to ask */

static void
on_range (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  Asked *asked = data;
  ListdWindow *self = asked->window;

  if (asked->serial != self->serial)
    return;
  self->asking = FALSE;
  if (error != NULL)
    g_debug ("%s: %s", self->path, error->message);
  if (!listd_pictures_check (self->pictures, error))
    listd_window_refresh (self);
}

static void
ask_range (ListdWindow *self, guint first, guint n)
{
  guint first_section, first_item, last_section, last_item;
  guint64 revision = listd_follower_get_revision (self->follower);

  listd_rows_locate (self->rows, first, &first_section, &first_item);
  listd_rows_locate (self->rows, first + n - 1, &last_section, &last_item);
  self->asking = TRUE;
  self->asked_first = first;
  self->asked_n = n;
  self->asked_revision = revision;
  listd_client_ask (self->client, self->queue, listd_pictures_get_view (self->pictures), "View", "SetVisibleRange",
                    g_variant_new ("(tuuuu)", listd_client_has_feature (self->client, "contract-1.0") ? revision : 0, first_section, first_item,
                                   last_section, last_item),
                    "(t)", on_range, asked_new (self), asked_free);
}

static gboolean
is_covered (ListdWindow *self, guint first, guint n)
{
  guint covered = 0;
  const GPtrArray *items = listd_rows_get_items (self->rows);

  for (guint i = 0; i < items->len; i++)
    {
      ListdItem *item = g_ptr_array_index (items, i);
      if (item->position >= first && item->position - first < n && item->slot != LISTD_NO_SLOT)
        covered++;
    }
  return covered == n;
}

static void
look (gpointer object, gpointer data)
{
  ListdWindow *self = listd_list_get_window (object);
  const GPtrArray *items;
  g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) missing = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) clusters = NULL;
  ListdCluster range = { 0, 0, 0 };
  guint n;

  if (self == NULL || listd_pictures_get_view (self->pictures) == NULL || !listd_follower_is_started (self->follower)
      || !listd_follower_is_filled (self->follower))
    return;
  items = listd_rows_get_items (self->rows);
  n = listd_rows_get_n (self->rows);
  for (guint i = 0; i < items->len; i++)
    {
      ListdItem *item = g_ptr_array_index (items, i);
      if (listd_rows_is_held (item))
        g_array_append_val (held, item->position);
    }
  if (self->has_range)
    {
      if (self->range_first < n)
        range = (ListdCluster){ self->range_first, MIN (self->range_n, n - self->range_first), 0 };
      else if (n > 0)
        range = (ListdCluster){ n - MIN (n, self->range_n), MIN (n, self->range_n), 0 };
    }
  else
    {
      clusters = listd_clusters_new ((const guint *) (gpointer) held->data, held->len, GAP, LONGEST_RANGE);
      for (guint i = 0; i < clusters->len; i++)
        if (g_array_index (clusters, ListdCluster, i).count > range.count)
          range = g_array_index (clusters, ListdCluster, i);
    }
  if (range.length > 0 && !self->asking)
    {
      gboolean other = range.first != self->asked_first || range.length != self->asked_n;
      gboolean moved = self->asked_revision != listd_follower_get_revision (self->follower);
      gboolean wanted;

      if (self->has_range)
        wanted = (other && !moved) || ((other || moved) && !is_covered (self, range.first, range.length));
      else
        {
          wanted = FALSE;
          for (guint i = 0; i < held->len && !wanted; i++)
            {
              guint position = g_array_index (held, guint, i);
              wanted = position >= range.first && position - range.first < range.length
                       && listd_rows_peek (self->rows, position)->slot == LISTD_NO_SLOT;
            }
          wanted = wanted && (other || moved);
        }
      if (wanted && !listd_pictures_asks_whole (self->pictures))
        ask_range (self, range.first, range.length);
    }

  /* What the view does not cover, now that its answer is there. */
  for (guint i = 0; i < items->len; i++)
    {
      ListdItem *item = g_ptr_array_index (items, i);
      gboolean coming = (self->asking || listd_pictures_asks_whole (self->pictures)) && item->position >= range.first
                        && item->position - range.first < range.length;
      if (listd_rows_is_held (item) && item->slot == LISTD_NO_SLOT && !item->asked && !coming && (!item->loaded || item->dirty))
        g_array_append_val (missing, item->position);
    }
  g_clear_pointer (&clusters, g_array_unref);
  clusters = listd_clusters_new ((const guint *) (gpointer) missing->data, missing->len, 8, 256);
  for (guint i = 0; i < clusters->len && self->questions < QUESTIONS_AT_ONCE; i++)
    ask_items (self, g_array_index (clusters, ListdCluster, i).first, g_array_index (clusters, ListdCluster, i).length);
}

void
listd_window_refresh (ListdWindow *self)
{
  if (listd_pictures_get_view (self->pictures) != NULL)
    listd_queue_post_later (self->queue, self->client, &self->idle, 0, look);
}

void
listd_window_set_range (ListdWindow *self, guint first, guint n)
{
  self->has_range = n > 0;
  self->range_first = first;
  self->range_n = MIN (n, LONGEST_RANGE);
  listd_window_refresh (self);
}

guint
listd_window_get_first (ListdWindow *self)
{
  return self->has_range ? self->range_first : self->asked_first;
}

void
listd_window_moving (ListdWindow *self, ListdUpdate *const *updates, guint n_updates)
{
  const GPtrArray *items = listd_rows_get_items (self->rows);

  for (guint i = 0; i < items->len; i++)
    {
      ListdItem *item = g_ptr_array_index (items, i);
      guint section, number;
      gboolean touched = updates == NULL;
      guint64 revision = n_updates > 0 ? listd_update_get_revision (updates[n_updates - 1]) : G_MAXUINT64;

      if (updates != NULL)
        listd_rows_locate (self->rows, item->position, &section, &number);
      for (guint u = 0; u < n_updates; u++)
        if (!listd_update_map (updates[u], &section, &number, &touched))
          break;
      if (!touched)
        continue;
      if (item->slot != LISTD_NO_SLOT && updates != NULL)
        item->unsure = revision;
      else
        item->dirty = TRUE;
    }
}

void
listd_window_moved (ListdWindow *self, gboolean resync)
{
  if (resync && listd_pictures_get_sequence (self->pictures) > 0)
    listd_pictures_ask_whole (self->pictures);
  take_pictures (self);
  listd_window_refresh (self);
}

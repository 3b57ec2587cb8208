// SPDX-License-Identifier: Apache-2.0
/* Reads a list anew, when its updates do not lead to where it is, without losing the items that somebody holds. */
#include "listd-follower-private.h"

/* Known items that are looked for one by one after a reload; what is beyond is taken for gone. */
#define MOST_SEARCHES 1024
#define SEARCHES_AT_ONCE 32

void
listd_relocation_free (ListdRelocation *relocation)
{
  if (relocation == NULL)
    return;
  for (guint i = 0; i < relocation->lost->len; i++)
    g_object_unref (g_array_index (relocation->lost, ListdLost, i).item);
  g_array_unref (relocation->lost);
  if (relocation->counts != NULL)
    g_array_unref (relocation->counts);
  g_free (relocation->epoch);
  g_free (relocation);
}

static void
finish_relocation (ListdFollower *self)
{
  ListdRelocation *relocation = g_steal_pointer (&self->relocation);
  guint64 revision = MAX (relocation->base, relocation->counts_revision);
  guint n_sections = relocation->n_sections, n;
  guint64 reached = relocation->base;
  gboolean flat = relocation->flat;
  GList *link;
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (ListdRun));
  ListdCounts *counts = NULL;
  g_autoptr (ListdChange) change = NULL;
  guint n_new;

  for (guint i = 0; i < relocation->lost->len; i++)
    if (g_array_index (relocation->lost, ListdLost, i).found)
      revision = MAX (revision, g_array_index (relocation->lost, ListdLost, i).revision);
  while (self->pending.head != NULL
         && (g_strcmp0 (listd_update_get_epoch (self->pending.head->data), relocation->epoch) != 0
             || listd_update_get_revision (self->pending.head->data) <= relocation->base))
    listd_update_unref (g_queue_pop_head (&self->pending));
  n = listd_follower_chain_length (self, relocation->base, relocation->epoch);
  for (link = self->pending.head; n > 0 && listd_update_get_revision (link->data) <= revision; n--, link = link->next)
    {
      reached = listd_update_get_revision (link->data);
      n_sections = listd_update_get_n_sections (link->data);
      flat = listd_update_get_flat (link->data);
    }
  if (reached != revision || (!flat && relocation->counts == NULL)
      || (relocation->counts != NULL && (relocation->counts_revision != revision || relocation->counts->len != n_sections)))
    {
      ListdUpdate *reload = link != NULL ? link->data : NULL;

      g_array_unref (runs);
      listd_follower_set_work (self, LISTD_WORK_IDLE);
      if (reload != NULL && listd_update_get_kind (reload) == LISTD_UPDATE_RELOAD && ++self->attempts < 64)
        listd_follower_relocate (self, relocation->epoch, listd_update_get_revision (reload), listd_update_get_n_sections (reload),
                  listd_update_get_flat (reload));
      else if (reached == revision && ++self->attempts < 64)
        listd_follower_relocate (self, relocation->epoch, reached, n_sections, flat);
      else
        self->funcs->lost (self->queue->object);
      listd_relocation_free (relocation);
      return;
    }

  if (relocation->counts != NULL)
    counts = listd_counts_new ((const guint32 *) (gpointer) relocation->counts->data, relocation->counts->len);
  if (counts != NULL && listd_counts_is_flat (counts))
    g_clear_pointer (&counts, listd_counts_free);
  n_new = counts != NULL ? listd_counts_get_n_items (counts) : n_sections;
  for (guint i = 0; i < relocation->lost->len; i++)
    {
      ListdLost *lost = &g_array_index (relocation->lost, ListdLost, i);
      guint item = lost->item->number;
      gboolean touched = FALSE, alive = lost->found && lost->item->position != LISTD_NO_POSITION;

      for (GList *step = self->pending.head; alive && step != link; step = step->next)
        if (listd_update_get_base (step->data) >= lost->revision)
          alive = listd_update_map (step->data, &lost->section, &item, &touched);
      if (alive && lost->section < n_sections && item < (counts != NULL ? listd_counts_get (counts, lost->section) : 1))
        {
          guint to = counts != NULL ? listd_counts_get_start (counts, lost->section) + item : lost->section;
          g_array_append_val (runs, ((ListdRun){ lost->item->position, to, 1 }));
        }
    }
  while (self->pending.head != link)
    listd_update_unref (g_queue_pop_head (&self->pending));
  change = listd_change_new (listd_rows_get_n (self->rows), n_new, runs);
  listd_follower_set_work (self, LISTD_WORK_IDLE);
  self->funcs->moving (self->queue->object, NULL, 0);
  g_free (self->epoch);
  self->epoch = g_strdup (relocation->epoch);
  self->revision = revision;
  self->filled = TRUE;
  self->attempts = 0;
  listd_updates_clear (&self->log);
  listd_relocation_free (relocation);
  listd_rows_apply (self->rows, change, counts, n_sections);
  self->funcs->moved (self->queue->object);
  listd_follower_advance (self);
}

static void search_lost (ListdFollower *self);

static void
on_all_counts (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdAsked *asked = data;
  ListdFollower *self = asked->follower;
  ListdRelocation *relocation = self->relocation;
  guint64 revision;
  guint next;
  gsize n_counts;
  g_autoptr (GVariant) array = NULL;
  const guint32 *counts;

  if (asked->serial != self->serial)
    return;
  if (error != NULL)
    {
      self->funcs->lost (object);
      return;
    }
  g_variant_get (reply, "(tu@au)", &revision, &next, &array);
  counts = g_variant_get_fixed_array (array, &n_counts, sizeof (guint32));
  if (asked->first > 0 && revision != relocation->counts_revision)
    {
      /* The list has changed between two pages. */
      if (++self->attempts > 200)
        {
          self->funcs->lost (object);
          return;
        }
      g_array_set_size (relocation->counts, 0);
      asked->first = n_counts = 0;
      next = 0;
    }
  else
    {
      g_array_append_vals (relocation->counts, counts, n_counts);
      relocation->counts_revision = revision;
    }
  if (asked->first == next && next > 0)
    finish_relocation (self);
  else if (n_counts == 0 && asked->first == 0 && relocation->counts_revision == revision)
    finish_relocation (self); /* the list is empty */
  else
    {
      ListdAsked *more = listd_follower_asked_new (self);
      more->first = next;
      listd_client_ask (self->client, self->queue, self->path, "Adapter", "GetItemCounts", g_variant_new ("(uu)", next, G_MAXUINT32), "(tuau)",
                        on_all_counts, more, g_free);
    }
}

static void
after_searches (ListdFollower *self)
{
  ListdRelocation *relocation = self->relocation;
  gboolean flat = relocation->flat;
  guint n = listd_follower_chain_length (self, relocation->base, relocation->epoch);

  if (flat)
    for (GList *link = self->pending.head; link != NULL && n > 0; link = link->next, n--)
      flat = flat && listd_update_get_flat (link->data);
  if (flat)
    {
      finish_relocation (self);
      return;
    }
  relocation->counts = g_array_new (FALSE, FALSE, sizeof (guint32));
  listd_client_ask (self->client, self->queue, self->path, "Adapter", "GetItemCounts", g_variant_new ("(uu)", 0, G_MAXUINT32), "(tuau)",
                    on_all_counts, listd_follower_asked_new (self), g_free);
}

static void
on_found (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdAsked *asked = data;
  ListdFollower *self = asked->follower;
  ListdRelocation *relocation = self->relocation;

  if (asked->serial != self->serial)
    return;
  relocation->under_way--;
  if (reply != NULL)
    {
      guint64 revision;
      guint section;
      const char *id = g_array_index (relocation->lost, ListdLost, asked->lost).item->id;

      g_variant_get (reply, "(tusa{sv})", &revision, &section, NULL, NULL);
      for (guint i = asked->lost; i < relocation->lost->len; i++)
        {
          ListdLost *lost = &g_array_index (relocation->lost, ListdLost, i);
          if (!lost->found && g_str_equal (lost->item->id, id))
            {
              lost->found = TRUE;
              lost->revision = revision;
              lost->section = section;
            }
        }
    }
  else if (!listd_error_is (error, LISTD_ERROR_NO_SUCH_OBJECT))
    {
      self->funcs->lost (object);
      return;
    }
  search_lost (self);
}

static void
search_lost (ListdFollower *self)
{
  ListdRelocation *relocation = self->relocation;

  while (relocation->next < relocation->lost->len && relocation->under_way < SEARCHES_AT_ONCE && relocation->searches < MOST_SEARCHES)
    {
      ListdLost *lost = &g_array_index (relocation->lost, ListdLost, relocation->next);
      gboolean again = FALSE;

      /* The items of one object are neighbours. */
      if (relocation->next > 0)
        again = g_str_equal (lost->item->id, g_array_index (relocation->lost, ListdLost, relocation->next - 1).item->id);
      if (!lost->found && !again)
        {
          ListdAsked *asked = listd_follower_asked_new (self);
          asked->lost = relocation->next;
          relocation->under_way++;
          relocation->searches++;
          listd_client_ask (self->client, self->queue, self->path, "Adapter", "FindObject", g_variant_new ("(s)", lost->item->id),
                            "(tusa{sv})", on_found, asked, g_free);
        }
      relocation->next++;
    }
  if (relocation->under_way == 0)
    after_searches (self);
}

static void
on_guessed (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdAsked *asked = data;
  ListdFollower *self = asked->follower;
  ListdRelocation *relocation = self->relocation;

  if (asked->serial != self->serial)
    return;
  if (reply != NULL)
    {
      g_autoptr (GHashTable) places = g_hash_table_new (g_str_hash, g_str_equal);
      guint64 revision;
      g_autoptr (GVariant) items = NULL;
      GVariantIter iter;
      guint section;
      const char *id;
      gpointer place;

      g_variant_get (reply, "(tu@a(ususa{sv}))", &revision, NULL, &items);
      g_variant_iter_init (&iter, items);
      while (g_variant_iter_next (&iter, "(u&su&s@a{sv})", &section, &id, NULL, NULL, NULL))
        g_hash_table_insert (places, (gpointer) id, GUINT_TO_POINTER (section));
      for (guint i = 0; i < relocation->lost->len; i++)
        {
          ListdLost *lost = &g_array_index (relocation->lost, ListdLost, i);
          if (g_hash_table_lookup_extended (places, lost->item->id, NULL, &place))
            {
              lost->found = TRUE;
              lost->revision = revision;
              lost->section = GPOINTER_TO_UINT (place);
            }
        }
    }
  search_lost (self);
}

void
listd_follower_relocate (ListdFollower *self, const char *epoch, guint64 base, guint n_sections, gboolean flat)
{
  ListdRelocation *relocation = g_new0 (ListdRelocation, 1);
  const GPtrArray *items = listd_rows_get_items (self->rows);
  g_autoptr (GArray) positions = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) clusters = NULL;
  ListdCluster best = { 0, 0, 0 };

  relocation->epoch = g_strdup (epoch);
  relocation->base = base;
  relocation->n_sections = n_sections;
  relocation->flat = flat || n_sections == 0;
  relocation->lost = g_array_new (FALSE, FALSE, sizeof (ListdLost));
  for (guint i = 0; i < items->len; i++)
    {
      ListdItem *item = g_ptr_array_index (items, i);
      if (item->loaded)
        {
          g_array_append_val (positions, item->position);
          g_array_append_val (relocation->lost, ((ListdLost){ g_object_ref (item), FALSE, 0, 0 }));
        }
    }
  self->relocation = relocation;
  listd_follower_set_work (self, LISTD_WORK_RELOCATING);

  clusters = listd_clusters_new ((const guint *) (gpointer) positions->data, positions->len, 16, 512);
  for (guint i = 0; i < clusters->len; i++)
    if (g_array_index (clusters, ListdCluster, i).count > best.count)
      best = g_array_index (clusters, ListdCluster, i);
  if (best.count > 0)
    {
      /* Most often nearly all are where they were. No content has a field of this name. */
      const char *nothing[] = { " ", NULL };
      guint first, last, item;

      listd_rows_locate (self->rows, best.first, &first, &item);
      listd_rows_locate (self->rows, best.first + best.length - 1, &last, &item);
      listd_client_ask (self->client, self->queue, self->path, "Adapter", "GetItems",
                        g_variant_new ("(uu^as)", first, last - first + 1, nothing), "(tua(ususa{sv}))", on_guessed,
                        listd_follower_asked_new (self), g_free);
    }
  else
    search_lost (self);
}

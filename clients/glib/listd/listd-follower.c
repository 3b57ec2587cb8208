// SPDX-License-Identifier: Apache-2.0
#include "listd-follower.h"

#define LONGEST_LOG 256
/* Known items that are looked for one by one after a reload; what is beyond is taken for gone. */
#define MOST_SEARCHES 1024
#define SEARCHES_AT_ONCE 32

typedef enum
{
  IDLE,
  ASKING_CHANGES,
  ASKING_COUNTS,
  RELOCATING,
} Work;

typedef struct
{
  guint64 revision;
  ListdEventFunc func;
  gpointer data;
  GDestroyNotify destroy;
} Waiter;

/* A known item that is looked for in the list after a reload. */
typedef struct
{
  ListdItem *item; /* referenced */
  gboolean found;
  guint64 revision;
  guint section;
} Lost;

/* Reading anew without losing the items that somebody holds. */
typedef struct
{
  char *epoch;
  guint64 base;
  guint n_sections;
  gboolean flat;
  GArray *lost; /* of Lost */
  guint next, under_way, searches;
  GArray *counts; /* of guint32, while they are read */
  guint64 counts_revision;
} Relocation;

struct _ListdFollower
{
  ListdClient *client;
  ListdQueue *queue;
  ListdRows *rows;
  char *path;
  const ListdFollowerFuncs *funcs;
  char *epoch;
  guint64 revision;
  guint64 needed;
  gboolean started;
  gboolean filled; /* the rows are those of `epoch` and `revision` */
  Work work;
  guint serial; /* of the work, so that answers to abandoned questions say nothing */
  GQueue pending; /* of ListdUpdate that come next */
  GQueue log;     /* of ListdUpdate that were applied */
  GPtrArray *waiters;
  Relocation *relocation;
  guint attempts;
};

static void advance (ListdFollower *self);
static void relocate (ListdFollower *self, const char *epoch, guint64 base, guint n_sections, gboolean flat);

static void
waiter_free (gpointer data)
{
  Waiter *waiter = data;

  if (waiter->destroy != NULL)
    waiter->destroy (waiter->data);
  g_free (waiter);
}

static void
relocation_free (Relocation *relocation)
{
  if (relocation == NULL)
    return;
  for (guint i = 0; i < relocation->lost->len; i++)
    g_object_unref (g_array_index (relocation->lost, Lost, i).item);
  g_array_unref (relocation->lost);
  if (relocation->counts != NULL)
    g_array_unref (relocation->counts);
  g_free (relocation->epoch);
  g_free (relocation);
}

static void
clear_updates (GQueue *updates)
{
  ListdUpdate *update;
  while ((update = g_queue_pop_head (updates)) != NULL)
    listd_update_unref (update);
}

ListdFollower *
listd_follower_new (ListdClient *client, ListdQueue *queue, ListdRows *rows, const char *path, const ListdFollowerFuncs *funcs)
{
  ListdFollower *self = g_new0 (ListdFollower, 1);

  self->client = client;
  self->queue = queue;
  self->rows = rows;
  self->path = g_strdup (path);
  self->funcs = funcs;
  self->waiters = g_ptr_array_new_with_free_func (waiter_free);
  g_queue_init (&self->pending);
  g_queue_init (&self->log);
  return self;
}

void
listd_follower_free (ListdFollower *self)
{
  if (self == NULL)
    return;
  relocation_free (self->relocation);
  clear_updates (&self->pending);
  clear_updates (&self->log);
  g_ptr_array_unref (self->waiters);
  g_free (self->path);
  g_free (self->epoch);
  g_free (self);
}

const char *
listd_follower_get_epoch (ListdFollower *self)
{
  return self->epoch;
}

guint64
listd_follower_get_revision (ListdFollower *self)
{
  return self->revision;
}

gboolean
listd_follower_is_started (ListdFollower *self)
{
  return self->started;
}

gboolean
listd_follower_is_filled (ListdFollower *self)
{
  return self->filled;
}

static void
run_waiters (ListdFollower *self, gboolean all)
{
  gboolean found = TRUE;

  while (found)
    {
      found = FALSE;
      for (guint i = 0; i < self->waiters->len && !found; i++)
        if (all || ((Waiter *) g_ptr_array_index (self->waiters, i))->revision <= self->revision)
          {
            Waiter *waiter = g_ptr_array_steal_index (self->waiters, i);
            waiter->func (self->queue->object, waiter->data);
            waiter_free (waiter);
            found = TRUE;
          }
    }
}

static void
set_work (ListdFollower *self, Work work)
{
  self->work = work;
  self->serial++;
}

void
listd_follower_stop (ListdFollower *self)
{
  self->started = FALSE;
  self->needed = 0;
  set_work (self, IDLE);
  g_clear_pointer (&self->relocation, relocation_free);
  clear_updates (&self->pending);
  run_waiters (self, TRUE);
}

void
listd_follower_clear (ListdFollower *self)
{
  g_autoptr (ListdChange) change
      = listd_change_new (listd_rows_get_n (self->rows), 0, g_array_new (FALSE, FALSE, sizeof (ListdRun)));

  listd_follower_stop (self);
  clear_updates (&self->log);
  self->filled = FALSE;
  self->revision = 0;
  g_clear_pointer (&self->epoch, g_free);
  listd_rows_apply (self->rows, change, NULL, 0);
}

static void
log_updates (ListdFollower *self, ListdUpdate *const *updates, guint n)
{
  for (guint i = 0; i < n; i++)
    if (listd_update_get_kind (updates[i]) == LISTD_UPDATE_CHANGES)
      g_queue_push_tail (&self->log, listd_update_ref (updates[i]));
  while (self->log.length > LONGEST_LOG)
    listd_update_unref (g_queue_pop_head (&self->log));
}

gboolean
listd_follower_map (ListdFollower *self, guint64 revision, guint *section, guint *item, gboolean *touched)
{
  GList *link = self->log.head;

  if (revision == self->revision)
    return TRUE;
  while (link != NULL && listd_update_get_base (link->data) < revision)
    link = link->next;
  if (revision > self->revision || link == NULL || listd_update_get_base (link->data) != revision)
    return FALSE;
  for (; link != NULL; link = link->next)
    if (!listd_update_map (link->data, section, item, touched))
      return FALSE;
  return TRUE;
}

/* Applies the first `n` pending updates. */
static void
apply_pending (ListdFollower *self, guint n, const GArray *births, const guint32 *asked)
{
  g_autofree ListdUpdate **updates = g_new (ListdUpdate *, n + 1);
  ListdCounts *counts = NULL;
  const ListdCounts *before = listd_rows_get_counts (self->rows);
  g_autoptr (ListdChange) change = NULL;

  if (before != NULL)
    {
      g_autofree guint32 *copy = g_new (guint32, listd_counts_get_n_sections (before) + 1);
      for (guint i = 0; i < listd_counts_get_n_sections (before); i++)
        copy[i] = listd_counts_get (before, i);
      counts = listd_counts_new (copy, listd_counts_get_n_sections (before));
    }
  for (guint i = 0; i < n; i++)
    updates[i] = g_queue_pop_head (&self->pending);
  change = listd_updates_change (updates, n, listd_rows_get_n_sections (self->rows), &counts, births, asked);
  self->funcs->moving (self->queue->object, updates, n);
  self->revision = listd_update_get_revision (updates[n - 1]);
  log_updates (self, updates, n);
  self->attempts = 0;
  listd_rows_apply (self->rows, change, counts, listd_update_get_n_sections (updates[n - 1]));
  for (guint i = 0; i < n; i++)
    listd_update_unref (updates[i]);
  self->funcs->moved (self->queue->object);
}

/* The pending updates that follow each other without a gap, a reload or another epoch. */
static guint
chain_length (ListdFollower *self, guint64 revision, const char *epoch)
{
  guint n = 0;

  for (GList *link = self->pending.head; link != NULL; link = link->next)
    {
      ListdUpdate *update = link->data;
      if (listd_update_get_kind (update) == LISTD_UPDATE_RELOAD || listd_update_get_base (update) != revision
          || g_strcmp0 (listd_update_get_epoch (update), epoch) != 0)
        break;
      revision = listd_update_get_revision (update);
      n++;
    }
  return n;
}

static GArray *
births_of_pending (ListdFollower *self, guint n, guint *n_alive)
{
  g_autofree ListdUpdate **updates = g_new (ListdUpdate *, n + 1);
  GList *link = self->pending.head;
  GArray *births;

  for (guint i = 0; i < n; i++, link = link->next)
    updates[i] = link->data;
  births = listd_births_new (updates, n);
  *n_alive = 0;
  for (guint i = 0; i < births->len; i++)
    *n_alive += g_array_index (births, ListdBirth, i).alive;
  return births;
}

/* Changes that were missed */

typedef struct
{
  ListdFollower *follower;
  guint serial;
  guint first, count; /* of a question about a range */
  guint lost;         /* of a search */
} Asked;

static Asked *
asked_new (ListdFollower *self)
{
  Asked *asked = g_new0 (Asked, 1);
  asked->follower = self;
  asked->serial = self->serial;
  return asked;
}

static void
on_changes (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  Asked *asked = data;
  ListdFollower *self = asked->follower;
  g_autoptr (GVariant) batches = NULL;
  guint64 revision;
  GList *before;

  if (asked->serial != self->serial)
    return;
  set_work (self, IDLE);
  if (error != NULL)
    {
      self->funcs->lost (object);
      return;
    }
  g_variant_get (reply, "(t@a(ttsuu(a(uu)a(uu)a(uu)a(uu))(a(uu)a(uu)a(uuuu)a(uu))))", &revision, &batches);
  if (g_variant_n_children (batches) == 0 && revision > self->revision)
    {
      self->funcs->lost (object);
      return;
    }
  before = self->pending.head;
  for (gsize i = 0; i < g_variant_n_children (batches); i++)
    {
      guint64 base, next;
      guint n_sections, n_items;
      const char *kind;
      g_autoptr (GVariant) batch = g_variant_get_child_value (batches, i);
      g_autoptr (GVariant) sections = NULL;
      g_autoptr (GVariant) items = NULL;
      ListdUpdate *update;

      g_variant_get (batch, "(tt&suu@(a(uu)a(uu)a(uu)a(uu))@(a(uu)a(uu)a(uuuu)a(uu)))", &base, &next, &kind, &n_sections, &n_items, &sections,
                     &items);
      update = listd_update_new (self->epoch, base, next, kind, n_sections, n_items, FALSE, sections, items);
      if (before != NULL)
        g_queue_insert_before (&self->pending, before, update);
      else
        g_queue_push_tail (&self->pending, update);
    }
  self->needed = MAX (self->needed, revision);
  advance (self);
}

static void
ask_changes (ListdFollower *self)
{
  set_work (self, ASKING_CHANGES);
  listd_client_ask (self->client, self->queue, self->path, "Adapter", "GetChanges", g_variant_new ("(st)", self->epoch, self->revision),
                    "(ta(ttsuu(a(uu)a(uu)a(uu)a(uu))(a(uu)a(uu)a(uuuu)a(uu))))", on_changes, asked_new (self), g_free);
}

/* Numbers of items that updates do not tell */

static void ask_counts (ListdFollower *self);

static void
on_counts (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  Asked *asked = data;
  ListdFollower *self = asked->follower;
  guint64 revision;
  guint next, n = 0, n_alive, found = 0;
  gsize n_counts;
  g_autoptr (GVariant) array = NULL;
  g_autoptr (GArray) births = NULL;
  g_autofree guint32 *wanted = NULL;
  const guint32 *counts;
  gboolean complete = TRUE;

  if (asked->serial != self->serial)
    return;
  set_work (self, IDLE);
  if (error != NULL)
    {
      self->funcs->lost (object);
      return;
    }
  g_variant_get (reply, "(tu@au)", &revision, &next, &array);
  counts = g_variant_get_fixed_array (array, &n_counts, sizeof (guint32));
  if (revision > self->revision)
    {
      guint length = chain_length (self, self->revision, self->epoch);
      guint64 reached = self->revision;

      for (GList *link = self->pending.head; n < length && listd_update_get_revision (link->data) <= revision; link = link->next, n++)
        reached = listd_update_get_revision (link->data);
      if (reached != revision)
        {
          /* There is a reload, a gap or another epoch in between: what counts comes later. */
          ListdUpdate *update = NULL;
          while (n-- > 0)
            listd_update_unref (g_queue_pop_head (&self->pending));
          update = g_queue_peek_head (&self->pending);
          if (update != NULL && listd_update_get_kind (update) == LISTD_UPDATE_RELOAD
              && g_strcmp0 (listd_update_get_epoch (update), self->epoch) == 0)
            advance (self);
          else
            self->funcs->lost (object);
          return;
        }
    }
  if (n == 0)
    {
      advance (self);
      return;
    }
  births = births_of_pending (self, n, &n_alive);
  wanted = g_new (guint32, n_alive + 1);
  for (guint i = 0; i < births->len; i++)
    {
      const ListdBirth *birth = &g_array_index (births, ListdBirth, i);

      if (!birth->alive)
        continue;
      if (birth->now < asked->first || birth->now - asked->first >= n_counts)
        complete = FALSE;
      else
        wanted[found++] = counts[birth->now - asked->first];
    }
  if (complete)
    {
      apply_pending (self, n, births, wanted);
      advance (self);
    }
  else if (++self->attempts < 8)
    ask_counts (self);
  else
    self->funcs->lost (object);
}

static void
ask_counts (ListdFollower *self)
{
  guint n = chain_length (self, self->revision, self->epoch), n_alive, first = G_MAXUINT, last = 0, margin = 32u << (2 * MIN (self->attempts, 4));
  g_autoptr (GArray) births = births_of_pending (self, n, &n_alive);
  Asked *asked;

  for (guint i = 0; i < births->len; i++)
    {
      const ListdBirth *birth = &g_array_index (births, ListdBirth, i);
      if (birth->alive)
        {
          first = MIN (first, birth->now);
          last = MAX (last, birth->now);
        }
    }
  if (n_alive == 0)
    {
      apply_pending (self, n, births, NULL);
      advance (self);
      return;
    }
  set_work (self, ASKING_COUNTS);
  asked = asked_new (self);
  asked->first = self->attempts > 5 || first < margin ? 0 : first - margin;
  asked->count = self->attempts > 5 ? G_MAXUINT32 : last - asked->first + 1 + margin;
  listd_client_ask (self->client, self->queue, self->path, "Adapter", "GetItemCounts", g_variant_new ("(uu)", asked->first, asked->count),
                    "(tuau)", on_counts, asked, g_free);
}

/* Reading anew */

static void
finish_relocation (ListdFollower *self)
{
  Relocation *relocation = g_steal_pointer (&self->relocation);
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
    if (g_array_index (relocation->lost, Lost, i).found)
      revision = MAX (revision, g_array_index (relocation->lost, Lost, i).revision);
  while (self->pending.head != NULL
         && (g_strcmp0 (listd_update_get_epoch (self->pending.head->data), relocation->epoch) != 0
             || listd_update_get_revision (self->pending.head->data) <= relocation->base))
    listd_update_unref (g_queue_pop_head (&self->pending));
  n = chain_length (self, relocation->base, relocation->epoch);
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
      set_work (self, IDLE);
      if (reload != NULL && listd_update_get_kind (reload) == LISTD_UPDATE_RELOAD && ++self->attempts < 64)
        relocate (self, relocation->epoch, listd_update_get_revision (reload), listd_update_get_n_sections (reload),
                  listd_update_get_flat (reload));
      else if (reached == revision && ++self->attempts < 64)
        relocate (self, relocation->epoch, reached, n_sections, flat);
      else
        self->funcs->lost (self->queue->object);
      relocation_free (relocation);
      return;
    }

  if (relocation->counts != NULL)
    counts = listd_counts_new ((const guint32 *) (gpointer) relocation->counts->data, relocation->counts->len);
  if (counts != NULL && listd_counts_is_flat (counts))
    g_clear_pointer (&counts, listd_counts_free);
  n_new = counts != NULL ? listd_counts_get_n_items (counts) : n_sections;
  for (guint i = 0; i < relocation->lost->len; i++)
    {
      Lost *lost = &g_array_index (relocation->lost, Lost, i);
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
  set_work (self, IDLE);
  self->funcs->moving (self->queue->object, NULL, 0);
  g_free (self->epoch);
  self->epoch = g_strdup (relocation->epoch);
  self->revision = revision;
  self->filled = TRUE;
  self->attempts = 0;
  clear_updates (&self->log);
  relocation_free (relocation);
  listd_rows_apply (self->rows, change, counts, n_sections);
  self->funcs->moved (self->queue->object);
  advance (self);
}

static void search_lost (ListdFollower *self);

static void
on_all_counts (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  Asked *asked = data;
  ListdFollower *self = asked->follower;
  Relocation *relocation = self->relocation;
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
      Asked *more = asked_new (self);
      more->first = next;
      listd_client_ask (self->client, self->queue, self->path, "Adapter", "GetItemCounts", g_variant_new ("(uu)", next, G_MAXUINT32), "(tuau)",
                        on_all_counts, more, g_free);
    }
}

static void
after_searches (ListdFollower *self)
{
  Relocation *relocation = self->relocation;
  gboolean flat = relocation->flat;
  guint n = chain_length (self, relocation->base, relocation->epoch);

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
                    on_all_counts, asked_new (self), g_free);
}

static void
on_found (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  Asked *asked = data;
  ListdFollower *self = asked->follower;
  Relocation *relocation = self->relocation;

  if (asked->serial != self->serial)
    return;
  relocation->under_way--;
  if (reply != NULL)
    {
      guint64 revision;
      guint section;
      const char *id = g_array_index (relocation->lost, Lost, asked->lost).item->id;

      g_variant_get (reply, "(tusa{sv})", &revision, &section, NULL, NULL);
      for (guint i = asked->lost; i < relocation->lost->len; i++)
        {
          Lost *lost = &g_array_index (relocation->lost, Lost, i);
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
  Relocation *relocation = self->relocation;

  while (relocation->next < relocation->lost->len && relocation->under_way < SEARCHES_AT_ONCE && relocation->searches < MOST_SEARCHES)
    {
      Lost *lost = &g_array_index (relocation->lost, Lost, relocation->next);
      gboolean again = FALSE;

      /* The items of one object are neighbours. */
      if (relocation->next > 0)
        again = g_str_equal (lost->item->id, g_array_index (relocation->lost, Lost, relocation->next - 1).item->id);
      if (!lost->found && !again)
        {
          Asked *asked = asked_new (self);
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
  Asked *asked = data;
  ListdFollower *self = asked->follower;
  Relocation *relocation = self->relocation;

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
          Lost *lost = &g_array_index (relocation->lost, Lost, i);
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

static void
relocate (ListdFollower *self, const char *epoch, guint64 base, guint n_sections, gboolean flat)
{
  Relocation *relocation = g_new0 (Relocation, 1);
  const GPtrArray *items = listd_rows_get_items (self->rows);
  g_autoptr (GArray) positions = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) clusters = NULL;
  ListdCluster best = { 0, 0, 0 };

  relocation->epoch = g_strdup (epoch);
  relocation->base = base;
  relocation->n_sections = n_sections;
  relocation->flat = flat || n_sections == 0;
  relocation->lost = g_array_new (FALSE, FALSE, sizeof (Lost));
  for (guint i = 0; i < items->len; i++)
    {
      ListdItem *item = g_ptr_array_index (items, i);
      if (item->loaded)
        {
          g_array_append_val (positions, item->position);
          g_array_append_val (relocation->lost, ((Lost){ g_object_ref (item), FALSE, 0, 0 }));
        }
    }
  self->relocation = relocation;
  set_work (self, RELOCATING);

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
                        g_variant_new ("(uu^as)", first, last - first + 1, nothing), "(tua(ususa{sv}))", on_guessed, asked_new (self), g_free);
    }
  else
    search_lost (self);
}

/* What comes next */

static void
advance (ListdFollower *self)
{
  while (self->started && self->work == IDLE)
    {
      ListdUpdate *update = g_queue_peek_head (&self->pending);

      if (update == NULL)
        {
          run_waiters (self, FALSE);
          if (self->started && self->work == IDLE && self->pending.head == NULL)
            {
              if (self->needed > self->revision)
                ask_changes (self);
              return;
            }
        }
      else if (g_strcmp0 (listd_update_get_epoch (update), self->epoch) != 0)
        {
          self->funcs->lost (self->queue->object);
          return;
        }
      else if (listd_update_get_revision (update) <= self->revision)
        listd_update_unref (g_queue_pop_head (&self->pending));
      else if (listd_update_get_kind (update) == LISTD_UPDATE_RELOAD)
        relocate (self, self->epoch, listd_update_get_revision (update), listd_update_get_n_sections (update), listd_update_get_flat (update));
      else if (listd_update_get_kind (update) == LISTD_UPDATE_ANNOUNCE || listd_update_get_base (update) != self->revision)
        {
          self->needed = MAX (self->needed, listd_update_get_revision (update));
          if (listd_update_get_kind (update) == LISTD_UPDATE_ANNOUNCE)
            listd_update_unref (g_queue_pop_head (&self->pending));
          if (self->needed > self->revision)
            ask_changes (self);
        }
      else if (listd_update_get_flat (update) && listd_rows_get_counts (self->rows) == NULL)
        {
          apply_pending (self, 1, NULL, NULL);
          run_waiters (self, FALSE);
        }
      else
        {
          self->attempts = 0;
          ask_counts (self);
          return;
        }
    }
}

void
listd_follower_start (ListdFollower *self, const char *epoch, guint64 revision, guint n_sections, guint n_items, gboolean flat)
{
  self->started = TRUE;
  while (self->pending.head != NULL
         && (g_strcmp0 (listd_update_get_epoch (self->pending.head->data), epoch) != 0
             || listd_update_get_revision (self->pending.head->data) <= revision))
    listd_update_unref (g_queue_pop_head (&self->pending));
  if (self->filled && g_strcmp0 (self->epoch, epoch) == 0 && revision >= self->revision && self->attempts == 0)
    {
      /* What was missed, if listd still knows it. */
      self->needed = revision;
      if (self->revision < revision)
        {
          self->attempts = 1;
          ask_changes (self);
        }
      else
        {
          self->funcs->moved (self->queue->object);
          advance (self);
        }
      return;
    }
  self->attempts = 0;
  self->needed = 0;
  relocate (self, epoch, revision, n_sections, flat);
}

void
listd_follower_push (ListdFollower *self, ListdUpdate *update)
{
  g_queue_push_tail (&self->pending, listd_update_ref (update));
  advance (self);
}

void
listd_follower_need (ListdFollower *self, guint64 revision)
{
  self->needed = MAX (self->needed, revision);
  advance (self);
}

void
listd_follower_when_at (ListdFollower *self, guint64 revision, ListdEventFunc func, gpointer data, GDestroyNotify destroy)
{
  Waiter *waiter = g_new (Waiter, 1);

  *waiter = (Waiter){ revision, func, data, destroy };
  g_ptr_array_add (self->waiters, waiter);
  if (!self->started)
    run_waiters (self, TRUE);
  else
    listd_follower_need (self, revision);
}

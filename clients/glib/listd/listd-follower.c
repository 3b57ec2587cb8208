// SPDX-License-Identifier: Apache-2.0
#include "listd-follower-private.h"

#define LONGEST_LOG 256
typedef struct
{
  guint64 revision;
  ListdEventFunc func;
  gpointer data;
  GDestroyNotify destroy;
} Waiter;

static void
waiter_free (gpointer data)
{
  Waiter *waiter = data;

  if (waiter->destroy != NULL)
    waiter->destroy (waiter->data);
  g_free (waiter);
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
  listd_relocation_free (self->relocation);
  listd_updates_clear (&self->pending);
  listd_updates_clear (&self->log);
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

void
listd_follower_set_work (ListdFollower *self, ListdWork work)
{
  self->work = work;
  self->serial++;
}

void
listd_follower_stop (ListdFollower *self)
{
  self->started = FALSE;
  self->needed = 0;
  listd_follower_set_work (self, LISTD_WORK_IDLE);
  g_clear_pointer (&self->relocation, listd_relocation_free);
  listd_updates_clear (&self->pending);
  run_waiters (self, TRUE);
}

void
listd_follower_clear (ListdFollower *self)
{
  g_autoptr (ListdChange) change
      = listd_change_new (listd_rows_get_n (self->rows), 0, g_array_new (FALSE, FALSE, sizeof (ListdRun)));

  listd_follower_stop (self);
  listd_updates_clear (&self->log);
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

/* Applies the first `n` pending updates. When they are no updates of these rows, the list is read anew. */
static void
apply_pending (ListdFollower *self, guint n, const GArray *births, const guint32 *asked)
{
  g_autofree ListdUpdate **updates = g_new (ListdUpdate *, n + 1);
  ListdCounts *counts = NULL;
  const ListdCounts *before = listd_rows_get_counts (self->rows);
  g_autoptr (ListdChange) change = NULL;
  guint n_sections = listd_rows_get_n_sections (self->rows);
  gboolean fit = TRUE;
  GList *link = self->pending.head;

  for (guint i = 0; i < n; i++, link = link->next)
    {
      updates[i] = link->data;
      fit = fit && (listd_update_get_kind (updates[i]) != LISTD_UPDATE_CHANGES || listd_update_get_n_before (updates[i]) == n_sections);
      n_sections = listd_update_get_n_sections (updates[i]);
    }

  if (fit && before != NULL)
    {
      g_autofree guint32 *copy = g_new (guint32, listd_counts_get_n_sections (before) + 1);
      for (guint i = 0; i < listd_counts_get_n_sections (before); i++)
        copy[i] = listd_counts_get (before, i);
      counts = listd_counts_new (copy, listd_counts_get_n_sections (before));
    }
  if (fit)
    change = listd_updates_change (updates, n, listd_rows_get_n_sections (self->rows), &counts, births, asked);
  if (!fit || change->n_new != listd_update_get_n_items (updates[n - 1]))
    {
      g_debug ("%s: the updates do not lead to %u items", self->path, listd_update_get_n_items (updates[n - 1]));
      listd_counts_free (counts);
      listd_follower_relocate (self, self->epoch, listd_update_get_revision (updates[n - 1]), n_sections,
                               listd_update_get_flat (updates[n - 1]));
      return;
    }
  for (guint i = 0; i < n; i++)
    g_queue_pop_head (&self->pending);
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
guint
listd_follower_chain_length (ListdFollower *self, guint64 revision, const char *epoch)
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

ListdAsked *
listd_follower_asked_new (ListdFollower *self)
{
  ListdAsked *asked = g_new0 (ListdAsked, 1);
  asked->follower = self;
  asked->serial = self->serial;
  return asked;
}

static void
on_changes (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdAsked *asked = data;
  ListdFollower *self = asked->follower;
  g_autoptr (GVariant) batches = NULL;
  guint64 revision;
  GList *before;

  if (asked->serial != self->serial)
    return;
  listd_follower_set_work (self, LISTD_WORK_IDLE);
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
  listd_follower_advance (self);
}

static void
ask_changes (ListdFollower *self)
{
  listd_follower_set_work (self, LISTD_WORK_ASKING_CHANGES);
  listd_client_ask (self->client, self->queue, self->path, "Adapter", "GetChanges", g_variant_new ("(st)", self->epoch, self->revision),
                    "(ta(ttsuu(a(uu)a(uu)a(uu)a(uu))(a(uu)a(uu)a(uuuu)a(uu))))", on_changes, listd_follower_asked_new (self), g_free);
}

/* Numbers of items that updates do not tell */

static void ask_counts (ListdFollower *self);

static void
on_counts (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdAsked *asked = data;
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
  listd_follower_set_work (self, LISTD_WORK_IDLE);
  if (error != NULL)
    {
      self->funcs->lost (object);
      return;
    }
  g_variant_get (reply, "(tu@au)", &revision, &next, &array);
  counts = g_variant_get_fixed_array (array, &n_counts, sizeof (guint32));
  if (revision > self->revision)
    {
      guint length = listd_follower_chain_length (self, self->revision, self->epoch);
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
            listd_follower_advance (self);
          else
            self->funcs->lost (object);
          return;
        }
    }
  if (n == 0)
    {
      listd_follower_advance (self);
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
      listd_follower_advance (self);
    }
  else if (++self->attempts < 8)
    ask_counts (self);
  else
    self->funcs->lost (object);
}

static void
ask_counts (ListdFollower *self)
{
  guint n = listd_follower_chain_length (self, self->revision, self->epoch);
  guint n_alive, first = G_MAXUINT, last = 0, margin = 32u << (2 * MIN (self->attempts, 4));
  g_autoptr (GArray) births = births_of_pending (self, n, &n_alive);
  ListdAsked *asked;

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
      listd_follower_advance (self);
      return;
    }
  listd_follower_set_work (self, LISTD_WORK_ASKING_COUNTS);
  asked = listd_follower_asked_new (self);
  asked->first = self->attempts > 5 || first < margin ? 0 : first - margin;
  asked->count = self->attempts > 5 ? G_MAXUINT32 : last - asked->first + 1 + margin;
  listd_client_ask (self->client, self->queue, self->path, "Adapter", "GetItemCounts", g_variant_new ("(uu)", asked->first, asked->count),
                    "(tuau)", on_counts, asked, g_free);
}

/* What comes next */

void
listd_follower_advance (ListdFollower *self)
{
  while (self->started && self->work == LISTD_WORK_IDLE)
    {
      ListdUpdate *update = g_queue_peek_head (&self->pending);

      if (update == NULL)
        {
          run_waiters (self, FALSE);
          if (self->started && self->work == LISTD_WORK_IDLE && self->pending.head == NULL)
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
        listd_follower_relocate (self, self->epoch, listd_update_get_revision (update), listd_update_get_n_sections (update),
                                 listd_update_get_flat (update));
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
          listd_follower_advance (self);
        }
      return;
    }
  self->attempts = 0;
  self->needed = 0;
  /* The rows may be those of another epoch, which has the same revisions: nothing of the list belongs to them. */
  self->filled = FALSE;
  listd_follower_relocate (self, epoch, revision, n_sections, flat);
}

void
listd_follower_push (ListdFollower *self, ListdUpdate *update)
{
  g_queue_push_tail (&self->pending, listd_update_ref (update));
  listd_follower_advance (self);
}

void
listd_follower_need (ListdFollower *self, guint64 revision)
{
  self->needed = MAX (self->needed, revision);
  listd_follower_advance (self);
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

// SPDX-License-Identifier: Apache-2.0
/* Random updates of lists, against lists of names that are simply compared. */
#include "listd-chain.h"

#include <stdlib.h>

typedef struct
{
  guint name;
  GArray *items; /* of names */
} Section;

static guint next_name = 1;
/* The sections that were reloaded. None is twice: what its items are then, nobody can say. */
static GHashTable *reloaded;

static void
section_clear (gpointer data)
{
  g_array_unref (((Section *) data)->items);
}

static GArray *
list_new (void)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Section));
  g_array_set_clear_func (list, section_clear);
  return list;
}

static Section
section_new (GRand *rand, gboolean flat)
{
  Section section = { next_name++, g_array_new (FALSE, FALSE, sizeof (guint)) };
  guint n = flat ? 1 : g_rand_int_range (rand, 0, 4);

  for (guint i = 0; i < n; i++)
    g_array_append_val (section.items, ((guint){ next_name++ }));
  return section;
}

static Section
section_copy (const Section *section)
{
  return (Section){ section->name, g_array_copy (section->items) };
}

static GArray *
flatten (GArray *list)
{
  GArray *items = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < list->len; i++)
    {
      GArray *own = g_array_index (list, Section, i).items;
      if (own->len > 0)
        g_array_append_vals (items, own->data, own->len);
    }
  return items;
}

static ListdCounts *
counts_of (GArray *list)
{
  g_autofree guint32 *counts = g_new0 (guint32, list->len + 1);
  for (guint i = 0; i < list->len; i++)
    counts[i] = g_array_index (list, Section, i).items->len;
  return listd_counts_new (counts, list->len);
}

static gboolean
is_flat (GArray *list)
{
  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, Section, i).items->len != 1)
      return FALSE;
  return TRUE;
}

/* Makes a random update, and the list after it. */
static ListdUpdate *
step (GRand *rand, GArray *old, gboolean flat, guint64 revision, GArray **result)
{
  GArray *now = list_new ();
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint)); /* old numbers, or G_MAXUINT for new sections */
  g_autoptr (GArray) movers = g_array_new (FALSE, FALSE, sizeof (guint));
  GVariantBuilder deletes, inserts, moves, reloads, item_deletes, item_inserts, item_moves, item_reloads;
  guint n_items = 0;
  g_autofree gboolean *moved = g_new0 (gboolean, old->len + 1);

  g_variant_builder_init (&deletes, G_VARIANT_TYPE ("a(uu)"));
  g_variant_builder_init (&inserts, G_VARIANT_TYPE ("a(uu)"));
  g_variant_builder_init (&moves, G_VARIANT_TYPE ("a(uu)"));
  g_variant_builder_init (&reloads, G_VARIANT_TYPE ("a(uu)"));
  g_variant_builder_init (&item_deletes, G_VARIANT_TYPE ("a(uu)"));
  g_variant_builder_init (&item_inserts, G_VARIANT_TYPE ("a(uu)"));
  g_variant_builder_init (&item_moves, G_VARIANT_TYPE ("a(uuuu)"));
  g_variant_builder_init (&item_reloads, G_VARIANT_TYPE ("a(uu)"));

  for (guint i = 0; i < old->len; i++)
    {
      int dice = g_rand_int_range (rand, 0, 12);
      if (dice == 0)
        g_variant_builder_add (&deletes, "(uu)", i, 1);
      else if (dice == 1)
        {
          g_array_append_val (movers, i);
          moved[i] = TRUE;
        }
      else
        g_array_append_val (order, i);
    }
  for (guint i = 0; i < movers->len; i++)
    g_array_insert_val (order, g_rand_int_range (rand, 0, order->len + 1), g_array_index (movers, guint, i));
  for (int i = g_rand_int_range (rand, 0, 4); i > 0; i--)
    {
      guint fresh = G_MAXUINT;
      g_array_insert_val (order, g_rand_int_range (rand, 0, order->len + 1), fresh);
    }
  for (guint to = 0; to < order->len; to++)
    {
      guint from = g_array_index (order, guint, to);
      Section section;
      int dice = g_rand_int_range (rand, 0, 8);

      if (from == G_MAXUINT)
        {
          g_variant_builder_add (&inserts, "(uu)", to, 1);
          section = section_new (rand, flat);
        }
      else
        {
          section = section_copy (&g_array_index (old, Section, from));
          if (moved[from])
            g_variant_builder_add (&moves, "(uu)", from, to);
          if (dice == 0 && !g_hash_table_contains (reloaded, GUINT_TO_POINTER (section.name)))
            {
              /* A reload keeps the first items, as far as there are any. */
              guint n = flat ? 1 : g_rand_int_range (rand, 0, 4);
              g_variant_builder_add (&reloads, "(uu)", from, 1);
              g_hash_table_add (reloaded, GUINT_TO_POINTER (section.name));
              while (section.items->len < n)
                g_array_append_val (section.items, ((guint){ next_name++ }));
              g_array_set_size (section.items, n);
            }
          else if (!flat && dice < 3)
            {
              g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (guint));
              g_autoptr (GArray) mover = g_array_new (FALSE, FALSE, sizeof (guint));
              for (guint i = 0; i < section.items->len; i++)
                {
                  int fate = g_rand_int_range (rand, 0, 4);
                  if (fate == 0)
                    g_variant_builder_add (&item_deletes, "(uu)", from, i);
                  else if (fate == 1)
                    g_array_append_val (mover, i);
                  else
                    g_array_append_val (kept, i);
                }
              for (guint i = 0; i < mover->len; i++)
                g_array_insert_val (kept, g_rand_int_range (rand, 0, kept->len + 1), g_array_index (mover, guint, i));
              if (g_rand_boolean (rand))
                {
                  guint fresh = G_MAXUINT;
                  g_array_insert_val (kept, g_rand_int_range (rand, 0, kept->len + 1), fresh);
                }
              for (guint i = 0; i < kept->len; i++)
                {
                  guint *place = &g_array_index (kept, guint, i), was = *place;
                  if (was == G_MAXUINT)
                    {
                      g_variant_builder_add (&item_inserts, "(uu)", to, i);
                      *place = next_name++;
                      continue;
                    }
                  for (guint k = 0; k < mover->len; k++)
                    if (g_array_index (mover, guint, k) == was)
                      g_variant_builder_add (&item_moves, "(uuuu)", from, was, to, i);
                  *place = g_array_index (section.items, guint, was);
                }
              g_array_set_size (section.items, 0);
              g_array_append_vals (section.items, kept->data, kept->len);
            }
          else if (dice == 3 && section.items->len > 0)
            g_variant_builder_add (&item_reloads, "(uu)", from, 0);
        }
      n_items += section.items->len;
      g_array_append_val (now, section);
    }
  *result = now;
  {
    g_autoptr (GVariant) sections = g_variant_ref_sink (g_variant_new ("(a(uu)a(uu)a(uu)a(uu))", &deletes, &inserts, &moves, &reloads));
    g_autoptr (GVariant) items
        = g_variant_ref_sink (g_variant_new ("(a(uu)a(uu)a(uuuu)a(uu))", &item_deletes, &item_inserts, &item_moves, &item_reloads));
    return listd_update_new ("epoch", revision, revision + 1, "update", now->len, n_items, is_flat (now), sections, items);
  }
}

static guint
find (GArray *items, guint name)
{
  for (guint i = 0; i < items->len; i++)
    if (g_array_index (items, guint, i) == name)
      return i;
  return G_MAXUINT;
}

static gboolean
find_in (GArray *list, guint name, guint *section, guint *item)
{
  for (*section = 0; *section < list->len; (*section)++)
    {
      *item = find (g_array_index (list, Section, *section).items, name);
      if (*item != G_MAXUINT)
        return TRUE;
    }
  return FALSE;
}

static void
check_splices (GArray *splices, const ListdChange *change, GArray *before, GArray *after, guint most, guint n_held)
{
  g_autoptr (GArray) model = g_array_copy (before);
  guint last_old = 0, last_now = 0;

  /* Joined stretches are told as gone and come, so only what is outside of all splices must be the same. */
  for (guint i = 0; i < splices->len; i++)
    {
      ListdSplice *splice = &g_array_index (splices, ListdSplice, i);
      g_assert_cmpuint (splice->old - last_old, ==, splice->now - last_now);
      for (guint k = 0; k < splice->old - last_old; k++)
        g_assert_cmpuint (g_array_index (before, guint, last_old + k), ==, g_array_index (after, guint, last_now + k));
      last_old = splice->old + splice->removed;
      last_now = splice->now + splice->added;
    }
  g_assert_cmpuint (change->n_old - last_old, ==, change->n_new - last_now);
  for (guint k = 0; k < change->n_old - last_old; k++)
    g_assert_cmpuint (g_array_index (before, guint, last_old + k), ==, g_array_index (after, guint, last_now + k));
  for (guint i = splices->len; i-- > 0;)
    {
      ListdSplice *splice = &g_array_index (splices, ListdSplice, i);
      if (splice->removed > 0)
        g_array_remove_range (model, splice->old, splice->removed);
      if (splice->added > 0)
        g_array_insert_vals (model, splice->old, &g_array_index (after, guint, splice->now), splice->added);
    }
  g_assert_cmpuint (model->len, ==, after->len);
  for (guint i = 0; i < model->len; i++)
    g_assert_cmpuint (g_array_index (model, guint, i), ==, g_array_index (after, guint, i));
  g_assert_cmpuint (splices->len, <=, most + n_held + 1);
}

static void
random_updates (gconstpointer data)
{
  gboolean flat_wanted = GPOINTER_TO_INT (data);

  for (guint seed = 0; seed < 300; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      guint n = g_rand_int_range (rand, 1, 6);
      gboolean flat = flat_wanted;
      g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
      g_autoptr (GPtrArray) updates = g_ptr_array_new_with_free_func ((GDestroyNotify) listd_update_unref);
      GArray *first = list_new (), *last;
      ListdCounts *counts;
      g_autoptr (GArray) births = NULL;
      g_autoptr (GArray) asked = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_autoptr (ListdChange) change = NULL;
      g_autoptr (GArray) before = NULL;
      g_autoptr (GArray) after = NULL;
      g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
      g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (guint));

      reloaded = names;
      for (int i = g_rand_int_range (rand, 0, 40); i > 0; i--)
        {
          Section section = section_new (rand, flat);
          g_array_append_val (first, section);
        }
      g_ptr_array_add (lists, first);
      for (guint i = 0; i < n; i++)
        {
          GArray *next;
          g_ptr_array_add (updates, step (rand, g_ptr_array_index (lists, i), flat, i, &next));
          g_ptr_array_add (lists, next);
        }
      last = g_ptr_array_index (lists, n);
      before = flatten (first);
      after = flatten (last);
      counts = is_flat (first) ? NULL : counts_of (first);
      births = listd_births_new ((ListdUpdate *const *) updates->pdata, n);
      for (guint i = 0; i < births->len; i++)
        {
          ListdBirth *birth = &g_array_index (births, ListdBirth, i);
          if (birth->alive)
            g_array_append_val (asked, ((guint32){ g_array_index (last, Section, birth->now).items->len }));
        }
      change = listd_updates_change ((ListdUpdate *const *) updates->pdata, n, first->len, &counts, births,
                                     (const guint32 *) (gpointer) asked->data);
      g_assert_cmpuint (change->n_old, ==, before->len);
      g_assert_cmpuint (change->n_new, ==, after->len);
      g_assert_true ((counts == NULL) == is_flat (last));
      if (counts != NULL)
        {
          g_autoptr (ListdCounts) truth = counts_of (last);
          g_assert_cmpuint (listd_counts_get_n_items (counts), ==, after->len);
          for (guint i = 0; i < last->len; i++)
            {
              g_assert_cmpuint (listd_counts_get (counts, i), ==, listd_counts_get (truth, i));
              for (guint k = 0; k < listd_counts_get (counts, i); k++)
                {
                  guint section, item;
                  listd_counts_find (counts, listd_counts_get_start (counts, i) + k, &section, &item);
                  g_assert_cmpuint (section, ==, i);
                  g_assert_cmpuint (item, ==, k);
                }
            }
        }
      for (guint i = 0; i < before->len; i++)
        {
          guint name = g_array_index (before, guint, i), now, section, item;
          gboolean touched = FALSE, mapped, there = find (after, name) != G_MAXUINT;

          g_assert_true (find_in (first, name, &section, &item));
          if (listd_change_map (change, i, &now))
            {
              g_assert_cmpuint (g_array_index (after, guint, now), ==, name);
            }
          else if (flat)
            g_assert_false (there);
          if (g_rand_int_range (rand, 0, 5) == 0)
            g_array_append_val (held, i);

          /* One by one, through sections. */
          mapped = TRUE;
          for (guint u = 0; mapped && u < n; u++)
            mapped = listd_update_map (g_ptr_array_index (updates, u), &section, &item, &touched);
          if (there)
            {
              g_assert_true (mapped);
              g_assert_cmpuint (g_array_index (g_array_index (last, Section, section).items, guint, item), ==, name);
            }
          else
            g_assert_true (!mapped || section < last->len);
        }
      for (guint most = 0; most < 8; most += 3)
        {
          g_autoptr (GArray) splices
              = listd_change_plan (change, (const guint *) (gpointer) held->data, held->len, most);
          check_splices (splices, change, before, after, most, held->len);
        }
      listd_counts_free (counts);
    }
}

static GArray *
random_runs (GRand *rand, guint n_old, guint n_new)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (ListdRun));

  for (int i = g_rand_int_range (rand, 0, 12); i > 0; i--)
    {
      ListdRun run = { g_rand_int_range (rand, 0, n_old + 2), g_rand_int_range (rand, 0, n_new + 2), g_rand_int_range (rand, 0, 6) };
      if (g_rand_int_range (rand, 0, 40) == 0)
        run.length = G_MAXUINT;
      g_array_append_val (runs, run);
    }
  return runs;
}

/* Every element is in one run at most, old and new, and is where one of `given` puts it. */
static void
check_runs (const ListdChange *change, const GArray *given)
{
  g_autofree gboolean *old = g_new0 (gboolean, change->n_old + 1);
  guint next = 0;

  for (guint i = 0; i < change->runs->len; i++)
    {
      const ListdRun *run = LISTD_RUN (change->runs, i);

      g_assert_cmpuint (run->length, >, 0);
      g_assert_cmpuint (run->to, >=, next);
      g_assert_cmpuint (run->length, <=, change->n_new - run->to);
      g_assert_cmpuint (run->from, <, change->n_old);
      g_assert_cmpuint (run->length, <=, change->n_old - run->from);
      next = run->to + run->length;
      for (guint k = 0; k < run->length; k++)
        {
          gboolean found = given == NULL;

          g_assert_false (old[run->from + k]);
          old[run->from + k] = TRUE;
          for (guint g = 0; !found && g < given->len; g++)
            {
              const ListdRun *one = LISTD_RUN (given, g);
              found = run->from + k >= one->from && run->from + k - one->from < one->length
                      && run->to + k == one->to + (run->from + k - one->from);
            }
          g_assert_true (found);
        }
    }
}

/* What a run is said to keep may be kept by another one too, or not be there at all: the splices make the new list all the same. */
static void
overlapping_runs (void)
{
  for (guint seed = 0; seed < 20000; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      const guint n[] = { g_rand_int_range (rand, 0, 40), g_rand_int_range (rand, 0, 40), g_rand_int_range (rand, 0, 40) };
      GArray *runs = random_runs (rand, n[0], n[1]);
      g_autoptr (GArray) given = g_array_copy (runs);
      g_autoptr (ListdChange) first = listd_change_new (n[0], n[1], runs);
      g_autoptr (ListdChange) second = listd_change_new (n[1], n[2], random_runs (rand, n[1], n[2]));
      g_autoptr (ListdChange) both = listd_change_compose (first, second);
      const ListdChange *const changes[] = { first, both };
      g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (guint));

      check_runs (first, given);
      check_runs (both, NULL);
      for (guint i = 0; i < n[0]; i++)
        if (g_rand_int_range (rand, 0, 5) == 0)
          g_array_append_val (held, i);
      for (guint c = 0; c < G_N_ELEMENTS (changes); c++)
        {
          const ListdChange *change = changes[c];
          g_autoptr (GArray) before = g_array_new (FALSE, FALSE, sizeof (guint));
          g_autoptr (GArray) after = g_array_new (FALSE, FALSE, sizeof (guint));

          for (guint i = 0; i < change->n_old; i++)
            g_array_append_val (before, i);
          for (guint i = change->n_old; i < change->n_old + change->n_new; i++)
            g_array_append_val (after, i);
          for (guint i = 0; i < change->runs->len; i++)
            for (guint k = 0; k < LISTD_RUN (change->runs, i)->length; k++)
              g_array_index (after, guint, LISTD_RUN (change->runs, i)->to + k) = LISTD_RUN (change->runs, i)->from + k;
          for (guint most = 0; most < 8; most += 3)
            {
              g_autoptr (GArray) splices = listd_change_plan (change, (const guint *) (gpointer) held->data, held->len, most);
              check_splices (splices, change, before, after, most, held->len);
            }
        }
    }
}

/* Two known items that are said to be the same element of the new list. */
static void
same_place (void)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (ListdRun));
  const guint held[] = { 20, 22, 30 };
  g_autoptr (ListdChange) change = NULL;
  g_autoptr (GArray) splices = NULL;

  g_array_append_val (runs, ((ListdRun){ 30, 5, 1 }));
  g_array_append_val (runs, ((ListdRun){ 20, 17, 1 }));
  g_array_append_val (runs, ((ListdRun){ 22, 17, 1 }));
  change = listd_change_new (41, 41, runs);
  splices = listd_change_plan (change, held, G_N_ELEMENTS (held), 16);
  for (guint i = 0; i < splices->len; i++)
    {
      g_assert_cmpuint (g_array_index (splices, ListdSplice, i).removed, <=, 41);
      g_assert_cmpuint (g_array_index (splices, ListdSplice, i).added, <=, 41);
    }
}

static void
scattered_deletes (void)
{
  GVariantBuilder deletes;
  g_autoptr (GVariant) sections = NULL;
  g_autoptr (GVariant) items = g_variant_ref_sink (g_variant_new ("(a(uu)a(uu)a(uuuu)a(uu))", NULL, NULL, NULL, NULL));
  g_autoptr (ListdUpdate) update = NULL;
  g_autoptr (ListdChange) change = NULL;
  g_autoptr (GArray) splices = NULL;
  ListdCounts *counts = NULL;
  guint held[206];

  g_variant_builder_init (&deletes, G_VARIANT_TYPE ("a(uu)"));
  for (guint i = 0; i < 4000; i++)
    g_variant_builder_add (&deletes, "(uu)", i * 250, 1);
  sections = g_variant_ref_sink (g_variant_new ("(a(uu)a(uu)a(uu)a(uu))", &deletes, NULL, NULL, NULL));
  update = listd_update_new ("e", 1, 2, "update", 996000, 996000, TRUE, sections, items);
  change = listd_updates_change (&update, 1, 1000000, &counts, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (held); i++)
    held[i] = 500000 + i;
  splices = listd_change_plan (change, held, G_N_ELEMENTS (held), 16);
  g_assert_cmpuint (splices->len, <=, 20);
  g_assert_null (counts);
}

static void
contradictions (void)
{
  static const struct
  {
    const char *sections, *items;
    ListdUpdateKind kind;
  } batches[] = {
    { "(@a(uu) [(5, 1)], @a(uu) [], @a(uu) [(1, 9)], @a(uu) [])", "(@a(uu) [], @a(uu) [], @a(uuuu) [], @a(uu) [])", LISTD_UPDATE_RELOAD },
    { "(@a(uu) [], @a(uu) [], @a(uu) [], @a(uu) [])", "(@a(uu) [(1, 0)], @a(uu) [(1, 2)], @a(uuuu) [(1, 1, 1, 0)], @a(uu) [])",
      LISTD_UPDATE_CHANGES },
    { "(@a(uu) [], @a(uu) [], @a(uu) [], @a(uu) [])", "(@a(uu) [(1, 0), (1, 0)], @a(uu) [], @a(uuuu) [], @a(uu) [])", LISTD_UPDATE_RELOAD },
    { "(@a(uu) [], @a(uu) [], @a(uu) [], @a(uu) [])", "(@a(uu) [(1, 0)], @a(uu) [], @a(uuuu) [(1, 0, 2, 0)], @a(uu) [])",
      LISTD_UPDATE_RELOAD },
    { "(@a(uu) [], @a(uu) [], @a(uu) [], @a(uu) [])", "(@a(uu) [], @a(uu) [(2, 0)], @a(uuuu) [(1, 0, 2, 0)], @a(uu) [])",
      LISTD_UPDATE_RELOAD },
    { "(@a(uu) [], @a(uu) [], @a(uu) [], @a(uu) [(1, 1)])", "(@a(uu) [], @a(uu) [], @a(uuuu) [(1, 0, 2, 0)], @a(uu) [])",
      LISTD_UPDATE_RELOAD },
  };

  for (guint i = 0; i < G_N_ELEMENTS (batches); i++)
    {
      g_autoptr (GVariant) sections = g_variant_ref_sink (g_variant_new_parsed (batches[i].sections));
      g_autoptr (GVariant) items = g_variant_ref_sink (g_variant_new_parsed (batches[i].items));
      g_autoptr (ListdUpdate) update = listd_update_new ("e", 1, 2, "update", 3, 3, FALSE, sections, items);

      g_assert_cmpint (listd_update_get_kind (update), ==, batches[i].kind);
    }
}

static void
clusters (void)
{
  const guint positions[] = { 0, 1, 2, 10, 500, 501, 503, 9000 };
  g_autoptr (GArray) found = listd_clusters_new (positions, G_N_ELEMENTS (positions), 8, 512);
  g_autoptr (GArray) narrow = listd_clusters_new (positions, G_N_ELEMENTS (positions), 8, 3);

  g_assert_cmpuint (found->len, ==, 3);
  g_assert_cmpuint (g_array_index (found, ListdCluster, 0).length, ==, 11);
  g_assert_cmpuint (g_array_index (found, ListdCluster, 0).count, ==, 4);
  g_assert_cmpuint (g_array_index (found, ListdCluster, 1).first, ==, 500);
  g_assert_cmpuint (g_array_index (found, ListdCluster, 1).length, ==, 4);
  g_assert_cmpuint (g_array_index (found, ListdCluster, 2).count, ==, 1);
  g_assert_cmpuint (narrow->len, ==, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/update/flat lists: random chains of updates → the same as comparing names", GINT_TO_POINTER (TRUE), random_updates);
  g_test_add_data_func ("/update/lists of many items: random chains → the same as comparing names", GINT_TO_POINTER (FALSE), random_updates);
  g_test_add_func ("/update/4,000 scattered deletes of a million → at most 20 splices", scattered_deletes);
  g_test_add_func ("/update/batches that contradict themselves → the list is read anew", contradictions);
  g_test_add_func ("/update/two known items for one place → one of them has it", same_place);
  g_test_add_func ("/update/runs that overlap or lead out of the list → splices that make the new list", overlapping_runs);
  g_test_add_func ("/update/positions → runs of neighbours", clusters);
  return g_test_run ();
}

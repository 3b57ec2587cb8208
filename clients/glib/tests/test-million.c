// SPDX-License-Identifier: Apache-2.0
/* What a list of a million rows costs its client: test-million [ROWS] */
#include "stage.h"

#include <stdio.h>
#include <stdlib.h>

static guint n_signals;

static guint64
calls_of_views (Stage *stage)
{
  g_autoptr (GVariant) reply = stage_call (stage, "/org/listd/Listd1", "Manager", "ListClients", NULL);
  g_autoptr (GVariant) clients = g_variant_get_child_value (reply, 0);
  guint64 calls = 0;

  for (gsize i = 0; i < g_variant_n_children (clients); i++)
    {
      g_autoptr (GVariant) client = g_variant_get_child_value (clients, i);
      g_autoptr (GVariant) details = g_variant_get_child_value (client, g_variant_n_children (client) - 1);
      guint64 own = 0, views = 0;

      g_variant_lookup (details, "calls", "t", &own);
      g_variant_lookup (details, "views", "t", &views);
      if (views > 0)
        calls += own;
    }
  return calls;
}

static gsize
resident (void)
{
  unsigned long size = 0, pages = 0;
  FILE *file = fopen ("/proc/self/statm", "r");

  if (fscanf (file, "%lu %lu", &size, &pages) != 2)
    g_error ("/proc/self/statm cannot be read");
  fclose (file);
  return pages * 4096;
}

static void
hold (ListdList *list, GPtrArray *held, guint first)
{
  g_ptr_array_set_size (held, 0);
  for (guint i = first; i < first + 206; i++)
    g_ptr_array_add (held, g_list_model_get_item (G_LIST_MODEL (list), i));
}

static gboolean
loaded (GPtrArray *held)
{
  for (guint i = 0; i < held->len; i++)
    if (!listd_item_get_loaded (g_ptr_array_index (held, i)))
      return FALSE;
  return TRUE;
}

static void
on_items_changed (GListModel *model, guint position, guint removed, guint added, gpointer data)
{
  n_signals++;
}

/* Shows 206 rows of a list, and jumps about; the memory that this took. */
static gsize
show (Stage *stage, const char *name, guint n, guint jumps)
{
  gsize before = resident (), after;
  ListdClient *client = listd_client_new_for_address (stage_address (stage));
  ListdList *list = listd_list_new (client, name);
  g_autoptr (GPtrArray) held = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  gint64 slowest = 0, sum = 0;
  guint64 calls;

  stage_wait (listd_list_get_state (list) == LISTD_LIST_STATE_READY && g_list_model_get_n_items (G_LIST_MODEL (list)) == n);
  hold (list, held, 0);
  stage_wait (loaded (held));
  calls = calls_of_views (stage);
  for (guint i = 0; i < jumps; i++)
    {
      gint64 begin = g_get_monotonic_time (), took;
      hold (list, held, g_rand_int_range (rand, 0, n - 206));
      stage_wait (loaded (held));
      took = g_get_monotonic_time () - begin;
      slowest = MAX (slowest, took);
      sum += took;
    }
  if (jumps > 0)
    {
      double each = (double) (calls_of_views (stage) - calls) / jumps;
      g_print ("%u jumps of %u rows: %.2f calls each, %.1f ms on average, %.1f ms at most\n", jumps, n, each, sum / 1000.0 / jumps,
               slowest / 1000.0);
      g_assert_cmpfloat (each, <=, 2);
    }
  after = resident ();

  if (jumps > 100)
    {
      GVariantBuilder removed;
      g_autofree char *path = stage_path (name);
      g_autoptr (GVariant) reply = NULL;
      guint64 revision;

      g_signal_connect (list, "items-changed", G_CALLBACK (on_items_changed), NULL);
      g_variant_builder_init (&removed, G_VARIANT_TYPE_STRING_ARRAY);
      for (guint i = 0; i < 4000; i++)
        g_variant_builder_add_value (&removed, g_variant_new_take_string (g_strdup_printf ("o%u", i * (n / 4000) + 7)));
      reply = stage_call (stage, path, "Adapter", "ApplyChanges", g_variant_new ("(tasa(ssssa{sv})a{sv})", (guint64) 0, &removed, NULL, NULL));
      g_variant_get (reply, "(t)", &revision);
      stage_wait (listd_list_get_revision (list) == revision && listd_list_get_state (list) == LISTD_LIST_STATE_READY);
      g_print ("4,000 scattered deletes: %u items-changed\n", n_signals);
      g_assert_cmpuint (n_signals, <=, 20);
      g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, n - 4000);
    }
  g_object_unref (list);
  g_object_unref (client);
  return after - before;
}

int
main (int argc, char **argv)
{
  Stage *stage = stage_new (STAGE_DAEMON);
  guint n = argc > 1 ? atoi (argv[1]) : 1000000;
  gsize small, large;

  stage_create (stage, "small", "{'durability': <'memory'>}");
  stage_fill (stage, "small", 300);
  stage_create (stage, "large", "{'durability': <'memory'>}");
  stage_fill (stage, "large", n);
  /* What the first use of the library costs belongs to neither. */
  show (stage, "small", 300, 5);
  small = show (stage, "small", 300, 0);
  large = show (stage, "large", n, 200);
  g_print ("resident memory: %.1f MiB more with 300 rows, %.1f MiB more with %u\n", small / 1048576.0, large / 1048576.0, n);
  g_assert_cmpuint (large, <=, small + 10 * 1048576);
  stage_free (stage);
  return 0;
}

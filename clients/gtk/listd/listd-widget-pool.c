// SPDX-License-Identifier: Apache-2.0
#include "listd-pool-private.h"

/* A row that scrolls away with many rows inside leaves so many widgets at most. */
#define MOST 256

/**
 * ListdWidgetPool:
 *
 * Cells that several flow views of a window share.
 *
 * A cell that one view needs no more is used by another for the same reuse identifier, as for rows that scroll sideways inside of a
 * list. All views of a pool must make the same widgets for a reuse identifier.
 */
struct _ListdWidgetPool
{
  GObject parent_instance;

  GHashTable *free; /* "KIND reuse identifier" -> GPtrArray of ListdCell */
  guint n;
};

enum
{
  PROP_0,
  PROP_N_WIDGETS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (ListdWidgetPool, listd_widget_pool, G_TYPE_OBJECT)

static void
listd_widget_pool_finalize (GObject *object)
{
  g_hash_table_unref (LISTD_WIDGET_POOL (object)->free);
  G_OBJECT_CLASS (listd_widget_pool_parent_class)->finalize (object);
}

static void
listd_widget_pool_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_N_WIDGETS:
      g_value_set_uint (value, LISTD_WIDGET_POOL (object)->n);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_widget_pool_class_init (ListdWidgetPoolClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = listd_widget_pool_finalize;
  object_class->get_property = listd_widget_pool_get_property;
  /**
   * ListdWidgetPool:n-widgets: (getter get_n_widgets)
   *
   * How many cells wait to be used again.
   */
  properties[PROP_N_WIDGETS] = g_param_spec_uint ("n-widgets", NULL, NULL, 0, G_MAXUINT, 0,
                                                  G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
listd_widget_pool_init (ListdWidgetPool *self)
{
  self->free = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
}

static char *
key_of (const char *kind, const char *reuse)
{
  return g_strconcat (kind, " ", reuse, NULL);
}

void
listd_widget_pool_put (ListdWidgetPool *self, ListdCell *cell)
{
  g_autofree char *key = key_of (cell->kind, cell->reuse);
  GPtrArray *cells = g_hash_table_lookup (self->free, key);

  if (cells == NULL)
    {
      cells = g_ptr_array_new_with_free_func (g_object_unref);
      g_hash_table_insert (self->free, g_steal_pointer (&key), cells);
    }
  if (cells->len >= MOST)
    return;
  g_ptr_array_add (cells, g_object_ref_sink (cell));
  self->n++;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_WIDGETS]);
}

ListdCell *
listd_widget_pool_take (ListdWidgetPool *self, const char *kind, const char *reuse)
{
  g_autofree char *key = key_of (kind, reuse);
  GPtrArray *cells = g_hash_table_lookup (self->free, key);

  if (cells == NULL || cells->len == 0)
    return NULL;
  self->n--;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_WIDGETS]);
  return g_ptr_array_steal_index (cells, cells->len - 1);
}

/**
 * listd_widget_pool_new:
 *
 * Makes a pool.
 *
 * Returns: (transfer full): a new pool
 */
ListdWidgetPool *
listd_widget_pool_new (void)
{
  return g_object_new (LISTD_TYPE_WIDGET_POOL, NULL);
}

/**
 * listd_widget_pool_get_n_widgets: (get-property n-widgets)
 * @self: a pool
 *
 * How many cells wait to be used again.
 *
 * Returns: the number
 */
guint
listd_widget_pool_get_n_widgets (ListdWidgetPool *self)
{
  g_return_val_if_fail (LISTD_IS_WIDGET_POOL (self), 0);
  return self->n;
}

/**
 * listd_widget_pool_clear:
 * @self: a pool
 *
 * Drops the cells that wait.
 */
void
listd_widget_pool_clear (ListdWidgetPool *self)
{
  g_return_if_fail (LISTD_IS_WIDGET_POOL (self));
  g_hash_table_remove_all (self->free);
  self->n = 0;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_WIDGETS]);
}

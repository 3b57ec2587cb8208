// SPDX-License-Identifier: Apache-2.0
#include "listd-private.h"

#include <string.h>

/**
 * ListdInfo:
 *
 * What listd says about one of its lists.
 */
struct _ListdInfo
{
  GObject parent_instance;

  char *name;
  char *path;
  GVariant *details; /* a{sv} */
};

enum
{
  PROP_0,
  PROP_NAME,
  PROP_STATE,
  PROP_SOURCE,
  PROP_SOURCE_ERROR,
  PROP_N_OBJECTS,
  PROP_N_ITEMS,
  PROP_DETAILS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (ListdInfo, listd_info, G_TYPE_OBJECT)

static const char *
text_of (ListdInfo *self, const char *key)
{
  const char *text = "";
  g_variant_lookup (self->details, key, "&s", &text);
  return text;
}

static guint
number_of (ListdInfo *self, const char *key)
{
  guint number = 0;
  g_variant_lookup (self->details, key, "u", &number);
  return number;
}

static void
listd_info_finalize (GObject *object)
{
  ListdInfo *self = LISTD_INFO (object);

  g_free (self->name);
  g_free (self->path);
  g_clear_pointer (&self->details, g_variant_unref);
  G_OBJECT_CLASS (listd_info_parent_class)->finalize (object);
}

static void
listd_info_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ListdInfo *self = LISTD_INFO (object);

  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_STATE:
      g_value_set_string (value, text_of (self, "state"));
      break;
    case PROP_SOURCE:
      g_value_set_string (value, text_of (self, "source"));
      break;
    case PROP_SOURCE_ERROR:
      g_value_set_string (value, text_of (self, "source-error"));
      break;
    case PROP_N_OBJECTS:
      g_value_set_uint (value, number_of (self, "objects"));
      break;
    case PROP_N_ITEMS:
      g_value_set_uint (value, number_of (self, "items"));
      break;
    case PROP_DETAILS:
      g_value_set_variant (value, self->details);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_info_class_init (ListdInfoClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->finalize = listd_info_finalize;
  object_class->get_property = listd_info_get_property;
  /**
   * ListdInfo:name: (getter get_name)
   *
   * The name of the list.
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, flags);
  /**
   * ListdInfo:state: (getter get_state)
   *
   * `loading`, `ready`, `paused` or `failed`.
   */
  properties[PROP_STATE] = g_param_spec_string ("state", NULL, NULL, "", flags);
  /**
   * ListdInfo:source: (getter get_source)
   *
   * Where its objects come from.
   */
  properties[PROP_SOURCE] = g_param_spec_string ("source", NULL, NULL, "", flags);
  /**
   * ListdInfo:source-error: (getter get_source_error)
   *
   * What is wrong with the source; "" when nothing is.
   */
  properties[PROP_SOURCE_ERROR] = g_param_spec_string ("source-error", NULL, NULL, "", flags);
  /**
   * ListdInfo:n-objects: (getter get_n_objects)
   *
   * How many objects it had when listd was asked last.
   */
  properties[PROP_N_OBJECTS] = g_param_spec_uint ("n-objects", NULL, NULL, 0, G_MAXUINT, 0, flags);
  /**
   * ListdInfo:n-items: (getter get_n_items)
   *
   * How many items it had when listd was asked last.
   */
  properties[PROP_N_ITEMS] = g_param_spec_uint ("n-items", NULL, NULL, 0, G_MAXUINT, 0, flags);
  /**
   * ListdInfo:details: (getter get_details)
   *
   * Everything that listd says, a dictionary `a{sv}`.
   */
  properties[PROP_DETAILS] = g_param_spec_variant ("details", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
listd_info_init (ListdInfo *self)
{
}

static void
set_details (ListdInfo *self, GVariant *details)
{
  if (self->details != NULL && g_variant_equal (self->details, details))
    return;
  g_clear_pointer (&self->details, g_variant_unref);
  self->details = g_variant_ref_sink (details);
  for (guint i = PROP_STATE; i < N_PROPS; i++)
    g_object_notify_by_pspec (G_OBJECT (self), properties[i]);
}

/**
 * listd_info_get_name: (get-property name)
 * @self: an info
 *
 * The name of the list.
 *
 * Returns: the name
 */
const char *
listd_info_get_name (ListdInfo *self)
{
  g_return_val_if_fail (LISTD_IS_INFO (self), NULL);
  return self->name;
}

/**
 * listd_info_get_state: (get-property state)
 * @self: an info
 *
 * What the list is doing.
 *
 * Returns: `loading`, `ready`, `paused` or `failed`
 */
const char *
listd_info_get_state (ListdInfo *self)
{
  g_return_val_if_fail (LISTD_IS_INFO (self), NULL);
  return text_of (self, "state");
}

/**
 * listd_info_get_source: (get-property source)
 * @self: an info
 *
 * Where the objects come from.
 *
 * Returns: the source
 */
const char *
listd_info_get_source (ListdInfo *self)
{
  g_return_val_if_fail (LISTD_IS_INFO (self), NULL);
  return text_of (self, "source");
}

/**
 * listd_info_get_source_error: (get-property source-error)
 * @self: an info
 *
 * What is wrong with the source.
 *
 * Returns: a sentence, or ""
 */
const char *
listd_info_get_source_error (ListdInfo *self)
{
  g_return_val_if_fail (LISTD_IS_INFO (self), NULL);
  return text_of (self, "source-error");
}

/**
 * listd_info_get_n_objects: (get-property n-objects)
 * @self: an info
 *
 * How many objects the list had when listd was asked last.
 *
 * Returns: the number
 */
guint
listd_info_get_n_objects (ListdInfo *self)
{
  g_return_val_if_fail (LISTD_IS_INFO (self), 0);
  return number_of (self, "objects");
}

/**
 * listd_info_get_n_items: (get-property n-items)
 * @self: an info
 *
 * How many items the list had when listd was asked last.
 *
 * Returns: the number
 */
guint
listd_info_get_n_items (ListdInfo *self)
{
  g_return_val_if_fail (LISTD_IS_INFO (self), 0);
  return number_of (self, "items");
}

/**
 * listd_info_get_details: (get-property details)
 * @self: an info
 *
 * Everything that listd says about the list.
 *
 * Returns: (transfer none): a dictionary `a{sv}`
 */
GVariant *
listd_info_get_details (ListdInfo *self)
{
  g_return_val_if_fail (LISTD_IS_INFO (self), NULL);
  return self->details;
}

/* The lists of a client, sorted by name, as a model that follows what comes and goes. */

#define LISTD_TYPE_DIRECTORY (listd_directory_get_type ())
G_DECLARE_FINAL_TYPE (ListdDirectory, listd_directory, LISTD, DIRECTORY, GObject)

struct _ListdDirectory
{
  GObject parent_instance;

  ListdClient *client;
  ListdQueue queue;
  GPtrArray *infos;
  GSource *soon;
  gboolean asking, again;
  guint properties_subscription;
  GTask *first; /* that waits for the first answer */
};

static void directory_model_init (GListModelInterface *iface);
static void ask_lists (gpointer object, gpointer data);

G_DEFINE_FINAL_TYPE_WITH_CODE (ListdDirectory, listd_directory, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, directory_model_init))

static GType
directory_get_item_type (GListModel *model)
{
  return LISTD_TYPE_INFO;
}

static guint
directory_get_n_items (GListModel *model)
{
  return LISTD_DIRECTORY (model)->infos->len;
}

static gpointer
directory_get_item (GListModel *model, guint position)
{
  ListdDirectory *self = LISTD_DIRECTORY (model);
  return position < self->infos->len ? g_object_ref (g_ptr_array_index (self->infos, position)) : NULL;
}

static void
directory_model_init (GListModelInterface *iface)
{
  iface->get_item_type = directory_get_item_type;
  iface->get_n_items = directory_get_n_items;
  iface->get_item = directory_get_item;
}

static int
compare_infos (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(ListdInfo *const *) a)->name, (*(ListdInfo *const *) b)->name);
}

static void
take_lists (ListdDirectory *self, GVariant *lists)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new_with_free_func (g_object_unref);
  GVariantIter iter;
  const char *name, *path;
  GVariant *details;
  guint i = 0, k = 0;

  g_variant_iter_init (&iter, lists);
  while (g_variant_iter_next (&iter, "(&s&o@a{sv})", &name, &path, &details))
    {
      ListdInfo *info = g_object_new (LISTD_TYPE_INFO, NULL);
      info->name = g_strdup (name);
      info->path = g_strdup (path);
      info->details = details;
      g_ptr_array_add (wanted, info);
    }
  g_ptr_array_sort (wanted, compare_infos);
  while (i < self->infos->len || k < wanted->len)
    {
      ListdInfo *old = i < self->infos->len ? g_ptr_array_index (self->infos, i) : NULL;
      ListdInfo *now = k < wanted->len ? g_ptr_array_index (wanted, k) : NULL;
      int order = old == NULL ? 1 : now == NULL ? -1 : strcmp (old->name, now->name);

      if (order < 0)
        {
          g_ptr_array_remove_index (self->infos, i);
          g_list_model_items_changed (G_LIST_MODEL (self), i, 1, 0);
        }
      else if (order > 0)
        {
          g_ptr_array_insert (self->infos, i, g_object_ref (now));
          g_list_model_items_changed (G_LIST_MODEL (self), i, 0, 1);
          i++;
          k++;
        }
      else
        {
          set_details (old, now->details);
          i++;
          k++;
        }
    }
}

static void
return_first (ListdDirectory *self, const GError *error)
{
  g_autoptr (GTask) first = g_steal_pointer (&self->first);

  if (first == NULL)
    return;
  if (error != NULL)
    g_task_return_error (first, g_error_copy (error));
  else
    g_task_return_pointer (first, g_object_ref (self), g_object_unref);
}

static void
on_lists (gpointer object, GVariant *reply, const GError *error, gpointer data)
{
  ListdDirectory *self = object;
  g_autoptr (GVariant) lists = NULL;

  self->asking = FALSE;
  if (reply != NULL)
    {
      g_variant_get (reply, "(@a(soa{sv}))", &lists);
      take_lists (self, lists);
    }
  return_first (self, error);
  if (self->again)
    ask_lists (self, NULL);
}

static void
ask_lists (gpointer object, gpointer data)
{
  ListdDirectory *self = object;

  self->again = self->asking;
  if (self->asking || !listd_client_is_up (self->client))
    return;
  self->asking = TRUE;
  listd_client_ask (self->client, &self->queue, LISTD_PATH, "Manager", "ListAdapters", NULL, "(a(soa{sv}))", on_lists, NULL, NULL);
}

/* Many lists may come and go at once, so listd is asked a little later, for all of them. */
static void
ask_soon (ListdDirectory *self)
{
  listd_queue_post_later (&self->queue, self->client, &self->soon, 20, ask_lists);
}

static void
on_properties_changed (gpointer object, const char *path, const char *member, GVariant *parameters, gpointer data)
{
  if (g_str_has_prefix (path, LISTD_PATH "/adapters/"))
    ask_soon (object);
}

static void
on_up (gpointer object)
{
  ListdDirectory *self = object;

  if (!listd_client_is_up (self->client))
    return;
  self->properties_subscription = listd_client_subscribe (self->client, &self->queue, NULL, "org.freedesktop.DBus.Properties",
                                                          "PropertiesChanged", NULL, FALSE, on_properties_changed, NULL);
  ask_lists (self, NULL);
}

static void
on_down (gpointer object)
{
  ListdDirectory *self = object;
  guint n = self->infos->len;

  listd_client_unsubscribe (self->client, &self->properties_subscription);
  g_ptr_array_set_size (self->infos, 0);
  if (n > 0)
    g_list_model_items_changed (G_LIST_MODEL (self), 0, n, 0);
}

static void
on_list (gpointer object, const char *path)
{
  ask_soon (object);
}

static const ListdMemberFuncs member_funcs = { on_up, on_down, on_list, on_list };

static void
listd_directory_dispose (GObject *object)
{
  ListdDirectory *self = LISTD_DIRECTORY (object);

  if (self->client != NULL)
    {
      listd_client_remove_member (self->client, &self->queue);
      listd_client_unsubscribe (self->client, &self->properties_subscription);
      listd_queue_cancel (&self->soon);
      listd_queue_clear (&self->queue);
    }
  g_clear_object (&self->client);
  G_OBJECT_CLASS (listd_directory_parent_class)->dispose (object);
}

static void
listd_directory_finalize (GObject *object)
{
  ListdDirectory *self = LISTD_DIRECTORY (object);

  g_ptr_array_unref (self->infos);
  g_clear_object (&self->first);
  G_OBJECT_CLASS (listd_directory_parent_class)->finalize (object);
}

static void
listd_directory_class_init (ListdDirectoryClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = listd_directory_dispose;
  G_OBJECT_CLASS (klass)->finalize = listd_directory_finalize;
}

static void
listd_directory_init (ListdDirectory *self)
{
  listd_queue_init (&self->queue, self);
  self->infos = g_ptr_array_new_with_free_func (g_object_unref);
}

/**
 * listd_client_list_names_async:
 * @self: a client
 * @cancellable: (nullable): a cancellable
 * @callback: (scope async) (closure user_data): what to call with the lists
 * @user_data: data for the callback
 *
 * Asks for all lists, as soon as listd is there.
 */
void
listd_client_list_names_async (ListdClient *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  ListdDirectory *directory;
  GTask *task;

  g_return_if_fail (LISTD_IS_CLIENT (self));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, listd_client_list_names_async);
  directory = g_object_new (LISTD_TYPE_DIRECTORY, NULL);
  directory->client = g_object_ref (self);
  directory->first = g_object_ref (task);
  /* The task keeps the directory until it can hand it over. */
  g_task_set_task_data (task, directory, g_object_unref);
  listd_client_add_member (self, &directory->queue, &member_funcs);
  g_object_unref (task);
}

/**
 * listd_client_list_names_finish:
 * @self: a client
 * @result: the result
 * @error: a location for an error
 *
 * Ends listd_client_list_names_async().
 *
 * Returns: (transfer full): a model of [class@ListdInfo], sorted by name, which follows the lists that come and go
 */
GListModel *
listd_client_list_names_finish (ListdClient *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

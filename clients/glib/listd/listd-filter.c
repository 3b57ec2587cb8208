// SPDX-License-Identifier: Apache-2.0
#include "listd-private.h"

struct _ListdFilter
{
  char *text;
  char **fields;
  char *type;
  char *sort;
  gboolean descending;
  guint limit;
};

G_DEFINE_BOXED_TYPE (ListdFilter, listd_filter, listd_filter_copy, listd_filter_free)

/**
 * listd_filter_new:
 *
 * Makes a filter that lets everything through, in the order of the list.
 *
 * Returns: (transfer full): a new filter
 */
ListdFilter *
listd_filter_new (void)
{
  return g_new0 (ListdFilter, 1);
}

/**
 * listd_filter_copy:
 * @self: a filter
 *
 * Copies a filter.
 *
 * Returns: (transfer full): a copy
 */
ListdFilter *
listd_filter_copy (const ListdFilter *self)
{
  ListdFilter *copy;

  g_return_val_if_fail (self != NULL, NULL);
  copy = listd_filter_new ();
  *copy = (ListdFilter){ g_strdup (self->text), g_strdupv (self->fields), g_strdup (self->type), g_strdup (self->sort), self->descending,
                         self->limit };
  return copy;
}

/**
 * listd_filter_free:
 * @self: (transfer full) (nullable): a filter
 *
 * Frees a filter.
 */
void
listd_filter_free (ListdFilter *self)
{
  if (self == NULL)
    return;
  g_free (self->text);
  g_strfreev (self->fields);
  g_free (self->type);
  g_free (self->sort);
  g_free (self);
}

/**
 * listd_filter_set_contains:
 * @self: a filter
 * @text: (nullable): the text that an object must contain, in whatever case; %NULL or "" = everything
 * @fields: (array zero-terminated=1) (nullable): where to look; %NULL = in every text field
 *
 * Lets through what contains a text.
 */
void
listd_filter_set_contains (ListdFilter *self, const char *text, const char *const *fields)
{
  char **copy;

  g_return_if_fail (self != NULL);
  copy = g_strdupv ((char **) fields);
  g_free (self->text);
  g_strfreev (self->fields);
  self->text = g_strdup (text);
  self->fields = copy;
}

/**
 * listd_filter_set_object_type:
 * @self: a filter
 * @type: (nullable): a type of objects; %NULL = all, "" = those without a type
 *
 * Lets through what is of a type.
 */
void
listd_filter_set_object_type (ListdFilter *self, const char *type)
{
  g_return_if_fail (self != NULL);
  g_free (self->type);
  self->type = g_strdup (type);
}

/**
 * listd_filter_set_sort:
 * @self: a filter
 * @field: (nullable): a field; %NULL = the order of the list
 * @descending: whether the largest comes first
 *
 * Sorts by a field: numbers by value, then text, then everything else.
 */
void
listd_filter_set_sort (ListdFilter *self, const char *field, gboolean descending)
{
  g_return_if_fail (self != NULL);
  g_free (self->sort);
  self->sort = g_strdup (field);
  self->descending = descending;
}

/**
 * listd_filter_set_limit:
 * @self: a filter
 * @limit: the largest number of objects; 0 = all
 *
 * Takes only the first objects.
 */
void
listd_filter_set_limit (ListdFilter *self, guint limit)
{
  g_return_if_fail (self != NULL);
  self->limit = limit;
}

char *
listd_filter_to_argument (ListdFilter *self)
{
  GString *argument = g_string_new (NULL);

  if (self == NULL)
    return g_string_free (argument, FALSE);
#define ADD(key, value)                                                                                                                            \
  G_STMT_START                                                                                                                                     \
  {                                                                                                                                                \
    g_string_append (argument, argument->len > 0 ? "&" key "=" : key "=");                                                                         \
    g_string_append_uri_escaped (argument, (value), NULL, FALSE);                                                                                  \
  }                                                                                                                                                \
  G_STMT_END
  if (self->text != NULL && *self->text != '\0')
    {
      ADD ("contains", self->text);
      for (guint i = 0; self->fields != NULL && self->fields[i] != NULL; i++)
        if (i == 0)
          ADD ("in", self->fields[i]);
        else
          {
            g_string_append_c (argument, ',');
            g_string_append_uri_escaped (argument, self->fields[i], NULL, FALSE);
          }
    }
  if (self->type != NULL)
    ADD ("type", self->type);
  if (self->sort != NULL)
    {
      g_string_append (argument, argument->len > 0 ? "&sort=" : "sort=");
      if (self->descending)
        g_string_append_c (argument, '-');
      g_string_append_uri_escaped (argument, self->sort, NULL, FALSE);
    }
  if (self->limit > 0)
    g_string_append_printf (argument, "%slimit=%u", argument->len > 0 ? "&" : "", self->limit);
  return g_string_free (argument, FALSE);
}

// SPDX-License-Identifier: Apache-2.0
#include "listd-fields.h"

#include <string.h>

static void
free_field (gpointer data, GClosure *closure)
{
  g_free (data);
}

static ListdItem *
item_of (const GValue *values)
{
  GObject *this = g_value_get_object (values);

  return LISTD_IS_ITEM (this) ? LISTD_ITEM (this) : NULL;
}

/* The first parameter is the item, the second its content, which is there so that the value follows it. */
static void
evaluate (GClosure *closure, GValue *result, guint n_values, const GValue *values, gpointer hint, gpointer data)
{
  const char *field = closure->data;
  ListdItem *item = item_of (values);
  GVariant *value = item != NULL ? listd_item_get_value (item, field) : NULL;

  if (G_VALUE_HOLDS_STRING (result))
    g_value_take_string (result, item != NULL ? listd_item_format (item, field) : g_strdup (""));
  else if (G_VALUE_HOLDS_BOOLEAN (result))
    g_value_set_boolean (result, value != NULL
                                     && (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN) ? g_variant_get_boolean (value)
                                                                                              : listd_item_get_int (item, field) != 0));
  else if (G_VALUE_HOLDS_VARIANT (result))
    g_value_set_variant (result, value);
  else if (G_VALUE_HOLDS_DOUBLE (result))
    g_value_set_double (result, item != NULL ? listd_item_get_double (item, field) : 0);
  else if (G_VALUE_HOLDS_FLOAT (result))
    g_value_set_float (result, item != NULL ? (float) listd_item_get_double (item, field) : 0);
  else
    {
      const gint64 number = item != NULL ? listd_item_get_int (item, field) : 0;

      if (G_VALUE_HOLDS_INT (result))
        g_value_set_int (result, (int) CLAMP (number, G_MININT, G_MAXINT));
      else if (G_VALUE_HOLDS_UINT (result))
        g_value_set_uint (result, (guint) CLAMP (number, 0, (gint64) G_MAXUINT));
      else if (G_VALUE_HOLDS_INT64 (result))
        g_value_set_int64 (result, number);
      else if (G_VALUE_HOLDS_UINT64 (result))
        g_value_set_uint64 (result, (guint64) MAX (number, 0));
    }
}

static gboolean
is_value_type (GType type)
{
  return type == G_TYPE_STRING || type == G_TYPE_BOOLEAN || type == G_TYPE_VARIANT || type == G_TYPE_DOUBLE || type == G_TYPE_FLOAT
         || type == G_TYPE_INT || type == G_TYPE_UINT || type == G_TYPE_INT64 || type == G_TYPE_UINT64;
}

/**
 * listd_field_expression_new:
 * @value_type: a string, a boolean, a number, or a [struct@GLib.Variant]
 * @field: the name of a field
 *
 * The value of a field of a [class@Listd.Item], for bindings, [class@Gtk.ColumnView] and others that take expressions. It follows the
 * item. A text is formatted by the hints of the list, as listd_item_format() does.
 *
 * Returns: (transfer full): a new expression
 */
GtkExpression *
listd_field_expression_new (GType value_type, const char *field)
{
  GtkExpression *parameters[2];
  GClosure *closure;

  g_return_val_if_fail (is_value_type (value_type), NULL);
  g_return_val_if_fail (field != NULL, NULL);
  parameters[0] = gtk_property_expression_new (LISTD_TYPE_ITEM, NULL, "content");
  /* The closure gets `this` before its parameters. */
  closure = g_closure_new_simple (sizeof (GClosure), g_strdup (field));
  g_closure_add_finalize_notifier (closure, closure->data, free_field);
  g_closure_set_marshal (closure, evaluate);
  return gtk_closure_expression_new (value_type, closure, 1, parameters);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *row, const char *field)
{
  gtk_list_item_set_child (row, g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "ellipsize", PANGO_ELLIPSIZE_END, NULL));
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *row, const char *field)
{
  GtkWidget *label = gtk_list_item_get_child (row);
  GtkExpressionWatch *watch
      = gtk_expression_bind (listd_field_expression_new (G_TYPE_STRING, field), label, "label", gtk_list_item_get_item (row));

  g_object_set_data_full (G_OBJECT (row), "listd-text", gtk_expression_watch_ref (watch), (GDestroyNotify) gtk_expression_watch_unref);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *row, const char *field)
{
  GtkExpressionWatch *watch = g_object_get_data (G_OBJECT (row), "listd-text");

  gtk_expression_watch_unwatch (watch);
  g_object_set_data (G_OBJECT (row), "listd-text", NULL);
}

/**
 * listd_text_factory_new:
 * @field: the name of a field
 *
 * Makes rows of a [class@Gtk.ListView] or [class@Gtk.ColumnView] that are a label with a field, formatted by the hints of the list.
 *
 * Returns: (transfer full): a new factory
 */
GtkListItemFactory *
listd_text_factory_new (const char *field)
{
  GtkListItemFactory *factory;

  g_return_val_if_fail (field != NULL, NULL);
  factory = gtk_signal_list_item_factory_new ();
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect_data (factory, "bind", G_CALLBACK (on_bind), g_strdup (field), free_field, 0);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), NULL);
  return factory;
}

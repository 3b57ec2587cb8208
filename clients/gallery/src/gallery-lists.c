// SPDX-License-Identifier: Apache-2.0
#include "gallery-lists.h"

#include "gallery-contents.h"

typedef struct
{
  GPtrArray *lists;
  gboolean transient;
} Lists;

static void
list_free (gpointer data)
{
  GalleryList *list = data;

  g_free (list->name);
  g_variant_unref (list->options);
  g_free (list);
}

/* Options in the text format of GVariant. */
static void
add (Lists *self, const char *name, const char *format, ...)
{
  GalleryList *list = g_new0 (GalleryList, 1);
  g_autoptr (GVariant) options = NULL;
  g_auto (GVariantDict) dictionary = { 0 };
  va_list arguments;

  va_start (arguments, format);
  options = g_variant_ref_sink (g_variant_new_parsed_va (format, &arguments));
  va_end (arguments);
  g_variant_dict_init (&dictionary, options);
  g_variant_dict_insert (&dictionary, "transient", "b", self->transient);
  list->name = g_strdup (name);
  list->options = g_variant_ref_sink (g_variant_dict_end (&dictionary));
  g_ptr_array_add (self->lists, list);
}

/* A path in the argument of a source. */
static char *
escape (const char *path)
{
  g_auto (GStrv) percents = g_strsplit (path, "%", -1);
  g_autofree char *once = g_strjoinv ("%25", percents);
  g_auto (GStrv) ands = g_strsplit (once, "&", -1);

  return g_strjoinv ("%26", ands);
}

static void
add_feed (Lists *self, const char *directory)
{
  g_autofree char *path = g_build_filename (directory, "feed.jsonl", NULL);
  g_autofree char *escaped = escape (path);
  g_autofree char *source = g_strconcat ("marslink/feed?", escaped, NULL);

  add (self, "gallery-feed",
       "{'source': <%s>, 'sticky-headers': <true>, 'section-controllers': <{'journal': 'marslink/JournalSectionController', "
       "'message': 'marslink/MessageSectionController', 'weather': 'marslink/WeatherSectionController'}>}",
       source);
}

static void
add_files (Lists *self)
{
  const char *journal = g_getenv ("LISTD_GALLERY_JOURNAL"), *folder = g_getenv ("LISTD_GALLERY_FOLDER");
  g_autofree char *escaped = escape (folder != NULL ? folder : g_get_home_dir ());
  g_autofree char *directory = g_strconcat ("files/directory?", escaped, "&hidden=no", NULL);
  g_autofree char *place = escape (journal != NULL ? journal : "");
  g_autofree char *entries = g_strconcat ("journal/entries?", place, *place != '\0' ? "&" : "", "lines=2000", NULL);

  add (self, "gallery-folder", "{'source': <%s>, 'section-controllers': <{'*': 'files/EntryController'}>, 'sticky-headers': <true>}", directory);
  add (self, "gallery-journal", "{'source': <%s>, 'section-controllers': <{'*': 'journal/EntryController'}>}", entries);
}

GPtrArray *
gallery_lists_new (const char *directory, gboolean transient)
{
  Lists self = { g_ptr_array_new_with_free_func (list_free), transient };

  add (&self, "gallery-photos", "{'working-range': <uint32 36>}");
  add (&self, "gallery-prepared", "@a{sv} {}");
  add_feed (&self, directory);
  add (&self, "gallery-million", "@a{sv} {}");
  add (&self, "gallery-map", "{'layout': <'absolute'>}");
  add (&self, "gallery-shelves", "@a{sv} {}");
  for (guint i = 0; i < GALLERY_SHELVES; i++)
    {
      g_autofree char *name = g_strdup_printf ("gallery-shelf-%u", i);
      add (&self, name, "{'direction': <'horizontal'>}");
    }
  add_files (&self);
  return self.lists;
}

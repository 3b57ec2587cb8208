// SPDX-License-Identifier: Apache-2.0
#include "gallery-writer.h"

#include "gallery-art.h"
#include "gallery-contents.h"
#include "gallery-feed.h"

#include <glib/gstdio.h>
#include <listd.h>

#define NAME "org.listd.Listd1"
#define UPSERTS "a(ssssa{sv})"
/* As many objects as fit into a message, for a list that appears piece by piece. */
#define PIECE 20000
#define INSERTS_PER_SECOND 50

typedef struct
{
  const char *directory;
  guint rows;
  GDBusConnection *connection;
  ListdClient *client;
  GMainLoop *loop;
} Writer;

static GDBusConnection *
connect_to (const char *bus, GError **error)
{
  if (g_str_equal (bus, "session") || g_str_equal (bus, "system"))
    return g_bus_get_sync (bus[1] == 'e' ? G_BUS_TYPE_SESSION : G_BUS_TYPE_SYSTEM, NULL, error);
  return g_dbus_connection_new_for_address_sync (
      bus, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, error);
}

static gboolean
is_away (const GError *error)
{
  return g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN) || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY)
         || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER);
}

static void
on_name (GDBusConnection *connection, const char *name, const char *owner, gpointer loop)
{
  g_main_loop_quit (loop);
}

/* Until somebody has the name. */
static void
await_listd (Writer *self)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  const guint watch = g_bus_watch_name_on_connection (self->connection, NAME, G_BUS_NAME_WATCHER_FLAGS_AUTO_START, on_name, NULL, loop, NULL);

  g_main_loop_run (loop);
  g_bus_unwatch_name (watch);
}

/* Calls a method, again when listd was killed meanwhile: every call of a writer may be repeated. */
static GVariant *
call (Writer *self, const char *path, const char *interface, const char *method, GVariant *parameters, GError **error)
{
  g_autoptr (GVariant) kept = g_variant_ref_sink (parameters);

  for (;;)
    {
      g_autoptr (GError) problem = NULL;
      GVariant *reply
          = g_dbus_connection_call_sync (self->connection, NAME, path, interface, method, kept, NULL, G_DBUS_CALL_FLAGS_NONE, G_MAXINT, NULL, &problem);

      if (reply != NULL)
        return reply;
      if (!is_away (problem))
        {
          g_dbus_error_strip_remote_error (problem);
          g_propagate_error (error, g_steal_pointer (&problem));
          return NULL;
        }
      await_listd (self);
    }
}

static char *
path_of (const char *list)
{
  GString *path = g_string_new ("/org/listd/Listd1/adapters/");

  for (const char *c = list; *c != '\0'; c++)
    if (g_ascii_isalnum (*c))
      g_string_append_c (path, *c);
    else
      g_string_append_printf (path, "_%02x", (guchar) *c);
  return g_string_free (path, FALSE);
}

static guint
count (Writer *self, const char *list)
{
  g_autofree char *path = path_of (list);
  g_autoptr (GVariant) reply = call (self, path, "org.freedesktop.DBus.Properties", "Get", g_variant_new ("(ss)", NAME ".Adapter", "ObjectCount"), NULL);
  g_autoptr (GVariant) value = NULL;

  if (reply == NULL)
    return 0;
  g_variant_get (reply, "(v)", &value);
  return g_variant_get_uint32 (value);
}

static gboolean
apply (Writer *self, const char *list, GVariantBuilder *upserts)
{
  g_autofree char *path = path_of (list);
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply
      = call (self, path, NAME ".Adapter", "ApplyChanges",
              /* Rows that fill a list would fly over the screen, if they were animated. */
              g_variant_new ("(tas" UPSERTS "@a{sv})", (guint64) 0, NULL, upserts, g_variant_new_parsed ("{'animated': <false>}")), &error);

  if (error != NULL)
    g_printerr ("listd-gallery: the list “%s”: %s\n", list, error->message);
  return error == NULL;
}

typedef GVariant *(*Contents) (guint number, guint parameter);

/* Objects with the numbers from `first`, a piece at a time. */
static void
fill (Writer *self, const char *list, const char *type, guint first, guint n, guint piece, Contents contents, guint parameter)
{
  const guint there = count (self, list);

  if (there >= first + n)
    return;
  for (guint number = MAX (first, there); number < first + n;)
    {
      GVariantBuilder upserts;

      g_variant_builder_init (&upserts, G_VARIANT_TYPE (UPSERTS));
      for (guint i = 0; i < piece && number < first + n; i++, number++)
        {
          char id[16];
          g_snprintf (id, sizeof id, "%u", number);
          g_variant_builder_add (&upserts, "(ssss@a{sv})", id, type, "last", "", contents (number, parameter));
        }
      if (!apply (self, list, &upserts))
        return;
    }
}

static GVariant *
person (guint number, guint parameter)
{
  return gallery_contents_person (number);
}

static GVariant *
photo (guint number, guint parameter)
{
  return gallery_contents_photo (number);
}

static GVariant *
tile (guint number, guint parameter)
{
  return gallery_contents_tile (number % GALLERY_MAP_COLUMNS, number / GALLERY_MAP_COLUMNS);
}

static GVariant *
town (guint number, guint parameter)
{
  return gallery_contents_town (number - GALLERY_MAP_COLUMNS * GALLERY_MAP_ROWS);
}

static GVariant *
shelf (guint number, guint parameter)
{
  return gallery_contents_shelf (number);
}

static GVariant *
book (guint number, guint parameter)
{
  return gallery_contents_book (parameter, number);
}

static gboolean
on_message (gpointer data)
{
  Writer *self = data;

  return gallery_feed_append (self->directory);
}

static gboolean
fill_map (gpointer data)
{
  fill (data, "gallery-map", "tile", 0, GALLERY_MAP_COLUMNS * GALLERY_MAP_ROWS, 5000, tile, 0);
  fill (data, "gallery-map", "town", GALLERY_MAP_COLUMNS * GALLERY_MAP_ROWS, gallery_contents_count_towns (), 5000, town, 0);
  g_main_loop_quit (((Writer *) data)->loop);
  return G_SOURCE_REMOVE;
}

static gboolean
fill_million (gpointer data)
{
  Writer *self = data;

  fill (self, "gallery-million", "person", 0, MIN (self->rows, 1000), 1000, person, 0);
  fill (self, "gallery-million", "person", 0, self->rows, PIECE, person, 0);
  g_main_loop_quit (self->loop);
  return G_SOURCE_REMOVE;
}

static gboolean
fill_others (gpointer data)
{
  Writer *self = data;

  g_timeout_add_seconds (6, on_message, self);
  for (guint i = 0; i < GALLERY_SHELVES; i++)
    {
      g_autofree char *name = g_strdup_printf ("gallery-shelf-%u", i);
      fill (self, name, "book", 0, GALLERY_BOOKS, PIECE, book, i);
    }
  fill (self, "gallery-shelves", "shelf", 0, GALLERY_SHELVES, PIECE, shelf, 0);
  return G_SOURCE_REMOVE;
}

/* Rows in front */

static void
on_inserted (GObject *transaction, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  listd_transaction_commit_finish (LISTD_TRANSACTION (transaction), result, &error);
  if (error != NULL && !g_error_matches (error, LISTD_ERROR, LISTD_ERROR_OFFLINE))
    g_printerr ("listd-gallery: a row in front: %s\n", error->message);
}

static gboolean
on_insert (gpointer data)
{
  ListdList *list = data;
  static guint number;
  g_autoptr (ListdTransaction) transaction = NULL;
  g_autofree char *id = NULL;

  if (listd_list_get_state (list) != LISTD_LIST_STATE_READY)
    return G_SOURCE_CONTINUE;
  transaction = listd_list_begin (list, 0);
  /* The next one comes long before a row would have arrived. */
  listd_transaction_set_animated (transaction, FALSE);
  id = g_strdup_printf ("new-%" G_GINT64_FORMAT "-%u", g_get_real_time (), number);
  listd_transaction_upsert (transaction, id, "person", LISTD_POSITION_FIRST, NULL, gallery_contents_person (7000000 + number++));
  listd_transaction_commit_async (transaction, NULL, on_inserted, NULL);
  return G_SOURCE_CONTINUE;
}

/* Thumbnails */

typedef struct
{
  Writer *writer;
  ListdList *photos, *log;
  char *epoch;      /* of the photographs: another one when they were all made again */
  GHashTable *near; /* ids of photographs in the working range of the window */
  GHashTable *made; /* ids of those that have a thumbnail */
  GQueue wanted;    /* of ids */
  guint soon;
} Thumbnails;

static void
on_logged (GObject *transaction, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  listd_transaction_commit_finish (LISTD_TRANSACTION (transaction), result, &error);
}

static void
keep_log (Thumbnails *self, const char *id, const char *name, double milliseconds)
{
  g_autoptr (ListdTransaction) transaction = listd_list_begin (self->log, 0);
  g_auto (GVariantDict) fields = G_VARIANT_DICT_INIT (NULL);

  g_variant_dict_insert (&fields, "name", "s", name);
  g_variant_dict_insert (&fields, "took", "d", milliseconds);
  g_variant_dict_insert (&fields, "time", "x", g_get_real_time ());
  g_variant_dict_insert (&fields, "pid", "u", (guint) getpid ());
  g_variant_dict_insert (&fields, "height", "u", 48);
  listd_transaction_upsert (transaction, id, "prepared", LISTD_POSITION_FIRST, NULL, g_variant_dict_end (&fields));
  listd_transaction_commit_async (transaction, NULL, on_logged, NULL);
}

static gboolean
on_thumbnail (gpointer data)
{
  Thumbnails *self = data;
  g_autofree char *id = g_queue_pop_head (&self->wanted);
  g_autoptr (ListdTransaction) transaction = NULL;
  g_autoptr (GVariant) fields = NULL;
  g_autofree char *file = NULL, *path = NULL;
  const char *name = "";
  const gint64 begin = g_get_monotonic_time ();
  guint seed = 0;
  GVariantDict set;

  if (id == NULL)
    {
      self->soon = 0;
      return G_SOURCE_REMOVE;
    }
  /* What left the range before its turn is not made. */
  if (!g_hash_table_contains (self->near, id))
    return G_SOURCE_CONTINUE;
  fields = g_variant_ref_sink (gallery_contents_photo ((guint) g_ascii_strtoull (id, NULL, 10)));
  g_variant_lookup (fields, "name", "&s", &name);
  g_variant_lookup (fields, "seed", "u", &seed);
  file = g_strconcat (id, ".png", NULL);
  path = g_build_filename (self->writer->directory, "thumbnails", file, NULL);
  if (!gallery_art_write_landscape (path, seed, name))
    return G_SOURCE_CONTINUE;
  g_hash_table_add (self->made, g_strdup (id));

  transaction = listd_list_begin (self->photos, 0);
  g_variant_dict_init (&set, NULL);
  g_variant_dict_insert (&set, "thumbnail", "s", path);
  listd_transaction_patch (transaction, id, g_variant_dict_end (&set), NULL);
  listd_transaction_commit_async (transaction, NULL, on_logged, NULL);
  keep_log (self, id, name, (double) (g_get_monotonic_time () - begin) / 1000);
  return G_SOURCE_CONTINUE;
}

static void
on_working_range (Thumbnails *self, const char *view, GVariant *entered, GVariant *exited)
{
  GVariantIter iter;
  const char *id;

  g_variant_iter_init (&iter, exited);
  while (g_variant_iter_next (&iter, "(u&s)", NULL, &id))
    g_hash_table_remove (self->near, id);
  g_variant_iter_init (&iter, entered);
  while (g_variant_iter_next (&iter, "(u&s)", NULL, &id))
    {
      g_hash_table_add (self->near, g_strdup (id));
      if (!g_hash_table_contains (self->made, id))
        g_queue_push_tail (&self->wanted, g_strdup (id));
    }
  if (self->soon == 0 && !g_queue_is_empty (&self->wanted))
    self->soon = g_idle_add (on_thumbnail, self);
}

/* The photographs come when somebody hears which of them are near the screen. */
static void
on_photos (ListdList *list, GParamSpec *pspec, Thumbnails *self)
{
  if (listd_list_get_state (list) != LISTD_LIST_STATE_READY)
    return;
  if (g_strcmp0 (self->epoch, listd_list_get_epoch (list)) != 0)
    g_hash_table_remove_all (self->made);
  g_free (self->epoch);
  self->epoch = g_strdup (listd_list_get_epoch (list));
  fill (self->writer, "gallery-photos", "photo", 0, GALLERY_PHOTOS, PIECE, photo, 0);
}

static void
make_thumbnails (Writer *writer)
{
  Thumbnails *self = g_new0 (Thumbnails, 1);
  g_autofree char *folder = g_build_filename (writer->directory, "thumbnails", NULL);

  g_mkdir_with_parents (folder, 0700);
  self->writer = writer;
  self->near = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->log = listd_list_new (writer->client, "gallery-prepared");
  self->photos = listd_list_new (writer->client, "gallery-photos");
  listd_list_set_events (self->photos, LISTD_LIST_EVENTS_WORKING_RANGE);
  g_signal_connect_swapped (self->photos, "working-range-changed", G_CALLBACK (on_working_range), self);
  g_signal_connect (self->photos, "notify::state", G_CALLBACK (on_photos), self);
  on_photos (self->photos, NULL, self);
}

int
gallery_writer_run (const char *role, const char *bus, const char *directory, guint rows)
{
  g_autoptr (GError) error = NULL;
  Writer self = { .directory = directory, .rows = rows };

  self.connection = connect_to (bus, &error);
  if (self.connection == NULL)
    {
      g_printerr ("listd-gallery: %s\n", error->message);
      return 69;
    }
  if (g_str_equal (bus, "session") || g_str_equal (bus, "system"))
    self.client = listd_client_new (bus[1] == 'e' ? G_BUS_TYPE_SESSION : G_BUS_TYPE_SYSTEM);
  else
    self.client = listd_client_new_for_address (bus);
  self.loop = g_main_loop_new (NULL, FALSE);
  if (g_str_equal (role, "million"))
    g_idle_add (fill_million, &self);
  else if (g_str_equal (role, "map"))
    g_idle_add (fill_map, &self);
  else if (g_str_equal (role, "others"))
    g_idle_add (fill_others, &self);
  else if (g_str_equal (role, "insert"))
    g_timeout_add (1000 / INSERTS_PER_SECOND, on_insert, listd_list_new (self.client, "gallery-million"));
  else if (g_str_equal (role, "thumbnails"))
    make_thumbnails (&self);
  else
    {
      g_printerr ("listd-gallery: there is no writer “%s”\n", role);
      return 64;
    }
  g_main_loop_run (self.loop);
  return 0;
}

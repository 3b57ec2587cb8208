// SPDX-License-Identifier: Apache-2.0
#include "gallery-service.h"

#include "gallery-feed.h"
#include "gallery-lists.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/prctl.h>

#define NAME "org.listd.Listd1"
#define PATH "/org/listd/Listd1"
/* Long enough that people see what a screen does without listd. */
#define ABSENCE 2500

struct _GalleryService
{
  GObject parent_instance;

  ListdClient *client;
  char *bus;
  char *directory; /* of what belongs to the gallery: the sockets, the store, thumbnails */
  guint rows;
  GSubprocess *dbus, *listd; /* NULL when listd is not the gallery's */
  GPtrArray *writers;
  GHashTable *refusals; /* name of a list that could not be made -> why */
  guint restart;
  guint creating; /* lists that are being made */
  guint filling;  /* processes that fill the long lists */
  gboolean own, begun, stopped;
};

enum
{
  REFUSED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (GalleryService, gallery_service, G_TYPE_OBJECT)

static void
die_with_parent (gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}

static GSubprocess *
spawn (GSubprocessFlags flags, const char *const *arguments, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (flags);

  g_subprocess_launcher_set_child_setup (launcher, die_with_parent, NULL, NULL);
  /* The gallery may run as a service, but its listd is none. */
  g_subprocess_launcher_unsetenv (launcher, "NOTIFY_SOCKET");
  g_subprocess_launcher_unsetenv (launcher, "INVOCATION_ID");
  g_subprocess_launcher_unsetenv (launcher, "G_DEBUG");
  return g_subprocess_launcher_spawnv (launcher, arguments, error);
}

static gboolean
bus_has_listd (GDBusConnection *connection)
{
  const char *methods[] = { "ListNames", "ListActivatableNames" };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    {
      g_autofree const char **names = NULL;
      g_autoptr (GVariant) reply
          = g_dbus_connection_call_sync (connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", methods[i], NULL,
                                         G_VARIANT_TYPE ("(as)"), G_DBUS_CALL_FLAGS_NONE, 5000, NULL, NULL);
      if (reply == NULL)
        continue;
      g_variant_get (reply, "(^a&s)", &names);
      if (g_strv_contains (names, NAME))
        return TRUE;
    }
  return FALSE;
}

/* Whether there is a listd that runs, or that the bus starts, and that lets this user make lists: on the system bus few may. */
static gboolean
may_use (GBusType type)
{
  g_autoptr (GDBusConnection) connection = g_bus_get_sync (type, NULL, NULL);
  g_autofree char *name = g_strdup_printf ("listd-gallery-%d", (int) getpid ());
  g_autoptr (GVariant) made = NULL, removed = NULL;

  if (connection == NULL || !bus_has_listd (connection))
    return FALSE;
  made = g_dbus_connection_call_sync (connection, NAME, PATH, NAME ".Manager", "CreateAdapter",
                                      g_variant_new_parsed ("(%s, {'transient': <true>})", name), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  if (made == NULL)
    return FALSE;
  removed = g_dbus_connection_call_sync (connection, NAME, PATH, NAME ".Manager", "RemoveAdapter", g_variant_new ("(s)", name), NULL,
                                         G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  return TRUE;
}

static gboolean start_listd (GalleryService *self, GError **error);

static gboolean
on_restart (gpointer data)
{
  GalleryService *self = data;
  g_autoptr (GError) error = NULL;

  self->restart = 0;
  if (!start_listd (self, &error))
    g_warning ("listd does not come back: %s", error->message);
  return G_SOURCE_REMOVE;
}

static void
on_listd_ended (GObject *process, GAsyncResult *result, gpointer data)
{
  g_autoptr (GalleryService) self = data;

  g_subprocess_wait_finish (G_SUBPROCESS (process), result, NULL);
  if (!self->stopped && self->listd == G_SUBPROCESS (process))
    self->restart = g_timeout_add (ABSENCE, on_restart, self);
}

static gboolean
start_listd (GalleryService *self, GError **error)
{
  const char *program = g_getenv ("LISTD");
  const char *plugins = g_getenv ("LISTD_PLUGINS");
  g_autofree char *direct = g_strdup_printf ("unix:path=%s/direct.sock", self->directory);
  g_autofree char *configuration = g_build_filename (self->directory, "config", NULL);
  g_autofree char *state = g_build_filename (self->directory, "state", NULL);
  const char *arguments[] = { program != NULL ? program : "listd", "--bus", self->bus, "--direct", direct, "--config", configuration, "--state", state,
                              "--log-level", "warning", plugins != NULL ? "--plugins" : NULL, plugins, NULL };

  g_clear_object (&self->listd);
  self->listd = spawn (G_SUBPROCESS_FLAGS_NONE, arguments, error);
  if (self->listd == NULL)
    return FALSE;
  g_subprocess_wait_async (self->listd, NULL, on_listd_ended, g_object_ref (self));
  return TRUE;
}

static gboolean
start_own (GalleryService *self, GError **error)
{
  g_autofree char *configuration = g_build_filename (self->directory, "config", NULL);
  g_autofree char *file = g_build_filename (configuration, "listd.conf", NULL);
  g_autofree char *address = g_strdup_printf ("--address=unix:path=%s/bus", self->directory);
  g_autofree char *line = NULL;
  const char *arguments[] = { "dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1", address, NULL };
  g_autoptr (GDataInputStream) lines = NULL;

  self->own = TRUE;
  g_mkdir_with_parents (configuration, 0700);
  if (!g_file_set_contents (file, "[Limits]\nAdaptersPerUser=1000\nViewsPerUser=1000\n[Plugin marslink]\nHeadings=yes\n", -1, error))
    return FALSE;
  self->dbus = spawn (G_SUBPROCESS_FLAGS_STDOUT_PIPE, arguments, error);
  if (self->dbus == NULL)
    return FALSE;
  lines = g_data_input_stream_new (g_subprocess_get_stdout_pipe (self->dbus));
  line = g_data_input_stream_read_line (lines, NULL, NULL, error);
  if (line == NULL)
    {
      if (error != NULL && *error == NULL)
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "dbus-daemon did not start");
      return FALSE;
    }
  self->bus = g_strdup_printf ("unix:path=%s/bus", self->directory);
  return start_listd (self, error);
}

/* Folders of the gallery hold files and folders, no links. */
static void
remove_folder (const char *path)
{
  GDir *folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      if (g_unlink (child) != 0)
        remove_folder (child);
    }
  if (folder != NULL)
    g_dir_close (folder);
  g_rmdir (path);
}

static void
end (GSubprocess *process, int number)
{
  if (process == NULL)
    return;
  g_subprocess_send_signal (process, number);
  g_subprocess_wait (process, NULL, NULL);
}

static void
end_writers (GalleryService *self)
{
  for (guint i = 0; i < self->writers->len; i++)
    end (self->writers->pdata[i], SIGTERM);
  g_ptr_array_set_size (self->writers, 0);
}

void
gallery_service_stop (GalleryService *self)
{
  if (self->stopped)
    return;
  self->stopped = TRUE;
  g_clear_handle_id (&self->restart, g_source_remove);
  if (self->client != NULL)
    g_signal_handlers_disconnect_by_data (self->client, self);
  end_writers (self);
  /* Its lists end with it, so nothing has to be stored in order. */
  end (self->listd, SIGKILL);
  end (self->dbus, SIGTERM);
  if (self->directory != NULL)
    remove_folder (self->directory);
}

static void
gallery_service_finalize (GObject *object)
{
  GalleryService *self = GALLERY_SERVICE (object);

  gallery_service_stop (self);
  g_clear_object (&self->client);
  g_clear_object (&self->dbus);
  g_clear_object (&self->listd);
  g_ptr_array_unref (self->writers);
  g_hash_table_unref (self->refusals);
  g_free (self->bus);
  g_free (self->directory);
  G_OBJECT_CLASS (gallery_service_parent_class)->finalize (object);
}

static void
gallery_service_class_init (GalleryServiceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = gallery_service_finalize;
  signals[REFUSED] = g_signal_new ("refused", GALLERY_TYPE_SERVICE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
gallery_service_init (GalleryService *self)
{
  self->writers = g_ptr_array_new_with_free_func (g_object_unref);
  self->refusals = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

GalleryService *
gallery_service_new (const char *bus, guint rows, GError **error)
{
  g_autoptr (GalleryService) self = g_object_new (GALLERY_TYPE_SERVICE, NULL);

  self->rows = rows;
  self->directory = g_dir_make_tmp ("listd-gallery-XXXXXX", error);
  if (self->directory == NULL)
    return NULL;
  if (bus != NULL)
    self->bus = g_strdup (bus);
  else if (may_use (G_BUS_TYPE_SESSION))
    self->bus = g_strdup ("session");
  else if (may_use (G_BUS_TYPE_SYSTEM))
    self->bus = g_strdup ("system");
  else if (!start_own (self, error))
    return NULL;
  if (g_str_equal (self->bus, "session"))
    self->client = listd_client_new (G_BUS_TYPE_SESSION);
  else if (g_str_equal (self->bus, "system"))
    self->client = listd_client_new (G_BUS_TYPE_SYSTEM);
  else
    self->client = listd_client_new_for_address (self->bus);
  return g_steal_pointer (&self);
}

ListdClient *
gallery_service_get_client (GalleryService *self)
{
  return self->client;
}

const char *
gallery_service_get_bus (GalleryService *self)
{
  return self->bus;
}

gboolean
gallery_service_is_own (GalleryService *self)
{
  return self->own;
}

void
gallery_service_kill (GalleryService *self)
{
  if (self->listd != NULL)
    g_subprocess_send_signal (self->listd, SIGKILL);
}

GSubprocess *
gallery_service_run_writer (GalleryService *self, const char *role)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *as = g_strdup_printf ("--writer=%s", role);
  g_autofree char *bus = g_strdup_printf ("--bus=%s", self->bus);
  g_autofree char *directory = g_strdup_printf ("--directory=%s", self->directory);
  g_autofree char *rows = g_strdup_printf ("--rows=%u", self->rows);
  const char *named = g_getenv ("LISTD_GALLERY");
  const char *arguments[] = { named != NULL ? named : program, as, bus, directory, rows, NULL };
  g_autoptr (GError) error = NULL;
  GSubprocess *process = spawn (G_SUBPROCESS_FLAGS_NONE, arguments, &error);

  if (process == NULL)
    g_warning ("the writer of “%s” does not start: %s", role, error->message);
  else
    g_ptr_array_add (self->writers, g_object_ref (process));
  return process;
}

static void
on_filled (GObject *process, GAsyncResult *result, gpointer data)
{
  g_autoptr (GalleryService) self = data;

  g_subprocess_wait_finish (G_SUBPROCESS (process), result, NULL);
  self->filling--;
}

static void
run_writers (GalleryService *self)
{
  const struct
  {
    const char *role, *list;
    gboolean ends;
  } roles[] = { { "thumbnails", "gallery-photos", FALSE }, { "others", "gallery-shelves", FALSE }, { "map", "gallery-map", TRUE }, { "million", "gallery-million", TRUE } };

  /* The writers of the gallery's own listd go on when it is back. Those of another one begin again, with new lists. */
  if (self->own && self->begun)
    return;
  self->begun = TRUE;
  end_writers (self);
  for (guint i = 0; i < G_N_ELEMENTS (roles); i++)
    {
      g_autoptr (GSubprocess) process = NULL;

      if (gallery_service_get_refusal (self, roles[i].list) != NULL)
        continue;
      process = gallery_service_run_writer (self, roles[i].role);
      if (process == NULL || !roles[i].ends)
        continue;
      self->filling++;
      g_subprocess_wait_async (process, NULL, on_filled, g_object_ref (self));
    }
}

gboolean
gallery_service_is_filled (GalleryService *self)
{
  return self->begun && self->filling == 0;
}

const char *
gallery_service_get_refusal (GalleryService *self, const char *list)
{
  return g_hash_table_lookup (self->refusals, list);
}

/* Lists */

typedef struct
{
  GalleryService *service;
  char *name;
} Creation;

static void
on_created (GObject *client, GAsyncResult *result, gpointer data)
{
  g_autofree Creation *creation = data;
  g_autoptr (GalleryService) self = creation->service;
  g_autofree char *name = creation->name;
  g_autoptr (GError) error = NULL;

  listd_client_create_list_finish (LISTD_CLIENT (client), result, &error);
  self->creating--;
  if (self->stopped || g_error_matches (error, LISTD_ERROR, LISTD_ERROR_OFFLINE))
    return;
  if (error != NULL && !g_error_matches (error, LISTD_ERROR, LISTD_ERROR_ADAPTER_EXISTS))
    {
      g_hash_table_replace (self->refusals, g_strdup (name), g_strdup (error->message));
      g_signal_emit (self, signals[REFUSED], 0, name);
    }
  if (self->creating == 0)
    run_writers (self);
}

static void
create_lists (GalleryService *self)
{
  g_autoptr (GPtrArray) lists = NULL;

  if (!listd_client_get_available (self->client))
    return;
  g_hash_table_remove_all (self->refusals);
  lists = gallery_lists_new (self->directory, !self->own);
  for (guint i = 0; i < lists->len; i++)
    {
      const GalleryList *list = lists->pdata[i];
      Creation *creation = g_new (Creation, 1);

      *creation = (Creation){ g_object_ref (self), g_strdup (list->name) };
      self->creating++;
      listd_client_create_list_async (self->client, list->name, list->options, NULL, on_created, creation);
    }
}

void
gallery_service_begin (GalleryService *self)
{
  gallery_feed_begin (self->directory);
  g_signal_connect_swapped (self->client, "notify::available", G_CALLBACK (create_lists), self);
  create_lists (self);
}

// SPDX-License-Identifier: Apache-2.0
#include "stage.h"

#include <errno.h>
#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

struct _Stage
{
  StageKind kind;
  char *directory;
  char *address; /* of the bus */
  char *direct;
  GSubprocess *bus, *listd;
  GDBusConnection *connection;
};

static const char bus_configuration[]
    = "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" "
      "\"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">"
      "<busconfig><type>session</type><listen>unix:path=%s/bus.sock</listen><auth>EXTERNAL</auth>"
      "<policy context=\"default\"><allow user=\"*\"/><allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/>"
      "<allow own=\"*\"/></policy><limit name=\"max_message_size\">100000000</limit></busconfig>";

static void
die_with_parent (gpointer data)
{
  extern int prctl (int, ...);
  prctl (1, SIGKILL);
}

static GSubprocess *
spawn (GSubprocessFlags flags, const char *notify, const char *const *arguments)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (flags);
  g_autoptr (GError) error = NULL;
  GSubprocess *process;

  g_subprocess_launcher_set_child_setup (launcher, die_with_parent, NULL, NULL);
  /* What is wanted of the library is not wanted of the programs beside it. */
  g_subprocess_launcher_unsetenv (launcher, "G_DEBUG");
  g_subprocess_launcher_unsetenv (launcher, "LD_PRELOAD");
  if (notify != NULL)
    g_subprocess_launcher_setenv (launcher, "NOTIFY_SOCKET", notify, TRUE);
  else
    g_subprocess_launcher_unsetenv (launcher, "NOTIFY_SOCKET");
  process = g_subprocess_launcher_spawnv (launcher, arguments, &error);
  g_assert_no_error (error);
  return process;
}

static void
end (GSubprocess **process, int number)
{
  if (*process == NULL)
    return;
  g_subprocess_send_signal (*process, number);
  if (number != SIGCONT)
    g_subprocess_send_signal (*process, SIGCONT);
  g_subprocess_wait (*process, NULL, NULL);
  g_clear_object (process);
}

static void
start_bus (Stage *self)
{
  g_autofree char *configuration = g_build_filename (self->directory, "bus.conf", NULL);
  g_autofree char *socket = g_build_filename (self->directory, "bus.sock", NULL);
  g_autofree char *option = g_strconcat ("--config-file=", configuration, NULL);
  const char *daemon[] = { "dbus-daemon", option, "--nofork", "--print-address=1", NULL };
  const char *broker[] = { "/usr/bin/python3", LISTD_BROKER, socket, configuration, NULL };
  g_autofree char *line = NULL;
  g_autoptr (GDataInputStream) lines = NULL;

  g_unlink (socket);
  self->bus = spawn (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL, self->kind == STAGE_BROKER ? broker : daemon);
  lines = g_data_input_stream_new (g_subprocess_get_stdout_pipe (self->bus));
  line = g_data_input_stream_read_line (lines, NULL, NULL, NULL);
  g_assert_nonnull (line);
  g_free (self->address);
  self->address = g_strconcat ("unix:path=", socket, NULL);
}

void
stage_start_listd (Stage *self)
{
  g_autofree char *notify = g_build_filename (self->directory, "notify", NULL);
  g_autofree char *configuration = g_build_filename (self->directory, "config", NULL);
  g_autofree char *state = g_build_filename (self->directory, "state", NULL);
  g_autofree char *log = g_build_filename (self->directory, "listd.log", NULL);
  const char *program = g_getenv ("LISTD") != NULL ? g_getenv ("LISTD") : LISTD_PROGRAM;
  const char *arguments[] = { program, "--bus", self->address, "--direct", self->direct, "--config", configuration, "--state", state, NULL };
  g_autoptr (GSocket) socket = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_DATAGRAM, 0, NULL);
  g_autoptr (GSocketAddress) address = NULL;
  char message[4096];
  gboolean ready = FALSE;

  g_unlink (notify);
  address = g_unix_socket_address_new (notify);
  g_assert_true (g_socket_bind (socket, address, FALSE, NULL));
  g_socket_set_timeout (socket, 60);
  self->listd = spawn (g_getenv ("LISTD_TEST_LOG") != NULL ? G_SUBPROCESS_FLAGS_NONE : G_SUBPROCESS_FLAGS_STDERR_SILENCE, notify, arguments);
  while (!ready)
    {
      g_autoptr (GError) error = NULL;
      gssize length = g_socket_receive (socket, message, sizeof message - 1, NULL, &error);
      g_assert_no_error (error);
      message[MAX (length, 0)] = '\0';
      ready = strstr (message, "READY=1") != NULL;
    }
}

static void
disconnect (Stage *self)
{
  if (self->connection != NULL)
    g_dbus_connection_close_sync (self->connection, NULL, NULL);
  g_clear_object (&self->connection);
}

void
stage_stop_listd (Stage *self, int number)
{
  end (&self->listd, number);
  if (self->kind == STAGE_DIRECT)
    disconnect (self);
}

void
stage_signal (Stage *self, int number)
{
  siginfo_t information;

  g_subprocess_send_signal (self->listd, number);
  if (number == SIGSTOP)
    waitid (P_PID, atoi (g_subprocess_get_identifier (self->listd)), &information, WSTOPPED | WNOWAIT);
}

void
stage_restart_bus (Stage *self)
{
  disconnect (self);
  end (&self->listd, SIGKILL);
  end (&self->bus, SIGKILL);
  start_bus (self);
  stage_start_listd (self);
}

Stage *
stage_new (StageKind kind)
{
  Stage *self = g_new0 (Stage, 1);
  g_autofree char *configuration = NULL;
  g_autofree char *bus = NULL;
  g_autofree char *text = NULL;
  g_autofree char *folder = NULL;
  g_autofree char *limits = NULL;

  self->kind = kind;
  self->directory = g_dir_make_tmp ("listd-glib-XXXXXX", NULL);
  configuration = g_build_filename (self->directory, "bus.conf", NULL);
  folder = g_build_filename (self->directory, "config", NULL);
  limits = g_build_filename (folder, "listd.conf", NULL);
  text = g_strdup_printf (bus_configuration, self->directory);
  g_assert_true (g_file_set_contents (configuration, text, -1, NULL));
  g_mkdir (folder, 0700);
  g_assert_true (g_file_set_contents (limits, "[Limits]\nAdaptersPerUser=1000\n", -1, NULL));
  self->direct = g_strdup_printf ("unix:path=%s/direct.sock", self->directory);
  start_bus (self);
  stage_start_listd (self);
  return self;
}

static void
remove_folder (const char *path)
{
  GDir *folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      if (g_file_test (child, G_FILE_TEST_IS_DIR) && !g_file_test (child, G_FILE_TEST_IS_SYMLINK))
        remove_folder (child);
      else
        g_unlink (child);
    }
  if (folder != NULL)
    g_dir_close (folder);
  g_rmdir (path);
}

void
stage_free (Stage *self)
{
  disconnect (self);
  end (&self->listd, SIGKILL);
  end (&self->bus, SIGKILL);
  remove_folder (self->directory);
  g_free (self->directory);
  g_free (self->address);
  g_free (self->direct);
  g_free (self);
}

const char *
stage_address (Stage *self)
{
  return self->kind == STAGE_DIRECT ? self->direct : self->address;
}

GVariant *
stage_try (Stage *self, const char *path, const char *interface, const char *method, GVariant *parameters, GError **error)
{
  g_autofree char *full = strchr (interface, '.') != NULL ? g_strdup (interface) : g_strconcat ("org.listd.Listd1.", interface, NULL);

  if (self->connection == NULL)
    {
      g_autoptr (GError) problem = NULL;
      self->connection = g_dbus_connection_new_for_address_sync (
          stage_address (self), G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL,
          &problem);
      g_assert_no_error (problem);
    }
  return g_dbus_connection_call_sync (self->connection, "org.listd.Listd1", path, full, method, parameters, NULL, G_DBUS_CALL_FLAGS_NONE, 60000,
                                      NULL, error);
}

GVariant *
stage_call (Stage *self, const char *path, const char *interface, const char *method, GVariant *parameters)
{
  g_autoptr (GError) error = NULL;
  GVariant *reply = stage_try (self, path, interface, method, parameters, &error);

  if (reply == NULL)
    g_error ("%s of %s: %s", method, path, error->message);
  return reply;
}

char *
stage_path (const char *name)
{
  return g_strconcat ("/org/listd/Listd1/adapters/", name, NULL);
}

void
stage_create (Stage *self, const char *name, const char *options)
{
  g_autoptr (GVariant) parsed = g_variant_ref_sink (g_variant_new_parsed (options != NULL ? options : "@a{sv} {}"));
  g_autoptr (GVariant) reply
      = stage_call (self, "/org/listd/Listd1", "Manager", "CreateAdapter", g_variant_new ("(s@a{sv})", name, parsed));
}

void
stage_fill (Stage *self, const char *name, guint n)
{
  guint64 revision = 0;

  for (guint first = 0; first < n || first == 0;)
    {
      GVariantBuilder upserts;
      g_autofree char *path = stage_path (name);
      g_autoptr (GVariant) reply = NULL;

      g_variant_builder_init (&upserts, G_VARIANT_TYPE ("a(ssssa{sv})"));
      for (guint i = 0; i < 50000 && first < n; i++, first++)
        {
          g_autofree char *id = g_strdup_printf ("o%u", first);
          g_autofree char *text = g_strdup_printf ("text %u", first);
          g_variant_builder_add (&upserts, "(ssss@a{sv})", id, "", "last", "", g_variant_new_parsed ("{'text': <%s>, 'size': <%u>}", text, first));
        }
      reply = stage_call (self, path, "Adapter", "ApplyChanges", g_variant_new ("(tasa(ssssa{sv})a{sv})", revision, NULL, &upserts, NULL));
      if (n == 0)
        break;
    }
}

guint64
stage_apply (Stage *self, const char *name, const char *removed, const char *upserts)
{
  g_autofree char *path = stage_path (name);
  g_autoptr (GVariant) gone = g_variant_parse (G_VARIANT_TYPE ("as"), removed != NULL ? removed : "[]", NULL, NULL, NULL);
  g_autoptr (GVariant) put = g_variant_parse (G_VARIANT_TYPE ("a(ssssa{sv})"), upserts != NULL ? upserts : "[]", NULL, NULL, NULL);
  g_autoptr (GVariant) reply
      = stage_call (self, path, "Adapter", "ApplyChanges", g_variant_new ("(t@as@a(ssssa{sv})a{sv})", (guint64) 0, gone, put, NULL));
  guint64 revision;

  g_variant_get (reply, "(t)", &revision);
  return revision;
}

gboolean
stage_wake (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

void
stage_keep (GObject *source, GAsyncResult *result, gpointer place)
{
  *(GAsyncResult **) place = g_object_ref (result);
}

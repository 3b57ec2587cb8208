// SPDX-License-Identifier: Apache-2.0
#include "gallery-figures.h"
#include "gallery-pictures.h"
#include "gallery-window.h"
#include "gallery-writer.h"

#include <glib-unix.h>
#include <locale.h>
#include <math.h>

static char *bus, *writer, *directory, *screen, *pictures;
static int rows = 1000000;
static double scale = 1;
static gboolean figures;

static const GOptionEntry options[] = {
  { "bus", 0, 0, G_OPTION_ARG_STRING, &bus, "The listd to show: session, system or a D-Bus address", "BUS" },
  { "rows", 0, 0, G_OPTION_ARG_INT, &rows, "How many rows “a million” are", "N" },
  { "screen", 0, 0, G_OPTION_ARG_STRING, &screen, "The first screen, or with --pictures those to take, with commas", "SCREEN" },
  { "pictures", 0, 0, G_OPTION_ARG_FILENAME, &pictures, "Write pictures of the screens into a folder, and end", "FOLDER" },
  { "scale", 0, 0, G_OPTION_ARG_DOUBLE, &scale, "Pixels of a picture for each of the screen", "N" },
  { "figures", 0, 0, G_OPTION_ARG_NONE, &figures, "Print what a million rows cost, and end", NULL },
  { "writer", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &writer, NULL, NULL },
  { "directory", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &directory, NULL, NULL },
  { NULL },
};

static GalleryService *service;
static gboolean failed;

static void
on_activate (AdwApplication *application, gpointer data)
{
  g_autoptr (GError) error = NULL;
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (application));
  GtkCssProvider *style;

  if (window != NULL)
    {
      gtk_window_present (window);
      return;
    }
  service = gallery_service_new (bus, (guint) MAX (rows, 0), &error);
  if (service == NULL)
    {
      g_printerr ("listd-gallery: listd cannot be started: %s\n", error->message);
      failed = TRUE;
      return;
    }
  style = gtk_css_provider_new ();
  gtk_css_provider_load_from_resource (style, "/org/listd/Gallery/style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (), GTK_STYLE_PROVIDER (style), GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_object_unref (style);

  gallery_service_begin (service);
  window = GTK_WINDOW (gallery_window_new (application, service));
  if (screen != NULL && pictures == NULL)
    gallery_window_show_screen (GALLERY_WINDOW (window), screen);
  gtk_window_present (window);
  if (pictures != NULL)
    gallery_pictures_take (GALLERY_WINDOW (window), pictures, screen, scale);
  else if (figures)
    gallery_figures_take (GALLERY_WINDOW (window));
}

static void
on_quit (GSimpleAction *action, GVariant *parameter, gpointer application)
{
  g_application_quit (application);
}

static void
on_startup (AdwApplication *application, gpointer data)
{
  const GActionEntry actions[] = { { "quit", on_quit, NULL, NULL, NULL, { 0 } } };

  g_action_map_add_action_entries (G_ACTION_MAP (application), actions, G_N_ELEMENTS (actions), application);
  gtk_application_set_accels_for_action (GTK_APPLICATION (application), "app.quit", (const char *[]){ "<Control>q", NULL });
  gtk_application_set_accels_for_action (GTK_APPLICATION (application), "window.close", (const char *[]){ "<Control>w", NULL });
}

static gboolean
on_signal (gpointer application)
{
  g_application_quit (application);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("– what lists of listd look like");
  g_autoptr (AdwApplication) application = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("listd-gallery: %s\n", error->message);
      return 64;
    }
  if (writer != NULL)
    return gallery_writer_run (writer, bus, directory, (guint) MAX (rows, 0));

  /* Icons of a picture have its scale only when the screen has it. */
  if (pictures != NULL && scale > 1)
    {
      g_autofree char *whole = g_strdup_printf ("%d", (int) ceil (scale));
      g_setenv ("GDK_SCALE", whole, FALSE);
    }
  /* A second start shows the window that is open. */
  application = adw_application_new ("org.listd.Gallery", pictures != NULL || figures || bus != NULL ? G_APPLICATION_NON_UNIQUE : G_APPLICATION_DEFAULT_FLAGS);
  g_signal_connect (application, "startup", G_CALLBACK (on_startup), NULL);
  g_signal_connect (application, "activate", G_CALLBACK (on_activate), NULL);
  g_unix_signal_add (SIGTERM, on_signal, application);
  g_unix_signal_add (SIGINT, on_signal, application);
  status = g_application_run (G_APPLICATION (application), argc, argv);
  if (failed)
    return 69;
  if (service != NULL)
    gallery_service_stop (service);
  g_clear_object (&service);
  return status;
}

// SPDX-License-Identifier: Apache-2.0
/* Fields as people read them, in two languages. TRANSLATIONS is the folder of the compiled translations. */
#include "listd-private.h"

#include <glib/gstdio.h>
#include <libintl.h>
#include <locale.h>

static const struct
{
  const char *value, *hint, *english, *german;
} expected[] = {
  { "uint64 0", "bytes", "0 B", "0 B" },
  { "int64 999", "bytes", "999 B", "999 B" },
  { "1536.0", "bytes", "1.5 KiB", "1,5 KiB" },
  { "uint64 68608", "bytes", "67 KiB", "67 KiB" },
  { "uint64 18446744073709551615", "bytes", "16 EiB", "16 EiB" },
  { "int64 1663694040000000", "time-us", "2022-09-20 17:14", "20.09.2022 17:14" },
  { "int64 1663694040", "time-s", "2022-09-20 17:14", "20.09.2022 17:14" },
  { "int64 9223372036854775807", "time-s", "9223372036854775807", "9223372036854775807" },
  { "uint32 2541", "permissions", "-rwsr-xr-x", "-rwsr-xr-x" },
  { "uint32 17407", "permissions", "drwxrwxrwt", "drwxrwxrwt" },
  { "uint32 0", "uid", "root", "root" },
  { "uint32 4294967294", "uid", "4294967294", "4294967294" },
  { "uint32 0", "gid", "root", "root" },
  { "12.5", "percent", "12.5 %", "12,5 %" },
  { "12", "percent", "12 %", "12 %" },
  { "int64 7", "duration-us", "7 µs", "7 µs" },
  { "int64 350000", "duration-us", "350 ms", "350 ms" },
  { "int64 -1500000", "duration-us", "-1.5 s", "-1,5 Sek." },
  { "int64 200000000", "duration-us", "3 min 20 s", "3 Min. 20 Sek." },
  { "int64 180000000", "duration-us", "3 min", "3 Min." },
  { "int64 7500000000", "duration-us", "2 h 5 min", "2 Std. 5 Min." },
  { "int64 7200000000", "duration-us", "2 h", "2 Std." },
  { "int64 273600000000", "duration-us", "3 d 4 h", "3 Tg. 4 Std." },
  { "int64 259200000000", "duration-us", "3 d", "3 Tg." },
  { "true", NULL, "yes", "ja" },
  { "false", NULL, "no", "nein" },
  { "'plain'", NULL, "plain", "plain" },
  { "'no number'", "bytes", "no number", "no number" },
  { "42", NULL, "42", "42" },
  { "42", "no such hint", "42", "42" },
  { "<uint32 2048>", "bytes", "2 KiB", "2 KiB" },
};

static void
compare (gboolean german)
{
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GVariant) value = g_variant_parse (NULL, expected[i].value, NULL, NULL, &error);
      g_autofree char *text = NULL;

      g_assert_no_error (error);
      text = listd_format_value (value, expected[i].hint);
      g_assert_cmpstr (text, ==, german ? expected[i].german : expected[i].english);
    }
}

static void
english (void)
{
  g_assert_nonnull (setlocale (LC_ALL, "C.UTF-8"));
  compare (FALSE);
}

static void
german (void)
{
  g_autofree char *folder = g_dir_make_tmp ("listd-locale-XXXXXX", NULL);
  g_autofree char *locale = g_build_filename (folder, "de_DE.UTF-8", NULL);
  g_autofree char *removal = g_strdup_printf ("rm -rf '%s'", folder);
  const char *const localedef[] = { "localedef", "-i", "de_DE", "-f", "UTF-8", locale, NULL };
  g_autoptr (GError) error = NULL;
  int status = 0;

  if (!g_spawn_sync (NULL, (char **) localedef, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, &error) || status != 0)
    {
      g_spawn_command_line_sync (removal, NULL, NULL, NULL, NULL);
      g_test_skip ("there is no localedef, or no German locale to make with it: install `locales`");
      return;
    }
  g_setenv ("LOCPATH", folder, TRUE);
  g_setenv ("LANGUAGE", "de", TRUE);
  g_assert_nonnull (setlocale (LC_ALL, "de_DE.UTF-8"));
  bindtextdomain ("listd-glib-1", TRANSLATIONS);
  compare (TRUE);
  g_assert_cmpstr (_ ("listd is not there"), ==, "listd ist nicht da");
  g_assert_nonnull (setlocale (LC_ALL, "C.UTF-8"));
  g_assert_true (g_spawn_command_line_sync (removal, NULL, NULL, NULL, NULL));
}

int
main (int argc, char **argv)
{
  g_setenv ("TZ", "UTC", TRUE);
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/the C locale → as listctl show", english);
  g_test_add_func ("/format/a German locale → German words, numbers and dates", german);
  return g_test_run ();
}

// SPDX-License-Identifier: Apache-2.0
/* Fields as people want to see them, by the hints of a list. */
#include "listd-private.h"

#include <grp.h>
#include <math.h>
#include <pwd.h>
#include <sys/stat.h>

static gboolean
number_of (GVariant *value, double *number)
{
  g_autoptr (GVariant) inner = NULL;

  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BYTE:
      *number = g_variant_get_byte (value);
      return TRUE;
    case G_VARIANT_CLASS_INT16:
      *number = g_variant_get_int16 (value);
      return TRUE;
    case G_VARIANT_CLASS_UINT16:
      *number = g_variant_get_uint16 (value);
      return TRUE;
    case G_VARIANT_CLASS_INT32:
      *number = g_variant_get_int32 (value);
      return TRUE;
    case G_VARIANT_CLASS_UINT32:
      *number = g_variant_get_uint32 (value);
      return TRUE;
    case G_VARIANT_CLASS_INT64:
      *number = g_variant_get_int64 (value);
      return TRUE;
    case G_VARIANT_CLASS_UINT64:
      *number = g_variant_get_uint64 (value);
      return TRUE;
    case G_VARIANT_CLASS_DOUBLE:
      *number = g_variant_get_double (value);
      return isfinite (*number);
    case G_VARIANT_CLASS_VARIANT:
      inner = g_variant_get_variant (value);
      return number_of (inner, number);
    default:
      return FALSE;
    }
}

/* One decimal place, and none when it is 0; with the decimal point of the locale. */
static char *
decimal (double number)
{
  double tenths = round (number * 10);

  if (fmod (tenths, 10) == 0)
    return g_strdup_printf ("%.0f", tenths / 10);
  return g_strdup_printf ("%.1f", tenths / 10);
}

static char *
bytes (double count)
{
  static const char *const units[] = { N_ ("%s B"), N_ ("%s KiB"), N_ ("%s MiB"), N_ ("%s GiB"), N_ ("%s TiB"), N_ ("%s PiB"), N_ ("%s EiB") };
  g_autofree char *number = NULL;
  guint unit = 0;

  for (; fabs (count) >= 999.5 && unit + 1 < G_N_ELEMENTS (units); unit++)
    count /= 1024;
  number = unit > 0 && fabs (count) < 9.95 ? decimal (count) : g_strdup_printf ("%.0f", round (count));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  return g_strdup_printf (_ (units[unit]), number);
#pragma GCC diagnostic pop
}

/* The same text as `listctl show` in the C locale. */
static char *
point_of_time (double seconds)
{
  g_autoptr (GDateTime) utc = NULL;
  g_autoptr (GDateTime) local = NULL;

  if (seconds < -6.2e10 || seconds > 2.5e11)
    return NULL;
  utc = g_date_time_new_from_unix_utc ((gint64) floor (seconds));
  local = utc != NULL ? g_date_time_to_local (utc) : NULL;
  /* Translators: a day and a time of day, as g_date_time_format() takes it. */
  return local != NULL ? g_date_time_format (local, _ ("%Y-%m-%d %H:%M")) : NULL;
}

static char *
permissions (guint32 mode)
{
  static const char bits[] = "rwxrwxrwx";
  char text[11] = "-rwxrwxrwx";

  for (guint i = 0; i < 9; i++)
    text[i + 1] = mode & (0400 >> i) ? bits[i] : '-';
  text[0] = S_ISDIR (mode)    ? 'd'
            : S_ISLNK (mode)  ? 'l'
            : S_ISCHR (mode)  ? 'c'
            : S_ISBLK (mode)  ? 'b'
            : S_ISFIFO (mode) ? 'p'
            : S_ISSOCK (mode) ? 's'
                              : '-';
  if (mode & 04000)
    text[3] = text[3] == 'x' ? 's' : 'S';
  if (mode & 02000)
    text[6] = text[6] == 'x' ? 's' : 'S';
  if (mode & 01000)
    text[9] = text[9] == 'x' ? 't' : 'T';
  return g_strdup (text);
}

static char *
owner (guint32 number, gboolean group)
{
  char buffer[4096];
  struct passwd user, *user_found = NULL;
  struct group many, *group_found = NULL;

  if (group && getgrgid_r (number, &many, buffer, sizeof buffer, &group_found) == 0 && group_found != NULL)
    return g_strdup (many.gr_name);
  if (!group && getpwuid_r (number, &user, buffer, sizeof buffer, &user_found) == 0 && user_found != NULL)
    return g_strdup (user.pw_name);
  return g_strdup_printf ("%u", number);
}

static char *
duration (double microseconds)
{
  const char *sign = microseconds < 0 ? "-" : "";
  double value = fabs (microseconds);
  g_autofree char *number = NULL;
  gint64 seconds, large, small;
  const char *both, *one;

  if (value < 1000)
    return g_strdup_printf (_ ("%s%d µs"), sign, (int) value);
  if (value < 999500)
    return g_strdup_printf (_ ("%s%d ms"), sign, (int) round (value / 1000));
  if (value < 59950000)
    {
      number = decimal (value / 1e6);
      return g_strdup_printf (_ ("%s%s s"), sign, number);
    }
  if (value > 9e18)
    return g_strdup_printf (_ ("%s%g s"), sign, value / 1e6);
  seconds = (gint64) round (value / 1e6);
  if (seconds < 3600)
    {
      large = seconds / 60;
      small = seconds % 60;
      /* Translators: minutes and seconds; the first %s is the sign. */
      both = _ ("%s%d min %d s");
      one = _ ("%s%d min");
    }
  else if (seconds < 86400)
    {
      large = seconds / 3600;
      small = seconds % 3600 / 60;
      /* Translators: hours and minutes. */
      both = _ ("%s%d h %d min");
      one = _ ("%s%d h");
    }
  else
    {
      large = seconds / 86400;
      small = seconds % 86400 / 3600;
      /* Translators: days and hours, abbreviated. */
      both = _ ("%s%d d %d h");
      one = _ ("%s%d d");
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  return small > 0 ? g_strdup_printf (both, sign, (int) large, (int) small) : g_strdup_printf (one, sign, (int) large);
#pragma GCC diagnostic pop
}

static char *
by_hint (double number, const char *hint)
{
  g_autofree char *text = NULL;
  gboolean id = number >= 0 && number <= G_MAXUINT32;

  if (g_str_equal (hint, "bytes"))
    return bytes (number);
  if (g_str_equal (hint, "time-us"))
    return point_of_time (number / 1e6);
  if (g_str_equal (hint, "time-s"))
    return point_of_time (number);
  if (g_str_equal (hint, "permissions") && id)
    return permissions ((guint32) number);
  if (g_str_equal (hint, "uid") && id)
    return owner ((guint32) number, FALSE);
  if (g_str_equal (hint, "gid") && id)
    return owner ((guint32) number, TRUE);
  if (g_str_equal (hint, "percent"))
    {
      text = decimal (number);
      return g_strdup_printf (_ ("%s %%"), text);
    }
  if (g_str_equal (hint, "duration-us"))
    return duration (number);
  return NULL;
}

char *
listd_format_value (GVariant *value, const char *hint)
{
  double number;
  char *text = NULL;

  if (hint != NULL && number_of (value, &number))
    text = by_hint (number, hint);
  if (text != NULL)
    return text;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING) || g_variant_is_of_type (value, G_VARIANT_TYPE_OBJECT_PATH)
      || g_variant_is_of_type (value, G_VARIANT_TYPE_SIGNATURE))
    return g_variant_dup_string (value, NULL);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_VARIANT))
    {
      g_autoptr (GVariant) inner = g_variant_get_variant (value);
      return listd_format_value (inner, hint);
    }
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return g_strdup (g_variant_get_boolean (value) ? _ ("yes") : _ ("no"));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BYTE))
    return g_strdup_printf ("%u", g_variant_get_byte (value));
  return g_variant_print (value, FALSE);
}

// SPDX-License-Identifier: Apache-2.0
#include "config.h"
#include "listd-private.h"

#include <libintl.h>

const char *
listd_gettext (const char *text)
{
  static gsize bound = 0;

  if (g_once_init_enter (&bound))
    {
      bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
      bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
      g_once_init_leave (&bound, 1);
    }
  return g_dgettext (GETTEXT_PACKAGE, text);
}

// SPDX-License-Identifier: Apache-2.0
#include "listd-private.h"

#define NAME(word) "org.listd.Listd1.Error." word

static const GDBusErrorEntry entries[] = {
  { LISTD_ERROR_NO_SUCH_ADAPTER, NAME ("NoSuchAdapter") },
  { LISTD_ERROR_ADAPTER_EXISTS, NAME ("AdapterExists") },
  { LISTD_ERROR_NO_SUCH_OBJECT, NAME ("NoSuchObject") },
  { LISTD_ERROR_NO_SUCH_ITEM, NAME ("NoSuchItem") },
  { LISTD_ERROR_NO_SUCH_SECTION_CONTROLLER, NAME ("NoSuchSectionController") },
  { LISTD_ERROR_NO_SUCH_PLUGIN, NAME ("NoSuchPlugin") },
  { LISTD_ERROR_PLUGIN_REFUSED, NAME ("PluginRefused") },
  { LISTD_ERROR_PLUGIN_FAILED, NAME ("PluginFailed") },
  { LISTD_ERROR_REVISION_CONFLICT, NAME ("RevisionConflict") },
  { LISTD_ERROR_REVISION_GONE, NAME ("RevisionGone") },
  { LISTD_ERROR_DUPLICATE_IDENTIFIER, NAME ("DuplicateIdentifier") },
  { LISTD_ERROR_INVALID_OBJECT, NAME ("InvalidObject") },
  { LISTD_ERROR_READ_ONLY, NAME ("ReadOnly") },
  { LISTD_ERROR_NOT_OWNER, NAME ("NotOwner") },
  { LISTD_ERROR_PAYLOAD_TOO_LARGE, NAME ("PayloadTooLarge") },
  { LISTD_ERROR_STORE_FAILED, NAME ("StoreFailed") },
  { LISTD_ERROR_SHUTTING_DOWN, NAME ("ShuttingDown") },
  { LISTD_ERROR_SOURCE_UNAVAILABLE, NAME ("SourceUnavailable") },
  { LISTD_ERROR_RELOAD_INCOMPLETE, NAME ("ReloadIncomplete") },
};

/**
 * listd_error_quark:
 *
 * The quark of `LISTD_ERROR`.
 *
 * Returns: the quark
 */
GQuark
listd_error_quark (void)
{
  static gsize quark = 0;
  g_dbus_error_register_error_domain ("listd-error-quark", &quark, entries, G_N_ELEMENTS (entries));
  return (GQuark) quark;
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(LISTD_INSIDE) && !defined(LISTD_COMPILATION)
#error "Only <listd.h> can be included directly."
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

#ifndef LISTD_API
#define LISTD_API __attribute__ ((visibility ("default"))) extern
#endif

/**
 * LISTD_ERROR:
 *
 * The domain of the errors that listd answers. The errors of D-Bus itself, such as access that was denied, arguments that are
 * invalid and limits that were exceeded, stay in `G_DBUS_ERROR`.
 */
#define LISTD_ERROR (listd_error_quark ())

/**
 * ListdError:
 * @LISTD_ERROR_NO_SUCH_ADAPTER: there is no list of this name
 * @LISTD_ERROR_ADAPTER_EXISTS: there is a list of this name already
 * @LISTD_ERROR_NO_SUCH_OBJECT: the list has no object with this id
 * @LISTD_ERROR_NO_SUCH_ITEM: the object has no item with this number
 * @LISTD_ERROR_NO_SUCH_SECTION_CONTROLLER: no plugin has this section controller
 * @LISTD_ERROR_NO_SUCH_PLUGIN: there is no plugin of this name
 * @LISTD_ERROR_PLUGIN_REFUSED: listd does not load this plugin
 * @LISTD_ERROR_PLUGIN_FAILED: a plugin died in this call
 * @LISTD_ERROR_REVISION_CONFLICT: the list is not at the revision, or not of the epoch, that was expected
 * @LISTD_ERROR_REVISION_GONE: the changes since this revision are not known any more
 * @LISTD_ERROR_DUPLICATE_IDENTIFIER: two objects have the same id
 * @LISTD_ERROR_INVALID_OBJECT: an object is not one that a list can keep
 * @LISTD_ERROR_READ_ONLY: the list is written by its source
 * @LISTD_ERROR_NOT_OWNER: the view belongs to another connection
 * @LISTD_ERROR_PAYLOAD_TOO_LARGE: the objects of one call are too large
 * @LISTD_ERROR_STORE_FAILED: the list could not be stored, and has not changed
 * @LISTD_ERROR_SHUTTING_DOWN: listd is ending and takes no more writes
 * @LISTD_ERROR_SOURCE_UNAVAILABLE: the source of the list cannot be reached
 * @LISTD_ERROR_RELOAD_INCOMPLETE: a part of the configuration was left out
 * @LISTD_ERROR_OFFLINE: listd is not there
 * @LISTD_ERROR_PROTOCOL: listd answered in a form that this library does not know
 *
 * What can go wrong.
 */
typedef enum
{
  LISTD_ERROR_NO_SUCH_ADAPTER,
  LISTD_ERROR_ADAPTER_EXISTS,
  LISTD_ERROR_NO_SUCH_OBJECT,
  LISTD_ERROR_NO_SUCH_ITEM,
  LISTD_ERROR_NO_SUCH_SECTION_CONTROLLER,
  LISTD_ERROR_NO_SUCH_PLUGIN,
  LISTD_ERROR_PLUGIN_REFUSED,
  LISTD_ERROR_PLUGIN_FAILED,
  LISTD_ERROR_REVISION_CONFLICT,
  LISTD_ERROR_REVISION_GONE,
  LISTD_ERROR_DUPLICATE_IDENTIFIER,
  LISTD_ERROR_INVALID_OBJECT,
  LISTD_ERROR_READ_ONLY,
  LISTD_ERROR_NOT_OWNER,
  LISTD_ERROR_PAYLOAD_TOO_LARGE,
  LISTD_ERROR_STORE_FAILED,
  LISTD_ERROR_SHUTTING_DOWN,
  LISTD_ERROR_SOURCE_UNAVAILABLE,
  LISTD_ERROR_RELOAD_INCOMPLETE,
  LISTD_ERROR_OFFLINE,
  LISTD_ERROR_PROTOCOL,
} ListdError;

LISTD_API GQuark listd_error_quark (void);

G_END_DECLS

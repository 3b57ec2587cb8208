// SPDX-License-Identifier: Apache-2.0

/* The C interface between listd and a plugin's library.
 *
 * A plugin exports one C function. The loader calls it twice. The first call returns the record, which has only numbers
 * and C strings. So a plugin of another API or another compiler is refused before any of its Swift types is used. If the
 * record is accepted, the second call returns the plugin type.
 */
#ifndef LISTD_PLUGIN_H
#define LISTD_PLUGIN_H

#include <stdint.h>

/* Plugins with another major version are refused. */
#define LISTD_PLUGIN_API_MAJOR 1
/* Plugins with a higher minor version than the daemon's are refused.
 * 1: section controllers can be called back (timers, references).
 * 2: arguments of data sources with options (DataSourceArgument).
 * 3: section controllers handle actions of viewers (handleAction);
 *    data sources give hints for their fields, send lists in pages,
 *    keep a cursor, and accept writes. */
#define LISTD_PLUGIN_API_MINOR 3

/* "listdplu", read as a little-endian number. */
static const uint64_t listd_plugin_magic = 0x756c70647473696cULL;

/* The kinds of calls of the plugin's function. */
enum {
    listd_plugin_ask_record = 1,
    listd_plugin_ask_plugin = 2,
};

/* One call of the function that a plugin exports under the name "listd_plugin". */
struct listd_plugin_call {
    /* Set by the loader: one of listd_plugin_ask_… */
    uint32_t ask;
    /* Set by the plugin in a call for the record: the versions of the API that it was built with. */
    uint32_t api_major;
    uint32_t api_minor;
    /* Set by the plugin: the release of its Swift compiler, major << 16 | minor << 8 | patch. */
    uint32_t swift_version;
    /* Set by the plugin: listd_plugin_magic. */
    uint64_t magic;
    /* Set by the plugin: the build of its compiler. Swift's ABI is stable only within one build. */
    const char *compiler;
    /* Set by the loader in a call for the plugin: the place for a Swift value of type (any Plugin.Type)?. */
    void *result;
};

/* Returns the build of the Swift compiler that imports this header, as its built-in clang has the same version text. */
static inline const char *listd_compiler(void) { return __VERSION__; }

#endif

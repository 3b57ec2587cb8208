// SPDX-License-Identifier: Apache-2.0

/* What listd asks of a plugin before it believes that it is one.
 *
 * A plugin exports one plain C function. The loader calls it twice: first for the record, which holds only numbers and C
 * strings, so that a plugin of another API or another compiler is refused before any Swift type of it is touched; then,
 * if the record fits, for the plugin itself.
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
 *    keep a cursor, and take writes. */
#define LISTD_PLUGIN_API_MINOR 3

/* "listdplu", read as a little-endian number. */
static const uint64_t listd_plugin_magic = 0x756c70647473696cULL;

/* What the loader asks for in a call of the plugin's function. */
enum {
    listd_plugin_ask_record = 1,
    listd_plugin_ask_plugin = 2,
};

/* One call of the function that a plugin exports under the name "listd_plugin". */
struct listd_plugin_call {
    /* Set by the loader: one of listd_plugin_ask_… */
    uint32_t ask;
    /* Set by the plugin, asked for the record: the versions of the API it was built with. */
    uint32_t api_major;
    uint32_t api_minor;
    /* The language version of its Swift compiler: major << 16 | minor << 8 | patch. */
    uint32_t swift_version;
    uint64_t magic;
    /* Which build of the compiler it was: Swift's ABI holds only within one. */
    const char *compiler;
    /* Set by the loader, asked for the plugin: where a Swift value of type PluginBox is to be put. */
    void *result;
};

/* The build of the compiler that reads this header; the clang inside a Swift compiler is built with it. */
static inline const char *listd_compiler(void) { return __VERSION__; }

#endif

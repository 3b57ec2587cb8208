// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CINIH_SHIM_H
#define LISTD_CINIH_SHIM_H

#include <ini.h>
#include <pthread.h>

/// Bytes of the longest line, its end and a NUL included.
enum { listd_ini_line_size = 65536 };

/// Letters of the longest section name; inih cuts longer ones (INI_MAX_SECTION in its ini.c).
enum { listd_ini_section_length = 49 };

static inline void listd_ini_set_up(void) {
    // inih's settings are variables, which Swift may not touch from several threads.
    ini_use_stack = false;
    ini_initial_alloc = listd_ini_line_size;
    ini_max_line = listd_ini_line_size;
    ini_allow_multiline = false;
    ini_allow_inline_comments = false; // a path may have " ;" in it
    ini_allow_no_value = true;         // so that the fault has a name
}

/// Parses text line by line as listd's files are written; what ini_parse_stream answers.
static inline int listd_ini_parse(ini_reader reader, void *stream, ini_handler handler, void *user) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, listd_ini_set_up);
    return ini_parse_stream(reader, stream, handler, user);
}

#endif

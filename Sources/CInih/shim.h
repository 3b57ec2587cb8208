// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CINIH_SHIM_H
#define LISTD_CINIH_SHIM_H

#include <ini.h>
#include <pthread.h>

/// The maximum length of a line in bytes, including the line feed and a NUL.
enum { listd_ini_line_size = 65536 };

/// The maximum length of a section name; inih truncates longer ones (INI_MAX_SECTION in its ini.c).
enum { listd_ini_section_length = 49 };

static inline void listd_ini_set_up(void) {
    // inih's settings are global variables, so they are set only once for all threads.
    ini_use_stack = false;
    ini_initial_alloc = listd_ini_line_size;
    ini_max_line = listd_ini_line_size;
    ini_allow_multiline = false;
    ini_allow_inline_comments = false; // a path may contain " ;"
    ini_allow_no_value = true;         // so that the error message can name the key
}

/// Parses text line by line with the settings for listd's files. Returns the result of ini_parse_stream.
static inline int listd_ini_parse(ini_reader reader, void *stream, ini_handler handler, void *user) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, listd_ini_set_up);
    return ini_parse_stream(reader, stream, handler, user);
}

#endif

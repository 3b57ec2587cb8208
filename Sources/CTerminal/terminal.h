// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CTERMINAL_H
#define LISTD_CTERMINAL_H

#include <stdint.h>
#include <wchar.h>

// wchar.h declares wcwidth only for _XOPEN_SOURCE, which a module's importer cannot define.
extern int wcwidth(wchar_t character);

/// The number of columns of a character on a terminal; -1 for a character that is not printable. Needs a UTF-8 locale.
static inline int listd_columns(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

#endif

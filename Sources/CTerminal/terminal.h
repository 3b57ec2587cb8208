// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CTERMINAL_H
#define LISTD_CTERMINAL_H

#include <stdint.h>
#include <wchar.h>

// wchar.h declares wcwidth only with _XOPEN_SOURCE, which Swift's module importer cannot define.
extern int wcwidth(wchar_t character);

/// The number of columns that a character occupies on a terminal; -1 if it is not printable. Needs a UTF-8 locale.
static inline int listd_columns(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

#endif

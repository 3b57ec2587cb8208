// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_BENCHMARKS_CSQLITE_SHIM_H
#define LISTD_BENCHMARKS_CSQLITE_SHIM_H
#include <sqlite3.h>
#endif

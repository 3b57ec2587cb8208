// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CSQLITE_SHIM_H
#define LISTD_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Sets whether closing the last connection to a database keeps the write-ahead log. Otherwise SQLite runs a
/// checkpoint and removes the log. Swift cannot call sqlite3_db_config itself, as it is variadic. Returns an SQLite
/// result code.
static inline int listd_sqlite_keep_log(sqlite3 *database, int keeps) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}

#endif

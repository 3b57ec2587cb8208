// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CSQLITE_SHIM_H
#define LISTD_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Chooses whether closing the last connection to a database keeps its log, or does a checkpoint and removes it
/// (sqlite3_db_config, whose variable arguments Swift does not import); returns an SQLite code.
static inline int listd_sqlite_keep_log(sqlite3 *database, int keeps) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}

#endif

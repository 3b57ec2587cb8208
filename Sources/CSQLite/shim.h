// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CSQLITE_SHIM_H
#define LISTD_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Has the last connection to a database leave its log alone when it is closed, or move it into the file and remove it
/// (sqlite3_db_config, whose variable arguments Swift does not import); an SQLite code.
static inline int listd_sqlite_keep_log(sqlite3 *database, int keeps) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}

#endif

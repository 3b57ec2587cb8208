// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CSQLITE_H
#define LISTD_CSQLITE_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/// Sets whether closing the last connection to a database keeps the write-ahead log. Otherwise SQLite runs a
/// checkpoint and removes the log. Swift cannot call sqlite3_db_config itself, as it is variadic. Returns an SQLite
/// result code.
static inline int listd_sqlite_keep_log(sqlite3 *database, int keeps) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}

/// Registers the file system `listd-descriptor`, whose only files are descriptors that the process has open: the path
/// of a database is the number of its descriptor, which stays the caller's. There are no locks, journals or logs, so a
/// database needs `PRAGMA journal_mode = OFF`. Returns an SQLite result code. Call this once.
int listd_register_descriptor_files(void);

/// Returns the digest of bytes, continued from an earlier digest. It detects damage, and not intent.
static inline uint64_t listd_digest(uint64_t earlier, const unsigned char *bytes, size_t count) {
    const uint64_t factor = 0x9FB21C651E98DF25u;
    uint64_t digest = (earlier ^ count) * factor, word;
    for (; count >= 8; bytes += 8, count -= 8) {
        __builtin_memcpy(&word, bytes, 8);
        digest = (digest ^ word) * factor;
        digest ^= digest >> 32;
    }
    word = 0;
    __builtin_memcpy(&word, bytes, count);
    digest = (digest ^ word) * factor;
    return digest ^ digest >> 29;
}

#endif

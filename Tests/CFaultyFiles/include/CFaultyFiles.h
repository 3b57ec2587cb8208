// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_FAULTY_FILES_H
#define LISTD_FAULTY_FILES_H

// An SQLite VFS for tests. Operations on files below one directory can fail, or lose data that was not synced. All
// other files go straight to the disk. One test at a time uses the VFS. The functions may be called from any
// thread.

/// Registers this VFS as the default, for files whose names begin with `prefix`.
int faulty_begin(const char *prefix);

/// Unregisters the VFS. Its files must be closed.
void faulty_end(void);

/// Lets the n-th (from 0) and every later operation that changes a file fail with an SQLite code; with n < 0, no
/// operation fails. With `reads`, operations that read are counted and fail too.
void faulty_fail(long n, int code, int reads);

/// Lets the next `count` syncs fail, although the data before them was written.
void faulty_fail_syncs(long count);

/// Keeps the safe content of each file in the directory `shadow`: the content at the last sync of the file. The
/// n-th sync (from 1) cuts the power. From then on no content becomes safe. The content of each open file at that
/// moment, synced or not, is kept as NAME.now.
void faulty_cut_power(const char *shadow, long n);

/// Returns whether the power is cut.
int faulty_is_cut(void);

#endif

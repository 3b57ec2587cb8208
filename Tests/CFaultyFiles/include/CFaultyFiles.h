// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_FAULTY_FILES_H
#define LISTD_FAULTY_FILES_H

// An SQLite VFS for tests: files below one directory fail or lose what was not synced; all others go straight to the disk.
// One test at a time uses it; the functions may be called from any thread.

/// Makes this VFS the default one for files whose names begin with `prefix`.
int faulty_begin(const char *prefix);

/// Takes it away again; the files must be closed.
void faulty_end(void);

/// Lets the n-th (from 0) and every later operation that changes a file fail with an SQLite code; n < 0: none fails.
/// With `reads`, reading counts and fails too.
void faulty_fail(long n, int code, int reads);

/// Lets the next `count` syncs fail, although the data before them was written.
void faulty_fail_syncs(long count);

/// Keeps in the directory `shadow` the safe content of each file: what it had when it was last synced. The n-th sync
/// (from 1) cuts the power: from then on nothing becomes safe, and the content of each open file at that moment, synced
/// or not, is kept as NAME.now.
void faulty_cut_power(const char *shadow, long n);

/// Whether the power is cut.
int faulty_is_cut(void);

#endif

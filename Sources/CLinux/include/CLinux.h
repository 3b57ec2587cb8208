#ifndef LISTD_CLINUX_H
#define LISTD_CLINUX_H

#include <stddef.h>
#include <sys/types.h>

// Linux calls that Glibc's module hides from Swift: most are declared only with _GNU_SOURCE.

/// Makes a memory file that can be sealed; a descriptor, or -1 with errno (memfd_create(2)).
int listd_memfd(const char *name);

/// Forbids every change to a memory file for ever; 0, or -1 with errno (F_ADD_SEALS in fcntl(2)).
int listd_seal(int descriptor);

/// Moves bytes from one pipe to another without waiting; how many, 0 at the end, or -1 with errno (splice(2)).
ssize_t listd_splice_now(int from, int to, size_t count);

/// Makes a pipe whose ends are not inherited by programs; 0, or -1 with errno (pipe2(2)).
int listd_pipe(int *read_end, int *write_end);

/// Whether a file is on a file system in user space: 0 or 1, or -1 with errno (fstatfs(2)).
int listd_is_on_fuse(int descriptor);

#endif

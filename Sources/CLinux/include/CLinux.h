#ifndef LISTD_CLINUX_H
#define LISTD_CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Linux calls that Glibc's module hides from Swift: most are declared only with _GNU_SOURCE.

/// Makes a memory file that can be sealed; a descriptor, or -1 with errno (memfd_create(2)).
int listd_memfd(const char *name);

/// Forbids every change to a memory file for ever; 0, or -1 with errno (F_ADD_SEALS in fcntl(2)).
int listd_seal(int descriptor);

/// Moves bytes from one pipe to another without waiting; how many, 0 at the end, or -1 with errno (splice(2)).
ssize_t listd_splice_now(int from, int to, size_t count);

/// What tells one content of a file from another. (The header of struct timespec belongs to no module, so that Swift sees
/// its members in whichever module included it first.)
typedef struct {
    uint64_t device;
    uint64_t inode;
    int64_t size;
    int64_t modified_seconds;
    int64_t modified_nanoseconds;
    int is_regular;
} listd_file_state;

/// The state of what is at a path, links followed; 0, or -1 with errno (stat(2)).
int listd_state_at(const char *path, listd_file_state *state);

/// The state of an open file; 0, or -1 with errno (fstat(2)).
int listd_state_of(int descriptor, listd_file_state *state);

/// Makes a pipe whose ends are not inherited by programs; 0, or -1 with errno (pipe2(2)).
int listd_pipe(int *read_end, int *write_end);

/// Whether a file is on a file system in user space: 0 or 1, or -1 with errno (fstatfs(2)).
int listd_is_on_fuse(int descriptor);

#endif

// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CLINUX_H
#define LISTD_CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Linux calls that Glibc's module hides from Swift: most are declared only with _GNU_SOURCE.

/// Makes a memory file that can be sealed; returns a descriptor, or -1 with errno (memfd_create(2)).
int listd_memfd(const char *name);

/// Forbids every change to a memory file for ever; returns 0, or -1 with errno (F_ADD_SEALS in fcntl(2)).
int listd_seal(int descriptor);

/// Moves bytes from one pipe to another without blocking; returns their number, 0 at the end, or -1 with errno
/// (splice(2)).
ssize_t listd_splice_now(int from, int to, size_t count);

/// Distinguishes contents of a file. (No module contains the header of struct timespec, so Swift sees its members in
/// whichever module included it first.)
typedef struct {
    uint64_t device;
    uint64_t inode;
    int64_t size;
    int64_t modified_seconds;
    int64_t modified_nanoseconds;
    int is_regular;
} listd_file_state;

/// Reads the state of the file at a path, following links; returns 0, or -1 with errno (stat(2)).
int listd_state_at(const char *path, listd_file_state *state);

/// Reads the state of an open file; returns 0, or -1 with errno (fstat(2)).
int listd_state_of(int descriptor, listd_file_state *state);

/// Allocates disk space for a part of an open file, without changing its size if `keeps_size`; returns 0, or -1 with
/// errno (fallocate(2)).
int listd_allocate(int descriptor, int64_t offset, int64_t count, int keeps_size);

/// Makes a pipe whose ends are close-on-exec; returns 0, or -1 with errno (pipe2(2)).
int listd_pipe(int *read_end, int *write_end);

/// Whether a file is on a file system in user space (FUSE): 0 or 1, or -1 with errno (fstatfs(2)).
int listd_is_on_fuse(int descriptor);

/// Starts a program with the caller's descriptor 0, with `output` as its descriptors 1 and 2, and `passed` as 3; all
/// others are closed, no signal is blocked or ignored, and it leads a process group of its own. Returns its process id,
/// or -1 with errno (posix_spawn(3)).
pid_t listd_spawn(
    const char *program, char *const arguments[], char *const environment[], int output, int passed);

/// Starts the spawner, a small process that starts programs as children of the calling process, with rights that the
/// calling process gives up later; returns 0, or -1 with errno. Call it once, while the process has one thread, which
/// must live as long as the process: the spawner ends with that thread.
int listd_start_spawner(void);

/// Whether `listd_start_spawner` was called and succeeded.
int listd_has_spawner(void);

/// Does the same as `listd_spawn` through the spawner; one thread at a time.
pid_t listd_spawn_with_network(
    const char *program, char *const arguments[], char *const environment[], int output, int passed);

/// Forbids new privileges for the calling thread and those that it starts (PR_SET_NO_NEW_PRIVS in prctl(2)); returns 0,
/// or -1 with errno.
int listd_give_up_privileges(void);

/// Makes standard output line-buffered, whatever it is (setvbuf(3)); call it before anything is written.
void listd_write_lines(void);

/// Returns a descriptor that becomes readable when a child ends; -1 with errno (pidfd_open(2)).
int listd_process_descriptor(pid_t process);

/// Reaps a child: returns 1 with its exit code or signal, 0 while it runs, -1 with errno (waitpid(2)).
int listd_reap(pid_t process, int *value, int *was_signalled);

/// Gives up rights that a worker does not need: new privileges, being traced, core dumps, outliving its parent
/// (prctl(2), setrlimit(2)); returns 0, or -1 with errno. New privileges are given up for the calling thread and those
/// that it starts.
int listd_confine(void);

/// Forbids changes to the file system (except writing to /dev/null), starting programs, and signals to processes that
/// the calling thread's process has not started (landlock(7)); returns 0, or -1 with errno; ENOSYS and EOPNOTSUPP mean
/// that the kernel lacks Landlock. It applies to the calling thread and those that it starts.
int listd_forbid_changes(void);

/// Keeps the process and all its children in its process group and session by a seccomp filter (seccomp(2)), so that
/// one signal to the group ends them all; returns 0, or -1 with errno. It applies to the calling thread and those that
/// it starts; new privileges must have been given up before, see `listd_confine`.
int listd_stay_in_group(void);

/// Forbids all sockets but local ones by a seccomp filter in all threads (seccomp(2)), also through io_uring; open
/// sockets stay. Returns 0, -1 with errno, or the id of a thread that could not get the filter; new privileges must
/// have been given up before, see `listd_confine`.
int listd_stay_local(void);

/// Names the calling thread, with its first 15 bytes; the name of the first thread is that of the process (PR_SET_NAME in
/// prctl(2)).
void listd_set_name(const char *name);

/// Makes all threads take memory from one heap (M_ARENA_MAX in mallopt(3)); call it while the process has one thread.
void listd_use_one_heap(void);

/// Limits the data memory of the process in bytes (RLIMIT_DATA in setrlimit(2)); returns 0, or -1 with errno.
int listd_limit_data(uint64_t bytes);

/// Whether a file is a memory file that nobody can change any more: 0 or 1 (F_GET_SEALS in fcntl(2)).
int listd_is_sealed(int descriptor);

#endif

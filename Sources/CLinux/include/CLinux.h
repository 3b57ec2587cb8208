// SPDX-License-Identifier: Apache-2.0

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

/// Takes room on the disk for a part of an open file; its size stays as it is if `keeps_size`; 0, or -1 with errno (fallocate(2)).
int listd_allocate(int descriptor, int64_t offset, int64_t count, int keeps_size);

/// Makes a pipe whose ends are not inherited by programs; 0, or -1 with errno (pipe2(2)).
int listd_pipe(int *read_end, int *write_end);

/// Whether a file is on a file system in user space: 0 or 1, or -1 with errno (fstatfs(2)).
int listd_is_on_fuse(int descriptor);

/// Starts a program whose descriptor 0 is ours, whose descriptors 1 and 2 are `output`, and whose descriptor 3 is `passed`; all
/// others are closed, no signal is blocked or ignored, and it leads a process group of its own. Its process id, or -1 with errno
/// (posix_spawn(3)).
pid_t listd_spawn(
    const char *program, char *const arguments[], char *const environment[], int output, int passed);

/// Starts a small process that starts programs for ours, as children of ours, with what ours gives up later; 0, or -1 with errno. To be
/// called once, while the process has one thread, which is to live as long as the process: the other one ends with it.
int listd_start_spawner(void);

/// Whether `listd_start_spawner` was called and went well.
int listd_has_spawner(void);

/// Does what `listd_spawn` does, by way of the spawner; one thread at a time.
pid_t listd_spawn_with_network(
    const char *program, char *const arguments[], char *const environment[], int output, int passed);

/// Gives up new privileges, for the calling thread and those that it starts (PR_SET_NO_NEW_PRIVS in prctl(2)); 0, or -1 with errno.
int listd_give_up_privileges(void);

/// Has standard output written line by line, whatever it is (setvbuf(3)); before anything is written.
void listd_write_lines(void);

/// A descriptor that becomes readable when a child ends; -1 with errno (pidfd_open(2)).
int listd_process_descriptor(pid_t process);

/// Takes the end of a child away: 1 and how it ended, its exit code or the signal; 0 when it runs; -1 with errno (waitpid(2)).
int listd_reap(pid_t process, int *value, int *was_signalled);

/// Gives up what a worker does not need: new privileges, being looked into, core dumps, a life after its parent's (prctl(2),
/// setrlimit(2)); 0, or -1 with errno. New privileges go for the calling thread and those that it starts.
int listd_confine(void);

/// Gives up every way to change the file system (but for writing to /dev/null) and to start programs, and signals to processes
/// that the calling thread's process has not started (landlock(7)); 0, or -1 with errno. For the calling thread and those that
/// it starts; ENOSYS and EOPNOTSUPP mean that the kernel has no such thing.
int listd_forbid_changes(void);

/// Keeps the process and all that it starts in its process group and its session, by a filter of system calls (seccomp(2)): one
/// signal to the group ends them all. 0, or -1 with errno. For the calling thread and those that it starts; it needs that new
/// privileges are given up, see `listd_confine`.
int listd_stay_in_group(void);

/// Leaves the process nothing but local sockets, by a filter of system calls in all its threads (seccomp(2)): others cannot be made, nor
/// by io_uring. What is open stays. 0, -1 with errno, or the number of a thread that could not be given the filter; it needs that new
/// privileges are given up, see `listd_confine`.
int listd_stay_local(void);

/// Names the calling thread, with its first 15 bytes; the name of the first thread is that of the process (PR_SET_NAME in
/// prctl(2)).
void listd_set_name(const char *name);

/// Limits how many bytes of memory of its own the process may have (RLIMIT_DATA in setrlimit(2)); 0, or -1 with errno.
int listd_limit_data(uint64_t bytes);

/// Whether a file is one in memory that nobody can change any more: 0 or 1 (F_GET_SEALS in fcntl(2)).
int listd_is_sealed(int descriptor);

#endif

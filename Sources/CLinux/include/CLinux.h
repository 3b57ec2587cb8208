// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CLINUX_H
#define LISTD_CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Linux calls that Glibc's module does not export to Swift, mostly because they are declared only with _GNU_SOURCE.

/// Creates a memory file that can be sealed. Returns a descriptor, or -1 with errno (memfd_create(2)).
int listd_memfd(const char *name);

/// Forbids all changes to a memory file permanently. Returns 0, or -1 with errno (F_ADD_SEALS in fcntl(2)).
int listd_seal(int descriptor);

/// Moves bytes from one pipe to another without blocking. Returns the number of bytes, 0 at the end, or -1 with errno
/// (splice(2)).
ssize_t listd_splice_now(int from, int to, size_t count);

/// The state of a file, by which changes of its content are detected. struct timespec is not used, because no module
/// contains its header, so Swift would see its members only in the module that happened to include it first.
typedef struct {
    uint64_t device;
    uint64_t inode;
    int64_t size;
    int64_t modified_seconds;
    int64_t modified_nanoseconds;
    int is_regular;
} listd_file_state;

/// Reads the state of the file at a path, following symbolic links. Returns 0, or -1 with errno (stat(2)).
int listd_state_at(const char *path, listd_file_state *state);

/// Reads the state of an open file. Returns 0, or -1 with errno (fstat(2)).
int listd_state_of(int descriptor, listd_file_state *state);

/// Returns a number that identifies the file at a path among all files that its file system ever had: a hash of its inode
/// and of the time at which the inode was made, as the inodes of removed files are used again. 0 = there is no file
/// (statx(2)).
uint64_t listd_identity_at(const char *path);

/// Allocates disk space for a part of an open file. If `keeps_size`, the file's size does not change. Returns 0, or
/// -1 with errno (fallocate(2)).
int listd_allocate(int descriptor, int64_t offset, int64_t count, int keeps_size);

/// Creates a pipe whose ends are close-on-exec. Returns 0, or -1 with errno (pipe2(2)).
int listd_pipe(int *read_end, int *write_end);

/// Makes two connected sockets that keep packets whole and in order. Both are close-on-exec. Returns 0, or -1 with errno
/// (SOCK_SEQPACKET in unix(7)).
int listd_packet_pair(int *one, int *other);

/// Sends a packet with at most three descriptors. Returns 0, or -1 with errno: EAGAIN if the socket is full and the caller
/// does not wait (sendmsg(2)).
int listd_send_packet(int socket, const void *bytes, size_t count, const int *files, size_t file_count, int waits);

/// Receives a packet with at most `*file_count` descriptors, which are close-on-exec. Returns its size, 0 if the other end
/// is closed, or -1 with errno: EAGAIN if there is none and the caller does not wait; EMSGSIZE if the packet does not fit,
/// whose descriptors are closed (recvmsg(2)).
ssize_t listd_receive_packet(int socket, void *bytes, size_t size, int *files, size_t *file_count, int waits);

/// Makes a descriptor that is readable while `descriptor` has data, an end or an error. Returns it, or -1 with errno
/// (epoll(7)). A DispatchSource watches it in place of `descriptor`: an epoll descriptor never hangs up, and libdispatch
/// crashes when one that it watches is readable and hangs up at once (EPOLLIN and EPOLLHUP in one event).
int listd_readiness(int descriptor);

/// Returns whether a file is on a FUSE file system, that is, in user space: 0 or 1, or -1 with errno (fstatfs(2)).
int listd_is_on_fuse(int descriptor);

/// Starts a program with the caller's descriptor 0, with `output` as descriptors 1 and 2, and with `passed` as
/// descriptor 3. All other descriptors are closed. No signals are blocked or ignored, and the program leads a new
/// process group. Returns its process id, or -1 with errno (posix_spawn(3)).
pid_t listd_spawn(
    const char *program, char *const arguments[], char *const environment[], int output, int passed);

/// Starts the spawner, a small process that starts programs as children of the calling process and keeps rights that
/// the calling process later gives up. Returns 0, or -1 with errno. Call this once, while the process has a single
/// thread. The spawner ends when this thread ends, so the thread must live as long as the process.
int listd_start_spawner(void);

/// Returns whether `listd_start_spawner` was called and succeeded.
int listd_has_spawner(void);

/// Starts a program like `listd_spawn`, but through the spawner. Only one thread at a time may call this.
pid_t listd_spawn_with_network(
    const char *program, char *const arguments[], char *const environment[], int output, int passed);

/// Forbids new privileges for the calling thread and the threads that it creates (PR_SET_NO_NEW_PRIVS in prctl(2)).
/// Returns 0, or -1 with errno.
int listd_give_up_privileges(void);

/// Makes standard output line-buffered even if it is not a terminal (setvbuf(3)). Call this before anything is
/// written.
void listd_write_lines(void);

/// Returns a descriptor that becomes readable when a child process ends, or -1 with errno (pidfd_open(2)).
int listd_process_descriptor(pid_t process);

/// Reaps a child process. Returns 1 with its exit code or signal and the most memory that it had at a time, in bytes; 0
/// while it runs; or -1 with errno (wait4(2)).
int listd_reap(pid_t process, int *value, int *was_signalled, int64_t *most_memory);

/// Names the calling thread with the first 15 bytes of `name`. The name of the first thread is the name of the
/// process (PR_SET_NAME in prctl(2)).
void listd_set_name(const char *name);

/// Makes all threads allocate memory from one heap (M_ARENA_MAX in mallopt(3)). Call it while the process has one
/// thread.
void listd_use_one_heap(void);

/// Limits the data memory of the process in bytes (RLIMIT_DATA in setrlimit(2)). Returns 0, or -1 with errno.
int listd_limit_data(uint64_t bytes);

/// Returns whether a file is a memory file that nobody can change: 0 or 1 (F_GET_SEALS in fcntl(2)).
int listd_is_sealed(int descriptor);

/// Returns the eventfd that is readable while libdispatch's main queue has work, for a program whose first thread runs
/// a loop of its own. libdispatch exports this function, and the next one, for such loops.
int _dispatch_get_main_queue_handle_4CF(void);

/// Runs the work of libdispatch's main queue; to be called on the first thread.
void _dispatch_main_queue_callback_4CF(void *message);

/// Lets this process write the stack of a crashing thread to standard error before it ends by the crash's signal: a line
/// `Current stack trace:`, then the frames as FILE(+OFFSET), as addr2line(1) takes them.
void listd_trace_crashes(void);

/// Gives the current thread a stack for the trace, so that an overflow of its own stack is traced, too. Does nothing when
/// it has one, and in a process without ``listd_trace_crashes``.
void listd_trace_thread(void);

#endif

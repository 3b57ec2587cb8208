// SPDX-License-Identifier: Apache-2.0

// The restrictions of a plugin's worker, which listd's workers and tests of plugins share.

#ifndef LISTD_CONFINEMENT_H
#define LISTD_CONFINEMENT_H

/// Gives up rights that a worker does not need: gaining privileges, being traced, dumping core, outliving its parent
/// (prctl(2), setrlimit(2)). Returns 0, or -1 with errno. New privileges are forbidden for the calling thread and the
/// threads that it creates.
int listd_confine(void);

/// Forbids gaining privileges, as the filters below require. Returns 0, or -1 with errno. This applies to the calling
/// thread and the threads that it creates.
int listd_forbid_privileges(void);

/// Forbids changes to the file system (except writing to /dev/null, and in `writable`), starting programs, and sending
/// signals to processes that this process has not started (landlock(7)). `writable` has paths of files and directories
/// and ends with NULL; paths that do not exist are ignored. Returns 0, or -1 with errno; ENOSYS and EOPNOTSUPP mean
/// that the kernel lacks Landlock. This applies to the calling thread and the threads that it creates.
int listd_forbid_changes(const char *const *writable);

/// Keeps the process and all its children in its process group and session by a seccomp filter (seccomp(2)), so that
/// one signal to the group ends them all. Returns 0, or -1 with errno. This applies to the calling thread and the
/// threads that it creates. New privileges must be forbidden before, see `listd_confine`.
int listd_stay_in_group(void);

/// Forbids creating sockets other than Unix sockets, also through io_uring, by a seccomp filter (seccomp(2)), in all
/// threads, or in the calling thread and the threads that it creates. Open sockets are not affected. Returns 0, -1 with errno, or the id of a thread that could not get
/// the filter. New privileges must be forbidden before, see `listd_confine`.
int listd_stay_local(int all_threads);

#endif

// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CLinux.h"

#include "../PluginAPI/ABI/listd-readiness.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int listd_memfd(const char *name) {
    return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int listd_seal(int descriptor) {
    return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

ssize_t listd_splice_now(int from, int to, size_t count) {
    return splice(from, NULL, to, NULL, count, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
}

int listd_allocate(int descriptor, int64_t offset, int64_t count, int keeps_size) {
    int result;
    do result = fallocate(descriptor, keeps_size ? FALLOC_FL_KEEP_SIZE : 0, offset, count);
    while (result != 0 && errno == EINTR);
    return result;
}

int listd_readiness(int descriptor) { return listd_plugin_readiness(descriptor); }

int listd_pipe(int *read_end, int *write_end) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    *read_end = ends[0];
    *write_end = ends[1];
    return 0;
}

int listd_is_on_fuse(int descriptor) {
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return -1;
    return status.f_type == FUSE_SUPER_MAGIC;
}

static int fill(int result, const struct stat *status, listd_file_state *state) {
    if (result != 0) return -1;
    state->device = status->st_dev;
    state->inode = status->st_ino;
    state->size = status->st_size;
    state->modified_seconds = status->st_mtim.tv_sec;
    state->modified_nanoseconds = status->st_mtim.tv_nsec;
    state->is_regular = S_ISREG(status->st_mode);
    return 0;
}

int listd_state_at(const char *path, listd_file_state *state) {
    struct stat status;
    return fill(stat(path, &status), &status, state);
}

int listd_state_of(int descriptor, listd_file_state *state) {
    struct stat status;
    return fill(fstat(descriptor, &status), &status, state);
}

uint64_t listd_identity_at(const char *path) {
    struct statx status;
    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &status) != 0) return 0;
    uint64_t words[] = {status.stx_ino, 0, 0}, identity = 0;
    // Some file systems do not record the time.
    if (status.stx_mask & STATX_BTIME) {
        words[1] = (uint64_t)status.stx_btime.tv_sec;
        words[2] = status.stx_btime.tv_nsec;
    }
    for (int i = 0; i < 3; i++) {
        identity = (identity ^ words[i]) * 0x9FB21C651E98DF25u;
        identity ^= identity >> 32;
    }
    return identity ? identity : 1;
}

static int prepare_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
    int error = posix_spawnattr_setflags(attributes, flags);
    if (error == 0) error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    return error != 0 ? error : posix_spawnattr_setpgroup(attributes, 0);
}

pid_t listd_spawn(
    const char *program, char *const arguments[], char *const environment[], int output, int passed) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) goto failed;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) goto without_attributes;
    pid_t process = -1;
    error = prepare_attributes(&attributes);
    // dup2 to the same number would keep close-on-exec. `passed` is never 3, as the daemon keeps descriptor 3 in use.
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, output, 2);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, passed, 3);
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, 4);
    if (error == 0) error = posix_spawn(&process, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
without_attributes:
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0) return process;
failed:
    errno = error;
    return -1;
}

void listd_write_lines(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
}

int listd_process_descriptor(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

int listd_reap(pid_t process, int *value, int *was_signalled, int64_t *most_memory) {
    int status = 0;
    struct rusage use;
    pid_t result = wait4(process, &status, WNOHANG, &use);
    if (result <= 0) return (int)result;
    *most_memory = (int64_t)use.ru_maxrss * 1024;
    *was_signalled = WIFSIGNALED(status);
    *value = *was_signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    return 1;
}

void listd_set_name(const char *name) {
    prctl(PR_SET_NAME, name);
}

void listd_use_one_heap(void) {
    mallopt(M_ARENA_MAX, 1);
}

int listd_limit_data(uint64_t bytes) {
    struct rlimit limit = {bytes, bytes};
    return setrlimit(RLIMIT_DATA, &limit);
}

int listd_is_sealed(int descriptor) {
    int needed = F_SEAL_SHRINK | F_SEAL_WRITE;
    int seals = fcntl(descriptor, F_GET_SEALS);
    return seals >= 0 && (seals & needed) == needed;
}

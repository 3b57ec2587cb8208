// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
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

int listd_reap(pid_t process, int *value, int *was_signalled) {
    int status = 0;
    pid_t result = waitpid(process, &status, WNOHANG);
    if (result <= 0) return (int)result;
    *was_signalled = WIFSIGNALED(status);
    *value = *was_signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    return 1;
}

int listd_confine(void) {
    struct rlimit none = {0, 0};
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    if (prctl(PR_SET_DUMPABLE, 0) != 0) return -1;
    return setrlimit(RLIMIT_CORE, &none);
}

// Access rights of the first and of later Landlock versions. Later rights are defined as numbers, as the kernel's
// header may be older than the running kernel (the manual's compatibility table: 2 = REFER, 3 = TRUNCATE, 6 =
// scopes).
static const uint64_t landlock_changes =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
static const uint64_t landlock_refer = 1ULL << 13, landlock_truncate = 1ULL << 14, landlock_scope_signal = 1ULL << 1;

struct landlock_attributes {
    uint64_t file_system, network, scopes;
};

static int allow_null_device(int rules) {
    int null = open("/dev/null", O_PATH | O_CLOEXEC);
    if (null < 0) return 0; // the path does not exist, so there is nothing to allow
    struct landlock_path_beneath_attr rule = {.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE, .parent_fd = null};
    int result = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(null);
    return result;
}

int listd_forbid_changes(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 0) return -1;
    struct landlock_attributes attributes = {landlock_changes, 0, 0};
    if (version >= 2) attributes.file_system |= landlock_refer;
    if (version >= 3) attributes.file_system |= landlock_truncate;
    if (version >= 6) attributes.scopes = landlock_scope_signal;
    size_t size = version >= 6 ? sizeof attributes : sizeof attributes.file_system;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
    if (rules < 0) return -1;
    int result = allow_null_device(rules);
    if (result == 0) result = (int)syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
    return result;
}

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
// This bit marks calls of the x32 ABI, which have numbers of their own.
#define FOREIGN_CALLS 0x40000000
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_RISCV64
#endif
#ifndef FOREIGN_CALLS
#define FOREIGN_CALLS 0xffffffff
#endif

int listd_stay_in_group(void) {
    struct sock_filter program[] = {
        // Other architectures number their calls differently, so their calls are refused.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_CALLS, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsid, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setpgid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof program / sizeof program[0], .filter = program};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}

int listd_stay_local(void) {
    struct sock_filter program[] = {
        // Other architectures number their calls differently, so their calls are refused, as in
        // `listd_stay_in_group`.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 0, 7),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_CALLS, 5, 0),
        // io_uring can create sockets without system calls that the filter would see.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof program / sizeof program[0], .filter = program};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
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

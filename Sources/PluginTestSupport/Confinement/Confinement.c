// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "Confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int listd_forbid_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int listd_confine(void) {
    struct rlimit none = {0, 0};
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || listd_forbid_privileges() != 0) return -1;
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

static int allow(int rules, const char *path, uint64_t access) {
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT ? 0 : -1; // the path does not exist, so there is nothing to allow
    struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = descriptor};
    int result = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(descriptor);
    return result;
}

// Of a file, only the rights that apply to files may be allowed.
static int allow_changes(int rules, const char *path, uint64_t handled) {
    struct stat status;
    if (stat(path, &status) != 0) return errno == ENOENT ? 0 : -1;
    uint64_t access = handled & ~(uint64_t)(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK);
    if (!S_ISDIR(status.st_mode)) access &= LANDLOCK_ACCESS_FS_WRITE_FILE | landlock_truncate;
    return allow(rules, path, access);
}

int listd_forbid_changes(const char *const *writable) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 0) return -1;
    struct landlock_attributes attributes = {landlock_changes, 0, 0};
    if (version >= 2) attributes.file_system |= landlock_refer;
    if (version >= 3) attributes.file_system |= landlock_truncate;
    if (version >= 6) attributes.scopes = landlock_scope_signal;
    size_t size = version >= 6 ? sizeof attributes : sizeof attributes.file_system;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
    if (rules < 0) return -1;
    int result = allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
    for (; result == 0 && writable != NULL && *writable != NULL; writable++)
        result = allow_changes(rules, *writable, attributes.file_system);
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

int listd_stay_local(int all_threads) {
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
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, all_threads ? SECCOMP_FILTER_FLAG_TSYNC : 0, &filter);
}

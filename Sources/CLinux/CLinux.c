#define _GNU_SOURCE

#include "CLinux.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
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

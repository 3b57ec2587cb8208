// SPDX-License-Identifier: Apache-2.0

#include "CFaultyFiles.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { path_size = 1024, most_files = 16 };

/// An open file of this VFS. The real file follows it in the same allocation.
typedef struct {
    sqlite3_file base;
    char name[path_size];
} faulty_file;

// The state below is guarded by `lock`.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char prefix[path_size], shadow[path_size];
static long failing_from = -1, syncs_left, failing_syncs;
static int failure, reads_fail, is_cut;
static faulty_file *open_files[most_files];

static sqlite3_vfs *real_vfs;
static sqlite3_vfs vfs;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((char *)file + sizeof(faulty_file)); }

/// Returns the error of an operation that changes or reads a file; SQLITE_OK when the operation must not fail.
static int fault(int is_read) {
    pthread_mutex_lock(&lock);
    int result = SQLITE_OK;
    if (failing_from >= 0 && (!is_read || reads_fail)) {
        if (failing_from == 0) result = failure;
        else failing_from -= 1;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/// Returns the error of a sync; SQLITE_OK when the sync must not fail.
static int sync_fault(void) {
    int error = fault(0);
    pthread_mutex_lock(&lock);
    if (!error && failing_syncs > 0) {
        failing_syncs -= 1;
        error = SQLITE_IOERR_FSYNC;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static void copy_file(const char *from, const char *to) {
    char buffer[65536];
    int source = open(from, O_RDONLY | O_CLOEXEC), target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t count;
    while (source >= 0 && target >= 0 && (count = read(source, buffer, sizeof buffer)) > 0)
        if (write(target, buffer, (size_t)count) != count) break;
    if (source >= 0) close(source);
    if (target >= 0) close(target);
}

/// Writes the path of a file's copy that has only the synced content.
static void shadow_path(char *result, const char *name, const char *suffix) {
    const char *slash = strrchr(name, '/');
    snprintf(result, 2 * path_size, "%s/%s%s", shadow, slash ? slash + 1 : name, suffix);
}

static void note_sync(const char *name) {
    char path[2 * path_size];
    pthread_mutex_lock(&lock);
    if (syncs_left > 0) {
        syncs_left -= 1;
        is_cut = syncs_left == 0;
        if (is_cut) {
            // The power is cut during this sync, so nothing that the sync would write is safe.
            for (int index = 0; index < most_files; index += 1) {
                if (!open_files[index]) continue;
                shadow_path(path, open_files[index]->name, ".now");
                copy_file(open_files[index]->name, path);
            }
        } else {
            shadow_path(path, name, "");
            copy_file(name, path);
        }
    }
    pthread_mutex_unlock(&lock);
}

static int file_close(sqlite3_file *file) {
    pthread_mutex_lock(&lock);
    for (int index = 0; index < most_files; index += 1)
        if ((sqlite3_file *)open_files[index] == file) open_files[index] = NULL;
    pthread_mutex_unlock(&lock);
    return real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
}

static int file_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    int error = fault(1);
    return error ? error : real(file)->pMethods->xRead(real(file), buffer, count, offset);
}

static int file_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    int error = fault(0);
    return error ? error : real(file)->pMethods->xWrite(real(file), buffer, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int error = fault(0);
    return error ? error : real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    int error = sync_fault();
    if (error) return error;
    (void)flags;
    // Power cuts are simulated, so waiting for the machine's disk would prove nothing.
    note_sync(((faulty_file *)file)->name);
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int file_reserved(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}
static int file_control(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int file_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int file_characteristics(sqlite3_file *file) { (void)file; return 0; }

// Version 1 is enough: a store locks its file exclusively, so it needs no shared memory.
static const sqlite3_io_methods methods = {
    .iVersion = 1, .xClose = file_close, .xRead = file_read, .xWrite = file_write, .xTruncate = file_truncate,
    .xSync = file_sync, .xFileSize = file_size, .xLock = file_lock, .xUnlock = file_unlock,
    .xCheckReservedLock = file_reserved, .xFileControl = file_control, .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_characteristics,
};

static int is_ours(const char *name) { return name && *prefix && strncmp(name, prefix, strlen(prefix)) == 0; }

static int vfs_open(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *out) {
    (void)self;
    if (!is_ours(name)) return real_vfs->xOpen(real_vfs, name, file, flags, out);
    faulty_file *ours = (faulty_file *)file;
    ours->base.pMethods = NULL;
    int error = real_vfs->xOpen(real_vfs, name, real(file), flags, out);
    if (error) return error;
    ours->base.pMethods = &methods;
    snprintf(ours->name, path_size, "%s", name);
    pthread_mutex_lock(&lock);
    for (int index = 0; index < most_files; index += 1)
        if (!open_files[index]) { open_files[index] = ours; break; }
    pthread_mutex_unlock(&lock);
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *self, const char *name, int sync) {
    (void)self;
    char path[2 * path_size];
    int error = is_ours(name) ? fault(0) : SQLITE_OK;
    if (error) return error;
    pthread_mutex_lock(&lock);
    if (is_ours(name) && *shadow && !is_cut) {
        shadow_path(path, name, "");
        unlink(path);
    }
    pthread_mutex_unlock(&lock);
    return real_vfs->xDelete(real_vfs, name, sync);
}

int faulty_begin(const char *new_prefix) {
    if (!real_vfs) {
        real_vfs = sqlite3_vfs_find(NULL);
        vfs = *real_vfs;
        vfs.zName = "faulty";
        vfs.szOsFile = (int)sizeof(faulty_file) + real_vfs->szOsFile;
        vfs.pNext = NULL;
        vfs.xOpen = vfs_open;
        vfs.xDelete = vfs_delete;
    }
    pthread_mutex_lock(&lock);
    snprintf(prefix, path_size, "%s", new_prefix);
    *shadow = 0;
    failing_from = -1;
    failing_syncs = 0;
    syncs_left = 0;
    is_cut = 0;
    pthread_mutex_unlock(&lock);
    return sqlite3_vfs_register(&vfs, 1);
}

void faulty_end(void) {
    sqlite3_vfs_unregister(&vfs);
    pthread_mutex_lock(&lock);
    *prefix = 0;
    pthread_mutex_unlock(&lock);
}

void faulty_fail(long n, int code, int reads) {
    pthread_mutex_lock(&lock);
    failing_from = n;
    failure = code;
    reads_fail = reads;
    pthread_mutex_unlock(&lock);
}

void faulty_fail_syncs(long count) {
    pthread_mutex_lock(&lock);
    failing_syncs = count;
    pthread_mutex_unlock(&lock);
}

void faulty_cut_power(const char *directory, long n) {
    pthread_mutex_lock(&lock);
    snprintf(shadow, path_size, "%s", directory);
    syncs_left = n;
    is_cut = 0;
    pthread_mutex_unlock(&lock);
}

int faulty_is_cut(void) {
    pthread_mutex_lock(&lock);
    int result = is_cut;
    pthread_mutex_unlock(&lock);
    return result;
}

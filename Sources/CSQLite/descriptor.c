// SPDX-License-Identifier: Apache-2.0

#include "CSQLite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    sqlite3_file base;
    int descriptor;
} descriptor_file;

static int of(sqlite3_file *file) { return ((descriptor_file *)file)->descriptor; }

// The descriptor is the caller's.
static int close_file(sqlite3_file *file) { return SQLITE_OK; }

static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    char *start = bytes;
    while (count > 0) {
        ssize_t read = pread(of(file), start, count, offset);
        if (read < 0 && errno == EINTR) continue;
        if (read < 0) return SQLITE_IOERR_READ;
        if (read == 0) {
            memset(start, 0, count);
            return SQLITE_IOERR_SHORT_READ;
        }
        start += read, offset += read, count -= read;
    }
    return SQLITE_OK;
}

static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    const char *start = bytes;
    while (count > 0) {
        ssize_t written = pwrite(of(file), start, count, offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return errno == ENOSPC || errno == EDQUOT ? SQLITE_FULL : SQLITE_IOERR_WRITE;
        start += written, offset += written, count -= written;
    }
    return SQLITE_OK;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    return ftruncate(of(file), size) == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

static int sync_file(sqlite3_file *file, int flags) {
    return fsync(of(file)) == 0 ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

static int size_of_file(sqlite3_file *file, sqlite3_int64 *size) {
    struct stat status;
    if (fstat(of(file), &status) != 0) return SQLITE_IOERR_FSTAT;
    *size = status.st_size;
    return SQLITE_OK;
}

static int lock_file(sqlite3_file *file, int level) { return SQLITE_OK; }

static int check_lock(sqlite3_file *file, int *is_locked) {
    *is_locked = 0;
    return SQLITE_OK;
}

static int control_file(sqlite3_file *file, int operation, void *argument) { return SQLITE_NOTFOUND; }

static int sector_size(sqlite3_file *file) { return 4096; }

static int characteristics(sqlite3_file *file) { return 0; }

static const sqlite3_io_methods methods = {
    1, close_file, read_file, write_file, truncate_file, sync_file, size_of_file, lock_file, lock_file, check_lock,
    control_file, sector_size, characteristics,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened) {
    file->pMethods = NULL;
    if (!name || !(flags & SQLITE_OPEN_MAIN_DB)) return SQLITE_CANTOPEN;
    ((descriptor_file *)file)->descriptor = atoi(name);
    file->pMethods = &methods;
    if (opened) *opened = flags;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs) { return SQLITE_OK; }

// There are no files beside the database.
static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
    *answer = 0;
    return SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
    snprintf(path, size, "%s", name);
    return SQLITE_OK;
}

int listd_register_descriptor_files(void) {
    static sqlite3_vfs vfs;
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    if (!usual) return SQLITE_ERROR;
    // The clock and the random numbers are those of the usual file system.
    vfs = *usual;
    vfs.pNext = NULL;
    vfs.zName = "listd-descriptor";
    vfs.szOsFile = sizeof(descriptor_file);
    vfs.xOpen = open_file;
    vfs.xDelete = delete_file;
    vfs.xAccess = access_file;
    vfs.xFullPathname = full_path;
    return sqlite3_vfs_register(&vfs, 0);
}

// SPDX-License-Identifier: Apache-2.0

// A library that is preloaded (LD_PRELOAD) into the processes of listd's tests, for the sanitizers. It has no effect on
// a program without a sanitizer or without Swift.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

void __asan_init(void) __attribute__((weak));
void __tsan_init(void) __attribute__((weak));
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

// Swift's Mutex. The fast path of a lock is compiled into our code, where the thread sanitizer sees it. The slow path
// for contended locks is in libswiftSynchronization.so, which is not instrumented. The sanitizer cannot see there that
// one thread hands the lock over to another, and would report each access as a race.

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
    SWIFT void (*lock)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
    lock(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF void *mutex) {
    SWIFT bool (*try_lock)(SELF void *) = dlsym(RTLD_NEXT, TRY_LOCK);
    bool locked = try_lock(mutex);
    if (locked && __tsan_acquire) __tsan_acquire(mutex);
    return locked;
}

SWIFT void unlock_slow(SELF void *mutex) {
    SWIFT void (*unlock)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(mutex);
    unlock(mutex);
}

// A worker limits its memory (RLIMIT_DATA). The sanitizer's own memory counts too, so the limit is raised by that amount.

static rlim_t own_memory(void) {
    if (!__asan_init && !__tsan_init) return 0;
    unsigned long data = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL) return 0;
    if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &data) != 1) data = 0;
    fclose(file);
    return (rlim_t)data * (rlim_t)sysconf(_SC_PAGESIZE);
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *wanted) {
    struct rlimit limit = *wanted;
    if (resource == RLIMIT_DATA && limit.rlim_cur != RLIM_INFINITY) {
        rlim_t own = own_memory();
        limit.rlim_cur += own;
        limit.rlim_max += own;
    }
    return prlimit(0, resource, &limit, NULL);
}

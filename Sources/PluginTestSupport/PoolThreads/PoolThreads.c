// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "PoolThreads.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

// The sanitizers have a pthread_create of their own, which has to stay.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
void listd_share_no_restrictions(void) {}
void listd_start_pool_threads(void) {}
#else

typedef int Create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_running;
    // What a restricted thread asks for; it waits for the answer, so there is one request at a time.
    bool is_wanted, is_done;
    pthread_t *thread;
    const pthread_attr_t *attributes;
    void *(*start)(void *);
    void *argument;
    int error;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static _Thread_local bool is_restricted;

static Create *original(void) {
    static Create *_Atomic found;
    if (!found) found = (Create *)dlsym(RTLD_NEXT, "pthread_create");
    return found;
}

static void *create_threads(void *unused) {
    (void)unused;
    pthread_mutex_lock(&pool.mutex);
    while (true) {
        while (!pool.is_wanted || pool.is_done) pthread_cond_wait(&pool.changed, &pool.mutex);
        pool.error = original()(pool.thread, pool.attributes, pool.start, pool.argument);
        pool.is_done = true;
        pthread_cond_broadcast(&pool.changed);
    }
}

void listd_start_pool_threads(void) {
    pthread_mutex_lock(&pool.mutex);
    if (!pool.is_running) {
        pthread_t thread;
        pool.is_running = original()(&thread, NULL, create_threads, NULL) == 0;
        if (pool.is_running) pthread_detach(thread);
    }
    pthread_mutex_unlock(&pool.mutex);
}

void listd_share_no_restrictions(void) {
    is_restricted = true;
}

// Whether an address is in libdispatch.
static bool is_in_dispatch(const void *address) {
    Dl_info caller, dispatch;
    const void *known = dlsym(RTLD_DEFAULT, "dispatch_async_f");
    return known && dladdr(known, &dispatch) && dladdr(address, &caller) && caller.dli_fbase == dispatch.dli_fbase;
}

// What a thread does that a restricted thread has created, and which inherits its restrictions.
struct work {
    void *(*start)(void *);
    void *argument;
};

static void *run_restricted(void *argument) {
    struct work work = *(struct work *)argument;
    free(argument);
    is_restricted = true;
    return work.start(work.argument);
}

static int create_restricted(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    struct work *work = malloc(sizeof *work);
    if (!work) return EAGAIN;
    *work = (struct work){start, argument};
    int error = original()(thread, attributes, run_restricted, work);
    if (error) free(work);
    return error;
}

// Takes the place of the C library's function for all libraries of the process.
__attribute__((visibility("default"))) int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument
) {
    if (!is_restricted) return original()(thread, attributes, start, argument);
    if (!is_in_dispatch(__builtin_return_address(0))) return create_restricted(thread, attributes, start, argument);
    pthread_mutex_lock(&pool.mutex);
    if (!pool.is_running) {
        pthread_mutex_unlock(&pool.mutex);
        return original()(thread, attributes, start, argument);
    }
    while (pool.is_wanted) pthread_cond_wait(&pool.changed, &pool.mutex);
    pool.thread = thread;
    pool.attributes = attributes;
    pool.start = start;
    pool.argument = argument;
    pool.is_wanted = true;
    pthread_cond_broadcast(&pool.changed);
    while (!pool.is_done) pthread_cond_wait(&pool.changed, &pool.mutex);
    int error = pool.error;
    pool.is_wanted = pool.is_done = false;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.mutex);
    return error;
}
#endif

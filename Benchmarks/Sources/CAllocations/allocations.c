// SPDX-License-Identifier: Apache-2.0

#include "allocations.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The second names of glibc's own allocation functions.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

// Counting is off while times are measured. An allocation then costs one read of a variable that nobody writes.
static atomic_bool is_counting;
static atomic_ulong counted;

static inline void count(void) {
    if (atomic_load_explicit(&is_counting, memory_order_relaxed))
        atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed);
}

void listd_count_allocations(void) {
    atomic_store(&counted, 0);
    atomic_store(&is_counting, true);
}

unsigned long listd_counted_allocations(void) {
    atomic_store(&is_counting, false);
    return atomic_load(&counted);
}

void listd_give_back_freed_memory(void) { malloc_trim(0); }

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count();
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    count();
    void *taken = __libc_memalign(alignment, size);
    if (taken == NULL) return ENOMEM;
    *block = taken;
    return 0;
}

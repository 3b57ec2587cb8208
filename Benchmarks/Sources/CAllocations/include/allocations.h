// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_ALLOCATIONS_H
#define LISTD_ALLOCATIONS_H

// Counts the heap allocations of this process. The program's own malloc replaces the C library's for all libraries.

// Starts counting at zero.
void listd_count_allocations(void);

// Stops counting. Returns the number of allocations since the start; a reallocation counts as one.
unsigned long listd_counted_allocations(void);

// Returns freed memory to the kernel, so that its next use counts as resident memory again.
void listd_give_back_freed_memory(void);

#endif

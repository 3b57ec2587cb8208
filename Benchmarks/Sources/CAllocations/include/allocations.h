// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_ALLOCATIONS_H
#define LISTD_ALLOCATIONS_H

// Counts what this process takes from the heap: the program's own malloc stands before the library's, for all libraries.

// Begins to count, from nothing.
void listd_count_allocations(void);

// Stops, and answers how many blocks were taken since; a block that grew counts as one more.
unsigned long listd_counted_allocations(void);

// Gives what was freed back to the kernel, so that it counts again when it is taken again.
void listd_give_back_freed_memory(void);

#endif

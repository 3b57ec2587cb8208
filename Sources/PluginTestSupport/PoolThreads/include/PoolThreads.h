// SPDX-License-Identifier: Apache-2.0

// Threads of a test in which one thread is restricted as a plugin's worker.

#ifndef LISTD_POOL_THREADS_H
#define LISTD_POOL_THREADS_H

/// Keeps the threads of libdispatch's pool free of the restrictions that the calling thread is going to get.
///
/// A thread inherits the restrictions of the thread that creates it. libdispatch creates the threads of its pool, which
/// run everybody's work, in the thread that has work for them; from now on, another thread creates those for this one,
/// and for the threads that it creates by itself, which inherit its restrictions. Call `listd_start_pool_threads` before,
/// in a thread without restrictions.
void listd_share_no_restrictions(void);

/// Starts the thread that creates others for restricted threads, once in a process.
void listd_start_pool_threads(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */

#ifndef LISTD_READINESS_H
#define LISTD_READINESS_H

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Makes a descriptor that is readable while `descriptor` has data, an end or an error. Returns it, or -1 with errno.
 * A DispatchSource watches it in place of `descriptor`: an epoll descriptor never hangs up, and libdispatch crashes when
 * one that it watches is readable and hangs up at once. */
static inline int listd_plugin_readiness(int descriptor) {
    int readiness = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    if (readiness < 0 || epoll_ctl(readiness, EPOLL_CTL_ADD, descriptor, &event) == 0) return readiness;
    int error = errno;
    close(readiness);
    errno = error;
    return -1;
}

#endif

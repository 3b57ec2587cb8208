// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CDBUS_SHIM_H
#define LISTD_CDBUS_SHIM_H

#include <dbus/dbus.h>

// Linux calls for the event loop that Swift's Glibc module does not export.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

// Returns the number of bytes of an array's elements; the iterator is inside of the array. The function below is
// deprecated for arrays of numbers, but returns this number for any array.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline int listd_array_byte_count(DBusMessageIter *elements) {
    return dbus_message_iter_get_array_len(elements);
}
#pragma GCC diagnostic pop

// Names the calling thread. prctl is variadic in its header, so Swift cannot call it.
static inline void listd_name_thread(const char *name) {
    prctl(PR_SET_NAME, name);
}

// Reads the user and process at the other end of a Unix socket; returns 0 on success. The struct is declared here, as
// struct ucred needs _GNU_SOURCE.
struct listd_peer_credentials {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};
#ifndef SO_PEERCRED
#define SO_PEERCRED 17
#endif
static inline int listd_get_peer_credentials(int descriptor, struct listd_peer_credentials *credentials) {
    socklen_t length = sizeof *credentials;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, credentials, &length);
}

#ifndef SO_PEEK_OFF
#define SO_PEEK_OFF 42
#endif
// The offset at which MSG_PEEK reads from a socket; -1 for none. Each read lowers it by the number of bytes read.
static inline void listd_set_peek_offset(int descriptor, int offset) {
    setsockopt(descriptor, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset);
}
static inline int listd_get_peek_offset(int descriptor) {
    int offset = -1;
    socklen_t length = sizeof offset;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEEK_OFF, &offset, &length) == 0 ? offset : -1;
}

#endif

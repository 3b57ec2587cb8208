// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CDBUS_SHIM_H
#define LISTD_CDBUS_SHIM_H

#include <dbus/dbus.h>

// Linux calls for the event loop that Swift's Glibc module leaves out.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

// Deprecated for arrays of numbers; for any array it still returns the number of bytes of its elements. The iterator is
// inside the array.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline int listd_array_byte_count(DBusMessageIter *elements) {
    return dbus_message_iter_get_array_len(elements);
}
#pragma GCC diagnostic pop

// Variadic in the header, so Swift cannot call it.
static inline void listd_name_thread(const char *name) {
    prctl(PR_SET_NAME, name);
}

// The user and process at the other end of a Unix socket; 0 on success. Declared here, as the struct needs _GNU_SOURCE.
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
// The offset at which MSG_PEEK reads from a socket; each read lowers it by the bytes read. -1 = no offset.
static inline void listd_set_peek_offset(int descriptor, int offset) {
    setsockopt(descriptor, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset);
}
static inline int listd_get_peek_offset(int descriptor) {
    int offset = -1;
    socklen_t length = sizeof offset;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEEK_OFF, &offset, &length) == 0 ? offset : -1;
}

#endif

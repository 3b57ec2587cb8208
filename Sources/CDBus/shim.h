#ifndef LISTD_CDBUS_SHIM_H
#define LISTD_CDBUS_SHIM_H

#include <dbus/dbus.h>

// What the event loop needs of Linux and Swift's Glibc module leaves out.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

// Variadic in the header, so that Swift cannot call it.
static inline void listd_name_thread(const char *name) {
    prctl(PR_SET_NAME, name);
}

// The struct is hidden without _GNU_SOURCE: who is at the other end of a Unix socket. 0 = done.
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

#endif

// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CLinux.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// The most descriptors of a packet, which are those of a request to the spawner.
enum { MOST_FILES = 3 };

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * MOST_FILES)];
};

int listd_packet_pair(int *one, int *other) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return -1;
    *one = sockets[0];
    *other = sockets[1];
    return 0;
}

int listd_send_packet(int socket, const void *bytes, size_t count, const int *files, size_t file_count, int waits) {
    if (file_count > MOST_FILES) return errno = EINVAL, -1;
    union control control;
    memset(&control, 0, sizeof control);
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (file_count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * file_count);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int) * file_count);
        memcpy(CMSG_DATA(&control.header), files, sizeof(int) * file_count);
    }
    ssize_t length;
    do length = sendmsg(socket, &message, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));
    while (length < 0 && errno == EINTR);
    return length < 0 ? -1 : 0;
}

ssize_t listd_receive_packet(int socket, void *bytes, size_t size, int *files, size_t *file_count, int waits) {
    union control control;
    struct iovec part = {bytes, size};
    // The kernel fills padding at the end of a larger buffer with descriptors.
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_LEN(sizeof(int) * MOST_FILES)};
    size_t room = *file_count, count = 0;
    *file_count = 0;
    ssize_t length;
    // ECONNRESET tells once that the other end was closed with unread packets. Its own packets are still there.
    do length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (waits ? 0 : MSG_DONTWAIT));
    while (length < 0 && (errno == EINTR || errno == ECONNRESET));
    if (length < 0) return -1;
    int received[MOST_FILES];
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(received, CMSG_DATA(header), sizeof(int) * count);
    }
    if (count > room || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
        for (size_t index = 0; index < count; index++) close(received[index]);
        return errno = EMSGSIZE, -1;
    }
    memcpy(files, received, sizeof(int) * count);
    *file_count = count;
    return length;
}

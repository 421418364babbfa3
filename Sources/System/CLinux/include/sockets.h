// SPDX-License-Identifier: Apache-2.0
// Local stream sockets. Results as in CLinux.h.

#ifndef DARKROOM_SOCKETS_H
#define DARKROOM_SOCKETS_H

#include <stdint.h>

struct dr_peer {
  int32_t process;
  uint32_t user, group;
};

int dr_socket(void);
int dr_socket_bind(int socket, const char *path);
int dr_socket_open_to(const char *path, uint32_t mode);
int dr_socket_listen(int socket, int backlog);
int dr_socket_no_wait(int file);
int dr_socket_accept(int socket);
int dr_socket_connect(int socket, const char *path);
int dr_socket_peer(int socket, struct dr_peer *out);
int dr_socket_finish(int socket);

// The bytes that the other side has not read yet.
int dr_socket_unread(int socket);

// The kind of file at a path, links not followed: 1 and its inode for a socket, 0 for anything else.
int dr_socket_at(const char *path, uint64_t *inode);
int dr_unlink_path(const char *path);

// A TCP socket that listens on a free port of 127.0.0.1.
int dr_loopback_listen(int backlog);
// The port of a TCP socket's own address.
int dr_port_of(int socket);

#endif

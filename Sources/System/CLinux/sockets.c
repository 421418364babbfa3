// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int answer(int result) { return result < 0 ? -errno : result; }

// A socket's address has room for 107 bytes. A longer path is reached through a descriptor of its folder,
// which is left in *folder for the caller to close.
static int address_of(const char *path, struct sockaddr_un *out, int *folder) {
  *folder = -1;
  memset(out, 0, sizeof *out);
  out->sun_family = AF_UNIX;
  size_t length = strlen(path);
  if (length < sizeof out->sun_path) {
    memcpy(out->sun_path, path, length + 1);
    return 0;
  }
  const char *slash = strrchr(path, '/');
  char parent[4096];
  size_t parent_length = slash ? (size_t)(slash - path) : 0;
  if (!slash || parent_length >= sizeof parent) return -ENAMETOOLONG;
  memcpy(parent, path, parent_length);
  parent[parent_length] = 0;
  int held = open(parent_length ? parent : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (held < 0) return -errno;
  int n = snprintf(out->sun_path, sizeof out->sun_path, "/proc/self/fd/%d/%s", held, slash + 1);
  if (n < 0 || (size_t)n >= sizeof out->sun_path) {
    close(held);
    return -ENAMETOOLONG;
  }
  *folder = held;
  return 0;
}

int dr_socket(void) {
  return answer(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

int dr_socket_bind(int file, const char *path) {
  struct sockaddr_un address;
  int folder, result = address_of(path, &address, &folder);
  if (result < 0) return result;
  // The name inherits the socket's mode: no other user may connect before dr_socket_open_to.
  fchmod(file, 0600);
  result = answer(bind(file, (struct sockaddr *)&address, sizeof address));
  if (folder >= 0) close(folder);
  return result;
}

int dr_socket_open_to(const char *path, uint32_t mode) { return answer(chmod(path, mode)); }

int dr_socket_listen(int file, int backlog) { return answer(listen(file, backlog)); }

int dr_socket_no_wait(int file) {
  int flags = fcntl(file, F_GETFL);
  return flags < 0 ? -errno : answer(fcntl(file, F_SETFL, flags | O_NONBLOCK));
}

int dr_socket_accept(int file) {
  return answer(accept4(file, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int dr_socket_connect(int file, const char *path) {
  struct sockaddr_un address;
  int folder, result = address_of(path, &address, &folder);
  if (result < 0) return result;
  result = answer(connect(file, (struct sockaddr *)&address, sizeof address));
  if (folder >= 0) close(folder);
  return result;
}

int dr_socket_peer(int file, struct dr_peer *out) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
  *out = (struct dr_peer){.process = peer.pid, .user = peer.uid, .group = peer.gid};
  return 0;
}

int dr_socket_finish(int file) { return answer(shutdown(file, SHUT_WR)); }

int dr_socket_unread(int file) {
  int bytes = 0;
  if (ioctl(file, SIOCOUTQ, &bytes) < 0) return -errno;
  return bytes;
}

int dr_socket_at(const char *path, uint64_t *inode) {
  struct stat status;
  if (lstat(path, &status) < 0) return -errno;
  *inode = status.st_ino;
  return S_ISSOCK(status.st_mode);
}

int dr_unlink_path(const char *path) { return answer(unlink(path)); }

int dr_loopback_listen(int backlog) {
  int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return -errno;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  if (bind(file, (struct sockaddr *)&address, sizeof address) < 0 || listen(file, backlog) < 0) {
    int error = errno;
    close(file);
    return -error;
  }
  return file;
}

int dr_port_of(int file) {
  struct sockaddr_storage address = {0};
  socklen_t size = sizeof address;
  if (getsockname(file, (struct sockaddr *)&address, &size) < 0) return -errno;
  if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  return -EAFNOSUPPORT;
}

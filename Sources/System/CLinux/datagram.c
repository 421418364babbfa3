// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "datagram.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int answer(int result) { return result < 0 ? -errno : result; }

int dr_datagram(void) {
  int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return -errno;
  // The kernel caps this at its maximum: a larger buffer lets a larger record be one datagram.
  int size = 8 << 20;
  setsockopt(file, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  return file;
}

static int address_of(const void *name, uint64_t count, struct sockaddr_un *out,
                      socklen_t *length) {
  memset(out, 0, sizeof *out);
  if (count == 0) return -EINVAL;
  if (count >= sizeof out->sun_path) return -ENAMETOOLONG;
  out->sun_family = AF_UNIX;
  memcpy(out->sun_path, name, count);
  int is_abstract = out->sun_path[0] == '@';
  if (is_abstract) out->sun_path[0] = 0;
  // An abstract name ends with its length, a path with its NUL.
  *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + (is_abstract ? 0 : 1));
  return 0;
}

int dr_datagram_connect(int socket, const void *name, uint64_t count) {
  struct sockaddr_un address;
  socklen_t length;
  int error = address_of(name, count, &address, &length);
  return error ? error : answer(connect(socket, (struct sockaddr *)&address, length));
}

int dr_datagram_bind(int socket, const void *name, uint64_t count) {
  struct sockaddr_un address;
  socklen_t length;
  int error = address_of(name, count, &address, &length);
  return error ? error : answer(bind(socket, (struct sockaddr *)&address, length));
}

int64_t dr_datagram_send(int socket, const void *bytes, uint64_t count) {
  ssize_t n = send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  return n < 0 ? -errno : n;
}

union control {
  struct cmsghdr header;
  char room[CMSG_SPACE(sizeof(int))];
};

int64_t dr_datagram_send_file(int socket, int file) {
  union control control = {0};
  struct msghdr message = {.msg_control = &control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &file, sizeof file);
  ssize_t n = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  return n < 0 ? -errno : n;
}

int64_t dr_datagram_receive(int socket, void *bytes, uint64_t count, int *file) {
  union control control = {0};
  struct iovec part = {.iov_base = bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
  *file = -1;
  ssize_t n = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n < 0) return -errno;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    memcpy(file, CMSG_DATA(header), sizeof *file);
  return n;
}

int dr_memory_file(const char *name) {
  return answer(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

// journald reads a memory file only if it can no longer be changed.
int dr_memory_seal(int file) {
  return answer(
      fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
}

uint64_t dr_monotonic_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

int64_t dr_environment(uint64_t index, void *bytes, uint64_t count) {
  uint64_t seen = 0;
  for (char **entry = environ; entry && *entry; entry++, seen++) {
    if (seen != index) continue;
    uint64_t length = strlen(*entry);
    memcpy(bytes, *entry, length < count ? length : count);
    return (int64_t)length;
  }
  return -ENOENT;
}

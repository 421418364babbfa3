// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CPrograms.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int datagram_listen(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
  strcpy(address.sun_path, path);
  int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return -errno;
  if (bind(file, (struct sockaddr *)&address, sizeof address) == 0) return file;
  int error = errno;
  close(file);
  return -error;
}

int64_t datagram_receive(int socket, void *bytes, uint64_t count, int *file) {
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control = {0};
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

int own_journal(const char *folder) {
  if (unshare(CLONE_NEWNS) < 0) return -errno;
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) return -errno;
  if (mount("none", "/run", "tmpfs", 0, NULL) < 0) return -errno;
  if (mkdir("/run/systemd", 0755) < 0 || mkdir("/run/systemd/journal", 0755) < 0) return -errno;
  return mount(folder, "/run/systemd/journal", NULL, MS_BIND, NULL) < 0 ? -errno : 0;
}

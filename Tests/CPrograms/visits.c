// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CPrograms.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int visit_connect(int port, int seconds) {
  int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -errno;
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  struct timeval time = {.tv_sec = seconds};
  if (setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) < 0 ||
      connect(file, (struct sockaddr *)&address, sizeof address) < 0) {
    int error = errno;
    close(file);
    return -error;
  }
  return file;
}

int visit_send(int file, const void *bytes, uint64_t count) {
  const char *next = bytes;
  while (count > 0) {
    ssize_t n = send(file, next, count, MSG_NOSIGNAL);
    if (n < 0) return -errno;
    next += n;
    count -= (uint64_t)n;
  }
  return 0;
}

void visit_finish(int file) { shutdown(file, SHUT_WR); }

int64_t visit_receive(int file, void *bytes, uint64_t count) {
  ssize_t n = recv(file, bytes, count, 0);
  return n < 0 ? -errno : n;
}

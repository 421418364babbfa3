// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "surroundings.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int answer(int result) { return result < 0 ? -errno : result; }

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

int dr_name_connect(int socket, const void *name, uint64_t count) {
  struct sockaddr_un address;
  socklen_t length;
  int error = address_of(name, count, &address, &length);
  return error ? error : answer(connect(socket, (struct sockaddr *)&address, length));
}

int dr_name_bind(int socket, const void *name, uint64_t count) {
  struct sockaddr_un address;
  socklen_t length;
  int error = address_of(name, count, &address, &length);
  return error ? error : answer(bind(socket, (struct sockaddr *)&address, length));
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

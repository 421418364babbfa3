// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static int answer(int result) { return result < 0 ? -errno : result; }

int dr_terminal_size(int file, int *columns, int *rows) {
  struct winsize size;
  if (ioctl(file, TIOCGWINSZ, &size) < 0) return -errno;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}

static int64_t copy(const char *from, char *bytes, uint64_t count) {
  size_t length = strlen(from);
  memcpy(bytes, from, length < count ? length : count);
  return (int64_t)length;
}

int64_t dr_variable(const char *name, char *bytes, uint64_t count) {
  const char *value = getenv(name);
  return value ? copy(value, bytes, count) : -ENOENT;
}

int64_t dr_user_name(uint32_t user, char *bytes, uint64_t count) {
  struct passwd entry, *found = NULL;
  char room[4096];
  int error = getpwuid_r(user, &entry, room, sizeof room, &found);
  if (error) return -error;
  return found ? copy(found->pw_name, bytes, count) : -ENOENT;
}

int dr_open_named(const char *path) {
  return answer(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}


int dr_scratch_file(void) { return answer(memfd_create("darkroom-scratch", MFD_CLOEXEC)); }

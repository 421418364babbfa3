// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int64_t dr_current_folder(char *bytes, uint64_t count) {
  return getcwd(bytes, count) ? (int64_t)strlen(bytes) : -errno;
}

int dr_may_execute(const char *path) { return access(path, X_OK) < 0 ? -errno : 0; }

int64_t dr_real_path(int folder, char *bytes, uint64_t count) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t n = readlink(link, bytes, count);
  return n < 0 ? -errno : n;
}

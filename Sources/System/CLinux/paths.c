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

int64_t dr_host_name(char *bytes, uint64_t count) {
  return gethostname(bytes, count) ? -errno : (int64_t)strnlen(bytes, count);
}

int64_t dr_link_target(const char *path, char *bytes, uint64_t count) {
  ssize_t n = readlink(path, bytes, count);
  return n < 0 ? -errno : n;
}

int dr_may_execute(const char *path) { return access(path, X_OK) < 0 ? -errno : 0; }
int dr_may_read(const char *path) { return access(path, R_OK) < 0 ? -errno : 0; }
int dr_exists(const char *path) { return access(path, F_OK) < 0 ? -errno : 0; }

int64_t dr_real_path(int folder, char *bytes, uint64_t count) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t n = readlink(link, bytes, count);
  return n < 0 ? -errno : n;
}

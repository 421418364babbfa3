// SPDX-License-Identifier: Apache-2.0
#include "space.h"

#include <errno.h>
#include <sys/statvfs.h>

int64_t dr_total_space(int folder) {
  struct statvfs space;
  if (fstatvfs(folder, &space) < 0) return -errno;
  return (int64_t)(space.f_blocks * space.f_frsize);
}

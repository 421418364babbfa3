// SPDX-License-Identifier: Apache-2.0
#include "space.h"

#include <errno.h>
#include <sys/statvfs.h>

int dr_room(int folder, struct dr_room *room) {
  struct statvfs space;
  if (fstatvfs(folder, &space) < 0) return -errno;
  room->free = space.f_bavail * space.f_frsize;
  room->total = space.f_blocks * space.f_frsize;
  room->names = space.f_favail;
  room->is_read_only = (space.f_flag & ST_RDONLY) != 0;
  return 0;
}

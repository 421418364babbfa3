// SPDX-License-Identifier: Apache-2.0
// The room on a file system.

#ifndef DARKROOM_SPACE_H
#define DARKROOM_SPACE_H

#include <stdbool.h>
#include <stdint.h>

struct dr_room {
  /// Bytes and files that this user can still make.
  uint64_t free, names;
  /// Bytes of the whole file system.
  uint64_t total;
  bool is_read_only;
};

/// 0, or a negated error number.
int dr_room(int folder, struct dr_room *room);

#endif

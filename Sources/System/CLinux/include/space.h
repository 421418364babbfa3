// SPDX-License-Identifier: Apache-2.0
// The size of a file system; CLinux.h has its free space.

#ifndef DARKROOM_SPACE_H
#define DARKROOM_SPACE_H

#include <stdint.h>

/// Bytes of the folder's file system, or a negated error number.
int64_t dr_total_space(int folder);

#endif

// SPDX-License-Identifier: Apache-2.0
// How large a file system is; what of it is free, CLinux.h tells.

#ifndef DARKROOM_SPACE_H
#define DARKROOM_SPACE_H

#include <stdint.h>

/// Bytes of the folder's file system, or a negative error number.
int64_t dr_total_space(int folder);

#endif

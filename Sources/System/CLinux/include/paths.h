// SPDX-License-Identifier: Apache-2.0
// Paths that the kernel knows.

#ifndef DARKROOM_PATHS_H
#define DARKROOM_PATHS_H

#include <stdint.h>

// Fills `bytes` and answers the length, or a negative error number.
int64_t dr_current_folder(char *bytes, uint64_t count);
int dr_may_execute(const char *path);

#endif

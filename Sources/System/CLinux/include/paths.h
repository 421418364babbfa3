// SPDX-License-Identifier: Apache-2.0
// The current folder, the path of an open one, and the use that a path allows. Results as in CLinux.h.

#ifndef DARKROOM_PATHS_H
#define DARKROOM_PATHS_H

#include <stdint.h>

// Fills `bytes` and returns the length.
int64_t dr_current_folder(char *bytes, uint64_t count);
int64_t dr_host_name(char *bytes, uint64_t count);
int64_t dr_link_target(const char *path, char *bytes, uint64_t count);
int dr_may_execute(const char *path);
int dr_may_read(const char *path);
int dr_exists(const char *path);
// The path that an open folder has now. Fills `bytes` and returns the length.
int64_t dr_real_path(int folder, char *bytes, uint64_t count);

#endif

// SPDX-License-Identifier: Apache-2.0
// Names of Unix sockets, the service manager's clock, and the process's environment. Results as in CLinux.h.

#ifndef DARKROOM_SURROUNDINGS_H
#define DARKROOM_SURROUNDINGS_H

#include <stdint.h>

// A name that starts with '@' is in the abstract namespace.
int dr_name_connect(int socket, const void *name, uint64_t count);
int dr_name_bind(int socket, const void *name, uint64_t count);
uint64_t dr_monotonic_microseconds(void);
// The entry's length, -ENOENT after the last one; copies at most `count` bytes.
int64_t dr_environment(uint64_t index, void *bytes, uint64_t count);

#endif

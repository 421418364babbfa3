// SPDX-License-Identifier: Apache-2.0
// Datagrams to a Unix address (journald, the service manager's notify socket), the sealed memory file for
// a record too large for one, and the process's environment. Results as in CLinux.h.

#ifndef DARKROOM_DATAGRAM_H
#define DARKROOM_DATAGRAM_H

#include <stdint.h>

int dr_datagram(void);
// A name that starts with '@' is in the abstract namespace.
int dr_datagram_connect(int socket, const void *name, uint64_t count);
int dr_datagram_bind(int socket, const void *name, uint64_t count);
// Never wait.
int64_t dr_datagram_send(int socket, const void *bytes, uint64_t count);
int64_t dr_datagram_send_file(int socket, int file);
int64_t dr_datagram_receive(int socket, void *bytes, uint64_t count, int *file);
int dr_memory_file(const char *name);
int dr_memory_seal(int file);
uint64_t dr_monotonic_microseconds(void);
// The entry's length, -ENOENT after the last one; copies at most `count` bytes.
int64_t dr_environment(uint64_t index, void *bytes, uint64_t count);

#endif

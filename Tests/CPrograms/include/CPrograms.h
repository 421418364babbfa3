// SPDX-License-Identifier: Apache-2.0
// Calls of tests that Swift cannot make itself: starts of other programs, and the place of journald.

#ifndef DARKROOM_CPROGRAMS_H
#define DARKROOM_CPROGRAMS_H

#include "loopback.h"

#include <stdint.h>

/// Starts a program, looked up in PATH, in a new process group, with these descriptors as 0, 1 and 2, no
/// other one open, all signals at their defaults and none blocked. A stream is -1 for /dev/null, its own
/// place, or more than 2. `words` and `variables` end with NULL. Returns the process number, or a negative
/// errno.
int program_start(char *const words[], char *const variables[], const int streams[3]);
/// Waits for the end of a child without reaping it, so its number is not reused.
void program_await(int process);
/// Waits for the end of a child and reaps it: its number may be reused afterwards. Returns its exit code, 128
/// plus the signal that ended it, or a negative errno if it is not our child.
int program_end(int process);
/// Opens a pseudo-terminal of this size: our end, and the one for a program, both close-on-exec. Returns 0 or a
/// negative errno.
int terminal_pair(int columns, int rows, int ends[2]);
/// A datagram socket at a path. It does not wait. Returns a descriptor, or a negative errno.
int datagram_listen(const char *path);
/// The next datagram, and the descriptor that came with it or -1. Returns the length, or a negative errno.
int64_t datagram_receive(int socket, void *bytes, uint64_t count, int *file);
/// Puts a folder in the place of journald's, for this thread and the threads that it starts. Returns 0 or a
/// negative errno.
int own_journal(const char *folder);
/// A connection to a port of 127.0.0.1, whose reads end after that many seconds. Returns a descriptor, or a negative
/// errno.
int visit_connect(int port, int seconds);
/// Writes all bytes; returns 0, or a negative errno.
int visit_send(int socket, const void *bytes, uint64_t count);
/// Sends no more.
void visit_finish(int socket);
/// The number of bytes read, 0 at the end, or a negative errno.
int64_t visit_receive(int socket, void *bytes, uint64_t count);

#endif
